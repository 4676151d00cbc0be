import gzip
import os
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import parquet

from askew import CARTClassifier
from askew.cli.model_file import model_features
from askew.tables.categories import is_text
from askew.tables.errors import UserError
from askew.tables.options import Written
from askew.tables.read import read_sheet
from askew.tables.sheet import Sheet


def sheet(tmp_path, text, delimiter=None):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_sheet(path, Written.from_options(delimiter, None, None, None, None))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(tmp_path, delimiter):
    found = sheet(tmp_path, f"a{delimiter}b\n1{delimiter}2\n3{delimiter}4\n")
    assert (found.delimiter, found.names) == (delimiter, ["a", "b"])


def test_a_comma_inside_quotes_does_not_hide_the_semicolon(tmp_path):
    assert sheet(tmp_path, 'a;b\n"1,2";3\n"4,5";6\n').delimiter == ";"


def test_a_given_delimiter_is_used(tmp_path):
    assert sheet(tmp_path, "a:b,c\n1:2\n", ":").names == ["a", "b,c"]


def test_a_delimiter_is_one_character(tmp_path):
    with pytest.raises(UserError, match="one character"):
        sheet(tmp_path, "a,b\n1,2\n", ", ")


def test_a_byte_order_mark_blank_lines_and_quoted_line_ends_are_read(tmp_path):
    read = sheet(tmp_path, '\ufeff\n\n"a\nb",c\n"1\n",2\n\n3,4\n')
    assert read.table.to_pydict() == {"a\nb": ["1\n", "3"], "c": ["2", "4"]}


def test_blanks_around_numbers_are_no_fault(tmp_path):
    assert sheet(tmp_path, "a,b\n 1 ,+2\n3e-1,nan\n").numbers(["a"], may_miss=True)["a"].tolist() == [1.0, 0.3]


def test_an_empty_field_is_missing(tmp_path):
    column = sheet(tmp_path, 'a,b\n1,2\n,3\n"",4\n').numbers(["a"], may_miss=True)["a"].to_numpy()
    assert np.isnan(column).tolist() == [False, True, True]


@pytest.mark.parametrize("value", ["1_000", "0x10", "red", "1,5,2"])
def test_what_is_no_number_is_refused_with_its_line(tmp_path, value):
    read = sheet(tmp_path, f'a;b\n"1\n";2\n3;{value}\n')
    with pytest.raises(UserError, match=rf"line 4, column 'b': '{value}' is not a number"):
        read.numbers(["b"], may_miss=True)


def test_a_row_that_is_too_long_is_refused_with_its_first_field_too_many(tmp_path):
    with pytest.raises(UserError, match=r"line 3, column 3: 'x' is one field too many \(3 fields, 2 in the header\)"):
        sheet(tmp_path, "a,b\n1,2\n3,4,x\n")


@pytest.mark.parametrize("word", ["NA", "?", " ? ", "n/a", "NULL", "NaN"])
def test_the_words_of_pandas_and_the_question_mark_are_missing_values(tmp_path, word):
    column = sheet(tmp_path, f"a,b\n1,2\n3,{word}\n").numbers(["b"], may_miss=True)["b"]
    assert column.isna().tolist() == [False, True]


def test_other_words_for_missing_values_can_be_given(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,-\n4,.\n5,4\n6,5\n7,6\n")
    with pytest.raises(UserError, match=r"line 3, column 'b': '-' is not a number; use --na-values '-'"):
        read_sheet(path).numbers(["b"], may_miss=True)
    written = Written.from_options(None, None, None, None, ["-,."])
    assert read_sheet(path, written).numbers(["b"], may_miss=True)["b"].isna().sum() == 2
    assert {"-", ".", "NA"} <= written.missing
    assert Written.from_options(None, None, None, None, ["-,"]).missing == {"-"}


def test_na_is_a_class_among_names_and_missing_among_numbers(tmp_path):
    assert sheet(tmp_path, "a,y\n1,p\n3,NA\n").labels("y").tolist() == ["p", "NA"]
    with pytest.raises(UserError, match="line 3, column 'y': the value is missing"):
        sheet(tmp_path, "a,y\n1,1\n3,NA\n").labels("y")


def test_a_missing_number_is_refused_where_it_may_not_be(tmp_path):
    with pytest.raises(UserError, match=r"line 3, column 'a': the value is missing; .*--missing mean"):
        sheet(tmp_path, "a,b\n1,2\n,4\n").numbers(["a", "b"], may_miss=False)


def test_a_missing_label_is_refused(tmp_path):
    with pytest.raises(UserError, match="line 3, column 'y': the value is missing"):
        sheet(tmp_path, "a,y\n1,p\n3,\n").labels("y")


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("encoding", "said"), [("latin-1", "read as Latin-1"), ("utf-16", "")])
def test_latin1_and_utf16_are_detected(tmp_path, capsys, encoding, said, zipped):
    path = tmp_path / ("t.csv.gz" if zipped else "t.csv")
    text = "a,y\n1,p\n3,caf\xe9\n".encode(encoding)
    path.write_bytes(gzip.compress(text) if zipped else text)
    assert read_sheet(path).labels("y").tolist() == ["p", "caf\xe9"]
    line = capsys.readouterr().err
    assert said in line
    assert (str(path) in line) is bool(said)


def test_an_encoding_can_be_given(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes("a,y\n1,p\n3,\u0160\n".encode("iso8859-2"))
    assert read_sheet(path, Written(encoding="iso8859-2")).labels("y").tolist() == ["p", "\u0160"]
    assert capsys.readouterr().err == ""
    with pytest.raises(UserError, match=r"line 3: byte 0xa9 is not UTF-8; give the encoding with --encoding"):
        read_sheet(path, Written(encoding="utf-8"))
    with pytest.raises(UserError, match="--encoding 'latin-nine': unknown"):
        Written.from_options(None, "latin-nine", None, None, None)


def test_what_is_wrong_in_a_file_of_another_encoding_is_named_with_the_file_of_the_user(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,p\n3\n", encoding="utf-16")
    with pytest.raises(UserError, match=rf"^{path}: line 3, column 'y': the row ends before it"):
        read_sheet(path)


def test_columns_without_a_name_are_numbered_and_named(tmp_path, capsys):
    assert sheet(tmp_path, ",a, \n1,2,3\n").names == ["column 1", "a", "column 3"]
    assert "without a name in the header are called 'column 1', 'column 3'" in capsys.readouterr().err


def test_a_device_without_rows_is_an_empty_table():
    with pytest.raises(UserError, match=f"^{os.devnull}: the file is empty: no data rows$"):
        read_sheet(Path(os.devnull))


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(UserError, match=r"Is a directory|Permission denied"):
        read_sheet(tmp_path)


@pytest.mark.parametrize("value", ["inf", "1e400"])
def test_infinity_is_refused_with_its_line(tmp_path, value):
    with pytest.raises(UserError, match="line 3, column 'a': the value is infinite or too large"):
        sheet(tmp_path, f"a,b\n1,2\n{value},3\n").numbers(["a"], may_miss=True)


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(UserError, match="two columns 'a'"):
        sheet(tmp_path, "a,b,a\n1,2,3\n")


def test_a_cut_gzip_file_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(UserError, match=r"t\.csv\.gz"):
        read_sheet(path)


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"t\.parquet"):
        read_sheet(path)


def test_parquet_keeps_its_types_and_names_the_row_of_a_fault(tmp_path):
    path = tmp_path / "t.parquet"
    category = pyarrow.array(["u", "v", "u"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"i": [1, 2, None], "b": [True, False, True], "c": category}), path)
    read = read_sheet(path)
    assert read.numbers(["b"], may_miss=False)["b"].tolist() == [1.0, 0.0, 1.0]
    assert read.labels("c").tolist() == ["u", "v", "u"]
    assert read.labels("b").tolist() == [True, False, True]
    with pytest.raises(UserError, match="row 3, column 'i'"):
        read.numbers(["i"], may_miss=False)
    with pytest.raises(UserError, match="row 1, column 'c': 'u' is not a number"):
        read.numbers(["c"], may_miss=False)


@pytest.mark.parametrize(
    ("column", "quantity"),
    [("0\n1\n", False), ("0.5\n1\n", True), ("a\n1.5\n", False), ("".join(f"{i}\n" for i in range(31)), True)],
    ids=["two whole numbers", "a fraction", "text", "31 whole numbers"],
)
def test_a_quantity_has_fractions_or_many_values(tmp_path, column, quantity):
    assert sheet(tmp_path, "y\n" + column).is_quantity("y", 30) is quantity


def test_two_columns_of_one_name_are_refused_also_in_parquet(fault, tmp_path):
    table = pyarrow.table([[1.0, 2.0], [3.0, 4.0], ["x", "y"]], names=["a", "a", "y"])
    parquet.write_table(table, tmp_path / "d.parquet")
    line = fault("train", tmp_path / "d.parquet", "-t", "y", "-o", tmp_path / "m.askew")
    assert "two columns are named 'a'; rename one" in line


class Counting:
    """A table that counts how often its names are asked for."""

    def __init__(self, table):
        self.table, self.asked = table, 0

    @property
    def column_names(self):
        self.asked += 1
        return self.table.column_names

    def __getattr__(self, name):
        return getattr(self.table, name)

    def __getitem__(self, name):
        raise AssertionError("a column is looked for by its name, among all of them")


def test_the_names_of_the_columns_are_gathered_once_however_many_there_are(tmp_path):
    names = [f"c{j}" for j in range(50)]
    table = Counting(pyarrow.table({name: [1.0, 2.0] for name in names}))
    sheet = Sheet(tmp_path, tmp_path, table, None)
    model = CARTClassifier().fit(pandas.DataFrame(np.ones((2, 50)), columns=names), [0, 1])
    assert model_features(model, sheet).shape == (2, 50)
    assert not any(is_text(sheet, name) for name in names)
    assert table.asked == 2  # once for the table, once for the table as the model reads it
