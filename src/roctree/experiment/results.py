"""The results of a study: as frames, as tables of means, and compared."""

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree.errors import DataError, ParameterError
from roctree.experiment.metrics import LESS_IS_BETTER
from roctree.experiment.ranks import Ranks
from roctree.experiment.significance import Comparison, Method, Verdict, t_test, wilcoxon
from roctree.experiment.store import Outcome
from roctree.experiment.tables import Table
from roctree.strategy import nearest
from roctree.table import as_frame

Floats = NDArray[np.float64]
_KEY = ("problem", "configuration", "repeat", "fold")
_MARKS: dict[Verdict | None, str] = {"win": " +", "tie": "", "loss": " −", None: ""}


@dataclass(frozen=True, eq=False)
class Results:
    """What a study came to.

    Parameters
    ----------
    outcomes : of every configuration in every division, sorted by their keys
    problems, configurations : their names, in the order of the plan
    test_ratio : test cases for one training case
    """

    outcomes: Sequence[Outcome]
    problems: tuple[str, ...]
    configurations: tuple[str, ...]
    test_ratio: float

    @property
    def failures(self) -> list[Outcome]:
        """The outcomes that are errors."""
        return [outcome for outcome in self.outcomes if outcome.error is not None]

    @property
    def metrics(self) -> tuple[str, ...]:
        """What was measured."""
        return next((tuple(each.measures) for each in self.outcomes if each.measures), ())

    def values(self, metric: str, problem: str, configuration: str) -> Floats:
        """Return a measure in every division in order; what failed is not a number."""
        self._check(metric)
        self._check_names(problem, configuration)
        found = self._by_pair.get((problem, configuration), [])
        return np.array([_measure(outcome, metric) for outcome in found], np.float64)

    def mean(self, metric: str, problem: str, configuration: str) -> float:
        """Return the mean over the divisions that define it, or NaN."""
        return _mean(self.values(metric, problem, configuration))

    def deviation(self, metric: str, problem: str, configuration: str) -> float:
        """Return the standard deviation over the divisions that define the measure, or NaN."""
        values = self.values(metric, problem, configuration)
        values = values[np.isfinite(values)]
        return float(values.std(ddof=1)) if len(values) > 1 else float("nan")

    def means(self, metric: str) -> Floats:
        """Return the means, float64[problems, configurations]."""
        return np.array(
            [[self.mean(metric, p, c) for c in self.configurations] for p in self.problems]
        )

    def compare(
        self,
        metric: str,
        problem: str,
        first: str,
        second: str,
        *,
        test: Method = "corrected",
    ) -> Comparison:
        """Return a t-test of two configurations on one problem, in the divisions that both have.

        The difference is above zero where the first is better, also of measures of which less is
        better.
        """
        ours, theirs = self.common(metric, problem, first, second)
        if len(ours) < 2:
            raise DataError(f"{first!r} and {second!r} have no two common results on {problem!r}.")
        sign = -1.0 if metric in LESS_IS_BETTER else 1.0
        return t_test(test, sign * ours, sign * theirs, self.test_ratio)

    def common(self, metric: str, problem: str, first: str, second: str) -> tuple[Floats, Floats]:
        """Return a measure of two configurations in all divisions in which both have it."""
        self._check(metric)
        self._check_names(problem, first, second)
        ours, theirs = (
            {each[2:4]: _measure(each, metric) for each in self._by_pair.get((problem, name), [])}
            for name in (first, second)
        )
        places = sorted(ours.keys() & theirs.keys())
        pairs = np.array([(ours[place], theirs[place]) for place in places]).reshape(-1, 2)
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        return pairs[:, 0], pairs[:, 1]

    def verdict(
        self,
        metric: str,
        problem: str,
        first: str,
        second: str,
        *,
        test: Method = "corrected",
        alpha: float = 0.1,
    ) -> Verdict | None:
        """Return whether the first wins, ties or loses; None without two common results."""
        if len(self.common(metric, problem, first, second)[0]) < 2:
            return None
        return self.compare(metric, problem, first, second, test=test).verdict(alpha)

    def win_tie_loss(
        self,
        metric: str,
        first: str,
        second: str,
        *,
        test: Method = "corrected",
        alpha: float = 0.1,
    ) -> dict[Verdict, int]:
        """Return on how many problems the first wins, ties and loses against the second.

        Problems on which the two have fewer than two common results are left out.
        """
        verdicts = Counter(
            self.verdict(metric, problem, first, second, test=test, alpha=alpha)
            for problem in self.problems
        )
        return {verdict: verdicts[verdict] for verdict in ("win", "tie", "loss")}

    def wilcoxon(self, metric: str, first: str, second: str) -> Comparison:
        """Return Wilcoxon's test of two configurations over all problems."""
        sign = -1.0 if metric in LESS_IS_BETTER else 1.0
        means = [
            [sign * self.mean(metric, problem, each) for problem in self.problems]
            for each in (first, second)
        ]
        return wilcoxon(*means)

    def ranks(self, metric: str, *, alpha: float = 0.05) -> Ranks:
        """Return mean ranks, Friedman's test and Nemenyi's critical difference."""
        more = metric not in LESS_IS_BETTER
        return Ranks.of(self.configurations, self.means(metric), more_is_better=more, alpha=alpha)

    def table(
        self,
        metric: str,
        *,
        against: str | None = None,
        test: Method = "corrected",
        alpha: float = 0.1,
        digits: int = 3,
    ) -> Table:
        """Return means and standard deviations, a row for each problem.

        The last rows have the mean over all problems, if each has a result, and how often a
        configuration wins, ties and loses.

        Parameters
        ----------
        metric : the measure
        against : the configuration that the others are compared with: + is significantly better,
            − worse; None for no marks
        test, alpha : of the comparison
        digits : after the point
        """

        def cell(problem: str, name: str) -> str:
            shown = self.cell(metric, problem, name, digits=digits)
            if against is None or name == against:
                return shown
            verdict = self.verdict(metric, problem, name, against, test=test, alpha=alpha)
            return shown + _MARKS[verdict]

        rows: list[list[Any]] = [
            [problem, *(cell(problem, name) for name in self.configurations)]
            for problem in self.problems
        ]
        rows.append(["mean", *self.means(metric).mean(axis=0).tolist()])
        if against is not None and len(self.configurations) > 1:
            rows.append(["win/tie/loss", *self._scores(metric, against, test, alpha)])
        return Table(("problem", *self.configurations), rows, title=metric, digits=digits)

    def cell(self, metric: str, problem: str, configuration: str, *, digits: int = 3) -> str:
        """Return mean and standard deviation as text, "failed" where every division has failed."""
        mean = self.mean(metric, problem, configuration)
        spread = self.deviation(metric, problem, configuration)
        if math.isnan(mean):
            found = self._by_pair.get((problem, configuration), [])
            return "failed" if any(each.error is not None for each in found) else "–"
        return f"{mean:.{digits}f}" + ("" if math.isnan(spread) else f" ± {spread:.{digits}f}")

    def frame(self, library: Literal["polars", "pandas"] = "polars") -> Any:
        """Return all outcomes as a data frame, a row each, a column for each measure."""
        if library not in ("polars", "pandas"):
            raise ParameterError(f"library={library!r} is not known: give 'polars' or 'pandas'.")
        columns = ("seconds", "error")
        return as_frame(
            library,
            {name: [getattr(each, name) for each in self.outcomes] for name in _KEY}
            | {name: [_measure(each, name) for each in self.outcomes] for name in self.metrics}
            | {name: [getattr(each, name) for each in self.outcomes] for name in columns},
        )

    def csv(self) -> str:
        """Return all outcomes as text that depends on nothing but the study: no times, sorted."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*_KEY, *self.metrics, "error"])
        for each in self.outcomes:
            measures = [each.measures.get(name, "") for name in self.metrics]
            writer.writerow([*each[:4], *measures, each.error or ""])
        return text.getvalue()

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], list[Outcome]]:
        found: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in self.outcomes:
            found.setdefault((outcome.problem, outcome.configuration), []).append(outcome)
        return found

    def _check(self, metric: str) -> None:
        known = (*self.metrics, "seconds")
        if metric not in known:
            raise ParameterError(
                f"{metric!r} was not measured{nearest(metric, known)}: there are "
                f"{', '.join(known)}."
            )

    def _check_names(self, problem: str, *configurations: str) -> None:
        for kind, name, known in (
            ("problem", problem, self.problems),
            *(("configuration", name, self.configurations) for name in configurations),
        ):
            if name not in known:
                raise ParameterError(
                    f"{name!r} is no {kind} of this study{nearest(name, known)}: there are "
                    f"{', '.join(known)}."
                )

    def _scores(self, metric: str, against: str, test: Method, alpha: float) -> list[str]:
        scores = []
        for name in self.configurations:
            counts = self.win_tie_loss(metric, name, against, test=test, alpha=alpha)
            scores.append("" if name == against else "/".join(map(str, counts.values())))
        return scores


def _measure(outcome: Outcome, metric: str) -> float:
    if metric == "seconds":
        return outcome.seconds if outcome.error is None else float("nan")
    return outcome.measures.get(metric, float("nan"))


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")
