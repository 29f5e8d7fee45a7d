"""
Choose costs after training
===========================

Costs are often unknown during training, change later, or differ between hospitals. :meth:`at
<roctree.ROCTreeClassifier.at>` relabels the leaves of a fitted tree for given costs; splits and
probabilities stay the same.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from roctree import ROCHullDisplay, ROCTreeClassifier

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(
    data.data.filter(like="mean"), y, test_size=0.5, stratify=y, random_state=0
)
tree = ROCTreeClassifier(max_leaf_nodes=6, min_samples_leaf=8).fit(X, y)
print(tree.to_text())

# %%
# Of the 64 possible labellings of six leaves, only a few are optimal for some costs. Each is
# optimal for a range of cost ratios, so the exact ratio matters little.

print(tree.labellings(positive="malignant"))

# %%
# A missed tumour is worse than a needless biopsy. Compare the same tree at three cost ratios.

for cost_of_a_miss in (1, 5, 20):
    labelled = tree.at(cost_fp=1, cost_fn=cost_of_a_miss, positive="malignant")
    found = labelled.predict(X_test) == "malignant"
    missed = (~found & (y_test == "malignant")).sum()
    needless = (found & (y_test == "benign")).sum()
    print(f"a miss costs {cost_of_a_miss:>2}: {missed} missed, {needless} needless biopsies")

# %%
# In ROC space, costs determine the slope of the lines of equal cost. The best labelling is where
# the highest of these lines touches the convex hull.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.4))
for ax, cost_of_a_miss in zip(axes, (1, 20), strict=True):
    labelled = tree.at(cost_fp=1, cost_fn=cost_of_a_miss, positive="malignant")
    ROCHullDisplay.from_estimator(labelled, X_test, y_test, positive="malignant", ax=ax)
    ax.set_title(f"miss : false alarm = {cost_of_a_miss} : 1")
plt.show()
