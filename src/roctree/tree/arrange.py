"""Arrange nodes made in any order as a tree in breadth-first order.

Growth splits nodes in the order that suits it, and pruning removes whole subtrees: both know where
the children of each node are, and the nodes that are still reachable from the root are put in order
here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree._jit import Ints, ReadonlyInts, compiled, typed_kernel
from roctree.tree.tree import NO_BRANCH, Tree

_FEW_NODES = 256


def from_creation_order(  # noqa: PLR0913 - one argument for each field of a tree
    *,
    first_child: NDArray[Any],
    n_children: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    missing_branch: NDArray[Any],
    gain: NDArray[Any],
    counts: NDArray[Any],
    category_start: NDArray[Any],
    category_branch: NDArray[Any],
    n_categories: NDArray[Any],
) -> Tree:
    """Return the tree of nodes in any order; node 0 is the root.

    Nodes that are not reachable from the root are left out.

    Parameters
    ----------
    first_child : where the children of each node stand, side by side
    n_children, feature, threshold, missing_branch, gain, counts : as in ``Tree``; what they hold
        at leaves does not matter, apart from the counts
    category_start : at nominal nodes, where their categories begin in ``category_branch``
    category_branch : the branch of each category, -1 if not seen at the node
    n_categories : number of categories of each attribute, 0 if numeric
    """
    order = breadth_first(first_child, n_children)
    n_children = n_children[order]
    inner = n_children > 0
    feature = np.where(inner, feature[order], -1)
    nominal = inner & np.isnan(threshold[order])
    sizes = np.where(nominal, n_categories[feature], 0)
    places = consecutive(category_start[order], sizes)
    return Tree(
        n_children=n_children.astype(np.int32),
        feature=feature.astype(np.int32),
        threshold=np.where(inner, threshold[order], np.nan),
        category_branch=category_branch[places].astype(np.int16),
        category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        missing_branch=np.where(inner, missing_branch[order], NO_BRANCH).astype(np.int16),
        counts=counts[order].astype(np.float64),
        softness=np.zeros(order.size),
        gain=np.where(inner, gain[order], 0.0),
    )


def breadth_first(first_child: NDArray[Any], n_children: NDArray[Any]) -> NDArray[np.int64]:
    """Return the nodes that are reachable from node 0, level by level."""
    order = np.zeros(n_children.size, dtype=np.int64)
    # A few nodes are put in order faster than the kernel is loaded.
    line_up = _line_up if order.size < _FEW_NODES else compiled(_line_up)
    n_reached = line_up(first_child.astype(np.int64), n_children.astype(np.int64), order)
    if n_reached < 0:
        raise ValueError("Some node is a child of two nodes, so these nodes are not a tree.")
    return order[:n_reached]


def consecutive(starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return ``starts[i], ..., starts[i] + sizes[i] - 1`` for each i, one after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    shifts = np.repeat(starts - (ends - sizes), sizes)
    return np.asarray(np.arange(shifts.size) + shifts, dtype=np.int64)


@typed_kernel
def _line_up(first_child: ReadonlyInts, n_children: ReadonlyInts, order: Ints) -> int:
    """Fill ``order``, a queue that begins with the root; -1 if it runs over."""
    n_reached = 1
    head = 0
    while head < n_reached:
        node = order[head]
        if n_reached + n_children[node] > order.size:
            return -1
        for child in range(first_child[node], first_child[node] + n_children[node]):
            order[n_reached] = child
            n_reached += 1
        head += 1
    return n_reached
