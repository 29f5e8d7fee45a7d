"""
Categories and missing values
=============================

Neither encoding nor imputation is needed: strings and pandas categories are nominal attributes, and
missing values are handled in training and in prediction.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score

from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/horse-colic.csv.gz")
drop = ["hospital_number", "lesion_1", "lesion_2", "lesion_3", "cp_data", "surgical_lesion"]
table = table.drop(columns=drop).dropna(subset=["class"])
y = table.pop("class").map({1: "lived", 2: "died", 3: "died"})
words = {
    "pain": ["none", "depressed", "mild", "severe at times", "severe"],
    "mucous_membranes": ["pink", "bright pink", "pale", "bluish", "red", "dark blue"],
    "abdominal_distension": ["none", "slight", "moderate", "severe"],
}
for column, names in words.items():
    table[column] = table[column].map(dict(enumerate(names, start=1)))
codes = [name for name in table if table[name].nunique() <= 6]
X = table.astype(dict.fromkeys(codes, "category"))
print(f"{len(X)} horses, {len(codes)} nominal columns of {X.shape[1]}")
print(f"{X.isna().mean().mean():.0%} of the values are missing")

# %%
# A nominal split divides the categories into two sets (the default), separates one category from
# the rest, or has one branch per category.

tree = ROCTreeClassifier(max_leaf_nodes=6, min_samples_leaf=10).fit(X, y)
print(tree.to_text())

# %%
# Cases with a missing value are distributed over all branches in proportion to their weights
# (``"fractional"``, as in C4.5), treated as one more category, or all sent to the branch that fits
# them best.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
choices = {
    "two sets, fractional": {},
    "one branch per category": {"nominal": "multiway"},
    "missing as a category": {"missing": "category"},
    "missing to one branch": {"missing": "branch"},
}
measured = pd.DataFrame(
    {
        name: cross_val_score(
            ROCTreeClassifier(max_leaf_nodes=16, **options), X, y, cv=folds, scoring="roc_auc"
        )
        for name, options in choices.items()
    }
)
print(measured.mean().round(3))

# %%
# The differences are about as large as their standard errors, so choose by readability.

ax = measured.mean().plot.barh(xerr=measured.sem(), capsize=3, width=0.6, figsize=(7.2, 3.4))
ax.set(xlabel="AUC, five folds, with standard errors", xlim=(0.5, 0.9))
ax.set_title("Colic: will the horse live?")
plt.show()
