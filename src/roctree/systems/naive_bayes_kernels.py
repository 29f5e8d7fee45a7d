"""The compiled loops of Naive Bayes: learning by counting, unlearning a fold, and probabilities.

Attributes are cells: intervals of a number, or categories. A cell that a class was never seen in
counts one case, as does every other. Products and sums are made in Weka's order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import (
    Floats2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
    kernel,
    typed_kernel,
)
from roctree.tree.kernels.descent import Paths, Reached, visit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int = Any  # Python's or NumPy's

N_FOLDS = 5
MISSING = -1
# No likelihood is below it, and products below it are scaled up, so that none becomes zero.
LEAST, SCALE = 1e-75, 1e75


@kernel
def posterior(cells: Ints, n: Int, prior: Floats, likelihood: Floats, out: Floats) -> None:
    """Write the class probabilities of a case that is in ``n`` cells, -1 where it is missing."""
    out[:] = prior
    # As long as one product is large enough, the others need not be looked at.
    leader = 0
    for i in range(n):
        if cells[i] == MISSING:
            continue
        for label in range(out.size):
            out[label] *= likelihood[cells[i], label]
        if out[leader] < LEAST:
            leader = largest(out)
            if out[leader] < LEAST:
                for label in range(out.size):
                    out[label] *= SCALE
    total = 0.0
    for label in range(out.size):
        total += out[label]
    for label in range(out.size):
        out[label] /= total


@kernel
def most_probable(rows: Ints, prior: Floats, likelihood: Floats, out: Floats) -> Int:
    """Return the class that ``posterior`` finds the most probable."""
    if out.size != 2:
        posterior(rows, rows.size, prior, likelihood, out)
        return largest(out)
    # The same for two classes, without loops over them.
    first, second = prior[0], prior[1]
    for row in rows:
        if row == MISSING:
            continue
        first *= likelihood[row, 0]
        second *= likelihood[row, 1]
        if first < LEAST and second < LEAST:
            first *= SCALE
            second *= SCALE
    total = first + second
    return int(second / total > first / total)


@kernel
def cross_validated_errors(
    cells: Ints,
    n_cells: Ints,
    members: Ints,
    weights: Floats,
    labels: Ints,
    sequence: Ints,
    n_classes: Int,
    in_parts: bool,
    limit: float,
) -> float:
    """Return the weight of the members that are misclassified when their fold is unlearned.

    The folds are stretches of ``sequence``, the numbers of the members in some order. Sums of parts
    of cases depend on their order: those of an attribute are then made as Weka makes them. No
    fold is looked at once the errors are beyond the limit.
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
    for i in range(n_telling):
        for j in range(members.size):
            cell = cells[telling[i], sequence[j]]
            row_of[j, i] = MISSING if cell == MISSING else starts[i] + cell
    ls, ws = labels[members[sequence]], weights[sequence]
    learn(counts, row_of, n_rows, ls, ws, in_parts)
    prior, out = np.empty(n_classes), np.empty(n_classes)
    likelihood = np.empty((n_rows, n_classes))
    errors = 0.0
    for fold in range(N_FOLDS):
        begin = fold * (members.size // N_FOLDS) + min(fold, members.size % N_FOLDS)
        end = begin + members.size // N_FOLDS + int(fold < members.size % N_FOLDS)
        others = counts.copy()
        learn(others, row_of[begin:end], n_rows, ls[begin:end], -ws[begin:end], in_parts)
        if not in_parts:
            add_up(others, starts, n_telling)
        estimate(others, starts, n_telling, likelihood, prior)
        for j in range(begin, end):
            if most_probable(row_of[j], prior, likelihood, out) != ls[j]:
                errors += ws[j]
        if errors > limit:
            break
    return errors


@kernel
def learn(
    counts: Floats, row_of: Ints, n_rows: Int, labels: Ints, weights: Floats, in_parts: bool
) -> None:
    """Add cases to the counts of cells, attributes and classes; negative weights unlearn them."""
    n_telling = row_of.shape[1]
    for j in range(labels.size):
        label, weight = labels[j], weights[j]
        for i in range(n_telling):
            row = row_of[j, i]
            if row != MISSING:
                counts[row, label] += weight
                if in_parts:
                    counts[n_rows + i, label] += weight
        counts[n_rows + n_telling, label] += weight
        counts[n_rows + n_telling + 1, 0] += weight


@kernel
def add_up(counts: Floats, starts: Ints, n_telling: Int) -> None:
    """Count the cases of each attribute by those of its cells, which are whole numbers."""
    n_rows = starts[n_telling]
    for i in range(n_telling):
        counts[n_rows + i] = 0.0
        for row in range(starts[i], starts[i + 1]):
            counts[n_rows + i] += counts[row]


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


@typed_kernel(allocates=True)
def mix_posteriors(
    values: ReadonlyFloats2D,
    paths: Paths,
    model: ReadonlyInts,
    nominal: ReadonlyInts,
    cell_starts: ReadonlyInts,
    cut_starts: ReadonlyInts,
    cuts: ReadonlyFloats,
    likelihood: ReadonlyFloats2D,
    prior: ReadonlyFloats2D,
    mixture: Floats2D,
) -> None:
    """Mix the class probabilities that the leaves of each row give it.

    Parameters
    ----------
    values : float64[rows, features]
    paths : the nodes of the tree
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
    n_nodes = paths.rules.size
    queue, parts = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes)
    reached = Reached(queue, parts)
    cells, out = np.empty(n_features, dtype=np.int64), np.empty(prior.shape[1])
    for row in range(values.shape[0]):
        mixture[row] = 0.0
        n_reached = visit(values, row, 0, paths, reached)
        for i in range(n_reached):
            if paths.rules[queue[i]].n_children > 0:
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
