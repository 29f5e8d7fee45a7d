"""How a tree is cut back, by name; one line here adds a pruner."""

from collections.abc import Callable

from roctree.tree.tree import Tree

Pruner = Callable[[Tree], Tree]


def unpruned(tree: Tree) -> Tree:
    """Return the tree as it has grown."""
    return tree


PRUNING: dict[str, Pruner] = {
    "none": unpruned,
}

__all__ = ["PRUNING", "Pruner", "unpruned"]
