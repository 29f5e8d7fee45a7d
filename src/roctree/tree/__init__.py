"""Decision trees: the data structure, growth, prediction, pruned shapes, text.

``Tree`` is a frozen set of arrays. Everything else is a module of functions on it; those that loop over rows or nodes
are compiled, and importing this package does not load the compiler.
"""

from roctree.tree.tree import IS_PRESENT, NO_BRANCH, Tree

__all__ = ["IS_PRESENT", "NO_BRANCH", "Tree"]
