"""Parameters that estimators share: those of every tree, those of a search, and their documentation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, make_dataclass
from inspect import cleandoc
from re import DOTALL, MULTILINE, search, sub
from typing import Any, ClassVar, Self, TypeVar

from sklearn.base import BaseEstimator

from askew.parameters import Rule, boolean, changed, columns, integer, jobs, none, one_of, real, share
from askew.prune import as_pruner
from askew.refinement import as_refiner
from askew.search import as_search

_Class = TypeVar("_Class", bound=type)
_SHARED = ("Parameters", "Attributes")


def documented(cls: _Class) -> _Class:
    """Complete the sections "Parameters" and "Attributes" of a class with those of its parents.

    A class documents only what it adds; ``help()`` and the API pages show the whole list, its own first.
    A default that a class changes needs no word: each ``default=`` shows the class's own.
    """
    text = cleandoc(cls.__doc__ or "")
    for title in _SHARED:
        parts = [_section(cleandoc(base.__doc__ or ""), title) for base in cls.__mro__]
        own, whole = parts[0], "\n".join(part for part in parts if part)
        if own:
            text = text.replace(own, whole, 1)
        elif whole:
            text = _before_examples(text, f"{title}\n{'-' * len(title)}\n{whole}")
    known = getattr(cls, "__dataclass_fields__", {})
    text = _without(text, [name for name, field in known.items() if not (field.init or name.endswith("_"))])
    for name, field in known.items():
        default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
        text = sub(rf"^({name} : .*, default=).*$", rf"\g<1>{default}", text, flags=MULTILINE)
    cls.__doc__ = text
    return cls


def _section(text: str, title: str) -> str:
    """Return the body of a numpydoc section; empty where there is none."""
    found = search(rf"^{title}\n-+\n(.*?)(?=\n\n|\Z)", text, DOTALL | MULTILINE)
    return found[1] if found else ""


def _before_examples(text: str, section: str) -> str:
    """Put a section where numpydoc wants it: before the references and examples."""
    places = [text.find(f"\n{later}\n---") for later in ("Attributes", "References", "Examples")]
    place = min((p for p in places if p >= 0), default=len(text))
    return f"{text[:place].rstrip()}\n\n{section}\n\n{text[place:].lstrip()}".rstrip()


def parameters_of(search: type[Any], rules: Mapping[str, Rule], without: Collection[str] = ()) -> Any:
    """Return a base class for estimators that has the parameters of a search.

    An estimator cannot inherit them from the search itself: a search is frozen, an estimator has ``set_params``.

    Parameters
    ----------
    search : the dataclass of the search
    rules : what its parameters must be
    without : names of parameters that the estimator does not have
    """
    own = [field for field in fields(search) if field.name not in without]
    return make_dataclass(
        f"{search.__name__}Parameters",
        [(field.name, field.type, field.default) for field in own],
        namespace={
            "__doc__": _without(search.__doc__ or "", without),
            "__module__": search.__module__,
            "rules": {field.name: rules[field.name] for field in own},
            "_search_class": search,
        },
        kw_only=True,
        eq=False,
        repr=False,
    )


def _without(text: str, names: Collection[str]) -> str:
    """Return a docstring without the entries of some parameters."""
    text = cleandoc(text)
    for name in names:
        text = sub(rf"^{name} : .*\n(?: +.*\n)*", "", text, flags=MULTILINE)
    return text


_BY_NAME: dict[str, Callable[[object], Any]] = {"pruning": as_pruner, "refine": as_refiner, "search": as_search}


@dataclass(kw_only=True, eq=False, repr=False)
class TreeParameters(BaseEstimator):  # type: ignore[misc]
    """The parameters that all trees share.

    Parameters
    ----------
    max_depth : int or None, default=None
        Deepest level that a leaf may have; the root is at depth 0. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of all samples.
    min_samples_leaf : int or float, default=1
        Each child must have this many samples. A float is a share of all samples.
    min_weight_fraction_leaf : float, default=0.0
        Each child must have this share of the weight of all rows.
    max_leaf_nodes : int or None, default=None
        Grow the node with the best gain first, up to this many leaves. None: no limit.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity, weighted by the node's share of the rows, by this much.
    impurity_threshold : float, default=0.0
        A node whose impurity is not above this is a leaf (the stop of OC1, 1993).
    refine : None, "soft" or a refiner, default=None
        How all splits of the grown tree are improved together, before it is pruned. "soft" is
        `askew.refinement.SoftRefiner` with its defaults. An own refiner is an object with the method of
        `askew.grow.recipe.Refiner`.
    pruning : None, "cost_complexity", "error_based" or a pruner, default=None
        How the grown tree is made smaller. "cost_complexity" is `askew.CostComplexity` with its defaults:
        10% of the rows are held out to choose the subtree of least error (OC1, 1994, section 3.3.2). With few rows
        the choice depends on the seed; ``CostComplexity(folds=5)`` chooses by cross-validation.
        "error_based" is `askew.ErrorBased`, for classifiers: nothing is held out, errors are estimated (C4.5).
        `askew.LAPruner` ("learning_automata") and `askew.GAPruner` ("genetic") combine a classifier's regions
        again, into an `askew.RuleNetwork`.
        A custom pruner is an object with the methods of `askew.prune.Pruner`.
    leaf_model : "constant" or "linear", default="constant"
        What a leaf predicts: the mean of its rows or the shares of their classes, or a linear model of the features,
        shrunk towards that of its parent and kept where it is expected to do better on other rows; see
        `askew.model.linear_leaves.fit_leaf_models`.
    missing : "mean", "indicator", "error" or "below", default="mean"
        What is done with NaN in X: "mean" imputes the mean of the training rows, in `fit` and in `predict` (OC1).
        "indicator" does so too, and adds a column of 0 and 1 for each feature that lacks values in training, such as
        ``age is missing``, so that a tree can test it. "error" raises. "below", for CART-ELC alone, leaves NaN: the row
        is below every plane that tests the feature, and defines none (ELC, section 3.2.5). A missing category is an
        error with "error", otherwise a category of its own.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories. "from_dtype": in a data frame those of text and categories (pandas
        ``category``, ``object``, ``string``; Polars ``Categorical``, ``Enum``, ``String``), otherwise none.
        A list of names or numbers of columns, a mask with an entry for each column, or None for none.
        A category not in the training data is none of those that a node names.
    categorical_encoding : "onehot" or "crimcoord", default="onehot"
        What the search makes of a categorical feature: a column of 0 and 1 for each category, or, at each
        node, one number, the scaling of the categories that separates the classes there best; see
        `askew.search.crimcoord.Crimcoord`. C4.5 and ID3 take categories as they are.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the rows that are held out. The tree is the same for the same seed.
    n_jobs : int or None, default=None
        Number of threads; -1 is all cores. The tree is the same for every number.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.
    """

    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    impurity_threshold: float = 0.0
    refine: Any = None
    pruning: Any = None
    leaf_model: str = "constant"
    missing: str = "mean"
    categorical_features: Any = "from_dtype"
    categorical_encoding: str = "onehot"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    criterion: Any = None

    _own_rules: ClassVar[Mapping[str, Rule]]
    rules: ClassVar[Mapping[str, Rule]] = {
        "max_depth": integer(1) | none,
        "min_samples_split": integer(2) | share(),
        "min_samples_leaf": integer(1) | share(closed=False),
        "min_weight_fraction_leaf": real(0.0, 0.5),
        "max_leaf_nodes": integer(2) | none,
        "min_impurity_decrease": real(0.0),
        "impurity_threshold": real(0.0),
        "leaf_model": one_of("constant", "linear"),
        "missing": one_of("mean", "indicator", "error"),
        "categorical_features": columns,
        "categorical_encoding": one_of("onehot", "crimcoord"),
        "n_jobs": jobs,
        "verbose": integer(0) | boolean,
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Complete the rules: a class declares those that it adds or changes, and has those of its parents."""
        super().__init_subclass__(**kwargs)
        cls._own_rules = cls.__dict__.get("rules", {})
        cls.rules = {}
        for base in reversed(cls.__mro__):
            cls.rules = {**cls.rules, **base.__dict__.get("_own_rules", base.__dict__.get("rules", {}))}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``pruning__folds=5`` is a parameter of what `pruning` is or names.

        Parameters
        ----------
        **params : parameters by name; those of a pruner, refiner or search (which never change themselves: the
            estimator gets a copy) after two underscores

        Returns
        -------
        self : estimator
            The estimator itself.
        """
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, nested, rest = key.partition("__")
            within = inner.setdefault(name, {}) if nested and name in _BY_NAME and hasattr(self, name) else own
            within[rest if within is not own else key] = value
        super().set_params(**own)
        for name, given in inner.items():
            setattr(self, name, changed(name, _BY_NAME[name](getattr(self, name)), given))
        return self
