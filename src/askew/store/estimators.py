"""An estimator as a description in JSON and arrays, and back: trees, rule networks, ensembles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.data.encoder import UNSEEN, Encoder
from askew.data.read import Schema, fitted_missing
from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from askew.estimators.base import BaseTree
from askew.estimators.boosting import Boosting
from askew.estimators.ensemble import Ensemble, EnsembleClassifier
from askew.estimators.forest import Forest
from askew.estimators.k_dt import KDTClassifier
from askew.estimators.model import BaseModel
from askew.estimators.registry import ENSEMBLES, ESTIMATORS
from askew.estimators.tasks import TreeClassifier
from askew.export.json import JsonObject
from askew.model.digits.rounding import Printed
from askew.model.digits.shorten import Display
from askew.model.fitted import Combination, FittedModel
from askew.model.leaf_values import AnyArray, Constant
from askew.model.one_vs_rest import OneVsRest, arrays_of
from askew.model.rule_network import RuleNetwork
from askew.model.split import CATEGORY_TABLE
from askew.model.tree import Tree
from askew.parameters import brief, rules_of
from askew.selection.leaderboard import Leaderboard
from askew.store.container import Arrays
from askew.store.json_values import pack_labels, pack_parameters, unpack_labels, unpack_parameters

Packed = tuple[JsonObject, dict[str, AnyArray], list[str]]

_TREE, _NETWORK, TREES = "tree.", "network.", "trees."  # the arrays of `tree_`, a tree or a network, or `trees_`
_JOINED = (Combination.MEAN, Combination.SUM)  # the arrays of their trees are joined
KEYS = frozenset({"n_features", "n_hyperplanes", "seed", "encoder", "feature_names", "classes"})
_ENDS = ("feature_start", "weight_start")  # one more entry than a tree has nodes
_SCORES = ("baseline", "train_score", "validation_score")  # of boosting
_OF_MEMBERS = {"estimator", "parameters", "members"}
_PER_FEATURE = ("feature_means", "feature_scale")  # arrays of one number a feature, or a column of the tree


def pack_estimator(estimator: Any) -> Packed:
    """Return the description, the arrays, and the names of parameters that cannot be stored."""
    name = type(estimator).__name__
    known: JsonObject = {**ESTIMATORS, **ENSEMBLES}
    if known.get(name) is not type(estimator):
        raise TypeError(f"save takes an estimator among {sorted(known)}. Got {estimator!r} instead.")
    check_is_fitted(estimator)
    model: FittedModel = estimator.fitted_model()
    parameters, left_out = pack_parameters(estimator)
    document: JsonObject = {"estimator": name, "parameters": parameters}
    if model.combination is Combination.VOTE:
        document["members"], arrays, also = pack_members(estimator.estimators_)
        return document, arrays, list(dict.fromkeys([*left_out, *also]))
    n_evaluated, joined = [int(part.n_hyperplanes) for part in model.parts], model.combination in _JOINED
    document["n_features"] = model.parts[0].n_features
    document["n_hyperplanes"] = n_evaluated[0] if model.combination is Combination.SINGLE else n_evaluated
    if joined:
        document["seed"] = int(estimator.seed_)
    document |= _pack_schema(model.schema)
    if getattr(estimator, "written_", None):
        document["written"] = estimator.written_
    if model.combination is Combination.SUM:
        document["link"] = model.link
    if isinstance(getattr(estimator, "selection_", None), Leaderboard):
        document["choice"] = estimator.selection_.packed(estimator.scoring is not None)
    arrays = (pack_joined if joined else _pack_parts)(model)
    if model.combination is Combination.SUM:
        arrays |= {name: np.asarray(getattr(estimator, f"{name}_"), dtype=np.float64) for name in _SCORES}
    return document, {**arrays, **_pack_vectors(model)}, left_out


def _pack_parts(model: FittedModel) -> dict[str, AnyArray]:
    """Return the arrays of a tree or a network, and how it is printed; of each, where there is one for each class."""
    single = model.combination is Combination.SINGLE
    prefix = _NETWORK if single and isinstance(model.part, RuleNetwork) else _TREE
    found: dict[str, AnyArray] = {}
    for k, part in enumerate(model.parts):
        printed = model.printed_of(k)
        named = {**part.arrays(), **({} if printed is None else printed.arrays())}
        found |= {f"{prefix}{'' if single else f'{k}.'}{name}": array for name, array in named.items()}
    return found


def pack_joined(model: FittedModel) -> dict[str, AnyArray]:
    """Return the arrays of all trees of an ensemble, joined, and the number of nodes of each."""
    each = [part.arrays() for part in model.parts]
    joined = {TREES + name: np.concatenate([arrays[name] for arrays in each]) for name in each[0]}
    return {**joined, TREES + "node_count": np.array([part.node_count for part in model.parts], dtype=np.int64)}


def _pack_schema(schema: Schema) -> JsonObject:
    """Return the columns and classes as JSON."""
    return {
        "encoder": None if schema.encoder is None else schema.encoder.packed(),
        "feature_names": None if schema.feature_names is None else schema.feature_names.tolist(),
        "classes": None if schema.classes is None else pack_labels(schema.classes),
        "missing": schema.missing,
    }


def _pack_vectors(model: FittedModel) -> dict[str, AnyArray]:
    """Return the arrays of one number for each feature, column or class."""
    schema = model.schema
    found = {"feature_means": schema.means, "feature_scale": model.scale, "class_weight": schema.class_weight}
    return {key: array for key, array in found.items() if array is not None}


def pack_members(
    trees: Sequence[TreeClassifier],
) -> tuple[list[JsonObject], dict[str, AnyArray], list[str]]:
    """Return the descriptions of the trees of a vote, their arrays, and the parameters that cannot be stored."""
    packed = [pack_estimator(tree) for tree in trees]
    arrays = {f"{i}.{key}": array for i, (_, parts, _) in enumerate(packed) for key, array in parts.items()}
    return [document for document, _, _ in packed], arrays, [name for _, _, names in packed for name in names]


def _unpack_ensemble(arrays: Arrays, document: JsonObject, kind: type[Forest | Boosting]) -> Ensemble:
    keys = {"estimator", "parameters", *KEYS}
    if set(document) - {"written", "missing", *(("link",) if issubclass(kind, Boosting) else ())} != keys:
        raise ValueError(f"description: expected the keys {sorted(keys)}, found {brief(document)}")
    known = array_names(kind)
    strange = sorted(key for key in arrays if not key.startswith(TREES) and key not in known)
    if strange:
        raise ValueError(f"arrays: expected {sorted(known)}, found {strange[0]!r}")
    model = unpack_parameters(kind, document["parameters"])
    trees = unpack_trees(arrays, document["n_features"], document["n_hyperplanes"])
    if type(document["seed"]) is not int or not 0 <= document["seed"] < 2**63:
        raise ValueError(f"seed: expected an integer, found {brief(document['seed'])}")
    model.seed_ = document["seed"]
    _unpack_columns(model, arrays, document, trees[0])
    if isinstance(model, EnsembleClassifier):
        model.classes_ = unpack_labels(document["classes"])
        model.class_weight_ = _unpack_class_weight(arrays, model.classes_.size)
        for tree in trees if not isinstance(model, Boosting) else ():
            _check_weights(tree.value)
    elif document["classes"] is not None:
        raise ValueError(f"classes: expected none, found {brief(document['classes'])}")
    unpack_scores(model, arrays, trees)
    if isinstance(model, Boosting):
        model.link_ = _unpack_link(model, document.get("link", model.stored_link))
    model._take(trees)
    return model


def _unpack_columns(
    estimator: BaseModel, arrays: Arrays, document: JsonObject, tree: Tree | RuleNetwork | OneVsRest
) -> None:
    """Set the fitted attributes that describe the columns; `tree` is one that tests them."""
    estimator.encoder_ = _unpack_encoder(document["encoder"], type(estimator), tree)
    n = estimator.n_features_in_ = tree.n_features if estimator.encoder_ is None else estimator.encoder_.n_features
    estimator.feature_scale_ = _vector("feature_scale", arrays.get("feature_scale"), tree.n_features)
    estimator.feature_means_ = _unpack_means(arrays.get("feature_means"), estimator.encoder_, n)
    if document["feature_names"] is not None:
        vars(estimator)["feature_names_in_"] = _unpack_names(document["feature_names"], n)
    estimator.missing_ = _unpack_missing(estimator, document)
    if "written" in document:
        vars(estimator)["written_"] = _unpack_written(document["written"])


def unpack_estimator(arrays: Arrays, document: object) -> BaseTree | Ensemble:
    """Make the estimator; raise ValueError (position, expected, found) if anything is wrong."""
    if _names_estimator(document) and set(document) == _OF_MEMBERS and document["estimator"] == "KDTClassifier":
        vote = unpack_parameters(KDTClassifier, document["parameters"])
        vote._take_fitted(unpack_members(arrays, document["members"]))
        return vote
    if _names_estimator(document):
        ensemble = ENSEMBLES.get(document["estimator"])
        if ensemble is not None and issubclass(ensemble, Forest | Boosting):
            return _unpack_ensemble(arrays, document, ensemble)
    keys = {"estimator", "parameters", "n_features", "n_hyperplanes", "encoder", "feature_names", "classes"}
    if not isinstance(document, dict) or set(document) - {"written", "missing", "choice"} != keys:
        raise ValueError(f"description: expected the keys {sorted(keys)}, found {brief(document)}")
    kind = ESTIMATORS.get(document["estimator"]) if isinstance(document["estimator"], str) else None
    if kind is None:
        raise ValueError(f"estimator: expected one of {sorted(ESTIMATORS)}, found {brief(document['estimator'])}")
    estimator = unpack_parameters(kind, document["parameters"])
    assert isinstance(estimator, BaseTree)
    tree = _unpack_tree(estimator, arrays, document)
    _unpack_columns(estimator, arrays, document, tree)
    _unpack_classes(estimator, document["classes"], arrays)
    if ("choice" in document) != isinstance(estimator, AutoTreeClassifier | AutoTreeRegressor):
        raise ValueError(f"choice: expected it for AutoTree alone, found {brief(document.get('choice'))}")
    if isinstance(estimator, AutoTreeClassifier | AutoTreeRegressor):
        estimator.selection_ = Leaderboard.unpacked(document["choice"], estimator.scoring is not None)
    return estimator


def _names_estimator(document: object) -> TypeGuard[JsonObject]:
    return isinstance(document, dict) and isinstance(document.get("estimator"), str)


def _unpack_tree(estimator: BaseTree, arrays: Arrays, document: JsonObject) -> Tree | RuleNetwork | OneVsRest:
    """Make the tree, the network, or the tree of each class, and set it with its printed numbers."""
    prefix = _NETWORK if any(key.startswith(_NETWORK) for key in arrays) else _TREE
    known = {key for key in arrays if key.startswith(prefix)} | {*_PER_FEATURE, "class_weight"}
    if not set(arrays) <= known:
        raise ValueError(f"arrays: expected {sorted(known)}, found {sorted(set(arrays) - known)[0]!r}")
    stored = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
    n_features, n_hyperplanes = document["n_features"], document["n_hyperplanes"]
    try:
        if isinstance(n_hyperplanes, list) and prefix == _TREE:
            each = _unpack_each(estimator, stored, n_features, n_hyperplanes)
            printed = [Printed.from_arrays(arrays_of(stored, k), one) for k, one in enumerate(each.trees)]
            tree: Tree | RuleNetwork | OneVsRest = each
        else:
            one = (RuleNetwork if prefix == _NETWORK else Tree).from_arrays(stored, n_features, n_hyperplanes)
            tree, printed = one, [Printed.from_arrays(stored, one)]
    except ValueError as error:
        raise ValueError(f"{prefix.removesuffix('.')}: {error}") from None
    known_digits = tuple(one for one in printed if one is not None)
    estimator.tree_ = tree
    estimator.display_ = Display(tree, known_digits) if len(known_digits) == len(printed) else None
    return tree


def _unpack_each(estimator: BaseTree, arrays: Arrays, n_features: int, n_hyperplanes: list[int]) -> OneVsRest:
    """Make the tree of each class; raise ValueError if the estimator has a single tree."""
    if not hasattr(estimator, "multiclass"):
        raise ValueError(f"expected one tree, found {len(n_hyperplanes)}")
    known = tuple(f"{k}." for k in range(len(n_hyperplanes)))
    strange = [name for name in arrays if not name.startswith(known)]
    if len(n_hyperplanes) < 3 or strange:
        raise ValueError(f"expected trees of three classes or more, found {brief(strange or n_hyperplanes)}")
    return OneVsRest.from_arrays(arrays, n_features, n_hyperplanes)


def _unpack_encoder(packed: object, kind: type[BaseModel], tree: Tree | RuleNetwork | OneVsRest) -> Encoder | None:
    if packed is None:
        return None
    encoder = Encoder.unpacked(packed, onehot=not kind._takes_categories)
    if encoder.n_columns != tree.n_features:
        raise ValueError(f"encoder: expected {tree.n_features} columns, found {encoder.n_columns}")
    _check_tables(encoder, tree)
    return encoder


def _check_tables(encoder: Encoder, tree: Tree | RuleNetwork | OneVsRest) -> None:
    """Raise ValueError unless the encoder names every category that a tree tests."""
    if encoder.onehot or isinstance(tree, OneVsRest):
        return
    table = tree.kind == CATEGORY_TABLE
    tested, n = tree.feature[tree.feature_start[:-1][table]], np.diff(tree.weight_start)[table]
    for j in np.unique(tested).tolist():
        labels, least = encoder.codes_of(j), int(n[tested == j].max())
        if labels is None or len(labels) < least:
            found = "numbers" if labels is None else len(labels)
            raise ValueError(
                f"encoder: expected {least} categories or more of feature {j}, which the tree tests, found {found}"
            )


def _unpack_means(means: AnyArray | None, encoder: Encoder | None, n: int) -> NDArray[np.float64] | None:
    """Return the values that replace missing ones; a category that does not exist would be another feature's column."""
    if means is None:
        return None
    found = _vector("feature_means", means, n)
    wrong = [] if encoder is None else np.flatnonzero(encoder.is_categorical & (found != UNSEEN)).tolist()
    if wrong:
        raise ValueError(
            f"array 'feature_means': expected {UNSEEN:g} for the categories of feature {wrong[0]}, "
            f"found {found[wrong[0]]:g}"
        )
    return found


def _unpack_missing(estimator: BaseModel, document: JsonObject) -> str:
    """Return the treatment of missing values; it is derived for files of format 2, which do not store it."""
    derived = fitted_missing(estimator._reader().missing, estimator.encoder_, estimator.feature_means_)
    found: str = document.get("missing", derived)
    known = ("error", "below", "fractional") if estimator.feature_means_ is None else ("mean", "indicator")
    allowed = [one for one in known if rules_of(type(estimator))["missing"].holds(one)]
    if "missing" in document and found not in allowed:
        raise ValueError(f"missing: expected one of {allowed}, found {brief(found)}")
    return found


def _unpack_link(model: Boosting, found: object) -> str:
    """Return the link function of a boosting; for regression, the identity or the logarithm."""
    allowed = [model.stored_link] if is_classifier(model) else ["identity", "log"]
    if found not in allowed:
        raise ValueError(f"link: expected one of {allowed}, found {brief(found)}")
    return str(found)


def _vector(name: str, array: AnyArray | None, n: int) -> NDArray[np.float64]:
    if array is None or array.dtype != np.float64 or array.shape != (n,):
        found = "none" if array is None else f"{array.dtype} of shape {array.shape}"
        raise ValueError(f"array '{name}': expected {n} float64 numbers, found {found}")
    if not np.isfinite(array).all():
        raise ValueError(f"array '{name}': expected finite numbers, found {array[~np.isfinite(array)][0]}")
    return array.copy()


def _unpack_names(names: object, n: int) -> NDArray[np.object_]:
    if not isinstance(names, list) or len(names) != n or not all(type(name) is str for name in names):
        raise ValueError(f"feature_names: expected {n} names, found {brief(names)}")
    doubled = [name for name, n in Counter(names).items() if n > 1]
    if doubled:
        raise ValueError(f"feature_names: expected different names, found {brief(doubled[0])} twice; rename one")
    return np.array(names, dtype=object)


def _unpack_written(written: object) -> dict[str, list[str]]:
    """Return how columns of the training table were written: by name, decimal and thousands, or a format of dates."""
    for name, way in written.items() if isinstance(written, dict) else [(None, written)]:
        known = isinstance(way, list) and 1 <= len(way) <= 2 and all(isinstance(part, str) for part in way)
        if name is None or not known:
            raise ValueError(f"written: expected ways of writing by the name of a column, found {brief(way)}")
    return cast("dict[str, list[str]]", written)


def _unpack_classes(estimator: BaseTree, packed: object, arrays: Arrays) -> None:
    """Set the classes of a classifier; the values of its tree must be weights of these classes."""
    tree = estimator.tree_
    n_classes = 1
    if isinstance(estimator, TreeClassifier):
        estimator.classes_ = unpack_labels(packed)
        n_classes = estimator.classes_.size
        estimator.class_weight_ = _unpack_class_weight(arrays, n_classes)
        for part in estimator.fitted_model().parts:
            _check_weights(part.value)
    elif packed is not None:
        raise ValueError(f"classes: expected none, found {brief(packed)}")
    if isinstance(tree, OneVsRest):
        if len(tree.trees) != n_classes:
            raise ValueError(f"tree: expected {n_classes} trees, found {len(tree.trees)}")
        _check_odds(tree)
    elif tree.n_outputs != n_classes:
        raise ValueError(f"tree: expected {n_classes} columns in 'value', found {tree.n_outputs}")


def _unpack_class_weight(arrays: Arrays, n_classes: int) -> NDArray[np.float64] | None:
    """Return the weight of each class; None if all have the same, and in files that do not say (format 2)."""
    if "class_weight" not in arrays:
        return None
    found = _vector("class_weight", arrays["class_weight"], n_classes)
    if (found < 0).any() or not (found > 0).any():
        raise ValueError("array 'class_weight': expected weights of 0 or more, one above 0")
    return found


def _check_weights(value: NDArray[np.float64]) -> None:
    with np.errstate(over="ignore"):
        total = value.sum(axis=1)
    if (value < 0).any() or not (np.isfinite(total) & (total > 0)).all():
        raise ValueError("tree: expected weights of the classes in 'value', found a negative or none at a node")


def _check_odds(tree: OneVsRest) -> None:
    """Raise ValueError unless the odds of the classes have a sum, above 0 and finite; see `OneVsRest.proba`."""
    if not any(one.value[0, 1] > 0 for one in tree.trees):
        raise ValueError("tree: expected rows of a class, found none")
    with np.errstate(over="ignore"):
        total = sum(one.value[:, 1].max() for one in tree.trees)
    if not np.isfinite(total):
        raise ValueError(
            "tree: expected weights of the classes with a finite sum over the trees, found an infinite one"
        )


def unpack_trees(arrays: Arrays, n_features: int, n_hyperplanes: object) -> list[Tree]:
    """Make the trees; raise ValueError (position, expected, found) if anything is wrong."""
    stored = {key.removeprefix(TREES): array for key, array in arrays.items() if key.startswith(TREES)}
    names = {*Tree.dtypes, *Constant.dtypes} - Constant.optional  # the trees of ensembles are not smoothed
    count = stored.pop("node_count", None)
    if set(stored) != names or count is None:
        raise ValueError(f"trees: expected the arrays {sorted([*names, 'node_count'])}, found {brief(sorted(stored))}")
    if count.dtype != np.int64 or count.ndim != 1 or count.size == 0 or (count < 1).any():
        raise ValueError("trees: expected integers above 0 in 'node_count'")
    if not isinstance(n_hyperplanes, list) or len(n_hyperplanes) != count.size:
        raise ValueError(
            f"n_hyperplanes: expected a number for each of {count.size} trees, found {brief(n_hyperplanes)}"
        )
    if any(array.ndim != 1 + (name == "value") for name, array in stored.items()):
        raise ValueError("trees: expected a list of numbers in each array, and rows of them in 'value'")
    if int(count.max()) > stored["kind"].size:
        raise ValueError(f"trees: expected {stored['kind'].size} nodes in all, found a tree of {count.max()}")
    trees: list[Tree] = []
    at = dict.fromkeys(stored, 0)
    for i, n in enumerate(count.tolist()):
        size = dict.fromkeys(stored, n) | dict.fromkeys(_ENDS, n + 1)
        for start, parts in (("feature_start", "feature"), ("weight_start", "weight")):
            ends = stored[start][at[start] : at[start] + n + 1]
            size[parts] = int(ends[-1]) if ends.size and np.issubdtype(ends.dtype, np.integer) else 0
        if any(size[name] < 0 or at[name] + size[name] > array.shape[0] for name, array in stored.items()):
            raise ValueError(f"tree {i}: expected {n} nodes, found the end of an array")
        piece = {name: array[at[name] : at[name] + size[name]] for name, array in stored.items()}
        try:
            trees.append(Tree.from_arrays(piece, n_features, n_hyperplanes[i]))
        except ValueError as error:
            raise ValueError(f"tree {i}: {error}") from None
        at = {name: at[name] + size[name] for name in stored}
    left = [name for name, array in stored.items() if at[name] != array.shape[0]]
    if left:
        raise ValueError(f"trees: expected the end of {left[0]!r} after the last tree, found more")
    return trees


def unpack_scores(model: Ensemble, arrays: Arrays, trees: list[Tree]) -> None:
    """Set the attributes of boosting, and check that the trees fit the classes."""
    n_classes = model.classes_.size if isinstance(model, EnsembleClassifier) else 1
    with np.errstate(over="ignore"):
        if not np.isfinite(sum(float(np.abs(tree.value).max()) for tree in trees)):
            raise ValueError("trees: expected values with a finite sum over the trees, found an infinite one")
    if not isinstance(model, Boosting):
        for i, tree in enumerate(trees):
            if tree.n_outputs != n_classes:
                raise ValueError(f"tree {i}: expected {n_classes} columns in 'value', found {tree.n_outputs}")
        return
    n_stage = n_classes if n_classes > 2 else 1
    for name in _SCORES:
        array = arrays.get(name)
        if array is None or array.dtype != np.float64 or array.ndim != 1 or not np.isfinite(array).all():
            raise ValueError(f"array '{name}': expected finite numbers, found {brief(array)}")
        setattr(model, f"{name}_", array.copy())
    if model.baseline_.size != n_stage or len(trees) % n_stage:
        raise ValueError(f"trees: expected {n_stage} for each stage, and in 'baseline', found {len(trees)}")
    for i, tree in enumerate(trees):
        if tree.n_outputs != 1:
            raise ValueError(f"tree {i}: expected 1 column in 'value', found {tree.n_outputs}")


def array_names(kind: type[Ensemble]) -> set[str]:
    """Return the names of the arrays that an ensemble may have beside those of its trees."""
    return {"feature_means", "feature_scale", "class_weight", *(_SCORES if issubclass(kind, Boosting) else ())}


def unpack_members(arrays: Mapping[str, AnyArray], members: object) -> list[TreeClassifier]:
    """Make the trees; raise ValueError (position, expected, found) if anything is wrong."""
    if not isinstance(members, list) or not members:
        raise ValueError(f"members: expected descriptions of trees, found {type(members).__name__}")
    parts: list[dict[str, AnyArray]] = [{} for _ in members]
    numbers = {str(i): i for i in range(len(members))}
    for key, array in arrays.items():
        number, _, name = key.partition(".")
        if number not in numbers:
            raise ValueError(f"arrays: expected those of {len(parts)} trees, found {key!r}")
        parts[numbers[number]][name] = array
    trees: list[TreeClassifier] = []
    for i, member in enumerate(members):
        try:
            tree = _check_member(unpack_estimator(parts[i], member), trees)
        except ValueError as error:
            raise ValueError(f"tree {i}: {error}") from None
        trees.append(tree)
    return trees


def _check_member(tree: object, before: list[TreeClassifier]) -> TreeClassifier:
    """Return the tree; raise ValueError if it is not a classifier, or has other classes or features than the first."""
    if not isinstance(tree, TreeClassifier):
        raise ValueError(f"estimator: expected a classifier, found {type(tree).__name__}")
    if not before:
        return tree
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        first, this = (getattr(one, name, None) for one in (before[0], tree))
        if not np.array_equal(np.asarray(first), np.asarray(this)):
            raise ValueError(f"{name.strip('_')}: expected {first}, as the first tree has, found {this}")
    return tree
