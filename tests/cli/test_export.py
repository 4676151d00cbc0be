import json

import pytest

import askew as library


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("tree.txt", b"3 leaves"),
        ("tree.dot", b"digraph tree {"),
        ("tree.gv", b"digraph tree {"),
        ("tree.c", b"/* CARTClassifier, 4 features, 3 classes."),
        ("tree.py", b'"""A model of askew: CARTClassifier.'),
        ("tree.dt", b"Training set: askew, Dimensions: 4, Categories: 3"),
        ("tree.png", b"\x89PNG"),
        ("tree.pdf", b"%PDF"),
        ("tree.svg", b"<?xml"),
    ],
)
def test_the_name_of_the_file_says_the_form(askew, iris_csv, tmp_path, name, begins):
    askew("train", iris_csv, "-t", "species", "--method", "cart", "--set", "max_depth=2", "-o", tmp_path / "m.askew")
    askew("export", tmp_path / "m.askew", "-o", tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_query_reads_the_table_of_the_option(askew, fault, model, tmp_path):
    askew("export", model, "-o", tmp_path / "m.sql", "--table", "flowers")
    assert (tmp_path / "m.sql").read_text().strip() == library.export_sql(library.load(model), "flowers")
    assert "--format sql needs --table" in fault("export", model, "--format", "sql")
    assert "--table has no effect on c" in fault("export", model, "--format", "c", "--table", "flowers")


def test_c_code_has_the_prefix_of_the_option(askew, model):
    assert "int iris_predict(" in askew("export", model, "--format", "c", "--name", "iris")


def test_onnx_is_written_to_a_file_only(askew, fault, model, tmp_path):
    assert "--format onnx needs --output" in fault("export", model, "--format", "onnx")
    pytest.importorskip("onnx")
    askew("export", model, "-o", tmp_path / "m.onnx")
    assert b"askew" in (tmp_path / "m.onnx").read_bytes()


def test_the_format_can_be_set_and_goes_to_standard_output(askew, model):
    assert json.loads(askew("export", model, "--format", "json"))["classes"][0] == "setosa"
    assert askew("export", model).strip() == library.export_text(library.load(model))


def test_a_tree_file_of_the_oc1_program_becomes_a_model_file(askew, model, tmp_path):
    askew("export", model, "-o", tmp_path / "tree.dt")
    askew("export", tmp_path / "tree.dt", "-o", tmp_path / "back.askew")
    assert library.load(tmp_path / "back.askew").get_n_leaves() == library.load(model).get_n_leaves()


def test_an_unknown_form_is_one_line(fault, model, tmp_path):
    assert "expected one of text, dot" in fault("export", model, "--format", "xml")
    assert "unknown format '.xml'; expected" in fault("export", model, "-o", tmp_path / "tree.xml")


def test_a_bad_tree_file_is_named_with_its_line(fault, tmp_path):
    (tmp_path / "bad.dt").write_text("hello\n")
    assert "bad.dt: line 1: expected 'Training set" in fault("export", tmp_path / "bad.dt")


def test_37_a_file_that_exists_is_not_written_over(fault, model, tmp_path):
    (tmp_path / "tree.txt").write_text("mine")
    assert "--force" in fault("export", model, "-o", tmp_path / "tree.txt")


def test_a_model_that_a_format_does_not_support_is_one_line(fault, askew, iris_csv, tmp_path):
    askew("train", iris_csv, "-t", "petal length (cm)", "--drop", "species", "-o", tmp_path / "r.askew", "-m", "cart")
    assert "holds one classification tree" in fault("export", tmp_path / "r.askew", "-o", tmp_path / "tree.dt")


def test_drawing_an_ensemble_is_an_error_of_one_line(askew, fault, iris_csv, tmp_path):
    words = ["train", iris_csv, "-t", "species", "-m"]
    askew(*words, "cart", "--set", "pruning=genetic", "-o", tmp_path / "rules.askew")
    askew(*words, "k_dt", "--set", "n_estimators=2", "-o", tmp_path / "vote.askew")
    assert "takes a tree, not a rule network" in fault("export", tmp_path / "rules.askew", "-o", tmp_path / "rules.png")
    assert "takes one tree, not many" in fault("export", tmp_path / "vote.askew", "-o", tmp_path / "vote.png")


def test_depth_digits_and_dots_can_be_chosen(askew, model, tmp_path):
    text = askew("export", model, "--max-depth", 1, "--decimals", 1)
    assert text.strip() == library.export_text(library.load(model), max_depth=1, decimals=1)
    sizes = []
    for dots in (50, 100):
        askew("export", model, "-o", tmp_path / "t.png", "--dpi", dots, "--max-terms", 2, "--max-depth", 1, "--force")
        sizes.append(int.from_bytes((tmp_path / "t.png").read_bytes()[16:20]))
    assert sizes[1] == pytest.approx(2 * sizes[0], abs=3)


def test_an_option_without_a_meaning_is_one_line(fault, model, tmp_path):
    assert "--dpi has no effect on text" in fault("export", model, "--dpi", 100)
    assert "--max-depth has no effect on json" in fault("export", model, "-o", tmp_path / "t.json", "--max-depth", 2)
    assert "--decimals has no effect on .askew" in fault("export", model, "-o", tmp_path / "t.askew", "--decimals", 2)
