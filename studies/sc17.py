"""Stadler and Corlett (2017): trees that split on the F-measure.

Five contiguous folds of the rows in the authors' order. The fifth is the test set; the others serve
for cross-validation, and the tree with the lowest error there is tested. The authors' program
shuffled the three data sets one after the other with MATLAB's default generator, so that the orders
can be recomputed (``row_orders``).

The program tries thresholds in row order and keeps the first of equally good ones; the library
keeps the lowest. That matters once, for the F-measure on PopFailure, so that ``grow_in_row_order``
follows the program here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import table_score
from roctree.criteria import Entropy, FMeasure, Gini
from roctree.errors import DataError
from roctree.experiment import Problem, Table
from roctree.roc import Curve
from studies.charts import Series, chart
from studies.report import Report
from studies.setting import Setting, missing_data_note, published

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CRITERIA: dict[str, Any] = {"F": FMeasure(), "G": Gini(), "M": Entropy()}
POSITIVE = {"breast": ("M", "malignant"), "heart": ("present",), "pop": ("0",)}
KEYS = {"Breast": "breast", "Heart": "heart", "PopFailure": "pop"}
HALF_A_DIGIT = 0.5001e-4
# Seed of MATLAB's Mersenne Twister at the start of a session, and the number of draws before the
# authors shuffled. The known orders of Breast and PopFailure occur there, separated by as many
# draws as Heart has rows, and nowhere else among the first million.
MATLAB_SEED, DRAWN_BEFORE = 5489, 14
N_ROWS = {"breast": 569, "heart": 270, "pop": 540}


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the program's tree; a leaf has no feature."""

    counts: Floats
    feature: int = -1
    threshold: float = np.nan
    left: "Node | None" = None
    right: "Node | None" = None


@dataclass(frozen=True)
class CriterionOutcome:
    """The numbers of one row of the tables, and the ROC curve of the tested tree."""

    training: tuple[float, float, float, float]
    error: float
    f_score: float
    curve: Curve
    point: tuple[float, float]


def reproduce(setting: Setting) -> Report:
    """All tables and ROC graphs."""
    rows, absent = setting.rows("SC17")
    outcomes = {
        KEYS[row.label]: {
            name: outcome(KEYS[row.label], row.problem, criterion)
            for name, criterion in CRITERIA.items()
        }
        for row in rows
    }
    exact, total = _agreement(outcomes)
    areas, n_areas = _areas_agreeing(outcomes)
    sentences = [
        f"{exact} of {total} errors, F-scores and deviations agree to the last digit.",
        f"{areas} of {n_areas} AUCs agree to the last digit with the corrected ones: the paper "
        "swaps those of F on Breast and PopFailure, and transposes two digits of one.",
    ]
    tables = [_training_table(outcomes), _test_table(outcomes)]
    figures = {key: _graph(found) for key, found in outcomes.items()}
    title = "SC17: trees that split on the F-measure"
    return Report("sc17", title, tables, [*sentences, *missing_data_note(absent)], figures)


def outcome(key: str, problem: Problem, criterion: Any) -> CriterionOutcome:
    """Cross-validate on four folds and test the best tree on the fifth."""
    protocol = published()["SC17_protocol"]
    leaf_size, max_depth = protocol["leaf_size"][key], protocol["max_depth"]
    values, labels = ordered(key, problem)
    *_, test = folds(len(labels), 5)
    training = np.arange(len(labels) - len(test))
    trees, found = [], []
    for fold in folds(len(training), 4):
        rest = np.delete(training, fold)
        tree = grow_in_row_order(values[rest], labels[rest], criterion, leaf_size, max_depth)
        trees.append(tree)
        found.append(errors_and_f(leaf_counts(tree, values[fold]), labels[fold]))
    means, spreads = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    best = trees[int(np.argmin([error for error, _ in found]))]
    counts = leaf_counts(best, values[test])
    error, f_score = errors_and_f(counts, labels[test])
    scores = (counts[:, 1] + 1.0) / (counts.sum(axis=1) + 2.0)
    curve = Curve.from_scores(labels[test], scores, positive=1)
    predicted, actual = counts[:, 1] > counts[:, 0], labels[test] == 1
    point = float(np.mean(predicted[~actual])), float(np.mean(predicted[actual]))
    summary = float(means[0]), float(spreads[0]), float(means[1]), float(spreads[1])
    return CriterionOutcome(summary, error, f_score, curve, point)


def ordered(key: str, problem: Problem) -> tuple[Floats, Ints]:
    """Return values and labels (1 for the positive class) in the order of the paper."""
    order = row_orders()[key]
    if len(order) != len(problem.labels):
        raise DataError(
            f"{problem.name!r} has {len(problem.labels)} rows, but the paper's has {len(order)}: "
            "give the data set that the paper used."
        )
    positive = [problem.classes.index(label) for label in POSITIVE[key] if label in problem.classes]
    labels = np.isin(problem.labels, positive).astype(np.int64)
    return problem.rows.values[order], labels[order]


def row_orders() -> dict[str, Ints]:
    """Return the row orders that ``randperm`` gave: the argsort of random numbers.

    Examples
    --------
    >>> row_orders()["breast"][:5]
    array([437, 108, 433,  84, 159])
    """
    random = np.random.RandomState(MATLAB_SEED)
    random.random_sample(DRAWN_BEFORE)
    return {key: np.argsort(random.random_sample(n)) for key, n in N_ROWS.items()}


def folds(n: int, k: int) -> list[Ints]:
    """Return k contiguous folds of row indices, the last with the remainder."""
    return np.split(np.arange(n), n // k * np.arange(1, k))


def grow_in_row_order(
    values: Floats, labels: Ints, criterion: Any, leaf_size: int, max_depth: int
) -> Node:
    """Grow a tree as the program does: equally good thresholds are taken in row order."""
    counts = np.bincount(labels, minlength=2).astype(np.float64)
    if len(labels) <= leaf_size or counts.min() == 0 or max_depth == 0:
        return Node(counts)
    best = _best_split(values, labels, criterion, counts)
    if best is None:
        return Node(counts)
    feature, threshold = best
    left = values[:, feature] <= threshold
    options = criterion, leaf_size, max_depth - 1
    return Node(
        counts,
        feature,
        threshold,
        grow_in_row_order(values[left], labels[left], *options),
        grow_in_row_order(values[~left], labels[~left], *options),
    )


def leaf_counts(tree: Node, values: Floats) -> Floats:
    """Return the training counts of the leaf that each row reaches."""
    found = []
    for row in values:
        node = tree
        while node.left is not None and node.right is not None:
            node = node.left if row[node.feature] <= node.threshold else node.right
        found.append(node.counts)
    return np.array(found)


def errors_and_f(counts: Floats, labels: Ints) -> tuple[float, float]:
    """Return the error rate and the F-score of class 1; tied leaves predict class 0."""
    predicted, actual = counts[:, 1] > counts[:, 0], labels == 1
    hits, wrong = int(np.sum(predicted & actual)), int(np.sum(predicted != actual))
    f_score = 2.0 * hits / (2.0 * hits + wrong) if hits else 0.0
    return float(np.mean(predicted != actual)), f_score


REPRODUCTIONS: dict[str, Callable[[Setting], Report]] = {"sc17": reproduce}


def _best_split(
    values: Floats, labels: Ints, criterion: Any, counts: Floats
) -> tuple[int, float] | None:
    best, most, score = None, -np.inf, table_score(criterion.function)
    for feature in range(values.shape[1]):
        column = values[:, feature]
        order = np.argsort(column, kind="stable")
        distinct, last = np.unique(column[order][::-1], return_index=True)
        cumulated = np.cumsum(np.eye(2)[labels[order]], axis=0)
        left = cumulated[len(column) - 1 - last][:-1]
        tables = np.stack([left, counts - left], axis=1)
        scores = dict(zip(distinct[:-1].tolist(), map(score, tables), strict=True))
        for value in column.tolist():
            if scores.get(value, -np.inf) > most:
                best, most = (feature, value), scores[value]
    return best


def _agreement(outcomes: dict[str, dict[str, CriterionOutcome]]) -> tuple[int, int]:
    agree = total = 0
    for key, found in outcomes.items():
        for name, ours in found.items():
            train = published()["SC17_train"]["rows"][key][name]
            paper = [*train, *published()["SC17_test"]["rows"][key][name][:2]]
            numbers = [*ours.training, ours.error, ours.f_score]
            pairs = zip(paper, numbers, strict=True)
            agree += sum(abs(printed - own) <= HALF_A_DIGIT for printed, own in pairs)
            total += len(numbers)
    return agree, total


def _areas_agreeing(outcomes: dict[str, dict[str, CriterionOutcome]]) -> tuple[int, int]:
    pairs = [
        (_corrected_area(key, name), ours.curve.auc)
        for key, found in outcomes.items()
        for name, ours in found.items()
    ]
    return sum(abs(right - own) <= HALF_A_DIGIT for right, own in pairs), len(pairs)


def _corrected_area(key: str, name: str) -> float:
    printed = float(published()["SC17_test"]["rows"][key][name][2])
    return float(published()["SC17_corrected_auc"].get(key, {}).get(name, printed))


def _training_table(outcomes: dict[str, dict[str, CriterionOutcome]]) -> Table:
    lines = []
    for key, found in outcomes.items():
        for name, ours in found.items():
            paper = published()["SC17_train"]["rows"][key][name]
            pairs = zip(paper, ours.training, strict=True)
            lines.append([f"{key} {name}", *(value for pair in pairs for value in pair)])
    columns = ["four folds", "error: paper", "ours", "SD: paper", "ours"]
    columns += ["F: paper", "ours", "SD: paper", "ours"]
    return Table(columns, lines, title="Training results", digits=4)


def _test_table(outcomes: dict[str, dict[str, CriterionOutcome]]) -> Table:
    lines = []
    for key, found in outcomes.items():
        for name, ours in found.items():
            error, f_score, area = published()["SC17_test"]["rows"][key][name]
            areas = [area, _corrected_area(key, name), ours.curve.auc]
            numbers = [error, ours.error, f_score, ours.f_score, *areas]
            lines.append([f"{key} {name}", *numbers])
    columns = ["fifth fold", "error: paper", "ours", "F: paper", "ours"]
    columns += ["AUC: paper", "corrected", "ours"]
    return Table(columns, lines, title="Test results", digits=4)


def _graph(found: dict[str, CriterionOutcome]) -> str:
    series = [
        Series(
            f"{name}, AUC {each.curve.auc:.3f}; dot: its labels",
            list(zip(each.curve.fpr.tolist(), each.curve.tpr.tolist(), strict=True)),
            marked=[each.point],
        )
        for name, each in found.items()
    ]
    return chart(
        series,
        x_label="false positive rate",
        y_label="true positive rate",
        diagonal=True,
    )
