"""A fitted tree with points: the probabilities of the leaf plus the points of the attributes.

Rows of one leaf differ in their probabilities, so operating points, labellings and curves are based
on the probabilities of rows. Those of the training cases are out-of-fold: neither the tree nor the
points were fitted to the case.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from roctree.arrays import Floats
from roctree.data import Dataset, as_one_row
from roctree.errors import ParameterError
from roctree.fitted import Decision, FittedModel, FittedScores, FittedTree
from roctree.points import PointsTable, Scorecard, softmax
from roctree.tally import ScoreGroups
from roctree.text import text_table
from roctree.tree.explanation import Explanation, by_class, leaf_parts
from roctree.tree.prediction import apply, mix
from roctree.tree.text import DIGITS, leaf_letters, value_text


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedScorecard(FittedScores, FittedTree):
    """A decision tree with points for attributes.

    Parameters
    ----------
    points : Scorecard
        The points, of at least one attribute.
    scored : ScoreGroups
        Held-out probabilities of the training cases.
    """

    points: Scorecard

    @classmethod
    def from_tree(
        cls, model: FittedTree, points: Scorecard, scored: ScoreGroups
    ) -> "FittedScorecard":
        """Return a tree with these points, without an operating point."""
        known = {each.name: getattr(model, each.name) for each in fields(FittedTree)}
        return cls(**(known | {"points": points, "operating_point": None, "scored": scored}))

    def without_points(self) -> FittedTree:
        """Return the tree alone."""
        known = {each.name: getattr(self, each.name) for each in fields(FittedTree)}
        # The scores of cases are those with points.
        gone = dict.fromkeys(["points", "operating_point", "calibration", "scored"])
        return FittedTree(**(known | gone))

    # Rows

    @property
    def row_weights(self) -> Floats:
        """Factors by which probabilities are multiplied before the largest is predicted."""
        return self.class_weight

    @property
    def follows_probabilities(self) -> bool:
        """Whether ``predict`` gives the most probable class."""
        return self.operating_point is None

    @property
    def mixes_leaves(self) -> bool:
        """False: labels follow from the probabilities of cases, not from the votes of leaves."""
        return False

    @cached_property
    def decision(self) -> Decision:
        """The labels of leaves before points are added."""
        votes, point = self.probabilities * self.class_weight, self.operating_point
        return Decision(self.tree, votes, votes, 0.0 if point is None else point.chance)

    @cached_property
    def display_labels(self) -> Any:
        """Class index of each node before points are added."""
        return self.decision.labels

    def uncalibrated_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows before calibration."""
        shares = mix(self.tree, values, self.probabilities, n_threads=n_threads)
        return self.points.probabilities(shares, values, n_threads)

    def decision_function(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the score of each row by its probabilities."""
        values = self.encode(X, n_threads)
        shares = self.row_probabilities(values, n_threads)
        return self._scores(shares, shares * self.class_weight, values, n_threads)

    # Cases counted by their probabilities

    def score_cases(self, cases: Dataset) -> ScoreGroups:
        """Group cases by their probabilities and their leaf."""
        leaf = apply(self.tree, cases.values)
        return ScoreGroups.grouped(self.row_probabilities(cases.values), cases, leaf)

    def tally(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Return labelled cases grouped by their probabilities."""
        return self.count_scores(X, y, sample_weight)

    def count(self, cases: Dataset) -> ScoreGroups:
        """Return labelled cases grouped by their probabilities, for curves and labellings."""
        return self.score_cases(cases)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class, float64[classes, classes]."""
        if not isinstance(X, ScoreGroups):
            return FittedModel.confusion(self, X, y, sample_weight)
        point = self.operating_point
        table = np.zeros((len(self.possible_labels), self.schema.n_classes))
        chance = 0.0 if point is None else point.chance
        for votes, part in zip(self.share_votes, (1.0 - chance, chance), strict=True):
            np.add.at(table, (X.scores @ votes).argmax(axis=1), part * X.counts)
        return table

    # Descriptions

    @property
    def points_table(self) -> PointsTable:
        """The points as a table; with two classes, those of the positive class."""
        place = self.class_of_interest
        letters = leaf_letters(self.tree, self.probabilities[:, place])
        leaves = {letter: self.probabilities[node] for node, letter in letters.items()}
        return PointsTable(self.points, self.schema, place, leaves)

    @property
    def default_labels_text(self) -> str:
        """How labels are chosen without an operating point."""
        return "the most probable class, by leaf and points"

    def to_text(self, *, max_depth: int | None = None, digits: int = DIGITS) -> str:
        """Return the tree as text, one line per branch, then the table of points."""
        text = super().to_text(max_depth=max_depth, digits=digits)
        return f"{text}\n\n{replace(self.points_table, digits=digits).to_text()}"

    def explain(self, x: Any) -> "ScoreExplanation":
        """Return the leaves that one case reaches, its points, and their sum."""
        values = self.encode(as_one_row(x, self.schema.names))
        leaves = leaf_parts(self.tree, values, self.node_predictions, self.schema)
        shares = mix(self.tree, values, self.probabilities)
        card, table = self.points, self.points_table
        steps = [("tree", card.leaf_points(shares)[0]), ("every case", card.intercept)]
        steps += [
            (
                value_text(values[0, each.feature], self.schema, each.feature, DIGITS),
                each(values[:, each.feature])[0],
            )
            for each in card.attributes
        ]
        total = np.sum([points for _, points in steps], axis=0)
        found = softmax(card.unit * total[None, :])
        found = found if self.calibration is None else self.calibration(found)
        label = self.possible_labels[self._labels_with(values, found, 1)[0]]
        return ScoreExplanation(
            label,
            by_class(found[0], self.schema),
            leaves,
            by_class(shares[0], self.schema),
            tuple((name, tuple(table.signed(points).tolist())) for name, points in steps),
            tuple(table.points_names),
            card.whole,
        )

    # What points do not allow

    def smoothed(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ParameterError``: the points were learned for these probabilities."""
        _refuse_change("Probabilities cannot be smoothed again")

    def with_pruned(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ParameterError``: the points were learned for these leaves."""
        _refuse_change("Leaves cannot be pruned")

    def ranked(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ParameterError``: the points were learned for these thresholds."""
        _refuse_change("The ranking cannot be changed")

    def cost_pruning_curve(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ParameterError``: pruning needs a tree without points."""
        _refuse_change("Leaves cannot be pruned")

    def boundary(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ParameterError``: with points, the regions of a class are not boxes."""
        raise ParameterError(
            reason="There are no distances from the decision boundary of a tree with points, whose "
            "regions are not boxes: use {without_points()} for those of the tree alone."
        )


def _refuse_change(what: str) -> NoReturn:
    raise ParameterError(
        reason=f"{what}, because the points were learned for this tree: call "
        "{without_points()}, change the tree, then {with_points(X, y)}."
    )


@dataclass(frozen=True)
class ScoreExplanation(Explanation):
    """The prediction for a case: the leaf, then the points of its attributes, then their sum.

    Parameters
    ----------
    tree_probabilities : dict
        Probability of each class by the tree alone.
    steps : tuple of (str, tuple of float)
        Source of the points, and the points in each column.
    columns : tuple of str
        Names of the columns.
    whole : bool
        Whether points are whole numbers.
    """

    tree_probabilities: dict[Any, float]
    steps: tuple[tuple[str, tuple[float, ...]], ...]
    columns: tuple[str, ...]
    whole: bool

    @property
    def total(self) -> tuple[float, ...]:
        """Sum of the points in each column."""
        return tuple(np.sum([points for _, points in self.steps], axis=0).tolist())

    def __str__(self) -> str:
        tree = Explanation(self.label, self.tree_probabilities, self.leaves)
        by_tree = str(tree).partition(": ")[2]
        form = "+.0f" if self.whole else "+.2f"
        largest = max(abs(points[0]) for _, points in self.steps) or 1.0
        has_bars = len(self.columns) == 1
        rows = []
        for name, points in self.steps:
            cells = [format(point, form) for point in points]
            if has_bars:
                length = round(_BAR * abs(points[0]) / largest)
                cells.append(("+" if points[0] > 0.0 else "-") * length)
            rows.append([name, *cells])
        rows.append(["sum", *(format(each, form) for each in self.total), *[""] * has_bars])
        sides = ["left", *["right"] * len(self.columns), *["left"] * has_bars]
        listed = ", ".join(f"{label} {value:.3f}" for label, value in self.probabilities.items())
        table = text_table(["", *self.columns, *[""] * has_bars], rows, sides)  # type: ignore[arg-type]
        return f"{self.label}: {listed}\nby the tree: {by_tree}\n{table}"

    __repr__ = __str__


# Length of the longest bar of a waterfall, in characters.
_BAR = 20
