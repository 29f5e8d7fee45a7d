"""
SHAP values
===========

``to_sklearn`` converts a tree to an equivalent one of scikit-learn, which many tools support.
SHAP's ``TreeExplainer`` computes exact Shapley values from it: the contribution of each attribute
to the predicted probability of a case.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import shap
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/pima.csv.gz")
y = table.pop("class").map({0: "healthy", 1: "diabetes"})
X, X_test, y, y_test = train_test_split(table, y, test_size=0.3, stratify=y, random_state=0)
tree = ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=20).fit(X, y)
print(tree.to_text())

# %%
# The values of a case and the expected value add up to its probability.

which = list(tree.classes_).index("diabetes")
explainer = shap.TreeExplainer(tree.to_sklearn())
values = explainer(X_test)[..., which]
total = values.values.sum(axis=1) + values.base_values
print("largest difference:", np.abs(total - tree.predict_proba(X_test)[:, which]).max().round(12))

# %%
# One patient: the attributes that raise and lower the probability. ``explain`` describes the same
# prediction as a rule.

patient = int(tree.predict_proba(X_test)[:, which].argmax())
print(tree.explain(X_test.iloc[patient]))
shap.plots.waterfall(values[patient], show=False)
plt.gcf().set_size_inches(7, 4)
plt.show()

# %%
# All test cases: glucose matters most, and high values raise the probability.

shap.plots.beeswarm(values, max_display=6, show=False, plot_size=(7, 3.6))
plt.show()
