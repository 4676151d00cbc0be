import errno
import fcntl
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.files import is_device
from askew.store import container

ARRAYS = {"b": np.arange(3, dtype=np.int8), "a": np.array([[1.5, -2.0]]), "none": np.empty(0)}
DOCUMENT = {"name": "Zoë\ud800", "list": [1, 2.5, None]}


def read_bytes(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with open(path, "rb") as file:
        return container.read(file)


def signed(header, arrays=b""):
    """A file with this header and a digest that fits."""
    content = len(header).to_bytes(8, "little") + header + arrays
    blank = bytearray(content)
    at = len(b'{"__metadata__":{"askew_digest":"') + 8
    blank[at : at + 64] = b"0" * 64
    blank[at : at + 64] = hashlib.sha256(blank).hexdigest().encode()
    return bytes(blank)


def header_of(content):
    length = int.from_bytes(content[:8], "little")
    return content[8 : 8 + length], content[8 + length :]


def test_arrays_and_document_come_back_exactly(tmp_path):
    arrays, document = read_bytes(tmp_path, container.to_bytes(ARRAYS, DOCUMENT))
    assert document == DOCUMENT
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)


def test_equal_input_gives_equal_bytes():
    assert len({container.to_bytes(ARRAYS, DOCUMENT) for _ in range(10)}) == 1


def test_arrays_begin_at_a_multiple_of_eight():
    for length in range(9):
        header, _ = header_of(container.to_bytes(ARRAYS, {"text": "x" * length}))
        assert len(header) % 8 == 0


def test_a_file_may_hold_no_arrays(tmp_path):
    arrays, document = read_bytes(tmp_path, container.to_bytes({}, DOCUMENT))
    assert (arrays, document) == ({}, DOCUMENT)


@pytest.mark.parametrize("length", [640, 896, 1152, 1408])
def test_a_header_whose_length_begins_like_a_pickle_is_read(length):
    contents = (container.to_bytes({}, {"text": "x" * n}) for n in range(length))
    content = next(content for content in contents if int.from_bytes(content[:8], "little") == length)
    assert content[:1] == b"\x80"
    assert container.read(BytesIO(content))[1]["text"].startswith("x")


def test_the_header_begins_with_digest_format_and_model_and_has_no_space_but_at_its_end():
    content = container.to_bytes(ARRAYS, DOCUMENT)
    header, _ = header_of(content)
    digest = hashlib.sha256(content[:41] + b"0" * 64 + content[105:]).hexdigest()
    model = json.dumps(json.dumps(DOCUMENT, separators=(",", ":")))
    start = f'{{"__metadata__":{{"askew_digest":"{digest}","askew_format":"3","askew_model":{model}}},"'
    assert header.startswith(start.encode())
    assert b" " not in header.rstrip(b" ")


def test_a_file_of_another_length_is_told_where_it_ends_too_early_or_late(tmp_path):
    content = container.to_bytes(ARRAYS, DOCUMENT)
    n = len(content)
    for found, end in ((n - 1, n - 1), (n + 3, n)):
        with pytest.raises(ValueError, match=f"^byte {end}: expected a file of {n} bytes, found {found}$"):
            read_bytes(tmp_path, (content + bytes(3))[:found])


def test_the_smallest_header_is_that_of_a_digest(tmp_path):
    prefix = b'{"__metadata__":{"askew_digest":"' + b"0" * 64
    n = 8 + len(prefix)
    with pytest.raises(ValueError, match=f"^byte {n - 1}: expected at least {n} bytes, found {n - 1}$"):
        read_bytes(tmp_path, bytes(n - 1))
    with pytest.raises(ValueError, match=r"^header: expected JSON, found .*"):
        read_bytes(tmp_path, len(prefix).to_bytes(8, "little") + prefix)
    for size in (n, 200):
        with pytest.raises(ValueError, match=f"^byte 0: expected a header of at most {size - 8} bytes, found a length"):
            read_bytes(tmp_path, (len(prefix) - 1).to_bytes(8, "little") + prefix + bytes(size - n))


def test_the_helper_of_these_tests_signs_as_the_container_does():
    content = container.to_bytes(ARRAYS, DOCUMENT)
    assert signed(*header_of(content)) == content


@given(st.data())
def test_a_file_cut_short_or_made_longer_is_refused(tmp_path_factory, data):
    content = container.to_bytes(ARRAYS, DOCUMENT)
    size = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(ValueError, match=r"expected .*, found"):
        read_bytes(tmp_path_factory.mktemp("cut"), content[:size])
    with pytest.raises(ValueError, match=f"expected a file of {len(content)} bytes, found"):
        read_bytes(tmp_path_factory.mktemp("longer"), content + b"\0" * (size + 1))


def test_a_changed_byte_in_the_padding_is_found(tmp_path):
    files = [container.to_bytes(ARRAYS, {"text": "x" * length}) for length in range(8)]
    content = next(file for file in files if header_of(file)[0].endswith(b" "))
    header, arrays = header_of(content)
    with pytest.raises(ValueError, match="a byte has changed"):
        read_bytes(tmp_path, content[:8] + header[:-1] + b"\n" + arrays)


def test_29_a_header_of_huge_length_is_refused_before_it_is_read(tmp_path):
    content = container.to_bytes(ARRAYS, DOCUMENT)
    for length in (2**64 - 1, 2**63, 2**40, len(content) - 7, 0):
        with pytest.raises(ValueError, match=f"byte 0: expected a header of at most .* found a length of {length}"):
            read_bytes(tmp_path, length.to_bytes(8, "little") + content[8:])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"askew_format":"3"', b'"askew_format":"4"', "format 4 is newer than 3: upgrade askew"),
        (b'"askew_format":"3"', b'"askew_format":"x"', "expected a number 'askew_format', found 'x'"),
        (b'"askew_format":"3"', b'"askew_format":1', "expected a number 'askew_format', found 1"),
        (b'"askew_format":"3"', b'"askew_format":"0"', "expected a number 'askew_format', found '0'"),
        (b'"askew_format"', b'"other"', "expected a number 'askew_format', found None"),
        (b'"askew_format"', b'"askew_digest"', "expected each key once, found 'askew_digest' twice"),
        (b'"none":', b'"a":', "expected each key once, found 'a' twice"),
        (b'"none":', b'"z":5,"none":', "expected where array 'z' begins and ends, found None"),
        (b'"none":', b'"z":{"dtype":"I8"},"none":', "expected where array 'z' begins and ends, found None"),
        (b'"askew_model":', b'"other":', "expected a description 'askew_model', found none"),
        (b'{\\"name', b'{\\"list', "expected each key once, found 'list' twice"),
        (b'{\\"name', b"{\\", "expected JSON, found .*"),
        (b'"I8"', b'"F64"', "expected arrays that safetensors can read, found .*"),
        (b'"I8"', b'"BF16"', "expected arrays that safetensors can read, found .*"),
        (b'"shape":[3]', b'"shape":[4]', "expected arrays that safetensors can read, found .*"),
        (b'"shape":[3]', b'"shape":[4611686018427387904,4]', "expected arrays that safetensors can read, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[0,1099511627776]', "expected a file of 1099511.* bytes, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":"016"', "expected where array 'a' begins and ends, found '016'"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[0,16,16]', "expected where array 'a' begins and ends, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[0]', "expected where array 'a' begins and ends, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[-1,16]', "expected where array 'a' begins and ends, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[1,16]', "expected arrays that safetensors can read, found .*"),
        (b'"data_offsets":[0,16]', b'"data_offsets":[true,16]', "expected where array 'a' begins and ends, found .*"),
    ],
)
def test_29_a_forged_header_is_refused_although_its_digest_fits(tmp_path, old, new, message):
    header, arrays = header_of(container.to_bytes(ARRAYS, DOCUMENT))
    assert old in header
    with pytest.raises(ValueError, match=rf"^(byte \d+|header|description): (?:{message})$"):
        read_bytes(tmp_path, signed(header.replace(old, new, 1), arrays))


def test_a_header_nested_without_end_is_refused(tmp_path):
    prefix = b'{"__metadata__":{"askew_digest":"' + b"0" * 64
    with pytest.raises(ValueError, match="header: expected JSON, found"):
        read_bytes(tmp_path, signed(prefix + b'","x":' + b"[" * 1_000_000))


def test_a_document_that_is_no_unicode_is_refused(tmp_path):
    header, arrays = header_of(container.to_bytes(ARRAYS, DOCUMENT))
    with pytest.raises(ValueError, match="header: expected JSON, found 'utf-8' codec"):
        read_bytes(tmp_path, signed(header.replace(b"name", b"nam\xff"), arrays))


def test_a_header_too_long_for_safetensors_is_not_written(monkeypatch):
    monkeypatch.setattr(container, "_LONGEST_HEADER", 1000)
    with pytest.raises(ValueError, match=r"need a header of .* bytes; at most 1000 fit"):
        container.to_bytes(ARRAYS, {"text": "x" * 1000})
    monkeypatch.setattr(container, "_LONGEST_HEADER", len(header_of(container.to_bytes(ARRAYS, DOCUMENT))[0]))
    container.to_bytes(ARRAYS, DOCUMENT)


def test_a_number_that_is_not_json_is_not_written():
    with pytest.raises(ValueError, match="JSON compliant"):
        container.to_bytes(ARRAYS, {"number": float("nan")})


# --- writing


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "model.askew"
    path.write_bytes(b"old")
    return path


def is_whole(old):
    """Nothing but the old file is there, with what was in it."""
    return os.listdir(old.parent) == [old.name] and old.read_bytes() == b"old"


@pytest.mark.parametrize("function", ["replace", "fsync", "open"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_30_a_write_that_fails_leaves_the_old_file_whole(old, monkeypatch, function, error):
    def fail(*args, **kwargs):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail)
        with pytest.raises(type(error)):
            container.write(old, b"new")
    assert is_whole(old)


def test_30_a_full_disk_leaves_the_old_file_whole(old):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            container.write(old, b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert is_whole(old)


def test_an_interrupt_right_after_the_rename_is_passed_on(old, monkeypatch):
    rename = os.replace

    def late(*args):
        rename(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", late)
    with pytest.raises(KeyboardInterrupt):
        container.write(old, b"new")
    assert old.read_bytes() == b"new"


def test_a_file_that_has_the_name_beside_is_left_alone(old, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda n: "name")
    with open(old.parent / ".askew-name.tmp", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # its writer lives
        with pytest.raises(FileExistsError):
            container.write(old, b"new")
    assert (old.parent / ".askew-name.tmp").exists()
    assert old.read_bytes() == b"old"


def test_a_device_is_written_to_and_stays_one():
    container.write(os.devnull, b"new")
    assert is_device(Path(os.devnull))


def test_30_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        container.write(tmp_path / "nowhere" / "model.askew", b"new")


@pytest.mark.extended
def test_30_death_before_the_rename_leaves_the_old_file_whole(old):
    program = (
        "import os, signal, sys\n"
        "from askew.store import container\n"
        "os.replace = lambda *args: os.kill(os.getpid(), signal.SIGKILL)\n"
        "container.write(sys.argv[1], b'new')\n"
    )
    search = os.pathsep.join(p for p in sys.path if p)
    died = subprocess.run([sys.executable, "-c", program, str(old)], env={**os.environ, "PYTHONPATH": search})
    assert died.returncode == -signal.SIGKILL
    assert old.read_bytes() == b"old"


def test_30_a_save_removes_what_a_killed_one_left(old):
    (old.parent / ".askew-0123456789abcdef.tmp").write_bytes(b"half")
    container.write(old, b"new")
    assert os.listdir(old.parent) == [old.name]


def test_the_new_file_takes_the_place_of_the_old_one_and_keeps_its_mode(old):
    old.chmod(0o640)
    container.write(old, b"new")
    assert old.read_bytes() == b"new"
    assert old.stat().st_mode & 0o777 == 0o640
    assert os.listdir(old.parent) == [old.name]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    container.write(tmp_path / "model.askew", b"new")
    assert (tmp_path / "model.askew").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(old):
    link = old.parent / "link"
    link.symlink_to(old)
    container.write(link, b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_file_and_folder_are_synced_the_file_before_the_rename(old, monkeypatch):
    done = []
    fsync, rename = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: done.append(os.readlink(f"/proc/self/fd/{fd}")) or fsync(fd))
    monkeypatch.setattr(os, "replace", lambda a, b: done.append("replace") or rename(a, b))
    container.write(old, b"new")
    beside, replaced, folder = done
    assert beside.startswith(str(old.parent / ".askew-"))
    assert (replaced, folder) == ("replace", str(old.parent))


def test_29_json_with_a_doubled_key_deep_inside_is_refused():
    with pytest.raises(ValueError, match="here: expected each key once, found 'a' twice"):
        container.parse_json(json.dumps([{"b": 1}]).replace('"b": 1', '"a": {"a": 1}, "a": 2'), "here")
