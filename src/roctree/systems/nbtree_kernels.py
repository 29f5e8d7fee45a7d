"""The compiled verdict on the cases of a node, or of a branch that may become one.

Every attribute is cut into intervals, and Naive Bayes is tried on these.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.systems.cut_kernels import find_cuts
from roctree.systems.mdl_kernels import entropy, least_price
from roctree.systems.naive_bayes_kernels import MISSING, cross_validated_errors
from roctree.systems.weka_kernels import sort_cases
from roctree.systems.whole_cut_kernels import find_hopeless

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Int = Any  # Python's or NumPy's
Numbers = NDArray[Any]  # int64 where all are whole, else float64

_TABLE = "Array(float64, 2, 'C', readonly=True)"
_GIVEN = "Array(float64, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
NODE = (
    f"{_TABLE}, Array(int64, 2, 'C', readonly=True), {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_GIVEN}, "
    f"{_GIVEN}, int64, {_GIVEN}"
)
_CELLS = "Array(int64, 2, 'C'), Array(int64, 1, 'C'), Array(float64, 2, 'C')"
# The place of a case that is in another branch.
GONE = -1


@typed_kernel(f"float64({NODE}, {_CELLS})")
def judge_node(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    copies: Floats,
    weights: Floats,
    n_classes: Int,
    table: Floats,
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> float:
    """Write the cells of the cases of a node, and return the errors of Naive Bayes among them.

    Parameters
    ----------
    values : float64[features, cases]
    ranked, n_known : int64[features, cases], the cases with a known number in ascending order, and
        how many they are
    n_categories : int64[features], 0 of numbers
    labels, copies : int64[cases], float64[cases], how many cases each case stands for
    weights : float64[cases], what is left of each
    n_classes, table : number of classes, and x ln x of the first whole numbers
    cells : int64[features, cases], the cell of each case in each attribute
    n_cells : int64[features], how many cells an attribute has
    cuts : float64[features, cases], where the cells of numbers end
    """
    everybody = np.arange(labels.size)
    return errors_of_members(
        values, ranked, n_known, n_categories, labels, copies, everybody, weights, everybody,
        n_classes, table, np.inf, cells, n_cells, cuts,
    )  # fmt: skip


@kernel
def errors_of_members(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    copies: Floats,
    members: Ints,
    weights: Floats,
    sequence: Ints,
    n_classes: Int,
    table: Floats,
    limit: float,
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> float:
    """Write the cells of some cases of a node, and return the errors of Naive Bayes among them.

    Members are in Weka's order, with what is left of each; folds are stretches of ``sequence``, the
    places of the members in an order. Not all errors are counted that are beyond the limit. All
    else is as in ``judge_node``.
    """
    place = np.full(values.shape[1], MISSING)
    is_divided, is_whole, total = False, True, 0.0
    for k in range(members.size):
        place[members[k]] = k
        is_divided = is_divided or weights[k] != copies[members[k]]
        is_whole = is_whole and weights[k] == np.floor(weights[k])
        total += weights[k]
    is_whole = is_whole and total < table.size
    hopeless = np.zeros(n_cells.size, dtype=np.bool_)
    if is_divided or not is_whole:
        find_cells(values, ranked, n_known, n_categories, labels, copies, members, weights, place,
                   hopeless, is_divided, n_classes, table, cells, n_cells, cuts)  # fmt: skip
    else:
        # Whole numbers add up in any order, and their logarithms are looked up as they are.
        whole = weights.astype(np.int64)
        find_hopeless(ranked, n_known, n_categories, labels, members, whole, n_classes, table,
                      hopeless)  # fmt: skip
        find_cells(values, ranked, n_known, n_categories, labels, copies, members, whole, place,
                   hopeless, is_divided, n_classes, table, cells, n_cells, cuts)  # fmt: skip
    return cross_validated_errors(
        cells, n_cells, members, weights, labels, sequence, n_classes, is_divided or not is_whole,
        limit,
    )  # fmt: skip


@kernel
def find_cells(
    values: Floats,
    ranked: Ints,
    n_known: Ints,
    n_categories: Ints,
    labels: Ints,
    copies: Floats,
    members: Ints,
    weights: Numbers,
    place: Ints,
    hopeless: Bools,
    is_divided: bool,
    n_classes: Int,
    table: Floats,
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> None:
    """Write the cells of the members.

    ``place`` is that of a case among the members, -1 if it is none of them, and ``hopeless`` are
    attributes without cuts.
    """
    n = members.size
    line, copied = np.empty(n + 1, dtype=np.int64), np.arange(n)
    xs, ls = np.empty(n), np.empty(n, dtype=np.int64)
    ws, cs = np.empty(n, dtype=weights.dtype), np.empty(n, dtype=weights.dtype)
    counts = np.zeros((5, n_classes), dtype=weights.dtype)
    purities, stretches = np.empty(n), np.empty((2, n + 1), dtype=np.int64)
    n_cases = 0.0
    for k in range(n):
        n_cases += copies[members[k]]
        counts[0, labels[members[k]]] += weights[k]
    bits = n_cases * entropy(counts[0], table)
    is_hopeless = not is_divided and bits < least_price(n_cases, table, counts[0])
    # From the last attribute to the first, for so Weka sorts, each time what it sorted before.
    for feature in range(values.shape[0] - 1, -1, -1):
        if n_categories[feature] > 0:
            n_cells[feature] = n_categories[feature]
            for k in range(n):
                value = values[feature, members[k]]
                cells[feature, k] = int(value) if value == value else MISSING
            continue
        if hopeless[feature] or (is_hopeless and n_known[feature] == values.shape[1]):
            n_cells[feature] = 1
            cells[feature] = 0
            continue
        if is_divided:
            known = line_up_as_weka(values[feature], members, copied, line)
        else:
            known = line_up(ranked[feature, : n_known[feature]], place, line)
        for i in range(known):
            case = members[line[i]]
            xs[i], ws[i], ls[i] = values[feature, case], weights[line[i]], labels[case]
            if is_divided:
                cs[i] = copies[case]
        n_cuts = find_cuts(
            xs, ls, ws, cs if is_divided else ws, known, table, counts, purities, stretches,
            cuts[feature],
        )  # fmt: skip
        n_cells[feature] = 1 + n_cuts
        mark_intervals(xs, line, known, cuts[feature], n_cuts, cells[feature])


@kernel
def line_up(ranked: Ints, place: Ints, line: Ints) -> Int:
    """List the members with a known number in ascending order; return how many."""
    known = 0
    for case in ranked:
        # Written in any case, and kept by arithmetic: who is a member no processor can foresee.
        line[known] = place[case]
        known += int(place[case] != MISSING)
    return known


@kernel
def line_up_as_weka(values: Floats, members: Ints, copied: Ints, line: Ints) -> Int:
    """List them in the order in which Weka adds up their weights.

    Sums of parts of cases depend on the order, and what is left of a class after all its cases have
    been taken away is not quite nothing: Weka then counts one class more.
    """
    sort_cases(copied, values[members])
    known = 0
    for k in copied:
        if values[members[k]] == values[members[k]]:
            line[known] = k
            known += 1
    return known


@kernel
def mark_intervals(
    xs: Floats, line: Ints, known: Int, cuts: Floats, n_cuts: Int, cells: Ints
) -> None:
    """Write the interval of each of a line of members, -1 of those that are not in it."""
    cells[:] = 0 if known == cells.size else MISSING
    if n_cuts == 0 and known == cells.size:
        return
    cell = 0
    for i in range(known):
        while cell < n_cuts and xs[i] > cuts[cell]:
            cell += 1
        cells[line[i]] = cell


@typed_kernel(
    f"void(Array(int64, 2, 'C', readonly=True), {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, "
    "Array(int64, 2, 'C'), Array(int64, 1, 'C'))"
)
def keep_ranked(
    ranked: Ints, n_known: Ints, n_categories: Ints, place: Ints, kept: Ints, n_kept: Ints
) -> None:
    """Keep the cases of a branch among those of its node, in ascending order of their numbers.

    Parameters
    ----------
    ranked, n_known : int64[features, cases], int64[features], the node's, as in ``judge_node``
    n_categories : int64[features], 0 of numbers; the others have no order
    place : int64[cases], the number of each case in the branch, or ``GONE``
    kept, n_kept : int64[features, cases of the branch], int64[features], zeros
    """
    for feature in range(n_known.size):
        if n_categories[feature] > 0:
            continue
        end = 0
        for rank in range(n_known[feature]):
            number = place[ranked[feature, rank]]
            if number != GONE:
                kept[feature, end] = number
                end += 1
        n_kept[feature] = end
