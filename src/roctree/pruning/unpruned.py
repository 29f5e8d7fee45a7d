"""No pruning."""

from dataclasses import dataclass
from typing import Any

from roctree.tree.tree import Tree


@dataclass(frozen=True)
class Unpruned:
    """The tree as it has grown."""

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the tree itself."""
        return tree
