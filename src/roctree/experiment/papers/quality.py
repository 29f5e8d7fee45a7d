"""How well one tree ranks: ours beside the papers' best tree and beside other classifiers.

Four times five folds of the 50 data sets of Ferri, Flach and Hernández-Orallo (2003), the same for
all, and of ten data sets that are not among them. Areas are of probabilities: Hand and Till's mean
over pairs of classes, and the paper's own, by p / (p + q); means over data sets are geometric. All
results are in one file, so that the study can be stopped at any time and goes on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roctree.experiment.designs import CrossValidation
from roctree.experiment.papers.quality_rows import (
    BOOSTING,
    CEILINGS,
    CHOICES,
    DISTILLED,
    FOREST,
    GAP,
    IDEAS,
    IMODELS,
    OF_SIZE,
    OURS_OF_SIZE,
    PEERS,
    REFERENCE,
    SIZES,
    TREES,
    of_sizes,
    outside,
    size_name,
    whole,
)
from roctree.experiment.papers.report import Report, arithmetic_mean, geometric_mean
from roctree.experiment.papers.setting import Row, Setting, missing_sentence
from roctree.experiment.results import Results
from roctree.experiment.sources import Problem
from roctree.experiment.tables import Table

DESIGN = CrossValidation(folds=5, repeats=4, seed=1000)
HAND_TILL, PAIRWISE = "mauc_hand_till", "mauc_renormalised"
METRICS = (HAND_TILL, PAIRWISE, "log_loss", "brier", "accuracy", "leaves")
# Binary splits gain more on this set than on any other: means are given without it too.
APART = "monks2"
OURS = ("default", "best_ranking", "readable", "distilled")
OTHERS_OF_SIZE = [way for way in OF_SIZE if way not in OURS_OF_SIZE]
ALPHA = 0.1
PROMISES: tuple[tuple[str, str, float], ...] = (
    ("default", HAND_TILL, 88.5),
    ("default", PAIRWISE, 89.3),
    ("best_ranking", HAND_TILL, 89.7),
    ("best_ranking", PAIRWISE, 90.3),
    ("best_ranking", "log_loss", 0.345),
    ("distilled", HAND_TILL, 90.2),
    ("distilled", PAIRWISE, 90.8),
    ("readable", HAND_TILL, 89.0),
    (size_name("readable", 16), HAND_TILL, 88.0),
)
WORDS = {HAND_TILL: "Hand-Till", PAIRWISE: "pairwise", "log_loss": "log-loss"}


@dataclass(frozen=True)
class Study:
    """Results on some data sets, and their means."""

    results: Results
    problems: tuple[str, ...]

    def mean(self, metric: str, name: str, problems: Sequence[str] | None = None) -> float:
        """Return the mean over data sets: of areas the geometric one, in percent.

        It is not a number where a data set was not tried: means of other sets say something else.
        """
        chosen = self.problems if problems is None else problems
        return _mean(metric, [self.results.mean(metric, problem, name) for problem in chosen])

    def runs(self, name: str) -> int:
        """Return in how many divisions of data sets it was tried."""
        counts = [len(self.results.values(HAND_TILL, each, name)) for each in self.problems]
        return sum(counts)

    def ahead(self, name: str) -> float | None:
        """Return by how much it is ahead of the papers' best tree in the runs that both have."""
        if name == REFERENCE:
            return None
        pairs = [self.results.common(HAND_TILL, each, name, REFERENCE) for each in self.problems]
        ours, theirs = ([pair[i].mean() for pair in pairs if len(pair[i])] for i in range(2))
        return _mean(HAND_TILL, ours) - _mean(HAND_TILL, theirs)

    def alike(self, names: Sequence[str]) -> "Study":
        """Return these alone, in the divisions of data sets that all of them have."""
        places: dict[str, dict[str, set[tuple[int, int]]]] = {}
        for each in self.results.outcomes:
            if each.error is None and each.configuration in names:
                by_name = places.setdefault(each.problem, {})
                by_name.setdefault(each.configuration, set()).add((each.repeat, each.fold))
        common = {
            problem: set.intersection(*by_name.values())
            for problem, by_name in places.items()
            if len(by_name) == len(set(names))
        }
        kept = [
            each
            for each in self.results.outcomes
            if each.configuration in names and each[2:4] in common.get(each.problem, ())
        ]
        problems = tuple(problem for problem in self.problems if common.get(problem))
        results = replace(self.results, outcomes=kept, problems=problems)
        return Study(results, problems)

    def without(self, problem: str) -> list[str]:
        """Return all data sets but one."""
        return [each for each in self.problems if each != problem]

    def below(self, name: str) -> list[str]:
        """Return the data sets on which the papers' best tree ranks significantly better."""
        return [each for each in self.problems if self.verdict(each, name) == "loss"]

    def score(self, name: str) -> str:
        """Return wins, ties and losses against the papers' best tree."""
        if name == REFERENCE:
            return ""
        verdicts = [self.verdict(problem, name) for problem in self.problems]
        return "/".join(str(verdicts.count(each)) for each in ("win", "tie", "loss"))

    def verdict(self, problem: str, name: str) -> str:
        """Return whether it wins, ties or loses against the papers' best tree, or if not tried."""
        found = self.results.verdict(HAND_TILL, problem, name, REFERENCE, alpha=ALPHA)
        return found or "not tried"


def _mean(metric: str, values: Sequence[float]) -> float:
    if metric in (HAND_TILL, PAIRWISE, "accuracy"):
        return 100.0 * geometric_mean(values)
    return arithmetic_mean(values)


def quality(setting: Setting) -> Report:
    """How well one tree ranks, beside forests and boosting, and at equal numbers of leaves."""
    rows, absent = setting.rows("ECML03")
    problems = [row.problem for row in rows]
    others, not_there = outside(setting)
    main = whole(TREES, DISTILLED, PEERS, CEILINGS)
    study = _run(setting, problems, _in_order(main))
    beyond = _run(setting, others, main) if others else None
    gap = [row for row in rows if row.number in GAP]
    tables = [
        _promises(study),
        _means("The 50 data sets", study, main),
        _sizes(study),
        *([_beyond(beyond)] if beyond else []),
        *([_gap(setting, gap)] if gap else []),
        _means(
            "Other choices for the default and the soft tree", study.alike(_choices()), _choices()
        ),
        _data_sets(study, rows),
    ]
    sentences = [
        *_about(setting, study),
        *_losses(study),
        *(_order(study, beyond) if beyond else []),
        *missing_sentence([*absent, *not_there]),
    ]
    return Report("quality", "How well one tree ranks", tables, sentences)


REPRODUCTIONS: dict[str, Callable[[Setting], Report]] = {"quality": quality}


def _run(setting: Setting, problems: list[Problem], groups: Any) -> Study:
    """Run one group of configurations after the other, and return all of them."""
    parts = [groups] if isinstance(groups, Mapping) else list(groups)
    for part in [*parts, whole(*parts)]:
        results = setting.run("quality", problems, part, DESIGN, METRICS)
    return Study(results, results.problems)


def _in_order(main: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all that is run on the 50 data sets: what matters most comes first."""
    quick = of_sizes(*OURS_OF_SIZE, "C4.5, cut back")
    first = whole(TREES, quick)
    slow = of_sizes(*(way for way in OF_SIZE if size_name(way, SIZES[0]) not in quick))
    return [
        first,
        {FOREST: main[FOREST]},
        {BOOSTING: main[BOOSTING], **DISTILLED},
        whole(PEERS, slow),
        dict(CHOICES),
    ]


def _choices() -> list[str]:
    return [REFERENCE, "default", "best_ranking", *CHOICES]


def _extent(study: Study) -> str:
    """Say how much a table rests on."""
    return f"{len(study.problems)} data sets, {study.runs(study.results.outcomes[0][1])} runs each"


def _about(setting: Setting, study: Study) -> list[str]:
    results, n_places = study.results, len(setting.design(DESIGN).places)
    failures, expected = (
        results.failures,
        n_places * len(study.problems) * len(results.configurations),
    )
    notes = [f"{len(failures)} results are errors."] * bool(failures)
    if len(results.outcomes) < expected:
        notes.append(
            f"{len(results.outcomes)} of {expected} runs were there when this page was made, see "
            "the last column: `roctree reproduce quality --data DIR` goes on with the others."
        )
    return [
        "Written by `roctree reproduce quality --data DIR`; how it is read and what was decided is "
        "in [decision 0025](decisions/0025-quality.md).",
        f"{setting.design(DESIGN)!r}, the same folds for all, {len(study.problems)} data sets. "
        "Areas (%) are geometric means, other measures arithmetic ones; in the log-loss no "
        "probability counts as less than 1e-6.",
        "Differences below 0.2 mean nothing: one repeat of all 50 data sets has a standard "
        "deviation of 0.15 to 0.2, four repeats one of 0.1.",
        f"Wins/ties/losses are against {REFERENCE}, by the corrected resampled t-test at {ALPHA} "
        "on Hand and Till's area; of 50 tests without any difference five would say otherwise.",
        "`distilled` has gradient boosting as its teacher. scikit-learn's trees and the forest see "
        "a column for every category; tuned ones by Hand and Till's area in three inner folds. "
        "Hierarchical shrinkage is ours, its strength by inner folds, of trees grown by Gini's "
        f"index as scikit-learn grows them; {_of_imodels()} C4.5 is given Laplace's smoothing "
        "where it is cut back.",
        f"`ahead` is by how much Hand and Till's area is above that of {REFERENCE} in the same "
        "runs: the number to read where runs differ.",
        *notes,
    ]


def _of_imodels() -> str:
    if IMODELS not in OF_SIZE:
        return "imodels' own was not run, for imodels is not installed."
    return "imodels' own shrinks scikit-learn's tree, by the area in three inner folds."


def _losses(study: Study) -> list[str]:
    return [
        f"{name} is significantly below {REFERENCE} on "
        f"{', '.join(study.below(name)) or 'no data set'}."
        for name in OURS
    ]


def _order(study: Study, beyond: Study) -> list[str]:
    """Sentences on the order of the main rows, on the 50 data sets and on the others."""
    names = [REFERENCE, *OURS, FOREST]
    orders = [
        " < ".join(sorted(names, key=lambda name: part.mean(HAND_TILL, name)))
        for part in (study.alike(names), beyond.alike(names))
    ]
    return [f"Order by Hand and Till's area on the 50: {orders[0]}; on the others: {orders[1]}."]


def _promises(study: Study) -> Table:
    lines = []
    for name, metric, goal in PROMISES:
        ours = study.mean(metric, name)
        met = ours <= goal if metric == "log_loss" else ours >= goal
        wanted = f"{name}, {WORDS[metric]}"
        lines.append([wanted, f"{goal:g}", f"{ours:.4g}", _yes(met), study.runs(name)])
    for name in OURS:
        n_below, wanted = len(study.below(name)), f"{name}, data sets significantly below"
        lines.append([wanted, "0", str(n_below), _yes(n_below == 0), study.runs(name)])
    for size in SIZES:
        name = size_name("readable", size)
        others = [study.mean(HAND_TILL, size_name(way, size)) for way in OTHERS_OF_SIZE]
        lead = study.mean(HAND_TILL, name) - max(others)
        wanted = f"{name}, ahead of the best of others of that size"
        lines.append([wanted, "0", f"{lead:.2f}", _yes(lead > 0.0), study.runs(name)])
    columns = ("wanted", "at least, or at most", "found", "met", "runs")
    return Table(columns, lines, title="What was wanted")


def _yes(met: bool) -> str:
    return "yes" if met else "no"


def _means(title: str, study: Study, names: Iterable[str]) -> Table:
    columns = ("", "Hand-Till", "pairwise", "without MONKS2", "pairwise", "ahead", "log-loss")
    rest, lines = study.without(APART), []
    for name in names:
        line: list[Any] = [study.mean(metric, name) for metric in (HAND_TILL, PAIRWISE)]
        line += [study.mean(metric, name, rest) for metric in (HAND_TILL, PAIRWISE)]
        line += [study.ahead(name)]
        line += [study.mean(metric, name) for metric in ("log_loss", "brier", "leaves")]
        lines.append([name, *line, study.score(name), study.runs(name)])
    digits = (0, 2, 2, 2, 2, 2, 3, 3, 0, 0, 0)
    return Table((*columns, "Brier", "leaves", "w/t/l", "runs"), lines, title=title, digits=digits)


def _sizes(whole_study: Study) -> Table:
    study, lines = whole_study.alike(list(of_sizes(*OF_SIZE))), []
    for way in OF_SIZE:
        line: list[Any] = [way]
        for size in SIZES:
            name = size_name(way, size)
            line += [study.mean(HAND_TILL, name), study.mean("log_loss", name)]
        lines.append(line)
    columns = ["Hand-Till and log-loss"]
    for size in SIZES:
        columns += [f"at most {size}", "log-loss"]
    digits = (0, *(2, 3) * len(SIZES))
    title = f"Trees of equal size, {_extent(study)}"
    return Table(columns, lines, title=title, digits=digits)


def _beyond(whole_study: Study) -> Table:
    names = [REFERENCE, *OURS, FOREST, BOOSTING]
    study = whole_study.alike(names)
    lines = [
        [problem, *(100.0 * study.results.mean(HAND_TILL, problem, name) for name in names)]
        for problem in study.problems
    ]
    lines.append(["Hand-Till", *(study.mean(HAND_TILL, name) for name in names)])
    lines.append(["pairwise", *(study.mean(PAIRWISE, name) for name in names)])
    lines.append(["log-loss, percent", *(100.0 * study.mean("log_loss", name) for name in names)])
    lines.append(["wins/ties/losses", *(study.score(name) for name in names)])
    title = "Data sets that are not among the 50, chosen before they were looked at, "
    title += _extent(study)
    return Table(("Hand-Till", *names), lines, title=title, digits=1)


def _gap(setting: Setting, rows: list[Row]) -> Table:
    groups = whole(TREES, DISTILLED, CEILINGS, IDEAS)
    names = [REFERENCE, "default", "best_ranking", *DISTILLED, *IDEAS, FOREST, BOOSTING]
    study = _run(setting, [row.problem for row in rows], groups).alike(names)
    lines = [
        [
            name,
            *(100.0 * study.results.mean(HAND_TILL, row.problem.name, name) for row in rows),
            study.mean(HAND_TILL, name),
        ]
        for name in names
    ]
    title = f"Where a forest is farthest ahead: what was tried, {_extent(study)}"
    return Table(("Hand-Till", *(row.label for row in rows), "mean"), lines, title=title, digits=1)


def _data_sets(study: Study, rows: list[Row]) -> Table:
    names = [REFERENCE, *OURS, FOREST, BOOSTING]
    lines = []
    for row in rows:
        marks = [_mark(study, row.problem.name, name) for name in names]
        lines.append([f"{row.number} {row.label}", *marks])
    title = f"Every data set, Hand-Till; + and − are significant against {REFERENCE}"
    return Table(("data set", *names), lines, title=title)


def _mark(study: Study, problem: str, name: str) -> str:
    marks = {"win": " +", "loss": " −"}
    if not len(study.results.values(HAND_TILL, problem, name)):
        return "–"
    shown = f"{100.0 * study.results.mean(HAND_TILL, problem, name):.1f}"
    return shown + ("" if name == REFERENCE else marks.get(study.verdict(problem, name), ""))
