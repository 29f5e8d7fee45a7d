from hashlib import sha256

import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from roctree import ParameterError, ROCTreeClassifier, presets
from roctree.criteria import AUC, MSEE, FMeasure, GainRatio
from roctree.points import Points
from roctree.pruning import CostComplexity, ErrorBased
from roctree.smoothing import MBranch, UniformWhereEmpty
from roctree.tree.text import to_text

DATA = {"iris": load_iris, "breast cancer": load_breast_cancer}
QUINLAN = {
    "category_shrinkage": None,
    "nominal": "multiway",
    "min_samples_split": 4,
    "min_samples_leaf": 2,
    "c45_numeric_minimum": True,
    "threshold": "observed",
}
# What differs from the default estimator.
SETTINGS = {
    "c45": QUINLAN
    | {
        "criterion": GainRatio(penalty=True),
        "collapse": True,
        "pruning": ErrorBased(cf=0.25, limit="c45", raising=True),
        "smoothing": "none",
        "labels": "majority",
    },
    "c44": QUINLAN | {"criterion": GainRatio(penalty=True), "smoothing": "laplace"},
    "j48": QUINLAN
    | {
        "criterion": GainRatio(penalty=True, tolerance=1e-6),
        "collapse": True,
        "pruning": ErrorBased(cf=0.25, limit="weka", raising=True),
        "smoothing": "none",
        "labels": "majority",
    },
    "cart": {
        "category_shrinkage": None,
        "criterion": "gini",
        "missing": "branch",
        "pruning": CostComplexity(alpha="auto", choice="one_se"),
        "smoothing": "none",
        "labels": "majority",
    },
    "smiles_2002": {
        "category_shrinkage": None,
        "criterion": AUC(split_smoothing="laplace", children_correction="none"),
        "nominal": "multiway",
        "missing": "category",
        "pruning": "pessimistic",
        "smoothing": "laplace",
        "labels": "majority",
    },
    "smiles_2003": {
        "category_shrinkage": None,
        "criterion": MSEE(),
        "nominal": "multiway",
        "missing": "category",
        "smoothing": UniformWhereEmpty(MBranch(M=4.0)),
        "labels": "majority",
    },
    "f_measure_tree": {
        "category_shrinkage": None,
        "criterion": FMeasure(beta=1.0),
        "max_depth": 10,
        "min_samples_split": 11,
        "threshold": "node",
        "smoothing": "laplace",
        "labels": "majority",
    },
    "readable": {"ranking": "soft", "growth": "whole_tree_auc", "max_leaf_nodes": 32},
    "scorecard": {
        "criterion": "entropy",
        "smoothing": MBranch(M=8.0),
        "ranking": "soft",
        "growth": "whole_tree_auc",
        "max_leaf_nodes": 16,
        "points": Points(shape="curves", max_attributes=6),
    },
    "best_ranking": {
        "ranking": "soft",
        "growth": "whole_tree_auc",
        "max_leaf_nodes": 32,
        "points": Points(shape="curves", tree_weight="free"),
    },
}
# Leaves, depth, training errors, and a digest of splits and counts as text with twelve digits.
TREES = {
    ("c45", "iris"): (5, 4, 3, "18337014"),
    ("c44", "iris"): (7, 4, 3, "661cbe54"),
    ("j48", "iris"): (5, 4, 3, "18337014"),
    ("cart", "iris"): (3, 2, 6, "111b65c3"),
    ("smiles_2002", "iris"): (4, 3, 3, "cde26be4"),
    ("smiles_2003", "iris"): (9, 5, 0, "83be310a"),
    ("f_measure_tree", "iris"): (11, 5, 6, "a48a6134"),
    ("readable", "iris"): (9, 5, 5, "83be310a"),
    ("scorecard", "iris"): (9, 5, 3, "83be310a"),
    ("best_ranking", "iris"): (9, 5, 3, "83be310a"),
    ("c45", "breast cancer"): (13, 6, 5, "e2491898"),
    ("c44", "breast cancer"): (17, 7, 4, "c2999abd"),
    ("j48", "breast cancer"): (13, 6, 5, "e2491898"),
    ("cart", "breast cancer"): (6, 3, 14, "3b169378"),
    ("smiles_2002", "breast cancer"): (9, 6, 10, "2ddca97c"),
    ("smiles_2003", "breast cancer"): (20, 6, 0, "eaa2a690"),
    ("f_measure_tree", "breast cancer"): (26, 8, 17, "5fba5437"),
    ("readable", "breast cancer"): (20, 6, 17, "eaa2a690"),
    ("scorecard", "breast cancer"): (16, 6, 12, "100c08f3"),
    ("best_ranking", "breast cancer"): (20, 6, 7, "eaa2a690"),
}


@pytest.mark.parametrize("name", presets.PRESETS)
def test_a_preset_sets_what_it_says_and_nothing_else(name):
    usual = ROCTreeClassifier().get_params(deep=False)
    assert presets.PRESETS[name]().get_params(deep=False) == usual | SETTINGS[name]


@pytest.mark.parametrize(("name", "data"), TREES)
def test_a_preset_grows_the_tree_it_always_has(name, data):
    X, y = DATA[data](return_X_y=True)
    tree = presets.PRESETS[name]().fit(X, y)
    errors = int((tree.predict(X) != y).sum())
    text = to_text(tree.tree_, tree.schema_, digits=12)
    digest = sha256(text.encode()).hexdigest()[:8]
    assert (tree.get_n_leaves(), tree.get_depth(), errors, digest) == TREES[name, data]


def test_every_preset_is_pinned_and_found_by_its_name():
    assert {name for name, _ in TREES} == set(SETTINGS) == set(presets.PRESETS)
    assert all(getattr(presets, name) is preset for name, preset in presets.PRESETS.items())


def test_c45_grows_its_published_tree_of_iris():
    X, y = load_iris(return_X_y=True)
    tree = presets.c45().fit(X, y)
    assert tree.tree_.n_nodes == 9
    assert (tree.predict(X) != y).sum() == 3


@pytest.mark.parametrize("preset", [presets.c45, presets.j48])
def test_the_unpruned_tree_of_the_cancer_data_has_29_nodes(preset):
    assert preset(pruning="none").fit(*load_breast_cancer(return_X_y=True)).tree_.n_nodes == 29


@pytest.mark.parametrize("preset", presets.PRESETS.values())
def test_every_parameter_can_be_overridden(preset):
    for name, value in ROCTreeClassifier().get_params(deep=False).items():
        assert getattr(preset(**{name: value}), name) == value
    tree = preset(nominal="one_vs_rest", min_samples_leaf=5)
    assert tree.nominal == "one_vs_rest"
    assert tree.min_samples_leaf == 5
    assert tree.criterion == preset().criterion


@pytest.mark.parametrize("preset", presets.PRESETS.values())
def test_an_unknown_name_is_answered_with_the_nearest(preset):
    with pytest.raises(ParameterError, match=r"'min_leaf' .*did you mean 'min_samples_leaf'\?"):
        preset(min_leaf=3)
