"""Trees of every kind that the explorer shows."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from roctree import MultiscaleClassifier, NaiveBayesTreeClassifier, ROCTreeClassifier, presets
from roctree.points import Points
from roctree.report.explorer import data_document
from tests.estimator import weather

EVIL = '</script><img src=x onerror="window.hacked=1"><b>\'&amp; \u2028 🌳'


def document(classifier, X_test=None, y_test=None, **options):
    """The data document of a fitted classifier."""
    return data_document(classifier.fitted_, X_test, y_test, **options)


@cache
def tumours():
    """Two classes, numbers only: the tree, and cases that did not grow it."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, labels, test_size=0.5, random_state=0)
    return ROCTreeClassifier(min_samples_leaf=4).fit(X, y), X_test, y_test


@cache
def readable():
    """Two classes and eight leaves: small enough to be read."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, labels, test_size=0.5, random_state=0)
    return ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=4).fit(X, y), X_test, y_test


@cache
def many():
    """Two hundred leaves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6))
    score = X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] ** 2 + np.sin(3 * X[:, 4])
    y = np.where(rng.random(6000) < 1.0 / (1.0 + np.exp(-score)), "repaid", "default")
    X = pd.DataFrame(X, columns=["income", "debt", "age", "utilisation", "tenure", "balance"])
    tree = ROCTreeClassifier(max_leaf_nodes=200, min_samples_leaf=5, pruning="none")
    return tree.fit(X[:4000], y[:4000]), X[4000:], y[4000:]


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
def soft():
    """Soft thresholds, categories and missing values."""
    _, X_test, y_test = gaps()
    X, y = weather.frame(400, seed=2)
    tree = ROCTreeClassifier(min_samples_leaf=8, ranking="soft").fit(X[:240], y[:240])
    return tree, X_test, y_test


@cache
def soft_wines():
    """Three classes and soft thresholds, all numbers."""
    _, X_test, y_test = wines()
    data = load_wine(as_frame=True)
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    rest = data.data.index.difference(X_test.index)
    tree = ROCTreeClassifier(ranking="soft", max_leaf_nodes=8).fit(
        data.data.loc[rest], labels[rest]
    )
    return tree, X_test, y_test


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
def bayes():
    """A Naive Bayes tree with splits, of two classes, categories and missing values."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 90, 900).astype(float),
            "pressure": rng.normal(120, 20, 900).round(),
            "smoker": rng.choice(["never", "once", "now"], 900),
        }
    )
    # What a high pressure means depends on smoking: no single table could say it.
    high = np.where(X.smoker == "now", X.pressure < 115, X.pressure > 125)
    ill = np.where(high, 0.7, 0.1) + 0.2 * (X.age > 60)
    y = np.where(rng.random(900) < ill, "ill", "well")
    X.loc[rng.random(900) < 0.05, "smoker"] = None
    X.loc[rng.random(900) < 0.05, "age"] = np.nan
    tree = NaiveBayesTreeClassifier().fit(X[:600], y[:600])
    return tree, X[600:].reset_index(drop=True), y[600:]


@cache
def bayes_of_wines():
    """A Naive Bayes tree of three classes."""
    _, X_test, y_test = wines()
    data = load_wine(as_frame=True)
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    rest = data.data.index.difference(X_test.index)
    tree = NaiveBayesTreeClassifier().fit(data.data.loc[rest], labels[rest])
    return tree, X_test.reset_index(drop=True), y_test


@cache
def scorecard(integer=False):
    """A small tree with points: numbers, categories and missing values."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 90, 900).astype(float),
            "pressure": rng.normal(120, 20, 900).round(),
            "weight": rng.normal(75, 12, 900).round(1),
            "smoker": rng.choice(["never", "once", "now"], 900),
        }
    )
    score = (X.age - 55) / 18 + (X.pressure - 120) / 20 + 1.5 * (X.smoker == "now") - 0.6
    y = np.where(score + (X.weight - 75) / 15 + rng.logistic(size=900) > 0, "ill", "well")
    X.loc[rng.random(900) < 0.05, "smoker"] = None
    X.loc[rng.random(900) < 0.05, "age"] = np.nan
    points = Points("curves", integer=integer)
    tree = presets.scorecard(max_leaf_nodes=4, points=points).fit(X[:600], y[:600])
    return tree, X[600:].reset_index(drop=True), y[600:]


@cache
def scorecard_of_wines():
    """A tree with points of three classes."""
    _, X_test, y_test = wines()
    data = load_wine(as_frame=True)
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    rest = data.data.index.difference(X_test.index)
    tree = presets.scorecard(max_leaf_nodes=4).fit(data.data.loc[rest], labels[rest])
    return tree, X_test.reset_index(drop=True), y_test


@cache
def cells(merge_leaves=False):
    """Cells of two attributes, some of them never seen in training."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"east": rng.normal(0, 1, 500), "north": rng.normal(0, 1, 500)})
    y = np.where(X.east**2 + X.north**2 + rng.normal(0, 0.5, 500) > 1.5, "outside", "inside")
    pruning = "minimum_error" if merge_leaves else "none"
    model = MultiscaleClassifier(max_level=4, pruning=pruning, merge_leaves=merge_leaves)
    return model.fit(X[:300], y[:300]), X[300:].reset_index(drop=True), y[300:]


@cache
def noise(n_rows=45_000, seed=0):
    """Labels by chance: some twenty thousand leaves."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((n_rows, 4)), rng.integers(0, 2, n_rows)
    return ROCTreeClassifier().fit(X, y)
