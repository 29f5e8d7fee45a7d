"""
Data larger than memory
=======================

Growing a tree needs only class counts per bin, which can be added over parts of the data. ``fit``
therefore reads Parquet files in batches and returns the same tree as for data in memory, byte for
byte. The files of this example are small, so that it runs in seconds.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from roctree import ROCTreeClassifier

random = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
parts = []
for number in range(8):
    X = pd.DataFrame(random.normal(size=(12_000, 6)).astype(np.float32)).add_prefix("x")
    X["region"] = random.choice(["north", "south", "east", "west"], len(X))
    score = X["x0"] + X["x1"] * X["x2"] + (X["region"] == "north") + random.normal(size=len(X))
    X["outcome"] = np.where(score > 1, "yes", "no")
    X.to_parquet(folder / f"part-{number}.parquet")
    parts.append(X)
print(f"{sum(file.stat().st_size for file in folder.iterdir()) / 1e6:.0f} MB in 8 files")

# %%
# Pass a folder, and the name of the target column as ``y``. ``splits="binned"`` counts classes in
# at most 255 bins per column.

on_disk = ROCTreeClassifier(splits="binned", max_depth=8, min_samples_leaf=50)
on_disk.fit(folder, "outcome")

# %%
# Fitting in memory gives the same tree.

table = pd.concat(parts, ignore_index=True)
in_memory = ROCTreeClassifier(splits="binned", max_depth=8, min_samples_leaf=50)
in_memory.fit(table.drop(columns="outcome"), table["outcome"])
print("the same tree:", on_disk.tree_ == in_memory.tree_)

# %%
# ``roc`` reads files as well: it counts the cases in each leaf, which is all that the curve needs.

curve = on_disk.roc(folder, "outcome", positive="yes")
print(f"AUC {curve.auc:.4f} on {len(table):,} training rows, {on_disk.get_n_leaves()} leaves")

# %%
# Compared with exact splits, bins lose next to nothing here.

X, y = table.drop(columns="outcome"), table["outcome"]
figure, ax = plt.subplots(figsize=(5.2, 4.4))
for splits, style in (("exact", "-"), ("binned", "--")):
    tree = ROCTreeClassifier(splits=splits, max_depth=8, min_samples_leaf=50)
    curve = tree.fit(X[:48_000], y[:48_000]).roc(X[48_000:], y[48_000:], positive="yes")
    ax.plot(curve.fpr, curve.tpr, style, label=f"{splits}, AUC {curve.auc:.4f}")
ax.set(xlabel="false positive rate", ylabel="true positive rate", title="Test cases")
ax.legend()
plt.show()
