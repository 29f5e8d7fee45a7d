"""Alvarez and Bernard (2005): ranking by the distance from the decision boundary.

100 bootstrap samples of 16 data sets with numbers only, two thirds to train and one third to test;
Weka's J48 by default, with reduced-error pruning, and neither pruned nor collapsed. Distances are
by the standard metric. Sets of more classes were made two-class without saying how: ``POSITIVE``
has the class, or group, whose trees are nearest to the sizes that Table 1 prints.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.experiment.designs import Bootstrap
from roctree.experiment.growth import Configuration, fitted
from roctree.experiment.metrics import Answer, auc, leaves
from roctree.experiment.papers.report import Report
from roctree.experiment.papers.setting import Row, Setting, missing_sentence, published
from roctree.experiment.results import Results
from roctree.experiment.sources import Problem
from roctree.experiment.svg import Series, chart
from roctree.experiment.tables import Table
from roctree.pruning import ReducedError
from roctree.roc import Curve
from roctree.smoothing import MEstimate
from roctree.systems.presets import j48

Floats = NDArray[np.float64]
DESIGN = Bootstrap(test=1 / 3, repeats=100, seed=2005)
POSITIVE: dict[str, str | tuple[str, ...]] = {
    "bupa": "1",
    "glass": ("5", "6", "7"),
    "ionosphere": "b",
    "iris": "Iris-versicolor",
    "letter": "A",
    "newThyroid": ("2", "3"),
    "optdigits": "0",
    "pendigits": "0",
    "pima": "1",
    "sat": "2",
    "segmentation": "BRICKFACE",
    "sonar": "R",
    "vehicle": "van",
    "vowel": "0",
    "wdbc": "M",
    "wine": "1",
}
PRUNINGS: dict[str, dict[str, Any]] = {
    "reduced_error": {"pruning": ReducedError(fraction=1 / 3)},
    "normal": {},
    "none": {"pruning": "none", "collapse": False},
}
RANKINGS = ("leaf", "local", "global")
# Weight of the prior in the m-estimate: m p(c) = 10, after Zadrozny and Elkan.
PRIOR_CASES = 10.0
STEP, WIDEST = 0.001, 0.5
ONE_SIDED_95 = 1.645


def nearness(answer: Answer) -> float:
    """How much farther hits are from the boundary than errors."""
    report = _boundary(answer)
    return float(report.mean_hits - report.mean_errors)


def lambda_(answer: Answer) -> float:
    """The same in its standard deviations, equation 6."""
    found: float = _boundary(answer).lambda_
    return found


METRICS: dict[str, Callable[[Answer], float]] = {"auc": auc, "leaves": leaves}
NEARNESS: dict[str, Callable[[Answer], float]] = {"nearness": nearness, "lambda": lambda_}


def table_1(setting: Setting) -> Report:
    """Table 1: sizes of pruned and unpruned trees."""
    rows, absent = _rows(setting)
    printed, lines, near = published()["AB05_table1"]["rows"], [], 0
    for row in rows:
        results = _run(setting, row)
        sizes = {
            name: results.values("leaves", row.label, f"{name} laplace leaf")
            for name in ("normal", "none")
        }
        paper = printed[row.label]
        difference, unpruned = sizes["none"] - sizes["normal"], float(sizes["none"].mean())
        within = abs(unpruned / paper["leaves_unpruned"][0] - 1.0) <= 0.2
        near += within
        numbers = [paper["leaves_unpruned"][0], unpruned]
        numbers += [paper["leaves_unpruned_minus_pruned"][0], float(difference.mean())]
        lines.append([row.label, *numbers, "yes" if within else "no"])
    columns = ("data set", "unpruned: paper", "ours", "less pruned: paper", "ours", "within 20 %")
    title = "AB05 Table 1: leaves of J48 trees"
    sentences = [
        *_about(setting),
        f"{near} of {len(rows)} sizes of unpruned trees within 20 %.",
        *missing_sentence(absent),
    ]
    return Report("ab05-table1", title, [Table(columns, lines, title=title, digits=2)], sentences)


def table_2(setting: Setting) -> Report:
    """Table 2: whether errors lie near the boundary."""
    rows, absent = _rows(setting)
    printed, lines = published()["AB05_table2"]["rows"], []
    for row in [row for row in rows if row.label in printed]:
        name, paper = "normal laplace leaf", printed[row.label]
        chosen = {name: configurations(row.problem)[name]}
        results = setting.run("ab05-table2", [row.problem], chosen, DESIGN, NEARNESS)
        ratios = results.values("lambda", row.label, name)
        known = ratios[~np.isnan(ratios)]
        clear = 100.0 * float(np.mean(known >= 2.0)) if len(known) else float("nan")
        means = [results.mean(metric, row.label, name) for metric in ("nearness", "lambda")]
        pairs = [paper["delta_means"][0], means[0], paper["lambda"][0], means[1]]
        lines.append([row.label, *pairs, paper["pct_lambda_ge_2"], clear])
    columns = ["data set", "hits less errors: paper", "ours", "λ: paper", "ours"]
    columns += ["% λ ≥ 2: paper", "ours"]
    title = "AB05 Table 2: distances of hits and errors from the boundary"
    table = Table(columns, lines, title=title, digits=(0, 3, 3, 2, 2, 0, 0))
    return Report("ab05-table2", title, [table], [*_about(setting), *missing_sentence(absent)])


def table_3(setting: Setting) -> Report:
    """Table 3: global geometric ranking against smoothing."""
    return _differences(setting, "3", "global")


def table_4(setting: Setting) -> Report:
    """Table 4: local geometric ranking against smoothing."""
    return _differences(setting, "4", "local")


def table_5(setting: Setting) -> Report:
    """Table 5: up to which share of negatives global ranking is better, as it is defined."""
    rows, absent = _rows(setting)
    lines = [[row.label, _reach(setting, row.problem)] for row in rows]
    title = "AB05 Table 5: largest x with AUC(y) of global ranking not below smoothing, all y ≤ x"
    sentences = [
        *_about(setting),
        "The printed table is cut from the copies we have: these are ours alone, by its definition "
        "(steps of 0.001 up to 0.5, one-sided 95 %).",
        *missing_sentence(absent),
    ]
    table = Table(("data set", "x"), lines, title=title, digits=3)
    return Report("ab05-table5", title, [table], sentences)


def figure_1(setting: Setting) -> Report:
    """Figure 1: ROC curves of a sample of breast cancer by three rankings."""
    rows, _ = _rows(setting)
    row = next((row for row in rows if row.label == "wdbc"), rows[0])
    curves = next(_curves(setting, row.problem))
    series = [
        Series(name, list(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)))
        for name, curve in curves.items()
    ]
    picture = chart(
        series,
        x_label="negative ratio",
        y_label="positive ratio",
        x_range=(0.0, 0.25),
        y_range=(0.5, 1.0),
    )
    lines = [[name, float(curve.auc)] for name, curve in curves.items()]
    title = f"AB05 Figure 1: ROC curves of one sample of {row.label}"
    table = Table(("ranking", "AUC"), lines, title=title)
    return Report("ab05-figure1", title, [table], _about(setting), {"roc": picture})


REPRODUCTIONS: dict[str, Callable[[Setting], Report]] = {
    "ab05-table1": table_1,
    "ab05-table2": table_2,
    "ab05-table3": table_3,
    "ab05-table4": table_4,
    "ab05-table5": table_5,
    "ab05-figure1": figure_1,
}


def _rows(setting: Setting) -> tuple[list[Row], list[str]]:
    """The data sets as problems of two classes."""
    rows, absent = setting.rows("AB05")
    return [
        Row(row.number, row.label, row.problem.against_rest(POSITIVE[row.label], row.label))
        for row in rows
    ], absent


def _run(setting: Setting, row: Row) -> Results:
    return setting.run("ab05", [row.problem], configurations(row.problem), DESIGN, METRICS)


def configurations(problem: Problem) -> dict[str, Any]:
    """Every pruning with every smoothing and ranking, by name."""
    share = float(np.mean(problem.labels == problem.positive_number))
    smoothings = {"laplace": "laplace", "m_estimate": MEstimate(PRIOR_CASES / share, "training")}
    return {
        _name(problem, pruning, smoothing, ranking): j48(
            smoothing=smoother, ranking=ranking, metric="standard", **options
        )
        for pruning, options in PRUNINGS.items()
        for smoothing, smoother in smoothings.items()
        for ranking in RANKINGS
    }


def _name(problem: Problem, pruning: str, smoothing: str, ranking: str) -> str:
    # The m-estimate has another m for each problem, and so another configuration.
    suffix = f" of {problem.name}" if smoothing == "m_estimate" else ""
    return f"{pruning} {smoothing} {ranking}{suffix}"


def _differences(setting: Setting, number: str, ranking: str) -> Report:
    rows, absent = _rows(setting)
    printed, lines = published()[f"AB05_table{number}"]["rows"], []
    agreeing = dict.fromkeys(PRUNINGS, 0)
    for row in rows:
        results = _run(setting, row)
        line = [row.label]
        for pruning in PRUNINGS:
            gains = 100.0 * _gains(results, row.problem, pruning, ranking)
            mean, spread = float(gains.mean()), float(gains.std(ddof=1)) / len(gains) ** 0.5
            paper = printed[row.label][pruning]
            agreeing[pruning] += (mean > 0) == (paper[0] > 0)
            line += [f"{paper[0]:.2f} ± {paper[1]:.2f}", f"{mean:.2f} ± {spread:.2f}"]
        lines.append(line)
    columns = ["data set"]
    for pruning in PRUNINGS:
        columns += [f"{pruning}: paper", "ours"]
    title = f"AB05 Table {number}: 100 × (AUC of {ranking} geometric ranking less best smoothing)"
    sentences = [
        *_about(setting),
        *(
            f"{pruning}: the sign agrees on {count} of {len(rows)} data sets."
            for pruning, count in agreeing.items()
        ),
        *missing_sentence(absent),
    ]
    return Report(f"ab05-table{number}", title, [Table(columns, lines, title=title)], sentences)


def _gains(results: Results, problem: Problem, pruning: str, ranking: str) -> Floats:
    """What a ranking gains in each sample over the smoothing of larger mean area."""
    best, base = _best_smoothing(results, problem, pruning)
    ranked = _name(problem, pruning, best, ranking)
    return results.values("auc", problem.name, ranked) - base


def _best_smoothing(results: Results, problem: Problem, pruning: str) -> tuple[str, Floats]:
    areas = {
        smoothing: results.values("auc", problem.name, _name(problem, pruning, smoothing, "leaf"))
        for smoothing in ("laplace", "m_estimate")
    }
    return max(areas.items(), key=lambda pair: float(np.nanmean(pair[1])))


def _curves(setting: Setting, problem: Problem) -> Iterator[dict[str, Curve]]:
    """The curves of normally pruned trees by three rankings, sample by sample."""
    chosen = {ranking: _name(problem, "normal", "m_estimate", ranking) for ranking in RANKINGS}
    every, sign = configurations(problem), 1.0 if problem.positive_number == 1 else -1.0
    plans = [Configuration(name, every[name]) for name in chosen.values()]
    for split in setting.design(DESIGN).splits(problem.labels):
        is_so = problem.labels[split.test] == problem.positive_number
        models = fitted(plans, problem.rows[split.train], problem.y[split.train])
        curves = {}
        for ranking, each in zip(chosen, models, strict=True):
            scores = sign * each.model.decision_function(problem.rows[split.test])
            curves[ranking] = Curve.from_leaves(scores, is_so, ~is_so)
        yield curves


def _reach(setting: Setting, problem: Problem) -> float:
    """The largest x for which the difference of partial areas is not clearly below zero before."""
    grid = np.arange(STEP, WIDEST + STEP / 2, STEP)
    gains = np.array(
        [
            _partial_areas(curves["global"], grid) - _partial_areas(curves["leaf"], grid)
            for curves in _curves(setting, problem)
        ]
    )
    spread = gains.std(axis=0, ddof=1) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    better = gains.mean(axis=0) - ONE_SIDED_95 * spread >= 0.0
    worse = np.flatnonzero(~better)
    return float(grid[-1] if worse.size == 0 else grid[worse[0]] - STEP)


def _partial_areas(curve: Curve, grid: Floats) -> Floats:
    heights = np.interp(grid, curve.fpr, curve.tpr)
    return np.cumsum(heights) * STEP


def _boundary(answer: Answer) -> Any:
    y = np.array(answer.model.classes_)[answer.truth]
    return answer.model.boundary_report(answer.rows, y)


def _about(setting: Setting) -> list[str]:
    return [f"{setting.design(DESIGN)!r}; J48 trees, standard metric."]
