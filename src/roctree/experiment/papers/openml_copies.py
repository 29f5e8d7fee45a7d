"""The papers' data sets at OpenML: under which name, and what is to be made of them.

``openml_copies.json`` has those that OpenML holds as the papers used them, though the set or its
classes are called otherwise: the steps of ``roctree.experiment.sources.derivation`` give the
variants of the papers, with as many rows and cases of each class. A copy of which that does not
hold is refused.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from roctree.errors import DataError
from roctree.experiment.sources import BuiltIn, Folder, OpenML, Problem, Source, UnknownDataSetError
from roctree.experiment.sources.derivation import Text, check_result
from roctree.experiment.sources.problem import unknown


@dataclass(frozen=True)
class OpenMLCopies:
    """The papers' data sets, under our names, fetched from OpenML.

    Parameters
    ----------
    source : where they are fetched
    """

    source: OpenML

    def names(self) -> list[str]:
        """The data sets that OpenML has."""
        return sorted(copies())

    def load(self, name: str) -> Problem:
        """Fetch a data set and derive the variant of the papers."""
        if name not in copies():
            raise unknown(name, self.names(), "OpenML")
        known = copies()[name]
        steps = known.get("derivation", {})
        text = _text(self.source.fetched(known["openml"]))
        try:
            derived = text.derived(steps, name)
            check_result(derived, known["result"], name)
        except DataError as error:
            raise UnknownDataSetError(
                f"OpenML's {known['openml']!r} is not the data set of the papers: {error}"
            ) from None
        return derived.problem(name, steps.get("positive_class"))


def source_of(text: str | None) -> Source:
    """Return the source that a user names: nothing for what is built in, "openml", or a folder."""
    if text is None:
        return BuiltIn()
    return OpenMLCopies(OpenML()) if text == "openml" else Folder(Path(text))


@cache
def copies() -> dict[str, Any]:
    """Return what is known of OpenML's copies, by our names."""
    text = files("roctree.experiment.papers").joinpath("openml_copies.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _text(bunch: Any) -> Text:
    """What was fetched as a table of text."""
    names, nominal = list(bunch.feature_names), bunch.categories or {}
    columns = [
        [_cell(value, nominal.get(name)) for value in column]
        for name, column in zip(names, np.asarray(bunch.data).T.tolist(), strict=True)
    ]
    kinds = {name: "nominal" if name in nominal else "numeric" for name in names}
    labels = [str(label) for label in bunch.target]
    return Text(names, kinds, [list(row) for row in zip(*columns, labels, strict=True)])


def _cell(value: float, categories: list[str] | None) -> str:
    if value != value:
        return ""
    return repr(value) if categories is None else str(categories[int(value)])
