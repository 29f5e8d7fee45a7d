"""Area and leaves of trees pruned by area, by cost complexity, and not (decision 0010).

Usage: auc_pruning.py [name of a data set ...], in the repository, with the folder of data sets
beside it. Twice five folds, the same for all pruners; the area is Hand and Till's.
"""

import sys

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

from roctree import ROCTreeClassifier
from roctree.pruning import AUCPruning, CostComplexity, Unpruned
from tests.shared_data import load

NAMES = ["pima", "breast-cancer-wisconsin", "liver-bupa", "ionosphere", "heart-statlog"]
NAMES += ["hepatitis", "vehicle", "yeast", "sonar", "haberman", "spect", "climate-crashes"]
NAMES += ["tic-tac-toe", "balance-scale", "cmc"]
PRUNERS = [
    Unpruned(),
    CostComplexity(choice="best"),
    CostComplexity(),
    AUCPruning(),
    AUCPruning(choice="one_se"),
]
SMOOTHERS = ["none", "m_branch"]


def main():
    """Print for each data set the areas without and with smoothing, and the leaves."""
    sums = np.zeros((len(PRUNERS), 3))
    names = sys.argv[1:] or NAMES
    for name in names:
        table = np.array([measured(load(name), pruner) for pruner in PRUNERS])
        sums += table
        print(line(name, table), flush=True)
    print(line("mean", sums / len(names)))


def measured(data, pruner):
    """Return the mean areas and the mean number of leaves."""
    X, y = data.matrix, np.array(data.labels)
    nominal = [kind == "nominal" for kind in data.kinds]
    found = []
    for train, test in RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(X, y):
        tree = ROCTreeClassifier(pruning=pruner, categorical_features=nominal)
        tree.fit(X[train], y[train])
        areas = [area(tree.smoothed(smoother), X[test], y[test]) for smoother in SMOOTHERS]
        found.append([*areas, tree.get_n_leaves()])
    return np.mean(found, axis=0)


def area(tree, X, y):
    """Return the area on test cases."""
    probabilities = tree.predict_proba(X)
    if len(tree.classes_) == 2:
        return roc_auc_score(y, probabilities[:, 1])
    return roc_auc_score(y, probabilities, multi_class="ovo")


def line(name, table):
    """Return a line of a table in Markdown."""
    cells = [f"{raw:.3f} / {smooth:.3f} / {leaves:.0f}" for raw, smooth, leaves in table]
    return f"| {name} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
