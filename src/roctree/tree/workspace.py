"""The memory of one growth: the arrays that the kernels share, enlarged when they are full."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.tree.kernels import layout
from roctree.tree.kernels.layout import COUNTS

_FIRST_NODES = 256


class Workspace:
    """Working memory for nodes of up to ``n_cases`` cases, and the nodes grown so far."""

    def __init__(self, n_cases: int, n_features: int, n_codes: int, widest: int, n_classes: int):
        self.n_classes, self.n_features = n_classes, n_features
        self.widest, self.n_codes = max(widest, 2), n_codes
        self.resize_scratch(n_cases)
        self.finest = np.empty((n_classes + 2, n_classes))
        self.vectors = np.empty((layout.N_VECTORS, n_classes))
        self.found_floats = np.empty((n_features, 2))
        self.found_ints = np.empty((n_features, 3), np.int64)
        self.branch_of = np.empty(max(n_codes, 1), np.int16)
        self.branch_ints = np.empty((3, self.widest), np.int64)
        self.branch_floats = np.empty((2, self.widest))
        room = max(_FIRST_NODES, 4 * self.widest)
        self.node_ints = np.zeros((room, layout.N_NODE_INTS), np.int64)
        self.node_floats = np.zeros((room, COUNTS + n_classes))
        self.category_branch = np.zeros(4 * max(n_codes, 1), np.int16)
        self.stack = np.zeros((room, 5), np.int64)
        self.state = np.zeros(3, np.int64)

    def resize_scratch(self, n_cases: int) -> None:
        """Make room to scan nodes of up to ``n_cases`` cases."""
        size = max(n_cases, self.widest) + 2
        self.lefts = np.empty((size, self.n_classes))
        self.edges = np.empty((size, self.n_classes))
        self.corners = np.empty((size, self.n_classes))
        self.scores, self.bounds = np.empty(size), np.empty(size)
        self.places = np.empty(size, np.int64)

    def start(self, counts: NDArray[np.float64], n_cases: int, depth: int = 0) -> None:
        """Put the root, a node with these class counts, on the stack."""
        self.node_floats[0, COUNTS:] = counts
        self.stack[0] = (0, n_cases, depth, 0, n_cases)
        self.state[:] = (1, 1, 0)

    def make_room(self) -> None:
        """Double whatever is nearly full."""
        n_stack, n_nodes, n_branches = self.state
        if n_nodes + self.widest > len(self.node_ints):
            self.node_ints = _doubled(self.node_ints)
            self.node_floats = _doubled(self.node_floats)
        if n_branches + self.n_codes > self.category_branch.size:
            self.category_branch = _doubled(self.category_branch)
        if n_stack + self.widest > len(self.stack):
            self.stack = _doubled(self.stack)

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
