import pytest
from experiments.experiment import ACCURACY, HYPERPLANES, LEAVES, Cell, Experiment, Figure
from experiments.protocols import RepeatedCV


@pytest.fixture(autouse=True)
def nothing_from_outside(monkeypatch, tmp_path):
    monkeypatch.delenv("ASKEW_DATA", raising=False)
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))


def figures(accuracy, leaves):
    return {"accuracy": Figure.read(accuracy), "leaves": Figure.read(leaves)}


@pytest.fixture
def experiment():
    """A small table: two cells that can be run, one whose data are lost, one that needs a file."""
    return Experiment(
        name="small",
        title="A small table",
        source="Nobody, Nowhere (1900)",
        measures=(ACCURACY, LEAVES, HYPERPLANES),
        cells=(
            Cell("Iris", "stump", figures("60.0±5.0", "2.0±0.1"), "iris", "CARTClassifier", {"max_depth": 1}),
            Cell("Iris", "CART", figures("99.9±0.1", "3.0±0.5"), "iris", "CARTClassifier", {}),
            Cell("Stars", "CART", figures("98.9±0.2", "4.3±1.0"), None, "CARTClassifier", {}, reason="lost"),
            Cell("Mine", "CART", figures("90.0±9.0", "4.0±9.0"), "mine", "CARTClassifier", {}, complete=True),
        ),
        trials=RepeatedCV(folds=5, repeats=3),
        notes=("A note.",),
    )
