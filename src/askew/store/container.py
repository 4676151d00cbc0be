"""The bytes of a model file: arrays and one JSON document in a safetensors container, with a checksum.

    8 bytes    length of the header, little-endian
    header     {"__metadata__":{"askew_digest":"<64 hex digits>","askew_format":"3","askew_model":"<JSON>"},
                "tree.kind":{"dtype":"I8","shape":[5],"data_offsets":[0,5]}, ...}  and spaces
    arrays     one after the other

The digest is the SHA-256 of the file with zeros instead of the digest, so that it covers every byte. Every format
begins like this, so that any version of askew can distinguish a newer file from a damaged one. The safetensors
library writes the metadata in random order; here the order is fixed, so that equal models give equal files.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import safetensors
import safetensors.numpy

from askew.export.json import JsonObject
from askew.files import beside
from askew.model.leaf_values import AnyArray

FORMAT = 3  # 1 had no linear leaves, 2 no weights of classes

_MAGIC = b'{"__metadata__":{"askew_digest":"'
_DIGEST = slice(8 + len(_MAGIC), 8 + len(_MAGIC) + 64)
_SMALLEST = _DIGEST.stop
_LONGEST_HEADER = 100_000_000  # what safetensors allows

Arrays = Mapping[str, AnyArray]


# --- writing


def to_bytes(arrays: Arrays, document: JsonObject) -> bytes:
    """Return the file that holds the arrays and the document; equal input gives equal bytes."""
    metadata = {
        "askew_digest": "0" * 64,
        "askew_format": str(FORMAT),
        "askew_model": json.dumps(document, separators=(",", ":"), allow_nan=False),
    }
    raw = safetensors.numpy.save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    length = int.from_bytes(raw[:8], "little")
    entries = json.loads(raw[8 : 8 + length])
    header = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode("ascii")
    header += b" " * (-len(header) % 8)  # arrays begin at a multiple of 8
    if len(header) > _LONGEST_HEADER:
        raise ValueError(f"names and labels need a header of {len(header)} bytes; at most {_LONGEST_HEADER} fit")
    file = bytearray(len(header).to_bytes(8, "little") + header + raw[8 + length :])
    file[_DIGEST] = hashlib.sha256(file).hexdigest().encode("ascii")
    return bytes(file)


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all: beside the old one, synced, then renamed over it."""
    with beside(Path(path), durable=True) as file:
        file.write_bytes(content)


# --- reading


def read(file: BinaryIO) -> tuple[Arrays, object]:
    """Return the arrays and the document of an open file, after every check that does not need to know them.

    Raises
    ------
    ValueError
        Says where in the file, what was expected, and what was found.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    start = file.read(8)
    length = _header_length(start, size)
    header = file.read(length)
    if not header.startswith(_MAGIC):
        raise ValueError(f"byte 8: expected the header of an askew model file, found {header[:16]!r}")
    entries = cast(JsonObject, parse_json(header, "header"))  # it begins with a brace
    metadata = entries.pop("__metadata__")
    _check_format(metadata)
    expected = 8 + length + _end_of_arrays(entries)
    if size != expected:
        raise ValueError(f"byte {min(size, expected)}: expected a file of {expected} bytes, found {size}")
    content = start + header + file.read()
    _check_digest(content)
    if not isinstance(metadata.get("askew_model"), str):
        raise ValueError("header: expected a description 'askew_model', found none")
    try:
        arrays = safetensors.numpy.load(content)
    except (safetensors.SafetensorError, KeyError, ValueError, OverflowError) as error:
        raise ValueError(f"header: expected arrays that safetensors can read, found {error}") from None
    return arrays, parse_json(metadata["askew_model"], "description")


class _DoubledKeyError(ValueError):
    pass


def parse_json(text: str | bytes, where: str) -> object:
    """Read JSON in which no key may occur twice."""

    def unique(pairs: list[tuple[str, object]]) -> JsonObject:
        found = dict(pairs)
        if len(found) < len(pairs):
            key = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise _DoubledKeyError(f"{where}: expected each key once, found {key!r} twice")
        return found

    try:
        parsed: object = json.loads(text, object_pairs_hook=unique)
        return parsed
    except _DoubledKeyError:
        raise
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, or a number of too many digits
        raise ValueError(f"{where}: expected JSON, found {error}") from None


def _header_length(start: bytes, size: int) -> int:
    length = int.from_bytes(start, "little")
    longest = min(size - 8, _LONGEST_HEADER)
    fits = len(_MAGIC) + 64 <= length <= longest
    if not fits and re.match(rb"\x80[\x02-\x05]", start):  # lengths such as 1,408 begin with these bytes, too
        raise ValueError("byte 0: expected an askew model file, found a pickle, which is never opened")
    if size < _SMALLEST:
        raise ValueError(f"byte {size}: expected at least {_SMALLEST} bytes, found {size}")
    if not fits:
        raise ValueError(f"byte 0: expected a header of at most {longest} bytes, found a length of {length}")
    return length


def _check_format(metadata: object) -> None:
    number = metadata.get("askew_format") if isinstance(metadata, dict) else None
    if not isinstance(number, str) or not re.fullmatch("[1-9][0-9]{0,8}", number):
        raise ValueError(f"header: expected a number 'askew_format', found {number!r}")
    if int(number) > FORMAT:
        raise ValueError(f"header: format {number} is newer than {FORMAT}: upgrade askew")


def _end_of_arrays(entries: JsonObject) -> int:
    """Return how many bytes the header says the arrays take; safetensors checks each of them."""
    end = 0
    for name, entry in entries.items():
        offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
        if not isinstance(offsets, list) or len(offsets) != 2 or not all(type(o) is int and o >= 0 for o in offsets):
            raise ValueError(f"header: expected where array {name!r} begins and ends, found {offsets!r}")
        end = max(end, offsets[1])
    return end


def _check_digest(content: bytes) -> None:
    blank = bytearray(content)
    blank[_DIGEST] = b"0" * 64
    digest, found = hashlib.sha256(blank).hexdigest(), content[_DIGEST].decode("latin-1")
    if digest != found:
        raise ValueError(f"whole file: expected the digest {found}, found {digest}: a byte has changed")
