"""Alvarez and Bernard (2005): ranking by the distance from the decision boundary.

100 bootstrap samples of 16 numeric data sets, two thirds for training and one third for testing.
Trees are Weka's J48 with default options, with reduced-error pruning, and neither pruned nor
collapsed. Distances use the standard metric. The paper turns sets with more
classes into two-class problems without saying how; ``POSITIVE`` has the class or group whose
unpruned trees, over 100 samples, come closest to the sizes in Table 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from roctree import NaiveBayesTreeClassifier
from roctree.arrays import Floats
from roctree.experiment import Answer, Bootstrap, Configuration, Problem, Results, Table
from roctree.experiment.configurations import fit_configurations
from roctree.experiment.metrics import accuracy, auc, leaves
from roctree.presets import j48
from roctree.pruning import ReducedError
from roctree.roc import Curve
from roctree.smoothing import MEstimate
from studies.charts import Series, chart
from studies.report import PaperNumber, StudyReport, compared, listed
from studies.setting import MissingDataError, PaperRow, Setting, missing_data_note, published

DESIGN = Bootstrap(test=1 / 3, repeats=100, seed=2005)
# Class labels of the published files, or of scikit-learn's copies.
POSITIVE: dict[str, tuple[str, ...]] = {
    "bupa": ("1",),
    "glass": ("5", "6", "7"),
    "ionosphere": ("b",),
    "iris": ("Iris-versicolor",),
    "letter": ("A",),
    "newThyroid": ("2", "3"),
    "optdigits": ("0",),
    "pendigits": ("0",),
    "pima": ("1",),
    "sat": ("2",),
    "segmentation": ("BRICKFACE",),
    "sonar": ("R",),
    "vehicle": ("bus",),
    "vowel": ("0",),
    "wdbc": ("M", "malignant"),
    "wine": ("1", "class_0"),
}
PRUNINGS: dict[str, Callable[..., Any]] = {
    # In a bootstrap sample, some of the cases that prune the tree are copies of cases that grew it.
    "reduced_error": partial(j48, pruning=ReducedError(copies="divided"), collapse=False),
    "normal": j48,
    "none": partial(j48, pruning="none", collapse=False),
}
RANKINGS = ("leaf", "local", "global")
# Weight of the prior in the m-estimate: m p(c) = 10, after Zadrozny and Elkan.
PRIOR_CASES = 10.0
STEP, WIDEST = 0.001, 0.5
# Relative difference up to which a number of leaves counts as close to the printed one.
NEAR = 0.2
ONE_SIDED_95 = 1.645
TWO_SIDED_95 = 1.96

# Gain of a ranking on each sample of a problem, in hundredths of an area.
Gains = Callable[[Results, Problem], Floats]


def nearness(answer: Answer) -> float:
    """Mean distance of correct predictions from the boundary minus that of errors."""
    report = _boundary(answer)
    return float(report.mean_hits - report.mean_errors)


def lambda_(answer: Answer) -> float:
    """The same in standard deviations, equation 6 of the paper."""
    found: float = _boundary(answer).lambda_
    return found


METRICS: dict[str, Callable[[Answer], float]] = {
    "auc": auc,
    "leaves": leaves,
    "accuracy": accuracy,
}
NEARNESS: dict[str, Callable[[Answer], float]] = {
    "nearness": nearness,
    "lambda": lambda_,
    "accuracy": accuracy,
}
# Normally pruned trees with attributes scaled to a range of 1.
BY_RANGES = "normal by ranges"
# The global ranking of normally pruned trees by the other metric.
OTHER_METRIC = "normal global by ranges"
# Bounds that the text gives for the effect of the metric on the area.
METRIC_EFFECT = {"newThyroid": 0.004, "vehicle": 0.004, "glass": 0.0095}
USUAL_METRIC_EFFECT = 0.002
# Samples on which λ is at least 2, in %: all samples, and those with an accuracy above 70 %.
ABOVE_70 = {"bupa": (17, 29), "sonar": (34, 50)}
VEHICLES: dict[str, tuple[str, ...]] = {
    "bus": ("bus",),
    "van": ("van",),
    "opel": ("opel",),
    "saab": ("saab",),
    "opel and saab": ("opel", "saab"),
}


def table_1(setting: Setting) -> StudyReport:
    """Table 1: sizes of pruned and unpruned trees."""
    rows, absent = _rows(setting)
    printed, lines = published()["AB05_table1"]["rows"], []
    for row in rows:
        results, paper = _run(setting, row), printed[row.label]
        sizes = {
            name: results.mean("leaves", row.label, f"{name} laplace leaf") for name in PRUNINGS
        }
        less = {name: sizes["none"] - sizes[name] for name in ("reduced_error", "normal")}
        unpruned = [paper["leaves_unpruned"][0], sizes["none"]]
        lines.append(
            [row.label, *unpruned, paper["leaves_unpruned_minus_pruned"][0], *less.values()]
        )
    columns = ["data set", "unpruned: paper", "ours", "removed by pruning: paper"]
    columns += ["ours, reduced error", "ours, normal"]
    title = "AB05 Table 1: leaves of J48 trees"
    unpruned, by_other_cases, normal = (
        sum(abs(line[own] / line[paper] - 1.0) <= NEAR for line in lines)
        for own, paper in ((2, 1), (4, 3), (5, 3))
    )
    sentences = [
        *_about(setting),
        f"{unpruned} of {len(lines)} sizes of unpruned trees within 20 %.",
        f"The number of leaves removed by pruning is within 20 % on {by_other_cases} of "
        f"{len(lines)} data sets with reduced-error pruning, on {normal} with J48's "
        "own. The paper does not say which of the two it used; it must be the first.",
        *missing_data_note(absent),
    ]
    return StudyReport(
        "ab05-table1", title, [Table(columns, lines, title=title, digits=2)], sentences
    )


def table_2(setting: Setting) -> StudyReport:
    """Table 2: whether errors lie near the boundary."""
    rows, absent = _rows(setting)
    printed, lines, agreeing = published()["AB05_table2"]["rows"], [], 0
    for row in [row for row in rows if row.label in printed]:
        name, paper = BY_RANGES, printed[row.label]
        results = _nearness(setting, row.problem)
        ratios = results.values("lambda", row.label, name)
        known = ratios[~np.isnan(ratios)]
        clear = 100.0 * float(np.mean(known >= 2.0)) if len(known) else float("nan")
        means = [results.mean(metric, row.label, name) for metric in ("nearness", "lambda")]
        pairs = [paper["delta_means"][0], means[0], paper["lambda"][0], means[1]]
        lines.append([row.label, *pairs, paper["pct_lambda_ge_2"], clear])
        agreeing += (clear > 50.0) == (paper["pct_lambda_ge_2"] > 50.0)
    columns = ["data set", "hits minus errors: paper", "ours", "λ: paper", "ours"]
    columns += ["% λ ≥ 2: paper", "ours"]
    title = "AB05 Table 2: distances of hits and errors from the boundary"
    table = Table(columns, lines, title=title, digits=(0, 3, 3, 2, 2, 0, 0))
    sentences = [
        f"{setting.design(DESIGN)!r}; J48 trees, Min-Max metric, which gives distances of the "
        "printed size.",
        f"Paper and ours agree on {agreeing} of {len(lines)} data sets whether errors are clearly "
        "closer to the boundary (λ ≥ 2) in most samples.",
        *missing_data_note(absent),
    ]
    return StudyReport("ab05-table2", title, [table], sentences)


def table_3(setting: Setting) -> StudyReport:
    """Table 3: global geometric ranking against smoothing, and against NBTree."""
    columns = _over_smoothing("global") | {"vs_nbtree": _over_nbtree}
    nbtree = {"nbtree": NaiveBayesTreeClassifier()}
    title = "AB05 Table 3: 100 × (AUC of global geometric ranking minus best smoothing, or NBTree)"
    return _differences(setting, "3", title, columns, nbtree)


def table_4(setting: Setting) -> StudyReport:
    """Table 4: local geometric ranking against smoothing."""
    title = "AB05 Table 4: 100 × (AUC of local geometric ranking minus best smoothing)"
    return _differences(setting, "4", title, _over_smoothing("local"), {})


def table_5(setting: Setting) -> StudyReport:
    """Table 5: false positive rate up to which global ranking is better."""
    rows, absent = _rows(setting)
    lines = [[row.label, _reach(setting, row.problem)] for row in rows]
    title = "AB05 Table 5: largest x with AUC(y) of global ranking not below smoothing, all y ≤ x"
    sentences = [
        *_about(setting),
        "Our copies of the paper lack this table: the numbers are ours alone, by its definition "
        "(steps of 0.001 up to 0.5, one-sided 95 %).",
        *missing_data_note(absent),
    ]
    table = Table(("data set", "x"), lines, title=title, digits=3)
    return StudyReport("ab05-table5", title, [table], sentences)


def figure_1(setting: Setting) -> StudyReport:
    """Figure 1: ROC curves of three rankings on one sample of breast cancer."""
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
    return StudyReport("ab05-figure1", title, [table], _about(setting), {"roc": picture})


def vehicle(setting: Setting) -> StudyReport:
    """The positive class of vehicle: sizes by class, and Tables 1 to 4 for bus and van."""
    row = next((row for row in setting.rows("AB05")[0] if row.label == "vehicle"), None)
    if row is None:
        raise MissingDataError("The source has no data set vehicle: use --data to give another.")
    problems = {
        name: row.problem.against_rest(classes, f"vehicle, {name}")
        for name, classes in VEHICLES.items()
    }
    paper = published()["AB05_table1"]["rows"]["vehicle"]["leaves_unpruned"][0]
    unpruned = {"none laplace leaf": PRUNINGS["none"](smoothing="laplace", metric="standard")}
    sizes = []
    for name, problem in problems.items():
        results = setting.run("ab05", [problem], unpruned, DESIGN, METRICS)
        size = results.mean("leaves", problem.name, "none laplace leaf")
        sizes.append([name, paper, size, 100.0 * (size / paper - 1.0)])
    nearest = min(sizes, key=lambda line: abs(line[3]))[0]
    entries = {name: _vehicle_entries(setting, problems[name]) for name in ("bus", "van")}
    title = "AB05, the positive class of vehicle"
    tables = [
        Table(
            ("positive class", "leaves: paper", "ours", "difference in %"),
            sizes,
            title="Leaves of unpruned trees by positive class",
            digits=(0, 2, 2, 1),
        ),
        compared("Tables 1 to 4 for bus and van", _transposed(entries), digits=2),
    ]
    sentences = [
        *_about(setting),
        f"The class whose unpruned trees are nearest in size to Table 1 is {nearest}.",
    ]
    return StudyReport("ab05-vehicle", title, tables, sentences)


def claims(setting: Setting) -> StudyReport:
    """Claims of the text: effect of the metric, accuracies, samples above 70 %, best quartile."""
    rows, absent = _rows(setting)
    metrics: list[list[Any]] = []
    accuracies: list[list[Any]] = []
    quartiles: list[list[Any]] = []
    clear: list[list[Any]] = []
    for row in rows:
        results, name = _run(setting, row, _other_metric()), row.problem.name
        by_ranges = results.values("auc", name, OTHER_METRIC)
        standard = results.values("auc", name, "normal laplace global")
        bound = METRIC_EFFECT.get(row.label, USUAL_METRIC_EFFECT)
        metrics.append([row.label, bound, abs(float(np.mean(standard - by_ranges)))])
        accuracies.append([row.label, *_accuracies(results, name)])
        quartiles.append([row.label, *_by_quartile(results, row.problem)])
        if row.label in ABOVE_70:
            clear.append([row.label, *_above_70(setting, row)])
    tables = [
        Table(("data set", "bound in the text", "ours"), metrics,
              title="Absolute difference of the AUC between the two metrics", digits=4),
        Table(("data set", "unpruned", "normal", "minus unpruned", "reduced error",
               "minus unpruned"),
              accuracies, title="Accuracy (%) of pruned and unpruned trees", digits=2),
        Table(("data set", "all: paper", "ours", "above 70 %: paper", "ours"), clear,
              title="Samples (%) with λ of at least 2", digits=0),
        Table(("data set", "gain, global: all", "best quartile", "gain, local: all",
               "best quartile", "AUC, local: all", "best quartile"), quartiles,
              title="100 × AUC, all samples and the best quartile by accuracy", digits=2),
    ]  # fmt: skip
    improved = [sum(line[i + 1] > line[i] for line in quartiles) for i in (1, 3, 5)]
    sentences = [
        *_about(setting),
        f"Effect of the metric: within the bound of the text on "
        f"{sum(line[2] <= line[1] for line in metrics)} of {len(metrics)} data sets.",
        "Accuracy of pruned and unpruned trees: the mean absolute difference is 0.38 % in the "
        "paper and always less than 2.3 %; here it is "
        f"{_mean_and_largest([line[3] for line in accuracies])} with J48's own pruning, "
        f"{_mean_and_largest([line[5] for line in accuracies])} with reduced-error pruning.",
        f"On the best quartile of samples by accuracy, the gain of global ranking is larger on "
        f"{improved[0]} of {len(rows)} data sets; the paper finds no improvement either. Local "
        "ranking gives better results there, the paper says, on all but glass and ionosphere: its "
        f"AUC is larger on {improved[2]}, its gain over smoothing on {improved[1]}.",
        *missing_data_note(absent),
    ]
    return StudyReport("ab05-claims", "AB05, claims of the text", tables, sentences)


REPRODUCTIONS: dict[str, Callable[[Setting], StudyReport]] = {
    "ab05-table1": table_1,
    "ab05-table2": table_2,
    "ab05-table3": table_3,
    "ab05-table4": table_4,
    "ab05-table5": table_5,
    "ab05-figure1": figure_1,
    "ab05-vehicle": vehicle,
    "ab05-claims": claims,
}


def _rows(setting: Setting) -> tuple[list[PaperRow], list[str]]:
    """Return the data sets as two-class problems."""
    rows, absent = setting.rows("AB05")
    return [replace(row, problem=_two_classes(row)) for row in rows], absent


def _two_classes(row: PaperRow) -> Problem:
    known = [label for label in POSITIVE[row.label] if label in row.problem.classes]
    return row.problem.against_rest(tuple(known), row.label)


def _run(setting: Setting, row: PaperRow, others: dict[str, Any] | None = None) -> Results:
    chosen = configurations(row.problem) | (others or {})
    return setting.run("ab05", [row.problem], chosen, DESIGN, METRICS)


def configurations(problem: Problem) -> dict[str, Any]:
    """Return all combinations of pruning, smoothing and ranking by name."""
    share = float(np.mean(problem.labels == problem.positive_number))
    smoothings = {"laplace": "laplace", "m_estimate": MEstimate(PRIOR_CASES / share, "training")}
    return {
        _name(problem, pruning, smoothing, ranking): tree(
            smoothing=smoother, ranking=ranking, metric="standard"
        )
        for pruning, tree in PRUNINGS.items()
        for smoothing, smoother in smoothings.items()
        for ranking in RANKINGS
    }


def _name(problem: Problem, pruning: str, smoothing: str, ranking: str) -> str:
    # The m of the m-estimate depends on the problem, and so does the configuration.
    suffix = f" of {problem.name}" if smoothing == "m_estimate" else ""
    return f"{pruning} {smoothing} {ranking}{suffix}"


def _differences(
    setting: Setting, number: str, title: str, columns: dict[str, Gains], others: dict[str, Any]
) -> StudyReport:
    """Compare mean gains with the printed ones, whose ± is the standard error of the mean."""
    rows, absent = _rows(setting)
    printed = published()[f"AB05_table{number}"]["rows"]
    entries: dict[str, dict[str, PaperNumber]] = {}
    scores = {name: [0, 0, 0] for name in columns}
    for row in rows:
        results = _run(setting, row, others)
        entries[row.label] = {}
        for name, gains_of in columns.items():
            gains = gains_of(results, row.problem)
            mean, error = float(gains.mean()), float(gains.std(ddof=1)) / len(gains) ** 0.5
            entries[row.label][name] = PaperNumber.beside(printed[row.label][name], mean)
            scores[name][_verdict(mean, error)] += 1
    sentences = [
        *_about(setting),
        *(_agreement(name, entries, scores[name]) for name in columns),
        *missing_data_note(absent),
    ]
    tables = [
        compared(title, entries, digits=2),
        listed("Opposite sign", entries, _has_opposite_sign, digits=2),
    ]
    return StudyReport(f"ab05-table{number}", title, tables, sentences)


def _agreement(name: str, entries: dict[str, dict[str, PaperNumber]], score: list[int]) -> str:
    """Say on how many data sets the sign agrees, and how often the effect is significant."""
    pairs = [each[name] for each in entries.values()]
    signs = sum(not _has_opposite_sign(each) for each in pairs)
    paper = [0, 0, 0]
    for each in pairs:
        paper[_verdict(each.paper, each.deviation or 0.0)] += 1
    return (
        f"{name}: the sign agrees on {signs} of {len(pairs)} data sets; better/unclear/worse at "
        f"95 %: paper {_score(paper)}, ours {_score(score)}."
    )


def _has_opposite_sign(entry: PaperNumber) -> bool:
    return (entry.ours > 0) != (entry.paper > 0)


def _verdict(mean: float, error: float) -> int:
    """Return 0 if clearly above zero, 1 if unclear, 2 if clearly below."""
    return 1 if abs(mean) <= TWO_SIDED_95 * error else 0 if mean > 0 else 2


def _score(counts: list[int]) -> str:
    return "/".join(map(str, counts))


def _over_smoothing(ranking: str) -> dict[str, Gains]:
    return {pruning: partial(_gains, pruning=pruning, ranking=ranking) for pruning in PRUNINGS}


def _gains(results: Results, problem: Problem, pruning: str, ranking: str) -> Floats:
    """Return the gain of a ranking on each sample over the smoothing with the larger mean area."""
    best, base = _best_smoothing(results, problem, pruning)
    ranked = _name(problem, pruning, best, ranking)
    return 100.0 * (results.values("auc", problem.name, ranked) - base)


def _over_nbtree(results: Results, problem: Problem) -> Floats:
    """Return the gain of global ranking with reduced-error pruning over NBTree on each sample."""
    ranked = results.values("auc", problem.name, "reduced_error laplace global")
    return 100.0 * (ranked - results.values("auc", problem.name, "nbtree"))


def _best_smoothing(results: Results, problem: Problem, pruning: str) -> tuple[str, Floats]:
    areas = {
        smoothing: results.values("auc", problem.name, _name(problem, pruning, smoothing, "leaf"))
        for smoothing in ("laplace", "m_estimate")
    }
    return max(areas.items(), key=lambda pair: float(np.nanmean(pair[1])))


def _vehicle_entries(setting: Setting, problem: Problem) -> dict[str, PaperNumber]:
    """Return the numbers of Tables 1 to 4 for one positive class of vehicle."""
    results = setting.run(
        "ab05",
        [problem],
        configurations(problem) | {"nbtree": NaiveBayesTreeClassifier()},
        DESIGN,
        METRICS,
    )
    printed = {number: published()[f"AB05_table{number}"]["rows"]["vehicle"] for number in "1234"}
    sizes = {
        name: results.mean("leaves", problem.name, f"{name} laplace leaf") for name in PRUNINGS
    }
    found = {
        "Table 1, unpruned": PaperNumber.beside(printed["1"]["leaves_unpruned"], sizes["none"]),
        "Table 1, removed": PaperNumber.beside(
            printed["1"]["leaves_unpruned_minus_pruned"], sizes["none"] - sizes["reduced_error"]
        ),
    }
    nearer = _nearness(setting, problem)
    means = [nearer.mean(metric, problem.name, BY_RANGES) for metric in ("nearness", "lambda")]
    found["Table 2, hits minus errors"] = PaperNumber.beside(printed["2"]["delta_means"], means[0])
    found["Table 2, λ"] = PaperNumber.beside(printed["2"]["lambda"], means[1])
    for number, ranking in (("3", "global"), ("4", "local")):
        columns = _over_smoothing(ranking)
        if number == "3":
            columns["vs_nbtree"] = _over_nbtree
        for name, gains_of in columns.items():
            mean = float(gains_of(results, problem).mean())
            found[f"Table {number}, {name}"] = PaperNumber.beside(printed[number][name], mean)
    return found


def _transposed(entries: dict[str, dict[str, PaperNumber]]) -> dict[str, dict[str, PaperNumber]]:
    lines = list(next(iter(entries.values())))
    return {line: {name: entries[name][line] for name in entries} for line in lines}


def _other_metric() -> dict[str, Any]:
    return {OTHER_METRIC: j48(smoothing="laplace", ranking="global", metric="minmax")}


def _accuracies(results: Results, name: str) -> list[float]:
    """Return accuracies in %, unpruned and by pruning, each with its difference from unpruned."""
    unpruned, normal, by_other_cases = (
        100.0 * results.mean("accuracy", name, f"{pruning} laplace leaf")
        for pruning in ("none", "normal", "reduced_error")
    )
    return [unpruned, normal, normal - unpruned, by_other_cases, by_other_cases - unpruned]


def _mean_and_largest(differences: list[float]) -> str:
    sizes = np.abs(differences)
    return f"{sizes.mean():.2f} % and at most {sizes.max():.1f} %"


def _by_quartile(results: Results, problem: Problem) -> list[float]:
    """Return means over all samples and over the most accurate quarter, times 100.

    The gain of global ranking, that of local ranking, and the area of local ranking.
    """
    exact = results.values("accuracy", problem.name, "normal laplace leaf")
    best = exact >= np.quantile(exact, 0.75)
    found = []
    for ranking in ("global", "local"):
        gains = _gains(results, problem, "normal", ranking)
        found += [float(gains.mean()), float(gains[best].mean())]
    smoothing, _ = _best_smoothing(results, problem, "normal")
    areas = 100.0 * results.values(
        "auc", problem.name, _name(problem, "normal", smoothing, "local")
    )
    return [*found, float(areas.mean()), float(areas[best].mean())]


def _above_70(setting: Setting, row: PaperRow) -> list[float]:
    """Return shares of samples with λ ≥ 2 in %: all and accurate ones, paper and ours."""
    results = _nearness(setting, row.problem)
    ratios = results.values("lambda", row.problem.name, BY_RANGES)
    exact = results.values("accuracy", row.problem.name, BY_RANGES)
    shares = [
        100.0 * float(np.mean(ratios[chosen] >= 2.0)) if chosen.any() else float("nan")
        for chosen in (exact >= 0.0, exact > 0.7)
    ]
    every, accurate = ABOVE_70[row.label]
    return [every, shares[0], accurate, shares[1]]


def _nearness(setting: Setting, problem: Problem) -> Results:
    # Only attributes scaled to a range of 1 give distances as small as the printed ones.
    chosen = {BY_RANGES: j48(smoothing="laplace", metric="minmax")}
    return setting.run("ab05-table2", [problem], chosen, DESIGN, NEARNESS)


def _curves(setting: Setting, problem: Problem) -> Iterator[dict[str, Curve]]:
    """Yield the curves of normally pruned trees by three rankings for each sample."""
    chosen = {ranking: _name(problem, "normal", "m_estimate", ranking) for ranking in RANKINGS}
    every, sign = configurations(problem), 1.0 if problem.positive_number == 1 else -1.0
    plans = [Configuration(name, every[name]) for name in chosen.values()]
    for split in setting.design(DESIGN).splits(problem.labels):
        is_positive = problem.labels[split.test] == problem.positive_number
        models = fit_configurations(plans, problem.rows[split.train], problem.y[split.train])
        curves = {}
        for ranking, each in zip(chosen, models, strict=True):
            scores = sign * each.model.decision_function(problem.rows[split.test])
            curves[ranking] = Curve.from_leaves(scores, is_positive, ~is_positive)
        yield curves


def _reach(setting: Setting, problem: Problem) -> float:
    """Return the largest x up to which the partial area of global ranking is not smaller."""
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
