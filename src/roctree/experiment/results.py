"""Results of an experiment: as data frames, as tables of means, and compared by tests."""

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from roctree.arrays import Floats
from roctree.errors import DataError, ParameterError
from roctree.experiment.metrics import LESS_IS_BETTER
from roctree.experiment.significance import (
    Ranks,
    SignificanceTest,
    TTestKind,
    Verdict,
    t_test,
    wilcoxon,
)
from roctree.experiment.store import Outcome
from roctree.text import Alignment, data_frame, did_you_mean, html_table, rich_table

_KEY = ("problem", "configuration", "repeat", "fold")
_MARKS: dict[Verdict | None, str] = {"win": " +", "tie": "", "loss": " −", None: ""}


@dataclass(frozen=True, eq=False)
class Results:
    """Results of an experiment.

    Parameters
    ----------
    outcomes : sequence of Outcome
        One per configuration and split, sorted by their keys.
    problems, configurations : tuple of str
        Names in the order of the plan.
    test_ratio : float
        Number of test cases per training case.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
    >>> from tempfile import TemporaryDirectory
    >>> plan = Plan.of(BuiltIn().load("iris"), {"tree": ROCTreeClassifier()}, HoldOut(repeats=3))
    >>> with TemporaryDirectory() as folder:
    ...     results = run(plan, f"{folder}/runs.sqlite")
    >>> results.means("accuracy").shape, len(results.failures)
    ((1, 1), 0)
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
        """Names of the measures."""
        return next((tuple(each.measures) for each in self.outcomes if each.measures), ())

    def values(self, metric: str, problem: str, configuration: str) -> Floats:
        """Return a measure on each split in order; NaN where the run failed.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        configuration : str
            Name of the configuration.

        Returns
        -------
        float64 array of shape (n_splits,)
            The measure on each split.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> len(results.values("accuracy", "iris", "ours"))
        3
        """
        self._check(metric)
        self._check_names(problem, configuration)
        found = self._by_pair.get((problem, configuration), [])
        return np.array([_measure_of(outcome, metric) for outcome in found], np.float64)

    def mean(self, metric: str, problem: str, configuration: str) -> float:
        """Return the mean over the splits that define the measure, or NaN.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        configuration : str
            Name of the configuration.

        Returns
        -------
        float
            The mean.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.mean("accuracy", "iris", "ours") > 0.9
        True
        """
        return _mean(self.values(metric, problem, configuration))

    def deviation(self, metric: str, problem: str, configuration: str) -> float:
        """Return the standard deviation over the splits that define the measure, or NaN.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        configuration : str
            Name of the configuration.

        Returns
        -------
        float
            The standard deviation.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.deviation("accuracy", "iris", "ours") < 0.1
        True
        """
        values = self.values(metric, problem, configuration)
        values = values[np.isfinite(values)]
        return float(values.std(ddof=1)) if len(values) > 1 else float("nan")

    def means(self, metric: str) -> Floats:
        """Return the means as a float64 array of shape (n_problems, n_configurations).

        Parameters
        ----------
        metric : str
            Name of the measure.

        Returns
        -------
        float64 array of shape (n_problems, n_configurations)
            The means.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.means("accuracy").shape
        (2, 2)
        """
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
        test: TTestKind = "corrected",
    ) -> SignificanceTest:
        """Compare two configurations on one problem by a t-test, over the splits of both.

        The difference is positive if the first is better, even if smaller values of the measure are
        better.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        first, second : str
            Names of the configurations.
        test : {"corrected", "paired", "unpaired"}, default="corrected"
            Which t-test.

        Returns
        -------
        SignificanceTest
            Difference, statistic and p-value.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.compare("accuracy", "iris", "ours", "theirs").verdict()
        'tie'
        """
        ours, theirs = self.common(metric, problem, first, second)
        if len(ours) < 2:
            raise DataError(
                f"{first!r} and {second!r} have fewer than two common results on {problem!r}: run "
                "more splits."
            )
        sign = -1.0 if metric in LESS_IS_BETTER else 1.0
        return t_test(test, sign * ours, sign * theirs, self.test_ratio)

    def common(self, metric: str, problem: str, first: str, second: str) -> tuple[Floats, Floats]:
        """Return a measure of two configurations on all splits where both have it.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        first, second : str
            Names of the configurations.

        Returns
        -------
        tuple of two float64 arrays
            The measures of the first and of the second.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> [len(values) for values in results.common("accuracy", "iris", "ours", "theirs")]
        [3, 3]
        """
        self._check(metric)
        self._check_names(problem, first, second)
        ours, theirs = (
            {
                each[2:4]: _measure_of(each, metric)
                for each in self._by_pair.get((problem, name), [])
            }
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
        test: TTestKind = "corrected",
        alpha: float = 0.1,
    ) -> Verdict | None:
        """Return whether the first wins, ties or loses; None with fewer than two common results.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        first, second : str
            Names of the configurations.
        test : {"corrected", "paired", "unpaired"}, default="corrected"
            Which t-test.
        alpha : float, default=0.1
            Significance level.

        Returns
        -------
        "win", "tie", "loss" or None
            Result of the first against the second.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.verdict("accuracy", "iris", "ours", "theirs")
        'tie'
        """
        if len(self.common(metric, problem, first, second)[0]) < 2:
            return None
        return self.compare(metric, problem, first, second, test=test).verdict(alpha)

    def win_tie_loss(
        self,
        metric: str,
        first: str,
        second: str,
        *,
        test: TTestKind = "corrected",
        alpha: float = 0.1,
    ) -> dict[Verdict, int]:
        """Return the number of problems on which the first wins, ties and loses.

        Problems with fewer than two common results are left out.

        Parameters
        ----------
        metric : str
            Name of the measure.
        first, second : str
            Names of the configurations.
        test : {"corrected", "paired", "unpaired"}, default="corrected"
            Which t-test.
        alpha : float, default=0.1
            Significance level.

        Returns
        -------
        dict of str to int
            Counts of "win", "tie" and "loss".

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> sum(results.win_tie_loss("accuracy", "ours", "theirs").values())
        2
        """
        verdicts = Counter(
            self.verdict(metric, problem, first, second, test=test, alpha=alpha)
            for problem in self.problems
        )
        return {verdict: verdicts[verdict] for verdict in ("win", "tie", "loss")}

    def wilcoxon(self, metric: str, first: str, second: str) -> SignificanceTest:
        """Compare two configurations over all problems by Wilcoxon's signed-rank test.

        Parameters
        ----------
        metric : str
            Name of the measure.
        first, second : str
            Names of the configurations.

        Returns
        -------
        SignificanceTest
            Difference, statistic and p-value.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.wilcoxon("accuracy", "ours", "theirs").verdict()
        'tie'
        """
        sign = -1.0 if metric in LESS_IS_BETTER else 1.0
        means = [
            [sign * self.mean(metric, problem, each) for problem in self.problems]
            for each in (first, second)
        ]
        return wilcoxon(*means)

    def ranks(self, metric: str, *, alpha: float = 0.05) -> Ranks:
        """Return mean ranks, Friedman's test and Nemenyi's critical difference.

        Parameters
        ----------
        metric : str
            Name of the measure.
        alpha : float, default=0.05
            Significance level of the critical difference.

        Returns
        -------
        Ranks
            Mean ranks and their tests.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.ranks("accuracy").names
        ('ours', 'theirs')
        """
        more = metric not in LESS_IS_BETTER
        return Ranks.of(self.configurations, self.means(metric), more_is_better=more, alpha=alpha)

    def table(
        self,
        metric: str,
        *,
        against: str | None = None,
        test: TTestKind = "corrected",
        alpha: float = 0.1,
        digits: int = 3,
    ) -> "Table":
        """Return means and standard deviations, one row per problem.

        The last rows are the mean over all problems, if each has a result, and the wins, ties and
        losses of each configuration.

        Parameters
        ----------
        metric : str
            The measure.
        against : str, default=None
            Reference configuration: + marks significantly better results, − worse ones. None for no
            marks.
        test : {"corrected", "paired", "unpaired"}, default="corrected"
            The t-test behind the marks.
        alpha : float, default=0.1
            Its significance level.
        digits : int, default=3
            Number of decimals.

        Returns
        -------
        Table
            Prints in a terminal; exports to Markdown, HTML, LaTeX and CSV.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> len(results.table("accuracy").rows)
        3
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
        """Return mean and standard deviation as text; "failed" if every split failed.

        Parameters
        ----------
        metric : str
            Name of the measure.
        problem : str
            Name of the problem.
        configuration : str
            Name of the configuration.
        digits : int, default=3
            Number of decimals.

        Returns
        -------
        str
            Such as ``0.912 ± 0.014``.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.cell("accuracy", "iris", "ours")
        '0.956 ± 0.022'
        """
        mean = self.mean(metric, problem, configuration)
        spread = self.deviation(metric, problem, configuration)
        if math.isnan(mean):
            found = self._by_pair.get((problem, configuration), [])
            return "failed" if any(each.error is not None for each in found) else "–"
        return f"{mean:.{digits}f}" + ("" if math.isnan(spread) else f" ± {spread:.{digits}f}")

    def frame(self, library: Literal["polars", "pandas"] = "polars") -> Any:
        """Return all outcomes as a data frame, one row each, with one column per measure.

        Parameters
        ----------
        library : {"polars", "pandas"}, default="polars"
            Library of the data frame.

        Returns
        -------
        DataFrame
            One row per outcome.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> results.frame("pandas").shape[0]
        12
        """
        if library not in ("polars", "pandas"):
            raise ParameterError(f"library={library!r} is not known: give 'polars' or 'pandas'.")
        columns = ("seconds", "error")
        return data_frame(
            library,
            {name: [getattr(each, name) for each in self.outcomes] for name in _KEY}
            | {name: [_measure_of(each, name) for each in self.outcomes] for name in self.metrics}
            | {name: [getattr(each, name) for each in self.outcomes] for name in columns},
        )

    def csv(self) -> str:
        """Return all outcomes as reproducible CSV text: sorted, and without times.

        Returns
        -------
        str
            One line per outcome, after a header.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from roctree import ROCTreeClassifier
        >>> from roctree.experiment import BuiltIn, HoldOut, Plan, run
        >>> trees = {"ours": ROCTreeClassifier(), "theirs": DecisionTreeClassifier(random_state=0)}
        >>> problems = [BuiltIn().load(name) for name in ("iris", "wine")]
        >>> plan = Plan.of(problems, trees, HoldOut(repeats=3))
        >>> with TemporaryDirectory() as folder:
        ...     results = run(plan, f"{folder}/runs.sqlite")
        >>> len(results.csv().splitlines())
        13
        """
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
                f"{metric!r} was not measured{did_you_mean(metric, known)}: choose from "
                f"{', '.join(known)}."
            )

    def _check_names(self, problem: str, *configurations: str) -> None:
        for kind, name, known in (
            ("problem", problem, self.problems),
            *(("configuration", name, self.configurations) for name in configurations),
        ):
            if name not in known:
                suggestion = did_you_mean(name, known)
                raise ParameterError(
                    f"{name!r} is not a {kind} of this experiment{suggestion}: choose from "
                    f"{', '.join(known)}."
                )

    def _scores(self, metric: str, against: str, test: TTestKind, alpha: float) -> list[str]:
        scores = []
        for name in self.configurations:
            counts = self.win_tie_loss(metric, name, against, test=test, alpha=alpha)
            scores.append("" if name == against else "/".join(map(str, counts.values())))
        return scores


def _measure_of(outcome: Outcome, metric: str) -> float:
    if metric == "seconds":
        return outcome.seconds if outcome.error is None else float("nan")
    return outcome.measures.get(metric, float("nan"))


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")


_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "×": r"$\times$",
        "−": "$-$",
        "–": "--",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "λ": r"$\lambda$",
    }
)


@dataclass(frozen=True)
class Table:
    """A table of results for a terminal or a document; the first column holds row names.

    Parameters
    ----------
    columns : sequence of str
        Column names.
    rows : sequence of sequences
        Strings, numbers, or None for an empty cell.
    title : str, default=""
        Title above the table.
    digits : int or sequence of int, default=3
        Number of decimals, for all columns or one for each.

    Examples
    --------
    >>> print(Table(("set", "AUC"), (("iris", 98.06),), digits=1).markdown())
    | set | AUC |
    |---|---:|
    | iris | 98.1 |
    <BLANKLINE>
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    digits: int | Sequence[int] = field(default=3)

    @property
    def cells(self) -> list[list[str]]:
        """All cells as text."""
        return [[self._text(value, i) for i, value in enumerate(row)] for row in self.rows]

    def rich(self) -> Any:
        """Return the table for ``rich.print``.

        Returns
        -------
        rich.table.Table
            The table.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> table.rich().row_count
        1
        """
        numbers: list[Alignment] = ["right"] * (len(self.columns) - 1)
        return rich_table(self.columns, self.cells, self.title or None, ["left", *numbers])

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown.

        Returns
        -------
        str
            Markdown.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> print(table.markdown())
        | set | AUC |
        |---|---:|
        | iris | 98.1 |
        <BLANKLINE>
        """
        lines = [f"**{self.title}**\n"] if self.title else []
        lines.append(_line(self.columns))
        lines.append("|---" + "|---:" * (len(self.columns) - 1) + "|")
        lines += [_line(row) for row in self.cells]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table as HTML.

        Returns
        -------
        str
            A table element.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> "<table" in table.html()
        True
        """
        return html_table(self.columns, self.cells, self.title or None)

    def latex(self) -> str:
        """Return the table as a LaTeX tabular.

        Returns
        -------
        str
            A tabular environment.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> "tabular" in table.latex()
        True
        """
        rows = [list(self.columns), *self.cells]
        lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
        lines.insert(1, r"\hline")
        columns = "l" + "r" * (len(self.columns) - 1)
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}", ""])

    def csv(self) -> str:
        """Return the table as comma-separated values with full precision.

        Returns
        -------
        str
            Lines of cells.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> print(table.csv())
        set,AUC
        iris,98.06
        <BLANKLINE>
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if value is None else value for value in row] for row in self.rows)
        return text.getvalue()

    def to(self, form: str) -> Any:
        """Return the table as "rich", "markdown", "html", "latex" or "csv".

        Parameters
        ----------
        form : {"rich", "markdown", "html", "latex", "csv"}
            The form.

        Returns
        -------
        str or rich.table.Table
            The table in that form.

        Examples
        --------
        >>> table = Table(("set", "AUC"), (("iris", 98.06),), digits=1)
        >>> table.to("csv") == table.csv()
        True
        """
        if form not in FORMS:
            known = ", ".join(FORMS)
            raise ParameterError(
                f"form={form!r} is not known{did_you_mean(form, FORMS)}: choose from {known}."
            )
        return getattr(self, form)()

    def _repr_html_(self) -> str:
        return self.html()

    def _text(self, value: Any, column: int) -> str:
        if value is None:
            return ""
        if isinstance(value, str | int):
            return str(value)
        digits = self.digits if isinstance(self.digits, int) else self.digits[column]
        return "–" if value != value else f"{value:.{digits}f}"


FORMS = ("rich", "markdown", "html", "latex", "csv")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
