"""The memory of one growth: the arrays that the kernels share, enlarged when they are full."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.tree.columns import Columns, Rows
from roctree.tree.kernels import layout
from roctree.tree.kernels.layout import COUNTS

_FIRST_NODES = 256
# So many cuts inside bins are scored at once.
_INNER_CUTS = 1 << 15


class Workspace:
    """The nodes grown so far and the working memory of growth.

    ``make_sorted`` and ``make_rows`` add the memory of the two forms of a node, sorted and binned.
    """

    def __init__(self, columns: Columns, n_classes: int) -> None:
        self.n_classes, self.n_features = n_classes, columns.n_categories.size
        self.n_codes = columns.n_codes
        self.widest = max(2, int(columns.n_categories.max(initial=0)))
        self.finest = np.empty((n_classes + 2, n_classes))
        self.vectors = np.empty((layout.N_VECTORS, n_classes))
        self.found_floats = np.empty((self.n_features, layout.N_FOUND_FLOATS))
        self.found_ints = np.empty((self.n_features, 3), np.int64)
        self.branch_of = np.empty(max(self.n_codes, 1), np.int16)
        self.branch_ints = np.empty((layout.N_BRANCH_INTS, self.widest), np.int64)
        self.branch_floats = np.empty((2, self.widest))
        room = max(_FIRST_NODES, 4 * self.widest)
        self.node_ints = np.zeros((room, layout.N_NODE_INTS), np.int64)
        self.node_floats = np.zeros((room, COUNTS + n_classes))
        self.category_branch = np.zeros(4 * max(self.n_codes, 1), np.int16)
        self.stack = np.zeros((room, 5), np.int64)
        self.row_stack = np.zeros((room, layout.N_ROW_STACK), np.int64)
        self.state = np.zeros(4, np.int64)
        self.codes = np.empty((0, self.n_features), np.uint16)
        self._make_scratch(0)

    def _make_scratch(self, n_candidates: int) -> None:
        size = max(n_candidates, 4 * self.widest) + 2
        self.lefts = np.empty((size, self.n_classes))
        self.edges = np.empty((size, self.n_classes))
        self.corners = np.empty((size, self.n_classes))
        self.scores, self.bounds = np.empty(size), np.empty(size)
        self.places = np.empty(size, np.int64)

    def make_sorted(self, n_cases: int) -> None:
        """Make room for sorted nodes of up to ``n_cases`` cases."""
        self.order = np.empty((self.n_features, n_cases), np.uint32)
        self.rank = np.empty((self.n_features, n_cases), np.uint32)
        self.cases = np.empty((layout.N_CASE_ROWS, n_cases), np.uint32)
        self.weights = np.empty(n_cases)
        if n_cases + 2 > self.scores.size:
            self._make_scratch(n_cases)

    def make_rows(self, rows: Rows, columns: Columns, *, copies: bool) -> None:
        """Load the rows of the root, and make room for binned nodes.

        Only where cases are copied to several branches do rows need new places to be divided.
        """
        self.codes, self.row_ints, self.row_weights = rows.codes, rows.ints, rows.weights
        n_new = rows.size if copies else 0
        self.new_codes = np.empty((n_new, self.n_features), np.uint16)
        self.new_ints = np.empty((layout.N_ROW_INTS, n_new), np.uint32)
        self.new_weights = np.empty(n_new)
        self._make_histograms(rows, columns.table[layout.BIN, -1], copies=copies)
        most_bins = self.make_bins(columns, _INNER_CUTS)
        self.keys = np.empty((3, max(rows.size, most_bins, 256) + 1), np.int64)

    def make_bins(self, columns: Columns, n_candidates: int = 0) -> int:
        """Make room for the bins of one attribute; returns how many one has at most."""
        most_bins = int(np.diff(columns.table[layout.BIN]).max())
        self.bin_lefts = np.empty((most_bins + 1, self.n_classes))
        self.bins = np.empty((2, most_bins), np.int64)
        self._make_scratch(max(most_bins, n_candidates))
        return most_bins

    def _make_histograms(self, rows: Rows, n_bins: int, *, copies: bool) -> None:
        """Make room for the histogram of a node and of those it may wait for.

        Each of these is at most half as large as the one before. Where cases are copied, children
        do not add up to their parent, and histograms are not kept. All together take no more than
        the codes.
        """
        room = rows.codes.nbytes // (8 * n_bins * self.n_classes)
        n_slots = 1 if copies else max(1, min(rows.size.bit_length(), room))
        self.histograms = np.empty((n_slots, n_bins, self.n_classes))
        if rows.histogram is not None:
            self.histograms[0] = rows.histogram

    def take_rows(self, *, copies: bool) -> Rows:
        """Take the node on top of the binned ones off, to be grown elsewhere.

        Its rows are the last in use, and nobody else will touch them, unless cases are copied to
        several branches and the nodes below it need the room.
        """
        top = self.state[layout.N_BINNED] - 1
        begin, end, depth, node, slot, counted = self.row_stack[top]
        self.state[layout.N_BINNED] = top
        codes, weights = self.codes[begin:end], self.row_weights[begin:end]
        return Rows(
            codes.copy() if copies else codes,
            self.row_ints[:, begin:end].copy(),
            weights.copy() if copies else weights,
            int(depth),
            int(node),
            self.histograms[slot].copy() if counted == layout.READY else None,
        )

    def forget_rows(self) -> None:
        """Let go of all memory but the nodes."""
        for name in ("codes", "row_ints", "row_weights", "new_codes", "new_ints", "new_weights",
                     "histograms", "keys", "order", "rank", "cases", "weights"):  # fmt: skip
            delattr(self, name)
        self._make_scratch(0)

    def graft(self, node: int, other: "Workspace") -> None:
        """Put the tree that was grown elsewhere in the place of ``node``."""
        n_nodes, n_branches = (
            other.state[layout.N_NODES],
            other.state[layout.N_CATEGORY_BRANCHES],
        )
        first, start = self.state[layout.N_NODES] - 1, self.state[layout.N_CATEGORY_BRANCHES]
        while first + n_nodes > len(self.node_ints):
            self.node_ints, self.node_floats = _doubled(self.node_ints), _doubled(self.node_floats)
        while start + n_branches > self.category_branch.size:
            self.category_branch = _doubled(self.category_branch)
        ints = other.node_ints[:n_nodes].copy()
        ints[:, layout.FIRST_CHILD] += first
        ints[:, layout.CATEGORY_START] += start
        self.node_ints[node], self.node_floats[node] = ints[0], other.node_floats[0]
        self.node_ints[first + 1 : first + n_nodes] = ints[1:]
        self.node_floats[first + 1 : first + n_nodes] = other.node_floats[1:n_nodes]
        self.category_branch[start : start + n_branches] = other.category_branch[:n_branches]
        self.state[layout.N_NODES] += n_nodes - 1
        self.state[layout.N_CATEGORY_BRANCHES] += n_branches

    def start(self, counts: NDArray[np.float64]) -> None:
        """Make the root, a leaf with these class counts."""
        self.node_floats[0, COUNTS:] = counts
        self.state[:] = (0, 1, 0, 0)

    def push(self, n_cases: int) -> None:
        """Put the root on the stack of sorted nodes."""
        self.stack[0] = (0, n_cases, 0, 0, n_cases)
        self.state[layout.N_STACK] = 1

    def push_rows(self, rows: Rows) -> None:
        """Put the root on the stack of binned nodes."""
        counted = layout.NOT_YET if rows.histogram is None else layout.READY
        self.row_stack[0] = (0, rows.size, rows.depth, 0, 0, counted)
        self.state[layout.N_BINNED] = 1

    def make_room(self) -> None:
        """Double what is full: nodes, else the cases, which are copied where a value is unknown."""
        n_stack, n_nodes, n_branches, n_binned = self.state
        full = False
        if n_nodes + self.widest > len(self.node_ints):
            self.node_ints, self.node_floats = _doubled(self.node_ints), _doubled(self.node_floats)
            full = True
        if n_branches + self.n_codes > self.category_branch.size:
            self.category_branch = _doubled(self.category_branch)
            full = True
        if max(n_stack, n_binned) + self.widest > len(self.stack):
            self.stack, self.row_stack = _doubled(self.stack), _doubled(self.row_stack)
            full = True
        if not full:
            self._make_room_for_copies(is_sorted=bool(n_stack > 0))

    def _make_room_for_copies(self, *, is_sorted: bool) -> None:
        if is_sorted:
            self.order, self.rank = _widened(self.order), _widened(self.rank)
            self.cases, self.weights = _widened(self.cases), _doubled(self.weights)
            if self.weights.size + 2 > self.scores.size:
                self._make_scratch(self.weights.size)
            return
        self.codes, self.new_codes = _doubled(self.codes), _doubled(self.new_codes)
        self.row_ints, self.new_ints = _widened(self.row_ints), _widened(self.new_ints)
        self.row_weights = _doubled(self.row_weights)
        self.new_weights = _doubled(self.new_weights)
        self.keys = _widened(self.keys)

    def row_arguments(self) -> tuple[Any, ...]:
        """The arrays of binned nodes, in the order of the kernels."""
        return (
            self.codes, self.row_ints, self.row_weights,
            self.new_codes, self.new_ints, self.new_weights,
        )  # fmt: skip

    def sorted_arguments(self) -> tuple[Any, ...]:
        """The arrays of sorted nodes, in the order of the kernels."""
        return self.order, self.rank, self.cases, self.weights

    def bin_arguments(self) -> tuple[Any, ...]:
        """The arrays of the search by bins, in the order of the kernels."""
        return self.histograms, self.bin_lefts, self.bins, self.keys

    def scan_arguments(self) -> tuple[Any, ...]:
        """The arrays of the candidate scan and of what it finds, in the order of the kernels."""
        return (
            self.lefts, self.edges, self.corners, self.finest, self.scores, self.bounds,
            self.places, self.vectors, self.found_floats, self.found_ints, self.branch_of,
        )  # fmt: skip

    def node_arguments(self) -> tuple[Any, ...]:
        """The arrays of branches and nodes, in the order of the kernels."""
        return (
            self.branch_ints, self.branch_floats, self.node_ints, self.node_floats,
            self.category_branch, self.stack, self.state,
        )  # fmt: skip


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    larger = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.empty_like(array)], axis=1)
