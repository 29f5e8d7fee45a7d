"""Operating points where missing values divide cases among leaves."""

import pytest

from roctree import ROCTreeClassifier
from tests.estimator import weather


def rates(labels, truth):
    return [(labels[truth == which] == "play").mean() for which in ("home", "play")]


@pytest.mark.parametrize(
    "request_", [{"max_fpr": 0.15}, {"min_tpr": 0.8}, {"cost_fn": 3}, {"beta": 1}]
)
@pytest.mark.parametrize("seed", range(4))
def test_rates_on_held_out_cases_are_those_of_the_predictions(request_, seed):
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.frame(300, missing=0.3))
    new, truth = weather.frame(200, missing=0.4, seed=seed + 1)
    chosen = tree.at(counts=(new, truth), positive="play", **request_)
    point = chosen.operating_point_
    assert [point.fpr, point.tpr] == pytest.approx(rates(chosen.predict(new), truth))
    assert not point.in_parts
    if "max_fpr" in request_:
        assert point.fpr <= 0.15


def test_labellings_on_held_out_cases_count_leaves_and_not_divided_cases():
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.frame(300, missing=0.3))
    table = tree.labellings(counts=weather.frame(200, missing=0.4, seed=1))
    assert len(table[-1].positive_leaves) == tree.get_n_leaves()
    assert set(table[-1].positive_leaves) == set(tree.tree_.leaves)
    assert (table[-1].fpr, table[-1].tpr) == (1.0, 1.0)


def test_rates_by_training_counts_say_that_they_are_approximate():
    divided = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.frame(300, missing=0.3))
    assert divided.divides_cases_
    assert "approximate" in repr(divided.at(max_fpr=0.1).operating_point_)
    whole = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.complete(300))
    assert "approximate" not in repr(whole.at(max_fpr=0.1).operating_point_)
    sent = ROCTreeClassifier(min_samples_leaf=5, missing="branch")
    assert not sent.fit(*weather.frame(300, missing=0.3)).divides_cases_
