"""Moved to ``roctree.tree.shape``; kept until the last import is changed."""

from roctree.tree.shape import (
    Flags,
    Floats,
    Ints,
    better_as_leaves,
    importances,
    kept_nodes,
    of_one_label,
    over_leaves,
    over_subtrees,
    places_in,
    with_those_below,
)

__all__ = [
    "Flags",
    "Floats",
    "Ints",
    "better_as_leaves",
    "importances",
    "kept_nodes",
    "of_one_label",
    "over_leaves",
    "over_subtrees",
    "places_in",
    "with_those_below",
]
