"""Where the data of a study come from: a folder, what is built in, or OpenML.

A source is anything with ``names()`` and ``load(name)``.
"""

from typing import Protocol

from roctree.experiment.sources.builtin import BuiltIn
from roctree.experiment.sources.folder import Folder
from roctree.experiment.sources.openml import OpenML
from roctree.experiment.sources.problem import Problem, UnknownDataSetError

__all__ = ["BuiltIn", "Folder", "OpenML", "Problem", "Source", "UnknownDataSetError"]


class Source(Protocol):
    """Problems by name."""

    def names(self) -> list[str]:
        """The names that can be loaded, as far as they are known."""

    def load(self, name: str) -> Problem:
        """The problem of that name; ``UnknownDataSetError`` if there is none."""
