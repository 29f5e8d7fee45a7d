"""Trees of every kind that the explorer shows."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier
from tests.estimator import weather

EVIL = '</script><img src=x onerror="window.hacked=1"><b>\'&amp; \u2028 🌳'


@cache
def tumours():
    """Two classes, numbers only: the tree, and cases that did not grow it."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, labels, test_size=0.5, random_state=0)
    return ROCTreeClassifier(min_samples_leaf=4).fit(X, y), X_test, y_test


@cache
def wines():
    """Three classes."""
    data = load_wine(as_frame=True)
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    X, X_test, y, y_test = train_test_split(data.data, labels, test_size=0.5, random_state=1)
    return ROCTreeClassifier(min_samples_leaf=3, max_depth=4).fit(X, y), X_test, y_test


@cache
def outings():
    """Two classes, a branch for each category, no values missing."""
    X, y = weather.complete(400, seed=1)
    tree = ROCTreeClassifier(nominal="multiway", min_samples_leaf=5).fit(X[:240], y[:240])
    return tree, X[240:], y[240:]


@cache
def gaps():
    """Categories in two sets, and missing values."""
    X, y = weather.frame(400, seed=2)
    tree = ROCTreeClassifier(min_samples_leaf=8).fit(X[:240], y[:240])
    return tree, X[240:].reset_index(drop=True), y[240:]


@cache
def hostile():
    """Names, categories and classes that would be markup if they were taken for it."""
    X, y = weather.complete(200, seed=3)
    X = pd.DataFrame(
        {
            f"{EVIL}1": X.warmth,
            'sky"`${window.hacked=1}`': X.sky.replace({"sun": EVIL, "rain": "'; DROP TABLE--"}),
            "wind\\": X.wind,
        }
    )
    y = np.where(y == "play", EVIL, "<i>no</i>")
    return ROCTreeClassifier(min_samples_leaf=5, nominal="multiway").fit(X, y), X, y


@cache
def noise(n_rows=45_000, seed=0):
    """Labels by chance: some twenty thousand leaves."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((n_rows, 4)), rng.integers(0, 2, n_rows)
    return ROCTreeClassifier().fit(X, y)
