"""What fit leaves to other cases: how much to prune and to smooth, by parts of the data held out.

Rows that are alike stay together, so that a row of weight two and two rows give the same parts,
and no case is judged by a tree that has seen its double; but a kind of rows that is common goes in
part to either side where the tree that is kept would otherwise never see it. Which part a row is in
depends on the rows alone, never on where they stand.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.errors import ParameterError
from roctree.pruning import Fold, Pruned, Pruner, ReducedError, need
from roctree.smoothing import Smoother, choices
from roctree.tree.apply import class_counts, mix
from roctree.tree.growth import weight_grid
from roctree.tree.tree import Tree

Grow = Callable[[Dataset], Tree]
Ints = NDArray[np.int64]

N_FOLDS = 5
# A kind of rows is common if it weighs more than so many times the mean of its class.
COMMON = 2.0
# An outcome that a tree thought impossible costs no more than this.
_LEAST_PROBABILITY = 1e-15
# The bits of no number, so that a missing value is not taken for a zero.
_MISSING = np.uint64(0xFFFFFFFFFFFFFFFF)
_PRIME = np.uint64(0x9E3779B97F4A7C15)


def grown_and_pruned(dataset: Dataset, grow: Grow, pruner: Pruner) -> tuple[Pruner, Pruned]:
    """Return the pruner with all its options settled, and the tree it makes of the data."""
    wanted = need(pruner)
    if wanted == "held_out":
        kept, out = held_out(dataset, getattr(pruner, "fraction", ReducedError().fraction))
        tree = grow(kept)
        return pruner, pruned(pruner, tree, counts_of(tree, out))
    tree = grow(dataset)
    if wanted == "folds":
        fold_trees = [Fold(*_grown(grow, *parts)) for parts in folds(dataset)]
        # So few kinds of rows that there are no folds: the training cases must do.
        own = Fold(tree, counts_of(tree, dataset))
        return settled_and_pruned(pruner, tree, fold_trees or [own])
    return pruner, pruned(pruner, tree, *([dataset] if wanted == "training" else []))


def pruned_again(
    tree: Tree, pruner: Pruner, validation: Dataset | None, training: Dataset | None
) -> tuple[Pruner, Pruned]:
    """Return the pruner with all its options settled, and what it makes of a tree that is there.

    Parameters
    ----------
    tree : the tree
    pruner : the pruner
    validation : cases that did not grow the tree, for pruners that choose by them
    training : the cases that did, for subtree raising
    """
    wanted = need(pruner)
    if wanted == "training" and training is not None:
        return pruner, pruned(pruner, tree, training)
    if wanted == "held_out":
        if validation is None:
            raise ParameterError(f"{pruner!r} decides by other cases: give X_val and y_val.")
        return pruner, pruned(pruner, tree, counts_of(tree, validation))
    if wanted == "folds":
        own = [] if validation is None else [Fold(tree, counts_of(tree, validation))]
        return settled_and_pruned(pruner, tree, own)
    return pruner, pruned(pruner, tree)


def settled_and_pruned(pruner: Pruner, tree: Tree, fold_trees: list[Fold]) -> tuple[Pruner, Pruned]:
    """Return the pruner with what the folds decide, and the tree it makes."""
    settled = pruner.settled(tree, fold_trees) if hasattr(pruner, "settled") else pruner
    evidence = [fold_trees] if need(settled) == "folds" else []
    return settled, pruned(settled, tree, *evidence)


def pruned(pruner: Pruner, tree: Tree, *evidence: object) -> Pruned:
    """Return the pruned tree and the labels of its nodes, by costs where the pruner has any."""
    if getattr(pruner, "costs", None) is not None:
        found: Pruned = pruner.labelled(tree)  # type: ignore[attr-defined]
        return found
    smaller = pruner(tree, *evidence)
    if not isinstance(smaller, Tree):
        raise ParameterError(f"{pruner!r} gives {type(smaller).__name__}, and should give a Tree.")
    return Pruned(smaller)


def best_smoother(smoother: Smoother, dataset: Dataset, fit_tree: Grow) -> Smoother:
    """Return what an option left at "auto" should be: that of least loss on held-out cases.

    The loss is minus the logarithm of the probability of what was the case. Each fold has a tree of
    its own: on the training cases of a tree the least smoothing always seems best.
    """
    candidates = choices(smoother)
    if len(candidates) == 1:
        return smoother
    losses = np.zeros(len(candidates))
    for kept, out in folds(dataset):
        tree = fit_tree(kept)
        losses += [log_loss(tree, candidate, out) for candidate in candidates]
    # Without folds, of very few rows, all are equal: take one from the middle.
    return candidates[int(losses.argmin()) if losses.any() else len(candidates) // 2]


def log_loss(tree: Tree, smoother: Smoother, cases: Dataset) -> float:
    """Return the sum of minus log probability over the cases, whatever their order."""
    probabilities = mix(tree, cases.values, smoother(tree))
    of_truth = np.take_along_axis(probabilities, cases.labels[:, None].astype(np.int64), axis=1)
    logarithms = np.log(np.maximum(of_truth[:, 0], _LEAST_PROBABILITY))
    return -math.fsum(cases.weights * logarithms)


def counts_of(tree: Tree, cases: Dataset) -> NDArray[np.float64]:
    """Return the class counts of some cases at the nodes of a tree."""
    return class_counts(tree, cases.values, cases.labels, cases.weights)


def folds(dataset: Dataset, n_folds: int = N_FOLDS) -> Iterator[tuple[Dataset, Dataset]]:
    """Yield the data without a part, and that part, for each of several parts."""
    part = ranks_in_class(dataset) % n_folds
    for number in range(n_folds):
        if (part == number).any() and (part != number).any():
            yield rows_of(dataset, part != number), rows_of(dataset, part == number)


def held_out(dataset: Dataset, fraction: float) -> tuple[Dataset, Dataset]:
    """Return the data in two parts, the second with about this fraction of each class.

    A tree grown from the first part alone must know the common kinds of rows: these are divided.
    """
    ranks = ranks_in_class(dataset)
    out = np.floor((ranks + 1) * fraction) > np.floor(ranks * fraction)
    # In 1024ths, the parts of whole weights add up exactly.
    part = min(max(round(fraction * 1024), 1), 1023) / 1024
    shares = np.where(common(dataset, ranks), part, out)
    if (shares == 1.0).all():
        return dataset, dataset
    return part_of(dataset, 1.0 - shares), part_of(dataset, shares)


def common(dataset: Dataset, ranks: Ints) -> NDArray[np.bool_]:
    """Return which rows are of a kind that weighs far more than others of its class."""
    weights, _ = weight_grid(dataset.weights)
    found = np.zeros(len(ranks), dtype=np.bool_)
    for label in range(dataset.schema.n_classes):
        rows = dataset.labels == label
        if rows.any():
            of_kind = np.bincount(ranks[rows], weights[rows])
            found[rows] = (of_kind > COMMON * of_kind.mean())[ranks[rows]]
    return found


def part_of(dataset: Dataset, shares: NDArray[np.float64]) -> Dataset:
    """Return the rows of which some share is wanted, with that share of their weight."""
    wanted = rows_of(dataset, shares > 0.0)
    return replace(wanted, weights=wanted.weights * shares[shares > 0.0])


def rows_of(dataset: Dataset, chosen: NDArray[np.bool_]) -> Dataset:
    """Return some rows of a data set."""
    return replace(
        dataset,
        values=dataset.values[chosen],
        labels=dataset.labels[chosen],
        weights=dataset.weights[chosen],
    )


def ranks_in_class(dataset: Dataset) -> Ints:
    """Return for each row the number of its kind among those of its class, in a random order.

    Rows with the same values and label are of one kind.
    """
    # Adding zero makes one of the two zeros.
    bits = (dataset.values + 0.0).view(np.uint64)
    bits[np.isnan(dataset.values)] = _MISSING
    mixed = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.T:
        mixed = (mixed ^ column) * _PRIME
        mixed ^= mixed >> np.uint64(29)
    ranks = np.empty(len(mixed), dtype=np.int64)
    for label in range(dataset.schema.n_classes):
        rows = dataset.labels == label
        ranks[rows] = np.unique(mixed[rows], return_inverse=True)[1]
    return ranks


def _grown(grow: Grow, kept: Dataset, out: Dataset) -> tuple[Tree, NDArray[np.float64]]:
    tree = grow(kept)
    return tree, counts_of(tree, out)
