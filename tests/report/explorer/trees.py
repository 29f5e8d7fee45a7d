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
def loans(n_rows=1800):
    """Loans that are repaid or not, by weak effects of numbers and categories."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "income": rng.lognormal(10.3, 0.5, n_rows).round(-2),
            "debt_ratio": rng.beta(2, 4, n_rows).round(3),
            "late_payments": rng.poisson(0.8, n_rows).astype(float),
            "home": rng.choice(["rent", "own", "mortgage"], n_rows),
            "years_employed": rng.gamma(2, 3, n_rows).round(1),
        }
    )
    score = 5 * X.debt_ratio + 1.2 * X.late_payments - 4e-5 * X.income + 0.9 * (X.home == "rent")
    score -= 2.2 + 0.15 * X.years_employed
    y = np.where(rng.random(n_rows) < 1.0 / (1.0 + np.exp(-score)), "default", "repaid")
    X.loc[rng.random(n_rows) < 0.05, "income"] = np.nan
    return X, y


@cache
def scorecard(integer=False, calibrated=False):
    """A tree with points for attributes."""
    X, y = loans()
    points = Points(shape="curves", max_attributes=4, integer=integer)
    tree = presets.scorecard(points=points).fit(X[:900], y[:900])
    assert tree.fitted_.points.attributes
    if calibrated:
        tree = tree.calibrated(X[900:1200], y[900:1200])
    return tree, X[1200:].reset_index(drop=True), y[1200:]


@cache
def scorecard_of_wines():
    """A tree with points, of three classes."""
    _, X_test, y_test = wines()
    data = load_wine(as_frame=True)
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    rest = data.data.index.difference(X_test.index)
    tree = ROCTreeClassifier(points="linear", max_leaf_nodes=3)
    return tree.fit(data.data.loc[rest], labels[rest]), X_test.reset_index(drop=True), y_test


@cache
def calibrated_bayes():
    """A Naive Bayes tree whose probabilities are calibrated on some of the other cases."""
    tree, X_test, y_test = bayes()
    rest = slice(150, None)
    calibrated = tree.calibrated(X_test[:150], y_test[:150])
    return calibrated, X_test[rest].reset_index(drop=True), y_test[rest]


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
