"""A tree for programs that read the arrays of scikit-learn's trees: SHAP, dtreeviz, treelite, ...

These arrays describe binary trees of numbers in which every case reaches one leaf. Other trees
raise an error with the reason.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.fitted import FittedScores, FittedTree
from roctree.text import quote_if_needed
from roctree.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

# What scikit-learn writes at leaves in place of an attribute and a threshold.
_UNDEFINED = -2


def to_sklearn(model: FittedTree) -> "DecisionTreeClassifier":
    """Return a fitted ``DecisionTreeClassifier`` with the nodes and probabilities of a tree.

    Nodes keep their numbers. ``value`` holds the smoothed probabilities, ``impurity`` is that of
    the training cases. scikit-learn rounds cases to float32 before it compares them with a
    threshold. A missing value goes to the branch of the node for missing values, or to the heavier
    one if there is none.

    Parameters
    ----------
    model : FittedTree
    """
    # Imported here: other exports do not need scikit-learn.
    from sklearn.tree import DecisionTreeClassifier

    _check_reaches_one_leaf(model)
    _check_labels_follow_probabilities(model)
    tree, schema = model.tree, model.schema
    by_entropy = model.parameters.get("criterion") in ("entropy", "log_loss")
    classifier = DecisionTreeClassifier(criterion="entropy" if by_entropy else "gini")
    # A fit to one case of each class sets the attributes of this release of scikit-learn.
    classifier.fit(np.zeros((schema.n_classes, schema.n_features)), schema.classes)
    if schema.named:
        classifier.feature_names_in_ = np.array(schema.names, dtype=object)
    make_tree, arguments, state = classifier.tree_.__reduce__()
    nodes = np.zeros(tree.n_nodes, dtype=state["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = tree.children_left, tree.children_right
    nodes["feature"] = np.where(tree.is_leaf, _UNDEFINED, tree.feature)
    nodes["threshold"] = np.where(tree.is_leaf, _UNDEFINED, tree.threshold)
    nodes["impurity"] = _entropy(tree) if by_entropy else tree.impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weight
    nodes["missing_go_to_left"] = _branch_of_missing(tree) == 0
    state |= {
        "max_depth": tree.max_depth,
        "node_count": tree.n_nodes,
        "nodes": nodes,
        "values": np.ascontiguousarray(model.probabilities[:, None, :]),
    }
    # Only a new tree allocates the memory of its nodes from its state.
    classifier.tree_ = make_tree(*arguments)
    classifier.tree_.__setstate__(state)
    return classifier


def to_shap(model: FittedTree) -> dict[str, Any]:
    """Return the dict from which ``shap.TreeExplainer`` reads a tree of probabilities.

    Parameters
    ----------
    model : FittedTree
    """
    _check_reaches_one_leaf(model)
    tree = model.tree
    arrays = {
        "children_left": tree.children_left,
        "children_right": tree.children_right,
        "children_default": np.where(tree.is_leaf, -1, tree.first_child + _branch_of_missing(tree)),
        "features": tree.feature,
        "thresholds": np.where(tree.is_leaf, -1.0, tree.threshold),
        # SHAP writes the means of the children into the values of inner nodes.
        "values": model.probabilities.copy(),
        "node_sample_weight": tree.weight,
    }
    return {
        "trees": [arrays],
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
        "tree_output": "probability",
        "objective": None,
        "base_offset": 0.0,
    }


def _branch_of_missing(tree: Tree) -> NDArray[np.int16]:
    return np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)


def _entropy(tree: Tree) -> NDArray[np.float64]:
    """Return the entropy of each node in bits."""
    shares = tree.value[:, 0]
    return np.asarray(-(shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=1))


def _check_reaches_one_leaf(model: FittedTree) -> None:
    """Raise ``ParameterError`` unless columns are numbers and every case reaches one leaf."""
    schema = model.schema
    for feature, name in enumerate(schema.names):
        if schema.nominal[feature]:
            raise ParameterError(
                f"Column {quote_if_needed(name)} is nominal, but scikit-learn and SHAP read trees "
                "of numbers only: fit without the column, or encode it as numbers first."
            )
        if schema.date_unit(feature):
            raise ParameterError(
                f"Column {quote_if_needed(name)} holds dates, but scikit-learn and SHAP read trees "
                "of numbers only: fit with a column of numbers, such as days since a fixed date."
            )
    if model.has_soft_thresholds:
        raise ParameterError(
            "Cases near a soft threshold reach several leaves, but scikit-learn and SHAP read "
            "trees in which each case reaches one: use ranked('leaf') first."
        )
    if model.divides_cases:
        raise ParameterError(
            "Missing values divide cases among leaves, but scikit-learn and SHAP read trees in "
            "which each case reaches one: fit with missing='branch'."
        )
    if isinstance(model, FittedScores):
        raise ParameterError(
            "Points change the probability of a leaf from case to case, but scikit-learn and SHAP "
            "read trees with one for each leaf: use without_points() first."
        )
    if model.geometric is not None:
        raise ParameterError(
            "Geometric probabilities are not those of the leaves: fit without "
            "geometric_probability=True."
        )


def _check_labels_follow_probabilities(model: FittedTree) -> None:
    leaves, decision = model.tree.leaves, model.decision
    probable = model.probabilities[leaves].argmax(axis=1)
    others = (decision.labels, decision.other_votes.argmax(axis=1))
    if any((labels[leaves] != probable).any() for labels in others):
        raise ParameterError(
            "scikit-learn predicts the most probable class of a leaf, but this tree does not: its "
            "labels follow an operating point, class weights, labels='majority' or the costs of "
            "pruning. Convert the tree before these, or use to_shap(), which depends on "
            "probabilities only."
        )
