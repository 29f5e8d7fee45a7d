"""
A tree with a scorecard
=======================

A small tree cannot use attributes whose effects are weak everywhere. ``presets.scorecard()`` grows
a small tree and adds points for a few attributes, which correct the log-odds of the leaf. Tree and
points fit on one page.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from roctree import ROCTreeClassifier, presets

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
model = presets.scorecard(max_leaf_nodes=6).fit(table, y)

# %%
# The tree, and below it the points of each attribute: they are interpolated linearly between the
# values listed. ``model.points_`` is the table alone.

print(model.to_text())

# %%
# Cross-validation: the tree alone, with soft thresholds, and with points.

models = {
    "tree": ROCTreeClassifier(max_leaf_nodes=6),
    "soft thresholds": ROCTreeClassifier(max_leaf_nodes=6, ranking="soft"),
    "tree and points": presets.scorecard(max_leaf_nodes=6),
}
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
measured = pd.DataFrame(
    {
        name: cross_val_score(each, table, y, cv=folds, scoring="roc_auc")
        for name, each in models.items()
    }
)
print(measured.mean().round(3).to_string())

ax = measured.mean().plot.barh(xerr=measured.std(), capsize=3, width=0.6, figsize=(7.2, 2.8))
ax.set(xlabel="AUC, mean and deviation of 10 folds", xlim=(0.6, 0.9))
ax.set_title("Diabetes, six leaves")
plt.show()
