"""Growth to so many leaves: the leaf to open next is chosen among all, no deeper than needed."""

from collections.abc import Callable
from dataclasses import replace

from roctree.tree.growth import Growth
from roctree.tree.shape import best_first
from roctree.tree.tree import Tree

_FEW_LEAVES = 64


def grow_best_first(
    grow: Callable[[Growth], Tree],
    growth: Growth,
    max_leaves: int,
    part: Callable[[Tree, int], Tree] = best_first,
) -> Tree:
    """Grow the tree that opens the best leaf again and again until it has ``max_leaves``.

    ``part`` says which leaves are the best: those that gain most, or that raise the area of the
    whole tree most.

    It is part of the whole tree, and if it ends above the depth that was grown, going deeper
    would not change it. So a shallow tree is tried first; one of n leaves has depth n - 1 at most.
    """
    most = int(max_leaves)
    # Trees grown so are seldom deeper than that; with more leaves there is little to be saved.
    likely = 2 * (most - 1).bit_length() + 4 if most <= _FEW_LEAVES else most
    for depth in (min(likely, most), most):
        limit = depth if growth.max_depth is None else min(depth, growth.max_depth)
        tree = part(grow(replace(growth, max_depth=limit)), most)
        if tree.max_depth < limit or limit == growth.max_depth:
            break
    return tree
