"""Size against quality: what a tree of few leaves loses, for each way to make it small.

A way makes trees of several sizes from the same cases; all are tried on the same folds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.classifier import training_data
from roctree.data import Dataset
from roctree.data.cells import take_rows
from roctree.data.labels import labels_of
from roctree.errors import DataError, ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.experiment.designs import CrossValidation
from roctree.fitting import FitOptions
from roctree.operating import cheapest, checked_seed, cost_table
from roctree.progress import check_callback
from roctree.pruning import AUCPruning, CostComplexity
from roctree.roc import mauc
from roctree.strategy import is_number, nearest
from roctree.systems.distill import Booster, distill
from roctree.systems.presets import readable
from roctree.table import as_frame, as_html, as_rich, as_text

Floats = NDArray[np.float64]
Trees = Iterator[ROCTreeClassifier]
Progress = Callable[[int, int], None]

LEAVES = (4, 8, 16, 32, 64)
HEAD = ("way", "at most", "leaves", "AUC", "±", "log-loss", "cost")
# An outcome that a tree thought impossible costs no more than this.
_LEAST_PROBABILITY = 1e-15


class Lesson(NamedTuple):
    """What the trees of one fold are made from."""

    X: Any
    y: Any
    leaves: Sequence[int]
    parameters: dict[str, Any]
    seed: int


def best_first(lesson: Lesson) -> Trees:
    """Open the leaf whose split gains most."""
    for most in lesson.leaves:
        yield ROCTreeClassifier(**(lesson.parameters | {"max_leaves": most})).fit(
            lesson.X, lesson.y
        )


def whole_tree_auc(lesson: Lesson) -> Trees:
    """Open the leaf whose split raises the area of the whole tree most."""
    for most in lesson.leaves:
        chosen = lesson.parameters | {"max_leaves": most, "growth": "whole_tree_auc"}
        yield ROCTreeClassifier(**chosen).fit(lesson.X, lesson.y)


def soft(lesson: Lesson) -> Trees:
    """The same with soft thresholds, as ``presets.readable`` has them."""
    for most in lesson.leaves:
        yield readable(**(lesson.parameters | {"max_leaves": most})).fit(lesson.X, lesson.y)


def cost_complexity(lesson: Lesson) -> Trees:
    """Cut the whole tree back where errors rise least for a leaf."""
    whole = ROCTreeClassifier(**lesson.parameters).fit(lesson.X, lesson.y)
    path = whole.pruning_path()
    prices = path.between()
    for most in lesson.leaves:
        price = prices[int(np.argmax(path.n_leaves <= most))]
        yield whole.pruned(CostComplexity(alpha=float(price)))


def auc_pruning(lesson: Lesson) -> Trees:
    """Cut the whole tree back where its area falls least for a leaf."""
    whole = ROCTreeClassifier(**lesson.parameters).fit(lesson.X, lesson.y)
    for most in lesson.leaves:
        yield whole.pruned(AUCPruning(max_leaves=most))


def distilled(lesson: Lesson) -> Trees:
    """Grow on the probabilities of a booster, with soft thresholds."""
    teacher = Booster.of(_cases(lesson.X, lesson.y, lesson.parameters), lesson.seed)
    for most in lesson.leaves:
        yield distill(
            teacher, lesson.X, lesson.y, random_state=lesson.seed,
            **(lesson.parameters | {"max_leaves": most}),
        )  # fmt: skip


WAYS: dict[str, Callable[[Lesson], Trees]] = {
    "best_first": best_first,
    "whole_tree_auc": whole_tree_auc,
    "cost_complexity": cost_complexity,
    "auc_pruning": auc_pruning,
    "soft": soft,
    "distilled": distilled,
}


@dataclass(frozen=True)
class FrontierPoint:
    """Trees of one way and size, the means over the folds.

    Parameters
    ----------
    way : how they were made small
    max_leaves : the most leaves they might have
    n_leaves : how many they have
    auc, auc_deviation : area under the ROC curve, Hand and Till's for more than two classes, and
        its standard deviation over the folds
    log_loss : minus the logarithm of the probability of what was the case
    cost : cost of a case; without costs, the share of wrong labels
    """

    way: str
    max_leaves: int
    n_leaves: float
    auc: float
    auc_deviation: float
    log_loss: float
    cost: float


@dataclass(frozen=True)
class Frontier:
    """How good trees of each way and size are, by cross-validation."""

    points: tuple[FrontierPoint, ...]

    @property
    def ways(self) -> list[str]:
        """The ways that were tried."""
        return list(dict.fromkeys(point.way for point in self.points))

    def of(self, way: str) -> list[FrontierPoint]:
        """Return the trees of one way, from the smallest to the largest."""
        return sorted(
            (point for point in self.points if point.way == way),
            key=lambda point: point.max_leaves,
        )

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        return as_frame("polars", self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name."""
        names = FrontierPoint.__dataclass_fields__
        return {name: [getattr(point, name) for point in self.points] for name in names}

    def to_text(self) -> str:
        """Return the table as text."""
        return as_text(HEAD, self.cells())

    __repr__ = to_text

    def __rich__(self) -> Any:
        return as_rich(HEAD, self.cells())

    def _repr_html_(self) -> str:
        return as_html(HEAD, self.cells())

    def cells(self) -> list[list[str]]:
        """Return the table cell by cell, as text."""
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


def frontier(  # noqa: PLR0913 - each a choice of its own
    X: Any,
    y: Any,
    *,
    leaves: int | Sequence[int] = LEAVES,
    ways: str | Sequence[str] | None = None,
    folds: int = 5,
    repeats: int = 1,
    cost_matrix: Any = None,
    random_state: int | None = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Frontier:
    """Return how good trees of several sizes are, made small in several ways.

    Parameters
    ----------
    X, y : the cases
    leaves : the most leaves that trees may have, size by size
    ways : of "best_first", "whole_tree_auc", "cost_complexity", "auc_pruning", "soft" and
        "distilled"; None for all
    folds, repeats : of stratified cross-validation
    cost_matrix : costs [predicted][true], by number or by label; None for one for each error
    random_state : seed of the folds and of generated cases; None for any
    progress : callback that takes the finished and the total number of trees
    parameters : of ``ROCTreeClassifier``, but for those that sizes and ways are about

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
    sizes = _sizes(leaves)
    _check_parameters(parameters)
    check_callback(progress)
    seed = checked_seed(random_state)
    design = CrossValidation(folds, repeats, seed)
    cases = _cases(X, y, parameters)
    classes, labels = cases.schema.classes, cases.labels
    _check_classes(classes, labels)
    costs, named = cost_table(cost_matrix, classes), classes[labels]
    results: dict[tuple[str, int], list[Floats]] = {
        (way, size): [] for way in chosen for size in sizes
    }
    done, total = 0, len(results) * folds * repeats
    for split in design.splits(labels):
        train, test = split.train, split.test
        lesson = Lesson(take_rows(X, train), named[train], sizes, parameters, seed)
        held_out = take_rows(X, test), named[test]
        for way in chosen:
            for size, tree in zip(sizes, WAYS[way](lesson), strict=True):
                results[way, size].append(_tried(tree, *held_out, costs))
                done += 1
                if progress is not None:
                    progress(done, total)
    return Frontier(tuple(_point(*key, np.array(found)) for key, found in results.items()))


def _cases(X: Any, y: Any, parameters: dict[str, Any]) -> Dataset:
    """Return the cases as a tree with these parameters reads them."""
    return training_data(X, y, None, ROCTreeClassifier(**parameters).categorical_features)


def _tried(tree: ROCTreeClassifier, X: Any, y: Any, costs: Floats) -> Floats:
    """Return leaves, area, log-loss and cost of a tree on other cases."""
    shares, labels = tree.predict_proba(X), labels_of(y, tree.classes_)
    of_truth = np.maximum(shares[np.arange(len(labels)), labels], _LEAST_PROBABILITY)
    cost = costs[cheapest(shares, costs, tree.classes_), labels].mean()
    area = mauc(shares, np.eye(tree.n_classes_)[labels])
    return np.array([tree.get_n_leaves(), area, -np.log(of_truth).mean(), cost])


def _point(way: str, size: int, found: Floats) -> FrontierPoint:
    n_leaves, _, loss, cost = found.mean(axis=0).tolist()
    # A fold without cases of a rare class has no area.
    areas = found[~np.isnan(found[:, 1]), 1]
    area, deviation = (float(areas.mean()), float(areas.std())) if areas.size else (np.nan, np.nan)
    return FrontierPoint(way, size, n_leaves, area, deviation, loss, cost)


def _chosen(ways: str | Iterable[str]) -> list[str]:
    names = list(ways) if isinstance(ways, Iterable) and not isinstance(ways, str) else [ways]
    if not names:
        raise ParameterError(f"ways has no way to a small tree: choose from {', '.join(WAYS)}.")
    for way in names:
        if not (isinstance(way, str) and way in WAYS):
            raise ParameterError(
                f"{way!r} is no way to a small tree{nearest(way, WAYS)}: choose from "
                f"{', '.join(WAYS)}."
            )
    return list(dict.fromkeys(names))


def _sizes(leaves: Any) -> list[int]:
    sizes = [leaves] if np.ndim(leaves) == 0 else list(leaves)
    whole = all(is_number(size) and size == int(size) and size >= 1 for size in sizes)
    if not sizes or not whole:
        raise ParameterError(
            f"leaves={leaves!r} are no sizes of trees: give whole numbers from 1 on."
        )
    return sorted({int(size) for size in sizes})


def _check_parameters(parameters: dict[str, Any]) -> None:
    for name, instead in (("max_leaves", "leaves"), ("growth", "ways"), ("ranking", "ways")):
        if name in parameters:
            raise ParameterError(f"{name} is what a frontier tries out: give {instead}.")
    FitOptions.from_parameters(readable(**parameters).get_params(deep=False))


def _check_classes(classes: Any, labels: NDArray[Any]) -> None:
    if len(classes) < 2:
        raise DataError("y has one class only: a frontier compares how classes are told apart.")
    for label, count in zip(classes.tolist(), np.bincount(labels), strict=True):
        if count < 2:
            raise DataError(
                f"y has one case only of the class {label!r}: give more, or leave it out, for one "
                "has to grow the tree and another to try it."
            )
