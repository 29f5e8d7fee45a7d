"""
Another prevalence
==================

A model is trained on a study in which a third of the patients are ill, and used in a population
in which one in fifty is. ``at(prior=...)`` relabels the leaves for the new prevalence; neither
resampling nor refitting is needed.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.5, stratify=y, random_state=0)
tree = ROCTreeClassifier(min_samples_leaf=25).fit(X, y)
print(f"{(y == 'diabetes').mean():.0%} of the training cases have diabetes")

# %%
# With equal costs, an alarm is rarely worthwhile if the disease is rare. It is if a missed case
# costs twenty times as much as a false alarm.

for prior in (0.35, 0.10, 0.02):
    for cost_of_a_miss in (1, 20):
        point = tree.at(prior=prior, cost_fn=cost_of_a_miss, positive="diabetes").operating_point_
        print(
            f"prevalence {prior:4.0%}, a miss costs {cost_of_a_miss:>2}: "
            f"FPR {point.fpr:.2f}, TPR {point.tpr:.2f}, cost per case {point.expected_cost:.3f}"
        )

# %%
# Expected cost per case against prevalence. The labels chosen for the study cost about the same at
# every prevalence; if the disease is rare, that is more than calling everybody healthy. The
# relabelled tree is close to the better of the two throughout.

priors = np.linspace(0.005, 0.6, 60)
positives, negatives = X_test[y_test == "diabetes"], X_test[y_test == "healthy"]


def cost(labelled, prior):
    misses = (labelled.predict(positives) == "healthy").mean()
    alarms = (labelled.predict(negatives) == "diabetes").mean()
    return prior * misses * 5 + (1 - prior) * alarms


trained = tree.at(cost_fn=5, positive="diabetes")
figure, ax = plt.subplots()
ax.plot(priors, [cost(trained, prior) for prior in priors], label="labels of the study")
relabelled = [cost(tree.at(prior=p, cost_fn=5, positive="diabetes"), p) for p in priors]
ax.plot(priors, relabelled, label="relabelled by at(prior=...)")
ax.plot(priors, np.minimum(5 * priors, 1 - priors), "k:", label="one label for everybody")
ax.set(xlabel="prevalence", ylabel="cost per case (a miss costs 5)", ylim=(0, 0.9))
ax.set_title("Cost on test cases, by prevalence of the population")
ax.legend()
plt.show()
