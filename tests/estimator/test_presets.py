import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from roctree import ParameterError, presets
from roctree.criteria import GainRatio


def test_c45_grows_its_published_tree_of_iris():
    X, y = load_iris(return_X_y=True)
    tree = presets.c45().fit(X, y)
    assert tree.tree_.n_nodes == 9
    assert (tree.predict(X) != y).sum() == 3


@pytest.mark.parametrize("preset", [presets.c45, presets.j48])
def test_the_unpruned_tree_of_the_cancer_data_has_29_nodes(preset):
    assert preset(pruning="none").fit(*load_breast_cancer(return_X_y=True)).tree_.n_nodes == 29


def test_j48_takes_close_scores_for_ties():
    assert presets.j48().criterion == GainRatio(penalty=True, tolerance=1e-6)
    assert presets.c45().criterion == GainRatio(penalty=True)


def test_every_parameter_can_be_overridden():
    tree = presets.j48(nominal="one_vs_rest", min_samples_leaf=5, max_depth=3)
    assert tree.nominal == "one_vs_rest"
    assert tree.min_samples_leaf == 5
    assert tree.max_depth == 3
    assert tree.collapse is True


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ParameterError, match=r"'min_leaf' .*did you mean 'min_samples_leaf'\?"):
        presets.c45(min_leaf=3)
