"""Kernels of growth from tables: code cells, count tables, search them, assign rows to children.

The table of a node holds the class counts of every bin of every attribute. ``code_bins`` codes
values by their bins; ``count_tables`` adds rows to tables; ``search_tables`` finds the best split
of each table; ``find_branches`` and ``move_rows`` send the rows of a shard to the children.

The search is that of the exact engine between bins: where every bin holds one value, both find the
same splits.
"""

from typing import NamedTuple

import numpy as np

from roctree._jit import kernel, typed_kernel, variant
from roctree.arrays import (
    AnyFloats2D,
    Branches,
    Branches2D,
    Bytes2D,
    Codes2D,
    Floats,
    Floats2D,
    Floats3D,
    Ints,
    Places,
    ReadonlyBranches2D,
    ReadonlyBytes2D,
    ReadonlyCodes2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
    ReadonlyPlaces,
)
from roctree.tree.kernels.bins import enter_bins, load_bins
from roctree.tree.kernels.coding import BIN_SLOTS, BLOCK, CellBlock, find_bins
from roctree.tree.kernels.divide import share_out
from roctree.tree.kernels.nominal import EnterCategories
from roctree.tree.kernels.numeric import C45_GAP, weight_of
from roctree.tree.kernels.records import (
    BestSplits,
    Bins,
    BinScratch,
    Candidates,
    Features,
    SearchScratch,
)
from roctree.tree.kernels.rows import midpoint
from roctree.tree.kernels.scan import Search, best_feature
from roctree.tree.tree import IS_PRESENT

# --- Code cells ---


class BinEnds(NamedTuple):
    """Bin b of a column holds the values up to ``ends[column, b]``; ends are padded with infinity.

    ``missing_code`` is the code of a missing value of each column.
    """

    ends: ReadonlyFloats2D
    missing_code: ReadonlyInts


class Bounds(NamedTuple):
    """Lowest and highest value in each bin, float64[features, bins]; infinite if it is empty."""

    lowest: Floats2D
    highest: Floats2D

    @classmethod
    def empty(cls, n_features: int) -> "Bounds":
        """Return the bounds of bins without values."""
        shape = (n_features, BIN_SLOTS)
        return cls(np.full(shape, np.inf), np.full(shape, -np.inf))

    def merged(self, other: "Bounds") -> "Bounds":
        """Return the bounds of the bins of both parts of the data."""
        lowest = np.minimum(self.lowest, other.lowest)
        return Bounds(lowest, np.maximum(self.highest, other.highest))

    @property
    def values(self) -> Floats2D:
        """The values known to occur, one column per attribute, padded with NaN."""
        known = np.concatenate([self.lowest, self.highest], axis=1).T
        return np.where(np.isinf(known), np.nan, known)


def code_bins(
    begin: int,
    end: int,
    features: Ints,
    values: AnyFloats2D,
    bins: BinEnds,
    codes: Bytes2D,
    bounds: Bounds,
    block: CellBlock,
) -> None:
    """Code rows ``begin:end`` of some columns by their bins, and update the bounds of these."""
    column, places = block.column, block.places
    for start in range(begin, end, BLOCK):
        n = min(BLOCK, end - start)
        for feature in features:
            find_bins(start, n, feature, values, bins.ends, block)
            for i in range(n):
                value, place = column[i], places[i]
                if value != value:
                    codes[start + i, feature] = bins.missing_code[feature]
                    continue
                codes[start + i, feature] = place
                if value < bounds.lowest[feature, place]:
                    bounds.lowest[feature, place] = value
                if value > bounds.highest[feature, place]:
                    bounds.highest[feature, place] = value


# Codes of one byte each, and of two.
code_bins_bytes = variant("code_bins_bytes", code_bins, codes=Bytes2D)
code_bins_words = variant("code_bins_words", code_bins, codes=Codes2D)


# --- Count tables ---


class NodeRows(NamedTuple):
    """The rows of a shard, node by node of a level.

    Attributes
    ----------
    rows : uint32[entries]
        Rows in increasing order within each node; a divided row occurs in several nodes.
    weights : float64[entries]
        The part of its weight that each row has there; empty if all are one.
    starts : int64[nodes + 1]
        Where the rows of each node begin.
    counts : float64[nodes, classes]
        Class counts, known if weights are listed.
    """

    rows: ReadonlyPlaces
    weights: ReadonlyFloats
    starts: ReadonlyInts
    counts: ReadonlyFloats2D


def count_tables(
    first_bin: ReadonlyInts,
    nodes: ReadonlyInts,
    node_rows: NodeRows,
    codes: ReadonlyBytes2D,
    labels: ReadonlyPlaces,
    tables: Floats3D,
) -> None:
    """Add the rows of some nodes to their tables, those of the first node to the first table."""
    rows, weights, starts = node_rows.rows, node_rows.weights, node_rows.starts
    weighted = weights.size > 0
    for slot in range(nodes.size):
        table = tables[slot]
        for i in range(starts[nodes[slot]], starts[nodes[slot] + 1]):
            row = rows[i]
            label = labels[row]
            weight = weights[i] if weighted else 1.0
            for feature in range(codes.shape[1]):
                table[first_bin[feature] + codes[row, feature], label] += weight


count_tables_bytes = variant("count_tables_bytes", count_tables, codes=ReadonlyBytes2D)
count_tables_words = variant("count_tables_words", count_tables, codes=ReadonlyCodes2D)


# --- Search tables ---


class TableColumns(NamedTuple):
    """The attributes, their bins, and the lowest and highest value in each bin."""

    features: Features
    bins: Bins
    bounds: Bounds


class TableSearch(NamedTuple):
    """How the best split of a table is found."""

    search: Search
    enter_categories: EnterCategories


class TableScratch(NamedTuple):
    """The scratch memory of the search."""

    work: SearchScratch
    bin_work: BinScratch


class LevelSplits(NamedTuple):
    """The best splits of nodes of a level.

    Attributes
    ----------
    feature : int64[nodes]
        -1 for a node without a split.
    n_branches : int64[nodes]
    cut : int64[nodes]
        First code to the right of a numeric split.
    missing_branch : int64[nodes]
    gain, threshold : float64[nodes]
    unknown : float64[nodes]
        Weight of the cases that go to all branches.
    category_branch : int16[nodes, codes]
    counts : float64[nodes, branches, classes]
        Class counts of the children, without the cases that go to all branches.
    """

    feature: Ints
    n_branches: Ints
    cut: Ints
    missing_branch: Ints
    gain: Floats
    threshold: Floats
    unknown: Floats
    category_branch: Branches2D
    counts: Floats3D

    @classmethod
    def empty(cls, n_nodes: int, most_branches: int, n_classes: int) -> "LevelSplits":
        """Allocate the splits of this many nodes."""
        feature, n_branches, cut, missing_branch = np.zeros((4, n_nodes), np.int64)
        gain, threshold, unknown = np.zeros((3, n_nodes))
        return cls(
            feature=feature,
            n_branches=n_branches,
            cut=cut,
            missing_branch=missing_branch,
            gain=gain,
            threshold=threshold,
            unknown=unknown,
            category_branch=np.full((n_nodes, most_branches), -1, np.int16),
            counts=np.zeros((n_nodes, most_branches, n_classes)),
        )

    @classmethod
    def concatenated(cls, parts: list["LevelSplits"]) -> "LevelSplits":
        """Return the splits of several groups of nodes."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def only(self, chosen: np.ndarray) -> "LevelSplits":
        """Return the splits of some of the nodes, by a mask."""
        return LevelSplits(*(array[chosen] for array in self))

    @property
    def is_split(self) -> np.ndarray:
        """Whether each node has a split."""
        return np.asarray(self.feature >= 0)

    @property
    def divides_cases(self) -> bool:
        """Whether some cases go to all branches."""
        return bool((self.unknown > 0.0).any())

    @property
    def child_counts(self) -> np.ndarray:
        """Class counts of all children, one node after another."""
        branch = np.arange(self.counts.shape[1])
        return self.counts[branch < self.n_branches[:, None]]


@kernel
def merge_close_bins(
    feature: int, n: int, columns: TableColumns, candidates: Candidates, bin_work: BinScratch
) -> int:
    """Drop cuts between bins that C4.5 treats as equal; return how many remain."""
    lefts, places, filled = candidates.lefts, candidates.places, bin_work.filled
    kept = 1
    for i in range(1, n + 1):
        apart = i == n
        if not apart:
            low = columns.bounds.highest[feature, filled[i - 1]]
            apart = low + C45_GAP < columns.bounds.lowest[feature, filled[i]]
        if apart:
            places[kept] = places[i]
            for label in range(lefts.shape[1]):
                lefts[kept, label] = lefts[i, label]
            kept += 1
    return kept - 1


@kernel
def threshold_between(feature: int, cut: int, columns: TableColumns, histogram: Floats2D) -> float:
    """Return the midpoint of the values beside a cut; ``IS_PRESENT`` if none is on its right."""
    start = columns.bins.start[feature]
    if cut == columns.bins.start[feature + 1] - start - 1:
        return IS_PRESENT
    left = cut - 1
    while weight_of(histogram, start + left) <= 0.0:
        left -= 1
    return midpoint(columns.bounds.highest[feature, left], columns.bounds.lowest[feature, cut])


@kernel
def count_children(
    node: int,
    feature: int,
    columns: TableColumns,
    histogram: Floats2D,
    found: BestSplits,
    splits: LevelSplits,
) -> None:
    """Sum the bins of each branch; cases that go to all branches are left out."""
    start, missing_bin = columns.bins.start[feature], columns.bins.start[feature + 1] - 1
    for branch in range(found.n_branches[feature]):
        for label in range(histogram.shape[1]):
            splits.counts[node, branch, label] = 0.0
    for place in range(start, missing_bin + 1):
        if place == missing_bin:
            side = found.missing_branch[feature]
        elif columns.features.n_categories[feature] > 0:
            side = int(splits.category_branch[node, place - start])
        else:
            side = 0 if place - start < found.cut[feature] else 1
        if side < 0:
            splits.unknown[node] += weight_of(histogram, place)
            continue
        for label in range(histogram.shape[1]):
            splits.counts[node, side, label] += histogram[place, label]


@kernel
def enter_split(
    node: int,
    feature: int,
    columns: TableColumns,
    histogram: Floats2D,
    found: BestSplits,
    splits: LevelSplits,
) -> None:
    """Enter the split of a node, and count its children."""
    splits.feature[node] = feature
    if feature < 0:
        return
    features = columns.features
    splits.n_branches[node] = found.n_branches[feature]
    splits.cut[node] = found.cut[feature]
    splits.missing_branch[node] = found.missing_branch[feature]
    splits.gain[node] = found.gain[feature]
    splits.unknown[node] = 0.0
    splits.threshold[node] = np.nan
    if features.n_categories[feature] == 0:
        splits.threshold[node] = threshold_between(feature, found.cut[feature], columns, histogram)
    for code in range(features.n_categories[feature]):
        splits.category_branch[node, code] = found.branch_of[features.offset[feature] + code]
    count_children(node, feature, columns, histogram, found, splits)


@typed_kernel
def search_tables(
    begin: int,
    end: int,
    tables: Floats3D,
    slots: Ints,
    columns: TableColumns,
    functions: TableSearch,
    memory: TableScratch,
    splits: LevelSplits,
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
        feature = best_feature(features, found, search.rules)
        enter_split(node, feature, columns, histogram, found, splits)


# --- Send rows to children ---


class ShardSplits(NamedTuple):
    """How some nodes of a level are split, in the form that a shard needs.

    Attributes
    ----------
    nodes : int64[splits]
        Numbers of the nodes in their level, increasing.
    first_child : int64[splits]
        Number of the first child of each in the next level.
    n_branches, feature, cut, missing_branch, category_branch
        As in ``LevelSplits``.
    branch_weight : float64[splits, branches]
        Weight of the cases with a known branch.
    quantum : float
        Unit of the grid that weights lie on.
    divides_cases : bool
        Whether some cases go to all branches.
    """

    nodes: ReadonlyInts
    first_child: ReadonlyInts
    n_branches: ReadonlyInts
    feature: ReadonlyInts
    cut: ReadonlyInts
    missing_branch: ReadonlyInts
    category_branch: ReadonlyBranches2D
    branch_weight: ReadonlyFloats2D
    quantum: float
    divides_cases: bool

    @classmethod
    def from_level(cls, nodes: np.ndarray, splits: LevelSplits, quantum: float) -> "ShardSplits":
        """Return the splits of these nodes, all of which are split."""
        return cls(
            nodes=nodes,
            first_child=np.cumsum(splits.n_branches) - splits.n_branches,
            n_branches=splits.n_branches,
            feature=splits.feature,
            cut=splits.cut,
            missing_branch=splits.missing_branch,
            category_branch=splits.category_branch,
            branch_weight=splits.counts.sum(axis=2),
            quantum=quantum,
            divides_cases=splits.divides_cases,
        )

    @property
    def n_children(self) -> int:
        """The number of nodes of the next level."""
        return int(self.n_branches.sum())


class MovedRows(NamedTuple):
    """Memory for the rows of the next level.

    Attributes
    ----------
    rows, weights, counts
        As in ``NodeRows``.
    cursors : int64[nodes]
        Where the next row of each node goes.
    shares : float64[branches]
        How the weight of a row is shared among the branches.
    """

    rows: Places
    weights: Floats
    counts: Floats2D
    cursors: Ints
    shares: Floats


def find_branches(
    n_categories: ReadonlyInts,
    first_bin: ReadonlyInts,
    splits: ShardSplits,
    node_rows: NodeRows,
    codes: ReadonlyBytes2D,
    branches: Branches,
    sizes: Ints,
) -> None:
    """Find the branch of each row of the split nodes, -1 for all of them; count the children."""
    rows, starts = node_rows.rows, node_rows.starts
    for split in range(splits.nodes.size):
        feature, first = splits.feature[split], splits.first_child[split]
        cut, is_nominal = splits.cut[split], n_categories[feature] > 0
        missing = first_bin[feature + 1] - first_bin[feature] - 1
        for i in range(starts[splits.nodes[split]], starts[splits.nodes[split] + 1]):
            code = int(codes[rows[i], feature])
            if code == missing:
                branch = splits.missing_branch[split]
            elif is_nominal:
                branch = int(splits.category_branch[split, code])
            else:
                branch = 0 if code < cut else 1
            branches[i] = branch
            if branch >= 0:
                sizes[first + branch] += 1
                continue
            for each in range(splits.n_branches[split]):
                if splits.branch_weight[split, each] > 0.0:
                    sizes[first + each] += 1


find_branches_bytes = variant("find_branches_bytes", find_branches, codes=ReadonlyBytes2D)
find_branches_words = variant("find_branches_words", find_branches, codes=ReadonlyCodes2D)


@typed_kernel
def move_rows(
    splits: ShardSplits,
    node_rows: NodeRows,
    labels: ReadonlyPlaces,
    branches: Branches,
    to: MovedRows,
) -> None:
    """List the rows by children; if weights are listed, count the classes of the children too."""
    rows, weights, starts = node_rows.rows, node_rows.weights, node_rows.starts
    weighted = to.weights.size > 0
    for split in range(splits.nodes.size):
        n_branches, first = splits.n_branches[split], splits.first_child[split]
        branch_weight = splits.branch_weight[split]
        for i in range(starts[splits.nodes[split]], starts[splits.nodes[split] + 1]):
            weight = weights[i] if weights.size > 0 else 1.0
            branch = int(branches[i])
            if branch >= 0:
                target = to.cursors[first + branch]
                to.rows[target] = rows[i]
                to.cursors[first + branch] = target + 1
                if weighted:
                    to.weights[target] = weight
                    to.counts[first + branch, labels[rows[i]]] += weight
                continue
            share_out(weight, n_branches, splits.quantum, branch_weight, to.shares)
            for each in range(n_branches):
                if branch_weight[each] > 0.0:
                    target = to.cursors[first + each]
                    to.rows[target], to.weights[target] = rows[i], to.shares[each]
                    to.counts[first + each, labels[rows[i]]] += to.shares[each]
                    to.cursors[first + each] = target + 1
