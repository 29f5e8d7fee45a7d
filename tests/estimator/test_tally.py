"""Cases counted once in the leaves, and judged in many ways."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree.tally import Tally
from tests.estimator import weather


@pytest.fixture(scope="module")
def tree():
    return ROCTreeClassifier(max_leaf_nodes=6).fit(*weather.frame())


@pytest.fixture(scope="module")
def cases():
    return weather.frame(seed=1)


@pytest.fixture(scope="module")
def parts(tree, cases):
    X, y = cases
    return [tree.tally(X[i : i + 50], y[i : i + 50]) for i in range(0, len(y), 50)]


def test_parts_together_are_what_all_cases_are(tree, cases, parts):
    whole, joined = tree.tally(*cases), Tally.joined(iter(parts))
    assert np.array_equal(joined.counts[: tree.get_n_leaves()], whole.counts[: tree.get_n_leaves()])
    assert np.allclose(joined.parts, whole.parts)
    assert np.array_equal(joined.values, whole.values, equal_nan=True)
    assert len(joined.values) > 0  # some cases are divided


def test_a_tally_takes_the_place_of_the_cases(tree, cases, parts):
    tally = Tally.joined(parts)
    assert tree.roc(tally).auc == tree.roc(*cases).auc
    assert tree.labellings(counts=tally).to_text() == tree.labellings(counts=cases).to_text()
    ours, theirs = (tree.at(cost_fn=3, counts=each).operating_point_ for each in (tally, cases))
    assert (ours.tpr, ours.counts) == (theirs.tpr, "held_out")


@pytest.mark.parametrize("request_", [{}, {"cost_fp": 1, "cost_fn": 4}, {"min_tpr": 0.9}], ids=repr)
def test_the_confusion_is_that_of_the_predictions(request_, tree, cases, parts):
    labelled = tree.at(**request_) if request_ else tree
    X, y = cases
    expected = confusion_matrix(y, labelled.predict(X), labels=tree.classes_).T
    assert np.array_equal(labelled.confusion(X, y), expected)
    assert np.array_equal(labelled.confusion(Tally.joined(parts)), expected)
    assert np.trace(expected) / len(y) == pytest.approx(labelled.score(X, y))


def test_labels_by_chance_count_as_often_as_expected(tree, cases):
    point = tree.at(max_fpr=0.3, randomise=True, counts=cases)
    confusion = point.confusion(*cases)
    assert confusion / confusion.sum() == pytest.approx(point.operating_point_.confusion)


def test_cases_counted_in_another_tree_are_refused(tree, parts):
    other = ROCTreeClassifier(max_leaf_nodes=3).fit(*weather.frame())
    with pytest.raises(ParameterError, match="counted in another tree"):
        other.roc(parts[0])
    assert tree.smoothed("laplace").roc(parts[0]).auc > 0.5


def test_no_parts_are_no_cases():
    with pytest.raises(DataError, match="at least one row"):
        Tally.joined([])


def test_a_tally_does_not_keep_the_cases():
    X, y = weather.complete()
    tally = ROCTreeClassifier(max_leaf_nodes=6).fit(X, y).tally(X, y)
    assert len(tally.values) == 0
    assert tally.values.base is None
