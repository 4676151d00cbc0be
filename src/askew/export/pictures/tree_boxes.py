"""What stands in the boxes of `plot_tree`, in words: inequalities, linear functions, predictions, in short lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import is_classifier

from askew.export.columns import Columns
from askew.export.leaf_text import model_of, sums
from askew.export.numbers import number, printable
from askew.export.pictures.palette import wrapped
from askew.export.wording import Wording, scale_of
from askew.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.tree import Tree

_WIDTH = 34  # characters of a line
_MOST_SUMS = 4  # of a leaf's model, in a box
MINUS = "\N{MINUS SIGN}"


class Boxes:
    """Writes the text of each box."""

    def __init__(
        self,
        estimator: Any,
        feature_names: Sequence[str] | None,
        class_names: Sequence[str] | None,
        max_terms: int,
        decimals: int | None,
    ) -> None:
        self.tree: Tree = estimator.tree_
        self.columns = Columns.of(estimator, feature_names)
        labels = getattr(estimator, "classes_", []) if class_names is None else class_names
        self.classes = [printable(label) for label in labels] if is_classifier(estimator) else []
        if self.classes and len(self.classes) != self.tree.n_outputs:
            raise ValueError(f"{self.tree.n_outputs} class_names are needed. Got {len(self.classes)} instead.")
        self.wording = Wording(self.tree, self.columns, scale_of(estimator), decimals, max_terms)

    # --- inner nodes

    def inner(self, node: int) -> str:
        """Return the test of an inner node."""
        tree = self.tree
        if tree.kind[node] == LINEAR_MACHINE:
            each = [_filled(terms) for terms in self.wording.sums(node, MINUS)]
            lines = [f"{k}: {terms}".replace("\n", "\n    ") for k, terms in enumerate(each, 1)]
            return "\n".join(["the largest of", *lines])
        if tree.kind[node] != HYPERPLANE:
            return wrapped(f"{self.columns.names[int(tree.test(node)[0][0])]} = ?", _WIDTH)
        pieces = self.wording.inequality(node, 0, MINUS)
        return _filled([piece.replace("<=", "≤").replace(">=", "≥") for piece in pieces])

    def is_sum(self, node: int) -> bool:
        """Whether a node tests a sum of several terms."""
        plain = self.tree.kind[node] == HYPERPLANE and self.wording.choice(node) is None
        return bool(plain and self.wording.single(node) is None)

    def ways(self, node: int) -> list[str]:
        """Return what leads to each child, where the box does not tell."""
        if self.tree.kind[node] == HYPERPLANE and node == 0:  # the others are like the root
            return ["yes", "no"]
        if self.tree.kind[node] == CATEGORY_TABLE:
            return [wrapped(case, 2 * _WIDTH // 3) for case in self.columns.cases(self.tree, node)]
        machine = self.tree.kind[node] == LINEAR_MACHINE
        return [str(k + 1) for k in range(int(self.tree.n_children[node]))] if machine else []

    # --- leaves

    def prediction(self, node: int) -> str:
        """Return what a leaf predicts."""
        if model_of(self.tree, node) is not None:
            return self.equations(node)
        value = self.tree.value[node]
        return wrapped(self.classes[int(value.argmax())], _WIDTH) if self.classes else self.number(float(value[0]))

    def equations(self, node: int) -> str:
        """Return the sums of a linear model; of many classes, how many there are."""
        found = sums(
            self.tree, node, lambda used, w, constant: _filled(self.wording.equation(used, w, constant, MINUS))
        )
        if len(found) == 1:
            return f"log odds of {self.classes[1]}:\n{found[0]}" if self.classes else found[0]
        if len(found) > _MOST_SUMS:
            return f"the largest of {len(found)} sums"
        lines = [f"{name}: {text}".replace("\n", "\n    ") for name, text in zip(self.classes, found, strict=True)]
        return "\n".join(["the largest of", *lines])

    def number(self, value: float) -> str:
        """Return a number with the minus sign of print."""
        return number(value, 3 if self.wording.decimals is None else self.wording.decimals).replace("-", MINUS)


def _filled(terms: list[str]) -> str:
    """Join terms to lines of at most the width; a term is broken only if it is wider than a line."""
    lines: list[str] = []
    for term in terms:
        if lines and len(lines[-1]) + 1 + len(term) <= _WIDTH:
            lines[-1] += f" {term}"
        else:
            lines += wrapped(term, _WIDTH).split("\n")
    return "\n".join(lines)
