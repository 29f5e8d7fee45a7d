"""Every kernel compiled, or loaded if it was compiled before on this machine."""

from roctree.estimator import ROCTreeClassifier


def warm_up() -> None:
    """Fit small trees of every kind and predict with them."""
    rows = [[float(row % 7), "abc"[row % 3], None if row == 3 else 1.0] for row in range(20)]
    numbers = [[float(row)] for row in range(20)]
    labels = [row > 9 for row in range(20)]
    for missing in ("fractional", "branch"):
        for data in (rows, numbers):
            tree = ROCTreeClassifier(missing=missing, collapse=True).fit(data, labels)
            tree.predict_proba(data)
            tree.decision_path(data)
