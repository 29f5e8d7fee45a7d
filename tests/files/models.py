"""Fitted trees of every kind that a file may hold, with cases to try them on."""

from functools import cache

import numpy as np
import pandas as pd

from roctree import ROCTreeClassifier, criterion, presets
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


def _weather(**parameters):
    X, y = weather.frame()
    return ROCTreeClassifier(min_samples_leaf=4, **parameters).fit(X, y), X


def _three_classes(**parameters):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3)).round(1)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(size=90) > 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return ROCTreeClassifier(min_samples_leaf=5, **parameters).fit(X, y), X


def _at(model_and_cases, **request):
    model, X = model_and_cases
    return model.at(**request), X


def _held_out():
    model, X = _weather()
    _, y = weather.frame()
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
    "one leaf": _one_leaf,
    "own criterion": lambda: _weather(criterion=purity),
    "own smoother": lambda: _weather(smoothing=jeffreys),
}
OWN = ("own criterion", "own smoother")


@cache
def fitted(name):
    """The model of that name, and cases to try it on."""
    return MODELS[name]()
