"""Grow a tree level by level from tables alone, wherever the rows are.

At each level the best split of every node is found in its table, in one place; the shards send
their rows to the children and count the tables of some of them. The heaviest child of a node is
not counted: its table is that of its parent less those of its siblings.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.tree.binning import Bounds
from roctree.tree.columns import Columns
from roctree.tree.growth import Growth, SortedKernels, compile_search
from roctree.tree.kernels import layout
from roctree.tree.kernels.nominal import enter_categories, no_categories
from roctree.tree.kernels.records import Rules
from roctree.tree.kernels.tables import (
    SplitArrays,
    TableColumns,
    TableSearch,
    TableWork,
    search_tables,
)
from roctree.tree.shards import Shards, Splits
from roctree.tree.threads import in_threads
from roctree.tree.tree import NO_BRANCH, Tree
from roctree.tree.workspace import Workspace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Finished = Callable[[int], object]

# All tables of a level together take no more memory; a wider level is counted in groups of nodes.
_ROOM = 1 << 27


@dataclass(frozen=True)
class Found:
    """The best splits of some nodes; those without have feature -1.

    Parameters
    ----------
    ints : int64[nodes, 4], feature, number of branches, cut and branch of missing values
    floats : float64[nodes, 3], gain, threshold and weight of the cases that go to all branches
    branches : int16[nodes, codes], the branch of each category
    children : float64[nodes, branches, classes], class counts of the cases that know their branch
    """

    ints: Ints
    floats: Floats
    branches: NDArray[np.int16]
    children: Floats

    @classmethod
    def empty(cls, n_nodes: int, space: Workspace) -> "Found":
        """Room for the splits of so many nodes."""
        return cls(
            np.zeros((n_nodes, layout.N_SPLIT_INTS), np.int64),
            np.zeros((n_nodes, layout.N_SPLIT_FLOATS)),
            np.full((n_nodes, space.widest), NO_BRANCH, np.int16),
            np.zeros((n_nodes, space.widest, space.n_classes)),
        )

    @property
    def is_split(self) -> Mask:
        """Whether each node has a split that is worth it."""
        return np.asarray(self.ints[:, layout.SPLIT_FEATURE] >= 0)

    def only(self, chosen: Mask) -> "Found":
        """The splits of some of the nodes."""
        return Found(
            self.ints[chosen], self.floats[chosen], self.branches[chosen], self.children[chosen]
        )

    @property
    def counts(self) -> Floats:
        """The class counts of all children, one node after another."""
        branch = np.arange(self.children.shape[1])
        return self.children[branch < self.ints[:, layout.SPLIT_BRANCHES, None]]

    @property
    def shares(self) -> bool:
        """Whether some cases go to all branches."""
        return bool((self.floats[:, layout.SPLIT_UNKNOWN] > 0.0).any())

    def splits(self, segments: Ints, quantum: float) -> Splits:
        """What the shards have to know."""
        weights = self.children.sum(axis=2)
        return Splits(segments, self.ints, self.branches, weights, quantum, self.shares)


class Search:
    """The search for the best splits of nodes with known tables, by several threads."""

    def __init__(
        self, columns: Columns, bounds: Bounds, growth: Growth, quantum: float, n_threads: int
    ) -> None:
        n_classes = growth.class_weight.size
        scan = SortedKernels.choose(growth, columns, shares=False, many=True).scan
        categories = enter_categories if columns.n_codes > 0 else no_categories
        search = compile_search(growth, quantum, scan, categories, search_tables)
        self.columns, self.n_threads = columns, n_threads
        self.functions = TableSearch(search, compiled(categories))
        self.known = TableColumns(columns.features, columns.bins, bounds.lowest, bounds.highest)
        self.spaces = [Workspace(columns, n_classes) for _ in range(n_threads)]
        for space in self.spaces:
            space.make_bins(columns)

    def __call__(self, tables: Floats, slots: Ints) -> Found:
        """Return the best splits of the nodes whose tables are in these slots."""
        found = Found.empty(slots.size, self.spaces[0])
        results = SplitArrays(found.ints, found.floats, found.branches, found.children)
        run = compiled(search_tables)
        n_threads = min(self.n_threads, slots.size)
        ends = np.linspace(0, slots.size, n_threads + 1).astype(np.int64)

        def search_part(part: int) -> None:
            space = self.spaces[part]
            work = TableWork(space.work, space.bin_work)
            run(
                ends[part], ends[part + 1], tables, slots, self.known, self.functions, work, results
            )

        in_threads(n_threads, search_part, range(n_threads))
        return found


@dataclass(frozen=True)
class Parents:
    """The tables of the nodes above a level, where its nodes come from, and what they weigh.

    Parameters
    ----------
    tables : float64[slots, bins, classes]
    slots : int64[parents], where the table of each parent is
    parent : int64[nodes], the parent of each node of the level
    weights : float64[nodes]
    """

    tables: Floats
    slots: Ints
    parent: Ints
    weights: Floats

    def heirs(self, wanted: Mask) -> Ints:
        """The nodes whose tables follow from the others': the heaviest wanted child of a parent.

        Siblings that are not wanted would be counted for this alone, so they must weigh less.
        """
        candidates = np.flatnonzero(wanted)
        order = np.lexsort((candidates, -self.weights[candidates], self.parent[candidates]))
        parents, first = np.unique(self.parent[candidates[order]], return_index=True)
        heirs = candidates[order][first]
        unwanted = np.bincount(self.parent, np.where(wanted, 0.0, self.weights), self.slots.size)
        return np.asarray(heirs[self.weights[heirs] > unwanted[parents]])


@dataclass(frozen=True)
class Tables:
    """The tables of some nodes of a level, and where each of them is."""

    nodes: Ints
    tables: Floats
    slots: Ints


def tables_of_level(
    shards: Shards, wanted: Mask, parents: Parents | None, most: int, n_threads: int
) -> Iterator[Tables]:
    """Yield the tables of the wanted nodes of a level, in groups of at most ``most``."""
    nodes = np.flatnonzero(wanted)
    if parents is not None:
        heirs = parents.heirs(wanted)
        has_heir = np.zeros(parents.slots.size, bool)
        has_heir[parents.parent[heirs]] = True
        needed = has_heir[parents.parent] & (parents.weights > 0.0)
        needed |= wanted
        needed[heirs] = False
        counted = np.flatnonzero(needed)
        if counted.size + heirs.size <= most:
            tables = shards.count(counted, counted.size + heirs.size)
            _inherit(tables, counted, heirs, parents, n_threads)
            slot = np.empty(wanted.size, np.int64)
            slot[np.concatenate([counted, heirs])] = np.arange(counted.size + heirs.size)
            yield Tables(nodes, tables, slot[nodes])
            return
    for begin in range(0, nodes.size, most):
        group = nodes[begin : begin + most]
        yield Tables(group, shards.count(group, group.size), np.arange(group.size))


def _inherit(tables: Floats, counted: Ints, heirs: Ints, parents: Parents, n_threads: int) -> None:
    """Fill the tables of the heirs, which come after those that were counted."""
    of_heir = parents.parent[heirs]
    of_counted = parents.parent[counted]
    order = np.argsort(of_counted, kind="stable")
    begins = np.searchsorted(of_counted[order], of_heir)
    ends = np.searchsorted(of_counted[order], of_heir, side="right")

    def fill(places: Ints) -> None:
        for place in places:
            rest, own = parents.tables[parents.slots[of_heir[place]]], tables[counted.size + place]
            for sibling in order[begins[place] : ends[place]]:
                rest = np.subtract(rest, tables[sibling], out=own)
            if rest is not own:
                own[:] = rest

    in_threads(n_threads, fill, np.array_split(np.arange(heirs.size), n_threads))


@dataclass(frozen=True)
class Level:
    """The nodes of a depth: their class counts, which of them are split, and how."""

    counts: Floats
    split: Ints
    best: Found
    children: Floats

    @property
    def parent(self) -> Ints:
        """The number, among the nodes that are split, of the parent of each child."""
        return np.repeat(np.arange(self.split.size), self.best.ints[:, layout.SPLIT_BRANCHES])

    def per_node(self, values: NDArray[Any], otherwise: float) -> NDArray[Any]:
        """Values of the nodes that are split, and another for the rest."""
        each = np.full(len(self.counts), otherwise, values.dtype)
        each[self.split] = values
        return each


def grow_levels(
    shards: Shards,
    search: Search,
    growth: Growth,
    quantum: float,
    counts: Floats,
    finished: Finished = lambda n_levels: None,
) -> Tree:
    """Grow the tree of all rows, whose class counts are known, from a root that may be split.

    Parameters
    ----------
    shards : the rows
    search : finds the best split of a table
    growth : criterion, limits and treatment of missing values
    quantum : the unit of the grid that weights lie on
    counts : float64[classes], of all rows
    finished : is told after each level how many there are
    """
    rules = growth.rules(quantum)
    n_bins = int(search.columns.bins.start[-1])
    most = max(1, _ROOM // (8 * n_bins * counts.size))
    levels: list[Level] = []
    nodes, wanted, parents = counts[None], np.ones(1, bool), None
    while wanted.any():
        found = []
        for group in tables_of_level(shards, wanted, parents, most, search.n_threads):
            found.append(search(group.tables, group.slots))
            whole = group
        level = _split_level(shards, nodes, wanted, _joined(found), quantum)
        levels.append(level)
        finished(len(levels))
        wanted = may_be_split(level.children, len(levels), rules)
        if wanted.any() and not level.best.shares:
            shards.divide(level.best.splits(level.split, quantum))
        parents = None
        if len(found) == 1 and wanted.any():
            slots = whole.slots[found[0].is_split]
            parents = Parents(whole.tables, slots, level.parent, level.children.sum(axis=1))
        nodes = level.children
    none = np.zeros(len(found[-1].ints), bool)
    levels.append(Level(nodes, np.empty(0, np.int64), found[-1].only(none), nodes[:0]))
    return _tree(levels, search.columns, rules)


def may_be_split(counts: Floats, depth: int, rules: Rules) -> Mask:
    """Whether each node of a level is impure, large and high enough to be split."""
    smallest = max(rules.min_split, 2.0 * rules.min_leaf)
    n_present = np.count_nonzero(counts * rules.class_weight > 0.0, axis=1)
    allowed = (n_present > 1) & (counts.sum(axis=1) >= smallest)
    return np.asarray(allowed & (depth < rules.max_depth))


def _split_level(
    shards: Shards, nodes: Floats, wanted: Mask, found: Found, quantum: float
) -> Level:
    """The level with its children counted; only the rows know how cases were shared out."""
    split, best = np.flatnonzero(wanted)[found.is_split], found.only(found.is_split)
    if not best.shares:
        return Level(nodes, split, best, best.counts)
    shards.divide(best.splits(split, quantum))
    return Level(nodes, split, best, shards.totals())


def _joined(found: list[Found]) -> Found:
    if len(found) == 1:
        return found[0]
    return Found(
        np.concatenate([part.ints for part in found]),
        np.concatenate([part.floats for part in found]),
        np.concatenate([part.branches for part in found]),
        np.concatenate([part.children for part in found]),
    )


def _tree(levels: list[Level], columns: Columns, rules: Rules) -> Tree:
    """Levels one after the other are the breadth-first order of nodes."""
    n_categories = columns.n_categories - columns.own_code
    sizes = [n_categories[level.best.ints[:, layout.SPLIT_FEATURE]] for level in levels]
    branches = [
        level.best.branches[np.arange(level.best.branches.shape[1]) < size[:, None]]
        for level, size in zip(levels, sizes, strict=True)
    ]

    def ints(column: int, otherwise: int) -> NDArray[Any]:
        each = [level.per_node(level.best.ints[:, column], otherwise) for level in levels]
        return np.concatenate(each)

    def floats(column: int, otherwise: float) -> Floats:
        each = [level.per_node(level.best.floats[:, column], otherwise) for level in levels]
        return np.concatenate(each)

    missing = [
        level.per_node(_missing_branches(level, columns, rules), NO_BRANCH) for level in levels
    ]
    of_node = [level.per_node(size, 0) for level, size in zip(levels, sizes, strict=True)]
    counts = np.concatenate([level.counts for level in levels])
    return Tree(
        n_children=ints(layout.SPLIT_BRANCHES, 0).astype(np.int32),
        feature=ints(layout.SPLIT_FEATURE, -1).astype(np.int32),
        threshold=floats(layout.SPLIT_THRESHOLD, np.nan),
        category_branch=np.concatenate(branches).astype(np.int16),
        category_offsets=np.concatenate([[0], *of_node]).cumsum().astype(np.int32),
        missing_branch=np.concatenate(missing).astype(np.int16),
        counts=counts,
        softness=np.zeros(len(counts)),
        gain=floats(layout.SPLIT_GAIN, 0.0),
    )


def _missing_branches(level: Level, columns: Columns, rules: Rules) -> Ints:
    """The branch of missing values at each split: as found, that of its code, or the heaviest."""
    best = level.best
    feature, branch = best.ints[:, layout.SPLIT_FEATURE], best.ints[:, layout.SPLIT_MISSING].copy()
    own = columns.own_code[feature]
    branch[own] = best.branches[own, columns.n_categories[feature[own]] - 1]
    if rules.join_missing:
        weights = np.full(best.children.shape[:2], -1.0)
        place = np.arange(level.parent.size) - np.searchsorted(level.parent, level.parent)
        weights[level.parent, place] = level.children.sum(axis=1)
        branch = np.where(branch < 0, weights.argmax(axis=1), branch)
    return np.asarray(branch)
