"""Cost-complexity pruning, and the nested trees of weakest-link pruning that it selects from.

If every leaf costs ``alpha``, the best pruned tree minimises loss + alpha * leaves. As alpha rises,
the best trees form a nested sequence (Breiman, Friedman, Olshen and Stone 1984). Each inner node
has a price: the alpha at which it becomes a leaf.

The prices of all nodes are found in one bottom-up pass. The minimal loss of a subtree, as a
function of alpha, is concave and piecewise linear: its slope is the number of leaves, and it bends
where a node below becomes a leaf. A node becomes a leaf where this function meets its own loss plus
alpha. The bends of a subtree are kept in a mergeable heap, largest alpha on top. A bend above the
price of the node can be discarded, so that every bend is visited once and n nodes take O(n log n)
steps, however deep the tree.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import Bools, Floats, Floats2D, Ints, ReadonlyInt32s, ReadonlyInts
from roctree.errors import ParameterError
from roctree.pruning.protocol import TIE, Folds, Need, held_out_errors, training_errors
from roctree.strategy import check_choices, check_strength
from roctree.tree.shape import cut
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class CostComplexity:
    """Cost-complexity pruning of CART: the best tree if each leaf costs ``alpha``.

    Among equally good trees, the smallest is returned.

    Parameters
    ----------
    alpha : float or "auto", default "auto"
        Cost of a leaf, in training error rate; "auto" selects it by cross-validation, or on
        validation data.
    choice : {"one_se", "best"}, default "one_se"
        With "auto": "one_se" selects the smallest tree within one standard error of the lowest
        error, "best" the smallest tree with the lowest error.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> [tree.pruned("cost_complexity", alpha=alpha).get_n_leaves() for alpha in (0, 0.1, 0.5)]
    [4, 2, 1]
    """

    alpha: float | Literal["auto"] = "auto"
    choice: Literal["one_se", "best"] = "one_se"

    def __post_init__(self) -> None:
        check_choices(self)
        check_strength(self, "alpha")

    @property
    def needs(self) -> Need:
        """Folds if ``alpha`` is to be selected."""
        return "folds" if self.alpha == "auto" else "counts"

    def __call__(self, tree: Tree, folds: Folds = ()) -> Tree:
        """Return the pruned tree."""
        if self.alpha == "auto":
            return self.settled(tree, folds)(tree)
        return cut(tree, cost_complexity_path(tree).final(float(self.alpha)))

    def settled(self, tree: Tree, folds: Folds) -> "CostComplexity":
        """Return the pruner with ``alpha`` selected from the tree's path by held-out errors."""
        if not folds:
            raise ParameterError(
                owner=self,
                parameter="alpha",
                value="auto",
                reason="needs data to select by: use it with fit, pass {X_val and y_val}, or give "
                "a number",
            )
        prices = cost_complexity_path(tree).between()
        wrong = sum(held_out_path(fold.tree, fold.counts, prices) for fold in folds)
        total = sum(float(fold.counts[0].sum()) for fold in folds)
        rate = np.asarray(wrong) / total
        least = float(rate.min())
        allowed = np.sqrt(least * (1.0 - least) / total) if self.choice == "one_se" else 0.0
        good = np.flatnonzero(rate <= least + allowed + TIE)
        return replace(self, alpha=float(prices[good[-1]]))


@dataclass(frozen=True)
class PruningPath:
    """The nested trees of weakest-link pruning, from the whole tree to its root.

    Parameters
    ----------
    alphas : float64[steps]
        Lowest cost of a leaf at which each tree is best, rising from 0.
    n_leaves : int64[steps]
        Leaves of each tree.
    losses : float64[steps]
        Training loss of each tree.
    price : float64[nodes]
        Alpha at which each node becomes a leaf; infinite for leaves, and for nodes that are cut off
        before that.
    ceiling : float64[nodes]
        Lowest price of the node and its ancestors: from there on it is a leaf or cut off.
    """

    alphas: Floats
    n_leaves: Ints
    losses: Floats
    price: Floats
    ceiling: Floats

    def final(self, alpha: float) -> Bools:
        """Return which inner nodes are leaves, or below one, at this cost of a leaf."""
        return np.asarray(self.price <= alpha * (1.0 + TIE))

    def between(self) -> Floats:
        """Return an alpha inside the range of each tree: the geometric mean of its ends."""
        ends = np.append(self.alphas[1:], 2.0 * self.alphas[-1] + 1.0)
        return np.asarray(np.where(self.alphas > 0.0, np.sqrt(self.alphas * ends), 0.5 * ends))


def cost_complexity_path(tree: Tree) -> PruningPath:
    """Return the path of cost-complexity pruning; losses are training error rates.

    Parameters
    ----------
    tree : Tree
        The tree to prune.

    Returns
    -------
    PruningPath
        The nested trees, from the largest to the root.

    Examples
    --------
    >>> cost_complexity_path(Tree.single_leaf([3, 1])).losses
    array([0.25])
    """
    return weakest_links(tree, training_errors(tree) / (tree.weight[0] or 1.0))


def held_out_path(tree: Tree, counts: Floats2D, alphas: Floats) -> Floats:
    """Return the held-out errors of a tree pruned at each of some rising alphas."""
    path = cost_complexity_path(tree)
    wrong = held_out_errors(tree, counts)
    # A node is a leaf of the pruned tree from its own price (a leaf of the whole tree: from the
    # start) up to the ceiling of its parent.
    begins = np.where(tree.is_leaf, -np.inf, path.price)
    ends = np.append(np.inf, path.ceiling[tree.parent[1:]])
    counted = begins < ends
    first = np.searchsorted(alphas, begins[counted], side="left")
    last = np.searchsorted(alphas, ends[counted], side="left")
    steps = np.zeros(len(alphas) + 1)
    np.add.at(steps, first, wrong[counted])
    np.subtract.at(steps, last, wrong[counted])
    return np.asarray(np.cumsum(steps)[:-1])


def weakest_links(tree: Tree, loss: Floats) -> PruningPath:
    """Return the path of weakest-link pruning.

    Parameters
    ----------
    tree : Tree
        The tree.
    loss : float64[nodes]
        Loss of each node as a leaf, at least the sum over the leaves below it.
    """
    n = tree.n_nodes
    lost = np.array(loss, dtype=np.float64)
    bends = Bends(np.full(n, np.inf), np.zeros(n), np.zeros(n))
    heap = LeftistHeap(*(np.full(n, -1, dtype=np.int64) for _ in range(4)))
    compiled(_find_prices, microseconds=20 * n)(
        tree.first_child, tree.n_children, lost, bends, heap
    )
    price = bends.price
    ceiling = price.copy()
    compiled(_lower_to_ancestors, microseconds=n)(tree.parent, ceiling)
    steps = np.flatnonzero(np.isfinite(price))
    steps = steps[np.argsort(price[steps], kind="stable")]
    # Sums of fractional cases are inexact in the last digit.
    same = TIE * float(np.abs(lost).max())
    for prices in (price, ceiling):
        prices[prices <= same] = 0.0
    alphas = np.append(0.0, price[steps])
    n_leaves = tree.n_leaves - np.append(0.0, np.cumsum(bends.leaves_saved[steps]))
    losses = lost[tree.is_leaf].sum() + np.append(0.0, np.cumsum(bends.loss_added[steps]))
    last = np.append(np.diff(alphas) > same, True)
    whole = np.rint(n_leaves[last]).astype(np.int64)
    return PruningPath(alphas[last], whole, losses[last], price, ceiling)


class Bends(NamedTuple):
    """What happens at the price of each node, when it becomes a leaf."""

    price: Floats
    leaves_saved: Floats
    loss_added: Floats


class LeftistHeap(NamedTuple):
    """One heap of bends per subtree, largest price on top, linked through the nodes."""

    top: Ints  # of the heap of each subtree; -1 if empty
    left: Ints
    right: Ints
    spine: Ints  # length of the right spine


@typed_kernel
def _find_prices(
    first_child: ReadonlyInts,
    n_children: ReadonlyInt32s,
    loss: Floats,
    bends: Bends,
    heap: LeftistHeap,
) -> None:
    """Set the price of each inner node, with the leaves saved and the loss added there."""
    for node in range(loss.size - 1, -1, -1):
        if n_children[node] == 0:
            continue
        top, lost, leaves = -1, 0.0, float(n_children[node])
        for child in range(first_child[node], first_child[node] + n_children[node]):
            top = _merge(top, heap.top[child], heap, bends.price)
            lost += loss[child]
        alpha = (loss[node] - lost) / (leaves - 1.0)
        while top >= 0 and bends.price[top] > alpha:
            lost -= bends.loss_added[top]
            leaves += bends.leaves_saved[top]
            # It is cut off before it would become a leaf, however the price above is rounded.
            bends.price[top] = np.inf
            top = _merge(heap.left[top], heap.right[top], heap, bends.price)
            alpha = (loss[node] - lost) / (leaves - 1.0)
        bends.price[node] = max(alpha, 0.0)
        bends.leaves_saved[node], bends.loss_added[node] = leaves - 1.0, loss[node] - lost
        heap.left[node], heap.right[node], heap.spine[node] = -1, -1, 0
        heap.top[node] = _merge(node, top, heap, bends.price)


@kernel
def _merge(first: int, second: int, heap: LeftistHeap, price: Floats) -> int:
    """Merge two heaps and return the top."""
    if first < 0:
        return second
    if second < 0:
        return first
    path = -1
    while first >= 0 and second >= 0:
        if price[first] < price[second]:
            first, second = second, first
        below = heap.right[first]
        # The way back up is stored in the link that will be replaced.
        heap.right[first] = path
        path, first = first, below
    merged = max(first, second)
    while path >= 0:
        node, path = path, heap.right[path]
        left = heap.left[node]
        if left < 0 or heap.spine[left] < heap.spine[merged]:
            heap.left[node], heap.right[node] = merged, left
        else:
            heap.right[node] = merged
        right = heap.right[node]
        heap.spine[node] = 0 if right < 0 else heap.spine[right] + 1
        merged = node
    return merged


@typed_kernel
def _lower_to_ancestors(parent: ReadonlyInts, price: Floats) -> None:
    """Lower every price to the lowest of the node's ancestors."""
    for node in range(1, parent.size):
        price[node] = min(price[node], price[parent[node]])
