"""Probabilities calibrated on held-out cases, by every classifier."""

import pickle

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
    load,
)
from roctree.calibration import Calibration
from tests.estimator import weather
from tests.naive import roc as naive

CLASSIFIERS = [
    ROCTreeClassifier(min_samples_leaf=4),
    ROCTreeClassifier(min_samples_leaf=4, ranking="soft"),
    NaiveBayesTreeClassifier(),
    MultiscaleClassifier(max_level=3),
]
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)


def cases(n_rows, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    score = X[:, 0] + X[:, 1] / 2 + rng.normal(size=n_rows)
    return X, np.array(["low", "mid", "high"])[np.digitize(score, [0.0, 1.2][: n_classes - 1])]


def with_hard_leaves(model):
    return not (isinstance(model, ROCTreeClassifier) and model.ranking == "soft")


@each_classifier
def test_they_are_the_isotonic_regression_of_held_out_cases(model):
    fitted = model.fit(*cases(300))
    X, y = cases(200, seed=1)
    found = fitted.calibrated(X, y).predict_proba(X)
    assert np.allclose(found.sum(axis=1), 1.0)
    if with_hard_leaves(model):
        before = fitted.predict_proba(X)[:, 1].round(12)
        other = IsotonicRegression(out_of_bounds="clip").fit(before, y == "mid")
        assert np.allclose(found[:, 1], other.predict(before), atol=1e-9)
        leaves = [(score, int(label == "mid"), int(label != "mid"))
                  for score, label in zip(before.tolist(), y, strict=True)]  # fmt: skip
        pooled = naive.isotonic(leaves[:60])
        again = fitted.calibrated(X[:60], y[:60]).predict_proba(X[:60])[:, 1]
        assert np.allclose(again, [float(pooled[score]) for score in before[:60].tolist()])


@each_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_on_the_cases_of_the_calibration_they_are_reliable_and_rank_no_worse(model, n_classes):
    fitted = model.fit(*cases(300, n_classes))
    X, y = cases(200, n_classes, seed=1)
    other = fitted.calibrated(X, y)
    assert np.allclose(other.predict_proba(X).sum(axis=1), 1.0)
    if n_classes == 2 and with_hard_leaves(model):
        assert other.roc(X, y).auc >= fitted.roc(X, y).auc - 1e-12
        assert other.roc(X, y).reliability().miscalibration == pytest.approx(0.0, abs=1e-9)


@each_classifier
def test_the_order_of_cases_is_kept(model):
    fitted = model.fit(*cases(300))
    other = fitted.calibrated(*cases(200, seed=1))
    X, _ = cases(400, seed=2)
    if with_hard_leaves(model):
        order = np.argsort(fitted.predict_proba(X)[:, 1], kind="stable")
        assert (np.diff(other.predict_proba(X)[order, 1]) >= -1e-12).all()


@each_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_intervals_contain_the_share_of_the_pool_and_narrow_with_the_level(model, n_classes):
    fitted = model.fit(*cases(300, n_classes))
    X, y = cases(200, n_classes, seed=1)
    wide, narrow = (fitted.calibrated(X, y, level=level) for level in (0.99, 0.5))
    low, high = np.moveaxis(wide.predict_interval(X), 2, 0)
    assert low.shape == (200, n_classes)
    shares = wide.predict_proba(X)
    assert ((low <= shares + 1e-12) & (shares <= high + 1e-12)).all()
    inner = narrow.predict_interval(X)
    assert ((low <= inner[:, :, 0]) & (inner[:, :, 1] <= high)).all()
    assert wide.calibration_.level == 0.99
    assert wide.calibration_.n_cases == 200


@each_classifier
def test_files_and_pickles_keep_the_calibration(model, tmp_path):
    X, y = cases(200, seed=1)
    other = model.fit(*cases(300)).calibrated(X, y)
    other.save(tmp_path / "model.json")
    for again in (load(tmp_path / "model.json"), pickle.loads(pickle.dumps(other))):
        assert np.array_equal(again.predict_proba(X), other.predict_proba(X))
        assert np.array_equal(again.predict_interval(X), other.predict_interval(X))
        assert "calibrated on 200 held-out cases" in again.to_text(head=True)


@each_classifier
def test_an_operating_point_by_probabilities_is_chosen_again(model):
    X, y = cases(200, seed=1)
    fitted = model.fit(*cases(300))
    asked = {"threshold": 0.4, "positive": "mid"}
    before = fitted.at(**asked).calibrated(X, y)
    assert np.array_equal(before.predict(X), fitted.calibrated(X, y).at(**asked).predict(X))
    if with_hard_leaves(model):
        assert np.array_equal(before.predict(X) == "mid", before.predict_proba(X)[:, 1] >= 0.4)
    with pytest.raises(ParameterError, match="smooth, calibrate or soften"):
        fitted.at(cost_fn=2, counts=(X, y)).calibrated(X, y)


@each_classifier
def test_without_calibration_there_are_no_intervals(model):
    fitted = model.fit(*cases(300))
    assert fitted.calibration_ is None
    with pytest.raises(ParameterError, match=r"call calibrated\(X, y\) first"):
        fitted.predict_interval(cases(3)[0])


def test_a_tally_serves_as_well_as_its_cases():
    tree, (X, y) = CLASSIFIERS[0].fit(*cases(300)), cases(200, seed=1)
    by_tally, by_cases = tree.calibrated(tree.tally(X, y)), tree.calibrated(X, y)
    assert np.array_equal(by_tally.probabilities_, by_cases.probabilities_)


def test_the_leaf_table_has_the_intervals():
    tree, (X, y) = CLASSIFIERS[0].fit(*cases(300)), cases(200, seed=1)
    table = tree.calibrated(X, y).leaf_table(X, y).to_pandas()
    assert list(table)[4:7] == ["probability low", "low low", "high low"]
    assert (table["low mid"] <= table["probability mid"]).all()
    assert "low mid" not in tree.leaf_table(X, y).to_pandas()


def test_leaves_that_no_case_reaches_lie_between_their_neighbours():
    X = np.array([[1.0], [2.0], [3.0]])
    tree = ROCTreeClassifier(smoothing="none").fit(
        np.repeat(X, 10, axis=0), [0] * 9 + [1] + [0] * 5 + [1] * 5 + [0] + [1] * 9
    )
    other = tree.calibrated([[1.0]] * 4 + [[3.0]] * 4, [0, 0, 0, 1, 0, 1, 1, 1])
    assert other.predict_proba(X)[:, 1].tolist() == [0.25, 0.5, 0.75]


def test_cases_with_missing_values_are_counted_in_parts():
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(X, y)
    other = tree.calibrated(X, y)
    shares = other.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1.0)
    intervals = other.predict_interval(X)
    assert ((intervals[:, :, 0] <= shares) & (shares <= intervals[:, :, 1])).all()


def test_smoothing_replaces_the_calibration_and_pruning_is_refused():
    tree = CLASSIFIERS[0].fit(*cases(300))
    other = tree.calibrated(*cases(200, seed=1))
    again = other.smoothed(tree.smoothing_)
    assert again.calibration_ is None
    assert np.array_equal(again.probabilities_, tree.probabilities_)
    with pytest.raises(ParameterError, match="prune first, then call calibrated"):
        other.pruned("pessimistic")


def test_probabilities_by_distance_are_not_calibrated():
    tree = ROCTreeClassifier(geometric_probability=True, min_samples_leaf=5).fit(*cases(300))
    with pytest.raises(ParameterError, match="fit without geometric_probability"):
        tree.calibrated(*cases(200, seed=1))


def test_sql_has_the_calibrated_probabilities():
    tree, (X, y) = CLASSIFIERS[0].fit(*cases(300)), cases(200, seed=1)
    other = tree.calibrated(X, y)
    share = float(other.probabilities_[other.tree_.leaves[0], 0])
    assert repr(share) in other.to_sql()


def test_each_of_several_classes_is_calibrated_against_the_rest_and_they_are_divided_by_their_sum():
    tree, (X, y) = CLASSIFIERS[0].fit(*cases(300, 3)), cases(60, 3, seed=1)
    before, other = tree.predict_proba(X).round(12), tree.calibrated(X, y)
    plain = []
    for place, label in enumerate(tree.classes_):
        leaves = [(score, int(own == label), int(own != label))
                  for score, own in zip(before[:, place].tolist(), y, strict=True)]  # fmt: skip
        pooled = naive.isotonic(leaves)
        plain.append([float(pooled[score]) for score in before[:, place].tolist()])
    expected = np.array(plain).T
    assert np.allclose(other.predict_proba(X), expected / expected.sum(axis=1, keepdims=True))
    assert repr(other.calibration_) == "<Calibration on 60 cases>"
    # Intervals are those of each class against the rest; they contain the share after the division.
    low, high = np.moveaxis(other.predict_interval(X), 2, 0)
    for shares in (expected, other.predict_proba(X)):
        assert ((low <= shares + 1e-12) & (shares <= high + 1e-12)).all()


def test_scores_that_no_class_is_calibrated_to_stay_as_they_are():
    scores = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.5, 0.4]])
    counts = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = Calibration.from_table(scores, counts, 0.95)
    assert found.n_cases == 3.0
    # No case with so low a score was of the class, for all three of them.
    assert found(np.array([[0.1, 0.2, 0.1]])).tolist() == [[0.1, 0.2, 0.1]]
    assert found(np.array([[0.2, 0.2, 0.1]])).tolist() == [[1.0, 0.0, 0.0]]


def test_intervals_of_two_classes_mirror_each_other():
    tree, (X, y) = CLASSIFIERS[0].fit(*cases(300)), cases(200, seed=1)
    found = tree.calibrated(X, y).predict_interval(X)
    assert np.allclose(found[:, 0, 0], 1.0 - found[:, 1, 1])
    assert np.allclose(found[:, 0, 1], 1.0 - found[:, 1, 0])
    assert (found[:, :, 0] < found[:, :, 1]).all()
