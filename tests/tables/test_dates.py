import pytest

import askew as package
from askew.tables.dates import expanded, formats
from askew.tables.errors import UserError
from askew.tables.read import read_sheet


def sheet(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_sheet(path)


def test_dates_become_year_month_weekday_and_days(tmp_path):
    read, used = expanded(sheet(tmp_path, "a,sold\n1,1970-01-01\n2,2024-02-29\n3,\n"), ["sold"])
    names = ["sold.year", "sold.month", "sold.weekday", "sold.days"]
    frame = read.numbers(names, may_miss=True)
    assert used == ["sold"]
    assert frame.iloc[:2].to_numpy().tolist() == [[1970, 1, 4, 0], [2024, 2, 4, 19782]]
    assert frame.iloc[2].isna().all()


@pytest.mark.parametrize(
    ("text", "form"),
    [("2024-02-29", "%Y-%m-%d"), ("29.02.2024", "%d.%m.%Y"), ("29/02/2024", "%d/%m/%Y"), ("02/29/2024", "%m/%d/%Y")],
)
def test_the_way_of_writing_is_found_out(text, form):
    assert formats([text]) == [form]


def test_a_day_that_may_be_a_month_needs_the_format(tmp_path):
    read = sheet(tmp_path, "a,sold\n1,01/02/2024\n2,03/04/2024\n")
    with pytest.raises(UserError, match=r"column 'sold': day and month of '01/02/2024' .* --dates 'sold=%d/%m/%Y' or"):
        expanded(read, ["sold"])
    found, _ = expanded(read, ["sold=%d/%m/%Y"])
    assert found.numbers(["sold.month"], may_miss=False)["sold.month"].tolist() == [2.0, 4.0]


def test_what_is_no_date_is_named_with_its_line(tmp_path):
    with pytest.raises(UserError, match=r"line 3, column 'sold': 'soon' is not a date in the format %Y-%m-%d"):
        expanded(sheet(tmp_path, "a,sold\n1,2024-01-01\n2,soon\n"), ["sold=%Y-%m-%d"])
    with pytest.raises(UserError, match=r"column 'sold': 'x' and the others are not dates .* --dates 'sold=%d %b %Y'"):
        expanded(sheet(tmp_path, "a,sold\n1,x\n"), ["sold"])
    with pytest.raises(UserError, match="there is no column 'sol'"):
        expanded(sheet(tmp_path, "a,sold\n1,x\n"), ["sol"])


def test_a_model_of_dates_predicts_from_dates(told, tmp_path):
    data, model, out = tmp_path / "t.csv", tmp_path / "m.askew", tmp_path / "out.csv"
    rows = "".join(f"{i % 5},{2020 + i % 3}-{1 + i % 12:02}-{1 + i // 2:02},{'ab'[i % 12 > 5]}\n" for i in range(48))
    data.write_text("a,sold,y\n" + rows)
    [line] = told("train", data, "-t", "y", "-m", "cart", "-o", model)
    assert "column 'sold' is left out: 48 different categories in 48 rows, such as '2020-01-01'" in line
    assert "--dates 'sold'" in line
    assert told("train", data, "-t", "y", "-m", "cart", "--dates", "sold", "-o", model, "--force") == []
    names = ["a", "sold.year", "sold.month", "sold.weekday", "sold.days"]
    assert package.load(model).feature_names_in_.tolist() == names
    assert told("predict", model, data, "-o", out) == []
    assert out.read_text().splitlines()[0] == "a,sold,y,prediction"
    assert all(line.split(",")[2] == line.split(",")[3] for line in out.read_text().splitlines()[1:])
