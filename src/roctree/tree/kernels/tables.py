"""Find the best splits of nodes of which only the tables are known: class counts of every bin.

This is the search of the exact engine between bins, and nothing else: where every bin holds one
value, both find the same splits.
"""

from typing import NamedTuple

import numpy as np

from roctree._jit import Branches2D, Floats2D, Floats3D, Ints, Ints2D, kernel, typed_kernel
from roctree.tree.kernels.bins import enter_bins, load_bins
from roctree.tree.kernels.layout import (
    SPLIT_BRANCHES,
    SPLIT_CUT,
    SPLIT_FEATURE,
    SPLIT_GAIN,
    SPLIT_MISSING,
    SPLIT_THRESHOLD,
    SPLIT_UNKNOWN,
)
from roctree.tree.kernels.nominal import EnterCategories
from roctree.tree.kernels.numeric import C45_GAP, weight_of
from roctree.tree.kernels.records import (
    ALL_VALUES,
    Bins,
    BinWork,
    Candidates,
    Features,
    Found,
    Work,
)
from roctree.tree.kernels.rows import middle
from roctree.tree.kernels.scan import Search, choose


class TableColumns(NamedTuple):
    """The attributes, their bins, and the lowest and highest value in each bin."""

    features: Features
    bins: Bins
    lowest: Floats2D
    highest: Floats2D


class TableSearch(NamedTuple):
    """How the best split of a table is found."""

    search: Search
    enter_categories: EnterCategories


class TableWork(NamedTuple):
    """The working memory of the search."""

    work: Work
    bin_work: BinWork


class SplitArrays(NamedTuple):
    """The splits of the nodes of a level."""

    ints: Ints2D
    floats: Floats2D
    branches: Branches2D
    children: Floats3D


@kernel
def merge_close_bins(
    feature: int, n: int, columns: TableColumns, candidates: Candidates, bin_work: BinWork
) -> int:
    """Drop the cuts between bins that C4.5 takes for equal; returns how many remain."""
    lefts, places, filled = candidates.lefts, candidates.places, bin_work.filled
    kept = 1
    for i in range(1, n + 1):
        apart = i == n
        if not apart:
            low = columns.highest[feature, filled[i - 1]]
            apart = low + C45_GAP < columns.lowest[feature, filled[i]]
        if apart:
            places[kept] = places[i]
            for label in range(lefts.shape[1]):
                lefts[kept, label] = lefts[i, label]
            kept += 1
    return kept - 1


@kernel
def threshold_between(feature: int, cut: int, columns: TableColumns, histogram: Floats2D) -> float:
    """The middle of the values beside a cut, or all values where none is on its right."""
    start = columns.bins.start[feature]
    if cut == columns.bins.start[feature + 1] - start - 1:
        return ALL_VALUES
    left = cut - 1
    while weight_of(histogram, start + left) <= 0.0:
        left -= 1
    return middle(columns.highest[feature, left], columns.lowest[feature, cut])


@kernel
def count_children(
    node: int,
    feature: int,
    columns: TableColumns,
    histogram: Floats2D,
    found: Found,
    splits: SplitArrays,
) -> None:
    """Add the bins up that go to each branch; cases that go to all branches are left out."""
    start, missing_bin = columns.bins.start[feature], columns.bins.start[feature + 1] - 1
    for branch in range(found.n_branches[feature]):
        for label in range(histogram.shape[1]):
            splits.children[node, branch, label] = 0.0
    for place in range(start, missing_bin + 1):
        if place == missing_bin:
            side = found.missing_branch[feature]
        elif columns.features.n_categories[feature] > 0:
            side = int(splits.branches[node, place - start])
        else:
            side = 0 if place - start < found.cut[feature] else 1
        if side < 0:
            splits.floats[node, SPLIT_UNKNOWN] += weight_of(histogram, place)
            continue
        for label in range(histogram.shape[1]):
            splits.children[node, side, label] += histogram[place, label]


@kernel
def enter_split(
    node: int,
    feature: int,
    columns: TableColumns,
    histogram: Floats2D,
    found: Found,
    splits: SplitArrays,
) -> None:
    """Write down the split of a node, and count its children."""
    splits.ints[node, SPLIT_FEATURE] = feature
    if feature < 0:
        return
    features, ints, floats = columns.features, splits.ints, splits.floats
    ints[node, SPLIT_BRANCHES] = found.n_branches[feature]
    ints[node, SPLIT_CUT] = found.cut[feature]
    ints[node, SPLIT_MISSING] = found.missing_branch[feature]
    floats[node, SPLIT_GAIN] = found.gain[feature]
    floats[node, SPLIT_UNKNOWN] = 0.0
    floats[node, SPLIT_THRESHOLD] = np.nan
    if features.n_categories[feature] == 0:
        floats[node, SPLIT_THRESHOLD] = threshold_between(
            feature, found.cut[feature], columns, histogram
        )
    for code in range(features.n_categories[feature]):
        splits.branches[node, code] = found.branch_of[features.offset[feature] + code]
    count_children(node, feature, columns, histogram, found, splits)


@typed_kernel
def search_tables(
    begin: int,
    end: int,
    tables: Floats3D,
    slots: Ints,
    columns: TableColumns,
    functions: TableSearch,
    memory: TableWork,
    splits: SplitArrays,
) -> None:
    """Enter the best splits of nodes ``begin:end``, whose tables are in ``slots``."""
    features, search, work = columns.features, functions.search, memory.work
    bin_work, found = memory.bin_work, memory.work.found
    for node in range(begin, end):
        histogram = tables[slots[node]]
        for feature in range(found.n_branches.size):
            found.n_branches[feature] = 0
            n = load_bins(feature, columns.bins, histogram, work.candidates, bin_work)
            if search.rules.c45_minimum and features.n_categories[feature] == 0:
                n = merge_close_bins(feature, n, columns, work.candidates, bin_work)
            enter_bins(feature, n, features, search, functions.enter_categories, work, bin_work)
        feature = choose(features, found, search.rules)
        enter_split(node, feature, columns, histogram, found, splits)
