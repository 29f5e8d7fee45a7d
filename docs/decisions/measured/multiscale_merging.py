"""Whether it helps to remove subtrees of cells in part (decision 0013).

Usage: multiscale_merging.py [name of a data set ...], in the repository, with the folder of data
sets beside it. As in section 4.1 of Bradley and Lovell: ten times 70 % for training, 13 ratios of
costs, minimum-error pruning with m = 8 and error-based pruning with cf = 0.01; rows with missing
values are left out.
"""

import sys

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from roctree import MultiscaleClassifier
from roctree.pruning import ErrorBased, MinimumError
from roctree.roc.arithmetic import upper_hull
from tests.shared_data import load

NAMES = ["breast-cancer-wisconsin", "pima", "liver-bupa", "haberman", "breast-wdbc", "ionosphere"]
NAMES += ["climate-crashes", "sonar", "spam"]
PRUNERS = {"minimum error": MinimumError(m=8.0), "error based": ErrorBased(cf=0.01)}
N_DIVISIONS = 10


def main():
    """Print for each data set and pruner what pruning alone and with merging give."""
    head = ["data", "pruner", "leaves", "accuracy", "AUC", "m-branch AUC", "points", "hull"]
    print("| " + " | ".join(head) + " |")
    sums = {name: [] for name in PRUNERS}
    for name in sys.argv[1:] or NAMES:
        X, y = complete(load(name))
        for title, pruner in PRUNERS.items():
            table = measured(X, y, pruner)
            sums[title].append(table)
            print(line(name, title, table), flush=True)
    for title, tables in sums.items():
        print(line("mean", title, np.mean(tables, axis=0)))


def complete(data):
    """Return the rows without missing values, and whether each is of the rarer class."""
    X, y = data.matrix, np.array(data.labels)
    known = ~np.isnan(X).any(axis=1)
    classes, counts = np.unique(y[known], return_counts=True)
    return X[known], (y[known] == classes[counts.argmin()]).astype(int)


def measured(X, y, pruner):
    """Return means over the divisions: a row without merging, and one with it."""
    divisions = StratifiedShuffleSplit(N_DIVISIONS, test_size=0.3, random_state=0)
    found = []
    for train, test in divisions.split(X, y):
        grown = MultiscaleClassifier().fit(X[train], y[train])
        known = X[test], y[test]
        found.append([outcome(grown, pruner, merge, *known) for merge in (False, True)])
    return np.mean(found, axis=0)


def outcome(grown, pruner, merge, X, y):
    """Return leaves, accuracy and areas at equal costs, operating points and their area."""
    cells = grown.set_params(merge_leaves=merge).pruned(pruner)
    curve = grown.cost_pruning_curve(None, X, y, method=pruner)
    points = {(point.fpr, point.tpr) for point in curve} | {(0.0, 0.0), (1.0, 1.0)}
    return [
        cells.get_n_leaves(),
        cells.score(X, y),
        roc_auc_score(y, cells.predict_proba(X)[:, 1]),
        roc_auc_score(y, cells.smoothed("m_branch").predict_proba(X)[:, 1]),
        len({point for point in points if point not in {(0.0, 0.0), (1.0, 1.0)}}),
        hull_area(points),
    ]


def hull_area(points):
    """Return the area below the convex hull of points."""
    x, y = np.array(sorted(points)).T
    corners = upper_hull(x, np.maximum.accumulate(y))
    return np.trapezoid(np.maximum.accumulate(y)[corners], x[corners])


def line(name, title, table):
    """Return a line of a table in Markdown, the numbers without merging before those with it."""
    formats = ["{:.0f}", "{:.3f}", "{:.3f}", "{:.3f}", "{:.1f}", "{:.3f}"]
    pairs = zip(formats, *table, strict=True)
    cells = [f"{form.format(before)} → {form.format(after)}" for form, before, after in pairs]
    return f"| {name} | {title} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
