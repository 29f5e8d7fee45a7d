"""
Read a tree with a clinician
============================

A clinician can check every rule of a small tree. ``explore`` writes a single HTML file with the
tree, its ROC curve and a slider for the cost of a missed case. It can be sent by e-mail and needs
no server.
"""

# sphinx_gallery_thumbnail_path = "images/explorer.png"

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

table = pd.read_csv("../../studies/data/heart-statlog.csv.gz")
kinds = {1: "typical", 2: "atypical", 3: "non-anginal", 4: "asymptomatic"}
thal = {3: "none", 6: "fixed", 7: "reversible"}
X = pd.DataFrame(
    {
        "age": table["age"],
        "sex": table["sex"].map({0: "female", 1: "male"}),
        "chest pain": table["cp"].map(kinds),
        "blood pressure": table["trestbps"],
        "cholesterol": table["chol"],
        "maximum heart rate": table["thalach"],
        "exercise angina": table["exang"].map({0: "no", 1: "yes"}),
        "ST depression": table["oldpeak"],
        "vessels coloured": table["ca"],
        "thallium defect": table["thal"].map(thal),
    }
)
y = table["class"].map({"absent": "healthy", "present": "ill"})
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
tree = ROCTreeClassifier(max_leaf_nodes=8, min_samples_leaf=8).fit(X, y)
print(tree.to_text())

# %%
# ``explain`` describes the prediction for one patient in words.

print(tree.explain(X_test.iloc[0]))

# %%
# Drag the slider to change the cost of a missed case, click a leaf, or enter a patient.

page = tree.explore(
    "heart.html", X_test, y_test, positive="ill", unit="patients", title="Heart disease"
)

# %%
# .. raw:: html
#
#     <iframe class="explorer-frame" src="heart.html" title="Explorer of the tree"></iframe>
#
# Ordered by their share of ill patients, the leaves are the segments of the ROC curve.

curve = tree.roc(X_test, y_test, positive="ill")
figure, ax = plt.subplots(figsize=(4.6, 4.4))
ax.plot(curve.fpr, curve.tpr, marker="o")
ax.set(xlabel="false positive rate", ylabel="true positive rate")
ax.set_title(f"AUC {curve.auc:.3f}, one segment per leaf")
plt.show()
