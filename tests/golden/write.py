"""Write the golden files of the present version, those that are not there yet.

Usage: ``python -m tests.golden.write``. A file, once released, is never written again: it shows
that what an old release has saved is still read, and says what was predicted then.
"""

import json
import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ROCTreeClassifier,
    presets,
)
from roctree.points import Points
from tests.estimator import weather
from tests.files.models import as_bytes, scattered

HOME = Path(__file__).parent


def iris():
    data = load_iris()
    labels = data.target_names[data.target]
    return ROCTreeClassifier(max_leaf_nodes=5).fit(data.data, labels), data.data[::15].tolist()


def weather_costs():
    X, y = weather.frame()
    tree = ROCTreeClassifier(min_samples_leaf=4, nominal="multiway").fit(X, y)
    return tree.at(cost_fp=1, cost_fn=3, positive="home"), _rows(X)


def weather_c45():
    X, y = weather.frame()
    return presets.c45().fit(X, y), _rows(X)


def weather_geometric():
    X, y = weather.frame()
    tree = ROCTreeClassifier(min_samples_leaf=9, geometric_probability=True, ranking="global")
    return tree.fit(X, y), _rows(X)


def weather_soft():
    X, y = weather.frame()
    return presets.readable(max_leaf_nodes=9).fit(X, y), _rows(X)


def weather_divided():
    X, y = weather.frame()
    return presets.readable(max_leaf_nodes=9).fit(X, y).at(max_fpr=0.1), _rows(X)


def naive_bayes():
    X, y = scattered()
    return NaiveBayesTreeClassifier().fit(X, y).at(cost_fp=1, cost_fn=3, positive="no"), _rows(X)


def iris_cells():
    data = load_iris()
    labels = data.target_names[data.target]
    cells = MultiscaleClassifier(pruning="minimum_error", merge_leaves=True)
    return cells.fit(data.data, labels), data.data[::15].tolist()


def weather_scorecard():
    X, y = weather.frame(200)
    points = Points(shape="curves", max_attributes=3)
    tree = presets.readable(max_leaf_nodes=4, points=points).fit(X, y)
    return tree.at(cost_fp=1, cost_fn=3, positive="home"), _rows(X)


MODELS = [
    iris,
    weather_costs,
    weather_c45,
    weather_geometric,
    weather_soft,
    weather_divided,
    naive_bayes,
    iris_cells,
    weather_scorecard,
]


def expected(model, rows):
    """What a model says of some rows, as values of JSON."""
    cells = np.array(rows, dtype=object)
    found = {
        "rows": rows,
        "label": model.predict(cells).tolist(),
        "probability": model.predict_proba(cells).tolist(),
        "score": model.decision_function(cells).tolist(),
        "text": model.to_text().splitlines(),
    }
    # A case of a Naive Bayes tree goes by all its attributes, not by its leaf alone.
    return found | {"leaf": model.apply(cells).tolist()} if hasattr(model, "apply") else found


def _rows(frame):
    cells = frame.astype(object).where(frame.notna(), None)
    return cells.iloc[::12].to_numpy().tolist()


def main():
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")
    for make in MODELS:
        if not list(HOME.glob(f"{make.__name__}-*.json")):
            model, rows = make()
            # A file has the first version of the format that can hold its model.
            version = json.loads(as_bytes(model))["version"]
            path = HOME / f"{make.__name__}-{version}.json"
            model.save(path)
            text = json.dumps(expected(model, rows), indent=1)
            path.with_suffix(".expected").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
