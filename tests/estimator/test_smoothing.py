import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

from roctree import NotFittedError, ParameterError, ROCTreeClassifier
from roctree.smoothing import (
    SMOOTHING,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
    UniformWhereEmpty,
)
from tests.estimator import weather
from tests.shared_data import load

AUTOMATIC = [MEstimate("auto"), MBranch("auto"), HierarchicalShrinkage("auto")]
automatic = pytest.mark.parametrize("smoother", AUTOMATIC, ids=repr)


def noisy(n_rows=200, seed=0):
    """Three rounded columns, of which one tells something, and labels that are often wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def ten_to_ninety():
    """One case of the rare class apart, nine among the ninety of the other."""
    X = np.array([[0.0]] + [[1.0]] * 99)
    return X, np.array(["rare"] * 10 + ["usual"] * 90)


def halves(tree):
    """A smoother of one's own: half the frequencies of the node, half chance."""
    sums = np.maximum(tree.counts.sum(axis=1, keepdims=True), 1.0)
    shares = 0.5 * tree.counts / sums
    return shares + (1.0 - shares.sum(axis=1, keepdims=True)) / tree.n_classes


# Smoothing a tree that is there.


@pytest.mark.parametrize("name", SMOOTHING)
def test_a_tree_smoothed_anew_is_the_one_fitted_that_way(name):
    X, y = weather.frame()
    again = ROCTreeClassifier().fit(X, y).smoothed(name)
    fitted = ROCTreeClassifier(smoothing=name).fit(X, y)
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert again.smoothing_ == fitted.smoothing_


def test_a_tree_smoothed_anew_shares_its_nodes_with_the_first():
    tree = ROCTreeClassifier().fit(*noisy())
    assert tree.smoothed("laplace").tree_ is tree.tree_


def test_smoothing_anew_leaves_the_first_estimator_as_it_was():
    X, y = noisy()
    tree = ROCTreeClassifier(smoothing="m_estimate").fit(X, y)
    before = tree.predict_proba(X)
    other = tree.smoothed("none")
    assert np.array_equal(tree.predict_proba(X), before)
    assert not np.array_equal(other.predict_proba(X), before)
    assert tree.get_params()["smoothing"] == "m_estimate"


def test_the_parameter_says_how_a_tree_was_smoothed_anew():
    tree = ROCTreeClassifier(max_depth=3).fit(*noisy()).smoothed("m_branch", M=2)
    assert tree.smoothing == tree.smoothing_ == MBranch(M=2)
    assert clone(tree).get_params() == tree.get_params()


def test_a_clone_is_fitted_to_the_same_probabilities():
    X, y = noisy()
    tree = ROCTreeClassifier().fit(X, y).smoothed(MEstimate(7, "training"))
    assert np.array_equal(clone(tree).fit(X, y).predict_proba(X), tree.predict_proba(X))


def test_a_tree_smoothed_anew_can_be_pickled():
    X, y = noisy()
    tree = ROCTreeClassifier().fit(X, y).smoothed("hierarchical_shrinkage", strength=3)
    again = pickle.loads(pickle.dumps(tree))
    assert again.smoothing_ == HierarchicalShrinkage(3)
    assert np.array_equal(again.predict_proba(X), tree.predict_proba(X))


def test_a_tree_must_be_fitted_before_it_is_smoothed_anew():
    with pytest.raises(NotFittedError):
        ROCTreeClassifier().smoothed("laplace")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("laplac",), {}, r"'laplac' is not known \(did you mean 'laplace'\?\)"),
        (
            ("m_estimate",),
            {"priors": 1},
            r"priors=1\) has an unknown option \(did you mean 'prior'\?\)",
        ),
        (("laplace",), {"m": 1}, r"Laplace\(.*\) has an unknown option; there are no options\.$"),
        ((Laplace,), {}, "write a class with its parentheses"),
        (("m_branch",), {"M": -1}, "zero or more"),
        (("m_branch",), {"M": "auto"}, r"MBranch\(M='auto'\) is selected by cross-validation"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(arguments, options, message):
    tree = ROCTreeClassifier().fit(*noisy(30))
    with pytest.raises(ParameterError, match=message) as caught:
        tree.smoothed(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_auto_is_settled_on_a_fitted_tree_as_in_fit():
    X, y = noisy(200)
    fitted = ROCTreeClassifier(smoothing=MBranch(M="auto"), min_samples_leaf=3).fit(X, y)
    plain = ROCTreeClassifier(min_samples_leaf=3).fit(X, y)
    again = plain.smoothed("m_branch", M="auto", X=X, y=y)
    assert again.smoothing_ == fitted.smoothing_
    assert again.smoothing == MBranch(M="auto")
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


# A smoother of one's own.


def test_a_plain_function_smooths_in_fit_and_afterwards():
    X, y = noisy()
    fitted = ROCTreeClassifier(smoothing=halves).fit(X, y)
    again = ROCTreeClassifier().fit(X, y).smoothed(halves)
    frequencies = fitted.smoothed("none").predict_proba(X)
    assert np.allclose(fitted.predict_proba(X), 0.25 + 0.5 * frequencies)
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert fitted.smoothing_ is again.smoothing_ is halves


def test_a_tree_smoothed_by_a_plain_function_can_be_cloned_and_pickled():
    X, y = noisy()
    tree = ROCTreeClassifier(smoothing=halves).fit(X, y)
    assert clone(tree).smoothing is halves
    assert np.array_equal(pickle.loads(pickle.dumps(tree)).predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda tree: tree.counts[tree.leaves], "return one row per node"),
        (lambda tree: 0.5, r"shape \(\)"),
        (lambda tree: np.full(tree.counts.shape, np.nan), "not finite for node 0"),
    ],
)
def test_a_plain_function_that_gives_no_probabilities_is_refused(wrong, message):
    X, y = noisy(30)
    with pytest.raises(ParameterError, match=message):
        ROCTreeClassifier(smoothing=wrong).fit(X, y)
    with pytest.raises(ParameterError, match=message):
        ROCTreeClassifier().fit(X, y).smoothed(wrong)


# Labels.


def test_the_most_probable_class_may_be_another_than_the_majority():
    X, y = ten_to_ninety()
    tree = ROCTreeClassifier(smoothing="m_branch").fit(X, y)
    assert tree.tree_.counts.tolist() == [[10, 90], [1, 0], [9, 90]]
    assert tree.predict_proba([[0.0]]).tolist()[0] == pytest.approx([0.341935, 0.658065], abs=6e-7)
    assert tree.predict([[0.0]]).tolist() == ["usual"]
    by_majority = ROCTreeClassifier(smoothing="m_branch", labels="majority").fit(X, y)
    assert np.array_equal(by_majority.predict_proba(X), tree.predict_proba(X))
    assert by_majority.predict([[0.0]]).tolist() == ["rare"]


@pytest.mark.parametrize("name", SMOOTHING)
def test_labels_by_probability_are_the_most_probable_classes(name):
    X, y = weather.frame()
    tree = ROCTreeClassifier(smoothing=name).fit(X, y)
    assert np.array_equal(tree.predict(X), tree.classes_[tree.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("name", SMOOTHING)
def test_labels_by_majority_are_those_of_the_leaf(name):
    X, y = weather.complete()
    tree = ROCTreeClassifier(smoothing=name, labels="majority", min_samples_leaf=4).fit(X, y)
    majority = tree.tree_.counts[tree.apply(X)].argmax(axis=1)
    assert np.array_equal(tree.predict(X), tree.classes_[majority])


@pytest.mark.parametrize("name", ["haberman", "glass", "hepatitis", "tae"])
def test_accuracy_by_majority_is_the_same_for_all_smoothings(name):
    """As in table 8 of Ferri, Flach and Hernández-Orallo, ECML 2003."""
    data = load(name)
    X, y = data.frame, np.array(data.labels)
    kept = np.arange(len(y)) % 3 != 0
    tree = ROCTreeClassifier(labels="majority").fit(X[kept], y[kept])
    scores = {tree.smoothed(smoothing).score(X[~kept], y[~kept]) for smoothing in SMOOTHING}
    assert len(scores) == 1
    by_probability = ROCTreeClassifier().fit(X[kept], y[kept])
    labels = {tuple(by_probability.smoothed(each).predict(X[~kept])) for each in SMOOTHING}
    assert len(labels) > 1


# Missing values.


@pytest.mark.parametrize("name", SMOOTHING)
def test_probabilities_are_mixed_over_the_leaves_of_a_missing_value(name):
    X, y = ten_to_ninety()
    tree = ROCTreeClassifier(smoothing=name).fit(X, y)
    left, right, unknown = tree.predict_proba([[0.0], [1.0], [None]])
    assert np.allclose(unknown, 0.01 * left + 0.99 * right)


# What fit chooses by itself.


@automatic
def test_an_automatic_option_becomes_a_number_of_the_grid(smoother):
    (option,) = smoother.grid
    tree = ROCTreeClassifier(smoothing=smoother).fit(*noisy())
    assert getattr(tree.smoothing_, option) in smoother.grid[option]
    assert tree.smoothing is smoother


def test_other_options_are_left_as_they_are():
    tree = ROCTreeClassifier(smoothing=MEstimate("auto", prior="training")).fit(*noisy())
    assert tree.smoothing_.prior == "training"


@automatic
def test_the_choice_does_not_depend_on_the_order_of_rows(smoother):
    X, y = noisy()
    order = np.random.default_rng(1).permutation(len(y))
    one = ROCTreeClassifier(smoothing=smoother).fit(X, y)
    other = ROCTreeClassifier(smoothing=smoother).fit(X[order], y[order])
    assert one.smoothing_ == other.smoothing_
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


@automatic
def test_the_choice_takes_a_row_of_weight_three_for_three_rows(smoother):
    X, y = noisy(150)
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = ROCTreeClassifier(smoothing=smoother).fit(X, y, sample_weight=weights)
    repeated = ROCTreeClassifier(smoothing=smoother).fit(X.repeat(weights, 0), y.repeat(weights))
    assert weighted.smoothing_ == repeated.smoothing_
    assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@automatic
def test_the_choice_is_better_than_the_weakest_of_the_grid(smoother):
    (option,) = smoother.grid
    X, y = noisy(400)
    X_new, y_new = noisy(2000, seed=3)
    tree = ROCTreeClassifier(smoothing=smoother).fit(X, y)
    weakest = tree.smoothed(smoother, **{option: smoother.grid[option][0]})
    chosen = log_loss(y_new, tree.predict_proba(X_new))
    assert chosen < log_loss(y_new, weakest.predict_proba(X_new))
    # To know nothing costs log 2.
    assert chosen < math.log(2)


@automatic
def test_two_rows_are_enough_to_choose(smoother):
    tree = ROCTreeClassifier(smoothing=smoother).fit([[0.0], [1.0]], [0, 1])
    assert np.allclose(tree.predict_proba([[0.0], [1.0]]).sum(axis=1), 1.0)


@automatic
def test_a_single_class_leaves_nothing_to_choose(smoother):
    tree = ROCTreeClassifier(smoothing=smoother).fit([[0.0], [1.0], [2.0]], ["a", "a", "a"])
    assert np.allclose(tree.predict_proba([[0.0]]), 1.0)


def test_a_class_of_a_single_row_does_not_disturb_the_choice():
    X, y = noisy(60)
    y[7] = 2
    tree = ROCTreeClassifier(smoothing=MBranch("auto")).fit(X, y)
    assert tree.smoothing_.M in MBranch.grid["M"]


def test_pruning_afterwards_keeps_what_fit_has_chosen():
    X, y = noisy()
    tree = ROCTreeClassifier(smoothing=MBranch("auto")).fit(X, y)
    assert tree.pruned("pessimistic").smoothing_ == tree.smoothing_


@automatic
def test_weights_that_sum_to_one_do_not_change_what_is_chosen_afterwards(smoother):
    X, y = noisy()
    weights = np.full(len(y), 1.0 / len(y))
    fitted = ROCTreeClassifier(smoothing=smoother).fit(X, y, weights)
    later = (
        ROCTreeClassifier().fit(X, y, weights).smoothed(smoother, X=X, y=y, sample_weight=weights)
    )
    assert later.smoothing_ == fitted.smoothing_


def test_an_option_of_a_smoother_inside_another_is_chosen_too():
    X, y = noisy()
    tree = ROCTreeClassifier(smoothing=UniformWhereEmpty(MBranch("auto"))).fit(X, y)
    alone = ROCTreeClassifier(smoothing=MBranch("auto")).fit(X, y)
    assert tree.smoothing_ == UniformWhereEmpty(alone.smoothing_)


def test_an_unknown_smoother_inside_another_is_refused():
    with pytest.raises(ParameterError, match="m_brunch"):
        UniformWhereEmpty("m_brunch")


@automatic
def test_an_option_that_is_not_chosen_yet_is_refused_in_one_sentence(smoother):
    with pytest.raises(ParameterError) as refusal:
        ROCTreeClassifier().fit(*noisy()).smoothed(smoother)
    name, _, rest = str(refusal.value).partition(" ")
    assert name.startswith(type(smoother).__name__)
    assert rest == (
        "is selected by cross-validation: use it with fit, or pass X and y to smoothed(...)."
    )
