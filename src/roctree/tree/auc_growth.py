"""Moved to ``roctree.tree.shape``; kept until the last import is changed."""

from roctree.tree.shape import largest_area

__all__ = ["largest_area"]
