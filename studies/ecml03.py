"""Ferri, Flach and Hernández-Orallo (2003): smoothing, criteria and pruning of probability trees.

20 times 5 folds of 50 data sets. In our reading their system SMILES grows trees by C4.5's gain
ratio without the penalty of release 8, with at least one case per branch, one branch per category,
and a missing category as a further category. Leaves predict their majority class. Empty leaves
predict equal class probabilities, whatever the smoothing (``UniformWhereEmpty``). Areas are means
over pairs of classes, ranked by p / (p + q).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from roctree.criteria import (
    AUC,
    DKM,
    MSEE,
    Correction,
    Entropy,
    GainRatio,
    Gini,
    SplitSmoothing,
)
from roctree.estimator import ROCTreeClassifier
from roctree.experiment import CrossValidation, Results, Table
from roctree.experiment.significance import Verdict
from roctree.presets import smiles_2003
from roctree.pruning import CardPerClass
from roctree.smoothing import MBranch, MEstimate, Smoother, UniformWhereEmpty
from studies.charts import Series, chart
from studies.report import (
    PaperNumber,
    StudyReport,
    arithmetic_mean,
    compared,
    geometric_mean,
    outside,
    within,
)
from studies.setting import PaperRow, Setting, missing_data_note, published

DESIGN = CrossValidation(folds=5, repeats=20, seed=1000)
# For the 39 readings of the criteria: the first half of the repeats, which takes long enough.
TEN_TIMES = replace(DESIGN, repeats=10)
AREA = "mauc_renormalised"
METRICS = ("accuracy", AREA, "mauc_hand_till", "log_loss", "brier", "leaves")
CRITERIA: dict[str, Any] = {
    "c45": GainRatio(),
    "gain": Entropy(),
    "gini": Gini(),
    "dkm": DKM(),
    "mauc": AUC(),
    "msee": MSEE(),
}
SMOOTHINGS: dict[str, Any] = {
    "none": UniformWhereEmpty("none"),
    "laplace": "laplace",
    "m_estimate": MEstimate(m=4),
    "m_branch": UniformWhereEmpty(MBranch(M=4)),
}
STRENGTHS = (0, 1, 2, 4, 8, 16)
CORRECTIONS: tuple[Correction, ...] = ("none", "log2", "split_info")
SPLIT_SMOOTHINGS: tuple[SplitSmoothing, ...] = ("none", "laplace", "m_estimate")
# Pruners that the text compares, by our names.
PRUNINGS: dict[str, Any] = {
    "unpruned": "none",
    "pessimistic": "pessimistic",
    "expected error": "expected_error",
}
PSEUDOCOUNTS = (1, 2, 4, 8, 16)
RULES: dict[Literal["printed", "per_class"], str] = {"printed": "2K/c", "per_class": "2Kc"}
# Wins, ties and losses that the paper prints in Tables 7 and 8.
MSEE_AGAINST_C45 = {
    "two_class": {"accuracy": "11/9/5", "auc": "7/13/5"},
    "multi_class": {"accuracy": "10/11/4", "auc": "7/13/5"},
    "all": {"accuracy": "21/20/9", "auc": "14/26/10"},
}
MBRANCH_AGAINST_LAPLACE = {"two_class": "11/9/5", "multi_class": "16/4/5", "all": "27/13/10"}
COLUMNS_OF_TABLE_8 = ("c45 none", "c45 laplace", "c45 m_branch", "msee printed K=1")


def smoothings(setting: Setting) -> StudyReport:
    """Tables 3 and 4: no smoothing, Laplace and the m-estimate."""
    columns = ("none", "laplace", "m_estimate")
    return _by_smoothing(setting, "tables3-4", "ECML03_tables3_4", columns)


def m_branch(setting: Setting) -> StudyReport:
    """Tables 5 and 6: the m-estimate against m-branch smoothing."""
    columns = ("m_estimate", "m_branch")
    return _by_smoothing(setting, "tables5-6", "ECML03_tables5_6", columns)


def criteria(setting: Setting) -> StudyReport:
    """Table 7: splitting criteria, all with m-branch smoothing."""
    rows, absent = setting.rows("ECML03")
    names = {name: f"{name} m_branch" for name in CRITERIA}
    results = _run(setting, rows, names.values())
    printed, title = published()["ECML03_table7"], "ECML03 Table 7: criteria with m-branch"
    lines = []
    for group, members in _groups(rows).items():
        for number, metric in enumerate(("accuracy", "auc")):
            measure = (metric, AREA)[number]
            ours = [_geometric(results, measure, members, name) for name in names.values()]
            lines.append([f"{group} {metric}, paper", *printed[group][metric]])
            lines.append([f"{group} {metric}, ours", *ours])
    counts = [
        [
            f"{group} {metric}",
            MSEE_AGAINST_C45[group][metric],
            _score(_counts(results, metric, members, pair)),
        ]
        for pair in [(names["msee"], names["c45"])]
        for group, members in _groups(rows).items()
        for metric in ("accuracy", "auc")
    ]
    summary = [
        *_about(setting, results),
        "No smoothing of the split; MSEE without correction for the number of children, MAUC with "
        "the split information.",
        *missing_data_note(absent),
    ]
    table = Table(("geometric means", *CRITERIA), lines, title=title, digits=1)
    better = Table(
        ("MSEE against C4.5", "paper", "ours"), counts, title="Wins/ties/losses, unpaired test"
    )
    numbers = _numbers(results, names.values())
    return StudyReport("ecml03-table7", title, [table, better], summary, numbers=numbers)


def summary(setting: Setting) -> StudyReport:
    """Table 8: the gain of each step."""
    rows, absent = setting.rows("ECML03")
    chosen = COLUMNS_OF_TABLE_8
    results = _run(setting, rows, chosen)
    printed, title = published()["ECML03_table8"], "ECML03 Table 8: summary"
    lines = []
    for group, members in _groups(rows).items():
        for number, metric in enumerate(("accuracy", AREA)):
            word = ("accuracy", "AUC")[number]
            ours = [_geometric(results, metric, members, name) for name in chosen]
            lines.append([f"{group} {word}, paper", *(pair[number] for pair in printed[group])])
            lines.append([f"{group} {word}, ours", *ours])
    pair = COLUMNS_OF_TABLE_8[3], COLUMNS_OF_TABLE_8[1]
    scores = {
        group: _score(_counts(results, "auc", members, pair))
        for group, members in _groups(rows).items()
    }
    counts = [
        f"{group} {paper} / {scores[group]}" for group, paper in MBRANCH_AGAINST_LAPLACE.items()
    ]
    sentences = [
        *_about(setting, results),
        "MSEE with m-branch against C4.5 with Laplace in AUC, wins/ties/losses, paper / ours: "
        f"{', '.join(counts)}.",
        *missing_data_note(absent),
    ]
    table = Table(("geometric means", *chosen), lines, title=title, digits=1)
    return StudyReport(
        "ecml03-table8", title, [table], sentences, numbers=_numbers(results, chosen)
    )


def figure_1(setting: Setting) -> StudyReport:
    """Figure 1: accuracy, AUC and number of leaves against the strength of CardPerClass pruning."""
    rows, absent = setting.rows("ECML03")
    chosen = list(_pruned())
    results = _run(setting, rows, chosen)
    lines: list[list[Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for rule, words in RULES.items():
        for strength in STRENGTHS:
            name = f"msee {rule} K={strength}"
            means = {
                word: _geometric(results, metric, rows, name)
                for word, metric in (("accuracy", "accuracy"), ("AUC", AREA), ("leaves", "leaves"))
            }
            lines.append([f"{words}, K={strength}", *means.values()])
            for word, mean in means.items():
                curves.setdefault(f"{word}, {words}", []).append((float(strength), mean))
    title = "ECML03 Figure 1: CardPerClass pruning of MSEE trees with m-branch smoothing"
    columns = ("pruned below", "accuracy", "AUC", "leaves")
    sentences = [
        *_about(setting, results),
        "The paper prints no numbers for this figure. It says that AUC hardly decreases up to K=4 "
        "while trees become considerably smaller.",
        *missing_data_note(absent),
    ]
    table = Table(columns, lines, title="Geometric means", digits=1)
    picture = {"pruning": _picture(curves)}
    return StudyReport(
        "ecml03-figure1", title, [table], sentences, picture, _numbers(results, chosen)
    )


def readings(setting: Setting) -> StudyReport:
    """Readings of Table 7: corrections for the number of children, smoothings of the split."""
    rows, absent = setting.rows("ECML03")
    chosen = _readings()
    problems = [row.problem for row in rows]
    results = setting.run("ecml03-readings", problems, chosen, TEN_TIMES, METRICS)
    printed, groups = published()["ECML03_table7"], _groups(rows)
    order = list(CRITERIA)
    lines, distances = [], {}
    for name in chosen:
        place = order.index(name.partition(" ")[0])
        ours, paper = (
            [
                [_geometric(results, measure, members, name) for measure in ("accuracy", AREA)]
                for members in groups.values()
            ],
            [[printed[group][metric][place] for metric in ("accuracy", "auc")] for group in groups],
        )
        distances[name] = float(np.abs(np.array(ours) - paper)[:2].mean())
        lines.append([name, *(x for pair in ours for x in pair), distances[name]])
    best = {
        criterion: min(
            (name for name in chosen if name.partition(" ")[0] == criterion),
            key=distances.__getitem__,
        )
        for criterion in order
    }
    nominal = [
        row for row in rows if any(len(each or ()) > 2 for each in row.problem.rows.categories)
    ]
    effect = [
        f"{correction} {_geometric(results, AREA, nominal, f'msee {correction} none'):.2f}"
        for correction in CORRECTIONS
    ]
    title = "ECML03 Table 7: readings of the criteria"
    columns = ["criterion, correction, smoothing of the split"]
    columns += [f"{group} {word}" for group in groups for word in ("accuracy", "AUC")]
    sentences = [
        *_about(setting, results, TEN_TIMES),
        "The paper corrects MAUCsplit and MSEEsplit for the number of children, by a formula that "
        "it does not print, and gives each criterion the smoothing of the split that suits it.",
        "Nearest to the paper's four means of two-class and multi-class sets (mean absolute "
        f"difference): {', '.join(f'{name} ({distances[name]:.2f})' for name in best.values())}.",
        f"AUC of MSEE on the {len(nominal)} sets with nominal attributes of more than two values, "
        f"by correction: {', '.join(effect)}.",
        *missing_data_note(absent),
    ]
    table = Table([*columns, "distance"], lines, title=title, digits=2)
    return StudyReport("ecml03-readings", title, [table], sentences)


def claims(setting: Setting) -> StudyReport:
    """Claims of the text: classical pruning with and without smoothing, m = M = 4 as optimum."""
    rows, absent = setting.rows("ECML03")
    pruned = {
        f"{pruning}, {smoothing}": _tree("c45", smoothing, pruning=pruner)
        for pruning, pruner in PRUNINGS.items()
        for smoothing in ("none", "laplace", "m_branch")
    }
    smoothers: dict[str, Callable[[float], Smoother]] = {
        "m": lambda strength: MEstimate(m=strength),
        "M": lambda strength: UniformWhereEmpty(MBranch(M=strength)),
    }
    strengths = {
        f"{name}={strength}": smiles_2003(criterion=CRITERIA["c45"], smoothing=smoother(strength))
        for name, smoother in smoothers.items()
        for strength in PSEUDOCOUNTS
    }
    problems = [row.problem for row in rows]
    results = setting.run("ecml03-claims", problems, pruned | strengths, DESIGN, METRICS)
    measures = (("AUC", AREA), ("accuracy", "accuracy"), ("leaves", "leaves"))
    by_pruning = []
    for name in pruned:
        means = [_geometric(results, metric, rows, name) for _, metric in measures]
        unpruned = "unpruned, " + name.partition(", ")[2]
        better = sum(
            _mean(results, AREA, row, name) > _mean(results, AREA, row, unpruned) for row in rows
        )
        by_pruning.append([name, *means, better])
    by_strength = [
        [strength, *(_geometric(results, AREA, rows, f"{name}={strength}") for name in ("m", "M"))]
        for strength in PSEUDOCOUNTS
    ]
    tables = [
        Table(
            (
                "pruning, smoothing",
                "AUC",
                "accuracy",
                "leaves",
                "sets with larger AUC than unpruned",
            ),
            by_pruning,
            title="Classical pruning of C4.5 trees, geometric means",
            digits=(0, 2, 2, 1, 0),
        ),
        Table(
            ("m or M", "AUC, m-estimate", "AUC, m-branch"),
            by_strength,
            title="Weight of the prior, geometric means",
            digits=(0, 2, 2),
        ),
    ]
    sentences = [
        *_about(setting, results),
        "The paper says that even slight pruning lowers the AUC, and that without smoothing "
        "pruning is beneficial in some cases; and it reports m = M = 4 as the best values.",
        *missing_data_note(absent),
    ]
    return StudyReport("ecml03-claims", "ECML03, claims of the text", tables, sentences)


REPRODUCTIONS: dict[str, Callable[[Setting], StudyReport]] = {
    "ecml03-tables3-4": smoothings,
    "ecml03-tables5-6": m_branch,
    "ecml03-table7": criteria,
    "ecml03-table8": summary,
    "ecml03-figure1": figure_1,
    "ecml03-readings": readings,
    "ecml03-claims": claims,
}


def _by_smoothing(setting: Setting, name: str, key: str, columns: tuple[str, ...]) -> StudyReport:
    rows, absent = setting.rows("ECML03")
    names = {column: f"c45 {column}" for column in columns}
    results = _run(setting, rows, names.values())
    printed = published()[key]["rows"]
    entries = {
        f"{row.number} {row.label}": {
            column: PaperNumber.beside(
                printed[row.number][column], _mean(results, AREA, row, config)
            )
            for column, config in names.items()
        }
        for row in rows
    }
    title = f"ECML03 {name.replace('tables', 'Tables ')}: AUC (%) by smoothing, C4.5's criterion"
    sentences = [
        *_about(setting, results),
        *(f"{column}: {within(entries, column)}." for column in columns),
        *_means(entries, rows, columns),
        *missing_data_note(absent),
    ]
    if "m_branch" in columns:
        sentences[1:1] = _marks(results, rows, printed)
    tables, numbers = (
        [compared(title, entries), outside(entries)],
        _numbers(results, names.values()),
    )
    return StudyReport(f"ecml03-{name}", title, tables, sentences, numbers=numbers)


def configurations() -> dict[str, ROCTreeClassifier]:
    """Return all trees of the paper by name."""
    return {
        **{f"c45 {smoothing}": _tree("c45", smoothing) for smoothing in SMOOTHINGS},
        **{f"{criterion} m_branch": _tree(criterion) for criterion in CRITERIA},
        **_pruned(),
    }


def _readings() -> dict[str, ROCTreeClassifier]:
    """Return trees with m-branch smoothing by criterion, correction and smoothing of the split."""
    found: dict[str, Any] = {}
    for smoothing in SPLIT_SMOOTHINGS:
        for name, criterion in (
            ("c45", GainRatio),
            ("gain", Entropy),
            ("gini", Gini),
            ("dkm", DKM),
        ):
            found[f"{name} {smoothing}"] = criterion(split_smoothing=smoothing)
        for correction in CORRECTIONS:
            options: dict[str, Any] = {
                "split_smoothing": smoothing,
                "children_correction": correction,
            }
            ending = f"{correction} {smoothing}"
            found[f"msee {ending}"] = MSEE(**options)
            found[f"mauc {ending}"] = AUC(**options)
            found[f"mauc renormalised {ending}"] = AUC(pairs="renormalised", **options)
    return {
        name: smiles_2003(criterion=criterion, smoothing=SMOOTHINGS["m_branch"])
        for name, criterion in sorted(found.items())
    }


def _pruned() -> dict[str, ROCTreeClassifier]:
    return {
        f"msee {rule} K={strength}": _tree("msee", pruning=CardPerClass(K=strength, rule=rule))
        for rule in RULES
        for strength in STRENGTHS
    }


def _tree(criterion: str, smoothing: str = "m_branch", **others: Any) -> ROCTreeClassifier:
    return smiles_2003(criterion=CRITERIA[criterion], smoothing=SMOOTHINGS[smoothing], **others)


def _run(setting: Setting, rows: list[PaperRow], names: Iterable[str]) -> Results:
    every = configurations()
    chosen = every if setting.together else {name: every[name] for name in names}
    return setting.run("ecml03", [row.problem for row in rows], chosen, DESIGN, METRICS)


def _picture(curves: dict[str, list[tuple[float, float]]]) -> str:
    """Draw accuracy, area and number of leaves against the strength of pruning."""
    series = [Series(name, points, dots=True) for name, points in curves.items()]
    return chart(
        series,
        x_label="K",
        y_label="%, and number of leaves",
        x_range=(0.0, float(STRENGTHS[-1])),
        y_range=(0.0, 100.0),
        n_steps=4,
    )


def _mean(results: Results, metric: str, row: PaperRow, name: str) -> float:
    """Return a mean in percent; numbers of leaves are not scaled."""
    scale = 1.0 if metric == "leaves" else 100.0
    return scale * results.mean(metric, row.problem.name, name)


def _geometric(results: Results, metric: str, rows: list[PaperRow], name: str) -> float:
    return geometric_mean([_mean(results, metric, row, name) for row in rows])


def _groups(rows: list[PaperRow]) -> dict[str, list[PaperRow]]:
    """Group the rows by their number of classes, as the paper does for its means."""
    two = [row for row in rows if len(row.problem.classes) == 2]
    return {"two_class": two, "multi_class": [row for row in rows if row not in two], "all": rows}


def _means(
    entries: dict[str, dict[str, PaperNumber]], rows: list[PaperRow], columns: tuple[str, ...]
) -> list[str]:
    """Compare the means of each group of data sets with those of the same rows in the paper."""
    labels = list(entries)
    sentences = []
    for group, members in _groups(rows).items():
        chosen = [entries[labels[rows.index(row)]] for row in members]
        parts = []
        for column in columns:
            pairs = [(each[column].paper, each[column].ours) for each in chosen]
            papers, ours = [paper for paper, _ in pairs], [own for _, own in pairs]
            parts.append(
                f"{column} {geometric_mean(papers):.1f} / {geometric_mean(ours):.1f} "
                f"(arithmetic {arithmetic_mean(papers):.1f} / {arithmetic_mean(ours):.1f})"
            )
        sentences.append(f"Geometric means, {group}, paper / ours: {', '.join(parts)}.")
    return sentences


def _marks(results: Results, rows: list[PaperRow], printed: dict[str, Any]) -> list[str]:
    pair = "c45 m_branch", "c45 m_estimate"
    counts = []
    for group, members in _groups(rows).items():
        paper = Counter(printed[row.number]["better"] for row in members)
        ours = _counts(results, "auc", members, pair)
        counts.append(f"{group} {_score(paper)} / {_score(ours)}")
    corrected = results.win_tie_loss(AREA, *pair)
    return [
        "m-branch against the m-estimate, wins/ties/losses at 0.1 by the unpaired t-test, which "
        f"the paper's marks agree with, paper / ours: {', '.join(counts)}.",
        f"By the corrected resampled test, ours are {_score(corrected)}.",
    ]


def _counts(
    results: Results, metric: str, rows: list[PaperRow], pair: tuple[str, str]
) -> dict[Verdict, int]:
    """Count on how many data sets the first of two configurations wins, ties and loses."""
    measure = AREA if metric == "auc" else metric
    found = Counter(
        results.verdict(measure, row.problem.name, *pair, test="unpaired", alpha=0.1)
        for row in rows
    )
    return {verdict: found[verdict] for verdict in ("win", "tie", "loss")}


def _score(counts: Mapping[Verdict, int]) -> str:
    return "/".join(str(counts[verdict]) for verdict in ("win", "tie", "loss"))


def _about(setting: Setting, results: Results, full: CrossValidation = DESIGN) -> list[str]:
    design = setting.design(full)
    failures = len(results.failures)
    sentence = f"{design!r}, AUC as the mean over pairs of classes by p / (p + q)."
    return [sentence] + [f"{failures} runs failed."] * bool(failures)


def _numbers(results: Results, names: Iterable[str]) -> dict[str, Any]:
    """Return the mean of each measure, by data set and configuration."""
    chosen = list(names)
    return {
        problem: {
            name: {
                metric: round(results.mean(metric, problem, name), 6) for metric in results.metrics
            }
            for name in chosen
        }
        for problem in results.problems
    }
