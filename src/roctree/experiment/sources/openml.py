"""Data sets of OpenML by name, for users with a network; every answer is kept in a cache."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
from sklearn.datasets import fetch_openml

from roctree.data import Rows, encode_labels
from roctree.errors import DataError
from roctree.experiment.sources.problem import Problem, UnknownDataSetError


@dataclass(frozen=True)
class OpenML:
    """Problems of openml.org.

    Parameters
    ----------
    cache : folder for what was fetched; None for scikit-learn's
    retries : how often to try again when the network fails, at least once
    """

    cache: Path | None = None
    retries: int = 2

    def names(self) -> list[str]:
        """Nothing: there are thousands."""
        return []

    def load(self, name: str) -> Problem:
        """Fetch a data set; ``name@3`` is its version 3, a name alone version 1."""
        bunch = self.fetched(name)
        if bunch.target is None:
            raise DataError(f"OpenML does not say which column of {name!r} is the class.")
        names = tuple(bunch.feature_names)
        known = bunch.categories or {}
        categories = tuple(tuple(known[column]) if column in known else None for column in names)
        classes, labels = encode_labels(np.asarray(bunch.target))
        rows = Rows(np.asarray(bunch.data, np.float64), names, categories)
        return Problem(name, rows, labels, tuple(classes.tolist()))

    def fetched(self, name: str) -> Any:
        """Fetch a data set as scikit-learn has it, nominal values as the numbers of categories."""
        title, _, version = name.partition("@")
        if version and not version.isdigit():
            raise DataError(f"{name!r} names no version: write it as {title}@1.")
        try:
            return self._asked(title, int(version or 1))
        except (URLError, TimeoutError) as error:
            raise DataError(
                f"openml.org does not answer for {name!r} ({error}): try again, or give a folder."
            ) from None
        except ValueError as error:
            is_unknown = type(error).__name__ == "OpenMLError"
            kind = UnknownDataSetError if is_unknown else DataError
            raise kind(f"OpenML's data set {name!r} cannot be used: {error}") from None

    def _asked(self, title: str, version: int) -> Any:
        with warnings.catch_warnings():
            # That it tries again is no news; that it fails in the end is an error.
            warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
            return fetch_openml(
                title,
                version=version,
                data_home=None if self.cache is None else str(self.cache),
                as_frame=False,
                parser="liac-arff",
                n_retries=self.retries,
            )
