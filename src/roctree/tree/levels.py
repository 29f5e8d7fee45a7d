"""Growth from bins, for rows in memory and elsewhere.

Rows in memory are coded once, and the tree grows to the leaves as in a search over all values, with
each bin as one value. Rows elsewhere are represented by tables only, and the tree grows level by
level: the best split of every node is found centrally from its table; the shards assign their rows
to the children and count the tables of some of them. The heaviest child of a node is not counted:
its table is that of its parent minus those of its siblings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from roctree._jit import choose, compiled
from roctree.arrays import Bools, Floats, Ints, in_threads, row_parts
from roctree.data.dataset import Dataset
from roctree.tree.bins import MAX_BINS, Edges, binned_columns, learn_edges
from roctree.tree.columns import Columns
from roctree.tree.growth import (
    BinnedKernels,
    GrowthRules,
    SortedKernels,
    as_tree,
    check_score,
    class_counts,
    coded_rows,
    count_codes,
    drop_zero_weight,
    pick_search,
    refuse_many_branches,
    scorers,
    set_shrinkage,
    splittable,
    weight_grid,
)
from roctree.tree.kernels.nominal import enter_categories, no_categories
from roctree.tree.kernels.records import KernelRules
from roctree.tree.kernels.tables import (
    Bounds,
    LevelSplits,
    MovedRows,
    NodeRows,
    ShardSplits,
    TableColumns,
    TableScratch,
    TableSearch,
    count_tables_bytes,
    count_tables_words,
    find_branches_bytes,
    find_branches_words,
    move_rows,
    search_tables,
)
from roctree.tree.subtrees import Workspace
from roctree.tree.tree import NO_BRANCH, Tree

# --- Shards ---
#
# Shards of coded rows return tables: the class counts of the bins of nodes. Tables of shards add up
# to the table of all rows. Sums of weights are exact, so neither the division into shards nor the
# order of their results matters.

# Maximum rows of a shard: control returns to Python after each, so that Ctrl-C works.
SHARD_ROWS = 1 << 20
# With fewer nodes per thread, threads divide the rows rather than the nodes.
_FEW_NODES = 8


@dataclass(frozen=True)
class Shard:
    """Some rows: their codes, labels and weights; the weights are empty if all are one."""

    codes: NDArray[Any]
    labels: NDArray[np.uint32]
    weights: Floats

    def __sizeof__(self) -> int:
        """Return the size of the arrays in bytes, by which schedulers decide where to run tasks."""
        return sum(each.nbytes for each in (self.codes, self.labels, self.weights))

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def divided(self, n_parts: int) -> list["Shard"]:
        """Return the rows divided evenly into shards."""
        ends = np.linspace(0, self.size, n_parts + 1).astype(np.int64)
        return [
            Shard(self.codes[begin:end], self.labels[begin:end], self.weights[begin:end])
            for begin, end in pairwise(ends)
        ]

    def start(self) -> NodeRows:
        """Return all rows in the root."""
        rows = np.arange(self.size, dtype=np.uint32)
        return NodeRows(rows, self.weights, np.array([0, self.size]), np.empty((0, 0)))

    def count(self, node_rows: NodeRows, columns: Columns, nodes: Ints, tables: Floats) -> None:
        """Add the rows of some nodes to their tables."""
        # The time of all levels, so that all of them use the same form of the kernel.
        microseconds = 20 * self.codes.size
        add = count_tables_bytes if self.codes.dtype == np.uint8 else count_tables_words
        run = compiled(add, microseconds)
        run(columns.bins.start, nodes, node_rows, self.codes, self.labels, tables)

    def divide(
        self, node_rows: NodeRows, columns: Columns, splits: ShardSplits, n_classes: int
    ) -> NodeRows:
        """Return the rows by the children of the nodes that are split."""
        microseconds = 20 * self.codes.size
        find = find_branches_bytes if self.codes.dtype == np.uint8 else find_branches_words
        branches = np.empty(node_rows.rows.size, np.int16)
        sizes = np.zeros(splits.n_children, np.int64)
        compiled(find, microseconds)(
            columns.features.n_categories,
            columns.bins.start,
            splits,
            node_rows,
            self.codes,
            branches,
            sizes,
        )
        starts = np.concatenate([[0], np.cumsum(sizes)])
        weighted = splits.divides_cases or node_rows.weights.size > 0
        moved = MovedRows(
            rows=np.empty(starts[-1], np.uint32),
            weights=np.empty(starts[-1] if weighted else 0),
            counts=np.zeros((splits.n_children if weighted else 0, n_classes)),
            cursors=starts[:-1].copy(),
            shares=np.empty(splits.branch_weight.shape[1]),
        )
        compiled(move_rows, microseconds)(splits, node_rows, self.labels, branches, moved)
        return NodeRows(moved.rows, moved.weights, starts, moved.counts)


def omit_unit_weights(weights: Floats) -> Floats:
    """Return the weights, or an empty array if all of them are one."""
    return np.empty(0) if (weights == 1.0).all() else weights


class Shards(Protocol):
    """The interface between growth and the rows, wherever they are stored."""

    def count(self, nodes: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, in an array of ``n_tables`` tables."""

    def divide(self, splits: ShardSplits) -> None:
        """Send the rows to the next level."""

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases were divided."""


class LocalShards:
    """Shards of this process, counted by several threads."""

    def __init__(
        self, parts: Sequence[Shard], columns: Columns, n_classes: int, n_threads: int = 1
    ) -> None:
        self.parts, self.columns = parts, columns
        self.n_classes, self.n_threads = n_classes, n_threads
        self.node_rows = [part.start() for part in parts]

    def count(self, nodes: Ints, n_tables: int) -> Floats:
        """Return the tables of some nodes of the level, in an array of ``n_tables`` tables."""
        n_bins = int(self.columns.bins.start[-1])
        tables = np.zeros((n_tables, n_bins, self.n_classes))
        if nodes.size >= _FEW_NODES * self.n_threads:
            groups = np.array_split(np.arange(nodes.size), self.n_threads)
            in_threads(
                self.n_threads,
                lambda own: self._add(nodes[own], tables[own[0] : own[-1] + 1]),
                groups,
            )
            return tables
        own_tables = [tables[: nodes.size]]
        own_tables += [np.zeros_like(own_tables[0]) for _ in range(1, self.n_threads)]
        in_threads(
            self.n_threads,
            lambda own: self._add(nodes, own_tables[own], own),
            range(self.n_threads),
        )
        for other in own_tables[1:]:
            own_tables[0] += other
        return tables

    def divide(self, splits: ShardSplits) -> None:
        """Send the rows to the next level."""

        def divide_part(number: int) -> None:
            part, node_rows = self.parts[number], self.node_rows[number]
            self.node_rows[number] = part.divide(node_rows, self.columns, splits, self.n_classes)

        in_threads(self.n_threads, divide_part, range(len(self.parts)))

    def totals(self) -> Floats:
        """Return the class counts of the nodes of the level, after cases were divided."""
        return np.asarray(np.sum([node_rows.counts for node_rows in self.node_rows], axis=0))

    def _add(self, nodes: Ints, tables: Floats, thread: int | None = None) -> None:
        """Add the rows of all parts to some tables, or those of the parts of one thread."""
        chosen = slice(None) if thread is None else slice(thread, None, self.n_threads)
        for part, node_rows in zip(self.parts[chosen], self.node_rows[chosen], strict=True):
            part.count(node_rows, self.columns, nodes, tables)


# Called after each level with the number of finished levels.
LevelCallback = Callable[[int], object]

# Memory limit for all tables of a level, in bytes; wider levels are counted in groups of nodes.
_MAX_TABLE_BYTES = 1 << 27


@dataclass(frozen=True)
class Binned:
    """Binned data, in memory or elsewhere.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    edges : Edges
        The bins of the columns.
    bounds : Bounds
        The lowest and highest value in each bin.
    has_missing : bool[features]
        Whether a column has missing values.
    counts : float64[classes]
        Weight of each class.
    quantum : float
        Unit of the grid that weights lie on.
    shards : callable
        Returns the rows, all in the root, for the given columns.
    """

    names: tuple[str, ...]
    edges: Edges
    bounds: Bounds
    has_missing: Bools
    counts: Floats
    quantum: float
    shards: Callable[[Columns], Shards]

    def grow(
        self,
        rules: GrowthRules,
        n_threads: int = 1,
        finished: LevelCallback = lambda n_levels: None,
    ) -> Tree:
        """Return the tree of all rows; ``finished`` is called after each level."""
        columns = binned_columns(
            self.edges, self.bounds, self.has_missing, float(self.counts.sum()), rules
        )
        refuse_many_branches(columns, self.names, rules)
        if not splittable(self.counts, rules):
            return Tree.single_leaf(self.counts)
        check_score(self.counts, rules)
        return self._grow_root(columns, rules, n_threads, finished)

    def _grow_root(
        self, columns: Columns, rules: GrowthRules, n_threads: int, finished: LevelCallback
    ) -> Tree:
        search = LevelSearch(
            columns, self.bounds, rules, self.quantum, float(self.counts.sum()), n_threads
        )
        kernel_rules = rules.kernel_rules(self.quantum)
        return grow_levels(self.shards(columns), search, kernel_rules, self.counts, finished)


@dataclass(frozen=True)
class BinnedRows(Binned):
    """Binned data in memory: ``rows`` are all rows."""

    rows: Shard

    def _grow_root(
        self, columns: Columns, rules: GrowthRules, n_threads: int, finished: LevelCallback
    ) -> Tree:
        if rules.c45_numeric_minimum:
            # C4.5 compares values in different bins, which only the search of tables implements.
            return super()._grow_root(columns, rules, n_threads, finished)
        rows = self.rows
        unknown = bool((self.has_missing & ~columns.own_code).any())
        kernels = BinnedKernels.choose(rules, columns, unknown=unknown)
        weights = rows.weights.copy() if rows.weights.size else np.ones(rows.size)
        set_shrinkage(
            columns,
            rules,
            lambda each: count_codes(columns, each, rows.codes[:, each], rows.labels, weights),
        )
        codes = np.empty(rows.codes.shape, np.uint16)

        def widen(part: slice) -> None:
            codes[part] = rows.codes[part]

        in_threads(n_threads, widen, row_parts(rows.size, n_threads))
        coded = coded_rows(codes, rows.labels, weights)
        space = Workspace(columns, self.counts.size)
        space.start(self.counts)
        kernels.grow(columns, coded, rules, self.quantum, space, n_threads)
        return as_tree(space, columns)


def bin_dataset(dataset: Dataset, max_bins: int = MAX_BINS, n_threads: int = 1) -> BinnedRows:
    """Return the rows of a data set that have weight, in bins."""
    values, labels, weights = drop_zero_weight(dataset.values, dataset.labels, dataset.weights)
    schema = dataset.schema
    given = None if (weights == 1.0).all() else weights
    edges = learn_edges(values, schema.n_categories, schema.names, max_bins, given, n_threads)
    weights, quantum = weight_grid(weights, n_threads)
    # Very small weights may be rounded to zero next to very large ones.
    values, labels, weights = drop_zero_weight(values, labels, weights)
    counts = class_counts(labels, weights, schema.n_classes, n_threads)
    codes, bounds = edges.code(values, n_threads)
    rows = Shard(codes, labels.astype(np.uint32), omit_unit_weights(weights))
    parts = rows.divided(n_threads * -(-rows.size // (n_threads * SHARD_ROWS)))
    return BinnedRows(
        names=schema.names,
        edges=edges,
        bounds=bounds,
        has_missing=edges.has_missing(codes, n_threads),
        counts=counts,
        quantum=quantum,
        shards=lambda columns: LocalShards(parts, columns, counts.size, n_threads),
        rows=rows,
    )


class LevelSearch:
    """The search for the best splits of nodes with known tables, by several threads."""

    def __init__(
        self,
        columns: Columns,
        bounds: Bounds,
        rules: GrowthRules,
        quantum: float,
        weight: float,
        n_threads: int,
    ) -> None:
        scan = SortedKernels.choose(rules, columns, shares=False, many=True).scan
        categories = enter_categories if columns.n_codes > 0 else no_categories
        # A node has about ten cases, and all bins are searched at each node.
        microseconds = 0.2 * weight * float(columns.bins.start[-1])
        pick = choose(microseconds, scan, categories, search_tables, *scorers(rules))
        search = pick_search(pick, rules, quantum, scan)
        self.columns, self.n_threads = columns, n_threads
        self._rules = rules
        self._columns = TableColumns(columns.features, columns.bins, bounds)
        self._run = pick(search_tables)
        self._functions = TableSearch(search, pick(categories))
        self._spaces = [Workspace(columns, rules.class_weight.size) for _ in range(n_threads)]
        for space in self._spaces:
            space.make_bins(columns)

    def start(self, table: Floats) -> None:
        """Estimate the shrinkage of categories from the table of the root."""
        start = self.columns.bins.start
        set_shrinkage(self.columns, self._rules, lambda each: table[start[each] : start[each + 1]])

    def __call__(self, tables: Floats, slots: Ints) -> LevelSplits:
        """Return the best splits of the nodes whose tables are in these slots."""
        space = self._spaces[0]
        found = LevelSplits.empty(slots.size, space.widest, space.n_classes)
        n_threads = min(self.n_threads, slots.size)
        ends = np.linspace(0, slots.size, n_threads + 1).astype(np.int64)

        def search_part(part: int) -> None:
            work = TableScratch(self._spaces[part].work, self._spaces[part].bin_work)
            nodes = ends[part], ends[part + 1]
            self._run(*nodes, tables, slots, self._columns, self._functions, work, found)

        in_threads(n_threads, search_part, range(n_threads))
        return found


@dataclass(frozen=True)
class Level:
    """The nodes of a depth.

    Parameters
    ----------
    counts : float64[nodes, classes]
    split : int64[splits]
        The nodes that are split.
    splits : LevelSplits
        How they are split.
    children : float64[children, classes]
        Class counts of their children.
    """

    counts: Floats
    split: Ints
    splits: LevelSplits
    children: Floats

    @property
    def parent(self) -> Ints:
        """The number of the parent of each child, among the nodes that are split."""
        return np.repeat(np.arange(self.split.size), self.splits.n_branches)

    def per_node(self, values: NDArray[Any], otherwise: float) -> NDArray[Any]:
        """Return the values of the nodes that are split, and another value for the rest."""
        each = np.full(len(self.counts), otherwise, values.dtype)
        each[self.split] = values
        return each


def grow_levels(
    shards: Shards,
    search: LevelSearch,
    rules: KernelRules,
    counts: Floats,
    finished: LevelCallback = lambda n_levels: None,
) -> Tree:
    """Grow the tree of all rows from a root that may be split.

    Parameters
    ----------
    shards : Shards
        The rows.
    search : LevelSearch
        Finds the best splits of tables.
    rules : KernelRules
        Limits of growth and treatment of missing values.
    counts : float64[classes]
        Class counts of all rows.
    finished : callable
        Called after each level with the number of levels.
    """
    n_bins = int(search.columns.bins.start[-1])
    most = max(1, _MAX_TABLE_BYTES // (8 * n_bins * counts.size))
    levels: list[Level] = []
    nodes, may_split, parents = counts[None], np.ones(1, bool), None
    while may_split.any():
        found = []
        for group in _tables_of_level(shards, may_split, parents, most, search.n_threads):
            if not levels:
                search.start(group.tables[0])
            found.append(search(group.tables, group.slots))
        level = _split_level(
            shards, nodes, may_split, LevelSplits.concatenated(found), rules.quantum
        )
        levels.append(level)
        finished(len(levels))
        may_split = _may_be_split(level.children, len(levels), rules)
        if may_split.any() and not level.splits.divides_cases:
            shards.divide(ShardSplits.from_level(level.split, level.splits, rules.quantum))
        parents = None
        if len(found) == 1 and may_split.any():
            # The only group has the tables of all nodes that may split.
            slots = group.slots[found[0].is_split]
            parents = _Parents(group.tables, slots, level.parent, level.children.sum(axis=1))
        nodes = level.children
    none = found[-1].only(np.zeros(found[-1].feature.size, bool))
    levels.append(Level(nodes, np.empty(0, np.int64), none, nodes[:0]))
    return _tree_of_levels(levels, search.columns, rules)


def _may_be_split(counts: Floats, depth: int, rules: KernelRules) -> Bools:
    """Return whether each node of a level is impure, large and shallow enough to be split."""
    smallest = max(rules.min_split, 2.0 * rules.min_leaf)
    n_present = np.count_nonzero(counts * rules.class_weight > 0.0, axis=1)
    allowed = (n_present > 1) & (counts.sum(axis=1) >= smallest)
    return np.asarray(allowed & (depth < rules.max_depth))


def _split_level(
    shards: Shards, nodes: Floats, may_split: Bools, found: LevelSplits, quantum: float
) -> Level:
    """Return the level with its children counted; only the rows know how cases were divided."""
    split, splits = np.flatnonzero(may_split)[found.is_split], found.only(found.is_split)
    if not splits.divides_cases:
        return Level(nodes, split, splits, splits.child_counts)
    shards.divide(ShardSplits.from_level(split, splits, quantum))
    return Level(nodes, split, splits, shards.totals())


# --- Tables of a level ---


class _LevelTables(NamedTuple):
    """The tables of some nodes of a level, and where each of them is."""

    tables: Floats
    slots: Ints


@dataclass(frozen=True)
class _Parents:
    """The tables of the nodes above a level, and where the nodes of the level come from.

    Parameters
    ----------
    tables : float64[slots, bins, classes]
    slots : int64[parents]
        Where the table of each parent is.
    parent : int64[nodes]
        The parent of each node of the level.
    weights : float64[nodes]
    """

    tables: Floats
    slots: Ints
    parent: Ints
    weights: Floats

    def children_by_subtraction(self, may_split: Bools) -> Ints:
        """Return the nodes to compute by subtraction: of each parent, the heaviest that may split.

        Siblings that may not are counted only for this, so together they must weigh less.
        """
        candidates = np.flatnonzero(may_split)
        order = np.lexsort((candidates, -self.weights[candidates], self.parent[candidates]))
        parents, first = np.unique(self.parent[candidates[order]], return_index=True)
        heaviest = candidates[order][first]
        unsplit = np.bincount(self.parent, np.where(may_split, 0.0, self.weights), self.slots.size)
        return np.asarray(heaviest[self.weights[heaviest] > unsplit[parents]])


def _tables_of_level(
    shards: Shards, may_split: Bools, parents: _Parents | None, most: int, n_threads: int
) -> Iterator[_LevelTables]:
    """Yield the tables of the nodes of a level that may split, in groups of at most ``most``."""
    nodes = np.flatnonzero(may_split)
    if parents is not None:
        subtracted = parents.children_by_subtraction(may_split)
        has_subtracted = np.zeros(parents.slots.size, bool)
        has_subtracted[parents.parent[subtracted]] = True
        needed = has_subtracted[parents.parent] & (parents.weights > 0.0)
        needed |= may_split
        needed[subtracted] = False
        counted = np.flatnonzero(needed)
        n_tables = counted.size + subtracted.size
        if n_tables <= most:
            tables = shards.count(counted, n_tables)
            _subtract_siblings(tables, counted, subtracted, parents, n_threads)
            slot = np.empty(may_split.size, np.int64)
            slot[np.concatenate([counted, subtracted])] = np.arange(n_tables)
            yield _LevelTables(tables, slot[nodes])
            return
    for begin in range(0, nodes.size, most):
        group = nodes[begin : begin + most]
        yield _LevelTables(shards.count(group, group.size), np.arange(group.size))


def _subtract_siblings(
    tables: Floats, counted: Ints, subtracted: Ints, parents: _Parents, n_threads: int
) -> None:
    """Fill the tables of the nodes by subtraction, which come after those that were counted."""
    parent = parents.parent[subtracted]
    parent_of_counted = parents.parent[counted]
    order = np.argsort(parent_of_counted, kind="stable")
    begins = np.searchsorted(parent_of_counted[order], parent)
    ends = np.searchsorted(parent_of_counted[order], parent, side="right")

    def fill(places: Ints) -> None:
        for place in places:
            rest, own = parents.tables[parents.slots[parent[place]]], tables[counted.size + place]
            for sibling in order[begins[place] : ends[place]]:
                rest = np.subtract(rest, tables[sibling], out=own)
            if rest is not own:
                own[:] = rest

    in_threads(n_threads, fill, np.array_split(np.arange(subtracted.size), n_threads))


# --- Levels as a tree ---


def _tree_of_levels(levels: list[Level], columns: Columns, rules: KernelRules) -> Tree:
    """Return the tree; the concatenated levels are in breadth-first order."""

    def per_node(of_level: Callable[[Level], NDArray[Any]], otherwise: float) -> NDArray[Any]:
        return np.concatenate([level.per_node(of_level(level), otherwise) for level in levels])

    n_categories = columns.n_categories - columns.own_code
    branches = []
    for level in levels:
        table, sizes = level.splits.category_branch, n_categories[level.splits.feature]
        branches.append(table[np.arange(table.shape[1]) < sizes[:, None]])
    n_codes = per_node(lambda level: n_categories[level.splits.feature], 0)
    counts = np.concatenate([level.counts for level in levels])
    missing = per_node(lambda level: _missing_branches(level, columns, rules), NO_BRANCH)
    return Tree(
        n_children=per_node(lambda level: level.splits.n_branches, 0).astype(np.int32),
        feature=per_node(lambda level: level.splits.feature, -1).astype(np.int32),
        threshold=per_node(lambda level: level.splits.threshold, np.nan),
        category_branch=np.concatenate(branches).astype(np.int16),
        category_offsets=np.concatenate([[0], n_codes]).cumsum().astype(np.int32),
        missing_branch=missing.astype(np.int16),
        counts=counts,
        softness=np.zeros(len(counts)),
        gain=per_node(lambda level: level.splits.gain, 0.0),
    )


def _missing_branches(level: Level, columns: Columns, rules: KernelRules) -> Ints:
    """Return the branch of missing values at each split: as found, by its code, or the heaviest."""
    splits, branch = level.splits, level.splits.missing_branch.copy()
    own = columns.own_code[splits.feature]
    last = columns.n_categories[splits.feature[own]] - 1
    branch[own] = splits.category_branch[own, last]
    if rules.join_missing:
        weights = np.full(splits.counts.shape[:2], -1.0)
        place = np.arange(level.parent.size) - np.searchsorted(level.parent, level.parent)
        weights[level.parent, place] = level.children.sum(axis=1)
        branch = np.where(branch < 0, weights.argmax(axis=1), branch)
    return np.asarray(branch)
