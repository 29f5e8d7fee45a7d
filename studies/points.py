"""Trees with points beside other models that people read, and beside forests and boosting.

The folds are those of the study of quality: four times five folds of the 50 data sets of Ferri,
Flach and Hernández-Orallo (2003), and of ten further ones. EBM and LMT take long: one repeat of
five folds, LMT only of data sets with few cases. All results are in one file, so that the study can
be interrupted, resumed and extended; ``studies.folds`` keeps them in the repository.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from roctree.experiment import Results, Table
from roctree.points import Points
from roctree.presets import best_ranking, readable, scorecard
from studies.peers import (
    Boosted,
    ExplainableBoosting,
    LogisticModelTree,
    figs,
    forest,
    ridge,
    weka_jar,
)
from studies.quality import (
    ALPHA,
    BOOSTING,
    DESIGN,
    FOREST,
    HAND_TILL,
    METRICS,
    WORDS,
    further_problems,
    size_name,
)
from studies.report import StudyReport, arithmetic_mean, geometric_mean
from studies.setting import Setting, missing_data_note

# What is compared

BASE, SMALL = "readable", size_name("readable", 16)
BARE = "scorecard without points"
OURS: dict[str, Any] = {
    BASE: readable(),
    SMALL: readable(max_leaf_nodes=16),
    BARE: scorecard(points=None),
    "scorecard": scorecard(),
    "scorecard of whole points": scorecard(points=Points("curves", max_attributes=6, integer=True)),
    "readable, linear points": readable(points="linear"),
    "readable, curves": readable(points="curves"),
    "best_ranking": best_ranking(),
}
PEERS: dict[str, Any] = {"ridge regression": ridge()}
CEILINGS: dict[str, Any] = {FOREST: forest(), BOOSTING: Boosted()}
# One repeat; only if their libraries are installed.
SLOW: dict[str, Any] = {}
LMT, EBM = "LMT (Weka)", "EBM"
MOST_CASES_OF_LMT = 2000
if find_spec("imodels"):
    PEERS["FIGS"] = figs()
if weka_jar():
    SLOW[LMT] = LogisticModelTree()
if find_spec("interpret"):
    SLOW[EBM] = ExplainableBoosting()

# All rows, also those that were run elsewhere.
PEER_NAMES = ("ridge regression", "FIGS", LMT, EBM)
NAMES = [*OURS, *PEER_NAMES, FOREST, BOOSTING]

GOALS: tuple[tuple[str, str, float], ...] = (
    ("best_ranking", HAND_TILL, 91.0),
    ("best_ranking", "log_loss", 0.29),
    ("scorecard", HAND_TILL, 90.0),
)


# The study


def points(setting: Setting) -> StudyReport:
    """Ranking of trees with points, beside other models that people read, with the times to fit."""
    rows, absent = setting.rows("ECML03")
    problems = sorted((row.problem for row in rows), key=lambda problem: len(problem.labels))
    others, not_there = further_problems(setting)
    every = [*others, *problems]
    for part in (OURS, PEERS, CEILINGS):
        for problem in every:
            setting.run("points", [problem], part, DESIGN, METRICS)
    for name, model in SLOW.items():
        for problem in every:
            if name != LMT or len(problem.labels) <= MOST_CASES_OF_LMT:
                once = setting if setting.quick else setting.with_repeats(1)
                once.run("points", [problem], {name: model}, DESIGN, METRICS)
    results = setting.results("points", every, NAMES, DESIGN)
    first, second = ([each.name for each in part] for part in (problems, others))
    repeats = 1 if setting.quick else setting.repeats or DESIGN.repeats
    return report_of(results, first, second, [*absent, *not_there], repeats)


def report_of(
    results: Results,
    problems: Sequence[str],
    others: Sequence[str],
    absent: list[str],
    repeats: int = DESIGN.repeats,
) -> StudyReport:
    """Return the page of stored results, finished or not.

    Parameters
    ----------
    results : Results
        Of any part of the study.
    problems, others : sequences of str
        The 50 data sets, and the further ones.
    absent : list of str
        Data sets that could not be loaded.
    repeats : int
        Number of repeats that a finished row has; one for slow rows.
    """
    study, beyond = (Standings(results, tuple(part), repeats) for part in (problems, others))
    tables = [
        _goals(study),
        _means("The 50 data sets", study),
        *([_means("Further data sets", beyond)] if beyond.finished(BASE) else []),
        _against_peers(study, beyond),
        _data_sets(study, beyond),
    ]
    sentences = [
        "Written by `python -m studies points`; "
        "[decision 0031](../decisions/0031-points-beside-a-tree.md) describes the method.",
        f"{DESIGN!r}, the same folds for all. Areas (%) are geometric means over data sets, other "
        "measures arithmetic ones. A row covers the data sets of its column `sets`; `ahead` is the "
        "mean difference to `readable` on the same data sets and folds, with its standard error "
        f"over data sets; w/t/l are wins, ties and losses against it at {ALPHA} by the corrected "
        "resampled t-test. Of 50 tests without any difference, five would be significant.",
        "The number of attributes with points is at most 6 for `scorecard`, which has at most 16 "
        f"leaves: `{BARE}` is the same tree, `{SMALL}` one of the same size.",
        f"{EBM} and {LMT} ran on one repeat of five folds, {LMT} on data sets of at most "
        f"{MOST_CASES_OF_LMT} cases. Seconds are those of a fit and of the prediction of its fold, "
        "on a busy machine: read them as orders of magnitude.",
        *_losses(study),
        *_peer_sentences(study, beyond),
        *_unfinished(study, beyond),
        *missing_data_note(absent),
    ]
    return StudyReport("points", "Trees with points", tables, sentences)


@dataclass(frozen=True)
class Standings:
    """Results on some data sets.

    Parameters
    ----------
    results : Results
    problems : tuple of str
    repeats : int
        Number of repeats that a finished row has; one for slow rows.
    """

    results: Results
    problems: tuple[str, ...]
    repeats: int = DESIGN.repeats

    def and_those_of(self, other: "Standings") -> "Standings":
        """Return the comparison on the data sets of both."""
        return replace(self, problems=(*self.problems, *other.problems))

    @cached_property
    def _finished(self) -> dict[str, list[str]]:
        count: dict[tuple[str, str], int] = {}
        for each in self.results.outcomes:
            if each.error is None:
                pair = each.configuration, each.problem
                count[pair] = count.get(pair, 0) + 1
        return {
            name: [
                problem
                for problem in self.problems
                if count.get((name, problem), 0) >= self._wanted(name)
            ]
            for name in self.results.configurations
        }

    def _wanted(self, name: str) -> int:
        return DESIGN.folds * (1 if name in (EBM, LMT) else self.repeats)

    def finished(self, name: str) -> list[str]:
        """Return the data sets on which all folds of a configuration are there."""
        return self._finished.get(name, [])

    def values(self, metric: str, name: str, problems: Sequence[str]) -> list[float]:
        """Return the means of a configuration, by data set."""
        return [self.results.mean(metric, problem, name) for problem in problems]

    def mean(self, metric: str, name: str, problems: Sequence[str]) -> float:
        """Return the mean over data sets: in percent and geometric for areas."""
        found = self.values(metric, name, problems)
        return 100.0 * geometric_mean(found) if metric == HAND_TILL else arithmetic_mean(found)

    def lead(self, name: str, other: str, metric: str = HAND_TILL) -> "Lead":
        """Return the lead of one configuration over another on common data sets and folds."""
        common = [each for each in self.finished(name) if each in self.finished(other)]
        pairs = [self.results.common(metric, each, name, other) for each in common]
        factor = 100.0 if metric == HAND_TILL else 1.0
        gaps = np.array([factor * (ours.mean() - theirs.mean()) for ours, theirs in pairs])
        verdicts = {each: self.results.verdict(HAND_TILL, each, name, other, alpha=ALPHA)
                    for each in common}  # fmt: skip
        return Lead(gaps, verdicts)


@dataclass(frozen=True)
class Lead:
    """Differences by data set, and whether they are significant."""

    gaps: Any
    verdicts: dict[str, Any]

    @property
    def mean(self) -> float | None:
        """The mean difference; None without data sets."""
        return float(self.gaps.mean()) if len(self.gaps) else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean over data sets."""
        return float(self.gaps.std(ddof=1) / len(self.gaps) ** 0.5) if len(self.gaps) > 1 else None

    @property
    def score(self) -> str:
        """Wins, ties and losses."""
        found = list(self.verdicts.values())
        return "/".join(str(found.count(each)) for each in ("win", "tie", "loss"))

    @property
    def losses(self) -> list[str]:
        """The data sets on which it is significantly behind."""
        return [each for each, verdict in self.verdicts.items() if verdict == "loss"]

    def __str__(self) -> str:
        error = "" if self.error is None else f" ± {self.error:.2f}"
        return "–" if self.mean is None else f"{self.mean:+.2f}{error}"


# The page


def _goals(study: Standings) -> Table:
    lines: list[list[Any]] = []
    for name, metric, goal in GOALS:
        chosen = study.finished(name)
        ours = study.mean(metric, name, chosen)
        met = ours <= goal if metric == "log_loss" else ours >= goal
        lines.append([f"{name}, {WORDS[metric]}", f"{goal:g}", f"{ours:.4g}", met, len(chosen)])
    for name, other in (("best_ranking", BASE), ("scorecard", BASE), ("scorecard", BARE)):
        lead = study.lead(name, other)
        count = len(lead.losses)
        wanted = f"{name}, data sets significantly below {other}"
        lines.append([wanted, "0", str(count), count == 0, len(lead.verdicts)])
    for line in lines:
        met, n_sets = line[3], line[4]
        line[3] = ("yes" if met else "no") if n_sets == len(study.problems) else "unfinished"
    return Table(("goal", "at least, or at most", "found", "met", "sets"), lines, title="Goals")


def _means(title: str, study: Standings) -> Table:
    lines: list[list[Any]] = []
    for name in study.results.configurations:
        chosen = study.finished(name)
        if not chosen:
            continue
        lead = study.lead(name, BASE)
        loss = study.lead(name, BASE, "log_loss")
        times = [
            each.seconds
            for each in study.results.outcomes
            if each.configuration == name and each.problem in chosen
        ]
        is_base = name == BASE
        lines.append(
            [
                name,
                study.mean(HAND_TILL, name, chosen),
                study.mean("log_loss", name, chosen),
                None if is_base else str(lead),
                None if is_base else loss.mean,
                None if is_base else lead.score,
                float(np.median(times)),
                len(chosen),
            ]
        )
    columns = (
        "",
        "Hand-Till",
        "log-loss",
        "ahead",
        "log-loss, difference",
        "w/t/l",
        "seconds",
        "sets",
    )
    return Table(columns, lines, title=title, digits=(0, 2, 3, 0, 3, 0, 3, 0))


def _against_peers(study: Standings, beyond: Standings) -> Table:
    """Compare the presets with points to the models that are not trees of ours."""
    lines: list[list[Any]] = []
    both = study.and_those_of(beyond)
    for name in ("scorecard", "best_ranking"):
        for other in (*PEER_NAMES, FOREST, BOOSTING):
            lead = both.lead(name, other)
            if lead.verdicts:
                loss = both.lead(name, other, "log_loss").mean
                lines.append([name, other, str(lead), loss, lead.score, len(lead.verdicts)])
    columns = ("", "against", "Hand-Till, ahead", "log-loss, difference", "w/t/l", "sets")
    return Table(
        columns, lines, title="Against other models, all data sets", digits=(0, 0, 0, 3, 0, 0)
    )


def _data_sets(study: Standings, beyond: Standings) -> Table:
    names = [name for name in study.results.configurations if study.finished(name)]
    lines: list[list[Any]] = []
    for part in (study, beyond):
        for problem in part.problems:
            if problem in part.finished(BASE):
                lines.append([problem, *(_cell(part, problem, name) for name in names)])
    title = "All data sets, Hand-Till; + and − are significant against readable"
    return Table(("data set", *names), lines, title=title)


def _cell(part: Standings, problem: str, name: str) -> str:
    if problem not in part.finished(name):
        return "–"
    shown = f"{100.0 * part.results.mean(HAND_TILL, problem, name):.1f}"
    if name == BASE:
        return shown
    verdict = part.results.verdict(HAND_TILL, problem, name, BASE, alpha=ALPHA)
    return shown + {"win": " +", "loss": " −"}.get(str(verdict), "")


def _losses(study: Standings) -> list[str]:
    found = []
    for name, other in (("best_ranking", BASE), ("scorecard", BASE), ("scorecard", BARE)):
        lead = study.lead(name, other)
        if lead.verdicts:
            named = ", ".join(lead.losses) or "no data set"
            found.append(f"`{name}` is significantly below `{other}` on {named}.")
    return found


def _peer_sentences(study: Standings, beyond: Standings) -> list[str]:
    """Say where EBM and the forest stand."""
    both = study.and_those_of(beyond)
    found = []
    for other in (EBM, FOREST):
        lead = both.lead(other, "best_ranking")
        if lead.mean is not None:
            side = "ahead of" if lead.mean > 0.0 else "behind"
            found.append(
                f"{other[0].upper() + other[1:]} is {side} `best_ranking` on {len(lead.gaps)} data "
                f"sets: {lead} points of Hand and Till's area, {lead.score} wins, ties and losses."
                f"{_without_the_farthest(lead)}"
            )
    return found


def _without_the_farthest(lead: Lead) -> str:
    """Say what the mean is without the data set with the largest difference, if there are three."""
    if len(lead.gaps) < 3:
        return ""
    place = int(np.argmax(np.abs(lead.gaps)))
    rest = Lead(np.delete(lead.gaps, place), {})
    name = list(lead.verdicts)[place]
    middle = f"{np.median(lead.gaps):+.2f}"
    return f" Without {name} ({lead.gaps[place]:+.1f}) it is {rest}; the median of all is {middle}."


def _unfinished(study: Standings, beyond: Standings) -> list[str]:
    both = study.and_those_of(beyond)
    behind = [
        f"{name} {len(both.finished(name))}"
        for name in both.results.configurations
        if len(both.finished(name)) < len(both.problems) and name != LMT
    ]
    if not behind:
        return []
    return [
        f"Unfinished rows, with the number of {len(both.problems)} data sets that are there: "
        f"{', '.join(behind)}. `python -m studies points` continues."
    ]


REPRODUCTIONS: dict[str, Callable[[Setting], StudyReport]] = {"points": points}
