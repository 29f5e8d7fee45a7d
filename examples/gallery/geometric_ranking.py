"""
Rank by distance, and the nearest change
========================================

All cases in a leaf have the same probability, so small trees produce many ties. Ranking by distance
from the decision boundary breaks them without additional leaves (Alvarez and Bernard 2005). The
same geometry answers which change of a case would change its label.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(
    data.data[["worst area", "worst concave points"]], y, test_size=0.5, stratify=y, random_state=0
)
tree = ROCTreeClassifier(max_leaf_nodes=4, min_samples_leaf=5).fit(X, y)
for ranking in ("leaf", "local", "global"):
    scores = tree.ranked(ranking).decision_function(X_test)
    print(f"{ranking:<7} AUC {roc_auc_score(y_test == 'malignant', scores):.3f}")

# %%
# Ranking by distance helps if errors lie near the boundary; ``boundary_report`` tests that.

print(tree.boundary_report(X_test, y_test))

# %%
# The smallest changes after which three malignant cases would be classified as benign.

malignant = X_test[tree.predict(X_test) == "malignant"].iloc[[0, 3, 9]]
changes = tree.nearest_change(malignant, to="benign")
print(changes)

# %%
# Signed distance from the decision boundary. Arrows show the changes.

area = np.linspace(X["worst area"].min(), 2500, 160)
points = np.linspace(0, X["worst concave points"].max(), 160)
grid = np.stack(np.meshgrid(area, points), axis=-1).reshape(-1, 2)
frame = X_test.iloc[:0].reindex(range(len(grid)))
frame[:] = grid
distance = tree.ranked("global").decision_function(frame).reshape(160, 160)

figure, ax = plt.subplots(figsize=(7, 4.6))
image = ax.pcolormesh(area, points, distance, cmap="PuOr_r", vmin=-0.5, vmax=0.5)
ax.contour(area, points, distance, levels=[0], colors="black", linewidths=1)
for label, marker, colour in (("benign", "o", "white"), ("malignant", "^", "black")):
    here = X_test[y_test == label].to_numpy()
    ax.scatter(*here.T, s=14, marker=marker, color=colour, edgecolors="0.3", lw=0.5, label=label)
for before, after in zip(malignant.to_numpy(), np.array(changes.changed()), strict=True):
    ax.annotate("", after, before, arrowprops={"arrowstyle": "->", "linewidth": 1.6})
figure.colorbar(image, label="signed distance")
ax.set(xlim=(area[0], area[-1]), xlabel="worst area", ylabel="worst concave points")
ax.legend()
plt.show()
