import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import fitted

import askew
from askew import CARTClassifier, ModelFileError
from askew.store import container


@given(st.data())
def test_28_any_changed_byte_is_found(model, tmp_path_factory, data):
    content = bytearray(model.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("flip") / "m.askew"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"m\.askew: "):
        askew.load(path)


def test_28_a_changed_bit_of_length_digest_or_format_is_found(model, tmp_path):
    content = model.read_bytes()
    path = tmp_path / "m.askew"
    for place in range(content.index(b"askew_model")):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        with pytest.raises(ModelFileError):
            askew.load(path)


@given(st.data())
def test_28_a_file_cut_short_is_refused(model, tmp_path_factory, data):
    content = model.read_bytes()
    path = tmp_path_factory.mktemp("cut") / "m.askew"
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ModelFileError, match=r"m\.askew: byte \d+: expected .*, found"):
        askew.load(path)


class Trap:
    def __reduce__(self):
        return pytest.fail, ("the pickle was opened",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_28_a_pickle_with_our_suffix_is_never_opened(protocol, tmp_path):
    path = tmp_path / "m.askew"
    path.write_bytes(pickle.dumps([Trap(), "x" * 200], protocol))
    found = "found a pickle, which is never opened" if protocol >= 2 else "expected a header"
    with pytest.raises(ModelFileError, match=f"m.askew: byte 0: .*{found}"):
        askew.load(path)


@pytest.mark.parametrize("content", [b"", b"PK\3\4" + b"\0" * 500, b"a,b\n1,2\n" * 100, b"\x93NUMPY" * 50])
def test_28_a_file_of_another_kind_is_refused(content, tmp_path):
    (tmp_path / "m.askew").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"m\.askew: byte 0: expected .*, found"):
        askew.load(tmp_path / "m.askew")


def test_28_a_safetensors_file_of_another_program_is_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(100)}, tmp_path / "m.askew", {"format": "pt", "more": "x" * 100})
    with pytest.raises(ModelFileError, match=r"byte 8: expected the header of an askew model file, found b'.{16}'$"):
        askew.load(tmp_path / "m.askew")


def test_27_a_newer_format_asks_for_an_upgrade(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "FORMAT", 4)
    askew.save(fitted(CARTClassifier), tmp_path / "m.askew")
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match=r"m\.askew: header: format 4 is newer than 3: upgrade askew"):
        askew.load(tmp_path / "m.askew")


def test_27_an_older_format_loads(tmp_path, monkeypatch):
    model = fitted(CARTClassifier)
    monkeypatch.setattr(container, "FORMAT", 1)
    askew.save(model, tmp_path / "m.askew")
    monkeypatch.undo()
    assert b'"askew_format":"1"' in (tmp_path / "m.askew").read_bytes()
    assert askew.load(tmp_path / "m.askew").tree_ == model.tree_


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        askew.load(tmp_path / "nothing.askew")
