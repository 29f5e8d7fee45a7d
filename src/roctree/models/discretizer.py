"""``MDLDiscretizer``: cut numbers into intervals by minimum description length.

By the method of Fayyad and Irani (1993), a numeric column is cut where the mean class entropy of
the two sides is lowest. The cut is kept if it gains more information than its description costs:
more than (log2(N - 1) + log2(3^k - 2) - k H + k1 H1 + k2 H2) / N for N cases, k classes and entropy
H of both sides together, and k1, H1, k2, H2 of each side. Both sides are then cut in the same way.

The cuts equal Weka's. Sums are therefore accumulated in Weka's order: where two cuts are equally
good, rounding decides which one is found. The search first computes approximate
purities cheaply, then evaluates in Weka's order only the cuts that are best up to rounding.
Logarithms of integers are looked up in a table.

Weights are int64 arrays where all weights are integers, and float64 arrays otherwise. Both kinds
share the general search, ``best_cut``. Integer weights of two classes have a faster one,
``best_cut_of_two_classes``: sorted cases are a monotone path, one step right for a case of the
first class and one step up for the second. The purity of a cut is a convex function of the point
where it divides the path, and the path between two points stays within the rectangle that they
span. No cut between them is purer than one at a corner of the rectangle, so most cases are skipped.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from roctree._jit import compiled, dispatch_by_dtype, inlined, kernel, typed_kernel
from roctree.arrays import Floats, Ints, ReadonlyFloats, ReadonlyInts
from roctree.data import Dataset, encode_columns


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace numbers by the index of their interval, found by the method of Fayyad and Irani.

    A cut must gain more information about the class than its description costs, so that the number
    of intervals follows from the data. An attribute without such a cut has a single interval, 0.
    Categories become their codes, missing values stay missing.

    Parameters
    ----------
    categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
        Which columns are nominal.

    Attributes
    ----------
    cut_points_ : list of arrays
        The cuts of each column; values up to the first cut are in interval 0. Empty for a single
        interval, and for categories.
    schema_ : Schema
        Names and categories of the columns.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> discretizer = MDLDiscretizer().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> discretizer.cut_points_
    [array([6.5])]
    >>> discretizer.transform([[2.5], [7.0], [None]])
    array([[ 0.],
           [ 1.],
           [nan]])
    """

    def __init__(self, *, categorical_features: Any = "from_dtype") -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MDLDiscretizer":
        """Find the cuts.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow; NaN and None are
            missing.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0. A row of weight k counts as k rows.

        Returns
        -------
        self

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [8.0], [9.0]] * 5, ["a", "a", "b", "b"] * 5
        >>> MDLDiscretizer().fit(X, y).n_features_in_
        1
        """
        dataset = Dataset.from_data(
            X, y, sample_weight=sample_weight, categorical_features=self.categorical_features
        ).drop_zero_weight()
        schema = self.schema_ = dataset.schema
        self.cut_points_ = [
            np.empty(0) if schema.nominal[feature] else _column_cuts(dataset, feature)
            for feature in range(schema.n_features)
        ]
        self.n_features_in_ = schema.n_features
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> Floats:
        """Return the interval of each number and the code of each category, NaN where missing.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples, n_features)

        Examples
        --------
        >>> bins = MDLDiscretizer().fit([[1.0], [2.0], [8.0], [9.0]] * 5, ["a", "a", "b", "b"] * 5)
        >>> bins.transform([[1.5], [8.5]]).ravel()
        array([0., 1.])
        """
        check_is_fitted(self, "cut_points_")
        values = np.array(encode_columns(X, self.schema_), dtype=np.float64)
        # Warns if feature names were added or dropped. Different names are an error when encoding.
        validate_data(self, X, reset=False, skip_check_array=True)
        for feature in np.flatnonzero(~self.schema_.nominal):
            known = ~np.isnan(values[:, feature])
            intervals = np.searchsorted(self.cut_points_[feature], values[known, feature])
            values[known, feature] = intervals
        return values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _column_cuts(dataset: Dataset, feature: int) -> Floats:
    column = np.ascontiguousarray(dataset.values[:, feature])
    return cut_points(column, dataset.labels, dataset.weights, dataset.schema.n_classes)


# Kernels write zero as the difference of a weight and itself, which has the type of the weight.
Weights = NDArray[Any]  # int64 where all weights are integers, else float64
Weight = Any  # an element of such an array

LOG_2 = math.log(2.0)
# Weights below this count as zero.
NEGLIGIBLE = 1e-6
# Rounding error allowed for approximate purities, relative to the largest possible sum.
PURITY_ROUNDING = 1e-9
NO_CUT = -1
# Number of cases that the search over two classes tries to skip at a time.
STRIDE = 16
# Integers up to this size have their x ln x looked up.
MAX_TABLE_SIZE = 1 << 20


def cut_points(
    values: Floats, labels: NDArray[np.integer], weights: Floats, n_classes: int
) -> Floats:
    """Return the cut points of a numeric column in ascending order.

    Parameters
    ----------
    values : float64[n], NaN where missing
    labels : int[n], class numbers from 0
    weights : float64[n], number of cases each row counts for
    n_classes : number of classes

    Examples
    --------
    >>> values = np.arange(1.0, 13.0)
    >>> cut_points(values, np.repeat([0, 1], 6), np.ones(12), 2)
    array([6.5])
    >>> cut_points(values, np.array([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1]), np.ones(12), 2)
    array([], dtype=float64)
    """
    order = np.argsort(values, kind="stable")
    order = order[: np.count_nonzero(~np.isnan(values))]
    cuts = np.empty(len(order))
    n_cuts = compiled(cuts_of_column, microseconds=20 * len(order))(
        values[order].astype(np.float64),
        labels[order].astype(np.int64),
        weights[order].astype(np.float64),
        n_classes,
        x_log_x_table(float(weights.sum())),
        cuts,
    )
    return cuts[:n_cuts].copy()


def x_log_x_table(total: float) -> Floats:
    """Return x ln x of the integers up to a total weight, or up to the largest table size."""
    numbers = np.arange(1.0, min(total, MAX_TABLE_SIZE) + 1.0)
    return np.concatenate([[0.0], numbers * np.log(numbers)])


class SortedColumn(NamedTuple):
    """Cases in ascending order of a numeric attribute.

    Parameters
    ----------
    values : float64[n]
    labels : int64[n]
    weights : weight of each case at the node
    copies : weight of each case before missing values divided it among branches
    """

    values: Floats
    labels: Ints
    weights: Weights
    copies: Weights


class ClassCounts(NamedTuple):
    """Weight of each class in an interval and in the parts of its cuts, all written by the search.

    Parameters
    ----------
    total : of the interval
    left, right : of the parts of the cut under evaluation
    best_left, best_right : of the parts of the best cut so far
    """

    total: Weights
    left: Weights
    right: Weights
    best_left: Weights
    best_right: Weights


class Scratch(NamedTuple):
    """Working memory of the search.

    Parameters
    ----------
    purities : float64[n], approximate purity of the cut after each case, or of each stride
    begins, ends : int64[n + 1], stack of the intervals still to be cut
    """

    purities: Floats
    begins: Ints
    ends: Ints


@typed_kernel(allocates=True)
def cuts_of_column(
    values: ReadonlyFloats,
    labels: ReadonlyInts,
    weights: ReadonlyFloats,
    n_classes: int,
    table: ReadonlyFloats,
    cuts: Floats,
) -> int:
    """Write the cuts of cases sorted by value; return their number."""
    column = SortedColumn(values, labels, weights, weights)
    counts = ClassCounts(
        np.empty(n_classes),
        np.empty(n_classes),
        np.empty(n_classes),
        np.empty(n_classes),
        np.empty(n_classes),
    )
    n = values.size
    scratch = Scratch(np.empty(n), np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64))
    return find_mdl_cuts(column, n, table, counts, scratch, cuts)


@kernel
def find_mdl_cuts(
    column: SortedColumn, n: int, table: Floats, counts: ClassCounts, scratch: Scratch, cuts: Floats
) -> int:
    """Write the cuts of the first ``n`` cases in ascending order; return their number."""
    values, labels, weights, copies = column
    begins, ends, total = scratch.begins, scratch.ends, counts.total
    begins[0], ends[0] = 0, n
    n_waiting = 1
    n_cuts = 0
    while n_waiting > 0:
        n_waiting -= 1
        begin, end = begins[n_waiting], ends[n_waiting]
        n_cases = 0.0
        weight = 0.0
        fill(total, 0)
        for i in range(begin, end):
            n_cases += copies[i]
            weight += weights[i]
            total[labels[i]] += weights[i]
        price = least_price(n_cases, table, total)
        if weight * entropy(total, table) < price:
            continue
        best = _best_cut(column, begin, end, table, price, counts, scratch.purities)
        if best == NO_CUT or not pays_for_its_description(n_cases, weight, table, counts):
            continue
        insert_sorted(cuts, n_cuts, (values[best] + values[best + 1]) / 2.0)
        n_cuts += 1
        begins[n_waiting], ends[n_waiting] = begin, best + 1
        begins[n_waiting + 1], ends[n_waiting + 1] = best + 1, end
        n_waiting += 2
    return n_cuts


@kernel
def insert_sorted(numbers: Floats, n: int, number: float) -> None:
    """Insert a number among the first ``n``, which are in ascending order."""
    place = n
    while place > 0 and numbers[place - 1] > number:
        numbers[place] = numbers[place - 1]
        place -= 1
    numbers[place] = number


@kernel
def best_cut(
    column: SortedColumn,
    begin: int,
    end: int,
    table: Floats,
    price: float,
    counts: ClassCounts,
    purities: Floats,
) -> int:
    """Return the last case left of the cut of lowest entropy, or ``NO_CUT``.

    ``price`` is the information in bits that a cut must gain at least, over all cases.
    """
    values, labels, weights = column.values, column.labels, column.weights
    total, left, right = counts.total, counts.left, counts.right
    purest = approximate_purities(column, begin, end, table, counts, purities)
    weight = total.sum()
    rounding = PURITY_ROUNDING * (1.0 + x_log_x(weight, table))
    if weight * entropy(total, table) + purest / LOG_2 < price - rounding:
        return NO_CUT
    # Entropies accumulated in Weka's order decide among the cuts that are best up to rounding.
    enough = purest - rounding
    fill(left, 0)
    copy_to(right, total)
    least, best = entropy(total, table), NO_CUT
    for i in range(begin, end - 1):
        left[labels[i]] += weights[i]
        right[labels[i]] -= weights[i]
        if purities[i] >= enough and values[i] < values[i + 1]:
            found = entropy_of_parts(left, right, table)
            if found < least:
                least, best = found, i
                copy_to(counts.best_left, left)
                copy_to(counts.best_right, right)
    return best


@kernel
def approximate_purities(
    column: SortedColumn, begin: int, end: int, table: Floats, counts: ClassCounts, purities: Floats
) -> float:
    """Write the purity of both parts after each case, and return the largest.

    It is minus infinity between equal values, where no cut is possible. A single case changes the
    counts of one class, so that its purity follows from the one before; this accumulates rounding
    error.
    """
    values, labels, weights = column.values, column.labels, column.weights
    left, right = counts.left, counts.right
    fill(left, 0)
    copy_to(right, counts.total)
    n_right = right.sum()
    n_left = n_right - n_right
    purity = sum_x_log_x(left, right, table)
    is_single = True
    purest = -np.inf
    for i in range(begin, end - 1):
        label, weight = labels[i], weights[i]
        before_left, before_right = left[label], right[label]
        left[label] = before_left + weight
        right[label] = before_right - weight
        n_left += weight
        n_right -= weight
        if not values[i] < values[i + 1]:
            purities[i] = -np.inf
            is_single = False
            continue
        if is_single:
            gained = x_log_x(left[label], table) - x_log_x(before_left, table)
            lost = x_log_x(before_right, table) - x_log_x(right[label], table)
            purity += gained - lost
        else:
            purity = sum_x_log_x(left, right, table)
            is_single = True
        purities[i] = purity - x_log_x(n_left, table) - x_log_x(n_right, table)
        if purities[i] > purest:
            purest = purities[i]
    return purest


@kernel
def best_integer_cut(
    column: SortedColumn,
    begin: int,
    end: int,
    table: Floats,
    price: float,
    counts: ClassCounts,
    purities: Floats,
) -> int:
    """Return what ``best_cut`` returns, for integer weights whose sum is within the table."""
    if n_present(counts.total) == 2:
        return best_cut_of_two_classes(column, begin, end, table, price, counts, purities)
    return best_cut(column, begin, end, table, price, counts, purities)


# The kind of the column's weights is known when the caller is compiled.
_best_cut = dispatch_by_dtype(best_integer_cut, best_cut, field="weights")


class PathEnd(NamedTuple):
    """Where the path of all cases ends: the weights of the two classes."""

    right: Weight
    up: Weight


@kernel
def best_cut_of_two_classes(
    column: SortedColumn,
    begin: int,
    end: int,
    table: Floats,
    price: float,
    counts: ClassCounts,
    purities: Floats,
) -> int:
    """Return what ``best_cut`` returns, for two classes with integer weights."""
    values, labels, weights, total = column.values, column.labels, column.weights, counts.total
    last = last_present(total)
    first = last_present(total[:last])
    whole = PathEnd(total[first], total[last])
    enough = least_purity(total, price, table)
    purest = -np.inf
    right, up = whole.right - whole.right, whole.up - whole.up
    for start in range(begin, end, STRIDE):
        stop = min(start + STRIDE, end)
        step, rise = path_step(labels, weights, start, stop, last)
        purities[start] = purest_corner(right, up, step, rise, whole, table)
        right, up = right + step, up + rise
        if stop < end and values[stop - 1] < values[stop]:
            purest = max(purest, purity_at(right, up, whole, table))
    enough = max(enough, purest - PURITY_ROUNDING * (1.0 + table[int(whole.right + whole.up)]))
    least, purest, best = entropy(total, table), -np.inf, NO_CUT
    weight = (whole.right + whole.up) * LOG_2
    right, up = whole.right - whole.right, whole.up - whole.up
    for start in range(begin, end, STRIDE):
        stop = min(start + STRIDE, end)
        if purities[start] < enough:
            step, rise = path_step(labels, weights, start, stop, last)
            right, up = right + step, up + rise
            continue
        for i in range(start, min(stop, end - 1)):
            rise = int(labels[i] == last) * weights[i]
            up += rise
            right += weights[i] - rise
            if not values[i] < values[i + 1]:
                continue
            found = purity_at(right, up, whole, table)
            # Different purities may round to the same entropy.
            if found > purest and -found / weight < least:
                purest, least, best = found, -found / weight, i
                fill(counts.best_left, 0)
                copy_to(counts.best_right, total)
                counts.best_left[last], counts.best_right[last] = up, whole.up - up
                counts.best_left[first], counts.best_right[first] = right, whole.right - right
    return best


@kernel
def path_step(
    labels: Ints, weights: Ints, start: int, stop: int, last: int
) -> tuple[Weight, Weight]:
    """Return how far the path goes right and up from one case to another."""
    step, rise = weights[start] - weights[start], weights[start] - weights[start]
    for i in range(start, stop):
        step += weights[i]
        rise += weights[i] * int(labels[i] == last)
    return step - rise, rise


@kernel
def purest_corner(
    right: Weight, up: Weight, step: Weight, rise: Weight, whole: PathEnd, table: Floats
) -> float:
    """Return an upper bound on the purity of cuts within the next part of the path."""
    by_right = purity_at(right + step, up, whole, table)
    by_up = purity_at(right, up + rise, whole, table)
    return max(by_right, by_up, purity_at(right + step, up + rise, whole, table))


@kernel
def purity_at(right: Weight, up: Weight, whole: PathEnd, table: Floats) -> float:
    """Return the purity of a cut at a point of the path, summed in Weka's order."""
    after_right, after_up = whole.right - right, whole.up - up
    before = table[int(right)] + table[int(up)] - table[int(right + up)]
    after = table[int(after_right + after_up)]
    return float(before + table[int(after_right)] + table[int(after_up)] - after)


@kernel
def least_purity(class_counts: Ints, price: float, table: Floats) -> float:
    """Return the lowest purity of a cut that gains its price in bits."""
    n = class_counts.sum()
    missing = price - n * entropy(class_counts, table)
    return float(LOG_2 * missing - PURITY_ROUNDING * (1.0 + table[int(n)]))


@kernel
def last_present(class_counts: Ints) -> int:
    """Return the last class with a positive count."""
    last = class_counts.size - 1
    while class_counts[last] == 0:
        last -= 1
    return last


@kernel
def n_present(class_counts: Weights) -> int:
    """Return the number of classes with a positive count."""
    found = 0
    for label in range(class_counts.size):
        if class_counts[label] > 0.0:
            found += 1
    return found


@kernel
def least_price(n_cases: float, table: Floats, class_counts: Weights) -> float:
    """Return the information, in bits over all cases, that a cut must gain at least.

    It is that of a cut between pure parts, which has the shortest description; infinite if no cut
    is possible.
    """
    n_classes = n_present(class_counts)
    if n_cases < 2.0 or n_classes < 2:
        return float(np.inf)
    positions = math.log((n_cases - 1.0) * (3.0**n_classes - 2.0)) / LOG_2
    return positions - n_classes * entropy(class_counts, table) - NEGLIGIBLE


@kernel
def pays_for_its_description(
    n_cases: float, weight: float, table: Floats, counts: ClassCounts
) -> bool:
    """Return whether the best cut gains more information than its description costs.

    Each case is a possible place for a cut even if missing values left only part of it here; the
    cost is spread over what is left of all cases.
    """
    before = entropy(counts.total, table)
    gain = before - entropy_of_parts(counts.best_left, counts.best_right, table)
    n_classes = n_present(counts.total)
    right = n_present(counts.best_right) * entropy(counts.best_right, table)
    left = n_present(counts.best_left) * entropy(counts.best_left, table)
    delta = math.log(3.0**n_classes - 2.0) / LOG_2 - (n_classes * before - right - left)
    price = math.log(n_cases - 1.0) / LOG_2 + delta
    return gain > price / weight


@kernel
def entropy(class_counts: Weights, table: Floats) -> float:
    """Return the entropy of class counts in bits."""
    spread = 0.0
    total = 0.0
    for label in range(class_counts.size):
        spread -= x_log_x(class_counts[label], table)
        total += class_counts[label]
    if total < NEGLIGIBLE:
        return 0.0
    return (spread + x_log_x(total, table)) / (total * LOG_2)


@inlined
def entropy_of_parts(left: Weights, right: Weights, table: Floats) -> float:
    """Return the mean entropy of two parts in bits."""
    purity = 0.0
    n_left = 0.0
    for label in range(left.size):
        purity += x_log_x(left[label], table)
        n_left += left[label]
    purity -= x_log_x(n_left, table)
    n_right = 0.0
    for label in range(right.size):
        purity += x_log_x(right[label], table)
        n_right += right[label]
    purity -= x_log_x(n_right, table)
    if n_left + n_right < NEGLIGIBLE:
        return 0.0
    return -purity / ((n_left + n_right) * LOG_2)


@kernel
def sum_x_log_x(left: Weights, right: Weights, table: Floats) -> float:
    """Return the sum of x ln x over the classes of both parts."""
    added = 0.0
    for label in range(left.size):
        added += x_log_x(left[label], table) + x_log_x(right[label], table)
    return added


# Loops compile several times faster than assignments to slices.
@kernel
def fill(numbers: Weights, number: Weight) -> None:
    """Set all elements to a number."""
    for i in range(numbers.size):
        numbers[i] = number


@kernel
def copy_to(target: Weights, source: Weights) -> None:
    """Copy all elements to another array."""
    for i in range(target.size):
        target[i] = source[i]


@inlined
def x_log_x(x: Weight, table: Floats) -> float:
    """Return x ln x, looked up if x is an integer within the table."""
    if 0 <= x < table.size and x == int(x):
        return float(table[int(x)])
    return x * math.log(x) if x > 0 else 0.0
