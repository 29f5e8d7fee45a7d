"""Decision trees: the data structure, growth, prediction, pruned shapes, text.

``Tree`` is a frozen set of arrays, and everything else is functions on it. Loops over rows and
nodes are compiled; importing this package does not load the compiler.
"""

from roctree.tree.tree import IS_PRESENT, MIN_PART, NO_BRANCH, Tree

__all__ = ["IS_PRESENT", "MIN_PART", "NO_BRANCH", "Tree"]
