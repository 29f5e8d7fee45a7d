"""The data sets of ``studies/data`` and the results of other programs, for all tests.

The reader here is independent of ``roctree.experiment.Folder``, so that one checks the other.
"""

import csv
import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[1] / "studies" / "data"
ORACLE = Path(__file__).parent / "oracle"


@dataclass(frozen=True)
class SharedData:
    """One file as it is: strings, empty where a value is missing."""

    name: str
    names: list
    kinds: list  # "nominal" or "numeric"
    columns: list  # a tuple of strings per attribute
    labels: tuple

    @property
    def categories(self):
        """The values of each nominal attribute sorted as strings, None if numeric."""
        return [
            tuple(sorted(set(column) - {""})) if kind == "nominal" else None
            for kind, column in zip(self.kinds, self.columns, strict=True)
        ]

    @property
    def classes(self):
        return sorted(set(self.labels))

    @property
    def is_numeric_and_complete(self):
        return "nominal" not in self.kinds and not any("" in column for column in self.columns)

    @property
    def matrix(self):
        """Numbers, codes of categories, NaN where missing."""
        return np.column_stack(
            [_numbers(*pair) for pair in zip(self.columns, self.categories, strict=True)]
        )

    @property
    def codes(self):
        """The place of each label among the sorted classes."""
        return np.searchsorted(self.classes, self.labels).astype(np.int32)

    @property
    def frame(self):
        """A pandas data frame, its nominal columns categorical."""
        pandas = pytest.importorskip("pandas")
        series = {}
        for name, column, categories in zip(self.names, self.columns, self.categories, strict=True):
            values = [value or None for value in column]
            series[name] = (
                pandas.Categorical(values, categories)
                if categories is not None
                else pandas.Series(values, dtype=float)
            )
        return pandas.DataFrame(series)

    @property
    def dataset(self):
        """A ``Dataset`` with every category declared."""
        from roctree.data import Dataset, Schema

        schema = Schema(tuple(self.names), tuple(self.categories), np.array(self.classes))
        return Dataset(self.matrix, self.codes, np.ones(len(self.labels)), schema)


@cache
def load(name):
    """The data set of that name in the manifest."""
    entry = manifest()[name]
    with gzip.open(DATA / entry["file"], "rt", newline="") as file:
        *columns, labels = zip(*list(csv.reader(file))[1:], strict=True)
    attributes = entry["attributes"]
    names, kinds = ([attribute[key] for attribute in attributes] for key in ("name", "kind"))
    return SharedData(name, names, kinds, columns, labels)


@cache
def manifest():
    """The description of each data set, by name."""
    entries = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    return {entry["name"]: entry for entry in entries}


@cache
def oracle(name):
    """The results of another program: "weka" or "definitions"."""
    return json.loads((ORACLE / f"{name}.json").read_text(encoding="utf-8"))


def _numbers(column, categories):
    if categories is None:
        return np.array([float(value) if value else np.nan for value in column])
    codes = {category: code for code, category in enumerate(categories)}
    return np.array([codes.get(value, np.nan) for value in column], dtype=float)
