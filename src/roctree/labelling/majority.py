"""The class of most cases."""

from dataclasses import dataclass

from roctree.labelling.leaves import Labelling, Leaves, sure


@dataclass(frozen=True)
class Majority:
    """Each leaf has the class of most of its cases, the first of equals."""

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        return sure(leaves.shares)
