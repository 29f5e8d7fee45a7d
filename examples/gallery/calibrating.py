"""
Calibrate a tree and follow a changing population
=================================================

Probabilities of leaves come from the cases that grew the tree. Held-out cases correct them without
refitting: adjacent leaves are pooled until the share of the class rises with the probability.
Unlabelled cases are enough to notice that class shares have changed, and to adapt to it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from roctree import ReliabilityDisplay, ROCTreeClassifier

table = pd.read_csv("../../studies/data/spam.csv.gz")
y = table.pop("class").map({0: "mail", 1: "spam"})
X, X_rest, y, y_rest = train_test_split(table, y, test_size=0.6, stratify=y, random_state=0)
X_held, X_test, y_held, y_test = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
)
tree = ROCTreeClassifier(smoothing="none", min_samples_leaf=5).fit(X, y)
better = tree.calibrated(X_held, y_held)

# %%
# On the diagonal probabilities are correct. The line is the isotonic regression of the test cases,
# whose pools are the edges of the ROC hull; dots are leaves.

figure, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
for ax, (name, model) in zip(
    axes, {"frequencies": tree, "calibrated": better}.items(), strict=True
):
    ReliabilityDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax)
plt.show()

# %%
# Miscalibration is how much lower the Brier score would be with the probabilities of that line.

for name, model in {"frequencies": tree, "calibrated": better}.items():
    found = model.roc(X_test, y_test).reliability()
    print(f"{name}: Brier score {found.brier:.3f}, miscalibration {found.miscalibration:.3f}")

# %%
# Each probability has an interval, from the held-out cases of its pool.

pools = better.leaf_table().to_pandas()[["probability spam", "low spam", "high spam"]]
print(pools.drop_duplicates().sort_values("probability spam").round(3).to_string(index=False))

# %%
# Another mailbox gets less spam. Its messages have no labels, but they are distributed differently
# over the leaves, and other class shares explain it.

rare = np.flatnonzero(y_test == "spam")[:100]
places = np.concatenate([rare, np.flatnonzero(y_test == "mail")])
new, truth = X_test.iloc[places], y_test.iloc[places]
shares = better.estimate_prior(new, counts=(X_held, y_held))
print(shares)
print(f"true share of spam {(truth == 'spam').mean():.3f}")

# %%
# With these shares the leaves are labelled for that mailbox.

for name, model in {"as trained": better, "adapted": better.at(prior=shares)}.items():
    print(f"{name}: error rate {1 - model.score(new, truth):.3f}")
