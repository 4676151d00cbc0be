import gzip

import pytest


@pytest.mark.parametrize("words", [["show"], ["export"], ["evaluate", "-t", "y", "-"], ["predict", "-"]], ids=repr)
def test_a_table_in_the_place_of_a_model_is_named_as_such(fault, iris_csv, words):
    line = fault(words[0], iris_csv, *words[1:])
    assert f"{iris_csv}: is a table or other text, not a model file" in line


def test_a_gzipped_table_and_utf16_text_are_no_models(fault, tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-16")
    for name in ("t.csv.gz", "t.csv"):
        assert "not a model file" in fault("show", tmp_path / name)
