import pytest

from askew.tables.errors import UserError
from askew.tables.numbers import Numeral, readings
from askew.tables.options import Written
from askew.tables.read import read_sheet

WAYS = {
    "decimal commas": (["5,1", "4,95", "3"], [5.1, 4.95, 3.0]),
    "thousands commas": (["1,234,567", "51,260.5"], [1234567.0, 51260.5]),
    "thousands points": (["1.234,5", "999"], [1234.5, 999.0]),
    "blanks": (["10 000", "2\u00a0500,5", "1"], [10000.0, 2500.5, 1.0]),
    "dollars": (["$51.26", "-$3", "$1,000.00"], [51.26, -3.0, 1000.0]),
    "euros behind": (["51,26 \u20ac", "3 \u20ac"], [51.26, 3.0]),
    "a unit behind": (["5.1 EUR", "3 EUR"], [5.1, 3.0]),
    "a unit before": (["EUR 5,10", "EUR 1.000,00"], [5.1, 1000.0]),
    "a unit without a blank": (["12kg", "3.5kg"], [12.0, 3.5]),
    "per cent": (["51.26%", "3 %"], [51.26, 3.0]),
    "a zero before the comma": (["0,125", "1,250"], [0.125, 1.25]),
}


@pytest.mark.parametrize(("texts", "numbers"), WAYS.values(), ids=WAYS)
def test_numbers_as_people_write_them_are_read(texts, numbers):
    [way] = readings(texts)
    assert [way.number(text) for text in texts] == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["red"],
        ["1.2.3"],
        ["$5", "\u20ac5"],
        ["5%", "5"],
        ["1_000"],
        ["12a", "3b"],
        ["a1", "a2"],
        ["Q1", "Q2"],
        ["1,23,456"],
        [""],
        [],
    ],
    ids=repr,
)
def test_what_is_no_number_has_no_reading(texts):
    assert readings(texts) == []


def test_one_comma_before_three_digits_can_be_read_in_two_ways():
    assert readings(["51,260", "1,234"]) == [Numeral(","), Numeral(".", ",")]


def table(tmp_path, text, **written):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_sheet(path, Written(**written))


@pytest.mark.parametrize(
    ("text", "number"),
    [("p;q\n51,260;1,5\n999;2\n", 51.26), ("p;q\n51,260;1.5\n999;2\n", 51260.0), ('p,q\n"51,260",1\n999,2\n', 51260.0)],
    ids=["decimal commas elsewhere", "decimal points elsewhere", "fields separated by commas"],
)
def test_the_rest_of_the_table_tells_how_a_number_is_meant(tmp_path, text, number):
    assert table(tmp_path, text).numbers(["p"], may_miss=False)["p"].tolist() == [number, 999.0]


def test_a_number_among_words_tells_nothing(tmp_path):
    with pytest.raises(UserError, match=r"'51,260' may be 51\.26 or 51260"):
        table(tmp_path, "p;q\n51,260;red\n999;1,5\n").numbers(["p"], may_miss=False)


def test_where_nothing_tells_the_command_stops_with_the_remedy(tmp_path):
    text = "p;q\n999;1\n51,260;2\n"
    with pytest.raises(
        UserError, match=r"line 3, column 'p': '51,260' may be 51.26 or 51260; say which with --decimal"
    ):
        table(tmp_path, text).numbers(["p"], may_miss=False)
    assert table(tmp_path, text, decimal=",").numbers(["p"], may_miss=False)["p"].tolist() == [999.0, 51.26]
    assert table(tmp_path, text, decimal=".").numbers(["p"], may_miss=False)["p"].tolist() == [999.0, 51260.0]


def test_a_point_separates_thousands_where_other_columns_have_decimal_commas(tmp_path):
    sheet = table(tmp_path, "p;q;r\n1.234;1,5;1.5\n999;2;0.125\n")
    frame = sheet.numbers(["p", "q", "r"], may_miss=False)
    assert frame.to_numpy().tolist() == [[1234.0, 1.5, 1.5], [999.0, 2.0, 0.125]]


def test_a_field_that_is_written_in_another_way_is_named(tmp_path):
    with pytest.raises(UserError, match=r"line 4, column 'p': 'red' is not a number with decimal commas as the others"):
        table(tmp_path, "p;q\n5,1;1\n4,9;2\nred;3\n").numbers(["p"], may_miss=False)


def test_house_numbers_are_text(tmp_path):
    assert table(tmp_path, "p;q\n12a;1\n3b;2\n4;3\n7;4\n8c;5\n").numeral("p") is None


def test_a_target_with_decimal_commas_is_a_quantity(tmp_path):
    sheet = table(tmp_path, "p;y\n1;5,1\n2;4,9\n")
    assert sheet.is_quantity("y", 30)
    assert sheet.vector("y").tolist() == [5.1, 4.9]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"decimal": ";"}, "--decimal ';'"),
        ({"thousands": "x"}, "--thousands 'x'"),
        ({"decimal": ",", "thousands": ","}, "must differ"),
    ],
    ids=repr,
)
def test_wrong_separators_are_refused(given, said):
    with pytest.raises(UserError, match=said):
        Written.from_options(None, None, given.get("decimal"), given.get("thousands"), None)


def rows(write):
    return "".join(f"{write(50 + i % 7 + 0.5)};{'ab'[i % 7 > 3]}\n" for i in range(40))


def test_a_column_with_decimal_commas_is_trained_on_and_predicted_as_numbers(told, tmp_path):
    """As categories it would be another, worse model."""
    data, model, out = tmp_path / "t.csv", tmp_path / "m.askew", tmp_path / "out.csv"
    data.write_text("size;y\n" + rows(lambda x: f"{x}".replace(".", ",")))
    [line] = told("train", data, "-t", "y", "-m", "cart", "-o", model)
    assert line == (
        f"askew: note: {data}: column 'size' has numbers with decimal commas: '50,5' is read as 50.5; "
        "if they are categories, name them with --categorical"
    )
    [line] = told("predict", model, data, "-o", out)
    assert "'50,5' is read as 50.5" in line
    got = [line.split(";") for line in out.read_text().splitlines()[1:]]
    assert got[0][0] == "50,5"
    assert all(row[1] == row[2] for row in got)
    data.write_text("size;y\n" + rows(str))
    assert told("evaluate", model, data, "-t", "y") == []


def test_every_command_takes_the_options_of_a_table(told, tmp_path):
    data, model = tmp_path / "t.csv", tmp_path / "m.askew"
    data.write_text("size;y\n" + rows(lambda x: f"{x}00".replace(".", ",")), encoding="utf-16-le")
    how = ["--decimal", ",", "--encoding", "utf-16-le", "--na-values", "-"]
    assert "with decimal commas: '50,500'" in told("train", data, "-t", "y", "-m", "cart", "-o", model, *how)[0]
    for words in (
        ["predict", model, data],
        ["evaluate", model, data, "-t", "y"],
        ["compare", data, "-t", "y", "--methods", "cart"],
    ):
        assert "with decimal commas: '50,500'" in told(*words, *how)[0]
