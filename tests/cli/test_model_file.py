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


@pytest.mark.parametrize("method", ["cart", "k_dt"])
def test_a_model_reads_columns_that_could_be_read_in_two_ways_as_in_training(told, tmp_path, method):
    data, new, model, out = (tmp_path / name for name in ("t.csv", "new.csv", "m.askew", "out.csv"))
    rows = (f"{i % 7},{i % 7}25;{i % 9}.000;0{1 + i % 7}/{10 + i % 9}/2024;{'ab'[i % 7 > 3]}\n" for i in range(60))
    data.write_text("size;price;sold;y\n" + "".join(rows))
    told("train", data, "-t", "y", "-m", method, "--dates", "sold", "-o", model)
    new.write_text('size,price,sold\n"6,625",7,05/06/2024\n"1,125",7,05/06/2024\n')
    lines = told("predict", model, new, "-o", out)
    assert "'6,625' is read as 6.625" in lines[0]
    assert [line[-1] for line in out.read_text().splitlines()[1:]] == ["b", "a"]
    new.write_text("size;price;sold\n6.625;7;05/06/2024\n1.125;7;05/06/2024\n")
    assert told("predict", model, new, "--force", "-o", out) == []
    assert [line[-1] for line in out.read_text().splitlines()[1:]] == ["b", "a"]
    new.write_text("size;price;sold\n6,625;7;05/06/2024\n")
    assert "'6,625' is read as 6625" in told("predict", model, new, "--decimal", ".", "--force", "-o", out)[0]
