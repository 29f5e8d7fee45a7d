"""Moved to ``roctree.tree.shape``; kept until the last import is changed."""

from roctree.tree.shape import grow_best_first

__all__ = ["grow_best_first"]
