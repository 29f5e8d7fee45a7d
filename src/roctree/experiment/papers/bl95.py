"""Bradley and Lovell (1995): pruning under a sweep of costs draws a ROC curve.

Ten divisions 70 to 30 of two data sets; a tree is grown until its training cases are told apart,
and pruned under 13 ratios of costs by minimum error (m = 8) and by error limits (1 %). The figures
are not printed as numbers; the text says what is to be seen in them. The 16 missing values of
BREAST, on which the paper is silent, are replaced by the median.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.experiment.designs import HoldOut
from roctree.experiment.papers.report import Report
from roctree.experiment.papers.setting import MissingDataError, Row, Setting
from roctree.experiment.sources import Problem
from roctree.experiment.svg import Series, chart
from roctree.experiment.tables import Table
from roctree.pruning import ErrorBased, MinimumError
from roctree.systems.multiscale import MultiscaleClassifier
from roctree.systems.presets import c45

Floats = NDArray[np.float64]
DESIGN = HoldOut(test=0.3, repeats=10, seed=1995)
POSITIVE = {"BREAST": "4", "PIMA": "1"}
PRUNERS: dict[str, Any] = {"minimum error": MinimumError(m=8), "error limits": ErrorBased(cf=0.01)}
TREES: dict[str, Callable[[], Any]] = {
    "multiscale": MultiscaleClassifier,
    "axis-parallel": lambda: c45(
        pruning="none", collapse=False, min_samples_leaf=1, min_samples_split=2
    ),
}
EQUAL_COSTS, FALSE_ALARMS_DEARER = 5, 3


def figure_1(setting: Setting) -> Report:
    """Figure 1: breast cancer."""
    return _figure(setting, "1", "BREAST")


def figure_2(setting: Setting) -> Report:
    """Figure 2: diabetes among the Pima."""
    return _figure(setting, "2", "PIMA")


REPRODUCTIONS: dict[str, Callable[[Setting], Report]] = {
    "bl95-figure1": figure_1,
    "bl95-figure2": figure_2,
}


def _figure(setting: Setting, number: str, label: str) -> Report:
    rows, _ = setting.rows("BL95")
    row = next((row for row in rows if row.label == label), None)
    if row is None:
        raise MissingDataError(
            f"The data set {label} is not there: give a folder that has it, --data."
        )
    lines, series, sentences = [], [], []
    for kind, tree in TREES.items():
        sweeps = _sweeps(setting, row, tree)
        for pruner, points in sweeps.items():
            name = f"{kind}, {pruner}"
            lines += [[f"{name}, {_ratio(point)}", *point[2:]] for point in points.tolist()]
            ordered = points[np.lexsort((points[:, 3], points[:, 2]))]
            series.append(
                Series(name, [tuple(point[2:4]) for point in ordered.tolist()], dots=True)
            )
            sentences += _said(name, points, row)
    title = f"BL95 Figure {number}: {label} pruned under costs"
    columns = ("tree, pruning, miss : false alarm", "FPR", "TPR", "leaves")
    picture = chart(
        series, x_label="false positive rate", y_label="true positive rate", diagonal=True
    )
    table = Table(columns, lines, title=title, digits=(0, 3, 3, 1))
    about = [f"{setting.design(DESIGN)!r}; means over the divisions.", *sentences]
    return Report(f"bl95-figure{number}", title, [table], about, {"roc": picture})


def _sweeps(setting: Setting, row: Row, tree: Callable[[], Any]) -> dict[str, Floats]:
    """For each pruner the mean over divisions of costs, rates and leaves, a row for each ratio."""
    problem = filled(row.problem)
    found: dict[str, list[Floats]] = {name: [] for name in PRUNERS}
    for split in setting.design(DESIGN).splits(problem.labels):
        fitted = tree().fit(problem.rows[split.train], problem.y[split.train])
        test = problem.rows[split.test], problem.y[split.test]
        for name, pruner in PRUNERS.items():
            curve = fitted.cost_pruning_curve(
                None, *test, method=pruner, positive=POSITIVE[row.label]
            )
            points = [
                (each.cost_fn, each.cost_fp, each.fpr, each.tpr, each.n_leaves) for each in curve
            ]
            found[name].append(np.array(points))
    return {name: np.mean(sweeps, axis=0) for name, sweeps in found.items()}


def _said(name: str, points: Floats, row: Row) -> list[str]:
    """Sentences on what the paper's text says of its figures."""
    fpr, tpr, leaves = points[:, 2], points[:, 3], points[:, 4]
    screening, checking = tpr[fpr <= 0.5].max(initial=0.0), tpr[fpr <= 0.1].max(initial=0.0)
    share = float(np.mean(row.problem.y == POSITIVE[row.label]))
    accuracy = share * tpr + (1.0 - share) * (1.0 - fpr)
    dearer = accuracy[FALSE_ALARMS_DEARER] - accuracy[EQUAL_COSTS]
    return [
        f"{name}: with at most 50 % false positives {100 * (1 - screening):.1f} % false negatives "
        f"(wanted for screening: below 1); with at most 10 %, {100 * (1 - checking):.1f} % "
        "(wanted for checking: about 5).",
        f"{name}: at 32 : 1 the tree has {leaves[-1]:.1f} leaves (the paper: a single leaf beyond "
        f"16 : 1); false alarms at 1.5 change the accuracy by {100 * dearer:+.2f} points against "
        "equal costs (the paper: slightly up).",
    ]


def filled(problem: Problem) -> Problem:
    """Return the problem with medians for missing values, which have no place among cells."""
    values = problem.rows.values
    medians = np.nanmedian(values, axis=0)
    whole = np.where(np.isnan(values), medians, values)
    return replace(problem, rows=replace(problem.rows, values=whole))


def _ratio(point: list[float]) -> str:
    return f"{point[0]:g} : {point[1]:g}"
