import os
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import parquet

from askew import CARTClassifier
from askew.cli.categories import is_text
from askew.cli.faults import Fault
from askew.cli.predict import model_features
from askew.cli.reading import read_sheet
from askew.cli.sheet import Sheet


def sheet(tmp_path, text, delimiter=None):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_sheet(path, delimiter)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(tmp_path, delimiter):
    found = sheet(tmp_path, f"a{delimiter}b\n1{delimiter}2\n3{delimiter}4\n")
    assert (found.delimiter, found.names) == (delimiter, ["a", "b"])


def test_a_comma_inside_quotes_does_not_hide_the_semicolon(tmp_path):
    assert sheet(tmp_path, 'a;b\n"1,2";3\n"4,5";6\n').delimiter == ";"


def test_a_given_delimiter_is_used(tmp_path):
    assert sheet(tmp_path, "a:b,c\n1:2\n", ":").names == ["a", "b,c"]


def test_a_delimiter_is_one_character(tmp_path):
    with pytest.raises(Fault, match="one character"):
        sheet(tmp_path, "a,b\n1,2\n", ", ")


def test_a_byte_order_mark_blank_lines_and_quoted_line_ends_are_read(tmp_path):
    read = sheet(tmp_path, '\ufeff\n\n"a\nb",c\n"1\n",2\n\n3,4\n')
    assert read.table.to_pydict() == {"a\nb": ["1\n", "3"], "c": ["2", "4"]}


def test_blanks_around_numbers_are_no_fault(tmp_path):
    assert sheet(tmp_path, "a,b\n 1 ,+2\n3e-1,nan\n").numbers(["a"], may_miss=True)["a"].tolist() == [1.0, 0.3]


def test_an_empty_field_is_missing(tmp_path):
    column = sheet(tmp_path, 'a,b\n1,2\n,3\n"",4\n').numbers(["a"], may_miss=True)["a"].to_numpy()
    assert np.isnan(column).tolist() == [False, True, True]


@pytest.mark.parametrize("value", ["1_000", "0x10", "red", "1,5"])
def test_what_is_no_number_is_refused_with_its_line(tmp_path, value):
    read = sheet(tmp_path, f'a;b\n"1\n";2\n3;{value}\n')
    with pytest.raises(Fault, match=rf"line 4, column 'b': '{value}' is not a number"):
        read.numbers(["b"], may_miss=True)


def test_a_row_that_is_too_long_is_refused_with_its_first_field_too_many(tmp_path):
    with pytest.raises(Fault, match=r"line 3, column 3: 'x' is one field too many \(3 fields, 2 in the header\)"):
        sheet(tmp_path, "a,b\n1,2\n3,4,x\n")


def test_na_among_numbers_comes_with_its_own_hint(tmp_path):
    with pytest.raises(Fault, match="'NA' is not a number; leave the field empty if the value is missing"):
        sheet(tmp_path, "a,b\n1,2\n3,NA\n").numbers(["b"], may_miss=True)


def test_a_missing_number_is_refused_where_it_may_not_be(tmp_path):
    with pytest.raises(Fault, match=r"line 3, column 'a': the value is missing; .*--missing mean"):
        sheet(tmp_path, "a,b\n1,2\n,4\n").numbers(["a", "b"], may_miss=False)


def test_a_missing_label_is_refused(tmp_path):
    with pytest.raises(Fault, match="line 3, column 'y': the value is missing"):
        sheet(tmp_path, "a,y\n1,p\n3,\n").labels("y")


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,y\n1,p\n3,caf\xe9\n")
    with pytest.raises(Fault, match="line 3: byte 0xe9 is not UTF-8"):
        read_sheet(path, None)


def test_a_device_without_rows_is_an_empty_table():
    with pytest.raises(Fault, match=f"^{os.devnull}: the file is empty: no data rows$"):
        read_sheet(Path(os.devnull), None)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(Fault, match=r"Is a directory|Permission denied"):
        read_sheet(tmp_path, None)


@pytest.mark.parametrize("value", ["inf", "1e400"])
def test_infinity_is_refused_with_its_line(tmp_path, value):
    with pytest.raises(Fault, match="line 3, column 'a': the value is infinite or too large"):
        sheet(tmp_path, f"a,b\n1,2\n{value},3\n").numbers(["a"], may_miss=True)


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(Fault, match="two columns 'a'"):
        sheet(tmp_path, "a,b,a\n1,2,3\n")


def test_a_cut_gzip_file_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(Fault, match=r"t\.csv\.gz"):
        read_sheet(path, None)


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(Fault, match=r"t\.parquet"):
        read_sheet(path, None)


def test_parquet_keeps_its_types_and_names_the_row_of_a_fault(tmp_path):
    path = tmp_path / "t.parquet"
    category = pyarrow.array(["u", "v", "u"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"i": [1, 2, None], "b": [True, False, True], "c": category}), path)
    read = read_sheet(path, None)
    assert read.numbers(["b"], may_miss=False)["b"].tolist() == [1.0, 0.0, 1.0]
    assert read.labels("c").tolist() == ["u", "v", "u"]
    assert read.labels("b").tolist() == [True, False, True]
    with pytest.raises(Fault, match="row 3, column 'i'"):
        read.numbers(["i"], may_miss=False)
    with pytest.raises(Fault, match="row 1, column 'c': 'u' is not a number"):
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
    assert table.asked == 1
