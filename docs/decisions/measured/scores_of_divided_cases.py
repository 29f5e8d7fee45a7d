"""Held-out costs and rates of operating points, for decision 0035.

Usage: ``python -m docs.decisions.measured.scores_of_divided_cases NAME... > points.csv`` on two
versions of the library; ``--ways out_of_fold`` for thresholds chosen by out-of-fold probabilities,
``--tree default`` for hard thresholds. Each row has the rates that a request reports, those of its
predictions on the training cases, and those on the held-out cases of a fold.
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from roctree import ROCTreeClassifier
from roctree.presets import readable
from roctree.roc import Curve
from studies.sources import source_named

RATIOS = (0.05, 0.2, 0.5, 1, 2, 5, 20)
REQUESTS = [
    *({"cost_fp": 1, "cost_fn": ratio} for ratio in RATIOS),
    *({"max_fpr": rate} for rate in (0.05, 0.1, 0.2, 0.3)),
    *({"min_tpr": rate} for rate in (0.8, 0.9, 0.95)),
]
TREES: dict[str, Callable[[], Any]] = {"readable": readable, "default": ROCTreeClassifier}


def splits(name: str, repeats: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield training and held-out cases of a two-class problem; 1 is the rarer class."""
    problem = source_named(None).load(name)
    y = np.asarray(problem.labels)
    y = 1 - y if y.mean() > 0.5 else y
    for repeat in range(repeats):
        for kept, out in StratifiedKFold(5, shuffle=True, random_state=repeat).split(y, y):
            yield problem.rows[kept], y[kept], problem.rows[out], y[out]


def rates(flagged: Any, truth: Any) -> tuple[float, float]:
    """False and true positive rate."""
    return float(flagged[truth == 0].mean()), float(flagged[truth == 1].mean())


def by_request(make: Callable[[], Any], X: Any, y: Any, X_out: Any, y_out: Any) -> Iterator[Any]:
    """The rates of at(...), by training counts and smoothed ones, reported and held out."""
    tree = make().fit(X, y)
    for request in REQUESTS:
        for counts in ("training", "smoothed"):
            chosen = tree.at(**request, positive=1, counts=counts)
            point, own = chosen.operating_point_, rates(chosen.predict(X) == 1, y)
            found = rates(chosen.predict(X_out) == 1, y_out)
            yield counts, request, (point.fpr, point.tpr), own, found


def out_of_fold(make: Callable[[], Any], X: Any, y: Any, X_out: Any, y_out: Any) -> Iterator[Any]:
    """The same for thresholds chosen by out-of-fold probabilities of three folds."""
    scores = np.empty(len(y))
    for kept, out in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        scores[out] = make().fit(X[kept], y[kept]).predict_proba(X[out])[:, 1]
    curve = Curve.from_scores(y, scores, positive=1)
    held_out = make().fit(X, y).predict_proba(X_out)[:, 1]
    for request in REQUESTS:
        if "max_fpr" in request:
            place = int(np.flatnonzero(curve.fpr <= request["max_fpr"] + 1e-12)[-1])
        elif "min_tpr" in request:
            place = int(np.flatnonzero(curve.tpr >= request["min_tpr"] - 1e-12)[0])
        else:
            cost = curve.fp + request["cost_fn"] * (curve.n_positive - curve.tp)
            best = np.flatnonzero(cost <= cost.min() + 1e-9)
            place = int(best[len(best) // 2])
        ends = np.concatenate([[2.0], curve.scores, [-1.0]])
        cut = (ends[place] + ends[place + 1]) / 2.0
        own = float(curve.fpr[place]), float(curve.tpr[place])
        yield "out_of_fold", request, own, own, rates(held_out > cut, y_out)


def main() -> None:
    """Write a row for each data set, fold, request and basis."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="+")
    parser.add_argument("--tree", default="readable", choices=list(TREES))
    parser.add_argument("--ways", default="requests", choices=["requests", "out_of_fold"])
    parser.add_argument("--repeats", type=int, default=2)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    ways = by_request if asked.ways == "requests" else out_of_fold
    out = csv.writer(sys.stdout)
    head = "data basis kind value positives reported_fpr reported_tpr own_fpr own_tpr fpr tpr"
    out.writerow(head.split())
    for name in asked.names:
        for cases in splits(name, asked.repeats):
            for basis, request, reported, own, found in ways(TREES[asked.tree], *cases):
                kind = next(iter(request)) if "cost_fn" not in request else "cost_fn"
                share = float(cases[3].mean())
                out.writerow([name, basis, kind, request[kind], share, *reported, *own, *found])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
