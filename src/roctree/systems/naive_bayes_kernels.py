"""The compiled loops of Naive Bayes: learning by counting, unlearning a fold, and probabilities.

Attributes are cells: intervals of a number, or categories. A cell that a class was never seen in
counts one case, as does every other. Products and sums are made in Weka's order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import kernel, typed_kernel
from roctree.systems.mdl_kernels import find_cuts
from roctree.systems.weka_kernels import sort_cases
from roctree.tree.descent import N_CHILDREN
from roctree.tree.settle_kernels import RULES, TABLE, Branches, Rules
from roctree.tree.visit_kernels import visit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int = Any  # Python's or NumPy's
Numbers = NDArray[Any]  # int64 where all are whole, else float64

N_FOLDS = 5
MISSING = -1
# No likelihood is below it, and products below it are scaled up, so that none becomes zero.
LEAST, SCALE = 1e-75, 1e75
# Sums of as many whole numbers as anybody has are exact, in either type.
MOST_WHOLE = 2.0**31

_GIVEN = "Array(float64, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
_RANKED = "Array(int64, 2, 'C', readonly=True)"
_RESULT = "Array(float64, 2, 'C')"
_CELLS = "Array(int64, 2, 'C'), Array(int64, 1, 'C'), Array(float64, 2, 'C')"


@kernel
def posterior(cells: Ints, n: Int, prior: Floats, likelihood: Floats, out: Floats) -> None:
    """Write the class probabilities of a case that is in ``n`` cells, -1 where it is missing."""
    out[:] = prior
    for i in range(n):
        if cells[i] == MISSING:
            continue
        n_large = 0
        for label in range(out.size):
            out[label] *= likelihood[cells[i], label]
            n_large += int(out[label] >= LEAST)
        if n_large == 0:
            for label in range(out.size):
                out[label] *= SCALE
    total = 0.0
    for label in range(out.size):
        total += out[label]
    for label in range(out.size):
        out[label] /= total


@typed_kernel(
    f"float64({TABLE}, {_RANKED}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_GIVEN}, "
    f"{_NUMBERS}, {_GIVEN}, {_NUMBERS}, int64, {_GIVEN}, {_CELLS})"
)
def judge(
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
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> float:
    """Write the cells of some cases of a node, and return the errors of Naive Bayes among them.

    Parameters
    ----------
    values : float64[features, cases]
    ranked, n_known : int64[features, cases], the cases with a known number in ascending order, and
        how many they are
    n_categories : int64[features], 0 of numbers
    labels, copies : int64[cases], float64[cases], how many cases each case stands for
    members, weights : int64[members], float64[members], which cases, in Weka's order, and what
        is left of each
    sequence : int64[members], the places of the members in an order; folds are stretches of it
    n_classes, table : number of classes, and x ln x of the first whole numbers
    cells : int64[features, members], the cell of each member in each attribute
    n_cells : int64[features], how many cells an attribute has
    cuts : float64[features, members], where the cells of numbers end
    """
    place = np.full(values.shape[1], MISSING)
    is_divided, is_whole = False, True
    for k in range(members.size):
        place[members[k]] = k
        is_divided = is_divided or weights[k] != copies[members[k]]
        is_whole = is_whole and weights[k] == np.floor(weights[k]) and weights[k] <= MOST_WHOLE
    if is_divided or not is_whole:
        find_cells(values, ranked, n_known, n_categories, labels, copies, members, weights, place,
                   is_divided, n_classes, table, cells, n_cells, cuts)  # fmt: skip
    else:
        # Whole numbers add up in any order, and their logarithms are looked up as they are.
        find_cells(values, ranked, n_known, n_categories, labels, copies, members,
                   weights.astype(np.int64), place,
                   is_divided, n_classes, table, cells, n_cells, cuts)  # fmt: skip
    return cross_validated_errors(cells, n_cells, members, weights, labels, sequence, n_classes)


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
    is_divided: bool,
    n_classes: Int,
    table: Floats,
    cells: Ints,
    n_cells: Ints,
    cuts: Floats,
) -> None:
    """Write the cells of the members, as ``judge`` has them.

    ``place`` is that of a case among the members, -1 if it is none of them.
    """
    n = members.size
    line, copied = np.empty(n + 1, dtype=np.int64), np.arange(n)
    xs, ls = np.empty(n), np.empty(n, dtype=np.int64)
    ws, cs = np.empty(n, dtype=weights.dtype), np.empty(n, dtype=weights.dtype)
    counts, stretches = (
        np.empty((5, n_classes), dtype=weights.dtype),
        np.empty((2, n + 1), np.int64),
    )
    # From the last attribute to the first, for so Weka sorts, each time what it sorted before.
    for feature in range(values.shape[0] - 1, -1, -1):
        if n_categories[feature] > 0:
            n_cells[feature] = n_categories[feature]
            for k in range(n):
                value = values[feature, members[k]]
                cells[feature, k] = int(value) if value == value else MISSING
            continue
        if is_divided:
            known = line_up_as_weka(values[feature], members, copied, line)
        else:
            known = line_up(ranked[feature, : n_known[feature]], place, line)
        for i in range(known):
            case = members[line[i]]
            xs[i], ws[i], ls[i] = values[feature, case], weights[line[i]], labels[case]
            cs[i] = copies[case]
        n_cuts = find_cuts(xs, ls, ws, cs, known, table, counts, stretches, cuts[feature])
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
    cells[:] = MISSING
    cell = 0
    for i in range(known):
        while cell < n_cuts and xs[i] > cuts[cell]:
            cell += 1
        cells[line[i]] = cell


@kernel
def cross_validated_errors(
    cells: Ints,
    n_cells: Ints,
    members: Ints,
    weights: Floats,
    labels: Ints,
    sequence: Ints,
    n_classes: Int,
) -> float:
    """Return the weight of the members that are misclassified when their fold is unlearned.

    The folds are stretches of ``sequence``, the numbers of the members in some order.
    """
    # Only attributes with more than one cell tell anything.
    starts = np.empty(n_cells.size + 1, dtype=np.int64)
    telling = np.empty(n_cells.size, dtype=np.int64)
    n_telling = 0
    starts[0] = 0
    for feature in range(n_cells.size):
        if n_cells[feature] > 1:
            telling[n_telling] = feature
            starts[n_telling + 1] = starts[n_telling] + n_cells[feature]
            n_telling += 1
    n_rows = starts[n_telling]
    # Cases in each cell, then in each attribute, then in all, by class, and all of them.
    counts = np.ones((n_rows + n_telling + 2, n_classes))
    counts[n_rows + n_telling + 1] = n_classes
    for i in range(n_telling):
        counts[n_rows + i] = n_cells[telling[i]]
    row_of = np.empty((members.size, n_telling), dtype=np.int64)
    for k in sequence:
        for i in range(n_telling):
            cell = cells[telling[i], k]
            row_of[k, i] = MISSING if cell == MISSING else starts[i] + cell
        learn(counts, row_of[k], n_rows, labels[members[k]], weights[k])
    prior, out = np.empty(n_classes), np.empty(n_classes)
    likelihood = np.empty((n_rows, n_classes))
    errors = 0.0
    for fold in range(N_FOLDS):
        begin = fold * (members.size // N_FOLDS) + min(fold, members.size % N_FOLDS)
        size = members.size // N_FOLDS + int(fold < members.size % N_FOLDS)
        others = counts.copy()
        for k in sequence[begin : begin + size]:
            learn(others, row_of[k], n_rows, labels[members[k]], -weights[k])
        estimate(others, starts, n_telling, likelihood, prior)
        for k in sequence[begin : begin + size]:
            posterior(row_of[k], n_telling, prior, likelihood, out)
            if largest(out) != labels[members[k]]:
                errors += weights[k]
    return errors


@kernel
def learn(counts: Floats, rows: Ints, n_rows: Int, label: Int, weight: float) -> None:
    """Add a case to the counts of cells, attributes and classes; a negative weight unlearns it."""
    for i in range(rows.size):
        if rows[i] != MISSING:
            counts[rows[i], label] += weight
            counts[n_rows + i, label] += weight
    counts[n_rows + rows.size, label] += weight
    counts[n_rows + rows.size + 1, 0] += weight


@kernel
def estimate(
    counts: Floats, starts: Ints, n_telling: Int, likelihood: Floats, prior: Floats
) -> None:
    """Turn counts into the likelihood of each cell and the prior of each class."""
    n_rows = starts[n_telling]
    for i in range(n_telling):
        for row in range(starts[i], starts[i + 1]):
            for label in range(prior.size):
                share = counts[row, label] / counts[n_rows + i, label]
                likelihood[row, label] = max(LEAST, share)
    for label in range(prior.size):
        prior[label] = counts[n_rows + n_telling, label] / counts[n_rows + n_telling + 1, 0]


@kernel
def largest(numbers: Floats) -> Int:
    """Return the place of the largest number, the first of equals."""
    best = 0
    for i in range(1, numbers.size):
        if numbers[i] > numbers[best]:
            best = i
    return best


@typed_kernel(
    f"void({TABLE}, {RULES}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_NUMBERS}, {_GIVEN}, "
    f"{TABLE}, {TABLE}, {_RESULT})"
)
def mix_posteriors(
    values: Floats,
    rule_ints: Rules,
    rule_floats: Floats,
    category_branch: Branches,
    model: Ints,
    nominal: Ints,
    cell_starts: Ints,
    cut_starts: Ints,
    cuts: Floats,
    likelihood: Floats,
    prior: Floats,
    mixture: Floats,
) -> None:
    """Mix the class probabilities that the leaves of each row give it.

    Parameters
    ----------
    values : float64[rows, features]
    rule_ints, rule_floats, category_branch : of a ``Descent``
    model : int64[nodes], which model a leaf goes by
    nominal : int64[features], 1 where cells are categories
    cell_starts, cut_starts : int64[models * features + 1], where the cells and the cuts of each
        attribute of each model begin
    cuts : float64[...]
    likelihood : float64[cells, classes]
    prior : float64[models, classes]
    mixture : float64[rows, classes]
    """
    n_features = nominal.size
    queue, parts = np.empty(rule_ints.shape[0], dtype=np.int64), np.empty(rule_ints.shape[0])
    cells, out = np.empty(n_features, dtype=np.int64), np.empty(prior.shape[1])
    for row in range(values.shape[0]):
        mixture[row] = 0.0
        n_reached = visit(values, row, 0, rule_ints, rule_floats, category_branch, queue, parts)
        for i in range(n_reached):
            if rule_ints[queue[i], N_CHILDREN] > 0:
                continue
            number = model[queue[i]]
            first = number * n_features
            for feature in range(n_features):
                cells[feature] = cell_of(
                    values[row, feature],
                    nominal[feature],
                    cell_starts[first + feature],
                    cuts[cut_starts[first + feature] : cut_starts[first + feature + 1]],
                )
            posterior(cells, n_features, prior[number], likelihood, out)
            for label in range(out.size):
                mixture[row, label] += parts[i] * out[label]


@kernel
def cell_of(value: float, is_category: Int, start: Int, cuts: Floats) -> Int:
    """Return the row of the cell that a value is in, -1 if it is missing."""
    if value != value:
        return MISSING
    if is_category:
        return start + int(value)
    low, high = 0, cuts.size
    while low < high:
        middle = (low + high) // 2
        if value > cuts[middle]:
            low = middle + 1
        else:
            high = middle
    return start + low
