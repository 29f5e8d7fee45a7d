"""Fitted models of every kind that a file may hold, with cases to try them on."""

from functools import cache

import numpy as np
import pandas as pd

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ROCTreeClassifier,
    criterion,
    files,
    presets,
)
from roctree.points import Points
from roctree.pruning import MinimumError
from roctree.smoothing import MBranch
from tests.estimator import weather


@criterion
def purity(table):
    total = 0.0
    for branch in range(table.shape[0]):
        total += abs(table[branch, 0] - table[branch, 1])
    return total


def jeffreys(tree):
    added = tree.counts + 0.5
    return added / added.sum(axis=1, keepdims=True)


def as_bytes(model):
    """The content of the file of an estimator."""
    return files.as_bytes(model._described_model())


def from_bytes(data):
    """The estimator of a file's content."""
    return files.as_estimator(files.from_bytes(data))


def _weather(**parameters):
    X, y = weather.frame()
    return ROCTreeClassifier(min_samples_leaf=4, **parameters).fit(X, y), X


def _three_classes(**parameters):
    X, y = _of_three()
    return ROCTreeClassifier(min_samples_leaf=5, **parameters).fit(X, y), X


def _of_three():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3)).round(1)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(size=90) > 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def _at(model_and_cases, **request):
    model, X = model_and_cases
    return model.at(**request), X


def _calibrated(model_and_cases, y):
    model, X = model_and_cases
    return model.calibrated(X[::2], y[::2]), X


def _held_out():
    model, X = _weather()
    _, y = weather.frame()
    return model.at(max_fpr=0.2, randomise=True, random_state=7, counts=(X, y)), X


def _scorecard(n_classes=2, **parameters):
    X, y = _additive(n_classes)
    model = ROCTreeClassifier(max_leaf_nodes=4, ranking="soft", **parameters).fit(X, y)
    assert model.points_.scorecard.attributes
    return model, X


def _additive(n_classes=2):
    """Cases of many weak effects, which a small tree cannot hold."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(240, 6)).round(2), columns=list("abcdef"))
    X["kind"] = np.array(["x", "y", "z"])[rng.integers(0, 3, 240)]
    score = X[list("abcdef")].sum(axis=1) + (X["kind"] == "x") + 0.5 * rng.normal(size=240)
    X = X.mask(rng.random(X.shape) < 0.05)
    return X, np.digitize(score, [0.0, 1.5][: n_classes - 1])


def _points_held_out():
    model, X = _scorecard(points="linear")
    _, y = _additive()
    return model.at(max_fpr=0.2, randomise=True, random_state=7, counts=(X, y)), X


def _preset():
    X, y = weather.frame()
    return presets.j48().fit(X, pd.Series(y, name="what to do")), X


def _one_leaf():
    return ROCTreeClassifier().fit([[1.0], [2.0]], ["same", "same"]), np.array([[1.5], [np.nan]])


MODELS = {
    "default": _weather,
    "multiway": lambda: _weather(nominal="multiway", missing="category", criterion="gain_ratio"),
    "branch": lambda: _weather(missing="branch", nominal="one_vs_rest"),
    "three classes": _three_classes,
    "balanced": lambda: _three_classes(class_weight="balanced", labels="majority"),
    "weights by label": lambda: _weather(class_weight={"home": 2, "play": np.float32(0.5)}),
    "costs": lambda: _at(_weather(), cost_fp=1, cost_fn=5),
    "costs of three": lambda: _at(
        _three_classes(), cost_matrix=[[0, 1, 9], [1, 0, 1], [2, 1, 0]], prior=[0.2, 0.3, 0.5]
    ),
    "undecided": lambda: _at(_weather(), cost_fp=1, cost_fn=3, cost_reject=0.3),
    "undecided of three": lambda: _at(_three_classes(), cost_reject=0.2),
    "calibrated": lambda: _calibrated(_weather(), weather.frame()[1]),
    "calibrated of three": lambda: _calibrated(_three_classes(), _of_three()[1]),
    "calibrated, at costs": lambda: _at(
        _calibrated(_weather(), weather.frame()[1]), cost_fp=1, cost_fn=3, counts="smoothed"
    ),
    "rate": lambda: _at(_weather(), min_tpr=0.9),
    "f measure": lambda: _at(_weather(), beta=2.0, positive="home"),
    "threshold": lambda: _at(_weather(), threshold=0.3),
    "held out and by chance": _held_out,
    "pruned under costs": lambda: _weather(pruning=MinimumError(m=2, costs={"home": 5, "play": 1})),
    "smoothed by choice": lambda: _weather(smoothing=MBranch(M="auto")),
    "global": lambda: _weather(ranking="global", metric={"warmth": 3.5}),
    "local": lambda: _three_classes(ranking="local", metric=np.array([1.0, 2.0, 0.5])),
    "soft": lambda: _weather(ranking="soft", width=0.5),
    "geometric": lambda: _weather(geometric_probability=True),
    "preset": _preset,
    "points": lambda: _scorecard(points="linear"),
    "points that do not help": lambda: _weather(points=Points(max_attributes=1)),
    "curves of three": lambda: _scorecard(3, points=Points("curves", tree_weight="free")),
    "whole points": lambda: _scorecard(points=Points(integer=True)),
    "points at costs": lambda: _at(_scorecard(points="curves"), cost_fp=1, cost_fn=5),
    "points, held out and by chance": _points_held_out,
    "one leaf": _one_leaf,
    "own criterion": lambda: _weather(criterion=purity),
    "own smoother": lambda: _weather(smoothing=jeffreys),
}
OWN = ("own criterion", "own smoother", "cells, own smoother")


def _naive_bayes(**parameters):
    X, y = scattered()
    return NaiveBayesTreeClassifier(**parameters).fit(X, y), X


def scattered():
    """Cases of three kinds of columns, by which a Naive Bayes tree is split."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 3, 200), rng.integers(0, 2, 200)
    number = rng.normal(size=200).round(2) + second
    y = np.where(first == 0, second, np.where(first == 1, 1 - second, number > 0.5))
    number[rng.random(200) < 0.1] = np.nan
    X = {"kind": np.array(["a", "b", "c"])[first], "number": number, "sign": second == 1}
    return pd.DataFrame(X), np.array(["no", "yes"])[y.astype(int)]


def _nb_held_out():
    model, X = _naive_bayes()
    _, y = scattered()
    point = model.at(max_fpr=0.2, randomise=True, random_state=7, counts=(X[:50], y[:50]))
    return point, X


def _cells(n_classes=3, **parameters):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int) + (X[:, 1] > 1) * (n_classes == 3)
    return MultiscaleClassifier(**parameters).fit(X, y), X


def _cells_held_out():
    model, X = _cells(2)
    return model.at(min_tpr=0.8, counts=(X[:20], [0, 1] * 10)), X


SYSTEMS = {
    "naive bayes": _naive_bayes,
    "naive bayes, one leaf": lambda: _naive_bayes(min_samples_split=1000, folds="kinds"),
    "naive bayes of three": lambda: (NaiveBayesTreeClassifier().fit(*_of_three()), _of_three()[0]),
    "naive bayes at costs": lambda: _at(_naive_bayes(), cost_fp=1, cost_fn=5),
    "naive bayes, undecided": lambda: _at(_naive_bayes(), cost_reject=0.1),
    "naive bayes, calibrated": lambda: _calibrated(_naive_bayes(), scattered()[1]),
    "naive bayes at a threshold": lambda: _at(_naive_bayes(), threshold=0.7),
    "naive bayes, held out and by chance": _nb_held_out,
    "cells": _cells,
    "cells of bounds": lambda: _cells(bounds=[(-1, 1), (0, 2), (-4, 4)], max_level=32),
    "cells, one leaf": lambda: _cells(max_level=0),
    "cells, pruned and merged": lambda: _cells(2, pruning="minimum_error", merge_leaves=True),
    "cells, pruned under costs": lambda: _cells(
        2, pruning=MinimumError(m=2, costs={0: 5, 1: 1}), labels="majority"
    ),
    "cells at costs": lambda: _at(_cells(2), cost_fp=1, cost_fn=5, positive=0),
    "cells, undecided": lambda: _at(_cells(2, max_level=2), cost_reject=0.2, positive=0),
    "cells, calibrated": lambda: _calibrated(_cells(2), np.arange(60) % 2),
    "cells, held out": _cells_held_out,
    "cells, own smoother": lambda: _cells(smoothing=jeffreys),
}
ALL = MODELS | SYSTEMS


@cache
def fitted(name):
    """The model of that name, and cases to try it on."""
    return ALL[name]()
