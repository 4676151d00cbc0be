"""Every module of askew has a test file of its name in the same folder, or is listed here beside one that tests it."""

from pathlib import Path

import askew

SOURCE, TESTS = Path(askew.__file__).parent, Path(__file__).parent
# Folder: test file: modules that it tests besides the one of its name. A package is tested as a whole by test_<name>.py
# of its own folder or of the one above.
TESTED_BY = {
    "cli": {"../dask/test_command.py": "cluster"},
    "comparison": {"test_ranking.py": "folds"},
    "dask": {
        "test_counting.py": "batched_queries exact_sums partition quantiles queries",
        "test_faults.py": "cluster",
        "test_linear_fits.py": "moments planes scales",
        "test_partitions.py": "base rows schema table",
        "test_ensemble.py": "ensembles",
    },
    "data": {"../dask/test_counting.py": "ordered_floats", "test_frames.py": "read"},
    "ensemble": {"../estimators/test_boosting.py": "boosting"},
    "estimators": {
        "test_categories.py": "base model",
        "test_forest.py": "ensemble",
        "test_registry.py": "named_parameters",
        "test_usage.py": "cart cart_lc oc1 sadt hhcart lmdt apdt tasks",
    },
    "explaining": {"test_path.py": "explanation one_row"},
    "explaining/counterfactual": {
        "../test_counterfactual.py": "query variables",
        "../test_nearest_point.py": "nearest_point",
    },
    "explaining/simplify": {"../test_simplify.py": "rounding search shorten"},
    "export": {"test_formatting.py": "wording"},
    "export/code": {
        "test_c.py": "c_prediction c_templates c_tables",
        "test_onnx.py": "onnx_graph onnx_leaves",
        "test_python.py": "python_runtime",
        "test_sql.py": "sql_statement",
    },
    "model/digits": {"../test_digits.py": "rounding shorten"},
    "model": {"test_tree.py": "split_arrays"},
    "plot": {
        "test_html.py": "shapes svg fitted_text",
        "test_plot.py": "matplotlib_shapes plot_partition",
        "test_plot_node.py": "node_rows",
        "test_regions.py": "partition_view",
        "test_plot_tree.py": "palette tree_cards tree_drawing",
    },
    "prune": {"test_network.py": "genetic learning_automata"},
    "reporting": {"test_report.py": "data document metrics nodes"},
    "selection": {"test_leaderboard.py": "candidates one_se_rule", "../estimators/test_auto.py": "select"},
    "tables": {"test_read.py": "arrow csv_errors options sheet", "../cli/test_errors.py": "errors"},
}


def test_every_module_has_a_test_file():
    listed = {
        (folder, module): TESTS / folder / file
        for folder, files in TESTED_BY.items()
        for file, modules in files.items()
        for module in modules.split()
    }
    assert [str(path) for path in listed.values() if not path.resolve().exists()] == []
    modules = {(str(path.relative_to(SOURCE).parent), path.stem) for path in SOURCE.rglob("*.py")}
    without = [
        f"{folder}/{module}.py"
        for folder, module in sorted(modules - listed.keys())
        if not module.startswith("_") and not (TESTS / folder / f"test_{module}.py").exists()
    ]
    assert without == [], "name a test file of each in TESTED_BY, or add one of its name"
