"""
Score in DuckDB
===============

``to_sql`` exports a tree as a query that returns the probabilities, label and leaf of every row and
handles missing values. The database scores its own tables, without a model server.
"""

import time

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from roctree import ROCTreeClassifier

patients = pd.read_csv("../patients/data.csv")
y = patients.pop("outcome")
tree = ROCTreeClassifier(max_leaf_nodes=4, min_samples_leaf=10, missing="branch").fit(patients, y)
careful = tree.at(cost_fp=1, cost_fn=1.5, positive="ill")
query = careful.to_sql("new_patients", keep=["patient"])
print(query)

# %%
# The query uses the labels of the operating point. The probabilities are the same as in Python, to
# the last bit.

new = pd.read_csv("../patients/new.csv")
database = duckdb.connect()
database.register("new_patients", new)
scored = database.sql(query).df()
print(scored.head())
expected = careful.predict_proba(new.drop(columns="patient"))
columns = [name for name in scored if name.startswith("probability_")]
in_order = scored.set_index("patient").loc[new["patient"], columns]
assert np.array_equal(in_order.to_numpy(), expected)

# %%
# Score a million rows and count them by leaf in the database.

random = np.random.default_rng(0)
pool = pd.read_csv("../patients/test.csv").drop(columns="outcome")
many = pool.iloc[random.integers(0, len(pool), 1_000_000)].reset_index(drop=True)
many["patient"] = np.arange(len(many))
database.register("new_patients", many)
start = time.perf_counter()
counts = database.sql(
    f"select leaf, label, probability_ill, count(*) as cases from ({query}) group by all order by 3"
).df()
print(counts)
print(f"scored in {time.perf_counter() - start:.1f} s")

# %%

figure, ax = plt.subplots(figsize=(6, 3.4))
colours = ["C1" if label == "ill" else "C0" for label in counts["label"]]
names = [
    f"leaf {leaf}: {label}" for leaf, label in zip(counts["leaf"], counts["label"], strict=True)
]
ax.barh(names, counts["cases"] / 1000, color=colours)
ax.set(xlabel="thousands of patients", title="Leaves in the order of their risk")
plt.show()
