"""
Your own criterion
==================

A criterion is a function of the contingency table of a split, which holds the weight of each class
in each branch. A decorated Python function is compiled and runs as fast as the built-in criteria.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate

import roctree
from roctree.checks import check_criterion


@roctree.criterion(convex=True)
def kolmogorov_smirnov(table):
    """Half the sum over branches of |P(branch | class 0) - P(branch | class 1)|."""
    negatives = positives = 0.0
    for branch in range(table.shape[0]):
        negatives += table[branch, 0]
        positives += table[branch, 1]
    if negatives == 0.0 or positives == 0.0:
        return 0.0
    distance = 0.0
    for branch in range(table.shape[0]):
        distance += abs(table[branch, 0] / negatives - table[branch, 1] / positives)
    return 0.5 * distance


# %%
# ``check_criterion`` tests the properties that tree growth relies on, for example that the order of
# branches does not matter, and that the criterion is convex as declared.

check_criterion(kolmogorov_smirnov)

# %%
# Pass the function as ``criterion``.

X, y = load_breast_cancer(return_X_y=True)
measured = {}
for name, criterion in {
    "kolmogorov_smirnov": kolmogorov_smirnov,
    "gini": "gini",
    "gain_ratio": "gain_ratio",
    "auc": "auc",
    "msee (default)": "msee",
}.items():
    tree = roctree.ROCTreeClassifier(criterion=criterion, max_leaf_nodes=12, min_samples_leaf=5)
    measured[name] = cross_validate(tree, X, y, cv=10, scoring="roc_auc")["test_score"]
result = pd.DataFrame(measured)
print(result.mean().round(3))

# %%

figure, ax = plt.subplots()
ax.boxplot([result[name] for name in result], orientation="horizontal")
ax.set_yticks(range(1, 1 + len(result.columns)), result.columns)
ax.set(xlabel="AUC, ten folds", title="Twelve leaves on the breast-cancer data")
plt.show()
