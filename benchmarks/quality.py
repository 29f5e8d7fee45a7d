"""How well single trees rank, on the data sets of the papers, beside a forest and a booster.

Usage: ``python -m benchmarks.quality FOLDER [--repeats N] [--most-rows N] [--only NAME ...]``; the
folder holds the data sets and their manifest. All methods have the same folds. It prints a table of
geometric means; times are of this machine while it ran, and only ratios say anything.
"""

import argparse
import runpy
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import roctree
from roctree import ROCTreeClassifier, presets
from roctree.roc import mauc
from roctree.smoothing import MBranch

PAPER = "001"
FOLDS = 5
SEED = 1000
HEAD = ("method", "sets", "Hand-Till", "pairwise", "log-loss", "Brier", "leaves", "fit ms")


class Teacher:
    """Distillation as an estimator."""

    def __init__(self, **options):
        self.options = options

    def fit(self, X, y):
        return roctree.distill("auto", X, y, **self.options)


class Peer:
    """An estimator of scikit-learn that wants numbers: one column for each category."""

    def __init__(self, make: Callable, one_hot: bool = True):
        self.make, self.one_hot = make, one_hot

    def fit(self, X, y):
        self.columns = None
        encoded = self._encoded(X)
        self.columns = encoded.columns
        self.estimator = self.make().fit(encoded, y)
        self.classes_ = self.estimator.classes_
        return self

    def predict_proba(self, X):
        return self.estimator.predict_proba(self._encoded(X))

    def get_n_leaves(self):
        tree = getattr(self.estimator, "best_estimator_", self.estimator)
        return tree.get_n_leaves() if hasattr(tree, "get_n_leaves") else np.nan

    def _encoded(self, X):
        if not self.one_hot:
            return X.assign(**{name: X[name].cat.codes for name in X.select_dtypes("category")})
        encoded = pd.get_dummies(X).astype(float)
        return encoded if self.columns is None else encoded.reindex(columns=self.columns)


def tuned_tree():
    grid = {"min_samples_leaf": [1, 2, 5, 10, 20], "ccp_alpha": [0.0, 0.002, 0.005, 0.01, 0.02]}
    return GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3, scoring="neg_log_loss")


METHODS = {
    "msee, m-branch, multiway (paper)": lambda: ROCTreeClassifier(
        nominal="multiway", missing="category"
    ),
    "default": ROCTreeClassifier,
    "best_ranking": presets.best_ranking,
    "best_ranking, M = 8": lambda: presets.best_ranking(smoothing=MBranch(M=8)),
    "readable (32 leaves)": presets.readable,
    "readable, 16 leaves": lambda: presets.readable(max_leaves=16),
    "readable, 8 leaves": lambda: presets.readable(max_leaves=8),
    "soft, best first, 32 leaves": lambda: presets.best_ranking(max_leaves=32),
    "soft, best first, 16 leaves": lambda: presets.best_ranking(max_leaves=16),
    "soft, best first, 8 leaves": lambda: presets.best_ranking(max_leaves=8),
    "distilled": Teacher,
    "distilled, 64 leaves": lambda: Teacher(max_leaves=64),
    "distilled, 32 leaves": lambda: Teacher(max_leaves=32),
    "distilled, 16 leaves": lambda: Teacher(max_leaves=16),
    "scikit-learn tree": lambda: Peer(lambda: DecisionTreeClassifier(random_state=0)),
    "scikit-learn tree, tuned": lambda: Peer(tuned_tree),
    "forest of 200": lambda: Peer(lambda: RandomForestClassifier(200, random_state=0)),
    "gradient boosting": lambda: Peer(
        lambda: HistGradientBoostingClassifier(random_state=0), one_hot=False
    ),
}


def problems(folder: Path, most_rows: int):
    """The tables of the paper that have no more rows, by name: data frame and labels."""
    script = runpy.run_path(str(folder / "check.py"))
    for entry in script["manifest"]()["datasets"]:
        for variant in entry["variants"]:
            serves = any(use["paper"] == PAPER for use in variant["serves"])
            if serves and variant["result"]["rows"] <= most_rows:
                _, rows = script["load"](entry["name"])
                known = script["derive"](entry["attributes"], rows, variant["derivation"])
                yield variant["id"], *frame(*known)


def frame(attributes, rows):
    *columns, labels = zip(*rows, strict=True)
    series = {}
    for attribute, column in zip(attributes, columns, strict=True):
        values = [value or None for value in column]
        nominal = attribute["kind"] == "nominal"
        series[attribute["name"]] = (
            pd.Categorical(values) if nominal else pd.Series(values, dtype=float)
        )
    return pd.DataFrame(series), np.array(labels)


def measured(make, X, y, repeats):
    """Means over the folds: both areas, log-loss, Brier score, leaves, milliseconds."""
    found = []
    for repeat in range(repeats):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED + repeat)
        for train, test in folds.split(X, y):
            begin = perf_counter()
            tree = make().fit(X.iloc[train], y[train])
            seconds = perf_counter() - begin
            shares = tree.predict_proba(X.iloc[test])
            truth = (y[test][:, None] == tree.classes_).astype(float)
            found.append(
                [
                    mauc(shares, truth),
                    mauc(shares, truth, pairs="renormalised"),
                    -np.log(np.maximum((shares * truth).sum(axis=1), 1e-6)).mean(),
                    ((shares - truth) ** 2).sum(axis=1).mean(),
                    tree.get_n_leaves(),
                    1000.0 * seconds,
                ]
            )
    return np.mean(found, axis=0)


def table(results):
    """The means over all data sets, as lines of a page."""
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    for name, found in results.items():
        rows = np.array(list(found.values()))
        areas = 100.0 * np.exp(np.log(rows[:, :2]).mean(axis=0))
        loss, brier, leaves, time = rows[:, 2:].mean(axis=0)
        cells = [name, str(len(rows)), f"{areas[0]:.2f}", f"{areas[1]:.2f}", f"{loss:.3f}",
                 f"{brier:.4f}", f"{leaves:.0f}", f"{time:.0f}"]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--most-rows", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=list(METHODS), choices=list(METHODS))
    arguments = parser.parse_args()
    # Peers warn of folds in which a rare category or class is absent.
    warnings.simplefilter("ignore")
    results = {name: {} for name in arguments.only}
    for problem, X, y in problems(arguments.folder, arguments.most_rows):
        for name in arguments.only:
            results[name][problem] = measured(METHODS[name], X, y, arguments.repeats)
        areas = " ".join(f"{100 * results[name][problem][0]:.1f}" for name in arguments.only)
        print(f"{problem:32} {areas}", flush=True)
    print(table(results))


if __name__ == "__main__":
    main()
