"""How class counts become probabilities: smoothers by name; one line here adds one.

A smoother is a function from a tree to probabilities, see ``roctree.smoothing.protocol``. Only
the counts of the tree matter, so that a fitted tree is smoothed anew in microseconds.
"""

from typing import Any

from roctree import strategy
from roctree.smoothing.curtailment import Curtailment
from roctree.smoothing.frequencies import Frequencies
from roctree.smoothing.hierarchical_shrinkage import HierarchicalShrinkage
from roctree.smoothing.laplace import Laplace
from roctree.smoothing.m_branch import MBranch
from roctree.smoothing.m_estimate import MEstimate
from roctree.smoothing.protocol import Smoother, choices, probabilities

SMOOTHING: dict[str, Smoother] = {
    "none": Frequencies(),
    "laplace": Laplace(),
    "m_estimate": MEstimate(),
    "m_branch": MBranch(),
    "hierarchical_shrinkage": HierarchicalShrinkage(),
    "curtailment": Curtailment(),
}

__all__ = [
    "SMOOTHING",
    "Curtailment",
    "Frequencies",
    "HierarchicalShrinkage",
    "Laplace",
    "MBranch",
    "MEstimate",
    "Smoother",
    "choices",
    "probabilities",
    "resolve",
]


def resolve(smoothing: str | Smoother, **options: Any) -> Smoother:
    """The smoother of that name, or the smoother itself, with some options set anew."""
    found = strategy.resolve("smoothing", smoothing, SMOOTHING, callable)
    return strategy.configured(found, options)
