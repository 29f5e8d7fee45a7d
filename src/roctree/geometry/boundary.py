"""The decision boundary of a labelled tree, distances from it, and scores based on them.

The distance of a case is that to the nearest leaf with another label (Alvarez and Bernard 2005).
The tests on the path to a leaf bound a box, and the case is moved into it as little as possible
along each attribute. The paper leaves some questions open; this module answers them as follows:

- A failed test of categories costs one, once per attribute.
- A missing number may be any number and costs nothing. A missing category costs nothing if its case
  is divided among the branches; if missing values have a branch of their own, the others cost one.
  A category that was not seen at a node in training counts as missing there.
- A known number does not enter a branch that is only for missing ones.
- If no leaf has another label, the distance is the diagonal of the training cases.

Scores order cases by leaf, by leaf and then by distance, or by distance alone. ``BoundaryReport``
indicates whether distances are likely to improve a ranking, and ``GeometricProbability`` estimates
probabilities from them.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Bools, Floats, Int32s, Ints, in_threads, row_parts
from roctree.errors import ParameterError
from roctree.geometry.kernels import (
    LANES,
    NOTHING,
    SPLIT,
    Packet,
    Single,
    SplitTree,
    number_groups,
    relate_splits,
    search,
)
from roctree.geometry.metric import Spread, diagonal, units_of
from roctree.tree.prediction import mix, undivided_ends
from roctree.tree.shape import uniform_subtrees
from roctree.tree.tree import IS_PRESENT, SCORE_DECIMALS, Tree

Boundaries = Literal["any", "one_vs_rest"]

SEARCHED_ROWS = 1 << 14
# Rows are searched together in trees of at most this depth, since that takes memory for each level.
_MAX_LEVELS = 256


@dataclass(frozen=True, eq=False)
class Boundary:
    """A tree with labelled leaves and a metric.

    Parameters
    ----------
    tree : Tree
    votes : float64[nodes, classes]
        Votes of each leaf; the class with the largest sum wins.
    scale : float64[features]
        Difference of each attribute that counts as a distance of one.
    extent : float
        Distance reported instead of infinity.
    """

    tree: Tree
    votes: Floats
    scale: Floats
    extent: float = 1.0

    @classmethod
    def from_spread(
        cls, tree: Tree, votes: Floats, scale: Floats, spread: Spread, nominal: NDArray[np.bool_]
    ) -> "Boundary":
        """Return a boundary whose extent is the diagonal of the training cases.

        Parameters
        ----------
        tree, votes, scale : see the class
        spread : Spread
            Spread of the training cases.
        nominal : bool[features]
            Which attributes are nominal.
        """
        if tree.softness.any():
            raise ParameterError(
                reason="Soft thresholds have no boundary between leaves: use "
                "{ranked(ranking='leaf')} first"
            )
        return cls(tree, votes, scale, diagonal(spread, scale, nominal))

    @cached_property
    def labels(self) -> Ints:
        """The label of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def predicted(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the label of each row."""
        return self._labels_at(
            undivided_ends(self.tree, values, n_threads=n_threads), values, n_threads
        )

    def _labels_at(self, ends: Ints, values: Floats, n_threads: int) -> Ints:
        """Return the label of each row, given its leaf or the node that divides it."""
        own = self.labels[ends]
        divided = np.flatnonzero(~self.tree.is_leaf[ends])
        if divided.size > 0:
            votes = mix(self.tree, values[divided], self.votes, n_threads=n_threads)
            own[divided] = votes.argmax(axis=1)
        return own

    def distances(self, values: Floats, kind: Boundaries, n_threads: int = 1) -> Floats:
        """Return the distance of each row from any other label, or from each class."""
        ends = undivided_ends(self.tree, values, n_threads=n_threads)
        own = self._labels_at(ends, values, n_threads)
        if kind == "any":
            return self._distance(values, own, self.labels, ends, n_threads)
        return np.abs(self.one_vs_rest(values, own, n_threads))

    def one_vs_rest(self, values: Floats, own: Ints, n_threads: int = 1) -> Floats:
        """Return the signed distance of each row from each class, float64[rows, classes].

        For the row's own label it is nonnegative: the distance to any other label. For another
        class it is nonpositive: the distance to the nearest leaf of that class, negated.
        """
        n_classes = self.votes.shape[1]
        signed = np.empty((len(values), n_classes))
        ends = undivided_ends(self.tree, values, n_threads=n_threads)
        for label in range(n_classes):
            if n_classes == 2 and label == 1:
                signed[:, 1] = -signed[:, 0]
                continue
            inside = own == label
            labels = (self.labels == label).astype(np.int64)
            far = self._distance(values, inside.astype(np.int64), labels, ends, n_threads)
            signed[:, label] = np.where(inside, far, -far)
        return signed + 0.0  # no negative zeros

    def _distance(
        self, values: Floats, own: Ints, labels: Ints, ends: Ints, n_threads: int
    ) -> Floats:
        """Return the distance of each row, whose own label is given, to a leaf with another."""
        n_rows = len(values)
        squared, mine = np.empty(n_rows), own.astype(np.int32)
        splits = _split_tree(self.tree, labels, units_of(self.scale))
        run = compiled(search, microseconds=5.0 * n_rows * self.tree.n_nodes)
        rows = self._grouped(own, ends) if splits.comparable else np.arange(n_rows)

        def fill(part: slice) -> None:
            memory = _packet(self.tree, splits), _single(self.tree, splits)
            for block in _row_blocks(part):
                some = rows[block]
                if values.dtype == np.float64:
                    run(values, some, mine, splits, *memory, squared)
                    continue
                few, found = values[some].astype(np.float64), np.empty(len(some))
                run(few, np.arange(len(some)), mine[some], splits, *memory, found)
                squared[some] = found

        in_threads(n_threads, fill, row_parts(n_rows, n_threads))
        return np.where(np.isinf(squared), self.extent, np.sqrt(squared))

    def _grouped(self, own: Ints, ends: Ints) -> Ints:
        """Return the rows by label and, from left to right, by the end of their paths."""
        group = np.zeros(self.tree.n_nodes, dtype=np.int64)
        number = compiled(number_groups, microseconds=self.tree.n_nodes)
        number(self.tree.parent, self.tree.is_leaf.astype(np.int64), group)
        groups = own * (self.tree.n_leaves + 1) + group[ends]
        # NumPy sorts small integers in linear time.
        few = self.votes.shape[1] * (self.tree.n_leaves + 1) <= np.iinfo(np.uint16).max
        return np.argsort(groups.astype(np.uint16) if few else groups, kind="stable")


def check_boundary(kind: Any) -> None:
    """Raise unless the value is a kind of boundary."""
    if kind not in get_args(Boundaries):
        raise ParameterError(
            parameter="boundary", value=kind, reason="must be 'any' or 'one_vs_rest'"
        )


def _split_tree(tree: Tree, labels: Ints, units: Floats) -> SplitTree:
    """Collect the splits above more than one label, compactly, so that they stay in the cache."""
    one, shared = uniform_subtrees(tree, tree.is_leaf, labels)
    nodes = np.flatnonzero(~one).astype(np.int32)
    branch = np.where(one, -1 - shared, 0).astype(np.int32)
    branch[nodes] = np.arange(len(nodes), dtype=np.int32)
    first, cut, attribute = tree.first_child[nodes], tree.threshold[nodes], tree.feature[nodes]
    columns, column = np.unique(attribute, return_inverse=True)
    # A test for missing values needs more than a comparison.
    cut[cut == IS_PRESENT] = np.nan
    splits = np.empty(len(nodes), dtype=SPLIT)
    splits["cut"], splits["unit"] = cut, units[attribute]
    splits["left"], splits["right"] = branch[first], branch[first + 1]
    splits["column"], splits["node"] = column, nodes
    parent = branch[tree.parent[nodes]]
    parent[:1] = NOTHING
    way = tree.branch[nodes].astype(np.int32)
    compiled(relate_splits, microseconds=10.0 * len(nodes))(parent, way, splits)
    deep = tree.max_depth > _MAX_LEVELS
    return SplitTree(
        splits=splits,
        comparable=bool(len(nodes)) and not deep and not np.isnan(cut).any(),
        columns=columns.astype(np.int64),
        branch=branch,
        paths=tree.all_hard_paths,
    )


def _packet(tree: Tree, splits: SplitTree) -> Packet:
    """Return memory for rows that are searched together."""
    n_columns, n_slots = len(splits.columns), 2 * tree.max_depth + 2 if splits.comparable else 0
    return Packet(
        values=_aligned(n_columns),
        typical=np.empty(n_columns),
        best=_aligned(1)[0],
        branch=np.empty(n_slots, dtype=np.int64),
        slot=np.empty(n_slots, dtype=np.int64),
        squared=_aligned(n_slots),
    )


def _aligned(n_rows: int) -> Floats:
    """Return rows of ``LANES`` numbers in cache lines of their own, which are loaded faster."""
    numbers = np.empty(n_rows * LANES + 8)
    begin = -numbers.ctypes.data % 64 // 8
    return numbers[begin : begin + n_rows * LANES].reshape(n_rows, LANES)


def _single(tree: Tree, splits: SplitTree) -> Single:
    """Return memory for a row that is searched alone."""
    n_pending = (tree.max_depth + 1) * max(int(tree.n_children.max()) - 1, 1) + 1
    return Single(
        values=np.empty(len(splits.columns)),
        branch=np.empty(n_pending, dtype=np.int32),
        squared=np.empty(n_pending),
    )


def _row_blocks(part: slice) -> Iterator[slice]:
    for first in range(part.start, part.stop, SEARCHED_ROWS):
        yield slice(first, min(first + SEARCHED_ROWS, part.stop))


# --- Scores ---
#
# For two classes a score is positive exactly if the second class is predicted. For more classes the
# largest score of a row is that of the predicted class.


@dataclass(frozen=True, eq=False)
class ScoredCases:
    """What the scores of cases are computed from.

    Parameters
    ----------
    own : int64[rows]
        Predicted class.
    signed : float64[rows, classes]
        Signed distances, see ``Boundary.one_vs_rest``.
    probabilities : float64[rows, classes]
    leaf_labels : int64[leaves]
    leaf_probabilities : float64[leaves, classes]
    class_weight : float64[classes]
    """

    own: Ints
    signed: Floats
    probabilities: Floats
    leaf_labels: Ints
    leaf_probabilities: Floats
    class_weight: Floats


def by_distance(cases: ScoredCases) -> Floats:
    """Score cases by their signed distance from the boundary."""
    if cases.signed.shape[1] == 2:
        return _with_sign_of_label(cases.signed[:, 1], cases.own == 1)
    own = cases.own[:, None] == np.arange(cases.signed.shape[1])
    return _with_sign_of_label(cases.signed, own)


def by_leaf_and_distance(cases: ScoredCases) -> Floats:
    """Score cases by their probability, and break ties by their signed distance."""
    if cases.signed.shape[1] == 2:
        return _by_leaf_and_distance_for_two(cases)
    levels = np.round(cases.leaf_probabilities, SCORE_DECIMALS)
    gaps = np.array([_least_gap(column) for column in levels.T])
    scores = np.round(cases.probabilities, SCORE_DECIMALS) + _SHARE_OF_GAP * gaps * _bounded(
        cases.signed
    )
    return _largest_at(scores * cases.class_weight, cases.own)


# "leaf" and "soft" do not use distances; the fitted model computes them.
RANKINGS: dict[str, Callable[[ScoredCases], Floats] | None] = {
    "leaf": None,
    "local": by_leaf_and_distance,
    "global": by_distance,
    "soft": None,
}


def geometric_scores(
    ranking: str,
    boundary: Boundary,
    values: Floats,
    probabilities: Floats,
    class_weight: Floats,
    n_threads: int = 1,
) -> Floats:
    """Return the scores of rows: float64[rows] for two classes, otherwise [rows, classes].

    Parameters
    ----------
    ranking : {"local", "global"}
    boundary : Boundary
    values : float64[rows, features]
    probabilities : float64[nodes, classes]
    class_weight : float64[classes]
        Weights that ``predict`` applies to the probabilities.
    n_threads : int
        Number of threads; the result does not depend on it.
    """
    tree, score = boundary.tree, RANKINGS[ranking]
    assert score is not None
    own = boundary.predicted(values, n_threads)
    signed = boundary.one_vs_rest(values, own, n_threads)
    leaves = boundary.labels[tree.leaves], probabilities[tree.leaves]
    of_rows = mix(tree, values, probabilities, n_threads=n_threads)
    return score(ScoredCases(own, signed, of_rows, *leaves, class_weight))


# Ties are broken by less than half of the gap between leaves.
_SHARE_OF_GAP = 0.49
_TINY = float(np.finfo(np.float64).tiny)


def _by_leaf_and_distance_for_two(cases: ScoredCases) -> Floats:
    levels = np.round(cases.leaf_probabilities[:, 1], SCORE_DECIMALS)
    probability = np.round(cases.probabilities[:, 1], SCORE_DECIMALS)
    positive = cases.own == 1
    ties = _SHARE_OF_GAP * _least_gap(levels) * _bounded(cases.signed[:, 1])
    above = cases.leaf_labels == 1
    highest, lowest = levels[~above].max(initial=0.0), levels[above].min(initial=1.0)
    if highest > lowest:
        # The labels do not follow the probabilities: cases predicted positive come first.
        base = np.where(positive, probability, probability - 1.0)
    else:
        usual = cases.class_weight[0] / cases.class_weight.sum()
        base = probability - np.clip(usual, highest, lowest)
        # A case whose leaves outvote its probability is placed at the boundary.
        base = np.where((base > 0.0) & ~positive | (base < 0.0) & positive, 0.0, base)
    return _with_sign_of_label(base + ties, positive)


def _with_sign_of_label(scores: Floats, positive: Bools) -> Floats:
    """Make scores positive exactly for the positive cases.

    A positive case on the boundary gets the smallest positive number.
    """
    return np.where(positive, np.maximum(scores, _TINY), np.minimum(scores, 0.0)) + 0.0


def _bounded(signed: Floats) -> Floats:
    """Map distances monotonically to the interval from -1 to 1."""
    return np.asarray(signed / (1.0 + np.abs(signed)))


def _least_gap(levels: Floats) -> float:
    """Return the smallest difference between distinct levels; 1 if all are equal."""
    return float(np.diff(np.unique(levels)).min(initial=1.0))


def _largest_at(scores: Floats, own: Ints) -> Floats:
    """Raise scores where necessary so that the predicted class is the argmax of each row."""
    scores = scores + 0.0
    rows = np.flatnonzero(scores.argmax(axis=1) != own)
    scores[rows, own[rows]] = np.nextafter(scores[rows].max(axis=1), np.inf)
    return scores


# Two standard deviations, as in the paper.
CLEAR = 2.0


@dataclass(frozen=True)
class BoundaryReport:
    """Distances of correctly and wrongly predicted cases (Alvarez and Bernard 2005, table 2).

    Geometric ranking helps if errors lie near the boundary.

    Parameters
    ----------
    n_hits, n_errors : float
        Numbers of cases, or their weights.
    mean_hits, mean_errors : float
        Mean distances from the boundary; NaN without cases.
    lambda_ : float
        Difference of the means in units of its standard error (equation 6); NaN unless there are
        more than one hit and one error and the distances differ.
    """

    n_hits: float
    n_errors: float
    mean_hits: float
    mean_errors: float
    lambda_: float

    @classmethod
    def from_distances(
        cls, distances: Floats, right: NDArray[np.bool_], weights: Floats
    ) -> "BoundaryReport":
        """Compare the distances of hits and errors; a case of weight k counts as k cases."""
        n_hits, mean_hits, deviation_hits = _mean_and_error(distances[right], weights[right])
        n_errors, mean_errors, deviation_errors = _mean_and_error(
            distances[~right], weights[~right]
        )
        deviation = math.hypot(deviation_hits, deviation_errors)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = float(np.float64(mean_hits - mean_errors) / deviation)
        return cls(n_hits, n_errors, mean_hits, mean_errors, ratio)

    @property
    def accuracy(self) -> float:
        """Share of hits."""
        total = self.n_hits + self.n_errors
        return self.n_hits / total if total else 0.0

    @property
    def advice(self) -> str:
        """One line on whether geometric ranking is likely to help."""
        if not min(self.n_hits, self.n_errors) > 1.0:
            return "There are too few hits or errors to tell whether geometric ranking helps."
        if math.isnan(self.lambda_):
            return "All cases are equally far from the boundary: geometric ranking will not help."
        if self.lambda_ >= CLEAR:
            return "Errors lie near the boundary: geometric ranking is likely to help."
        if self.lambda_ > 0.0:
            return (
                "Errors are only slightly closer to the boundary than hits: ranking='local' may "
                "help a little, 'global' probably not."
            )
        return "Errors are not closer to the boundary than hits: geometric ranking will not help."

    def __repr__(self) -> str:
        lines = [
            f"{'':9}{'cases':>8}  mean distance",
            f"{'hits':9}{self.n_hits:>8.10g}  {self.mean_hits:.4g}",
            f"{'errors':9}{self.n_errors:>8.10g}  {self.mean_errors:.4g}",
            f"lambda {self.lambda_:.3g}, accuracy {self.accuracy:.3f}",
            self.advice,
        ]
        return "\n".join(lines)


def _mean_and_error(distances: Floats, weights: Floats) -> tuple[float, float, float]:
    """Return the total weight of cases, their mean distance and its standard error."""
    total = float(weights.sum())
    if not total > 0.0:
        return total, math.nan, math.nan
    # Relative to the first, so that equal distances have a deviation of exactly 0.
    further = distances - distances[0]
    beyond = float(weights @ further) / total
    mean = float(distances[0]) + beyond
    if not total > 1.0:
        return total, mean, math.nan
    variance = float(weights @ (further - beyond) ** 2) / (total - 1.0)
    return total, mean, math.sqrt(variance / total)


# --- Class probabilities from the distances of the training cases (experimental) ---
#
# The probability of a class is its share among the training cases at a similar signed distance: a
# kernel estimate with a Gaussian and Silverman's bandwidth. This is our reading of Alvarez, Bernard
# and Deffuant (2007), of which we know only the idea. The kernel sums are kept on a grid
# instead of the cases and interpolated linearly, which makes the estimate approximate.

# Grid points per bandwidth, and in total.
POINTS_PER_BANDWIDTH, MAX_POINTS = 16, 4096
# The estimate is not used if all training cases are at least this many bandwidths away.
REACH = 8.0
_LEAST_SUM = math.exp(-0.5 * REACH**2)


@dataclass(frozen=True, eq=False)
class GeometricProbability:
    """The estimate for two classes.

    Parameters
    ----------
    boundary : Boundary
        Boundary from which distances are measured, even if labels change later.
    start, step : float
        First point of the grid, and the distance between points.
    sums : float64[points, 2]
        Kernel sums of the cases of each class.
    bandwidth : float
        Standard deviation of the Gaussian.
    """

    boundary: Boundary
    start: float
    step: float
    sums: Floats
    bandwidth: float

    @classmethod
    def from_cases(
        cls, boundary: Boundary, values: Floats, labels: Int32s, weights: Floats, n_threads: int = 1
    ) -> "GeometricProbability":
        """Estimate from training cases; their order does not matter."""
        if boundary.votes.shape[1] != 2:
            raise ParameterError(
                parameter="geometric_probability",
                reason="needs two classes, but there are {n}. Only binary classification is "
                "supported. Leave it out, or fit one class against the rest",
                n=boundary.votes.shape[1],
            )
        signed = signed_distance(boundary, values, n_threads)
        order = np.lexsort((weights, labels, signed))
        signed, labels, weights = signed[order], labels[order], weights[order]
        bandwidth = silverman(signed, weights)
        start = float(signed[0]) - REACH * bandwidth
        length = float(signed[-1]) + REACH * bandwidth - start
        n_points = min(math.ceil(length / bandwidth * POINTS_PER_BANDWIDTH) + 2, MAX_POINTS)
        step = length / (n_points - 2)
        # If the grid is too coarse for the bandwidth, the estimate is smoother.
        bandwidth = max(bandwidth, step)
        table = _binned((signed - start) / step, labels, weights, n_points)
        return cls(boundary, start, step, _sum_gaussians(table, bandwidth / step), bandwidth)

    def __call__(self, values: Floats, fallback: Floats, n_threads: int = 1) -> Floats:
        """Return the probabilities of rows; those of ``fallback`` far from all training cases."""
        place = (signed_distance(self.boundary, values, n_threads) - self.start) / self.step
        points = np.arange(len(self.sums))
        sums = np.column_stack(
            [np.interp(place, points, column, left=0.0, right=0.0) for column in self.sums.T]
        )
        total = sums.sum(axis=1)
        known = total > _LEAST_SUM
        shares = sums / np.where(known, total, 1.0)[:, None]
        return np.where(known[:, None], shares, fallback)


def cases_needed(remedy: str) -> ParameterError:
    """Return the error for a change that needs the training cases again."""
    return ParameterError(
        parameter="geometric_probability", reason=f"needs the training cases again: {remedy}"
    )


def signed_distance(boundary: Boundary, values: Floats, n_threads: int = 1) -> Floats:
    """Return the distance of each row; negative if the first class is predicted."""
    own = boundary.predicted(values, n_threads)
    return boundary.one_vs_rest(values, own, n_threads)[:, 1]


def silverman(sorted_values: Floats, weights: Floats) -> float:
    """Return 0.9 min(standard deviation, interquartile range / 1.34) n^(-1/5).

    If one of the two is 0, the other is used; if both are, the bandwidth is 1.
    """
    total = float(weights.sum())
    mean = float(weights @ sorted_values) / total
    deviation = math.sqrt(float(weights @ (sorted_values - mean) ** 2) / total)
    ranks = np.cumsum(weights) / total
    low, high = sorted_values[np.minimum(np.searchsorted(ranks, [0.25, 0.75]), len(ranks) - 1)]
    spreads = [spread for spread in (deviation, float(high - low) / 1.34) if spread > 0.0]
    return 0.9 * min(spreads) * total**-0.2 if spreads else 1.0


def _binned(places: Floats, labels: Int32s, weights: Floats, n_points: int) -> Floats:
    """Distribute the weight of each case over the two adjacent grid points."""
    table = np.zeros((n_points, 2))
    left = np.clip(places.astype(np.int64), 0, n_points - 2)
    part = places - left
    for label in (0, 1):
        mine = weights * (labels == label)
        table[:, label] += np.bincount(left, mine * (1.0 - part), n_points)
        table[:, label] += np.bincount(left + 1, mine * part, n_points)
    return table


def _sum_gaussians(table: Floats, width: float) -> Floats:
    """Return the sums of Gaussians whose standard deviation is ``width`` grid points."""
    reach = min(math.ceil(2.0 * REACH * width), len(table) - 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    columns = [np.convolve(column, bell)[reach : reach + len(table)] for column in table.T]
    return np.column_stack(columns)
