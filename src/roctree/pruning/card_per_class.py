"""The pruning of Ferri, Flach and Hernández-Orallo's study: no splits of nodes with few cases."""

from dataclasses import dataclass
from typing import Any, Literal

from roctree.strategy import check_choices, check_number
from roctree.tree.shape import cut
from roctree.tree.tree import Tree


@dataclass(frozen=True)
class CardPerClass:
    """A node of few cases becomes a leaf, whatever its subtree is worth.

    Parameters
    ----------
    K
        The larger, the smaller the tree; 0 prunes nothing.
    rule
        "printed" prunes nodes of less than 2 K / classes cases, as the paper says: for few classes
        and small K that is next to nothing. "per_class" prunes those of less than 2 K classes, as
        its name and its motive suggest.
    """

    K: float = 1.0
    rule: Literal["printed", "per_class"] = "printed"

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "K")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        factor = 1.0 / tree.n_classes if self.rule == "printed" else float(tree.n_classes)
        return cut(tree, tree.weight < 2.0 * self.K * factor)
