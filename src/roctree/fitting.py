"""Fitting: from a data set and options to a fitted tree.

``fit`` is the whole path: grow, prune, soften thresholds, smooth. ``FitOptions`` holds every choice
that an estimator's parameters make, checked and with strategies resolved; nothing here knows an
estimator.

Pruning and smoothing strategies may leave an option to the data. Then parts of the training data
are held out. Identical rows stay together, so that a row of weight two and two rows give the same
parts and no case is judged by a tree that has seen its copy. Only rows that are far more common
than others are divided between both sides, where the tree that is kept would otherwise never see
them. The part of a row depends on its values alone, never on its position.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree import criteria, pruning, smoothing
from roctree.criteria import Criterion
from roctree.data import Dataset, Schema
from roctree.errors import ParameterError, ParameterWarning
from roctree.fitted import FittedTree, Training
from roctree.geometry import Spread, scale_of
from roctree.parameters import (
    RULES,
    GrowthOrder,
    Labels,
    SplitSearch,
    ThresholdChoice,
    check_parameter,
    class_weights,
    costs_in_class_order,
)
from roctree.pruning import Fold, Pruned, Pruner, ReducedError, need
from roctree.smoothing import Smoother, choices, probabilities
from roctree.tree.growth import Growth, Missing, Nominal, class_counts, grow, weight_grid
from roctree.tree.levels import Binned, LevelCallback, bin_dataset
from roctree.tree.prediction import divided_rows, mix, node_class_counts
from roctree.tree.shape import (
    best_first,
    best_first_by_auc,
    collapse,
    grow_best_first,
    observed_thresholds,
)
from roctree.tree.softness import harden, soften
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Grow = Callable[[Dataset], Tree]

N_FOLDS = 5
# Identical rows are common if they weigh more than this many times the mean of their class.
COMMON = 2.0
# Least probability that the log-loss charges for, so that an impossible outcome costs a finite sum.
_LEAST_PROBABILITY = 1e-15
# A bit pattern that is not a number, so that a missing value differs from zero.
_MISSING_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class FitOptions:
    """Every choice of a fit, checked; the fields are the parameters of ``ROCTreeClassifier``."""

    criterion: Criterion
    pruning: Pruner
    smoothing: Smoother
    max_depth: int | None
    max_leaves: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    min_gain: float
    nominal: Nominal
    missing: Missing
    threshold: ThresholdChoice
    growth: GrowthOrder
    collapse: bool
    c45_numeric_minimum: bool
    labels: Labels
    ranking: str
    width: float
    metric: Any
    geometric_probability: bool
    splits: SplitSearch
    max_bins: int
    class_weight: Any
    categorical_features: Any

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "FitOptions":
        """Check the parameters of an estimator and resolve its strategies."""
        resolved = {
            "criterion": criteria.resolve(parameters["criterion"]),
            "pruning": pruning.resolve(parameters["pruning"]),
            "smoothing": smoothing.resolve(parameters["smoothing"]),
        }
        for name in RULES:
            check_parameter(name, parameters[name])
        if parameters["growth"] == "whole_tree_auc" and parameters["max_leaves"] is None:
            raise ParameterError(
                parameter="growth",
                value="whole_tree_auc",
                reason="chooses the leaves of a small tree: give {max_leaves} as well, such as 32",
            )
        given = {field.name: parameters[field.name] for field in fields(cls)}
        return cls(**(given | resolved))

    def growth_rules(self, classes: NDArray[Any], totals: Floats, n_rows: int) -> Growth:
        """Return the rules of growth for data with these classes, class weights and rows."""
        self._warn_about_small_weights(float(totals.sum()), n_rows)
        weights = class_weights(self.class_weight, classes, totals)
        return Growth(
            criterion=self.criterion,
            class_weight=weights,
            nominal=self.nominal,
            missing=self.missing,
            max_depth=self.max_depth,
            min_split=self.min_samples_split,
            min_leaf=self.min_samples_leaf,
            min_class_weighted_leaf=self.min_weight_fraction_leaf * float(totals @ weights),
            min_gain=self.min_gain,
            c45_numeric_minimum=self.c45_numeric_minimum,
        )

    @property
    def softness(self) -> float:
        """Width of the soft thresholds; 0 for hard ones."""
        return self.width if self.ranking == "soft" else 0.0

    def _warn_about_small_weights(self, total: float, n_rows: int) -> None:
        needed = max(self.min_samples_split, 2 * self.min_samples_leaf)
        if total < needed <= n_rows:
            warnings.warn(
                ParameterWarning(
                    reason=f"{{sample_weight}} adds up to {total:g} over {n_rows} rows, and a node "
                    f"below {needed:g} is not split: scale the weights to a mean of 1, or lower "
                    "{min_samples_split} and {min_samples_leaf}."
                ),
                stacklevel=5,
            )


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
    rules = options.growth_rules(data.schema.classes, class_totals(data), len(data.labels))
    grow_part = partial(grow_tree, options=options, rules=rules, n_threads=n_threads)
    return fit_grown(data, options, training, grow_part, rules.class_weight, n_threads)


def fit_grown(
    data: Dataset,
    options: FitOptions,
    training: Training,
    grow: Grow,
    class_weight: Floats,
    n_threads: int = 1,
) -> FittedTree:
    """Prune, soften and smooth the tree that ``grow`` makes of the data, or of parts of it."""
    pruner = costs_in_class_order(options.pruning, data.schema.classes)
    spread = Spread.from_rows(data.values, data.weights)
    scale = scale_of(options.metric, spread, data.schema)
    pruner, pruned = grow_and_prune(data, grow, pruner)
    tree = soften(pruned.tree, options.softness, 1.0, data)
    fitted = assemble(
        options,
        data.schema,
        training,
        pruner=pruner,
        pruned=pruned._replace(tree=tree),
        smoother=resolve_smoother(options.smoothing, pruner, data, options, grow),
        class_weight=class_weight,
        spread=spread,
        scale=scale,
        divides_cases=_divides_cases(options, tree, data.values),
    )
    return fitted.with_geometric(data, n_threads) if options.geometric_probability else fitted


def assemble(
    options: FitOptions,
    schema: Schema,
    training: Training,
    *,
    pruned: Pruned,
    smoother: Smoother,
    **parts: Any,
) -> FittedTree:
    """Return the fitted tree of a pruned tree and what was learned beside it."""
    return FittedTree(
        schema=schema,
        training=training,
        tree=pruned.tree,
        node_labels=pruned.labels,
        smoother=smoother,
        probabilities=probabilities(smoother, pruned.tree),
        labels=options.labels,
        ranking=options.ranking,
        width=options.width,
        **parts,
    )


def _divides_cases(options: FitOptions, tree: Tree, values: Floats) -> bool:
    """Whether missing values divide training cases among leaves."""
    if options.missing == "branch" or not np.isnan(values).any():
        return False
    return bool(divided_rows(harden(tree), values).any())


# Growth


def grower(data: Dataset, options: FitOptions, n_threads: int = 1) -> Grow:
    """Return a function that grows trees of parts of the data, by the rules for all of it."""
    rules = options.growth_rules(data.schema.classes, class_totals(data), len(data.labels))
    return partial(grow_tree, options=options, rules=rules, n_threads=n_threads)


def grow_tree(data: Dataset, options: FitOptions, rules: Growth, n_threads: int = 1) -> Tree:
    """Return the tree of a data set, not pruned yet."""
    if options.splits == "binned":
        binned = bin_dataset(data, options.max_bins, n_threads)
        return grow_binned_tree(binned, options, rules, n_threads)
    tree = grow_to_size(lambda limits: grow(data, limits, n_threads), options, rules)
    return _place_thresholds(tree, options, data.values, data.schema.n_categories)


def grow_binned_tree(
    binned: Binned,
    options: FitOptions,
    rules: Growth,
    n_threads: int,
    finished: LevelCallback = lambda n_levels: None,
) -> Tree:
    """Return the tree of binned data, wherever the rows are stored.

    Only the values at the edges of bins are known; thresholds lie between those.
    """
    grow_bins = partial(binned.grow, n_threads=n_threads, finished=finished)
    tree, edges = grow_to_size(grow_bins, options, rules), binned.edges
    return _place_thresholds(tree, options, binned.bounds.values, edges.size * edges.nominal)


def grow_to_size(grow: Callable[[Growth], Tree], options: FitOptions, rules: Growth) -> Tree:
    """Grow a tree of at most ``max_leaves`` leaves and collapse it if asked to."""
    if options.max_leaves is None:
        tree = grow(rules)
    else:
        part = best_first_by_auc if options.growth == "whole_tree_auc" else best_first
        tree = grow_best_first(grow, rules, options.max_leaves, part)
    return collapse(tree) if options.collapse else tree


def _place_thresholds(
    tree: Tree, options: FitOptions, values: Floats, n_categories: NDArray[Any]
) -> Tree:
    if options.threshold == "midpoint":
        return tree
    return observed_thresholds(tree, values, n_categories)


def class_totals(data: Dataset) -> Floats:
    """Return the weight of each class, independent of the order of rows."""
    weights, quantum = weight_grid(data.weights)
    lost = int(np.count_nonzero((weights == 0.0) & (data.weights > 0.0)))
    warn_about_lost_rows(lost, weights.size, quantum, data.weights.max(), stacklevel=4)
    return class_counts(data.labels, weights, data.schema.n_classes)


def warn_about_lost_rows(
    lost: int, n_rows: int, quantum: float, largest: float, stacklevel: int
) -> None:
    """Warn about rows whose weight is too small to be represented beside the largest."""
    if lost:
        warnings.warn(
            ParameterWarning(
                reason=f"{lost} of {n_rows} rows have no effect on the fit: their "
                f"{{sample_weight}} is below {quantum / 2.0:.3g}, too small relative to the "
                f"largest, {largest:.3g}."
            ),
            stacklevel=stacklevel + 1,
        )


# Pruning


def grow_and_prune(data: Dataset, grow: Grow, pruner: Pruner) -> tuple[Pruner, Pruned]:
    """Return the pruner with its options resolved, and the tree that it makes of the data."""
    wanted = need(pruner)
    if wanted == "held_out":
        kept, out = hold_out(data, getattr(pruner, "fraction", ReducedError().fraction))
        tree = grow(kept)
        return pruner, prune(pruner, tree, node_counts(tree, out))
    tree = grow(data)
    if wanted == "folds":
        evidence = [_grow_fold(grow, kept, out) for kept, out in folds(data)]
        # Too few distinct rows for folds: fall back to the training cases.
        own = Fold(tree, node_counts(tree, data))
        return resolve_and_prune(pruner, tree, evidence or [own])
    return pruner, prune(pruner, tree, *([data] if wanted == "training" else []))


def _grow_fold(grow: Grow, kept: Dataset, out: Dataset) -> Fold:
    tree = grow(kept)
    return Fold(tree, node_counts(tree, out))


def prune_again(
    tree: Tree, pruner: Pruner, validation: Dataset | None, training: Dataset | None
) -> tuple[Pruner, Pruned]:
    """Return the pruner with its options resolved, and what it makes of an existing tree.

    Parameters
    ----------
    tree : Tree
    pruner : Pruner
    validation : Dataset or None
        Cases that did not grow the tree, for pruners that choose by them.
    training : Dataset or None
        The cases that did, for subtree raising.
    """
    wanted = need(pruner)
    if wanted == "training" and training is not None:
        return pruner, prune(pruner, tree, training)
    if wanted == "held_out":
        if validation is None:
            raise ParameterError(
                reason="{pruner!r} needs other cases: give {X_val and y_val}.", pruner=pruner
            )
        return pruner, prune(pruner, tree, node_counts(tree, validation))
    if wanted == "folds":
        own = [] if validation is None else [Fold(tree, node_counts(tree, validation))]
        return resolve_and_prune(pruner, tree, own)
    return pruner, prune(pruner, tree)


def resolve_and_prune(pruner: Pruner, tree: Tree, evidence: list[Fold]) -> tuple[Pruner, Pruned]:
    """Return the pruner with what the folds decide, and the tree that it makes."""
    settled = pruner.settled(tree, evidence) if hasattr(pruner, "settled") else pruner
    return settled, prune(settled, tree, *([evidence] if need(settled) == "folds" else []))


def prune(pruner: Pruner, tree: Tree, *evidence: object) -> Pruned:
    """Return the pruned tree and, if the pruner has costs, the labels of its nodes."""
    if getattr(pruner, "costs", None) is not None:
        found: Pruned = pruner.labelled(tree)  # type: ignore[attr-defined]
        return found
    smaller = pruner(tree, *evidence)
    if not isinstance(smaller, Tree):
        raise ParameterError(f"{pruner!r} returned {type(smaller).__name__}, not a Tree.")
    return Pruned(smaller)


def node_counts(tree: Tree, cases: Dataset) -> Floats:
    """Return the class counts of some cases at all nodes."""
    return node_class_counts(tree, cases.values, cases.labels, cases.weights)


# Smoothing


def resolve_smoother(
    smoother: Smoother, pruner: Pruner, data: Dataset, options: FitOptions, grow: Grow
) -> Smoother:
    """Return the smoother with "auto" resolved for trees that are grown and pruned like this."""

    def fit_tree(part: Dataset) -> Tree:
        tree = grow_and_prune(part, grow, pruner)[1].tree
        return soften(tree, options.softness, 1.0, part)

    return best_smoother(smoother, data, fit_tree)


def best_smoother(smoother: Smoother, data: Dataset, fit_tree: Grow) -> Smoother:
    """Return the smoother whose "auto" option has the least log-loss on held-out cases.

    Each fold has a tree of its own, since on the training cases of a tree the least smoothing
    always looks best.
    """
    candidates = choices(smoother)
    if len(candidates) == 1:
        return smoother
    losses = np.zeros(len(candidates))
    for kept, out in folds(data):
        tree = fit_tree(kept)
        losses += [log_loss(tree, candidate, out) for candidate in candidates]
    # Without folds, for very few rows, all losses are zero: take a candidate from the middle.
    return candidates[int(losses.argmin()) if losses.any() else len(candidates) // 2]


def log_loss(tree: Tree, smoother: Smoother, cases: Dataset) -> float:
    """Return the weighted sum of minus log probability, independent of the order of cases."""
    shares = mix(tree, cases.values, smoother(tree))
    of_truth = np.take_along_axis(shares, cases.labels[:, None].astype(np.int64), axis=1)
    logarithms = np.log(np.maximum(of_truth[:, 0], _LEAST_PROBABILITY))
    return -math.fsum(cases.weights * logarithms)


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


def ranks_in_class(data: Dataset) -> Ints:
    """Return the rank of each distinct row among those of its class, in a pseudo-random order.

    Identical rows have the same rank.
    """
    # Adding zero turns -0.0 into 0.0.
    bits = (data.values + 0.0).view(np.uint64)
    bits[np.isnan(data.values)] = _MISSING_BITS
    mixed = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.T:
        mixed = (mixed ^ column) * _HASH_FACTOR
        mixed ^= mixed >> np.uint64(29)
    ranks = np.empty(len(mixed), dtype=np.int64)
    for label in range(data.schema.n_classes):
        rows = data.labels == label
        ranks[rows] = np.unique(mixed[rows], return_inverse=True)[1]
    return ranks


def _common_rows(data: Dataset, ranks: Ints) -> NDArray[np.bool_]:
    """Return which rows weigh, with their copies, far more than others of their class."""
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
