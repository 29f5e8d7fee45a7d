"""The claims of BL95's text about its figures, under several readings of what it leaves open.

Usage: ``python -m docs.decisions.measured.bl95_readings``. For each reading: the change of accuracy
if a false alarm or a miss costs 1.5, the ratio with the highest accuracy, the number of leaves at
16 : 1 and 32 : 1, and the misses within 50 % and 10 % of false alarms.
"""

import numpy as np

from roctree import MultiscaleClassifier
from roctree.experiment import Folder
from roctree.pruning import ErrorBased, MinimumError
from studies.bl95 import DESIGN, POSITIVE, TREES, fill_missing
from studies.sources import DATA

SETS = {"BREAST": "breast-cancer-wisconsin", "PIMA": "pima"}
PRUNERS = {
    "minimum error, m = 8": MinimumError(m=8),
    "error limits, 1 %": ErrorBased(cf=0.01),
    "error limits, one standard error": ErrorBased(cf=0.1587),
    "error limits, 25 %": ErrorBased(cf=0.25),
}
DEARER_FALSE_ALARM, EQUAL, DEARER_MISS, RATIOS = 3, 5, 7, (11, 12)


def trees(name):
    yield "cells", MultiscaleClassifier()
    if name == "BREAST":
        yield "cells of four bits", MultiscaleClassifier(bounds=(0, 16))
    yield "axis-parallel", TREES["axis-parallel"](name)


def sweep(problem, tree, pruner, name):
    found = []
    for split in DESIGN.splits(problem.labels):
        fitted = tree.fit(problem.rows[split.train], problem.y[split.train])
        test = problem.rows[split.test], problem.y[split.test]
        curve = fitted.cost_pruning_curve(None, *test, method=pruner, positive=POSITIVE[name])
        found.append([(each.fpr, each.tpr, each.n_leaves) for each in curve])
    return np.mean(found, axis=0).T, [(each.cost_fn, each.cost_fp) for each in curve]


def main():
    for name, file in SETS.items():
        problem = fill_missing(Folder(DATA).load(file))
        share = np.mean(problem.y == POSITIVE[name])
        for kind, tree in trees(name):
            for words, pruner in PRUNERS.items():
                for leaves in ("keep", "relabel"):
                    chosen = type(pruner)(**{**vars(pruner), "leaves": leaves})
                    (fpr, tpr, size), costs = sweep(problem, tree, chosen, name)
                    accuracy = 100 * (share * tpr + (1 - share) * (1 - fpr))
                    misses = [100 * (1 - tpr[fpr <= limit].max(initial=0)) for limit in (0.5, 0.1)]
                    best = costs[int(np.argmax(accuracy))]
                    print(
                        f"{name:7}{kind:19}{words:34}{leaves:8}",
                        f"equal {accuracy[EQUAL]:.1f} % {size[EQUAL]:5.1f} leaves,",
                        f"1 : 1.5 {accuracy[DEARER_FALSE_ALARM] - accuracy[EQUAL]:+.2f},",
                        f"1.5 : 1 {accuracy[DEARER_MISS] - accuracy[EQUAL]:+.2f},",
                        f"best at {best[0]:g} : {best[1]:g}, leaves",
                        " ".join(f"{size[ratio]:.1f}" for ratio in RATIOS),
                        f"misses {misses[0]:.1f} % {misses[1]:.1f} %",
                    )


if __name__ == "__main__":
    main()
