"""How much longer prediction takes with soft thresholds than with hard ones, by leaves.

Usage: ``python docs/decisions/measured/soft_prediction.py``. Prints the least and the median of
processor times over repeats in which both take turns; only the ratios say anything.
"""

from time import process_time

import numpy as np

from roctree import ROCTreeClassifier
from roctree.tree.prediction import decision_path, mix

N_ROWS, N_ATTRIBUTES, REPEATS = 100_000, 20, 12


def cases():
    random = np.random.default_rng(0)
    X = random.standard_normal((N_ROWS, N_ATTRIBUTES))
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2.0 * X[:, 3]) + 0.5 * X[:, 4]
    return X, (score + random.standard_normal(N_ROWS) > 0.0).astype(int)


def times(trees, X, table):
    found = [[] for _ in trees]
    for tree in trees:
        mix(tree, X, table)
    for _ in range(REPEATS):
        for tree, seconds in zip(trees, found, strict=True):
            begin = process_time()
            mix(tree, X, table)
            seconds.append(process_time() - begin)
    return 1000.0 * np.array(found)


def main():
    X, y = cases()
    print("leaves, nodes hard and soft, ms hard and soft, ratio of least and of median")
    for leaves in (16, 64, 1000, 3000, 20_000):
        least = 20 if leaves < 10_000 else 1
        model = ROCTreeClassifier(ranking="soft", max_leaf_nodes=leaves, min_samples_leaf=least)
        soft = model.fit(X, y).tree_
        hard = model.ranked("leaf").tree_
        nodes = [decision_path(tree, X[:5000]).getnnz(axis=1).mean() for tree in (hard, soft)]
        found = times([hard, soft], X, model.probabilities_)
        least_times, medians = found.min(axis=1), np.median(found, axis=1)
        print(
            soft.n_leaves,
            *(f"{each:.1f}" for each in (*nodes, *least_times)),
            *(f"{each[1] / each[0]:.1f}" for each in (least_times, medians)),
            flush=True,
        )


if __name__ == "__main__":
    main()
