import pyarrow
import pytest
from pyarrow import parquet

import askew as package
from askew.cli.task import read_problem
from askew.tables.categories import is_text, read_frame
from askew.tables.errors import UserError
from askew.tables.read import read_sheet

TABLE = "size,colour,zip,y\n" + "".join(
    f"{i},{['red', 'blue', 'green'][i % 3]},{10 + i % 2},{'ab'[i % 3 == 1]}\n" for i in range(12)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(TABLE)
    return path


def sheet(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_sheet(path)


def test_text_columns_are_trained_on_shown_and_predicted(askew, table, tmp_path):
    model = tmp_path / "m.askew"
    told = askew("train", table, "-t", "y", "-o", model)
    assert "categorical features  1" in told
    assert "training accuracy     1.0" in told
    assert "colour=blue" in askew("show", model)
    rows = [line.split(",") for line in askew("predict", model, table).splitlines()[1:]]
    assert [row[-1] for row in rows] == [row[-2] for row in rows]


@pytest.mark.parametrize(
    "given", [["--categorical", "zip,colour"], ["--categorical", "zip", "--categorical", "colour"]]
)
def test_columns_of_numbers_may_be_named_categorical(askew, table, tmp_path, given):
    askew("train", table, "-t", "y", *given, "-o", tmp_path / "m.askew")
    model = package.load(tmp_path / "m.askew")
    assert model.encoder_.categories == (None, ("blue", "green", "red"), ("10", "11"))


def test_a_table_may_hold_categories_that_training_never_saw(askew, told, table, tmp_path):
    askew("train", table, "-t", "y", "-o", tmp_path / "m.askew")
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_text("size,colour,zip\n1,pink,10\n2,red,10\n3,grey,10\n4,pink,10\n")
    [line] = told("predict", tmp_path / "m.askew", new, "-o", out)
    assert "column 'colour': 3 of 4 rows have a category that is not in the training data: 'pink', 'grey'" in line
    assert out.read_text().splitlines()[1] == "1,pink,10,a"


def test_a_model_of_python_finds_its_numbers_among_the_text(askew, tmp_path):
    rows = [[1.0, 10], [2.0, 11], [3.0, 10], [4.0, 12]]
    package.save(package.CARTClassifier(categorical_features=[1]).fit(rows, list("abab")), tmp_path / "m.askew")
    new = tmp_path / "new.csv"
    new.write_text("s,z\n1,10\n2,11.0\n3,10\n4,12\n")
    assert [line[-1] for line in askew("predict", tmp_path / "m.askew", new).splitlines()[1:]] == list("abab")


@pytest.fixture
def people(tmp_path):
    """A table with a column of text that differs in each row."""
    path = tmp_path / "people.csv"
    path.write_text("name,colour,y\n" + "".join(f"n{i},{['red', 'blue'][i % 2]},{'ab'[i % 2]}\n" for i in range(40)))
    return path


def test_text_that_differs_in_each_row_is_left_out_with_a_warning(people):
    with pytest.warns(UserWarning, match=r"'name' is left out: 40 different categories in 40 rows.*--categ"):
        problem = read_problem(people, "y")
    assert (problem.features, problem.categorical) == (["colour"], ["colour"])


def test_text_that_differs_in_each_row_is_kept_if_it_is_named_categorical(people):
    problem = read_problem(people, "y", categorical=["name"])
    assert problem.features == problem.categorical == ["name", "colour"]


def test_a_table_of_nothing_but_such_text_is_refused(people):
    with pytest.warns(UserWarning, match="left out"), pytest.raises(UserError, match="no feature columns are left"):
        read_problem(people, "y", drop=["colour"])


# --- faults


def test_a_categorical_column_that_is_not_there_comes_with_the_nearest_name(fault, table, tmp_path):
    line = fault("train", table, "-t", "y", "--categorical", "color", "-o", tmp_path / "m.askew")
    assert "did you mean 'colour'?" in line


def test_the_target_is_no_categorical_column(fault, table, tmp_path):
    assert "is not a feature" in fault("train", table, "-t", "y", "--categorical", "y", "-o", tmp_path / "m.askew")


def test_a_missing_category_is_named_with_its_line(fault, table, tmp_path):
    table.write_text(TABLE + "5,,11,b\n")
    line = fault("train", table, "-t", "y", "--missing", "error", "-o", tmp_path / "m.askew")
    assert "line 14, column 'colour': the value is missing" in line
    assert "--missing mean" in line


def test_a_missing_category_is_its_own_where_it_may_be(askew, table, tmp_path):
    table.write_text(TABLE + "5,,11,b\n")
    askew("train", table, "-t", "y", "--missing", "mean", "-o", tmp_path / "m.askew")
    assert package.load(tmp_path / "m.askew").encoder_.categories[1] == ("blue", "green", "red", None)


def test_text_among_numbers_is_a_fault_that_names_the_way_out(fault, table, tmp_path):
    table.write_text(TABLE + "5,red,x1,b\n")
    line = fault("train", table, "-t", "y", "--missing", "error", "-o", tmp_path / "m.askew")
    assert "line 14, column 'zip': 'x1' is not a number; use --na-values 'x1'" in line
    assert "--categorical 'zip' if the column holds categories" in line


# --- which columns


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (["1", "2", "3"], False),
        ([" 1", "2 ", "3"], False),
        (["a", "2", "3"], False),
        (["a", "b", "3"], True),
        (["a", "2", ""], False),
        (["a", "", ""], True),
        (["", "", ""], False),
        (["nan", "1", "2"], False),
    ],
    ids=repr,
)
def test_a_column_is_text_if_fewer_than_half_of_its_fields_are_numbers(tmp_path, fields, text):
    assert is_text(sheet(tmp_path, "a,b\n" + "".join(f"{field},1\n" for field in fields)), "a") is text


def test_what_parquet_stores_as_categories_are_categories(tmp_path):
    digits = pyarrow.array(["1", "2", None]).dictionary_encode()
    parquet.write_table(pyarrow.table({"c": digits, "n": [1, 2, 3], "b": [True, False, None]}), tmp_path / "t.parquet")
    read = read_sheet(tmp_path / "t.parquet")
    assert [is_text(read, name) for name in read.names] == [True, False, False]
    frame = read_frame(read, ["n", "c"], {"c": None}, may_miss=True)
    assert frame["c"].astype(object).where(frame["c"].notna(), None).tolist() == ["1", "2", None]
    assert frame["n"].tolist() == [1.0, 2.0, 3.0]
