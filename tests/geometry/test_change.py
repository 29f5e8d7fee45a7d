from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roctree import ParameterError, ROCTreeClassifier
from roctree.geometry import Limits
from roctree.geometry.changes import project, targets_within
from tests.estimator import weather
from tests.geometry.trees import as_nodes, boundary_of, labelled_trees, rows
from tests.naive import geometry as naive
from tests.strategies import data_sets
from tests.tree.trees import as_values, node_numbers

EVERYTHING = (-np.inf, np.inf)
RANGES = st.sampled_from([EVERYTHING, EVERYTHING, (-1.0, 0.25), (0.3, 0.4), (0.5, 0.5), None])
CODES = st.sampled_from([[0, 1, 2, 3], [0, 1, 2, 3], [2], [], None])
SCALES = st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=3, max_size=3)
POINTS = [{}, {"cost_fp": 1, "cost_fn": 4}, {"max_fpr": 0.3}, {"min_tpr": 0.8}, {"threshold": 0.3}]


def fitted(**parameters):
    return ROCTreeClassifier(max_leaf_nodes=8, **parameters).fit(*weather.frame())


@settings(max_examples=60)
@given(
    data_sets(rows=(4, 20), classes=(2, 3)), st.sampled_from(["fractional", "branch", "category"])
)
def test_the_changed_case_has_the_wanted_label_and_is_as_far_as_the_boundary(data, missing):
    tree = ROCTreeClassifier(missing=missing, categorical_features=list(data.nominal))
    tree.fit(data.matrix, data.labels)
    own = tree.predict(data.matrix)
    distances = tree.boundary_distance(data.matrix, boundary="one_vs_rest")
    for number, to in enumerate(tree.classes_):
        changes = tree.nearest_change(data.matrix, to=to)
        reached = tree.predict(np.array(changes.changed(), dtype=float))
        assert (reached[changes.reachable] == to).all()
        others = changes.reachable & (own != to)
        moved, far = changes.distance[others], distances[others, number]
        assert (moved >= far * (1 - 1e-12)).all()
        # Nobody is told to lose a value, where missing ones have a branch of their own.
        assert missing != "fractional" or moved == pytest.approx(far, rel=1e-12)
        assert (changes.distance[own == to] == 0.0).all()


@settings(max_examples=30)
@given(data_sets(rows=(6, 20), columns=(2, 2), classes=(2, 2), missing=False), st.data())
def test_no_allowed_change_is_less(data, draw):
    tree = ROCTreeClassifier(categorical_features=list(data.nominal), metric=[1.0, 2.0])
    tree.fit(data.matrix, data.labels)
    frozen = draw.draw(st.sampled_from([[], [0], [1]]))
    case = data.matrix[:1]
    (found,) = tree.nearest_change(case, frozen=frozen)
    # Every threshold and the numbers just above, and every category, reach every box.
    cuts = tree.tree_.threshold[~np.isnan(tree.tree_.threshold)]
    steps = np.unique(np.concatenate([cuts, np.nextafter(cuts, np.inf), np.arange(6.0)]))
    choices = [[case[0, i], *([] if i in frozen else _options(data, i, steps))] for i in (0, 1)]
    tried = np.array(list(product(*choices)))
    # A category that a node never saw divides the case among leaves: it is in no box.
    leaves_reached = tree.decision_path(tried)[:, tree.tree_.leaves].sum(axis=1)
    whole = np.asarray(leaves_reached).ravel() == 1
    differs = whole & (tree.predict(tried) != tree.predict(case))
    moved = np.abs(tried - case) / [1.0, 2.0]
    for i in data.nominal:
        moved[:, i] = (tried[:, i] != case[0, i]) / [1.0, 2.0][i]
    least = np.sqrt((moved[differs] ** 2).sum(axis=1)).min(initial=np.inf)
    assert found.distance == pytest.approx(least, rel=1e-9, abs=1e-12)


def _limits(allowed):
    """Two numbers and a category, what each may change to, None if it cannot."""
    ranges = [EVERYTHING if each is None else each for each in allowed[:2]] + [EVERYTHING]
    low, high = np.array(ranges, dtype=float).T
    codes = {} if allowed[2] is None else {2: allowed[2]}
    return Limits(np.array([each is None for each in allowed]), low, high, codes)


@settings(max_examples=80)
@given(labelled_trees(classes=(2, 3)), rows(), SCALES, st.tuples(RANGES, RANGES, CODES), st.data())
def test_every_value_tried_in_plain_loops_finds_no_less(made, some_rows, scale, allowed, data):
    root, labels, n_classes = made
    boundary, values = boundary_of(root, labels, n_classes, scale), as_values(some_rows)
    own = np.array([data.draw(st.integers(0, n_classes - 1)) for _ in some_rows])
    to = data.draw(st.none() | st.integers(0, n_classes - 1))
    found = project(targets_within(boundary, _limits(allowed)), values, own, to)
    for row, label, far in zip(some_rows, own.tolist(), found.distance.tolist(), strict=True):
        wanted = set(range(n_classes)) - {label} if to is None else {to}
        least = naive.least_change(root, labels, row, wanted, scale, allowed)
        assert far == pytest.approx(0.0 if label == to else least, rel=1e-12, abs=1e-12)
    moved = np.isfinite(found.distance) & (own != (-1 if to is None else to))
    assert np.array_equal(boundary.predicted(found.values)[moved], found.labels[moved])
    assert np.array_equal(found.values[~moved], values[~moved], equal_nan=True)
    for attribute, limit in enumerate(allowed):
        before, after = values[:, attribute], found.values[:, attribute]
        new = after[(before != after) & ~np.isnan(after)]
        assert not (np.isnan(after) & ~np.isnan(before)).any()
        assert limit is not None or new.size == 0
        assert attribute == 2 or limit is None or ((limit[0] <= new) & (new <= limit[1])).all()
        assert attribute != 2 or limit is None or set(new) <= set(limit)


@settings(max_examples=40)
@given(
    data_sets(rows=(6, 20), classes=(2, 2)),
    st.sampled_from(["fractional", "branch", "category"]),
    st.sampled_from(POINTS),
    st.data(),
)
def test_it_is_exact_at_any_operating_point_whatever_is_missing(data, missing, point, draw):
    tree = ROCTreeClassifier(missing=missing, categorical_features=list(data.nominal))
    tree.fit(data.matrix, data.labels)
    tree = tree.at(**point) if point and tree.n_classes_ == 2 else tree
    kinds = tree.schema_.categories
    frozen = draw.draw(st.sets(st.integers(0, len(kinds) - 1), max_size=1))
    found = tree.nearest_change(data.matrix, frozen=frozen)
    free = [EVERYTHING if each is None else range(len(each)) for each in kinds]
    allowed = [None if i in frozen else each for i, each in enumerate(free)]
    root, votes = as_nodes(tree.tree_), tree.fitted_.decision.votes
    labels = {path: votes[number].argmax() for path, number in node_numbers(root).items()}
    own = np.searchsorted(tree.classes_, tree.predict(data.matrix)).tolist()
    for row, label, far in zip(tree.fitted_.encode(data.matrix), own, found.distance, strict=True):
        case = [None if np.isnan(value) else float(value) for value in row]
        wanted = set(range(tree.n_classes_)) - {label}
        least = naive.least_change(root, labels, case, wanted, tree.scale_, allowed)
        assert far == pytest.approx(least, rel=1e-9, abs=1e-12)


def _options(data, attribute, steps):
    if attribute not in data.nominal:
        return list(steps)
    return sorted(set(data.columns[attribute]))


def test_what_is_frozen_stays():
    tree, (X, _) = fitted(), weather.frame()
    for case in tree.nearest_change(X, frozen=["sky", "wind"]):
        assert {change.attribute for change in case.changes} <= {"warmth"}
    nothing = tree.nearest_change(X, frozen=["sky", "wind", "warmth"])
    known = X.notna().all(axis=1).to_numpy()
    assert not nothing.reachable[known].any()
    assert "(cannot be reached)" in repr(nothing)


def test_a_case_may_change_and_stay_where_missing_values_are_sent():
    X = [[np.nan, 0.0], [np.nan, 1.0], [1.0, 0.0], [2.0, 1.0]] * 6
    tree = ROCTreeClassifier(missing="branch").fit(X, ["a", "b", "c", "c"] * 6)
    found = tree.nearest_change([[np.nan, 0.0]], to="b")
    assert [change.attribute for change in found[0].changes] == ["x1"]
    assert found.distance.tolist() == [0.5]


def test_new_values_are_among_those_allowed():
    tree, (X, _) = fitted(), weather.frame()
    changes = tree.nearest_change(
        X, allowed={"warmth": (20, 24), "wind": (None, 3), "sky": ["sun"]}
    )
    assert changes.reachable.any()
    for case in changes:
        for change in case.changes:
            if change.attribute == "warmth":
                assert 20 <= change.needed <= 24
            elif change.attribute == "wind":
                assert change.needed <= 3
            else:
                assert change.needed == "sun"
    reached = tree.predict(pd.DataFrame(changes.changed(), columns=X.columns))
    assert (reached != tree.predict(X))[changes.reachable].all()


def test_the_table_says_what_changes_by_how_much():
    rows, labels = [[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"]
    tree = ROCTreeClassifier().fit(rows, labels)
    changes = tree.nearest_change([[1.0], [4.5], [None]], to="yes")
    assert len(changes) == 3
    assert changes[0].changes[0]._replace(needed=2.5) == ("x0", 1.0, 2.5, pytest.approx(1.5))
    assert changes[0].changes[0].needed == np.nextafter(2.5, np.inf)
    assert changes[1].changes == ()
    assert repr(changes) == (
        "case  label      attribute    now      needed  change  distance\n"
        "0     no to yes  x0           1        > 2.5   +1.5    0.375\n"
        "1     yes        (no change)                           0\n"
        "2     no to yes  x0           missing  > 2.5           0"
    )
    frame = changes.to_pandas()
    assert frame["attribute"].tolist() == ["x0", "", "x0"]
    assert frame["distance"].tolist() == [0.375, 0.0, 0.0]
    assert "<td>&gt; 2.5</td>" in changes._repr_html_()
    back = tree.nearest_change([[4.5]], to="no")
    assert back[0].changes[0].needed == 2.5


@pytest.mark.parametrize("below", [0.1234567890123, 0.5967367472916569, 1e-9, 3e11, -2.0])
def test_the_number_shown_is_on_the_right_side_of_the_threshold(below):
    above = float(np.nextafter(below, np.inf))
    tree = ROCTreeClassifier(threshold="observed")
    tree.fit([[below - abs(below)], [below], [above], [above + abs(above)]], [0, 0, 1, 1])
    down, up = (tree.nearest_change([[x]], to=to) for x, to in ((above, 0), (below, 1)))
    needed = down.to_text().splitlines()[1].split()[6]
    assert float(needed) <= below
    assert tree.predict([[float(needed)]]) == [0]
    sign, beyond = up.to_text().splitlines()[1].split()[6:8]
    assert sign == ">"
    assert below <= float(beyond) == pytest.approx(below, rel=1e-11)


def test_a_threshold_of_few_digits_is_shown_as_it_is():
    # 0.55 and 17.575 are not quite what they are called, one above and one below.
    rows = [[0.54, 17.58], [0.54, 17.57], [0.56, 17.57], [0.56, 17.58]]
    tree = ROCTreeClassifier().fit(rows, ["no", "no", "yes", "yes"])
    assert [change.words for change in tree.nearest_change([rows[0]])[0].changes] == ["x0 > 0.55"]
    tree = ROCTreeClassifier().fit(rows, ["no", "yes", "yes", "no"])
    assert [change.words for change in tree.nearest_change([rows[0]])[0].changes] == ["x1 = 17.575"]


def test_words_say_which_values_were_missing():
    tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
    (found,) = tree.nearest_change([[None]], to="yes")
    assert [change.words for change in found.changes] == ["x0 > 2.5 (now missing)"]


def test_the_end_of_what_is_allowed_is_shown_as_it_is():
    tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
    words = [
        tree.nearest_change([[now]], allowed={0: limits})[0].changes[0].words
        for now, limits in ((1.0, (3, 4)), (1.0, (2, 4)), (5.0, (0, 1.1)), (None, (2.7, 4)))
    ]
    assert words == ["x0 = 3", "x0 > 2.5", "x0 = 1.1", "x0 = 4 (now missing)"]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"allowed": [1]}, "must be a dictionary"),
        ({"allowed": "x0"}, "must be a dictionary"),
        ({"frozen": None}, "frozen names None"),
        ({"frozen": 7}, "frozen names 7"),
        ({"frozen": [True]}, "frozen names True, which is not an attribute"),
        ({"allowed": {0: (np.nan, 3)}}, "pass its smallest and largest value"),
    ],
)
def test_limits_that_mean_nothing_are_refused(limits, sentence):
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    with pytest.raises(ParameterError, match=sentence):
        tree.nearest_change([[1.0]], **limits)
    assert not tree.nearest_change([[1.0]], frozen=0).reachable.any()


def test_it_follows_the_operating_point():
    rows, labels = [[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"]
    tree = ROCTreeClassifier().fit(rows, labels).at(max_fpr=0.0)
    assert tree.nearest_change([[1.0]])[0].to == "yes"
    one = ROCTreeClassifier().fit(rows, labels).at(threshold=1.0)
    assert not one.nearest_change([[1.0]])[0].reachable
    chance = fitted().at(max_fpr=0.15, randomise=True)
    assert chance.operating_point_.chance > 0
    with pytest.raises(ParameterError, match="Randomised labels cannot be guaranteed"):
        chance.nearest_change(weather.frame()[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": "maybe"}, "to='maybe' is not a class; the classes are 'home', 'play'"),
        (
            {"frozen": ["wnid"]},
            r"names 'wnid', which is not an attribute \(did you mean 'wind'",
        ),
        ({"frozen": [7]}, "frozen names 7, which is not an attribute"),
        ({"allowed": {"skye": []}}, "allowed names 'skye'"),
        ({"allowed": {"wind": (3, 1)}}, "pass its smallest and largest value"),
        ({"allowed": {"wind": "low"}}, "allowed has 'low' for 'wind'"),
        ({"allowed": {"wind": (1, 2, 3)}}, "pass its smallest and largest value"),
        (
            {"allowed": {"sky": ["snow"]}},
            "has 'snow' for 'sky', which is not one of its categories",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(arguments, message):
    with pytest.raises(ParameterError, match=message):
        fitted().nearest_change(weather.frame()[0], **arguments)


def test_a_leaf_above_a_threshold_is_out_of_reach_if_only_the_threshold_itself_is_allowed():
    tree = ROCTreeClassifier(threshold="observed").fit([[1.0], [2.0]], ["no", "yes"])
    assert tree.tree_.threshold[0] == 1.0
    assert not tree.nearest_change([[0.5]], allowed={0: (0.0, 1.0)}).reachable.any()
    assert tree.nearest_change([[0.5]], allowed={0: (0.0, 1.5)}).reachable.all()
    assert tree.nearest_change([[2.0]], allowed={0: (1.0, 3.0)}).reachable.all()
    assert not tree.nearest_change([[2.0]], allowed={0: (1.25, 3.0)}).reachable.any()
