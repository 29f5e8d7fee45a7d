"""Points: a scorecard beside a tree, for the weak effects that a small tree cannot represent.

A tree with points starts from the probabilities of the leaf and adds points for every attribute::

    score(class) = weight * log p_tree(class) + intercept(class) + sum of points(class, attribute)

and the probabilities are the softmax of the scores. With two classes, only the second has points,
which are added to its log-odds. The points of a numeric attribute are a linear function of its
value (``shape="linear"``) or a piecewise linear one (``"curves"``); each category, and a missing
value, has constant points.

``learn_points`` estimates them by ridge regression on out-of-fold probabilities of the tree,
chooses the penalty by cross-validation, and adds no points unless they lower the log-loss of
held-out cases. All sums are loops over cases in an order that depends on their content only, so
that the result depends neither on the order of rows nor on the number of threads.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, inlined, kernel, typed_kernel
from roctree.arrays import (
    AnyFloats2D,
    Floats,
    Floats2D,
    Ints,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
    in_threads,
    row_parts,
)
from roctree.data import Schema
from roctree.roc import mauc
from roctree.strategy import (
    check_choices,
    check_number,
    configure,
    is_finite_number,
    is_integer,
    lookup,
    reject_option,
)
from roctree.text import (
    DisplayTable,
    pluralize,
    quote_if_needed,
    text_table,
)
from roctree.tree.text import date_text, distinct_texts
from roctree.tree.tree import make_read_only

__all__ = [
    "MAX_CASES",
    "PENALTY_FOLDS",
    "POINTS",
    "AttributePoints",
    "Points",
    "PointsCases",
    "PointsTable",
    "Scorecard",
    "learn_points",
    "resolve_points",
]

# Points are learned from at most this many distinct cases.
MAX_CASES = 50_000
# The penalty is chosen by this many folds; with more cases than this, one fold is enough.
PENALTY_FOLDS, MANY_CASES = 5, 5000
# Probabilities are clipped from below before taking logarithms, so a leaf never excludes a class.
MIN_PROBABILITY = 1e-3
# Penalties to try, strongest first, and the one used to select attributes.
PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
SELECTING_PENALTY = 10.0
# Points are dropped if they lower the log-loss of held-out cases by a smaller fraction.
MIN_GAIN = 0.005
# Numeric values are clipped to this many standard deviations from their mean.
MAX_DEVIATIONS = 6.0
# Curves bend at these quantiles, if an attribute has more distinct values than this.
BENDS, FEW_VALUES = (0.2, 0.4, 0.6, 0.8), 8
# Categories with fewer cases share their points.
RARE = 5.0
# Whole points: the points of the largest effect, and the ranges of a numeric attribute. The first
# pair is used that raises the held-out log-loss by at most this fraction, else the last.
WHOLE_POINTS, MAX_ROUNDING_LOSS = ((10, 6), (20, 6), (50, 6), (100, 6), (100, 12)), 0.01
# Fewer ranges are used if they lose at most this part of the spread of the points. Ranges begin at
# one of this many values.
LEFT_OUT, MAX_BOUNDS = 0.02, 200
# About this many sums of whole points are listed with their probability, between these bounds.
LISTED_SUMS, LISTED_CHANCES = 13, (0.01, 0.99)


# The strategy


@dataclass(frozen=True)
class Points:
    """A table of points, learned in addition to the tree.

    Parameters
    ----------
    shape : {"linear", "curves"}, default "linear"
        Points of a numeric attribute: a linear function, or a piecewise linear one that bends at
        four quantiles.
    max_attributes : int or None, default None
        Largest number of attributes with points; None for all.
    tree_weight : float or "free", default 1.0
        Factor of the log-probabilities of the tree. With 1 the points correct the probabilities of
        the leaf; "free" estimates the factor, which ranks better and gives the tree less influence.
    integer : bool, default False
        Whether to round to whole points, so that a score can be added up by hand.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> ROCTreeClassifier(points=Points(shape="curves", max_attributes=5)).points.shape
    'curves'
    """

    shape: Literal["linear", "curves"] = "linear"
    max_attributes: int | None = None
    tree_weight: float | Literal["free"] = 1.0
    integer: bool = False

    def __post_init__(self) -> None:
        check_choices(self)
        most = self.max_attributes
        if most is not None and (not is_integer(most) or most < 1):
            reject_option(self, "max_attributes", "give an integer of at least 1, or {none!r}",
                          none=None)  # fmt: skip
        if is_finite_number(self.tree_weight):
            check_number(self, "tree_weight")
        elif not (isinstance(self.tree_weight, str) and self.tree_weight == "free"):
            reject_option(self, "tree_weight", "give a number of at least 0, or 'free'")


POINTS: dict[str, Points] = {"linear": Points(), "curves": Points(shape="curves")}


def resolve_points(points: str | Points | None, **options: Any) -> Points | None:
    """Return the strategy of that name, or the one given, with some options replaced."""
    if points is None:
        return None
    found = lookup("points", points, POINTS, accepts=lambda value: isinstance(value, Points))
    return configure(found, options)


# What is learned


@dataclass(frozen=True, eq=False)
class AttributePoints:
    """The points of one attribute, as a function of its value in segments.

    Parameters
    ----------
    feature : int
        Index of the attribute.
    starts : float64[segments]
        Start of each segment, ascending; lower values are clipped to the first. Each code of a
        nominal attribute is a segment.
    high : float
        Larger values are clipped to this one.
    values, slopes : float64[segments, columns]
        Points at the beginning of each segment, and their change per unit of the attribute.
    missing : float64[columns]
        Points of missing values.
    share : float
        Share of the attribute in the total spread of the scores, which includes the tree.
    """

    feature: int
    starts: Floats
    high: float
    values: Floats
    slopes: Floats
    missing: Floats
    share: float = 0.0

    def __post_init__(self) -> None:
        make_read_only(self)

    def __call__(self, values: Floats) -> Floats:
        """Return the points of some values, float64[values, columns]."""
        within = np.clip(values, self.starts[0], self.high)
        known = ~np.isnan(within)
        place = np.searchsorted(self.starts, np.where(known, within, self.starts[0]), "right") - 1
        found = self.values[place] + self.slopes[place] * (within - self.starts[place])[:, None]
        return np.where(known[:, None], found, self.missing)

    @property
    def is_steps(self) -> bool:
        """Whether the points are constant in each segment."""
        return not self.slopes.any()

    @property
    def is_codes(self) -> bool:
        """Whether the segments are the numbers from 0 on, as those of categories are."""
        codes = np.arange(float(len(self.starts)))
        return self.is_steps and self.high == codes[-1] and np.array_equal(self.starts, codes)

    @property
    def jumps(self) -> Floats:
        """What is added at the beginning of each segment; of codes, their points."""
        if self.is_codes:
            return self.values
        ends = self.values[:-1] + self.slopes[:-1] * np.diff(self.starts)[:, None]
        return np.concatenate([self.values[:1], self.values[1:] - ends])

    @property
    def bends(self) -> Floats:
        """Change of the slope at the beginning of each segment."""
        return np.concatenate([self.slopes[:1], np.diff(self.slopes, axis=0)])

    @property
    def largest(self) -> float:
        """Largest difference between the points of two values, including missing."""
        ends = self.values[-1] + self.slopes[-1] * (self.high - self.starts[-1])
        every = np.concatenate([self.values, ends[None, :], self.missing[None, :]])
        return float(np.ptp(every, axis=0).max())


@dataclass(frozen=True, eq=False)
class Scorecard:
    """The learned points, and statistics of the fit.

    Parameters
    ----------
    tree_weight : float
        Factor of the log-probabilities of the tree.
    intercept : float64[columns]
        One column for two classes, the log-odds of the second; otherwise a column per class.
    attributes : tuple of AttributePoints
        Those with points, the largest share first; none if points did not help.
    unit : float
        Log-odds of a point: 1, or less for whole points.
    whole : bool
        Whether points are whole numbers.
    tree_share : float
        Share of the tree in the spread of the scores.
    penalty : float or None
        The ridge penalty that was chosen; None without points.
    log_loss, tree_log_loss : float or None
        Mean log-loss of held-out training cases, with points and of the tree alone. The first is
        None without points, the second if there are too few cases to hold some out.
    rounding_loss : float or None
        AUC that whole points lose on held-out training cases, for more classes that of Hand and
        Till.
    n_cases : int
        Number of distinct training cases.
    """

    tree_weight: float
    intercept: Floats
    attributes: tuple[AttributePoints, ...]
    unit: float = 1.0
    whole: bool = False
    tree_share: float = 1.0
    penalty: float | None = None
    log_loss: float | None = None
    tree_log_loss: float | None = None
    rounding_loss: float | None = None
    n_cases: int = 0

    def __post_init__(self) -> None:
        make_read_only(self)

    @property
    def n_columns(self) -> int:
        """Number of columns of points."""
        return len(self.intercept)

    @property
    def features(self) -> list[int]:
        """Indices of the attributes with points."""
        return [each.feature for each in self.attributes]

    def points(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the points of encoded rows without those of the leaf, float64[rows, columns]."""
        found = np.empty((len(values), self.n_columns))
        n_additions = len(values) * (len(self.attributes) + 1) * self.n_columns
        run = compiled(_write_points, microseconds=2.0 * n_additions)

        def add(rows: slice) -> None:
            scratch = np.empty((2, _ROWS))
            run(values[rows], self._segments, self.intercept, scratch, found[rows])

        in_threads(n_threads, add, row_parts(len(values), n_threads))
        return found

    def leaf_points(self, shares: Floats) -> Floats:
        """Return the points of the tree for its probabilities, float64[rows, columns]."""
        points = self.tree_weight * tree_scores(shares) / self.unit
        return np.rint(points) if self.whole else points

    def probabilities(self, shares: Floats, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of rows.

        Parameters
        ----------
        shares : float64[rows, classes]
            Probabilities of the tree.
        values : float64[rows, features]
        n_threads : int
            Number of threads; the result does not depend on it.
        """
        points, found = self.points(values, n_threads), np.empty(shares.shape)
        run = compiled(_to_probabilities, microseconds=20.0 * shares.size)
        scoring = PointScale(self.tree_weight, self.unit, self.whole)

        def add(rows: slice) -> None:
            run(shares[rows], points[rows], scoring, found[rows])

        in_threads(n_threads, add, row_parts(len(values), n_threads))
        return found

    @cached_property
    def _segments(self) -> "PointSegments":
        parts = self.attributes
        ends = np.cumsum([0, *(len(each.starts) for each in parts)])
        width = self.n_columns
        return PointSegments(
            np.array(self.features, dtype=np.int64),
            np.asarray(ends, dtype=np.int64),
            np.concatenate([np.empty(0), *(each.starts for each in parts)]),
            np.array([each.high for each in parts], dtype=np.float64),
            np.array([each.is_codes for each in parts], dtype=np.int64),
            np.concatenate([np.empty((0, width)), *(each.jumps for each in parts)]),
            np.concatenate([np.empty((0, width)), *(each.bends for each in parts)]),
            np.array([each.missing for each in parts], dtype=np.float64).reshape(-1, width),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_segments"}

    def __str__(self) -> str:
        if self.tree_log_loss is None:
            return f"no points: {self.n_cases} distinct cases are too few to hold some out"
        alone = f"{self.tree_log_loss:.3f} by the tree alone"
        if self.log_loss is None:
            return f"no points: they hardly lower the log-loss of held-out cases ({alone})"
        count, lost = len(self.attributes), self.rounding_loss
        kind = "whole points" if self.whole else "points"
        rounded = "" if lost is None else f", rounding costs {lost:.4f} AUC"
        return (
            f"{kind} for {pluralize(count, 'attribute')}, tree weight {self.tree_weight:.3g}; "
            f"log-loss of held-out cases {self.log_loss:.3f}, {alone}{rounded}"
        )


def tree_scores(shares: Floats) -> Floats:
    """Return the logarithms of probabilities: log-odds for two classes, else centred."""
    logarithms = np.log(np.maximum(shares, MIN_PROBABILITY))
    if shares.shape[1] == 2:
        return np.asarray(logarithms[:, 1:] - logarithms[:, :1])
    return np.asarray(logarithms - logarithms.mean(axis=1, keepdims=True))


def softmax(scores: Floats) -> Floats:
    """Return class probabilities; a single column is the log-odds of the second of two classes."""
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class PointSegments(NamedTuple):
    """The points of all attributes, for the kernel; see ``AttributePoints``.

    The points of a number are those of its first segment, and beyond the start of each further one
    what ``jumps`` and ``bends`` add: a constant, and a change of the slope.
    """

    features: ReadonlyInts
    ends: ReadonlyInts
    starts: ReadonlyFloats
    high: ReadonlyFloats
    nominal: ReadonlyInts
    jumps: ReadonlyFloats2D
    bends: ReadonlyFloats2D
    missing: ReadonlyFloats2D


class PointScale(NamedTuple):
    """How the points of the tree are added: its weight, the unit of points, whether to round."""

    weight: float
    unit: float
    whole: bool


# Rows whose points are added together, column by column.
_ROWS = 512


@typed_kernel
def _write_points(
    values: AnyFloats2D,
    segments: PointSegments,
    intercept: ReadonlyFloats,
    scratch: Floats2D,
    found: Floats2D,
) -> None:
    """Write the points of all attributes and the intercept; ``scratch`` is float64[2, _ROWS]."""
    for begin in range(0, values.shape[0], _ROWS):
        n_rows = min(_ROWS, values.shape[0] - begin)
        for k in range(intercept.size):
            for i in range(n_rows):
                found[begin + i, k] = intercept[k]
        for number in range(segments.features.size):
            _read_column(values, begin, n_rows, segments, number, scratch[0])
            for k in range(intercept.size):
                if segments.nominal[number]:
                    _look_up(segments, number, k, n_rows, scratch)
                else:
                    _follow_line(segments, number, k, n_rows, scratch)
                missing = segments.missing[number, k]
                for i in range(n_rows):
                    points = scratch[1, i]
                    found[begin + i, k] += missing if points != points else points


@kernel
def _read_column(
    values: AnyFloats2D,
    begin: int,
    n_rows: int,
    segments: PointSegments,
    number: int,
    column: Floats,
) -> None:
    """Copy the values of an attribute, within its range; missing ones stay missing."""
    low, high = segments.starts[segments.ends[number]], segments.high[number]
    feature = segments.features[number]
    for i in range(n_rows):
        value = values[begin + i, feature]
        value = low if value < low else value
        column[i] = high if value > high else value


@kernel
def _look_up(segments: PointSegments, number: int, k: int, n_rows: int, scratch: Floats2D) -> None:
    """Write the points of categories; NaN if missing."""
    first = segments.ends[number]
    for i in range(n_rows):
        code = scratch[0, i]
        scratch[1, i] = code if code != code else segments.jumps[first + int(code), k]


@kernel
def _follow_line(
    segments: PointSegments, number: int, k: int, n_rows: int, scratch: Floats2D
) -> None:
    """Write the points of numbers, segment by segment, without branches; NaN if missing."""
    column, own, first = scratch[0], scratch[1], segments.ends[number]
    start, jump, bend = segments.starts[first], segments.jumps[first, k], segments.bends[first, k]
    for i in range(n_rows):
        own[i] = jump + bend * (column[i] - start)
    for place in range(first + 1, segments.ends[number + 1]):
        start, jump, bend = (
            segments.starts[place],
            segments.jumps[place, k],
            segments.bends[place, k],
        )
        for i in range(n_rows):
            beyond = column[i] - start
            own[i] += jump + bend * beyond if beyond >= 0.0 else 0.0


@typed_kernel
def _to_probabilities(
    shares: AnyFloats2D, points: Floats2D, scoring: PointScale, found: Floats2D
) -> None:
    """Add the points of the tree for its probabilities, and write the probabilities of the sums."""
    n_classes = shares.shape[1]
    for row in range(shares.shape[0]):
        if n_classes == 2:
            odds = max(shares[row, 1], MIN_PROBABILITY) / max(shares[row, 0], MIN_PROBABILITY)
            score = _tree_points(math.log(odds), scoring) + points[row, 0]
            power = math.exp(-abs(scoring.unit * score))
            larger = 1.0 / (1.0 + power)
            found[row, 0] = power * larger if score > 0.0 else larger
            found[row, 1] = larger if score > 0.0 else power * larger
            continue
        mean = 0.0
        for k in range(n_classes):
            found[row, k] = math.log(max(shares[row, k], MIN_PROBABILITY))
            mean += found[row, k] / n_classes
        most = -math.inf
        for k in range(n_classes):
            score = _tree_points(found[row, k] - mean, scoring) + points[row, k]
            found[row, k] = scoring.unit * score
            most = max(most, found[row, k])
        total = 0.0
        for k in range(n_classes):
            found[row, k] = math.exp(found[row, k] - most)
            total += found[row, k]
        for k in range(n_classes):
            found[row, k] /= total


@inlined
def _tree_points(score: float, scoring: PointScale) -> float:
    """Return the points of the tree in one column."""
    points = scoring.weight * score / scoring.unit
    return np.rint(points) if scoring.whole else points


# The table of points


@dataclass(frozen=True, eq=False, repr=False)
class PointsTable(DisplayTable):
    """The table of points: attribute, value or range, points per class, share of the effect.

    Points are log-odds, or whole points. Between two values of a number that are listed with "at"
    points change in proportion; beyond the first and the last they stay the same. The first line
    is that of every case (the intercept). The tree adds its weight times the log-odds of the leaf;
    whole points are listed for each leaf, so that the table can be added up by hand.

    Parameters
    ----------
    scorecard : Scorecard
    schema : Schema
    positive : int
        With two classes, the one whose points are shown; the other has the same points with the
        opposite sign.
    leaves : mapping from str to float64[classes]
        Probabilities of the leaves by their letter, for whole points.
    """

    scorecard: Scorecard
    schema: Schema
    positive: int = 1
    leaves: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    digits: int = field(default=4, repr=False)

    def lines(self) -> list[tuple[str, str, Floats, float]]:
        """Return attribute, value, points per column and share of each line."""
        card = self.scorecard
        found = [("(every case)", "", self.signed(card.intercept), math.nan)]
        if card.whole:
            found += [
                (
                    "(leaf)",
                    letter,
                    self.signed(card.leaf_points(shares[None, :])[0]),
                    card.tree_share,
                )
                for letter, shares in self.leaves.items()
            ]
        for each in card.attributes:
            name = self.schema.names[each.feature]
            found += [
                (name, value, self.signed(points), each.share)
                for value, points in self.values_of(each)
            ]
        return found if card.attributes else []

    def signed(self, points: Floats) -> Floats:
        """Return points in the columns of the table: for two classes, those of the positive."""
        flipped = self.scorecard.n_columns == 1 and self.positive == 0
        return (-points if flipped else points) + 0.0

    def values_of(self, each: AttributePoints) -> list[tuple[str, Floats]]:
        """Return descriptions of the values of an attribute, and their points."""
        categories = self.schema.categories[each.feature]
        if categories is not None:
            found = [
                (quote_if_needed(category), points)
                for category, points in zip(categories, each.values, strict=True)
            ]
        elif each.is_steps:
            texts = self._texts(each.feature, each.starts[1:].tolist())
            bounds = [f"< {texts[0]}"] if texts else ["any"]
            bounds += [f"{low} to < {high}" for low, high in pairwise(texts)]
            bounds += [f">= {texts[-1]}"] if texts else []
            found = list(zip(bounds, each.values, strict=True))
        else:
            places = [*each.starts.tolist(), each.high]
            texts = self._texts(each.feature, places)
            points = each(np.array(places))
            found = [(f"at {text}", own) for text, own in zip(texts, points, strict=True)]
        return [*found, ("missing", each.missing)] if each.missing.any() else found

    def _texts(self, feature: int, numbers: list[float]) -> list[str]:
        unit = self.schema.date_unit(feature)
        if unit:
            return [date_text(value, unit) for value in numbers]
        known = distinct_texts(sorted(set(numbers)), self.digits)
        return [known[value] for value in numbers]

    @property
    def points_names(self) -> list[str]:
        """Names of the columns with points."""
        labels = self.schema.classes.tolist()
        if self.scorecard.n_columns == 1:
            return [f"points {labels[self.positive]}"]
        return [f"points {label}" for label in labels]

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name."""
        lines = self.lines()
        return {
            "attribute": [line[0] for line in lines],
            "value": [line[1] for line in lines],
            **{
                name: [float(line[2][place]) for line in lines]
                for place, name in enumerate(self.points_names)
            },
            "share": [line[3] for line in lines],
        }

    def cells(self) -> list[list[str]]:
        """Return the table as text, one list of cells per line; names are not repeated."""
        form = "+.0f" if self.scorecard.whole else "+.2f"
        rows, before = [], ""
        for name, value, points, share in self.lines():
            first = name != before
            shown = "" if math.isnan(share) or not first else f"{100.0 * share:.0f} %"
            own = [format(point, form) for point in points]
            rows.append([quote_if_needed(name) if first else "", value, *own, shown])
            before = name
        return rows

    def chances(self) -> list[tuple[int, float]]:
        """Return sums of whole points of two classes, and the probability of the positive class."""
        card = self.scorecard
        if not card.whole or card.n_columns > 1 or not card.attributes:
            return []
        least, most = (math.log(share / (1.0 - share)) / card.unit for share in LISTED_CHANCES)
        step = max(1, round((most - least) / LISTED_SUMS))
        sums = range(step * math.ceil(least / step), step * math.floor(most / step) + 1, step)
        return [(each, 1.0 / (1.0 + math.exp(-card.unit * each))) for each in sums]

    def chances_text(self) -> str:
        """Return the probabilities of sums as a table of two rows; empty without whole points."""
        found = self.chances()
        if not found:
            return ""
        label = self.schema.classes.tolist()[self.positive]
        head = ["sum of points", *(f"{each:+d}" for each, _ in found)]
        row = [f"probability of {label}, %", *(f"{100.0 * chance:.0f}" for _, chance in found)]
        return text_table(head, [row], ["left", *["right"] * len(found)])  # type: ignore[list-item]

    @property
    def head(self) -> list[str]:
        """Names of the columns."""
        return ["attribute", "value", *self.points_names, "share"]

    @property
    def note(self) -> str:
        """One line that describes the points."""
        card = self.scorecard
        if not card.attributes:
            return str(card)
        unit = f"; a point is {card.unit:.3g} of log-odds" if card.whole else ""
        return f"{card}; share of the tree {100.0 * card.tree_share:.0f} %{unit}"

    @property
    def caption(self) -> str:
        """The same, above the table in notebooks."""
        return self.note

    def to_text(self) -> str:
        """Return the table as text."""
        if not self.scorecard.attributes:
            return self.note
        sides = ["left", "left", *["right"] * (self.scorecard.n_columns + 1)]
        parts = [text_table(self.head, self.cells(), sides), self.chances_text(), self.note]  # type: ignore[arg-type]
        return "\n".join(filter(None, parts))

    def __repr__(self) -> str:
        return self.to_text()


# Learning


class PointsCases(NamedTuple):
    """Distinct cases in an order that depends on their content, for learning points.

    Parameters
    ----------
    values : float64[cases, features]
    labels : int64[cases]
    weights : float64[cases]
        Divided by their mean if that is below 1.
    shares : float64[cases, classes]
        Out-of-fold probabilities of the tree.
    folds : int64[cases]
        The fold in which each case is held out, starting at 0.
    """

    values: Floats
    labels: Ints
    weights: Floats
    shares: Floats
    folds: Ints


class HeldOut(NamedTuple):
    """The learned points, and the out-of-fold probabilities with points.

    Parameters
    ----------
    scorecard : Scorecard
    rows : bool[cases]
        Which cases were held out: all, or one fold of many.
    probabilities : float64[held out, classes]
    """

    scorecard: Scorecard
    rows: NDArray[np.bool_]
    probabilities: Floats


def learn_points(points: Points, cases: PointsCases, schema: Schema, n_threads: int = 1) -> HeldOut:
    """Learn the points of attributes; also return out-of-fold probabilities.

    Parameters
    ----------
    points : Points
    cases : PointsCases
    schema : Schema
    n_threads : int
        Number of threads; the result does not depend on it.
    """
    bases = [
        basis
        for feature in range(schema.n_features)
        if (basis := basis_of(points, cases, schema, feature)).n_columns
    ]
    leaves = tree_scores(cases.shares)
    out = cases.folds < (1 if len(cases.labels) > MANY_CASES else PENALTY_FOLDS)
    tree_loss = mean_log_loss(cases.shares[out], cases.labels[out], cases.weights[out])
    none = Scorecard(
        1.0, np.zeros(leaves.shape[1]), (), tree_log_loss=tree_loss, n_cases=len(cases.labels)
    )
    if points.max_attributes is not None and len(bases) > points.max_attributes:
        bases = select_bases(points, cases, bases, leaves)
    if not bases:
        return HeldOut(none, out, cases.shares[out])
    problem = RidgeRegression.from_cases(points, cases, bases, leaves)
    chosen = choose_penalty(problem, cases, out, n_threads)
    if not chosen.log_loss < (1.0 - MIN_GAIN) * tree_loss:
        return HeldOut(none, out, cases.shares[out])
    card = replace(
        _scorecard(bases, problem, leaves, cases),
        penalty=chosen.penalty,
        log_loss=chosen.log_loss,
        tree_log_loss=tree_loss,
        n_cases=len(cases.labels),
    )
    held_out = softmax(chosen.scores)
    if not points.integer:
        return HeldOut(card, out, held_out)
    rounded, held_out = _round(card, schema, cases, out, chosen.scores)
    return HeldOut(rounded, out, held_out)


def _round(
    card: Scorecard, schema: Schema, cases: PointsCases, out: NDArray[np.bool_], scores: Floats
) -> tuple[Scorecard, Floats]:
    """Return whole points, and the probabilities that they give held-out cases.

    Rounding changes a held-out score by as much as it changes the points of the case.
    """
    values, shares = cases.values[out], cases.shares[out]
    known = cases.labels[out], cases.weights[out]
    exact = card.leaf_points(shares) + card.points(values)
    limit = (1.0 + MAX_ROUNDING_LOSS) * mean_log_loss(softmax(scores), *known)
    for most, most_ranges in WHOLE_POINTS:
        rounded = whole_points(card, schema, cases, most, most_ranges)
        changed = rounded.unit * (rounded.leaf_points(shares) + rounded.points(values)) - exact
        found = softmax(np.rint((scores + changed) / rounded.unit) * rounded.unit)
        loss = mean_log_loss(found, *known)
        if loss <= limit:
            break
    outcomes = {"classes": range(schema.n_classes), "sample_weight": known[1]}
    areas = [mauc(each, known[0], **outcomes) for each in (softmax(scores), found)]  # type: ignore[arg-type]
    return replace(rounded, log_loss=loss, rounding_loss=areas[0] - areas[1]), found


def mean_log_loss(shares: Floats, labels: Ints, weights: Floats) -> float:
    """Return the weighted mean of the negative log-probability of the true class."""
    own = np.maximum(shares[np.arange(len(labels)), labels], MIN_PROBABILITY)
    return -math.fsum(weights * np.log(own)) / math.fsum(weights)


# Columns of attributes


@dataclass(frozen=True, eq=False)
class Basis:
    """The columns that an attribute has in the regression.

    A numeric attribute has its standardised value, then hinge functions where its curve bends. A
    nominal attribute has one indicator per category; rare categories share one. The last column
    indicates missing values, if there are any.

    Parameters
    ----------
    feature : int
    low, high : float
        Values are clipped to this range.
    mean, deviation : float
        Of numbers.
    bends : float64[bends]
    column_of : int64[categories]
        The column of each category of a nominal attribute, -1 if it did not occur.
    has_missing : bool
    n_columns : int
    """

    feature: int
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    deviation: float = 1.0
    bends: Floats = field(default_factory=lambda: np.empty(0))
    column_of: Ints | None = None
    has_missing: bool = False
    n_columns: int = 0

    def columns(self, values: Floats) -> Floats:
        """Return the columns of some values, float64[columns, values]."""
        found = np.zeros((self.n_columns, len(values)))
        known = ~np.isnan(values)
        if self.column_of is not None:
            place = np.full(len(values), -1)
            place[known] = self.column_of[values[known].astype(np.int64)]
            rows = np.flatnonzero(place >= 0)
            found[place[rows], rows] = 1.0
        elif self.n_columns > self.has_missing:
            within = np.clip(values[known], self.low, self.high)
            found[0, known] = (within - self.mean) / self.deviation
            for number, bend in enumerate(self.bends.tolist()):
                found[number + 1, known] = np.maximum(within - bend, 0.0) / self.deviation
        if self.has_missing:
            found[-1] = ~known
        return found

    def attribute_points(self, coefficients: Floats, n_categories: int) -> AttributePoints:
        """Return the points of the attribute for coefficients [columns of points, columns]."""
        n_points = len(coefficients)
        missing = coefficients[:, -1] if self.has_missing else np.zeros(n_points)
        if self.column_of is not None:
            known = np.concatenate([coefficients, np.zeros((n_points, 1))], axis=1)
            starts, values = np.arange(float(n_categories)), known[:, self.column_of].T
            flat = np.zeros_like(values)
            return AttributePoints(self.feature, starts, starts[-1], values, flat, missing)
        if self.n_columns == self.has_missing:
            flat = np.zeros((1, n_points))
            return AttributePoints(self.feature, np.zeros(1), 0.0, flat, flat, missing)
        starts = np.concatenate([[self.low], self.bends])
        slopes = np.cumsum(coefficients[:, : len(starts)], axis=1).T / self.deviation
        rises = slopes[:-1] * np.diff(starts)[:, None]
        first = coefficients[:, 0] * (self.low - self.mean) / self.deviation
        values = first + np.concatenate([np.zeros((1, n_points)), np.cumsum(rises, axis=0)])
        return AttributePoints(self.feature, starts, self.high, values, slopes, missing)


def basis_of(points: Points, cases: PointsCases, schema: Schema, feature: int) -> Basis:
    """Return the columns of an attribute; none if it has a single value."""
    column, weights = cases.values[:, feature], cases.weights
    known = ~np.isnan(column)
    values, own = column[known], weights[known]
    has_missing = bool(0 < len(values) < len(column))
    categories = schema.categories[feature]
    if len(values) == 0:
        return Basis(feature)
    if categories is not None:
        return _nominal_basis(feature, values, own, len(categories), has_missing)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Basis(feature, has_missing=has_missing, n_columns=int(has_missing))
    total = own.sum()
    # Relative to the middle of the range, so that large numbers lose no digits.
    middle = low / 2.0 + high / 2.0
    mean = middle + float((own * (values - middle)).sum() / total)
    deviation = math.sqrt(float((own * (values - mean) ** 2).sum() / total))
    if not 0.0 < deviation < math.inf:
        return Basis(feature, has_missing=has_missing, n_columns=int(has_missing))
    low = max(low, mean - MAX_DEVIATIONS * deviation)
    high = min(high, mean + MAX_DEVIATIONS * deviation)
    bends = _bends(values, own, low, high) if points.shape == "curves" else np.empty(0)
    n_columns = 1 + len(bends) + has_missing
    return Basis(feature, low, high, mean, deviation, bends, None, has_missing, n_columns)


def _nominal_basis(
    feature: int, codes: Floats, weights: Floats, n_categories: int, has_missing: bool
) -> Basis:
    totals = np.bincount(codes.astype(np.int64), weights, minlength=n_categories)
    common, rare = totals >= RARE, (totals > 0.0) & (totals < RARE)
    column_of = np.full(n_categories, -1)
    column_of[common] = np.arange(common.sum())
    column_of[rare] = common.sum()
    n_columns = int(common.sum()) + bool(rare.any())
    if n_columns == 1:
        # A single value: only missing values differ from it.
        column_of[:], n_columns = -1, 0
    return Basis(
        feature, column_of=column_of, has_missing=has_missing, n_columns=n_columns + has_missing
    )


def _bends(values: Floats, weights: Floats, low: float, high: float) -> Floats:
    """Return the quantiles at which a curve bends; none if there are few values."""
    order = np.argsort(values, kind="stable")
    ordered, ranks = values[order], np.cumsum(weights[order])
    if np.count_nonzero(np.diff(ordered)) < FEW_VALUES:
        return np.empty(0)
    places = np.searchsorted(ranks, np.array(BENDS) * ranks[-1])
    found = np.unique(ordered[np.minimum(places, len(ordered) - 1)])
    return found[(found > low) & (found < high)]


# Ridge regression


class Observations(NamedTuple):
    """The data of the regression.

    Parameters
    ----------
    design : float64[columns, cases]
    curvature : float64[columns + 1, columns + 1]
        Approximate second derivatives of the log-loss with respect to the coefficients and the
        intercept of one class, at the probabilities of the tree. Not diagonal, because the columns
        of a curve are strongly correlated.
    leaves : float64[columns of points, cases]
        Scores of the tree.
    labels : int64[cases]
    weights : float64[cases]
        0 for cases that are held out.
    """

    design: ReadonlyFloats2D
    curvature: ReadonlyFloats2D
    leaves: ReadonlyFloats2D
    labels: ReadonlyInts
    weights: ReadonlyFloats


class Penalty(NamedTuple):
    """The penalty, whether the weight of the tree is estimated, and its second derivative."""

    ridge: float
    free: bool
    tree_curvature: float


class SolverScratch(NamedTuple):
    """Working memory of the minimisation.

    Parameters
    ----------
    scores, residuals : float64[columns of points, cases]
    gradients : float64[2, parameters]
    tried : float64[parameters]
        The solution that is tried.
    direction : float64[parameters]
    steps, changes : float64[memory, parameters]
        The last steps and the changes of the gradient.
    products, factors : float64[memory]
    lower : float64[columns + 1, columns + 1]
        Cholesky factor of the curvature with the penalty.
    """

    scores: Floats2D
    residuals: Floats2D
    gradients: Floats2D
    tried: Floats
    direction: Floats
    steps: Floats2D
    changes: Floats2D
    products: Floats
    factors: Floats
    lower: Floats2D

    @classmethod
    def for_sizes(cls, n_points: int, n_cases: int, n_columns: int) -> "SolverScratch":
        """Allocate the arrays for these numbers of columns of points, cases and design columns."""
        size = n_points * (n_columns + 1) + 1
        return cls(
            scores=np.empty((n_points, n_cases)),
            residuals=np.empty((n_points, n_cases)),
            gradients=np.zeros((2, size)),
            tried=np.zeros(size),
            direction=np.zeros(size),
            steps=np.zeros((MEMORY, size)),
            changes=np.zeros((MEMORY, size)),
            products=np.zeros(MEMORY),
            factors=np.zeros(MEMORY),
            lower=np.zeros((n_columns + 1, n_columns + 1)),
        )


@dataclass(frozen=True, eq=False)
class RidgeRegression:
    """A ridge regression; ``solution`` holds coefficients, intercepts and the weight of the tree.

    Parameters
    ----------
    observations : Observations
    sizes : tuple of int
        Number of columns of each attribute.
    free : bool
        Whether the weight of the tree is estimated.
    tree_curvature : float
        Approximate second derivative with respect to the weight of the tree.
    scratch : SolverScratch
    solution : float64[parameters]
        [column of points, column of the design and intercept], then the weight of the tree.
    """

    observations: Observations
    sizes: tuple[int, ...]
    free: bool
    tree_curvature: float
    scratch: SolverScratch
    solution: Floats

    @classmethod
    def from_cases(
        cls, points: Points, cases: PointsCases, bases: Sequence[Basis], leaves: Floats
    ) -> "RidgeRegression":
        """Return the regression on the columns of some attributes; all coefficients start at 0."""
        columns = [each.columns(cases.values[:, each.feature]) for each in bases]
        sizes = tuple(len(own) for own in columns)
        design = np.concatenate([np.empty((0, len(cases.labels))), *columns])
        spread = cases.weights * (cases.shares * (1.0 - cases.shares)).mean(axis=1)
        curvature = np.zeros((len(design) + 1,) * 2)
        begins = np.repeat(np.cumsum(sizes, dtype=np.int64) - sizes, sizes).astype(np.int64)
        if len(design) <= MANY_COLUMNS:
            begins[:] = 0
        run = compiled(_add_up_curvature, microseconds=0.1 * design.size * (len(design) + 1))
        run(design, spread, begins, np.empty(len(spread)), curvature)
        observations = Observations(
            design, curvature, np.ascontiguousarray(leaves.T), cases.labels, cases.weights
        )
        n_points = leaves.shape[1]
        size = n_points * (len(design) + 1) + 1
        tree_curvature = 1.0 + float((spread[:, None] * leaves**2).sum())
        free = points.tree_weight == "free"
        solution = np.zeros(size)
        solution[-1] = 1.0 if free else float(points.tree_weight)
        scratch = SolverScratch.for_sizes(n_points, len(cases.labels), len(design))
        return cls(observations, sizes, free, tree_curvature, scratch, solution)

    def without(self, held_out: NDArray[np.bool_]) -> "RidgeRegression":
        """Return the same regression without some cases."""
        weights = np.where(held_out, 0.0, self.observations.weights)
        n_points, n_cases = self.observations.leaves.shape
        scratch = SolverScratch.for_sizes(n_points, n_cases, len(self.observations.design))
        observations = self.observations._replace(weights=weights)
        return replace(
            self, observations=observations, scratch=scratch, solution=self.solution.copy()
        )

    def solve(self, penalty: float) -> Floats:
        """Minimise, starting from the last solution; return the scores of all cases."""
        n_points, n_cases = self.observations.leaves.shape
        # With a column for each of two classes, coefficients would be half as large, with opposite
        # signs.
        ridge = penalty / 2.0 if n_points == 1 else penalty
        n_products = n_cases * n_points * (len(self.observations.design) + 4)
        run = compiled(_minimise, microseconds=4.0 * n_products)
        term = Penalty(ridge, self.free, self.tree_curvature)
        run(self.observations, term, self.solution, self.scratch)
        if self.free and self.solution[-1] < 0.0:
            # The weight of the tree may be 0, but not negative.
            self.solution[-1] = 0.0
            run(self.observations, term._replace(free=False), self.solution, self.scratch)
        return self.scratch.scores

    def coefficients(self) -> tuple[list[Floats], Floats, float]:
        """Return the coefficients by attribute, the intercept and the weight of the tree.

        Coefficients are float64[columns of points, columns of the attribute].
        """
        table = self.solution[:-1].reshape(len(self.observations.leaves), -1)
        found = np.split(table[:, :-1], np.cumsum(self.sizes)[:-1], axis=1)
        return [own.copy() for own in found], table[:, -1].copy(), float(self.solution[-1])


@dataclass(frozen=True, eq=False)
class PenaltyChoice:
    """The penalty with the lowest log-loss of held-out cases.

    Parameters
    ----------
    penalty, log_loss : float
    scores : float64[held out, columns of points]
    """

    penalty: float
    log_loss: float
    scores: Floats


def choose_penalty(
    problem: RidgeRegression, cases: PointsCases, out: NDArray[np.bool_], n_threads: int
) -> PenaltyChoice:
    """Try penalties, strongest first, until the held-out log-loss has risen twice.

    ``problem`` is then solved with the best one.

    Parameters
    ----------
    problem : RidgeRegression
    cases : PointsCases
    out : bool[cases]
        Cases that are held out in their fold.
    n_threads : int
        Number of threads; the result does not depend on it.
    """
    parts = [problem.without(cases.folds == fold) for fold in np.unique(cases.folds[out])]
    known = cases.labels[out], cases.weights[out]
    best: PenaltyChoice | None = None
    worse = 0
    for penalty in PENALTIES:
        scores = in_threads(n_threads, lambda part: part.solve(penalty), parts)  # noqa: B023
        held_out = np.empty_like(scores[0])
        for part, own in zip(parts, scores, strict=True):
            rows = part.observations.weights == 0.0
            held_out[:, rows] = own[:, rows]
        of_cases = np.ascontiguousarray(held_out[:, out].T)
        loss = mean_log_loss(softmax(of_cases), *known)
        if best is None or loss < best.log_loss:
            best, worse = PenaltyChoice(penalty, loss, of_cases), 0
            # A start near the solution of all cases.
            problem.solution[:] = parts[0].solution
        else:
            worse += 1
        if worse == 2:
            break
    assert best is not None
    problem.solve(best.penalty)
    return best


def select_bases(
    points: Points, cases: PointsCases, bases: list[Basis], leaves: Floats
) -> list[Basis]:
    """Select attributes greedily: each step adds the one with the largest expected improvement.

    The expected improvement is the sum of G² / (H + penalty) over its columns, where G and H are
    the first and second derivatives of the log-loss with respect to the coefficient.
    """
    assert points.max_attributes is not None
    designs = [each.columns(cases.values[:, each.feature]) for each in bases]
    squares = [design**2 for design in designs]
    chosen: list[int] = []
    problem = RidgeRegression.from_cases(points, cases, [], leaves)
    while len(chosen) < points.max_attributes:
        shares = softmax(problem.solve(SELECTING_PENALTY).T)
        truth = np.eye(shares.shape[1])[cases.labels]
        residuals = (cases.weights[:, None] * (truth - shares))[:, -leaves.shape[1] :]
        curvature = (cases.weights[:, None] * shares * (1.0 - shares))[:, -leaves.shape[1] :]
        promises = [
            -1.0 if number in chosen else _promise(design, square, residuals, curvature)
            for number, (design, square) in enumerate(zip(designs, squares, strict=True))
        ]
        chosen.append(int(np.argmax(promises)))
        problem = RidgeRegression.from_cases(
            points, cases, [bases[number] for number in chosen], leaves
        )
    return [bases[number] for number in sorted(chosen)]


def _promise(design: Floats, squares: Floats, residuals: Floats, curvature: Floats) -> float:
    slope = np.einsum("ji,ik->jk", design, residuals)
    bend = np.einsum("ji,ik->jk", squares, curvature)
    return float((slope**2 / (bend + SELECTING_PENALTY)).sum())


def _scorecard(
    bases: Sequence[Basis], problem: RidgeRegression, leaves: Floats, cases: PointsCases
) -> Scorecard:
    """Return the points of a solution, with the share of each attribute."""
    coefficients, intercept, weight = problem.coefficients()
    found = [
        each.attribute_points(own, 0 if each.column_of is None else len(each.column_of))
        for each, own in zip(bases, coefficients, strict=True)
    ]
    spreads = [_deviation(each(cases.values[:, each.feature]), cases.weights) for each in found]
    of_tree = _deviation(weight * leaves, cases.weights)
    total = math.fsum([of_tree, *spreads]) or 1.0
    ranked = sorted(zip(spreads, found, strict=True), key=lambda pair: (-pair[0], pair[1].feature))
    attributes = tuple(replace(each, share=spread / total) for spread, each in ranked)
    return Scorecard(weight, intercept, attributes, tree_share=of_tree / total)


def _deviation(points: Floats, weights: Floats) -> float:
    """Return the standard deviation of points, summed over their columns."""
    total = weights.sum()
    mean = (weights[:, None] * points).sum(axis=0) / total
    variance = (weights[:, None] * (points - mean) ** 2).sum(axis=0) / total
    return float(np.sqrt(variance).sum())


# Whole points


def whole_points(
    card: Scorecard, schema: Schema, cases: PointsCases, most: int, most_ranges: int
) -> Scorecard:
    """Return a scorecard rounded to whole points, with numbers in ranges.

    Parameters
    ----------
    card : Scorecard
    schema : Schema
    cases : PointsCases
    most : int
        Number of points of the largest effect.
    most_ranges : int
        Largest number of ranges of a numeric attribute.
    """
    largest = max((each.largest for each in card.attributes), default=0.0)
    unit = largest / most if largest > 0.0 else 1.0
    attributes = tuple(
        _in_ranges(each, unit, schema, cases, most_ranges) for each in card.attributes
    )
    return replace(
        card,
        intercept=np.rint(card.intercept / unit) + 0.0,
        attributes=attributes,
        unit=unit,
        whole=True,
    )


def _in_ranges(
    each: AttributePoints, unit: float, schema: Schema, cases: PointsCases, most_ranges: int
) -> AttributePoints:
    """Return the points of an attribute as whole numbers, constant in a few ranges if numeric."""
    missing = np.rint(each.missing / unit) + 0.0
    if schema.categories[each.feature] is not None:
        points, starts = np.rint(each.values / unit) + 0.0, each.starts
    else:
        column = cases.values[:, each.feature]
        starts, means = ranges_of(each, column, cases.weights, most_ranges)
        points = np.rint(means / unit) + 0.0
        kept = np.ones(len(starts), dtype=np.bool_)
        kept[1:] = (np.diff(points, axis=0) != 0.0).any(axis=1)
        starts, points = starts[kept], points[kept]
    flat, top = np.zeros_like(points), max(each.high, float(starts[-1]))
    return replace(each, starts=starts, high=top, values=points, slopes=flat, missing=missing)


def ranges_of(
    each: AttributePoints, values: Floats, weights: Floats, most: int
) -> tuple[Floats, Floats]:
    """Return where the ranges of a number begin, and the mean points in each.

    Of all divisions into the same number of ranges, this one preserves most of the spread of the
    points. The number is the smallest that loses at most a small part of it.
    """
    known = ~np.isnan(values)
    distinct, group = np.unique(np.clip(values[known], each.starts[0], each.high),
                                return_inverse=True)  # fmt: skip
    totals = np.bincount(group.reshape(-1), weights[known])
    if len(distinct) > MAX_BOUNDS:
        # About equal weights between two bounds.
        places = np.cumsum(totals) / totals.sum() * MAX_BOUNDS
        first = np.unique(np.floor(places), return_index=True)[1]
        totals = np.add.reduceat(totals, first)
        distinct = distinct[first]
    points = each(distinct)
    none = np.zeros((1, points.shape[1]))
    sums = np.concatenate([none, np.cumsum(totals[:, None] * points, axis=0)])
    mass = np.concatenate([[0.0], np.cumsum(totals)])
    # The spread between ranges, of one from ``i`` to before ``j``: sum² / weight.
    size = len(distinct)
    between = np.full((size + 1, size + 1), -np.inf)
    for j in range(1, size + 1):
        between[:j, j] = ((sums[j] - sums[:j]) ** 2).sum(axis=1) / (mass[j] - mass[:j])
    whole = between[0, size]
    spread = (totals[:, None] * points**2).sum() - whole
    best = between[0]
    choices: list[NDArray[np.intp]] = []
    while len(choices) + 1 < most and best[size] - whole < (1.0 - LEFT_OUT) * spread:
        tried = best[:, None] + between
        choices.append(tried.argmax(axis=0))
        best = tried.max(axis=0)
    ends = [size]
    for choice in reversed(choices):
        ends.append(int(choice[ends[-1]]))
    cuts = [0, *reversed(ends[1:]), size]
    means = np.array([(sums[j] - sums[i]) / (mass[j] - mass[i]) for i, j in pairwise(cuts)])
    bounds = [round_between(float(distinct[i - 1]), float(distinct[i])) for i in cuts[1:-1]]
    return np.array([float(each.starts[0]), *bounds]), means


def round_between(low: float, high: float) -> float:
    """Return the number with fewest digits that is above ``low`` and at most ``high``.

    Examples
    --------
    >>> round_between(1.87, 2.4), round_between(137.0, 141.0), round_between(0.0312, 0.0329)
    (2.0, 140.0, 0.032)
    """
    for decimals in range(-math.floor(math.log10(max(abs(low), abs(high)))) - 1, 16):
        found = math.floor(round(high * 10.0**decimals, 6)) / 10.0**decimals
        found = round(found, max(decimals, 0))
        if low < found <= high:
            return found
    return high


# Kernels: a limited-memory quasi-Newton method (L-BFGS) over loops of fixed order

MEMORY = 8
# With more columns, the initial approximation of the second derivatives treats attributes as
# independent.
MANY_COLUMNS = 400
_MAX_STEPS = 200
_TOLERANCE = 1e-6
_BLOCK_CASES = 256


@typed_kernel
def _minimise(
    cases: Observations, penalty: Penalty, solution: Floats, scratch: SolverScratch
) -> int:
    """Minimise the penalised log-loss, starting from ``solution``; return the number of steps.

    Afterwards ``scratch.scores`` are the scores of the solution.
    """
    size, n_kept, direction = solution.size, 0, scratch.direction
    _factorise(cases.curvature, penalty.ridge, scratch.lower)
    value = _objective(cases, penalty, solution, scratch, scratch.gradients[0])
    for step in range(_MAX_STEPS):
        gradient = scratch.gradients[0]
        _find_direction(penalty, scratch, n_kept)
        slope = 0.0
        for j in range(size):
            slope += direction[j] * gradient[j]
        if not slope < 0.0:
            break
        length, found = 1.0, False
        tried = value
        for _ in range(30):
            for j in range(size):
                scratch.tried[j] = solution[j] + length * direction[j]
            tried = _objective(cases, penalty, scratch.tried, scratch, scratch.gradients[1])
            if tried <= value + 1e-4 * length * slope:
                found = True
                break
            length *= 0.3
        if not found:
            break
        n_kept = _remember(scratch, solution, n_kept)
        decrease = value - tried
        value = tried
        if decrease <= _TOLERANCE * abs(value):
            return step + 1
    _objective(cases, penalty, solution, scratch, scratch.gradients[0])
    return _MAX_STEPS


@kernel
def _factorise(curvature: ReadonlyFloats2D, ridge: float, lower: Floats2D) -> None:
    """Write the Cholesky factor of the penalised curvature; the intercept has no penalty."""
    size = curvature.shape[0]
    for i in range(size):
        for j in range(i + 1):
            total = curvature[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i > j:
                lower[i, j] = total / lower[j, j]
            else:
                least = 1e-9 * curvature[i, i] + 1e-300
                lower[i, i] = math.sqrt(max(total + (ridge if i + 1 < size else 0.0), least))


@kernel
def _solve(lower: Floats2D, vector: Floats, begin: int) -> None:
    """Solve for a part of a vector, given the Cholesky factor of the matrix."""
    size = lower.shape[0]
    for i in range(size):
        total = vector[begin + i]
        for j in range(i):
            total -= lower[i, j] * vector[begin + j]
        vector[begin + i] = total / lower[i, i]
    for i in range(size - 1, -1, -1):
        vector[begin + i] /= lower[i, i]
        for j in range(i):
            vector[begin + j] -= lower[i, j] * vector[begin + i]


@typed_kernel
def _add_up_curvature(
    design: ReadonlyFloats2D,
    spread: ReadonlyFloats,
    begins: ReadonlyInts,
    weighted: Floats,
    curvature: Floats2D,
) -> None:
    """Add up spread times the products of two columns; the last one is the intercept.

    Columns are treated as independent of those before ``begins``.
    """
    width, n_cases = curvature.shape[0], spread.size
    for i in range(width):
        for case in range(n_cases):
            weighted[case] = spread[case] * (design[i, case] if i + 1 < width else 1.0)
        for j in range(begins[i] if i + 1 < width else 0, min(i + 1, width - 1)):
            curvature[i, j] = _product(weighted, design[j], 0, n_cases)
        for case in range(n_cases if i + 1 == width else 0):
            curvature[i, i] += weighted[case]


@kernel
def _remember(scratch: SolverScratch, solution: Floats, n_kept: int) -> int:
    """Accept the trial point, and store the step and the change of the gradient."""
    curvature = 0.0
    for j in range(solution.size):
        curvature += (scratch.tried[j] - solution[j]) * (
            scratch.gradients[1, j] - scratch.gradients[0, j]
        )
    if curvature > 0.0:
        if n_kept == MEMORY:
            for i in range(MEMORY - 1):
                scratch.products[i] = scratch.products[i + 1]
                for j in range(solution.size):
                    scratch.steps[i, j] = scratch.steps[i + 1, j]
                    scratch.changes[i, j] = scratch.changes[i + 1, j]
            n_kept -= 1
        scratch.products[n_kept] = curvature
        for j in range(solution.size):
            scratch.steps[n_kept, j] = scratch.tried[j] - solution[j]
            scratch.changes[n_kept, j] = scratch.gradients[1, j] - scratch.gradients[0, j]
        n_kept += 1
    for j in range(solution.size):
        solution[j] = scratch.tried[j]
        scratch.gradients[0, j] = scratch.gradients[1, j]
    return n_kept


@kernel
def _find_direction(penalty: Penalty, scratch: SolverScratch, n_kept: int) -> None:
    """Multiply the gradient by the approximate inverse of the matrix of second derivatives."""
    direction, size = scratch.direction, scratch.direction.size
    for j in range(size):
        direction[j] = -scratch.gradients[0, j]
    for i in range(n_kept - 1, -1, -1):
        product = 0.0
        for j in range(size):
            product += scratch.steps[i, j] * direction[j]
        scratch.factors[i] = product / scratch.products[i]
        for j in range(size):
            direction[j] -= scratch.factors[i] * scratch.changes[i, j]
    width = scratch.lower.shape[0]
    for begin in range(0, size - 1, width):
        _solve(scratch.lower, direction, begin)
    direction[size - 1] /= penalty.tree_curvature
    for i in range(n_kept):
        product = 0.0
        for j in range(size):
            product += scratch.changes[i, j] * direction[j]
        factor = scratch.factors[i] - product / scratch.products[i]
        for j in range(size):
            direction[j] += factor * scratch.steps[i, j]


@kernel
def _objective(
    cases: Observations,
    penalty: Penalty,
    solution: Floats,
    scratch: SolverScratch,
    gradient: Floats,
) -> float:
    """Return the penalised log-loss; write its gradient, and the scores of all cases.

    Loops run over blocks of cases, and within a block over columns, so that memory access is
    sequential.
    """
    width, last = cases.design.shape[0] + 1, solution.size - 1
    value = 0.0
    for j in range(gradient.size):
        gradient[j] = 0.0
    for begin in range(0, cases.labels.size, _BLOCK_CASES):
        end = min(begin + _BLOCK_CASES, cases.labels.size)
        _write_scores(cases, begin, end, solution, scratch.scores)
        if scratch.scores.shape[0] == 1:
            value += _residuals_of_two(cases, begin, end, scratch.scores[0], scratch.residuals[0])
        else:
            value += _residuals_of_many(cases, begin, end, scratch.scores, scratch.residuals)
        _add_gradient(cases, begin, end, scratch.residuals, gradient)
    for j in range(last):
        # Intercepts are not penalised.
        if (j + 1) % width != 0:
            value += 0.5 * penalty.ridge * solution[j] ** 2
            gradient[j] += penalty.ridge * solution[j]
    if penalty.free:
        value += 0.5 * (solution[last] - 1.0) ** 2
        gradient[last] += solution[last] - 1.0
    else:
        gradient[last] = 0.0
    return value


@kernel
def _write_scores(
    cases: Observations, begin: int, end: int, solution: Floats, scores: Floats2D
) -> None:
    """Write the scores of some cases."""
    width, weight = cases.design.shape[0] + 1, solution[solution.size - 1]
    for k in range(scores.shape[0]):
        own, level = scores[k], solution[k * width + width - 1]
        for i in range(begin, end):
            own[i] = level + weight * cases.leaves[k, i]
        for j in range(width - 1):
            factor, column = solution[k * width + j], cases.design[j]
            for i in range(begin, end):
                own[i] += factor * column[i]


@kernel
def _add_gradient(
    cases: Observations, begin: int, end: int, residuals: Floats2D, gradient: Floats
) -> None:
    """Add the derivatives of the log-loss of some cases."""
    width = cases.design.shape[0] + 1
    for k in range(residuals.shape[0]):
        own = residuals[k]
        for j in range(width - 1):
            gradient[k * width + j] += _product(own, cases.design[j], begin, end)
        for i in range(begin, end):
            gradient[k * width + width - 1] += own[i]
        gradient[gradient.size - 1] += _product(own, cases.leaves[k], begin, end)


@kernel
def _product(first: Floats, second: ReadonlyFloats, begin: int, end: int) -> float:
    """Return the sum of products, in four independent partial sums."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    i = begin
    while i + 3 < end:
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
        i += 4
    while i < end:
        a += first[i] * second[i]
        i += 1
    return (a + b) + (c + d)


@kernel
def _residuals_of_two(
    cases: Observations, begin: int, end: int, scores: Floats, residuals: Floats
) -> float:
    """Return the log-loss of some cases of two classes; write its derivatives by the scores."""
    value = 0.0
    for i in range(begin, end):
        weight = cases.weights[i]
        if weight == 0.0:
            residuals[i] = 0.0
            continue
        # With the sign of the true class, the loss is log(1 + exp(-score)).
        power = math.exp(-abs(scores[i]))
        share = power / (1.0 + power)
        if scores[i] > 0.0:
            share = 1.0 - share
        towards = scores[i] if cases.labels[i] == 1 else -scores[i]
        value += weight * (math.log(1.0 + power) + max(0.0, -towards))
        residuals[i] = weight * (share - cases.labels[i])
    return value


@kernel
def _residuals_of_many(
    cases: Observations, begin: int, end: int, scores: Floats2D, residuals: Floats2D
) -> float:
    """Return the log-loss of some cases of several classes; write its derivatives."""
    value, n_points = 0.0, scores.shape[0]
    for i in range(begin, end):
        weight, label = cases.weights[i], cases.labels[i]
        if weight == 0.0:
            for k in range(n_points):
                residuals[k, i] = 0.0
            continue
        most = scores[0, i]
        for k in range(1, n_points):
            most = max(most, scores[k, i])
        total = 0.0
        for k in range(n_points):
            power = math.exp(scores[k, i] - most)
            residuals[k, i] = power
            total += power
        for k in range(n_points):
            residuals[k, i] *= weight / total
        residuals[label, i] -= weight
        value += weight * (math.log(total) + most - scores[label, i])
    return value
