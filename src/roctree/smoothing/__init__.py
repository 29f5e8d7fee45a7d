"""How class counts become the probabilities of a leaf."""

from roctree.smoothing.frequencies import frequencies

__all__ = ["frequencies"]
