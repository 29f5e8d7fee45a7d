"""
Soft thresholds
===============

A tree sends patients with glucose values of 99 and 100 to different branches, although the
training cases determine the threshold only roughly. With ``ranking="soft"``, a case near a
threshold follows both branches, with weights that depend on its distance. The tree itself is the
same.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import roctree
from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.3, stratify=y, random_state=0)
hard = ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=10).fit(X, y)
soft = ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=10, ranking="soft").fit(X, y)
for name, tree in {"hard": hard, "soft": soft}.items():
    curve = tree.roc(X_test, y_test, positive="diabetes")
    interval = curve.auc_interval()
    print(f"{name}: AUC {curve.auc:.3f} ({interval.low:.3f} to {interval.high:.3f})")

# %%
# ``explain`` lists the leaves that a case reaches and their weights.

print(soft.explain(X_test.iloc[0]))

# %%
# Vary one attribute of this patient: the hard tree jumps, the soft one changes gradually.

glucose = np.linspace(60, 200, 281)
copies = pd.DataFrame([X_test.iloc[0]] * len(glucose)).assign(glucose=glucose)
which = list(hard.classes_).index("diabetes")
figure, ax = plt.subplots()
ax.plot(glucose, hard.predict_proba(copies)[:, which], label="hard", drawstyle="steps-mid")
ax.plot(glucose, soft.predict_proba(copies)[:, which], label="soft")
ax.set(
    xlabel="glucose", ylabel="probability of diabetes", title="One patient, one attribute varied"
)
ax.legend()
plt.show()

# %%
# ``frontier`` compares methods of limiting the number of leaves by cross-validation.

sizes = roctree.frontier(X, y, leaves=[4, 8, 16, 32], ways=["best_first", "soft"])
print(sizes)
figure, ax = plt.subplots()
roctree.FrontierDisplay(sizes).plot("auc", ax=ax)
ax.set_title("Size and quality")
plt.show()
