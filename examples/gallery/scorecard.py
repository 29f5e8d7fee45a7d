"""
A scorecard to fill in by hand
==============================

A small tree cannot use attributes whose effects are weak everywhere. ``presets.scorecard()`` grows
a small tree and adds points for a few attributes, which correct the log-odds of the leaf. With
``Points(integer=True)`` all points are whole numbers, and the table is a form that can be filled in
with a pencil. Here are two such forms, for heart disease and for hepatitis, and five patients each.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from roctree import ROCTreeClassifier, presets
from roctree.points import Points

form = Points("curves", max_attributes=5, integer=True)
# Hard thresholds: a patient is in exactly one leaf.
settings = {"max_leaf_nodes": 4, "ranking": "leaf", "points": form}

# %%
# Heart disease
# -------------
#
# The codes of the data set in words, so that the form needs no legend.

heart = pd.read_csv("../../studies/data/heart-statlog.csv.gz")
disease = heart.pop("class")
words = {"cp": "chest pain", "trestbps": "blood pressure", "chol": "cholesterol"}
words |= {"thalach": "heart rate", "oldpeak": "ST depression", "ca": "vessels"}
heart = heart.rename(columns=words | {"thal": "thallium scan"})
heart["chest pain"] = heart["chest pain"].map(
    {1: "typical", 2: "atypical", 3: "other pain", 4: "none"}
)
heart["thallium scan"] = heart["thallium scan"].map({3: "normal", 6: "fixed", 7: "reversible"})
heart["sex"] = heart["sex"].map({0: "female", 1: "male"})
model = presets.scorecard(**settings).fit(heart, disease)
print(model.to_text())

# %%
# To use it, follow the tree to a leaf and write down its points and those of every case, add the
# points of each attribute, and look up the sum. The first patient is a man whose thallium scan is
# normal and who has no chest pain: leaf C, -5. With -7 for every case, +22 for three vessels, +15
# for the ST depression of 2.4, +6 for a man, +7 for no chest pain and -2 for a blood pressure of
# 130, the sum is +36: the probability of disease is 95 %. ``explain`` adds up in the same way:

print(model.explain(heart.iloc[0]))

# %%
# Five patients: their values, and below them the points. ``predict_proba`` agrees with the row of
# sums.


def filled_in(model, patients):
    """Return values, points and probabilities of some patients, one column each."""
    columns = {}
    for number, patient in patients.iterrows():
        steps = [(name, int(points[0])) for name, points in model.explain(patient).steps]
        written = [f"{name.partition(' = ')[2]} {points:+d}".strip() for name, points in steps]
        total = sum(points for _, points in steps)
        share = model.predict_proba(patients.loc[[number]])[0, model.classes_ == positive][0]
        columns[f"patient {number}"] = [*written, f"{total:+d}", f"{share:.0%}"]
    attributes = model.points_.to_pandas().attribute.unique()[2:]
    rows = ["leaf", "every case", *attributes, "sum", f"probability of {positive}"]
    return pd.DataFrame(columns, index=rows)


positive = "present"
print(filled_in(model, heart.iloc[[0, 50, 100, 150, 200]]).to_string())

# %%
# Hepatitis
# ---------
#
# 155 patients. A missing value counts nothing unless the form lists it. Without a value that the
# tree asks for, a patient goes down both branches, and adding up is better left to the computer.

hepatitis = pd.read_csv("../../studies/data/hepatitis.csv.gz")
outcome = hepatitis.pop("class").map({1: "died", 2: "survived"})
hepatitis.columns = hepatitis.columns.str.lower().str.replace("_", " ")
for sign in ("ascites", "spiders", "varices", "fatigue", "malaise", "anorexia", "steroid"):
    hepatitis[sign] = hepatitis[sign].map({1: "yes", 2: "no"})
hepatitis["sex"] = hepatitis["sex"].map({1: "male", 2: "female"})
liver = presets.scorecard(**settings).fit(hepatitis, outcome)
print(liver.to_text())

# %%
# Five patients again.

positive = "died"
print(filled_in(liver, hepatitis.iloc[[3, 30, 60, 90, 120]]).to_string())

# %%
# What the points add
# -------------------
#
# Cross-validation on the heart data: the tree alone, with soft thresholds, and with points. Whole
# points cost little.

exact = Points("curves", max_attributes=5)
models = {
    "tree": ROCTreeClassifier(max_leaf_nodes=4),
    "soft thresholds": ROCTreeClassifier(max_leaf_nodes=4, ranking="soft"),
    "tree and whole points": presets.scorecard(**settings),
    "tree and points": presets.scorecard(**settings | {"points": exact}),
    "soft tree and points": presets.scorecard(max_leaf_nodes=4),
}
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
measured = pd.DataFrame(
    {
        name: cross_val_score(each, heart, disease, cv=folds, scoring="roc_auc")
        for name, each in models.items()
    }
)
print(measured.mean().round(3).to_string())

ax = measured.mean().plot.barh(xerr=measured.std(), capsize=3, width=0.6, figsize=(7.2, 3.2))
ax.set(xlabel="AUC, mean and deviation of 10 folds", xlim=(0.6, 1.0))
ax.set_title("Heart disease, four leaves")
plt.show()
