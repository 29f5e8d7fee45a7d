"""
Many categories
===============

A column with a hundred categories can be split into two sets in so many ways that one of them fits
the training cases by chance. By default, with ``category_shrinkage="auto"``, the class frequencies
of the categories are shrunk towards each other before sets are compared, so that a column is not
chosen for the number of its categories alone.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from roctree import ROCTreeClassifier

# Rare categories are missing from some of the folds below and treated as missing values there.
warnings.filterwarnings("ignore", "Categories not seen in training")

# %%
# Two data sets. In the first, a column of 100 clinics is drawn at random and is unrelated to
# diabetes. In the second, the column of 71 customers of a printing plant is real.

pima = pd.read_csv("../../studies/data/pima.csv.gz")
pima_class = pima.pop("class")
pima["clinic"] = np.random.default_rng(0).integers(0, 100, len(pima)).astype(str)

bands = pd.read_csv("../../studies/data/cylinder-bands.csv.gz")
bands = bands.drop(columns=["timestamp", "cylinder_number", "job_number"], errors="ignore")
bands_class = bands.pop("class")

data = {"clinic": (pima, pima_class), "customer": (bands, bands_class)}

# %%
# Without shrinkage, the random clinics are the most important column of the tree.

for column, (X, y) in data.items():
    for shrinkage in (None, "auto"):
        tree = ROCTreeClassifier(max_leaf_nodes=8, category_shrinkage=shrinkage).fit(X, y)
        importance = pd.Series(tree.feature_importances_, X.columns)
        rank = int((importance > importance[column]).sum()) + 1
        print(f"category_shrinkage={shrinkage!s:<4}", end="  ")
        print(f"importance of {column} {importance[column]:.2f}, rank {rank} of {len(importance)}")

# %%
# Cross-validation: shrinkage gains nine points of AUC if the categories are noise, and loses four
# if they are informative. If you know that a column matters, try None or a number instead of
# "auto".

folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
choices = {
    "no shrinkage": {"category_shrinkage": None},
    "one category against the rest": {"nominal": "one_vs_rest"},
    "auto (default)": {},
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
titles = ("Diabetes, 100 random clinics", "Printing, 71 real customers")
for ax, title, (X, y) in zip(axes, titles, data.values(), strict=True):
    measured = pd.DataFrame(
        {
            name: cross_val_score(
                ROCTreeClassifier(max_leaf_nodes=16, **options), X, y, cv=folds, scoring="roc_auc"
            )
            for name, options in choices.items()
        }
    )
    print(title, measured.mean().round(3).to_dict())
    ax.barh(measured.columns, measured.mean(), xerr=measured.std(), capsize=3, height=0.6)
    ax.set(xlabel="AUC, mean and deviation of 20 folds", xlim=(0.5, 0.9), title=title)
plt.show()
