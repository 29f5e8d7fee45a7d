"""Draw the picture of docs/howto/operating-points.md: where costs put a tree in ROC space.

The tree is grown on one half of the breast-cancer data and drawn on the other. Usage: ``python
examples/operating_points_picture.py [FILE]``, with ``pip install 'roctree[plot]'``; without FILE it
writes ``operating-points.png`` in the working folder. The document's own picture is
``docs/images/operating-points.png``.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier
from roctree.report import CostCurveDisplay, ROCHullDisplay

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "operating-points.png"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else PICTURE.name
    picture().savefig(path, dpi=100, metadata={"Software": None})
    print(f"wrote {path}")


def picture():
    """The whole drawing as a figure."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data.filter(like="mean"), data.target_names[data.target]
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    tree = ROCTreeClassifier(min_samples_leaf=12).fit(X, y)
    careful = tree.at(cost_fp=1, cost_fn=20, positive="malignant")
    figure = Figure(figsize=(12.2, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    ROCHullDisplay.from_estimator(careful, X_new, y_new, band="bootstrap", name="tree", ax=left)
    CostCurveDisplay.from_estimator(careful, X_new, y_new, name="tree", ax=right)
    return figure


if __name__ == "__main__":
    main()
