"""Fitting: from a data set and options to a fitted tree.

``fit`` is the whole path: grow, prune, soften thresholds, smooth. ``FitOptions`` holds the
parameters of an estimator, validated and with strategies resolved; nothing here depends on an
estimator.

Pruning and smoothing strategies may leave an option to the data. Then parts of the training data
are held out. Identical rows stay together, so that a row of weight two and two identical rows give
the same parts, and no case is evaluated by a tree that was grown from a copy of it. Only rows that
are far more common than others are divided between both sides, where the tree that is kept would
otherwise never see them. The part of a row depends on its values alone, never on its position.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree import criteria, points, pruning, smoothing
from roctree.arrays import Floats, Ints, any_missing
from roctree.criteria import Criterion, node_impurities
from roctree.data import CategoricalFeatures, Dataset
from roctree.errors import ParameterError, ParameterWarning, stacklevel_outside_package
from roctree.fitted import FittedTree, Training
from roctree.geometry import MetricChoice, Spread, scale_of
from roctree.parameters import (
    RULES,
    ClassWeight,
    GrowthOrder,
    Labels,
    SplitSearch,
    ThresholdPlacement,
    check_parameter,
    class_weights,
    costs_in_class_order,
)
from roctree.points import (
    MAX_CASES,
    PENALTY_FOLDS,
    Points,
    PointsCases,
    Scorecard,
    learn_points,
)
from roctree.pruning import (
    Fold,
    HoldsOut,
    Pruned,
    Pruner,
    PrunesUnderCosts,
    PruningPath,
    ReducedError,
    SelectsByFolds,
    need,
    weakest_links,
)
from roctree.scorecard import FittedScorecard
from roctree.smoothing import Smoother, choices, probabilities
from roctree.tally import ScoreGroups
from roctree.tree.growth import (
    GrowthRules,
    Missing,
    Nominal,
    Shrinkage,
    class_counts,
    grow,
    weight_grid,
)
from roctree.tree.levels import Binned, LevelCallback, bin_dataset
from roctree.tree.prediction import apply, divides_any, mix, node_class_counts
from roctree.tree.shape import (
    collapse,
    cut,
    grow_best_first,
    node_thresholds,
    observed_thresholds,
    open_best_first,
    open_best_first_by_auc,
)
from roctree.tree.softness import harden, soften
from roctree.tree.tree import Tree

# Grows the unpruned tree of a part of the training cases.
GrowPart = Callable[[Dataset], Tree]

N_FOLDS = 5
# Folds of the trees that out-of-fold scores for points come from. More distinct scores than the
# maximum are rounded to this many decimals, for two classes and for more.
POINTS_FOLDS = 3
_SCORE_DECIMALS, _MAX_EXACT_SCORES = (3, 2), 1000
# Identical rows are common if they weigh more than this many times the mean of their class.
COMMON = 2.0
# Lower bound of probabilities in the log-loss, which keeps it finite.
_LOG_LOSS_FLOOR = 1e-15
# Bits that stand for a missing value in hashes; no number has them.
_MISSING_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class FitOptions:
    """Validated options of a fit; the fields are the parameters of ``ROCTreeClassifier``."""

    criterion: Criterion
    pruning: Pruner
    smoothing: Smoother
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    min_gain: float
    ccp_alpha: float
    nominal: Nominal
    category_shrinkage: Shrinkage
    missing: Missing
    threshold: ThresholdPlacement
    growth: GrowthOrder
    collapse: bool
    c45_numeric_minimum: bool
    labels: Labels
    ranking: str
    width: float
    metric: MetricChoice
    geometric_probability: bool
    points: Points | None
    splits: SplitSearch
    max_bins: int
    class_weight: ClassWeight
    categorical_features: CategoricalFeatures

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "FitOptions":
        """Check the parameters of an estimator and resolve its strategies."""
        resolved: dict[str, Any] = {
            "criterion": criteria.resolve_criterion(parameters["criterion"]),
            "pruning": pruning.resolve_pruner(parameters["pruning"]),
            "smoothing": smoothing.resolve_smoother(parameters["smoothing"]),
            "points": points.resolve_points(parameters["points"]),
        }
        for name in RULES:
            check_parameter(name, parameters[name])
        if resolved["points"] is not None:
            _check_beside_points(parameters)
        if parameters["growth"] == "whole_tree_auc" and parameters["max_leaf_nodes"] is None:
            raise ParameterError(
                parameter="growth",
                value="whole_tree_auc",
                reason="chooses the leaves of a small tree: give {max_leaf_nodes} too, such as 32",
            )
        if parameters["threshold"] == "node" and parameters["splits"] == "binned":
            raise ParameterError(
                parameter="threshold",
                value="node",
                reason="needs the values of the cases, and bins keep only their bounds: use "
                "{splits='exact'}",
            )
        names = [option.name for option in fields(cls) if option.name not in resolved]
        return cls(**{name: parameters[name] for name in names}, **resolved)

    def growth_rules(self, classes: NDArray[Any], totals: Floats, n_rows: int) -> GrowthRules:
        """Return the rules of growth for data with these classes, class weights and rows.

        If the mean weight is below one, for example because weights sum to one, limits are in units
        of the mean weight.
        """
        total = float(totals.sum())
        unit = min(1.0, total / n_rows)
        n_cases = total / unit
        weights = class_weights(self.class_weight, classes, totals)
        return GrowthRules(
            criterion=self.criterion,
            class_weight=weights,
            nominal=self.nominal,
            missing=self.missing,
            max_depth=self.max_depth,
            min_split=_number_of_cases(self.min_samples_split, n_cases, least=2, whole=1.0) * unit,
            min_leaf=_number_of_cases(self.min_samples_leaf, n_cases) * unit,
            min_class_weighted_leaf=self.min_weight_fraction_leaf * float(totals @ weights),
            min_gain=self.min_gain,
            c45_numeric_minimum=self.c45_numeric_minimum,
            category_shrinkage=self.category_shrinkage,
            unit=unit,
        )

    @property
    def softness(self) -> float:
        """Width of the soft thresholds; 0 for hard ones."""
        return self.width if self.ranking == "soft" else 0.0


def _check_beside_points(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for parameters that cannot be combined with points."""
    pruner = pruning.resolve_pruner(parameters["pruning"])
    for name, allowed in (
        ("labels", ("probability",)),
        ("ranking", ("leaf", "soft")),
        ("geometric_probability", (False,)),
    ):
        if parameters[name] not in allowed:
            raise ParameterError(
                parameter=name,
                value=parameters[name],
                reason="cannot be combined with {points}, which give the rows of a leaf "
                "different probabilities: leave it out",
            )
    if isinstance(pruner, PrunesUnderCosts) and pruner.costs is not None:
        raise ParameterError(
            parameter="pruning",
            value=pruner,
            reason="labels leaves by costs, but with {points} rows are labelled, not leaves: give "
            "the costs to {at(...)}",
        )


def _number_of_cases(
    limit: float, n_cases: float, least: int = 1, whole: float | None = None
) -> float:
    """Return a limit as a number of cases; a fraction between 0 and 1 is of all cases.

    With ``whole=1.0`` the float 1.0 is a fraction too, but the integer 1 is not.

    >>> _number_of_cases(0.05, 150), _number_of_cases(5, 150)
    (8, 5)
    >>> [_number_of_cases(limit, 150, whole=1.0) for limit in (1, 1.0)]
    [1, 150]
    """
    if not 0.0 < limit < 1.0 and not (isinstance(limit, float) and limit == whole):
        return limit
    # 0.07 * 100 is 7.000000000000001.
    return max(least, math.ceil(limit * n_cases * (1.0 - 1e-12)))


def fit(data: Dataset, options: FitOptions, training: Training, n_threads: int = 1) -> FittedTree:
    """Grow, prune and smooth the tree of a data set.

    Parameters
    ----------
    data : Dataset
        Training cases; all have a positive weight.
    options : FitOptions
    training : Training
        The summary of the training data to keep with the tree.
    n_threads : int
        Number of threads; the tree does not depend on it.
    """
    grow_part, rules = grower(data, options, n_threads)
    return fit_grown(data, options, training, grow_part, rules.class_weight, n_threads)


def fit_grown(
    data: Dataset,
    options: FitOptions,
    training: Training,
    grow_part: GrowPart,
    class_weight: Floats,
    n_threads: int = 1,
) -> FittedTree:
    """Grow a tree with ``grow_part``, then prune, soften and smooth it."""
    pruner = costs_in_class_order(options.pruning, data.schema.classes)
    spread = Spread.from_rows(data.values, data.weights, n_threads)
    scale = scale_of(options.metric, spread, data.schema)
    pruner, pruned = grow_and_prune(data, grow_part, pruner)
    tree = soften(pruned.tree, options.softness, 1.0, data)
    smoother = select_smoother(options.smoothing, pruner, data, options, grow_part)
    fitted = FittedTree(
        schema=data.schema,
        training=training,
        tree=tree,
        node_labels=pruned.labels,
        pruner=pruner,
        smoother=smoother,
        probabilities=probabilities(smoother, tree),
        class_weight=class_weight,
        spread=spread,
        scale=scale,
        divides_cases=_divides_cases(options, tree, data.values, n_threads),
        labels=options.labels,
        ranking=options.ranking,
        width=options.width,
    )
    if options.points is not None:
        fitted = add_points(fitted, data, options, grow_part, n_threads)
    if isinstance(fitted, FittedScorecard):
        return fitted
    if options.splits == "exact" or options.ranking == "soft":
        # Data larger than memory are not read again for the scores of their cases, and bins give
        # the same file in memory.
        fitted = fitted.with_scores(data, n_threads)
    return fitted.with_geometric(data, n_threads) if options.geometric_probability else fitted


def _divides_cases(options: FitOptions, tree: Tree, values: Floats, n_threads: int) -> bool:
    """Whether missing values divide training cases among leaves."""
    if options.missing == "branch" or not any_missing(values, n_threads):
        return False
    return divides_any(harden(tree), values)


# Growth


def grower(data: Dataset, options: FitOptions, n_threads: int = 1) -> tuple[GrowPart, GrowthRules]:
    """Return a function that grows the trees of parts of the data, and the rules of all of them.

    Limits that are fractions refer to all the data.
    """
    rules = options.growth_rules(
        data.schema.classes, class_totals(data, n_threads), len(data.labels)
    )
    return partial(grow_tree, options=options, rules=rules, n_threads=n_threads), rules


def grow_tree(data: Dataset, options: FitOptions, rules: GrowthRules, n_threads: int = 1) -> Tree:
    """Return the unpruned tree of a data set."""
    if options.splits == "binned":
        binned = bin_dataset(data, options.max_bins, n_threads)
        return grow_binned_tree(binned, options, rules, n_threads)
    grow_rows = partial(grow, data, n_threads=n_threads)
    tree = grow_to_size(grow_rows, options, rules, data.schema.names)
    return _place_thresholds(tree, options, data.values, data.schema.n_categories)


def grow_binned_tree(
    binned: Binned,
    options: FitOptions,
    rules: GrowthRules,
    n_threads: int,
    finished: LevelCallback = lambda n_levels: None,
) -> Tree:
    """Return the tree of binned data, in memory or elsewhere.

    Only the values at the edges of bins are known; thresholds lie between those.
    """
    grow_bins = partial(binned.grow, n_threads=n_threads, finished=finished)
    tree, edges = grow_to_size(grow_bins, options, rules, binned.names), binned.edges
    return _place_thresholds(tree, options, binned.bounds.values, edges.size * edges.nominal)


def grow_to_size(
    grow_by: Callable[[GrowthRules], Tree],
    options: FitOptions,
    rules: GrowthRules,
    names: Sequence[str],
) -> Tree:
    """Grow a tree of at most ``max_leaf_nodes`` leaves, with ``collapse`` and ``ccp_alpha``."""
    if options.max_leaf_nodes is None:
        tree = grow_by(rules)
    else:
        part = open_best_first_by_auc if options.growth == "whole_tree_auc" else open_best_first
        whole: list[Tree] = []

        def opened(grown: Tree, most: int) -> Tree:
            # The warning below needs the last tree that was grown, not only the part of it.
            whole[:] = [grown]
            return part(grown, most)

        tree = grow_best_first(grow_by, rules, options.max_leaf_nodes, opened)
        _warn_about_wide_splits(tree, whole[0], options.max_leaf_nodes, names)
    tree = collapse(tree) if options.collapse else tree
    if options.ccp_alpha == 0.0:
        return tree
    return cut(tree, ccp_path(tree, options, rules.class_weight).final(options.ccp_alpha))


def _warn_about_wide_splits(tree: Tree, whole: Tree, most: int, names: Sequence[str]) -> None:
    """Warn if a leaf of a part of a tree has a split there with more branches than leaves allowed.

    Parameters
    ----------
    tree, whole : Tree
        The part, and the tree that it begins.
    most : int
        Largest number of leaves.
    names : sequence of str
    """
    many = max(most, 2)
    if whole.n_children.max() <= many:
        return
    # Both are numbered level by level.
    place = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(~tree.is_leaf):
        branches = np.arange(tree.n_children[node])
        place[tree.first_child[node] + branches] = whole.first_child[place[node]] + branches
    wide = [node for node in place[tree.leaves] if whole.n_children[node] > many]
    if wide:
        name = names[int(whole.feature[wide[0]])]
        warnings.warn(
            ParameterWarning(
                reason="The best split, by column {column!r}, would have "
                f"{whole.n_children[wide[0]]} branches, one per category, and is not made because "
                f"of {{max_leaf_nodes={most}}}: use {{nominal='binary'}}, or leave the column out",
                column=name,
            ),
            stacklevel=stacklevel_outside_package(),
        )


def ccp_path(tree: Tree, options: FitOptions, class_weight: Floats) -> PruningPath:
    """Return the path of cost-complexity pruning by impurity, as in scikit-learn."""
    counts = tree.counts * class_weight
    weights = counts.sum(axis=1)
    impurities = node_impurities(options.criterion, counts)
    return weakest_links(tree, impurities * weights / (weights[0] or 1.0))


def _place_thresholds(
    tree: Tree, options: FitOptions, values: Floats, n_categories: NDArray[Any]
) -> Tree:
    if options.threshold == "midpoint":
        return tree
    if options.threshold == "node":
        return node_thresholds(tree, values)
    return observed_thresholds(tree, values, n_categories)


def class_totals(data: Dataset, n_threads: int = 1) -> Floats:
    """Return the weight of each class, independent of the order of rows."""
    weights, quantum = weight_grid(data.weights, n_threads)
    lost = int(np.count_nonzero(data.weights)) - int(np.count_nonzero(weights))
    if lost:
        warn_about_lost_rows(lost, weights.size, quantum, data.weights.max())
    return class_counts(data.labels, weights, data.schema.n_classes, n_threads)


def warn_about_lost_rows(lost: int, n_rows: int, quantum: float, largest: float) -> None:
    """Warn about rows whose weight is negligible relative to the largest."""
    warnings.warn(
        ParameterWarning(
            reason=f"{lost} of {n_rows} rows have no effect on the fit: their {{sample_weight}} "
            f"is below {quantum / 2.0:.3g}, too small relative to the largest, {largest:.3g}."
        ),
        stacklevel=stacklevel_outside_package(),
    )


# Pruning


def grow_and_prune(data: Dataset, grow_part: GrowPart, pruner: Pruner) -> tuple[Pruner, Pruned]:
    """Return the pruner with its options resolved, and the pruned tree."""
    evidence = need(pruner)
    if evidence == "held_out":
        holds_out = pruner if isinstance(pruner, HoldsOut) else ReducedError()
        divided = isinstance(pruner, ReducedError) and pruner.copies == "divided"
        kept, out = (hold_out_rows if divided else hold_out)(data, holds_out.fraction)
        tree = grow_part(kept)
        return pruner, prune(pruner, tree, node_counts(tree, out))
    tree = grow_part(data)
    if evidence == "folds":
        grown = ((grow_part(kept), out) for kept, out in folds(data))
        found = [Fold(part, node_counts(part, out)) for part, out in grown]
        # Too few distinct rows for folds: fall back to the training cases.
        return resolve_and_prune(pruner, tree, found or [Fold(tree, node_counts(tree, data))])
    return pruner, prune(pruner, tree, *([data] if evidence == "training" else []))


def prune_again(
    tree: Tree, pruner: Pruner, validation: Dataset | None, training: Dataset | None
) -> tuple[Pruner, Pruned]:
    """Return the pruner with its options resolved, and an existing tree pruned by it.

    Parameters
    ----------
    tree : Tree
    pruner : Pruner
    validation : Dataset or None
        Held-out cases, for pruners that need them.
    training : Dataset or None
        Training cases, for subtree raising.
    """
    evidence = need(pruner)
    if evidence == "training" and training is not None:
        return pruner, prune(pruner, tree, training)
    if evidence == "held_out":
        if validation is None:
            raise ParameterError(
                reason="{pruner!r} needs cases that did not grow the tree: give {X_val and y_val}.",
                pruner=pruner,
            )
        return pruner, prune(pruner, tree, node_counts(tree, validation))
    if evidence == "folds":
        own = [] if validation is None else [Fold(tree, node_counts(tree, validation))]
        return resolve_and_prune(pruner, tree, own)
    return pruner, prune(pruner, tree)


def resolve_and_prune(pruner: Pruner, tree: Tree, found: list[Fold]) -> tuple[Pruner, Pruned]:
    """Return the pruner with its options selected by the folds, and the pruned tree."""
    resolved = pruner.settled(tree, found) if isinstance(pruner, SelectsByFolds) else pruner
    return resolved, prune(resolved, tree, *([found] if need(resolved) == "folds" else []))


def prune(pruner: Pruner, tree: Tree, *evidence: object) -> Pruned:
    """Return the pruned tree and, if the pruner has costs, the labels of its nodes."""
    # Testing for the attribute is far faster than an isinstance check of the protocol.
    if getattr(pruner, "costs", None) is not None and isinstance(pruner, PrunesUnderCosts):
        return pruner.labelled(tree)
    smaller = pruner(tree, *evidence)
    if not isinstance(smaller, Tree):
        raise ParameterError(f"{pruner!r} returned {type(smaller).__name__}, not a Tree.")
    return Pruned(smaller)


def node_counts(tree: Tree, cases: Dataset) -> Floats:
    """Return the class counts of some cases at all nodes."""
    return node_class_counts(tree, cases.values, cases.labels, cases.weights)


# Smoothing


def select_smoother(
    smoother: Smoother, pruner: Pruner, data: Dataset, options: FitOptions, grow_part: GrowPart
) -> Smoother:
    """Return the smoother with "auto" resolved for trees that are grown and pruned in this way."""

    def fit_part(part: Dataset) -> Tree:
        tree = grow_and_prune(part, grow_part, pruner)[1].tree
        return soften(tree, options.softness, 1.0, part)

    return best_smoother(smoother, data, fit_part)


def best_smoother(smoother: Smoother, data: Dataset, fit_part: GrowPart) -> Smoother:
    """Return the smoother whose "auto" option has the lowest log-loss on held-out cases.

    Each fold has its own tree, because on the training cases of a tree the least smoothing always
    looks best.
    """
    candidates = choices(smoother)
    if len(candidates) == 1:
        return smoother
    losses = np.zeros(len(candidates))
    for kept, out in folds(data):
        tree = fit_part(kept)
        losses += [total_log_loss(tree, candidate, out) for candidate in candidates]
    # Without folds, for very few rows, all losses are zero: take a candidate from the middle.
    return candidates[int(losses.argmin()) if losses.any() else len(candidates) // 2]


def total_log_loss(tree: Tree, smoother: Smoother, cases: Dataset) -> float:
    """Return the weighted sum of negative log-probabilities, independent of the order of cases."""
    shares = mix(tree, cases.values, smoother(tree))
    of_truth = np.take_along_axis(shares, cases.labels[:, None].astype(np.int64), axis=1)
    logarithms = np.log(np.maximum(of_truth[:, 0], _LOG_LOSS_FLOOR))
    return -math.fsum(cases.weights * logarithms)


# Points


def add_points(
    model: FittedTree, data: Dataset, options: FitOptions, grow_part: GrowPart, n_threads: int = 1
) -> FittedTree:
    """Return a fitted tree with points; the table of points is empty if they do not help.

    They are learned from out-of-fold probabilities of trees fitted in the same way. If there are
    many cases, a sample is used.

    Parameters
    ----------
    model : FittedTree
        The tree, without points.
    data : Dataset
        Cases, normally the training cases.
    options : FitOptions
        With the points to learn.
    grow_part : callable
        Grows the unpruned tree of a part of the cases.
    n_threads : int
        Number of threads; the result does not depend on it.
    """
    assert options.points is not None
    cases = distinct_cases(data, MAX_CASES, _varying(data.values))
    positions = _positions_in_class(cases.labels, data.schema.n_classes)
    unit = min(1.0, float(data.weights.mean()))
    shares = np.empty((len(cases.labels), data.schema.n_classes))
    for fold in range(POINTS_FOLDS):
        out = positions % POINTS_FOLDS == fold
        if out.all() or not out.any():
            # Too few cases to hold some out.
            return replace(model, points=Scorecard(1.0, np.zeros(1), (), n_cases=len(out)))
        kept = select_rows(cases, ~out)
        tree = grow_and_prune(kept, grow_part, model.pruner)[1].tree
        tree = soften(tree, options.softness, 1.0, kept)
        estimates = probabilities(model.smoother, tree)
        shares[out] = mix(tree, cases.values[out], estimates, n_threads=n_threads)
    learned = PointsCases(
        cases.values,
        cases.labels.astype(np.int64),
        cases.weights / unit,
        shares,
        positions % PENALTY_FOLDS,
    )
    card, out, held_out = learn_points(options.points, learned, data.schema, n_threads)
    if not card.attributes:
        return replace(model, points=card)
    if len(held_out) > _MAX_EXACT_SCORES:
        held_out = np.round(held_out, _SCORE_DECIMALS[data.schema.n_classes > 2])
        held_out /= held_out.sum(axis=1, keepdims=True)
    known = select_rows(cases, out)
    leaf = apply(model.tree, known.values, n_threads=n_threads)
    return FittedScorecard.from_tree(model, card, ScoreGroups.grouped(held_out, known, leaf))


def distinct_cases(data: Dataset, most: int, columns: NDArray[np.bool_] | None = None) -> Dataset:
    """Return the distinct cases in an order that depends on content; at most ``most``, a sample.

    Copies are merged, and their weights added. The order is pseudo-random.

    Parameters
    ----------
    data : Dataset
    most : int
    columns : bool[features], optional
        The columns that the order depends on; None for all.
    """
    hashes = _hashes(data.values if columns is None else data.values[:, columns])
    # By values first, so that the order within a class does not depend on the names of classes.
    order = np.lexsort((data.labels, hashes))
    differs = (np.diff(each[order]) != 0 for each in (hashes, data.labels))
    new = np.append(True, np.logical_or(*differs))
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    places = order[new]
    totals = np.bincount(group, weight_grid(data.weights)[0]).astype(np.float64)
    chosen = places[:most]
    return replace(
        data,
        values=np.ascontiguousarray(data.values[chosen]),
        labels=data.labels[chosen],
        weights=totals[:most],
    )


def _positions_in_class(labels: NDArray[Any], n_classes: int) -> Ints:
    """Return the position of each case among those of its class, from 0."""
    positions = np.empty(len(labels), dtype=np.int64)
    for label in range(n_classes):
        rows = labels == label
        positions[rows] = np.arange(np.count_nonzero(rows))
    return positions


# Held-out data


def folds(data: Dataset, n_folds: int = N_FOLDS) -> Iterator[tuple[Dataset, Dataset]]:
    """Yield the data without a fold, and that fold, for each fold."""
    part = ranks_in_class(data) % n_folds
    for number in range(n_folds):
        if (part == number).any() and (part != number).any():
            yield select_rows(data, part != number), select_rows(data, part == number)


def hold_out(data: Dataset, fraction: float) -> tuple[Dataset, Dataset]:
    """Split the data in two, the second part with about this fraction of each class.

    Only the first part grows the tree, so rows that are far more common than others are divided
    between both.
    """
    ranks = ranks_in_class(data)
    out = np.floor((ranks + 1) * fraction) > np.floor(ranks * fraction)
    # In 1024ths, so that the parts of integer weights add up exactly.
    part = min(max(round(fraction * 1024), 1), 1023) / 1024
    shares = np.where(_common_rows(data, ranks), part, out)
    if (shares == 1.0).all():
        return data, data
    return _share_of_rows(data, 1.0 - shares), _share_of_rows(data, shares)


def hold_out_rows(data: Dataset, fraction: float) -> tuple[Dataset, Dataset]:
    """Split the data in two by rows, the second part with this fraction of each class.

    Copies of a row may be on both sides, as if rows were drawn at random.
    """
    hashes, n_rows = _row_hashes(data), np.arange(len(data.labels))
    # Identical rows of equal weight are interchangeable, so the order of the data does not matter.
    order = np.lexsort((data.weights, hashes, data.labels))
    _, first, copies = np.unique(
        np.stack([data.labels[order].astype(np.uint64), hashes[order]]),
        axis=1,
        return_index=True,
        return_inverse=True,
    )
    copy = np.empty_like(n_rows)
    copy[order] = n_rows - first[copies.reshape(-1)]
    # Each copy has its own place in a pseudo-random order.
    mixed = _mixed(hashes, copy.astype(np.uint64))
    order = np.lexsort((mixed, data.labels))
    ranks = np.empty_like(n_rows)
    ranks[order] = n_rows - np.searchsorted(data.labels[order], data.labels[order])
    out = np.floor((ranks + 1) * fraction) > np.floor(ranks * fraction)
    if out.all() or not out.any():
        return data, data
    return _share_of_rows(data, 1.0 - out), _share_of_rows(data, out.astype(np.float64))


def ranks_in_class(data: Dataset) -> Ints:
    """Return the rank of each distinct row among those of its class, in a pseudo-random order.

    Identical rows have the same rank.
    """
    mixed = _row_hashes(data)
    ranks = np.empty(len(mixed), dtype=np.int64)
    for label in range(data.schema.n_classes):
        rows = data.labels == label
        ranks[rows] = np.unique(mixed[rows], return_inverse=True)[1]
    return ranks


def _row_hashes(data: Dataset) -> NDArray[np.uint64]:
    """Return a number for each row that depends on its values only.

    Columns with a single value have no effect.
    """
    varies = _varying(data.values)
    return _hashes(data.values if varies.all() else data.values[:, varies])


def _varying(values: Floats) -> NDArray[np.bool_]:
    """Return which columns have more than one value, missing values included."""
    first = values[:1]
    return np.asarray(((values != first) & ~(np.isnan(values) & np.isnan(first))).any(axis=0))


def _hashes(values: Floats) -> NDArray[np.uint64]:
    # Adding zero turns -0.0 into 0.0.
    bits = (values + 0.0).view(np.uint64)
    bits[np.isnan(values)] = _MISSING_BITS
    mixed = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.T:
        mixed = _mixed(mixed, column)
    return mixed


def _mixed(hashes: NDArray[np.uint64], numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = (hashes ^ numbers) * _HASH_FACTOR
    return mixed ^ (mixed >> np.uint64(29))


def _common_rows(data: Dataset, ranks: Ints) -> NDArray[np.bool_]:
    """Return which rows, including copies, weigh far more than others of their class."""
    weights, _ = weight_grid(data.weights)
    common = np.zeros(len(ranks), dtype=np.bool_)
    for label in range(data.schema.n_classes):
        rows = data.labels == label
        if rows.any():
            totals = np.bincount(ranks[rows], weights[rows])
            common[rows] = (totals > COMMON * totals.mean())[ranks[rows]]
    return common


def _share_of_rows(data: Dataset, shares: Floats) -> Dataset:
    """Return the rows with a positive share, their weights multiplied by it."""
    chosen = select_rows(data, shares > 0.0)
    return replace(chosen, weights=chosen.weights * shares[shares > 0.0])


def select_rows(data: Dataset, chosen: NDArray[np.bool_]) -> Dataset:
    """Return some rows of a data set."""
    return replace(
        data,
        values=data.values[chosen],
        labels=data.labels[chosen],
        weights=data.weights[chosen],
    )
