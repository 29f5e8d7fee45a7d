"""
Prune under costs
=================

Relabelling does not change the size of a tree. For a smaller tree, prune it under the costs: each
cost ratio gives a different tree, and together they trace a ROC curve (Bradley and Lovell 1995).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from roctree import CostPruningDisplay, ROCTreeClassifier

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(data.data, y, test_size=0.4, stratify=y, random_state=1)
tree = ROCTreeClassifier(smoothing="laplace").fit(X, y)
curve = tree.cost_pruning_curve(None, X_test, y_test, positive="malignant")
print(curve)

# %%
# Each row is a tree pruned from the same large tree by its class counts; nothing is refitted.
# ``for_fnr`` returns the costs to prune with for a required rate of misses.

point = curve.for_fnr(0.05)
careful = tree.pruned(point.pruner)
print(f"{tree.get_n_leaves()} leaves before pruning, {careful.get_n_leaves()} after")
print(careful.to_text())

# %%
# The labels of the points are cost ratios, miss : false alarm.

figure, ax = plt.subplots(figsize=(6, 4.8))
CostPruningDisplay(curve).plot(ax=ax)
ax.set_title("One tree, pruned under 13 cost ratios")
plt.show()
