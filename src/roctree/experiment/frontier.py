"""Size against quality: what small trees lose, for each way of making a tree small.

Each way makes trees of several sizes from the same training cases; all are tested on the same
folds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.classifier import training_data
from roctree.data import Dataset, encode_known_labels, take_rows
from roctree.errors import DataError, ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.experiment.designs import CrossValidation
from roctree.fitting import FitOptions
from roctree.models.distill import Booster, distill
from roctree.parameters import check_seed
from roctree.points import Points
from roctree.presets import readable
from roctree.progress import CountCallback, check_callback
from roctree.pruning import AUCPruning, CostComplexity
from roctree.requests import cost_table, least_cost_classes
from roctree.roc import mauc
from roctree.strategy import is_finite_number
from roctree.text import DisplayTable, did_you_mean

Trees = Iterator[ROCTreeClassifier]

LEAVES = (4, 8, 16, 32, 64)
# Lower bound of a probability in the log-loss.
_LOG_LOSS_FLOOR = 1e-15


class TrainingFold(NamedTuple):
    """What each way makes the trees of one fold from.

    Parameters
    ----------
    X, y
        Training cases.
    leaves : sequence of int
        Maximum number of leaves of each tree.
    parameters : dict
        Parameters of ``ROCTreeClassifier``.
    seed : int
        Seed of generated cases.
    """

    X: Any
    y: Any
    leaves: Sequence[int]
    parameters: dict[str, Any]
    seed: int


def trees_grown_best_first(fold: TrainingFold) -> Trees:
    """Grow best-first: split the leaf with the largest gain."""
    for most in fold.leaves:
        yield ROCTreeClassifier(**(fold.parameters | {"max_leaf_nodes": most})).fit(fold.X, fold.y)


def whole_tree_auc(fold: TrainingFold) -> Trees:
    """Split the leaf that increases the area of the whole tree most."""
    for most in fold.leaves:
        chosen = fold.parameters | {"max_leaf_nodes": most, "growth": "whole_tree_auc"}
        yield ROCTreeClassifier(**chosen).fit(fold.X, fold.y)


def soft(fold: TrainingFold) -> Trees:
    """The same with soft thresholds: ``presets.readable``."""
    for most in fold.leaves:
        yield readable(**(fold.parameters | {"max_leaf_nodes": most})).fit(fold.X, fold.y)


def cost_complexity(fold: TrainingFold) -> Trees:
    """Prune the full tree where the error increases least per leaf."""
    whole = ROCTreeClassifier(**fold.parameters).fit(fold.X, fold.y)
    path = whole.pruning_path()
    prices = path.between()
    for most in fold.leaves:
        price = prices[int(np.argmax(path.n_leaves <= most))]
        yield whole.pruned(CostComplexity(alpha=float(price)))


def auc_pruning(fold: TrainingFold) -> Trees:
    """Prune the full tree where its area decreases least per leaf."""
    whole = ROCTreeClassifier(**fold.parameters).fit(fold.X, fold.y)
    for most in fold.leaves:
        yield whole.pruned(AUCPruning(max_leaves=most))


def with_points(max_attributes: int | None, fold: TrainingFold) -> Trees:
    """Add curves of points for some attributes to soft trees."""
    points = Points(shape="curves", max_attributes=max_attributes)
    for most in fold.leaves:
        chosen = fold.parameters | {"max_leaf_nodes": most, "points": points}
        yield readable(**chosen).fit(fold.X, fold.y)


def distilled(fold: TrainingFold) -> Trees:
    """Distil a gradient-boosting teacher into a tree with soft thresholds."""
    teacher = Booster.from_cases(_encoded_cases(fold.X, fold.y, fold.parameters), fold.seed)
    for most in fold.leaves:
        yield distill(
            teacher, fold.X, fold.y, random_state=fold.seed,
            **(fold.parameters | {"max_leaf_nodes": most}),
        )  # fmt: skip


WAYS: dict[str, Callable[[TrainingFold], Trees]] = {
    "best_first": trees_grown_best_first,
    "whole_tree_auc": whole_tree_auc,
    "cost_complexity": cost_complexity,
    "auc_pruning": auc_pruning,
    "soft": soft,
    "points_3": partial(with_points, 3),
    "points_6": partial(with_points, 6),
    "points": partial(with_points, None),
    "distilled": distilled,
}


@dataclass(frozen=True)
class FrontierPoint:
    """Means over the folds for the trees of one way and size.

    Parameters
    ----------
    way : str
        How the trees were made small.
    max_leaves : int
        Maximum number of leaves.
    n_leaves : float
        Number of leaves.
    auc, auc_deviation : float
        Area under the ROC curve, Hand and Till's for more than two classes, and its standard
        deviation over the folds.
    log_loss : float
        Negative logarithm of the probability of the true class.
    cost : float
        Cost per case; without costs, the error rate.
    """

    way: str
    max_leaves: int
    n_leaves: float
    auc: float
    auc_deviation: float
    log_loss: float
    cost: float


@dataclass(frozen=True, repr=False)
class Frontier(DisplayTable):
    """Quality of trees of each way and size, by cross-validation."""

    head: ClassVar = ("way", "at most", "leaves", "AUC", "±", "log-loss", "cost")

    points: tuple[FrontierPoint, ...]

    @property
    def ways(self) -> list[str]:
        """The ways, in order."""
        return list(dict.fromkeys(point.way for point in self.points))

    def of(self, way: str) -> list[FrontierPoint]:
        """Return the points of one way, by increasing size."""
        return sorted(
            (point for point in self.points if point.way == way),
            key=lambda point: point.max_leaves,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name."""
        names = FrontierPoint.__dataclass_fields__
        return {name: [getattr(point, name) for point in self.points] for name in names}

    def cells(self) -> list[list[str]]:
        """Return the cells of the table as text."""
        return [
            [
                point.way,
                str(point.max_leaves),
                f"{point.n_leaves:.1f}",
                f"{point.auc:.4f}",
                f"{point.auc_deviation:.4f}",
                f"{point.log_loss:.4f}",
                f"{point.cost:.4f}",
            ]
            for point in self.points
        ]


def frontier(  # noqa: PLR0913 - independent options
    X: Any,
    y: Any,
    *,
    leaves: int | Sequence[int] = LEAVES,
    ways: str | Sequence[str] | None = None,
    folds: int = 5,
    repeats: int = 1,
    cost_matrix: Any = None,
    random_state: int | None = 0,
    progress: CountCallback | None = None,
    **parameters: Any,
) -> Frontier:
    """Measure the quality of trees of several sizes, made small in several ways.

    Parameters
    ----------
    X, y : table of shape (n_samples, n_features)
        The cases.
    leaves : int or sequence of int, default=(4, 8, 16, 32, 64)
        Maximum numbers of leaves.
    ways : str or sequence of str, default=None
        Any of "best_first", "whole_tree_auc", "cost_complexity", "auc_pruning", "soft",
        "points_3", "points_6", "points" (soft trees with points for at most 3, 6 or all attributes)
        and "distilled"; None for all.
    folds, repeats : int
        Folds and repetitions of stratified cross-validation.
    cost_matrix : array-like or dict, default=None
        Costs [predicted][true], by index or by label; None for a cost of 1 per error.
    random_state : int, default=0
        Seed of the folds and of generated cases; None for a random one.
    progress : callable, default=None
        Callback that takes the finished and the total number of trees.
    **parameters
        Parameters of ``ROCTreeClassifier``, except those that sizes and ways determine.

    Returns
    -------
    Frontier
        One row per way and size; prints as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> frontier(*load_iris(return_X_y=True), leaves=[2, 4], ways=["best_first", "soft"], folds=2)
           way  at most  leaves     AUC       ±  log-loss    cost
    best_first        2     2.0  0.8333  0.0000    0.5109  0.3333
    best_first        4     4.0  0.9012  0.0356    0.4080  0.0933
          soft        2     2.0  0.8333  0.0000    0.5831  0.3333
          soft        4     4.0  0.9728  0.0107    0.3337  0.0733
    """
    chosen = _chosen(WAYS if ways is None else ways)
    sizes = _checked_sizes(leaves)
    _reject_swept_parameters(parameters)
    check_callback(progress)
    seed = check_seed(random_state)
    design = CrossValidation(folds, repeats, seed)
    cases = _encoded_cases(X, y, parameters)
    classes, labels = cases.schema.classes, cases.labels
    _check_classes(classes, labels)
    costs, named = cost_table(cost_matrix, classes), classes[labels]
    results: dict[tuple[str, int], list[Floats]] = {
        (way, size): [] for way in chosen for size in sizes
    }
    done, total = 0, len(results) * folds * repeats
    for split in design.splits(labels):
        train, test = split.train, split.test
        training = TrainingFold(take_rows(X, train), named[train], sizes, parameters, seed)
        held_out = take_rows(X, test), named[test]
        for way in chosen:
            for size, tree in zip(sizes, WAYS[way](training), strict=True):
                results[way, size].append(_test(tree, *held_out, costs))
                done += 1
                if progress is not None:
                    progress(done, total)
    return Frontier(tuple(_mean_point(*key, np.array(found)) for key, found in results.items()))


def _encoded_cases(X: Any, y: Any, parameters: dict[str, Any]) -> Dataset:
    """Encode the cases as a tree with these parameters would."""
    return training_data(X, y, None, ROCTreeClassifier(**parameters).categorical_features)


def _test(tree: ROCTreeClassifier, X: Any, y: Any, costs: Floats) -> Floats:
    """Return number of leaves, area, log-loss and cost of a tree on test cases."""
    shares, labels = tree.predict_proba(X), encode_known_labels(y, tree.classes_)
    of_truth = np.maximum(shares[np.arange(len(labels)), labels], _LOG_LOSS_FLOOR)
    positive = tree.fitted_.class_of_interest
    cost = costs[least_cost_classes(shares, costs, tree.classes_, positive), labels].mean()
    area = mauc(shares, np.eye(tree.n_classes_)[labels])
    return np.array([tree.get_n_leaves(), area, -np.log(of_truth).mean(), cost])


def _mean_point(way: str, size: int, found: Floats) -> FrontierPoint:
    n_leaves, _, loss, cost = found.mean(axis=0).tolist()
    # The area is undefined on a fold that lacks a rare class.
    areas = found[~np.isnan(found[:, 1]), 1]
    area, deviation = (float(areas.mean()), float(areas.std())) if areas.size else (np.nan, np.nan)
    return FrontierPoint(way, size, n_leaves, area, deviation, loss, cost)


def _chosen(ways: str | Iterable[str]) -> list[str]:
    names = list(ways) if isinstance(ways, Iterable) and not isinstance(ways, str) else [ways]
    if not names:
        raise ParameterError(
            parameter="ways",
            value=[],
            reason="is empty: choose from {known}",
            known=", ".join(WAYS),
        )
    for way in names:
        if not (isinstance(way, str) and way in WAYS):
            raise ParameterError(
                parameter="ways",
                value=way,
                reason="is not known{suggestion}: choose from {known}",
                suggestion=did_you_mean(way, WAYS),
                known=", ".join(WAYS),
            )
    return list(dict.fromkeys(names))


def _checked_sizes(leaves: Any) -> list[int]:
    sizes = [leaves] if np.ndim(leaves) == 0 else list(leaves)
    whole = all(is_finite_number(size) and size == int(size) and size >= 1 for size in sizes)
    if not sizes or not whole:
        raise ParameterError(
            parameter="leaves", value=leaves, reason="is not allowed: give integers of at least 1"
        )
    return sorted({int(size) for size in sizes})


def _reject_swept_parameters(parameters: dict[str, Any]) -> None:
    for name, instead in (
        ("max_leaf_nodes", "leaves"),
        ("growth", "ways"),
        ("ranking", "ways"),
        ("points", "ways"),
    ):
        if name in parameters:
            raise ParameterError(
                reason=f"{{{name}}} is varied by frontier: use {{{instead}}} instead"
            )
    FitOptions.from_parameters(readable(**parameters).get_params(deep=False))


def _check_classes(classes: Any, labels: NDArray[Any]) -> None:
    if len(classes) < 2:
        raise DataError("y has only one class: frontier needs at least two.")
    for label, count in zip(classes.tolist(), np.bincount(labels), strict=True):
        if count < 2:
            raise DataError(
                f"y has only one case of class {label!r}: training and testing need one each. Add "
                "cases, or drop the class."
            )
