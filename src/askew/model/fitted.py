"""`FittedModel`: the common form of all fitted models: parts, and how they combine to a prediction.

    row of data  ->  columns  ->  a leaf or region of every part  ->  their values, combined  ->  prediction
    schema           schema       parts                               combination

JSON, code in other languages, text, Shapley values, model files and reports read it and nothing else of an estimator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from askew.data.frames import MatrixLike
from askew.data.read import Schema
from askew.model.digits.rounding import Printed
from askew.model.digits.shorten import Display
from askew.model.leaf_values import AnyArray, class_shares
from askew.model.one_vs_rest import OneVsRest
from askew.model.packed import output_entries
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree

Part = Tree | RuleNetwork
FittedTree = Part | OneVsRest  # what a tree estimator has as `tree_`


class Combination(Enum):
    """The rule that combines the values of the parts.

    SINGLE : there is one part, and its value is the prediction
    ONE_VS_REST : part k gives the odds of class k against the rest
    MEAN : the shares of the classes, or the numbers, are averaged over the parts
    SUM : the values are added to a baseline, part i to output i modulo their number, and go through the link
    VOTE : each member predicts a class; of classes with equally many votes, the one of larger class mass wins
    """

    SINGLE = "single"
    ONE_VS_REST = "one-vs-rest"
    MEAN = "mean"
    SUM = "sum"
    VOTE = "vote"


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel:
    """A fitted model.

    Attributes
    ----------
    estimator : str
        Name of the estimator.
    schema : Schema
        How a row of data becomes the columns that the parts test: encoder, missing values, names; and the classes
        with their weights.
    parts : tuple of Tree or RuleNetwork
        The trees; of a vote those of the first member, then those of the second, and so on.
    combination : Combination
        How the parts combine.
    scale : ndarray or None
        Standard deviation of each column in the training rows; None if it is not known.
    printed : tuple of Printed
        The tests of each part as they are printed; empty if they are printed with all digits.
    link : str
        Link function: the sum is the "identity", "log", "logit" or "softmax" of the prediction.
    baseline : tuple of float
        Constant of the sum, one number for each output.
    members : tuple of FittedModel
        The voters.
    """

    estimator: str
    schema: Schema
    parts: tuple[Part, ...]
    combination: Combination
    scale: NDArray[np.float64] | None = None
    printed: tuple[Printed, ...] = ()
    link: str = "identity"
    baseline: tuple[float, ...] = ()
    members: tuple[FittedModel, ...] = field(default=(), repr=False)

    @classmethod
    def of_tree(
        cls,
        estimator: str,
        schema: Schema,
        tree: Part | OneVsRest,
        scale: NDArray[np.float64] | None = None,
        display: Display | None = None,
    ) -> FittedModel:
        """Return the model of a tree, a rule network, or a tree for each class."""
        parts, combination = (
            (tree.trees, Combination.ONE_VS_REST) if isinstance(tree, OneVsRest) else ((tree,), Combination.SINGLE)
        )
        return cls(
            estimator=estimator,
            schema=schema,
            parts=parts,
            combination=combination,
            scale=scale,
            printed=display.printed if display is not None and display.tree is tree else (),
        )

    @classmethod
    def of_bare(cls, tree: Part | OneVsRest) -> FittedModel:
        """Return the model of a tree without its estimator; several outputs are classes 0, 1, ..."""
        n = len(tree.trees) if isinstance(tree, OneVsRest) else tree.n_outputs
        classes = np.array([f"class {i}" for i in range(n)], dtype=object) if n > 1 else None
        schema = Schema(tree.n_features, None, None, None, classes, "error")
        return cls.of_tree(type(tree).__name__, schema, tree)

    @classmethod
    def vote(cls, estimator: str, members: Sequence[FittedModel]) -> FittedModel:
        """Return the vote of several models of classes."""
        return cls(
            estimator=estimator,
            schema=members[0].schema,
            parts=tuple(part for member in members for part in member.parts),
            combination=Combination.VOTE,
            scale=members[0].scale,
            members=tuple(members),
        )

    def printed_of(self, k: int) -> Printed | None:
        """Return the tests of part `k` as they are printed; None if they are printed with all digits."""
        return self.printed[k] if self.printed else None

    @property
    def classes(self) -> NDArray[np.generic] | None:
        """The classes; None where a number is predicted."""
        return self.schema.classes

    @property
    def n_outputs(self) -> int:
        """Length of a prediction: one number for each class, or one."""
        return 1 if self.classes is None else self.classes.size

    @cached_property
    def class_mass(self) -> NDArray[np.float64]:
        """Weight of each class in the training rows; of a vote, summed over the members."""
        if self.combination is Combination.VOTE:
            return np.asarray(np.sum([member.class_mass for member in self.members], axis=0))
        several = self.combination is Combination.ONE_VS_REST
        return OneVsRest(self.parts).class_mass if several else self.parts[0].class_mass

    @cached_property
    def packs(self) -> bool:
        """Whether all parts can be walked together: trees with constant leaves over the same columns."""
        alike = all(self.schema.same_columns(member.schema) for member in self.members)
        plain = all(isinstance(part, Tree) and not part.payload.varies for part in self.parts)
        each = all(member.combination is Combination.SINGLE for member in self.members)
        return alike and plain and each and self.schema.missing != "fractional"

    def entries(self) -> NDArray[np.float64]:
        """Return the term of each node of all parts in the sum over the parts (nodes x outputs).

        That is the share of every class or a number (mean), the value in the column of the part's output (sum), or 1
        for the class of a node (vote).
        """
        values = [part.value for part in self.parts]
        if self.combination is Combination.VOTE:
            return np.concatenate([np.eye(self.n_outputs)[value.argmax(axis=1)] for value in values])
        if self.combination is Combination.SUM:
            return output_entries(self.parts, len(self.baseline))
        return np.concatenate(values if self.classes is None else [class_shares(value) for value in values])

    @property
    def single_tree(self) -> Tree | None:
        """The tree, if the model is a single one; None otherwise."""
        part = self.parts[0]
        return part if self.combination is Combination.SINGLE and isinstance(part, Tree) else None

    @property
    def part(self) -> Part:
        """The only part.

        Raises
        ------
        ValueError
            There are several.
        """
        if self.combination is Combination.SINGLE:
            return self.parts[0]
        if self.combination is Combination.ONE_VS_REST:
            raise ValueError("this export takes one tree, not one for each class: use export_text or plot_partition")
        raise ValueError("this export takes one tree, not many: give it one of estimators_, or use export_text")

    @property
    def tree(self) -> Tree:
        """The only part, which must be a tree.

        Raises
        ------
        ValueError
            There are several parts, or a rule network.
        """
        found = self.part
        if isinstance(found, RuleNetwork):
            raise ValueError("this export takes a tree, not a rule network: use export_text or plot_partition")
        return found


class Estimator(Protocol):
    """A fitted estimator of askew."""

    def fitted_model(self) -> FittedModel:
        """Return the fitted model."""
        ...

    def encoded(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the columns that the trees test."""
        ...

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the class or the number of each row."""
        ...
