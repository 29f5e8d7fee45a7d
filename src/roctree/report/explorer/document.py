"""The data document of the explorer: everything that the page shows is computed from it.

It contains only tables of the model: structure, class counts of training and test cases,
probabilities, a confidence band, some cases, and the initial state of the page. Tables are flat
lists of numbers. Parts that are specific to a kind of model have a section each below.
"""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.arrays import Floats, Ints
from roctree.calibration import Calibration
from roctree.data import Dataset, Schema, check_test_cases
from roctree.errors import ParameterError
from roctree.fitted import FittedModel, FittedTree
from roctree.geometry import diagonal
from roctree.geometry.metric import units_of
from roctree.labelling import (
    BestFBeta,
    Labeller,
    LeastCost,
    MaxFPR,
    MinTPR,
    OperatingPoint,
    Threshold,
    separates_one_class,
)
from roctree.models.cells import BITS, CellTree, FittedCells, refuse_missing
from roctree.models.naive_bayes import FittedNaiveBayesTree, NaiveBayesTree, cell_conditions
from roctree.points import MIN_PROBABILITY, AttributePoints, Scorecard
from roctree.requests import HELD_OUT, Counts, class_index
from roctree.roc import Curve
from roctree.scorecard import FittedScorecard
from roctree.strategy import is_finite_number
from roctree.tally import ScoreGroups, Tally
from roctree.text import did_you_mean
from roctree.tree.prediction import apply, divided_rows, mix
from roctree.tree.shape import subtree_counts
from roctree.tree.text import short_thresholds
from roctree.tree.tree import IS_PRESENT, Tree

Parts = tuple[NDArray[np.intp], dict[str, Any]]

_MAX_CLASSES_IN_TITLE = 4
# Resampling more leaves and classes would take longer than growing the tree.
_MAX_RESAMPLED = 20_000
_N_RESAMPLES = 500
_BAND_DIGITS = 5
# With more parts of divided cases the page would open slowly.
_MAX_PARTS = 300_000
# Leaves per pass over the divided cases: each pass allocates a column per leaf at every node.
_LEAVES_PER_PASS = 64
# With more distinct scores, probabilities are rounded to the most decimals that suffice.
_MAX_SCORES = 20_000
_DECIMALS = (4, 3, 2, 1)

# Entries of some kinds of models only.
_ABSENT: dict[str, Any] = {
    "lines": None,
    "models": None,
    "points": None,
    "calibration": None,
    "cells": None,
    "whole": None,
    "divided": [],
    "groups": None,
    "by_scores": [],
    "extent": None,
    "rounded": None,
    "in_parts": [],
    "histograms": [],
    "undecided": None,
}


def data_document(
    model: FittedModel,
    X_test: Any = None,
    y_test: Any = None,
    *,
    positive: Any = None,
    title: str | None = None,
    cases: int = 200,
    unit: str = "cases",
    units: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the data of the page as numbers, strings, lists and dicts.

    Parameters
    ----------
    model : FittedModel
    X_test, y_test : test cases
    positive : label
        The positive class; by default that of the operating point, or the rarer of two.
    title : str or None
        Title of the page; by default the names of the target and of the classes.
    cases : int
        Largest number of test cases to include one by one; 0 for none.
    unit : str
        What a case is, in the plural: "people", "loans", "parts".
    units : mapping from str to str, optional
        Units of measurement by the name of the feature, such as ``{"area": "mm²"}``.
    """
    schema = model.schema
    _check(schema, X_test, y_test, cases)
    _check_words(schema, unit, units)
    test = None if X_test is None else model.dataset(X_test, y_test)
    place = model.displayed_class if positive is None else class_index(positive, model.classes)
    start = start_state(model, place, has_test=test is not None)
    shown, parts = model_parts(model, test)
    for feature in parts["features"]:
        feature["measure"] = (units or {}).get(feature["name"], "")
    return {
        **_ABSENT,
        "title": _default_title(model) if title is None else str(title),
        "noun": unit,
        "made_by": f"Made by roctree {__version__}.",
        "classes": [str(label) for label in schema.classes.tolist()],
        "class_code": [repr(label) for label in schema.classes.tolist()],
        "start": start,
        "undecided": _undecided(model.operating_point, start["cost_reject"]),
        "n_test": 0 if test is None else len(test.labels),
        "cases": [] if test is None else _cases(test, shown, cases),
        **parts,
    }


def _undecided(point: OperatingPoint | None, cost: float | None) -> str | None:
    """Return a remark if the operating point leaves cases undecided, unlike the page."""
    if point is None or not point.abstains or cost is not None:
        return None
    return (
        f"This operating point leaves {point.rejected:.1%} of the cases undecided. The page "
        "decides every case, because correct predictions of the two classes cost differently."
    )


@singledispatch
def model_parts(model: FittedModel, test: Dataset | None) -> Parts:
    """Return the features that a model uses, and the parts that are specific to its kind."""
    raise ParameterError(f"A {type(model).__name__} has no page: give a tree of roctree.")


def _check(schema: Schema, X_test: Any, y_test: Any, cases: Any) -> None:
    if schema.n_classes < 2:
        raise ParameterError("The tree has only one class: there is nothing to explore.")
    check_test_cases(X_test, y_test)
    if not is_finite_number(cases) or cases < 0 or cases != int(cases):
        raise ParameterError(
            parameter="cases", value=cases, reason="must be an integer of at least 0"
        )


def _check_words(schema: Schema, unit: Any, units: Any) -> None:
    if not isinstance(unit, str) or not unit.strip():
        raise ParameterError(
            parameter="unit", value=unit, reason='must be a word in the plural, such as "people"'
        )
    if units is None:
        return
    if not isinstance(units, Mapping):
        raise ParameterError(
            parameter="units", value=units, reason='must be a mapping such as {"area": "mm²"}'
        )
    unknown = [name for name in units if name not in schema.names]
    if unknown:
        raise ParameterError(
            parameter="units",
            value=unknown[0],
            reason="is not a feature of the model{suggestion}",
            suggestion=did_you_mean(str(unknown[0]), schema.names),
        )


def _default_title(model: FittedModel) -> str:
    names = [str(label) for label in model.schema.classes.tolist()]
    if len(names) > _MAX_CLASSES_IN_TITLE:
        question = f"A decision tree for {len(names)} classes"
    else:
        question = f"{', '.join(names[:-1])} or {names[-1]}?"
    return question if model.training.target is None else f"{model.training.target}: {question}"


def _cases(test: Dataset, shown: NDArray[np.intp], most: int) -> list[dict[str, Any]]:
    """Return evenly spaced test cases, with the features that the model uses."""
    n_rows = len(test.labels)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, int(most))).round().astype(np.int64))
    values = test.values[np.ix_(rows, shown)].astype(np.float64)
    return [
        {"row": row, "label": label, "values": _or_none(each)}
        for row, label, each in zip(rows.tolist(), test.labels[rows].tolist(), values, strict=True)
    ]


# The initial state of the page: at the operating point, or with the default labels of the model


def start_state(model: FittedModel, positive: int, *, has_test: bool) -> dict[str, Any]:
    """Return the initial state of the page.

    Parameters
    ----------
    model : FittedModel
    positive : int
        Index of the positive class.
    has_test : bool
        Whether there are test cases.
    """
    matrix = _default_costs(model)
    others = np.arange(len(matrix)) != positive
    state: dict[str, Any] = {
        "mode": "costs" if len(matrix) == 2 else "matrix",
        "cost_fp": float(matrix[positive, others].mean()),
        "cost_fn": float(matrix[others, positive].mean()),
        "cost_reject": None,
        "matrix": matrix.tolist(),
        "prior": None,
        "priors": None,
        "max_fpr": 0.1,
        "min_tpr": 0.9,
        "beta": 1.0,
        "by": "smoothed",
        "on": "test" if has_test else "training",
        "positive": positive,
        "view": "roc",
        "unit": "",
        "values": None,
        "pins": [],
    }
    point = model.operating_point
    if point is None:
        return state
    by = ("test" if has_test else "training") if point.counts == HELD_OUT else point.counts
    return state | {"by": by} | _labeller_state(point.labeller, positive, point.positive)


def _default_costs(model: FittedModel) -> Floats:
    """Return the costs [predicted, true] that a model without operating point decides by."""
    errors = 1.0 - np.eye(model.schema.n_classes)
    if isinstance(model, FittedTree | FittedCells) and model.node_labels is not None:
        # Labels of nodes come from pruning under costs.
        costs = np.array(getattr(model.pruner, "costs", 1.0), dtype=np.float64)
        # The cost of a class is that of predicting it wrongly.
        return np.asarray(errors * (costs[:, None] if costs.ndim == 1 else costs))
    return errors * model.class_weight if isinstance(model, FittedTree) else errors


def _labeller_state(labeller: Labeller, positive: int, requested: int) -> dict[str, Any]:
    if isinstance(labeller, MaxFPR):
        return {"mode": "max_fpr", "max_fpr": float(labeller.rate)}
    if isinstance(labeller, MinTPR):
        return {"mode": "min_tpr", "min_tpr": float(labeller.rate)}
    if isinstance(labeller, Threshold):
        # A leaf is positive if its share is at least that at which both errors cost the same.
        return {"cost_fp": float(labeller.value), "cost_fn": 1.0 - float(labeller.value)}
    if isinstance(labeller, BestFBeta):
        prior = _prior_state(labeller.prior, positive, requested)
        return {"mode": "beta", "beta": float(labeller.beta)} | prior
    return _cost_state(labeller, positive, requested) if isinstance(labeller, LeastCost) else {}


def _cost_state(labeller: LeastCost, positive: int, requested: int) -> dict[str, Any]:
    prior = _prior_state(labeller.prior, positive, requested)
    reject = None if labeller.cost_reject is None else float(labeller.cost_reject)
    prior["cost_reject"] = reject
    if labeller.cost_matrix is None:
        costs = [
            1.0 if cost is None else float(cost) for cost in (labeller.cost_fp, labeller.cost_fn)
        ]
        alarm, miss = costs if positive == requested else costs[::-1]
        mode = {"mode": "costs"} if separates_one_class(labeller) else {}
        return {"cost_fp": alarm, "cost_fn": miss} | mode | prior
    matrix = [list(map(float, row)) for row in labeller.cost_matrix]
    if len(matrix) > 2:
        return {"mode": "matrix", "matrix": matrix} | prior
    other = 1 - positive
    right = np.diagonal(matrix)
    regret = np.array(matrix) - right
    if reject is not None:
        # Costs on the page are those beyond the cost of a correct prediction.
        prior["cost_reject"] = reject - float(right[0]) if right[0] == right[1] else None
    return {"cost_fp": regret[positive, other], "cost_fn": regret[other, positive]} | prior


def _prior_state(prior: Any, positive: int, requested: int) -> dict[str, Any]:
    if prior is None:
        return {}
    if is_finite_number(prior):
        return {"prior": float(prior) if positive == requested else 1.0 - float(prior)}
    shares = [float(share) for share in prior]
    return {"prior": shares[positive], "priors": shares}


# Trees of splits


@model_parts.register
def _tree_parts(model: FittedTree, test: Dataset | None) -> Parts:
    tree, schema = model.tree, model.schema
    tested = np.unique(tree.feature[~tree.is_leaf]).astype(np.intp)
    units = units_of(model.scale)
    return tested, {
        "kind": "tree",
        "features": [_feature(schema, i, float(units[i])) for i in tested.tolist()],
        "extent": diagonal(model.spread, model.scale, schema.nominal),
        "tree": _nodes(tree, schema, tested),
        "histograms": split_histograms(tree, test),
        "probabilities": model.probabilities.ravel().tolist(),
        "training": _list_counts(tree.counts),
        **_tree_counts(model, test),
    }


def _nodes(tree: Tree, schema: Schema, shown: NDArray[np.intp]) -> dict[str, Any]:
    """Return the structure of a tree; features are numbered among those that the page shows."""
    cuts = short_thresholds(tree, schema)
    places = np.where(tree.is_leaf, -1, np.searchsorted(shown, tree.feature))
    return {
        "n_children": tree.n_children.tolist(),
        "feature": places.tolist(),
        "threshold": _or_none(tree.threshold),
        "cut": [cuts.get(node) for node in range(tree.n_nodes)],
        "softness": tree.softness.tolist() if tree.softness.any() else None,
        "category_branch": tree.category_branch.tolist(),
        "category_offsets": tree.category_offsets.tolist(),
        "missing_branch": tree.missing_branch.tolist(),
    }


def _tree_counts(model: FittedTree, test: Dataset | None) -> dict[str, Any]:
    """Return the cases in the leaves; cases divided among several have their own entries.

    If there are too many divided test cases they are counted in parts, as are divided training
    cases whose probabilities are unknown, and ``in_parts`` says so.
    """
    tree, scores = model.tree, model.probabilities
    in_parts = [name for name in get_args(Counts) if model.counts_divided_cases(name)]
    by_scores = [*get_args(Counts), "test"] if model.has_soft_thresholds else get_args(Counts)
    found = {
        "groups": None if model.scored is None else _divided_groups(model.scored, tree),
        "by_scores": list(by_scores) if model.mixes_leaves else [],
        "rounded": None if model.scored is None else model.scored.decimals,
    }
    if test is None:
        own = _bands("training", *model.leaf_table())
        return {**found, "test": None, "band": own, "in_parts": in_parts}
    tally, apart = Tally.from_cases(tree, test), _divided_cases(tree, test)
    return {
        **found,
        "test": _list_counts(tally.parts),
        "whole": _list_counts(tally.counts[: tree.n_leaves]) if apart else None,
        "divided": apart or [],
        "band": _bands("test", tally.lines(scores), tally.counts),
        "in_parts": [*in_parts, "test"] if apart is None else in_parts,
    }


def _divided_groups(scored: ScoreGroups, tree: Tree) -> dict[str, Any]:
    """Return the divided training cases by probability, and the others at the leaves as "whole"."""
    assert scored.leaf is not None
    return {
        "leaf": scored.leaf[tree.n_leaves :].tolist(),
        "scores": scored.scores[tree.n_leaves :].ravel().tolist(),
        "training": _list_counts(scored.counts[tree.n_leaves :]),
        "whole": _list_counts(scored.counts[: tree.n_leaves]),
    }


def _divided_cases(tree: Tree, test: Dataset) -> list[dict[str, Any]] | None:
    """Return label, weight, leaves and parts of each divided case; None if there are too many.

    Leaves are numbered among the leaves.
    """
    rows = np.flatnonzero(divided_rows(tree, test.values))
    if len(rows) * tree.n_leaves > _MAX_PARTS:
        return None
    parts = _parts_in_leaves(tree, test.values[rows])
    return [
        {
            "label": int(test.labels[row]),
            "weight": float(test.weights[row]),
            "leaves": np.flatnonzero(own).tolist(),
            "parts": own[own > 0.0].tolist(),
        }
        for row, own in zip(rows.tolist(), parts, strict=True)
    ]


def _parts_in_leaves(tree: Tree, values: NDArray[Any]) -> Floats:
    """Return the part of each row in each leaf, float64[rows, leaves]."""
    parts = np.empty((len(values), tree.n_leaves))
    for begin in range(0, tree.n_leaves, _LEAVES_PER_PASS):
        leaves = tree.leaves[begin : begin + _LEAVES_PER_PASS]
        ones = np.zeros((tree.n_nodes, len(leaves)))
        ones[leaves, np.arange(len(leaves))] = 1.0
        parts[:, begin : begin + len(leaves)] = mix(tree, values, ones)
    return parts


# Naive Bayes trees: cases of one leaf differ in their probabilities, so the lines of the page, the
# segments of its ROC curve, are not leaves but scores: cases of a leaf with equal probabilities.


@model_parts.register
def _naive_bayes_parts(model: FittedNaiveBayesTree, test: Dataset | None) -> Parts:
    tree = model.tree
    shown = _features_of_models(tree)
    return shown, {
        "kind": "naive_bayes",
        "features": [_feature(model.schema, i) for i in shown.tolist()],
        "tree": _nodes(tree.nodes, model.schema, shown),
        "histograms": split_histograms(tree.nodes, test),
        "probabilities": model.node_shares.ravel().tolist(),
        "training": _list_counts(tree.nodes.counts),
        "test": None if test is None else _list_counts(Tally.from_cases(tree.nodes, test).parts),
        "models": {"of_nodes": tree.model.tolist(), "tables": _model_tables(model, shown)},
        "calibration": _calibration(model.calibration),
        **_score_lines(model, test),
    }


def _features_of_models(tree: NaiveBayesTree) -> NDArray[np.intp]:
    """Return the features that are tested, or that a model divides into more than one cell."""
    n_cells = np.diff(tree.models.cell_starts).reshape(len(tree.models), -1)
    used = np.asarray((n_cells > 1).any(axis=0))
    used[tree.nodes.feature[~tree.nodes.is_leaf]] = True
    return np.flatnonzero(used)


def _model_tables(model: FittedNaiveBayesTree, shown: NDArray[np.intp]) -> list[dict[str, Any]]:
    models = model.tree.models
    return [
        {
            "prior": models.prior[number].tolist(),
            "weight": float(models.class_counts[number].sum()),
            "attributes": [
                _likelihoods(model, number, int(feature), place)
                for place, feature in enumerate(shown)
                if len(models.likelihood[models.cells(number, int(feature))]) > 1
            ],
        }
        for number in range(len(models))
    ]


def _likelihoods(
    model: FittedNaiveBayesTree, number: int, feature: int, place: int
) -> dict[str, Any]:
    """Return the cells of a feature in words, and the likelihood of each given each class."""
    models, categories = model.tree.models, model.schema.categories[feature]
    cuts = models.cuts_of(number, feature)
    if categories is None:
        words = [word.replace("<=", "≤") for word in cell_conditions(cuts, None, digits=4)]
    else:
        words = [str(category) for category in categories]
    return {
        "feature": place,
        "cuts": cuts.tolist() if categories is None else None,
        "words": words,
        "likelihood": models.likelihood[models.cells(number, feature)].tolist(),
    }


def _calibration(calibration: Calibration | None) -> list[dict[str, list[float]]] | None:
    """Return the curve of each calibrated class as corners between which it is straight."""
    if calibration is None:
        return None
    return [
        {
            "score": np.column_stack([curve.score_from, curve.score_to]).ravel().tolist(),
            "probability": np.repeat(curve.probability, 2).tolist(),
        }
        for curve in calibration.curves
    ]


def _score_lines(
    model: FittedNaiveBayesTree | FittedScorecard, test: Dataset | None
) -> dict[str, Any]:
    """Return the scores of training cases, a pure one for each class, then those of test cases.

    Pure scores have no cases; operating points label them in Python too.
    """
    found = [model.scored]
    if test is not None:
        found.append(model.score_cases(test))
    decimals = _needed_rounding([each.scores for each in found])
    if decimals is not None:
        found = [_round_groups(each, decimals) for each in found]
    pure = np.eye(model.schema.n_classes)
    nodes = [_score_leaves(found[0]), np.full(len(pure), -1), *map(_score_leaves, found[1:])]
    scores = np.concatenate([found[0].scores, pure, *(each.scores for each in found[1:])])
    return {
        "band": _bands("test" if found[1:] else "training", found[-1].scores, found[-1].counts),
        "rounded": decimals,
        "lines": {
            "node": np.concatenate(nodes).tolist(),
            "scores": scores.ravel().tolist(),
            "training": _list_counts(found[0].counts),
            "test": _list_counts(found[1].counts) if found[1:] else None,
        },
    }


def _score_leaves(scored: ScoreGroups) -> NDArray[np.int64]:
    """Return the leaf of each score, -1 if a file does not say."""
    return np.full(len(scored.scores), -1) if scored.leaf is None else scored.leaf


def _needed_rounding(tables: list[Floats]) -> int | None:
    """Return the decimals that leave few enough distinct scores; None if no rounding is needed."""
    if sum(map(len, tables)) <= _MAX_SCORES:
        return None
    for decimals in _DECIMALS:
        distinct = (len(np.unique(np.round(table, decimals), axis=0)) for table in tables)
        if sum(distinct) <= _MAX_SCORES:
            return decimals
    return _DECIMALS[-1]


def _round_groups(scored: ScoreGroups, decimals: int) -> ScoreGroups:
    """Return scores with fewer decimals, equal ones joined."""
    keys = np.column_stack([np.round(scored.scores, decimals), _score_leaves(scored)])
    distinct, group = np.unique(keys, axis=0, return_inverse=True)
    counts = np.zeros((len(distinct), scored.scores.shape[1]))
    np.add.at(counts, group.reshape(-1), scored.counts)
    return ScoreGroups(distinct[:, :-1], counts, distinct[:, -1].astype(np.int64))


# Trees with points: as for Naive Bayes trees, cases of one leaf have different probabilities


@model_parts.register
def _scorecard_parts(model: FittedScorecard, test: Dataset | None) -> Parts:
    tree, schema, card = model.tree, model.schema, model.points
    tested = tree.feature[~tree.is_leaf]
    shown = np.unique(np.concatenate([tested, card.features])).astype(np.intp)
    return shown, {
        "kind": "scorecard",
        "features": [_feature(schema, i) for i in shown.tolist()],
        "tree": _nodes(tree, schema, shown),
        "histograms": split_histograms(tree, test),
        "probabilities": model.probabilities.ravel().tolist(),
        "training": _list_counts(tree.counts),
        "test": None if test is None else _list_counts(Tally.from_cases(tree, test).parts),
        "points": _points(card, shown),
        "calibration": _calibration(model.calibration),
        **_score_lines(model, test),
    }


def _points(card: Scorecard, shown: NDArray[np.intp]) -> dict[str, Any]:
    return {
        "tree_weight": card.tree_weight,
        "tree_share": card.tree_share,
        "intercept": card.intercept.tolist(),
        "unit": card.unit,
        "whole": card.whole,
        "least": MIN_PROBABILITY,
        "attributes": [_segments_of(each, shown) for each in card.attributes],
    }


def _segments_of(each: AttributePoints, shown: NDArray[np.intp]) -> dict[str, Any]:
    return {
        "feature": int(np.searchsorted(shown, each.feature)),
        "share": each.share,
        "starts": each.starts.tolist(),
        "high": each.high,
        "values": each.values.tolist(),
        "slopes": each.slopes.tolist(),
        "missing": each.missing.tolist(),
    }


# Cells of the Multiscale Classifier


@model_parts.register
def _cell_parts(model: FittedCells, test: Dataset | None) -> Parts:
    cell_tree, schema = model.cell_tree, model.schema
    if test is not None:
        refuse_missing(test.values, schema)
    halved = np.flatnonzero(cell_tree.bounds.low < cell_tree.bounds.high)
    tree = cell_tree.tree
    stops = cell_tree.stops(test)
    return halved, {
        "kind": "cells",
        "features": [_feature(schema, i) for i in halved.tolist()],
        "tree": _nodes(tree, schema, halved),
        "probabilities": model.probabilities.ravel().tolist(),
        "training": _list_counts(tree.counts),
        "test": None if test is None else _list_counts(subtree_counts(tree, stops)),
        "cells": _boxes(cell_tree, halved),
        "band": _bands("training" if test is None else "test", model.probabilities, stops),
        "lines": {
            # Every node: a case stops at an inner one if its part of the cell had no training
            # cases.
            "node": list(range(tree.n_nodes)),
            "scores": None,
            "training": _list_counts(cell_tree.stops()),
            "test": None if test is None else _list_counts(stops),
        },
    }


def _boxes(cell_tree: CellTree, halved: NDArray[np.intp]) -> dict[str, Any]:
    """Return how often the sides of each cell were halved, and its position at that level."""
    bounds, cells = cell_tree.bounds, cell_tree.cells
    level = cells.level.astype(np.uint64)
    places = cells.corner[:, halved].astype(np.uint64) >> (BITS - level)[:, None]
    return {
        "low": bounds.low[halved].tolist(),
        "high": bounds.high[halved].tolist(),
        "n_children": cells.n_children.tolist(),
        "level": level.tolist(),
        "place": places.ravel().tolist(),
        "node": cells.node.tolist(),
    }


# Values in the format of the page


def _or_none(values: Floats) -> list[float | None]:
    """Return numbers as a list, None where missing."""
    return [None if value != value else value for value in values.tolist()]


def _list_counts(counts: Floats) -> list[float]:
    """Return counts as a flat list, integers without a decimal point."""
    return [int(count) if count == int(count) else count for count in counts.ravel().tolist()]


def _feature(schema: Schema, number: int, unit: float = 1.0) -> dict[str, Any]:
    """Return a feature: name, categories, and what counts as a distance of one."""
    categories = schema.categories[number]
    return {
        "name": str(schema.names[number]),
        "is_date": bool(schema.date_unit(number)),
        "unit": unit,
        "categories": None if categories is None else [str(each) for each in categories],
        # Whether categories are written without quotes, as numbers and booleans are.
        "plain": categories is not None and not any(isinstance(each, str) for each in categories),
    }


def _bands(name: str, scores: Floats, counts: Floats) -> dict[str, Any] | None:
    """Return the confidence band of each class against the rest, as in ``roc(...).band()``.

    Parameters
    ----------
    name : str
        Which cases are counted.
    scores, counts : float64[lines, classes]
    """
    if counts.size > _MAX_RESAMPLED:
        return None
    bands = []
    for ours, score in zip(counts.T, scores.T, strict=True):
        curve = Curve.from_leaves(score, ours, counts.sum(axis=1) - ours)
        bands.append(_band(curve) if curve.has_both_classes else None)
    return {"on": name, "classes": bands}


def _band(curve: Curve) -> dict[str, list[float]]:
    found = curve.band(n_samples=_N_RESAMPLES)
    return {
        "low": np.round(found.low, _BAND_DIGITS).tolist(),
        "high": np.round(found.high, _BAND_DIGITS).tolist(),
    }


# Histograms of the test cases at each split: how well the threshold separates the classes

N_BINS = 24
# The page shows histograms of the splits that most cases reach; more would make it large.
MAX_SPLITS = 400
# Outliers are counted in the first and the last bin.
_OUTLIERS = 0.01


def split_histograms(tree: Tree, test: Dataset | None) -> list[dict[str, Any]]:
    """Return the histogram of each split: its node, the range of its bins, and counts by class.

    A threshold lies between two bins. Categories are bins of their own, without a range.

    Parameters
    ----------
    tree : Tree
    test : Dataset or None
        The cases to count; each follows one branch of every split.
    """
    if test is None or tree.n_nodes == 1:
        return []
    rows_of = _rows_at_nodes(tree, apply(tree, test.values))
    splits = np.flatnonzero(~tree.is_leaf)
    splits = splits[np.argsort([-len(rows_of[node]) for node in splits], kind="stable")]
    found = (_histogram(tree, test, int(node), rows_of[node]) for node in splits[:MAX_SPLITS])
    return [each for each in found if each is not None]


def _rows_at_nodes(tree: Tree, leaves: Ints) -> list[Ints]:
    """Return the rows that pass each node."""
    order = np.argsort(leaves, kind="stable")
    starts = np.searchsorted(leaves[order], np.arange(tree.n_nodes + 1))
    rows = [order[starts[node] : starts[node + 1]] for node in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            first = int(tree.first_child[node])
            rows[node] = np.concatenate(rows[first : first + int(tree.n_children[node])])
    return rows


def _histogram(tree: Tree, test: Dataset, node: int, rows: Ints) -> dict[str, Any] | None:
    """Return the histogram of one split; None if it has too few values or only tests presence."""
    feature, cut = int(tree.feature[node]), float(tree.threshold[node])
    values = np.asarray(test.values[rows, feature], dtype=np.float64)
    known = np.isfinite(values)
    values, labels, weights = values[known], test.labels[rows][known], test.weights[rows][known]
    if len(values) == 0 or cut == IS_PRESENT:
        return None
    categories = test.schema.categories[feature]
    if categories is not None:
        bins, n_bins, span = values.astype(np.int64), len(categories), None
    else:
        bins, n_bins, span = _bins(values, cut)
    if n_bins > 2 * N_BINS:
        return None
    counts = np.zeros((n_bins, test.schema.n_classes))
    np.add.at(counts, (bins, labels), weights)
    shown = [round(count, 2) if count % 1 else int(count) for count in counts.ravel().tolist()]
    return {"node": node, "span": span, "counts": shown}


def _bins(values: Floats, cut: float) -> tuple[Ints, int, list[float] | None]:
    """Return the bin of each value, their number and range; the cut lies between two bins."""
    low, high = np.quantile(values, [_OUTLIERS, 1.0 - _OUTLIERS])
    low, high = min(float(low), cut), max(float(high), cut)
    width = (high - low) / N_BINS
    if not width > 0.0:
        return np.zeros(len(values), dtype=np.int64), 1, [low, high]
    below = int(np.ceil((cut - low) / width - 1e-9))
    above = int(np.ceil((high - cut) / width - 1e-9))
    # A value at the threshold is below it.
    place = np.ceil((values - cut) / width).astype(np.int64) - 1 + below
    n_bins = max(below + above, 1)
    return place.clip(0, n_bins - 1), n_bins, [cut - below * width, cut + above * width]
