"""
Evaluate a tree before the costs are known
==========================================

Which of two trees is better depends on the costs of errors, and on how labels will be chosen once
the costs are known. Each way to choose gives a measure of its own: the error rate, the Brier score,
a function of the AUC, and the loss of the best labels.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from roctree import LossCurveDisplay, ROCTreeClassifier

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.5, stratify=y, random_state=0)
trees = {
    "large, frequencies": ROCTreeClassifier(smoothing="none"),
    "large, smoothed": ROCTreeClassifier(smoothing="m_branch"),
    "small, smoothed": ROCTreeClassifier(smoothing="m_branch", min_samples_leaf=25),
}
curves = {
    name: tree.fit(X, y).roc(X_test, y_test, positive="diabetes") for name, tree in trees.items()
}

# %%
# Expected loss per case if all costs are equally likely. The costs of a false alarm and of a miss
# sum to 2, so that with equal costs every error costs 1. For a rate-driven choice, where a given
# share of the cases is called healthy, only the ranking counts; for a score-driven one the
# probabilities do.

choices = ("fixed", "score_driven", "rate_driven", "optimal")
losses = {
    name: [*(curve.expected_loss(choice) for choice in choices), curve.h_measure()]
    for name, curve in curves.items()
}
print(pd.DataFrame(losses, index=[*choices, "H-measure"]).T.round(3))

# %%
# Three of these losses have other names.

for name, curve in curves.items():
    share = curve.n_positive / (curve.n_positive + curve.n_negative)
    by_auc = share * (1 - share) * (1 - 2 * curve.auc) + 1 / 3
    print(f"{name}: Brier score {curve.reliability().brier:.3f}, by AUC {by_auc:.3f}")

# %%
# The loss of the large tree at each cost; the area below a line is the expected loss. Pure leaves
# have frequencies of 0 and 1, so that taking the probability as the threshold loses much where one
# error is far worse than the other. Smoothing corrects that. The best thresholds are what a
# calibration on these cases would give.

figure, axes = plt.subplots(1, 2, figsize=(13, 5.5), sharey=True, layout="constrained")
for ax, name in zip(axes, ("large, frequencies", "large, smoothed"), strict=True):
    LossCurveDisplay(curves[name], name=name, positive="diabetes").plot(ax=ax)
plt.show()

# %%
# If extreme costs are unlikely, say so: with Beta(2, 2) costs near equality count more.

for name, curve in curves.items():
    middle = curve.expected_loss("score_driven", alpha=2, beta=2)
    print(f"{name}: {middle:.3f}")
