"""What the study of quality compares, by name, and on which data sets."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from roctree.estimator import ROCTreeClassifier
from roctree.experiment.papers.peers import SEED, Boosted, Made, OneHot, forest, tuned_tree
from roctree.experiment.papers.setting import Setting
from roctree.experiment.sources import BuiltIn, Problem, UnknownDataSetError
from roctree.presets import best_ranking, c44, c45, readable, smiles_2003
from roctree.smoothing import HierarchicalShrinkage, MBranch

SIZES = (8, 16, 32, 64)
REFERENCE = "MSEE, m-branch, multiway"
FOREST, BOOSTING = "forest of 200", "gradient boosting"

TREES: dict[str, Any] = {
    "C4.5": c45(),
    "C4.4": c44(),
    REFERENCE: smiles_2003(),
    "default": ROCTreeClassifier(),
    "best_ranking": best_ranking(),
    "readable": readable(),
}
DISTILLED: dict[str, Any] = {"distilled": Made("distilled")}
PEERS: dict[str, Any] = {
    "scikit-learn's tree": OneHot(DecisionTreeClassifier(random_state=SEED)),
    "scikit-learn's tree, tuned": tuned_tree(),
}
CEILINGS: dict[str, Any] = {FOREST: forest(), BOOSTING: Boosted()}


def _shrunk(max_leaves: int) -> ROCTreeClassifier:
    """Return what hierarchical shrinkage makes of a tree as scikit-learn grows it."""
    return ROCTreeClassifier(
        criterion="gini",
        max_leaves=max_leaves,
        nominal="one_vs_rest",
        missing="branch",
        smoothing=HierarchicalShrinkage(strength="auto"),
    )


OURS_OF_SIZE = ("readable", "the same, hard", "soft, best first")
# By the way of growing, and by the most leaves.
OF_SIZE: dict[str, dict[int, Any]] = {
    "readable": {size: readable(max_leaves=size) for size in SIZES},
    "the same, hard": {size: readable(max_leaves=size, ranking="leaf") for size in SIZES},
    "soft, best first": {size: best_ranking(max_leaves=size) for size in SIZES},
    "scikit-learn's tree, tuned": {size: tuned_tree(size) for size in SIZES},
    "hierarchical shrinkage": {size: _shrunk(size) for size in SIZES},
    "C4.5, cut back": {size: Made("c45_cut_back", size) for size in SIZES},
}
# Only where imodels is installed.
IMODELS = "imodels' HSTree"
if find_spec("imodels"):
    OF_SIZE[IMODELS] = {size: Made("imodels_shrunk", size) for size in SIZES}

CHOICES: dict[str, Any] = {
    "criterion gini": ROCTreeClassifier(criterion="gini"),
    "criterion entropy": ROCTreeClassifier(criterion="entropy"),
    "criterion dkm": ROCTreeClassifier(criterion="dkm"),
    "criterion auc": ROCTreeClassifier(criterion="auc"),
    "nominal one_vs_rest": ROCTreeClassifier(nominal="one_vs_rest"),
    "nominal multiway": ROCTreeClassifier(nominal="multiway"),
    "missing category": ROCTreeClassifier(missing="category"),
    "missing branch": ROCTreeClassifier(missing="branch"),
    "min_samples_leaf 2": ROCTreeClassifier(min_samples_leaf=2),
    "min_samples_leaf 5": ROCTreeClassifier(min_samples_leaf=5),
    "smoothing laplace": ROCTreeClassifier(smoothing="laplace"),
    "smoothing m_branch, M=8": ROCTreeClassifier(smoothing=MBranch(M=8)),
    "soft, nominal one_vs_rest": best_ranking(nominal="one_vs_rest"),
    "soft, M=8": best_ranking(smoothing=MBranch(M=8)),
    "soft, width 0.7": best_ranking(width=0.7),
    "soft, width 1.5": best_ranking(width=1.5),
}

# Where a forest is farthest ahead, and what was tried there.
GAP = {"15": "HEPATITIS", "22": "CYL-BANDS", "45": "AUTOS-DRVWHLs", "47": "HORSECOLICOUTC"}
IDEAS: dict[str, Any] = {
    "a missing category is one more": best_ranking(missing="category"),
    "one category against the rest": best_ranking(nominal="one_vs_rest"),
    "distilled, boosting and a forest teach": Made("two_teachers"),
    "distilled, as large as default": Made("distilled_as_large"),
}

# Not among the 50; named before anything was run on them.
OUTSIDE = (
    *("glass", "vehicle", "vowel-numeric", "heart-statlog", "climate-crashes"),
    *("diabetes", "led24", "ringnorm", "agrawal-4", "agrawal-7"),
)


def size_name(way: str, size: int) -> str:
    """Return the name of trees of some way and size."""
    return f"{way}, at most {size}"


def of_sizes(*ways: str) -> dict[str, Any]:
    """Return the trees of some ways in all sizes, by name."""
    return {size_name(way, size): tree for way in ways for size, tree in OF_SIZE[way].items()}


def outside(setting: Setting) -> tuple[list[Problem], list[str]]:
    """Return the data sets that are not among the 50, and the names of those that are absent."""
    found, absent, known = [], [], BuiltIn().names()
    for name in OUTSIDE:
        source = BuiltIn() if name in known else setting.source
        try:
            found.append(source.load(name))
        except UnknownDataSetError:
            absent.append(name)
    return found, absent


def whole(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return several groups as one."""
    return {name: tree for part in parts for name, tree in part.items()}
