"""A tree as values of JSON, and back.

Of its structure only the number of children of each node is written. How many categories a node
has follows from its column, so that no number in the file declares a size.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.files.section import Section
from roctree.tree.tree import Tree

FIELDS = (
    *("n_children", "feature", "threshold", "category_branch", "missing_branch"),
    *("counts", "softness", "gain"),
)


def plain_tree(tree: Tree) -> dict[str, Any]:
    """Return the tree as values of JSON, in the order of its nodes."""
    return {
        "n_children": tree.n_children.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": [None if np.isnan(t) else t for t in tree.threshold.tolist()],
        "category_branch": tree.category_branch.tolist(),
        "missing_branch": tree.missing_branch.tolist(),
        "counts": tree.counts.tolist(),
        "softness": tree.softness.tolist() if tree.softness.any() else None,
        "gain": tree.gain.tolist(),
    }


def restored_tree(section: Section, name: str, schema: Schema) -> Tree:
    """Return the tree from a section of a document, checked from end to end."""
    found = section.section(name, FIELDS)
    n_nodes = len(found.items("n_children"))
    feature = found.ints("feature", np.int32, n_nodes)
    if n_nodes == 0 or not ((feature >= -1) & (feature < schema.n_features)).all():
        found.refuse("feature", "names a column that does not exist")
    sizes = n_categories(feature, schema)
    tree = Tree(
        n_children=found.ints("n_children", np.int32, n_nodes),
        feature=feature,
        threshold=found.floats_or_null("threshold", n_nodes),
        category_branch=found.ints("category_branch", np.int16, int(sizes.sum())),
        category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        missing_branch=found.ints("missing_branch", np.int16, n_nodes),
        counts=found.floats("counts", n_nodes, schema.n_classes),
        softness=found.floats("softness", n_nodes) if found.has("softness") else np.zeros(n_nodes),
        gain=found.floats("gain", n_nodes),
    )
    return tree.validate(schema.n_features)


def n_categories(feature: NDArray[np.int32], schema: Schema) -> NDArray[np.int64]:
    """Return how many categories each node has a branch for: all those of its column."""
    of_columns = np.append(schema.n_categories, 0).astype(np.int64)
    return np.asarray(of_columns[feature])
