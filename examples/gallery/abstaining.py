"""
Leave difficult cases undecided
===============================

If an expert can look at some of the cases, the tree does not have to decide all of them.
``at(cost_reject=...)`` leaves a case undecided where that costs less than the expected cost of the
best class. Only the labels of the leaves change; the tree is not refitted.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.5, stratify=y, random_state=0)
tree = ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=20).fit(X, y)
print(f"error rate if every case is decided: {(tree.predict(X_test) != y_test).mean():.3f}")

# %%
# Here an error costs 1 and a second opinion 0.25, so leaves in which no class has a probability of
# at least 75 % are left undecided.

point = tree.at(cost_fp=1, cost_fn=1, cost_reject=0.25, positive="diabetes")
print(point.to_text())
predicted = point.predict(X_test)
print(pd.crosstab(y_test, predicted, rownames=["true"], colnames=["predicted"]))

# %%
# The cheaper a second opinion, the more cases are referred. Referring four in ten of the cases
# halves the error rate of the others.

rows = []
for cost in (0.49, 0.4, 0.3, 0.25, 0.1):
    predicted = tree.at(cost_fp=1, cost_fn=1, cost_reject=cost, positive="diabetes").predict(X_test)
    decided = predicted != "undecided"
    wrong = (predicted != y_test) & decided
    rows.append(
        {
            "cost of referral": cost,
            "referred": 1 - decided.mean(),
            "error rate of the rest": wrong.sum() / max(decided.sum(), 1),
            "cost per case": wrong.mean() + cost * (~decided).mean(),
        }
    )
result = pd.DataFrame(rows)
print(result.round(3).to_string(index=False))

# %%

figure, ax = plt.subplots()
ax.plot(result["referred"], result["error rate of the rest"], marker="o")
for _, row in result.drop_duplicates("referred").iterrows():
    place = (row["referred"], row["error rate of the rest"])
    ax.annotate(f"{row['cost of referral']:g}", place, xytext=(4, 4), textcoords="offset points")
ax.set(xlabel="share of cases referred", ylabel="error rate of the other cases", ylim=(0, 0.2))
ax.set_title("Diabetes: errors against referrals, by the cost of a referral")
plt.show()
