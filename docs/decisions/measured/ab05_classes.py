"""The class of each data set that AB05 may have taken as positive: tree sizes beside its Table 1.

Usage: ``python -m docs.decisions.measured.ab05_classes``
"""

import numpy as np

from roctree.experiment import Bootstrap, Folder, HoldOut
from roctree.presets import j48
from studies.setting import published
from studies.sources import DATA

GROUPS = {
    "glass": [("1", "2", "3"), ("5", "6", "7"), ("1", "3")],
    "newThyroid": [("2", "3")],
    "vehicle": [("opel", "saab"), ("bus", "van")],
}
# For vehicle, where two classes are close, ``python -m studies ab05-vehicle`` has 100 samples.
DESIGNS = {"bootstrap": Bootstrap(repeats=4), "divided": HoldOut(1 / 3, 4)}


def size(problem, design):
    tree = j48(pruning="none", collapse=False)
    leaves = [
        tree.fit(problem.rows[split.train], problem.y[split.train]).get_n_leaves()
        for split in design.splits(problem.labels)
    ]
    return np.mean(leaves)


def main():
    printed = published()["AB05_table1"]["rows"]
    for _, label, name in published()["data_sets"]["AB05"]:
        problem = Folder(DATA).load(name)
        print(label, "paper", printed[label]["leaves_unpruned"][0])
        choices = [*problem.classes, *GROUPS.get(label, [])]
        for positive in choices[:1] if len(problem.classes) == 2 else choices:
            two = problem.against_rest(positive)
            sizes = {key: round(size(two, design), 2) for key, design in DESIGNS.items()}
            share = np.mean(two.y == two.positive)
            print(f"   {positive!s:24} {share:.3f}", sizes)


if __name__ == "__main__":
    main()
