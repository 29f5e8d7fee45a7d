"""Where the data of the papers come from: this repository, another folder, or OpenML.

``openml_copies.json`` lists the data sets that OpenML has as the papers used them, sometimes under
other names and with other class labels. The steps of a derivation (``roctree.experiment.sources``)
turn each copy into the papers' variant. A copy with other numbers of rows or class counts is
rejected.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from roctree.errors import DataError
from roctree.experiment import BuiltIn, Folder, OpenML, Problem, UnknownDataSetError
from roctree.experiment.sources import ProblemSource, TextTable, unknown_data_set

HOME = Path(__file__).parent
DATA = HOME / "data"


def source_named(text: str | None) -> ProblemSource:
    """Return the source that a user names.

    Parameters
    ----------
    text : str or None
        None for the data of this repository, "openml", "builtin", or a folder with a manifest.
    """
    if text == "openml":
        return OpenMLCopies(OpenML())
    return BuiltIn() if text == "builtin" else Folder(DATA if text is None else Path(text))


@dataclass(frozen=True)
class OpenMLCopies:
    """The data sets of the papers under our names, downloaded from OpenML.

    Parameters
    ----------
    source : OpenML
        Where they are downloaded from.
    """

    source: OpenML

    def names(self) -> list[str]:
        """Return the data sets that OpenML has."""
        return sorted(copies())

    def load(self, name: str) -> Problem:
        """Download a data set and derive the variant of the papers."""
        if name not in copies():
            raise unknown_data_set(name, self.names(), "OpenML")
        known = copies()[name]
        steps = known.get("derivation", {})
        table = _text_table(self.source.fetch(known["openml"]))
        try:
            derived = table.derive(steps, name)
            derived.check(known["result"], name)
        except DataError as error:
            raise UnknownDataSetError(
                f"OpenML's {known['openml']!r} is not the data set of the papers: {error}"
            ) from None
        return derived.problem(name, steps.get("positive_class"))


@cache
def copies() -> dict[str, Any]:
    """Return the description of OpenML's copies, by our names."""
    found: dict[str, Any] = json.loads((HOME / "openml_copies.json").read_text("utf-8"))
    return found


def _text_table(bunch: Any) -> TextTable:
    names, nominal = list(bunch.feature_names), bunch.categories or {}
    columns = [
        [_cell(value, nominal.get(name)) for value in column]
        for name, column in zip(names, np.asarray(bunch.data).T.tolist(), strict=True)
    ]
    kinds = {name: "nominal" if name in nominal else "numeric" for name in names}
    labels = [str(label) for label in bunch.target]
    return TextTable(names, kinds, [list(row) for row in zip(*columns, labels, strict=True)])


def _cell(value: float, categories: list[str] | None) -> str:
    if value != value:
        return ""
    return repr(value) if categories is None else str(categories[int(value)])
