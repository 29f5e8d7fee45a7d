"""Moved to ``roctree.tree.prediction``; kept until the last import is changed."""

from roctree.tree.prediction import apply, class_counts, decision_path, divided, mix

__all__ = ["apply", "class_counts", "decision_path", "divided", "mix"]
