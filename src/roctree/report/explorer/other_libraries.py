"""Trees of scikit-learn on the page: the nodes, counts and predictions of a tree of roctree."""

from os import PathLike
from typing import Any

import numpy as np

from roctree.arrays import Floats, Ints
from roctree.data import Dataset, Schema
from roctree.errors import ParameterError
from roctree.fitted import FittedModel, FittedTree, Training
from roctree.geometry.metric import Spread, minmax
from roctree.pruning import Unpruned
from roctree.report.explorer.page import show_or_write
from roctree.smoothing import Frequencies
from roctree.tree.tree import Tree

_LEAF = -1


def explore(
    model: Any,
    X_test: Any = None,
    y_test: Any = None,
    path: str | PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Write an interactive page of a decision tree and its operating points.

    Parameters
    ----------
    model : classifier
        A fitted classifier of roctree, or a fitted ``DecisionTreeClassifier`` of scikit-learn.
    X_test, y_test : table of shape (n_samples, n_features), and array of shape (n_samples,)
        Test cases to count errors on.
    path : path-like or None
        The file to write, such as "tree.html"; without it a widget for notebooks is returned.
    **options
        As for ``ROCTreeClassifier.explore``: ``positive``, ``title``, ``cases``, ``unit`` and
        ``units``.

    Returns
    -------
    path of the page, or a widget

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     explore(tree, X, y, f"{folder}/tree.html").name
    'tree.html'
    """
    return show_or_write(_fitted_model(model, X_test, y_test), path, X_test, y_test, **options)


def _fitted_model(model: Any, X_test: Any, y_test: Any) -> FittedModel:
    fitted = getattr(model, "fitted_", None)
    if isinstance(fitted, FittedModel):
        return fitted
    if not hasattr(model, "tree_") or not hasattr(model, "classes_"):
        raise ParameterError(
            parameter="model",
            value=type(model).__name__,
            reason="must be a fitted classifier of roctree or a fitted DecisionTreeClassifier of "
            "scikit-learn",
        )
    return from_sklearn(model, X_test, y_test)


def from_sklearn(model: Any, X_test: Any = None, y_test: Any = None) -> FittedTree:
    """Return a fitted ``DecisionTreeClassifier`` as a tree of roctree.

    Its probabilities are the frequencies in the leaves, as in scikit-learn. Distances are measured
    by the ranges of the test cases, since scikit-learn keeps none of the training cases.

    Parameters
    ----------
    model : DecisionTreeClassifier
    X_test, y_test : test cases
    """
    if getattr(model, "n_outputs_", 1) != 1:
        raise ParameterError(
            parameter="model", value=type(model).__name__, reason="must predict one target"
        )
    schema = _schema(model)
    tree = _tree(model.tree_, schema.n_classes)
    spread = _spread(schema, X_test, y_test)
    counts = tree.counts
    return FittedTree(
        schema=schema,
        training=Training(round(float(model.tree_.n_node_samples[0]))),
        tree=tree,
        node_labels=None,
        pruner=Unpruned(),
        smoother=Frequencies(),
        probabilities=counts / counts.sum(axis=1, keepdims=True),
        class_weight=np.ones(schema.n_classes),
        spread=spread,
        scale=minmax(spread),
        divides_cases=False,
    )


def _schema(model: Any) -> Schema:
    named = hasattr(model, "feature_names_in_")
    names = model.feature_names_in_ if named else [f"x{i}" for i in range(model.n_features_in_)]
    texts = tuple(map(str, names))
    return Schema(texts, (None,) * len(texts), np.asarray(model.classes_), named=named)


def _spread(schema: Schema, X_test: Any, y_test: Any) -> Spread:
    if X_test is None or y_test is None:
        return Spread(np.ones(schema.n_features), np.ones(schema.n_features))
    test = Dataset.encoded(X_test, y_test, schema)
    return Spread.from_rows(np.asarray(test.values, dtype=np.float64), test.weights)


def _tree(nodes: Any, n_classes: int) -> Tree:
    order = _breadth_first(nodes.children_left, nodes.children_right)
    inner = nodes.children_left[order] != _LEAF
    shares = nodes.value[order, 0, :n_classes]
    weights = nodes.weighted_n_node_samples[order]
    n_nodes = len(order)
    goes_left = getattr(nodes, "missing_go_to_left", np.zeros(n_nodes, dtype=bool))[order]
    return Tree(
        n_children=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, nodes.feature[order], -1).astype(np.int32),
        threshold=np.where(inner, _in_float64(nodes.threshold[order]), np.nan),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n_nodes + 1, dtype=np.int32),
        missing_branch=np.where(inner, np.where(goes_left, 0, 1), -1).astype(np.int16),
        # Frequencies since scikit-learn 1.3, weights before.
        counts=shares / shares.sum(axis=1, keepdims=True) * weights[:, None],
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def _breadth_first(left: Ints, right: Ints) -> Ints:
    order = [0]
    for node in order:
        if left[node] != _LEAF:
            order += [int(left[node]), int(right[node])]
    return np.array(order, dtype=np.int64)


def _in_float64(thresholds: Floats) -> Floats:
    """Return thresholds that separate numbers as the given ones separate their float32 roundings.

    scikit-learn rounds values to float32 before it compares them.
    """
    below = thresholds.astype(np.float32)
    below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below.astype(np.float32), np.float32(np.inf))
    return (below.astype(np.float64) + above.astype(np.float64)) / 2.0
