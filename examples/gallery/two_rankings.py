"""
Is the difference in AUC real?
==============================

Two models rank the same test cases. DeLong's paired test compares their AUC; confidence bands show
the uncertainty of the curves.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from roctree import presets, roc

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.5, stratify=y, random_state=0)
models = {
    "readable tree": presets.readable().fit(X, y),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
}
scores = {
    name: model.predict_proba(X_test)[:, list(model.classes_).index("diabetes")]
    for name, model in models.items()
}
test = roc.compare(y_test, *scores.values(), positive="diabetes")
print(f"AUC {test.first:.3f} and {test.second:.3f}, p = {test.p:.2f}")
print(f"difference between {test.interval.low:.3f} and {test.interval.high:.3f}")

# %%
# The interval includes 0: these cases do not show which model ranks better.
#
# ``roctree.roc`` works with the scores of any classifier.

figure, ax = plt.subplots(figsize=(5.4, 4.8))
for name, score in scores.items():
    curve = roc.Curve.from_scores(y_test, score, positive="diabetes")
    band = curve.band(n_samples=300)
    (line,) = ax.plot(curve.fpr, curve.tpr, label=f"{name}, AUC {curve.auc:.3f}")
    ax.fill_between(band.fpr, band.low, band.high, alpha=0.15, color=line.get_color())
ax.plot([0, 1], [0, 1], "k:", linewidth=0.8)
ax.set(xlabel="false positive rate", ylabel="true positive rate")
ax.set_title("Two curves with their 95 % bands")
ax.legend()
plt.show()
