"""Bradley and Lovell (1995): a ROC curve from pruning under a sweep of costs.

Ten random 70/30 splits of two data sets. A tree is grown until it separates its training cases, and
pruned under 13 cost ratios by minimum error (m = 8) and by error limits (1 %), and under every
ratio at which the pruned tree changes. The paper prints no numbers for its figures, but its text
describes them. Only PIMA is scaled, so that cells halve
BREAST by the four bits of its integers. The paper does not mention the 16 missing values of BREAST;
we replace them by the median.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from roctree import MultiscaleClassifier
from roctree.arrays import Floats
from roctree.experiment import HoldOut, Problem, Table
from roctree.presets import c45
from roctree.pruning import ErrorBased, MinimumError
from studies.charts import Series, chart
from studies.report import StudyReport
from studies.setting import MissingDataError, PaperRow, Setting

DESIGN = HoldOut(test=0.3, repeats=10, seed=1995)
POSITIVE = {"BREAST": "4", "PIMA": "1"}
PRUNERS: dict[str, Any] = {"minimum error": MinimumError(m=8), "error limits": ErrorBased(cf=0.01)}
BOUNDS: dict[str, Any] = {"BREAST": (0, 16), "PIMA": "training"}
TREES: dict[str, Callable[[str], Any]] = {
    "multiscale": lambda label: MultiscaleClassifier(bounds=BOUNDS[label]),
    "axis-parallel": lambda _: c45(
        pruning="none", collapse=False, min_samples_leaf=1, min_samples_split=2
    ),
}
# Indices of cost ratios among the 13, which start with the most expensive false alarms.
FALSE_ALARM_1_5, EQUAL_COSTS, MISS_1_5, MISS_16, MISS_32 = 3, 5, 7, 11, 12
CLAIMS_OF_THE_TEXT = (
    "The paper prints no numbers for its figures. For screening it aims at less than 1 % misses at "
    "about 50 % false alarms, for checking at about 5 % misses below 10 %. It finds a single leaf "
    "beyond 16 : 1, and a slightly higher accuracy with false alarms at about 1.5 than with equal "
    "costs."
)
SECTION_6 = (
    "For a single number, section 6 recommends the area or the χ² of the confusion matrix. Areas "
    "are means over the splits, by the 13 ratios and by all ratios at which the pruned tree "
    "changes; trees are the number of different ones."
)
CLAIMS = (
    "tree, pruning",
    "misses at ≤ 50 % false alarms",
    "at ≤ 10 %",
    "leaves at 16 : 1",
    "at 32 : 1",
    "accuracy, equal costs",
    "change at 1 : 1.5",
    "at 1.5 : 1",
    "highest at",
)
COLUMNS = ("tree, pruning, miss : false alarm", "FPR", "TPR", "leaves", "χ²")
SINGLE_NUMBERS = (
    "tree, pruning",
    "area: 13 ratios",
    "all ratios",
    "trees: 13 ratios",
    "all ratios",
    "largest χ²",
    "at",
)


def figure_1(setting: Setting) -> StudyReport:
    """Figure 1: breast cancer."""
    return _figure(setting, "1", "BREAST")


def figure_2(setting: Setting) -> StudyReport:
    """Figure 2: Pima diabetes."""
    return _figure(setting, "2", "PIMA")


REPRODUCTIONS: dict[str, Callable[[Setting], StudyReport]] = {
    "bl95-figure1": figure_1,
    "bl95-figure2": figure_2,
}


def _figure(setting: Setting, number: str, label: str) -> StudyReport:
    rows, _ = setting.rows("BL95")
    row = next((row for row in rows if row.label == label), None)
    if row is None:
        raise MissingDataError(
            f"The source has no data set {label}: use --data to give another one."
        )
    lines, claims, numbers, series = [], [], [], []
    for kind, tree in TREES.items():
        for pruner, sweep in _sweeps(setting, row, tree).items():
            name, points = f"{kind}, {pruner}", sweep.points
            lines += [[f"{name}, {_ratio(point)}", *point[2:]] for point in points.tolist()]
            claims.append([name, *_claims(points, row)])
            largest = int(np.argmax(points[:, 5]))
            chi_squared = [float(points[largest, 5]), _ratio(points[largest].tolist())]
            numbers.append([name, *np.mean(sweep.numbers, axis=0).tolist(), *chi_squared])
            ordered = points[np.lexsort((points[:, 3], points[:, 2]))]
            line = [(point[2], point[3]) for point in ordered.tolist()]
            equal = [(float(points[EQUAL_COSTS, 2]), float(points[EQUAL_COSTS, 3]))]
            series.append(Series(name, line, dots=True, crossed=equal))
    title = f"BL95 Figure {number}: {label} pruned under costs"
    picture = chart(
        series, x_label="false positive rate", y_label="true positive rate", diagonal=True
    )
    tables = [
        Table(CLAIMS, claims, title="Claims of the text", digits=1),
        Table(SINGLE_NUMBERS, numbers, title="Single numbers", digits=(0, 3, 3, 1, 1, 1, 0)),
        Table(COLUMNS, lines, title=title, digits=(0, 3, 3, 1, 1)),
    ]
    about = [
        f"{setting.design(DESIGN)!r}; means over the splits. In the figure, × marks equal costs.",
        CLAIMS_OF_THE_TEXT,
        SECTION_6,
    ]
    return StudyReport(f"bl95-figure{number}", title, tables, about, {"roc": picture})


class Sweep(NamedTuple):
    """Trees pruned under costs.

    Parameters
    ----------
    points : float64[13, 6]
        Costs, rates, leaves and χ² of the 13 ratios: means over the splits.
    numbers : list of [area, area, trees, trees]
        For each split, the area and the number of different trees, by 13 and by all ratios.
    """

    points: Floats
    numbers: list[list[float]]


def _sweeps(setting: Setting, row: PaperRow, tree: Callable[[str], Any]) -> dict[str, Sweep]:
    """Return the trees of each pruner under costs."""
    problem = fill_missing(row.problem)
    found: dict[str, list[Floats]] = {name: [] for name in PRUNERS}
    numbers: dict[str, list[list[float]]] = {name: [] for name in PRUNERS}
    for split in setting.design(DESIGN).splits(problem.labels):
        fitted = tree(row.label).fit(problem.rows[split.train], problem.y[split.train])
        test = problem.rows[split.test], problem.y[split.test]
        for name, pruner in PRUNERS.items():
            curve, every = (
                fitted.cost_pruning_curve(costs, *test, method=pruner, positive=POSITIVE[row.label])
                for costs in (None, "all")
            )
            points = [
                (each.cost_fn, each.cost_fp, each.fpr, each.tpr, each.n_leaves, each.chi_squared)
                for each in curve
            ]
            found[name].append(np.array(points))
            changes = np.searchsorted(every.breakpoints, curve.cost_ratio)
            numbers[name].append([curve.auc, every.auc, len(set(changes.tolist())), len(every)])
    return {name: Sweep(np.mean(sweeps, axis=0), numbers[name]) for name, sweeps in found.items()}


def _claims(points: Floats, row: PaperRow) -> list[Any]:
    """Return the quantities that the paper's text describes, in the order of ``CLAIMS``."""
    fpr, tpr, leaves = points[:, 2], points[:, 3], points[:, 4]
    misses = [100.0 * (1.0 - tpr[fpr <= most].max(initial=0.0)) for most in (0.5, 0.1)]
    share = float(np.mean(row.problem.y == POSITIVE[row.label]))
    accuracy = 100.0 * (share * tpr + (1.0 - share) * (1.0 - fpr))
    changes = accuracy[[FALSE_ALARM_1_5, MISS_1_5]] - accuracy[EQUAL_COSTS]
    best = _ratio(points[int(np.argmax(accuracy))].tolist())
    sizes = leaves[[MISS_16, MISS_32]].tolist()
    return [*misses, *sizes, float(accuracy[EQUAL_COSTS]), *changes.tolist(), best]


def fill_missing(problem: Problem) -> Problem:
    """Return the problem with medians for missing values, which cells cannot represent."""
    values = problem.rows.values
    medians = np.nanmedian(values, axis=0)
    whole = np.where(np.isnan(values), medians, values)
    return replace(problem, rows=replace(problem.rows, values=whole))


def _ratio(point: list[float]) -> str:
    return f"{point[0]:g} : {point[1]:g}"
