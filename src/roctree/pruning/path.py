"""Weakest-link pruning: the nested trees that are best for some price of a leaf.

A tree that pays ``alpha`` for each leaf, beside what it loses, is best pruned at the nodes whose
own price is at most alpha. The loss of a subtree is a concave, piecewise linear function of alpha:
it rises with the number of leaves, and bends where a node below becomes a leaf. A node becomes a
leaf where that function meets its own. Taken from the leaves up and from the largest alpha down,
every bend is looked at once, so that a path of n nodes takes n log n steps, however deep.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.tree.passes import Flags, Floats
from roctree.tree.shape import cut
from roctree.tree.tree import Tree

# Prices that differ by less, in units of the largest loss, are one step of a path.
_SAME = 1e-12
_VECTOR = "Array(float64, 1, 'C')"
_LINKS = "Array(int64, 1, 'C')"


@dataclass(frozen=True)
class Path:
    """The trees of weakest-link pruning, from the whole tree to its root.

    Parameters
    ----------
    alphas : float64[steps], the least price of a leaf at which each tree is best, rising from 0
    n_leaves : int64[steps], leaves of each tree
    losses : float64[steps], training loss of each tree
    price : float64[nodes], the price from which on each node is a leaf; infinite at leaves, and at
        nodes that go with one above them before they could be one
    ceiling : float64[nodes], the least price of the node and all above: there it is gone
    """

    alphas: Floats
    n_leaves: NDArray[np.int64]
    losses: Floats
    price: Floats
    ceiling: Floats

    def final(self, alpha: float) -> Flags:
        """Return which nodes are leaves, or below one, at a price."""
        return np.asarray(self.price <= alpha * (1.0 + _SAME))

    def between(self) -> Floats:
        """Return a price inside the range of each tree, by the geometric mean of its ends."""
        ends = np.append(self.alphas[1:], 2.0 * self.alphas[-1] + 1.0)
        return np.asarray(np.where(self.alphas > 0.0, np.sqrt(self.alphas * ends), 0.5 * ends))


def weakest_links(tree: Tree, loss: Floats) -> Path:
    """Return the path of a tree.

    Parameters
    ----------
    tree : the tree
    loss : float64[nodes], what each node loses as a leaf; leaves together lose no more than that
    """
    n = tree.n_nodes
    price, fall, rise = np.full(n, np.inf), np.zeros(n), np.zeros(n)
    links = np.full((3, n), -1, dtype=np.int64)
    lost = np.array(loss, dtype=np.float64)
    compiled(_prices)(tree.first_child, tree.n_children, lost, links, price, fall, rise)
    ceiling = price.copy()
    compiled(_lower)(tree.parent, ceiling)
    steps = np.flatnonzero(np.isfinite(price))
    steps = steps[np.argsort(price[steps], kind="stable")]
    same = _SAME * float(np.abs(lost).max())
    for prices in (price, ceiling):
        prices[prices <= same] = 0.0
    alphas = np.append(0.0, price[steps])
    leaves = tree.n_leaves - np.append(0.0, np.cumsum(fall[steps]))
    losses = lost[tree.is_leaf].sum() + np.append(0.0, np.cumsum(rise[steps]))
    last = np.append(np.diff(alphas) > same, True)
    return Path(alphas[last], np.rint(leaves[last]).astype(np.int64), losses[last], price, ceiling)


def at(tree: Tree, path: Path, alpha: float) -> Tree:
    """Return the tree of a path at a price."""
    return cut(tree, path.final(alpha))


@typed_kernel(f"void(Array(int64, 1, 'C', readonly=True), {_VECTOR})")
def _lower(parent: NDArray[np.int64], price: NDArray[np.float64]) -> None:
    """Lower every price to the least of the nodes above."""
    for node in range(1, parent.size):
        price[node] = min(price[node], price[parent[node]])


@kernel
def _merged(first: int, second: int, links: NDArray[np.int64], price: NDArray[np.float64]) -> int:
    """Merge two leftist heaps, the dearest node on top, and return it.

    ``links`` has the left child, the right child and the length of the right spine.
    """
    if first < 0:
        return second
    if second < 0:
        return first
    spine = -1
    while first >= 0 and second >= 0:
        if price[first] < price[second]:
            first, second = second, first
        below = links[1, first]
        # The way back up is kept in the link that will be set anew.
        links[1, first] = spine
        spine, first = first, below
    heap = max(first, second)
    while spine >= 0:
        node, spine = spine, links[1, spine]
        left = links[0, node]
        if left < 0 or links[2, left] < links[2, heap]:
            links[0, node], links[1, node] = heap, left
        else:
            links[1, node] = heap
        right = links[1, node]
        links[2, node] = 0 if right < 0 else links[2, right] + 1
        heap = node
    return heap


@typed_kernel(
    f"void(Array(int64, 1, 'C', readonly=True), Array(int32, 1, 'C', readonly=True), {_VECTOR}, "
    f"Array(int64, 2, 'C'), {_VECTOR}, {_VECTOR}, {_VECTOR})"
)
def _prices(
    first_child: NDArray[np.int64],
    n_children: NDArray[np.int32],
    loss: NDArray[np.float64],
    links: NDArray[np.int64],
    price: NDArray[np.float64],
    fall: NDArray[np.float64],
    rise: NDArray[np.float64],
) -> None:
    """Set the price of each inner node, and by how much leaves fall and losses rise there."""
    heaps = np.full(loss.size, -1, np.int64)
    for node in range(loss.size - 1, -1, -1):
        if n_children[node] == 0:
            continue
        heap, lost, leaves = -1, 0.0, float(n_children[node])
        for child in range(first_child[node], first_child[node] + n_children[node]):
            heap = _merged(heap, heaps[child], links, price)
            lost += loss[child]
        alpha = (loss[node] - lost) / (leaves - 1.0)
        while heap >= 0 and price[heap] > alpha:
            lost -= rise[heap]
            leaves += fall[heap]
            # It is gone before it could be a leaf, whatever rounding makes of the price above it.
            price[heap] = np.inf
            heap = _merged(links[0, heap], links[1, heap], links, price)
            alpha = (loss[node] - lost) / (leaves - 1.0)
        price[node] = max(alpha, 0.0)
        fall[node], rise[node] = leaves - 1.0, loss[node] - lost
        links[0, node], links[1, node], links[2, node] = -1, -1, 0
        heaps[node] = _merged(node, heap, links, price)
