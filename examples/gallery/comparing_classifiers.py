"""
Compare classifiers on many data sets
=====================================

``roctree.experiment`` evaluates classifiers on the same folds of many data sets, stores the results
in a file, and tests the differences for significance.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from roctree import ROCTreeClassifier, presets
from roctree.experiment import CrossValidation, Folder, Plan, run

source = Folder("../../studies/data")
problems = [
    source.load(name)
    for name in ("breast-wpbc", "haberman", "heart-statlog", "liver-bupa", "pima", "sonar")
]
trees = {
    "scikit-learn": DecisionTreeClassifier(random_state=0),
    "C4.5": presets.c45(),
    "roctree": ROCTreeClassifier(),
    "readable": presets.readable(),
}
plan = Plan.of(problems, trees, CrossValidation(folds=5), metrics=["auc", "log_loss"])
results = run(plan, Path(tempfile.mkdtemp()) / "runs.sqlite")
print(results.table("auc", against="scikit-learn").markdown())

# %%
# A + marks results that are significantly better than those of the reference by the corrected
# resampled t-test, which allows for overlapping training sets. A run that was interrupted resumes
# where it stopped, with the same results.
#
# Friedman's test compares the mean ranks over all data sets.

ranks = results.ranks("auc")
print(ranks)

# %%

means = results.means("auc")
figure, ax = plt.subplots()
for number, problem in enumerate(results.problems):
    ax.plot(means[number], range(len(trees)), marker="o", label=problem, linewidth=0.8)
ax.set_yticks(range(len(trees)), list(trees))
ax.set(xlabel="AUC, five folds", title="Four trees on six data sets")
ax.legend(fontsize="small")
plt.show()
