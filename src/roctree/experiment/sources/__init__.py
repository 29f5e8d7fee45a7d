"""Where the data of a study come from: a folder, what is built in, or OpenML.

A source is anything with ``names()`` and ``load(name)``.
"""

from pathlib import Path
from typing import Protocol

from roctree.experiment.sources.builtin import BuiltIn
from roctree.experiment.sources.folder import Folder
from roctree.experiment.sources.openml import OpenML
from roctree.experiment.sources.problem import Problem

__all__ = ["BuiltIn", "Folder", "OpenML", "Problem", "Source", "source_of"]


class Source(Protocol):
    """Problems by name."""

    def names(self) -> list[str]:
        """The names that can be loaded, as far as they are known."""

    def load(self, name: str) -> Problem:
        """The problem of that name, or ``DataError``."""


def source_of(text: str | None) -> Source:
    """Return the source that a user names: nothing for what is built in, "openml", or a folder."""
    if text is None:
        return BuiltIn()
    return OpenML() if text == "openml" else Folder(Path(text))
