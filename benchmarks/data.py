"""The data sets: made from fixed seeds, so that every process has the same rows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_iris, make_classification

MISSING_SHARE = 0.1
SEED = 0


class TrainAndTest(NamedTuple):
    """Rows to fit and rows held out."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


@dataclass(frozen=True)
class Recipe:
    """How a data set is generated, and its name in tables."""

    title: str
    n_rows: int
    n_columns: int
    make: Callable[[int, int], tuple[Any, np.ndarray]]
    kind: str = "numeric"

    @property
    def n_test(self) -> int:
        return min(max(self.n_rows, 1_000), 20_000)


def numeric(n_rows: int, n_columns: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n_rows,
        n_columns,
        n_informative=min(8, n_columns),
        n_redundant=0,
        n_classes=n_classes,
        flip_y=0.1,
        random_state=SEED,
    )
    return X.astype(np.float32), y


def ten_classes(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    return numeric(n_rows, n_columns, n_classes=10)


def with_missing(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = numeric(n_rows, n_columns)
    X[np.random.default_rng(SEED).random(X.shape) < MISSING_SHARE] = np.nan
    return X, y


def nominal(n_rows: int, n_columns: int) -> tuple[Any, np.ndarray]:
    """Columns of 5, 10, 15 ... categories, each of which shifts the odds of the second class."""
    import pandas as pd

    generator = np.random.default_rng(SEED)
    columns, log_odds = {}, np.zeros(n_rows)
    for number in range(n_columns):
        n_categories = 5 * (number + 1)
        codes = generator.integers(0, n_categories, n_rows)
        log_odds += generator.normal(0.0, 0.7, n_categories)[codes]
        names = [f"value {code}" for code in range(n_categories)]
        columns[f"column {number}"] = pd.Categorical.from_codes(codes, names)
    y = generator.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))
    return pd.DataFrame(columns), y.astype(np.int64)


def iris(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    return load_iris(return_X_y=True)


DATA: dict[str, Recipe] = {
    "tiny": Recipe("300 × 4", 300, 4, numeric),
    "iris": Recipe("iris, 150 × 4", 150, 4, iris, "iris"),
    "1k": Recipe("1k × 10", 1_000, 10, numeric),
    "20k": Recipe("20k × 50", 20_000, 50, numeric),
    "200k": Recipe("200k × 20", 200_000, 20, numeric),
    "1M": Recipe("1M × 20", 1_000_000, 20, numeric),
    "5M": Recipe("5M × 20", 5_000_000, 20, numeric),
    "10M": Recipe("10M × 20", 10_000_000, 20, numeric),
    "missing": Recipe("200k × 20, 10 % missing", 200_000, 20, with_missing, "missing"),
    "classes": Recipe("200k × 20, 10 classes", 200_000, 20, ten_classes, "classes"),
    "nominal": Recipe("1M × 10 nominal", 1_000_000, 10, nominal, "nominal"),
}


@lru_cache(maxsize=1)
def load(name: str) -> TrainAndTest:
    """Make a data set; a few rows are held out (for iris, all rows are used again)."""
    recipe = DATA[name]
    if recipe.make is iris:
        X, y = iris(recipe.n_rows, recipe.n_columns)
        return TrainAndTest(X, y, X, y)
    X, y = recipe.make(recipe.n_rows + recipe.n_test, recipe.n_columns)
    n = recipe.n_rows
    return TrainAndTest(X[:n], y[:n], X[n:], y[n:])
