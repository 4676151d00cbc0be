import pytest

from askew.cli.task import read_problem


@pytest.fixture
def remarks(tmp_path, capsys):
    """Read a table that is to be learnt from; returns what is said of its columns, and the columns that are left."""

    def read(header, row, n=60, **given):
        path = tmp_path / "t.csv"
        path.write_text(header + "\n" + "".join(row(i) + "\n" for i in range(n)))
        problem = read_problem(path, "y", **given)
        problem.X()
        return [line.removeprefix(f"askew: note: {path}: ") for line in capsys.readouterr().err.splitlines()], problem

    return read


def test_text_with_nearly_as_many_values_as_rows_is_left_out(remarks):
    with pytest.warns(UserWarning, match=r"column 'who' is left out: 40 different categories in 60 rows, such as 'n0'"):
        _, problem = remarks("who,a,y", lambda i: f"n{i % 40},{i % 7},{'ab'[i % 2]}")
    assert problem.features == ["a"]


def test_text_of_fewer_values_is_kept(remarks):
    said, problem = remarks("who,a,y", lambda i: f"n{i % 29},{i % 7},{'ab'[i % 2]}")
    assert (said, problem.categorical) == ([], ["who"])


def test_a_column_without_a_value_is_left_out(remarks):
    with pytest.warns(UserWarning, match="column 'empty' is left out: it has no value"):
        _, problem = remarks("empty,a,y", lambda i: f"{'NA' if i % 2 else ''},{i % 7},{'ab'[i % 2]}")
    assert problem.features == ["a"]


def test_columns_of_one_value_are_named(remarks):
    said, problem = remarks("k,c,a,y", lambda i: f"5,same,{i % 7},{'ab'[i % 2]}")
    assert said == ["columns 'k', 'c' have one value in all rows: nothing can be learnt from it"]
    assert problem.features == ["k", "c", "a"]


@pytest.mark.parametrize(
    ("name", "value"), [("row", lambda i: i), ("nr", lambda i: 500 - i), ("customer_id", lambda i: i * 7 % 61)]
)
def test_numbers_of_rows_are_named(remarks, name, value):
    [line], _ = remarks(f"{name},a,y", lambda i: f"{value(i)},{i % 7},{'ab'[i % 2]}")
    assert line == (
        f"column {name!r} seems to number the rows, each value differs; if it does, leave it out with --drop {name!r}"
    )


def test_other_whole_numbers_that_all_differ_are_no_ids(remarks):
    assert remarks("width,y", lambda i: f"{i * 7 % 61},{'ab'[i % 2]}")[0] == []


def test_a_target_of_a_few_whole_numbers_comes_with_a_hint_at_the_task(remarks):
    said, problem = remarks("a,y", lambda i: f"{i * 7 % 11},{3 + i % 6}")
    assert said == [
        "the 6 distinct integers of the target 'y' are taken for classes; use --task regression if they are quantities"
    ]
    assert problem.is_class
    assert remarks("a,y", lambda i: f"{i * 7 % 11},{3 + i % 6}", task="classification")[0] == []
    assert remarks("a,y", lambda i: f"{i * 7 % 11},{3 + i % 3}")[0] == []


def test_missing_values_are_counted_and_what_takes_their_place_is_said(remarks):
    said, problem = remarks("a,b,c,y", lambda i: f"{i % 7 or ''},{i % 3},{'red' if i % 4 else ''},{i % 2}")
    assert said == [
        "9 missing in column 'a': the mean of the column replaces them; see --missing",
        "15 missing in column 'c': missing is a separate category; see --missing",
    ]
    assert problem.X("mean", asked=True)["a"].isna().sum() == 9
