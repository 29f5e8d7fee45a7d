"""
Distil a forest into one tree
=============================

A forest ranks better than a tree but cannot be read. :func:`roctree.distill` grows one tree from
the probabilities of the forest. Its leaves count the true labels of the training cases, so
probabilities, costs and ROC curves keep their meaning.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import roctree

table = pd.read_csv("../../studies/data/sonar.csv.gz")
y = table.pop("class").map({"M": "mine", "R": "rock"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.5, stratify=y, random_state=0)
forest = RandomForestClassifier(100, random_state=0).fit(X, y)


def area(model):
    return roc_auc_score(y_test == "rock", model.predict_proba(X_test)[:, 1])


rows = []
for leaves in (4, 8, 16, 32):
    rows.append(
        {
            "leaves": leaves,
            "grown on labels": area(roctree.ROCTreeClassifier(max_leaf_nodes=leaves).fit(X, y)),
            "with soft thresholds": area(
                roctree.ROCTreeClassifier(max_leaf_nodes=leaves, ranking="soft").fit(X, y)
            ),
            "distilled": area(roctree.distill(forest, X, y, max_leaf_nodes=leaves, random_state=0)),
        }
    )
result = pd.DataFrame(rows).set_index("leaves")
print(result.round(3))
print(f"forest: {area(forest):.3f}")

# %%
# A distilled tree is as readable as any other tree of its size. With 104 training cases and 60
# attributes the gain is large; with thousands of cases, a tree grown on the labels is often as
# good.

print(roctree.distill(forest, X, y, max_leaf_nodes=8, random_state=0).to_text())

# %%

ax = result.plot(marker="o", logx=True)
ax.axhline(area(forest), color="black", linestyle=":", label="forest of 100 trees")
ax.set_xticks(result.index, result.index)
ax.minorticks_off()
ax.set(ylabel="AUC on test cases", title="Sonar: mine or rock?")
ax.legend()
plt.show()
