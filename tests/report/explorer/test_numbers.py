"""What the page shows is what Python computes, in a real browser, whatever the user moves."""

import sqlite3

import numpy as np
import pytest

from roctree.report.explorer import joined_script
from tests.report.explorer import trees
from tests.report.explorer.browser import Opened

# Rates that no leaf keeps are tried as well.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:max_fpr")]


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(made, fragment="", options=None, **explore):
        tree, X_test, y_test = made
        file = tree.explore(tmp_path / "tree.html", X_test, y_test, **explore)
        pages.append(Opened(browser, file, fragment, **(options or {})))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


def leaf_labels(page, tree):
    """The labels of the leaves, the first lines of a page."""
    return page.app("point.labels")[: tree.get_n_leaves()]


def assert_same_point(page, tree, X_test, y_test, **request):
    """The labels of the leaves, and what they achieve on the test cases, are those of ``at``."""
    there = tree.at(**request)
    leaves, positive = tree.tree_.leaves, there.operating_point_.positive
    np.testing.assert_array_equal(leaf_labels(page, tree), there.operating_point_.labels[leaves])
    truth, said = (
        (y_test == tree.classes_[positive]),
        (there.predict(X_test) == tree.classes_[positive]),
    )
    assert page.number("tp") == pytest.approx((truth & said).sum())
    assert page.number("fp") == pytest.approx((~truth & said).sum())
    assert page.number("recall") == pytest.approx((truth & said).sum() / truth.sum())
    assert page.number("fpr") == pytest.approx((~truth & said).sum() / (~truth).sum())


@pytest.mark.parametrize(
    "made",
    [trees.tumours, trees.outings, trees.gaps, trees.soft],
    ids=lambda made: made.__name__,
)
def test_costs_rates_and_beta_give_the_labels_of_at(made, opened):
    tree, X_test, y_test = made()
    page = opened((tree, X_test, y_test))
    page.type("cost-fp", 2)
    for miss in (0.1, 1.5, 300):
        page.type("cost-fn", miss)
        request = {"cost_fp": 2, "cost_fn": miss, "counts": "smoothed"}
        assert_same_point(page, tree, X_test, y_test, **request)
        low, high = tree.at(**request).operating_point_.cost_ratio
        assert list(map(float, page.text_of("cost_ratio").replace("Infinity", "inf").split())) == (
            pytest.approx([low, high])
        )
    for share in (2, 12.5):
        page.type("max-fpr", share)
        assert_same_point(page, tree, X_test, y_test, max_fpr=share / 100, counts="smoothed")
        page.type("min-tpr", share + 30)
        assert_same_point(page, tree, X_test, y_test, min_tpr=(share + 30) / 100, counts="smoothed")
    page.page.locator("#roctree-0-best-beta").check()
    for beta in (0.5, 3):
        page.type("beta", beta)
        assert_same_point(page, tree, X_test, y_test, beta=beta, counts="smoothed")


def test_prevalence_and_the_other_class_give_the_labels_and_costs_of_at(opened):
    tree, *_ = trees.tumours()
    page = opened(trees.tumours())
    page.choose("by", "training")
    page.choose("on", "training")
    page.choose("positive", 0)
    page.type("cost-fn", 3)
    page.type("prior", 12.5)
    point = tree.at(cost_fp=1, cost_fn=3, prior=0.125, positive="benign").operating_point_
    np.testing.assert_array_equal(leaf_labels(page, tree), point.labels[tree.tree_.leaves])
    assert page.number("cost") == pytest.approx(1000 * point.expected_cost)
    assert page.number("recall") == pytest.approx(point.tpr)
    assert page.number("fpr") == pytest.approx(point.fpr)
    low, high = map(float, page.text_of("cost_ratio").replace("Infinity", "inf").split())
    assert (low, high) == pytest.approx(point.cost_ratio)


@pytest.mark.filterwarnings("ignore:.*leaves no case undecided")
@pytest.mark.parametrize(
    "made", [trees.tumours, trees.outings, trees.gaps, trees.soft], ids=lambda made: made.__name__
)
def test_undecided_leaves_and_their_costs_are_those_of_at(made, opened):
    tree, X_test, y_test = made()
    page = opened((tree, X_test, y_test))
    page.type("cost-reject", 0.4)
    some = False
    for miss in (0.3, 1, 2.5, 40):
        page.type("cost-fn", miss)
        there = tree.at(cost_fp=1, cost_fn=miss, cost_reject=0.4, counts="smoothed")
        point = there.operating_point_
        np.testing.assert_array_equal(leaf_labels(page, tree), point.labels[tree.tree_.leaves])
        table = there.confusion(X_test, y_test)
        _, place = page.positive(tree)
        assert page.number("tp") == pytest.approx(table[place, place])
        assert page.number("fp") == pytest.approx(table[place, 1 - place])
        assert page.number("fn") == pytest.approx(table[1 - place, place])
        assert page.number("left_positive") == pytest.approx(table[2, place])
        assert page.number("left_negative") == pytest.approx(table[2, 1 - place])
        assert page.number("undecided") == pytest.approx(table[2].sum() / table.sum())
        errors = table[place, 1 - place] + miss * table[1 - place, place] + 0.4 * table[2].sum()
        assert page.number("cost") == pytest.approx(1000 * errors / table.sum())
        some |= table[2].sum() > 0
    assert some
    assert "cost_reject=0.4" in page.preview("Python")
    assert "--cost-reject 0.4" in page.preview("Command line")
    # The slider's segments are the labellings.
    bounds = page.page.evaluate(
        "Array.from(document.querySelector('main.roctree').explorer.app.point.bounds, String)"
    )
    expected = tree.labellings(counts="smoothed", cost_reject=0.4).cost_bounds
    np.testing.assert_allclose([float(b.replace("Infinity", "inf")) for b in bounds], expected)
    page.picture(f"undecided-{made.__name__}")
    page.type("cost-reject", "")
    assert 2 not in leaf_labels(page, tree)


@pytest.mark.filterwarnings("ignore:.*leaves no case undecided")
@pytest.mark.parametrize("made", [trees.bayes, trees.cells], ids=lambda made: made.__name__)
def test_undecided_cases_of_other_models_are_those_of_at(made, opened):
    model, X_test, y_test = made()
    page = opened((model, X_test, y_test))
    page.type("cost-reject", 0.3)
    page.type("cost-fn", 2)
    label, place = page.positive(model)
    there = model.at(cost_fp=1, cost_fn=2, cost_reject=0.3, counts="smoothed", positive=label)
    table = there.confusion(X_test, y_test)
    assert page.number("tp") == pytest.approx(table[place, place])
    assert page.number("left_positive") == pytest.approx(table[2, place])
    assert page.number("left_negative") == pytest.approx(table[2, 1 - place])
    assert table[2].sum() > 0


def test_a_page_opens_at_an_operating_point_that_leaves_cases_undecided(opened):
    tree, X_test, y_test = trees.tumours()
    there = tree.at(cost_fp=1, cost_fn=5, cost_reject=0.3, positive="malignant")
    page = opened((there, X_test, y_test))
    point = there.operating_point_
    np.testing.assert_array_equal(leaf_labels(page, tree), point.labels[tree.tree_.leaves])
    assert "undecided" in page.page.locator(".sentence").text_content()
    assert "undecided" in page.preview("Rules")
    assert "'undecided'" in page.preview("SQL")


def test_the_sentence_and_the_bar_leave_as_many_cases_undecided(opened):
    made = trees.tumours()
    page = opened(made)
    for price in np.linspace(0.05, 0.5, 19):
        page.type("cost-reject", round(price, 3))
        assert page.number("bar_undecided") == page.number("sentence_undecided")


@pytest.mark.parametrize("made", [trees.wines, trees.soft_wines], ids=lambda made: made.__name__)
def test_several_classes_may_be_undecided(made, opened):
    tree, X_test, y_test = made()
    page = opened((tree, X_test, y_test))
    page.type("cost-reject-matrix", 0.2)
    there = tree.at(cost_reject=0.2, counts="smoothed")
    point = there.operating_point_
    np.testing.assert_array_equal(leaf_labels(page, tree), point.labels[tree.tree_.leaves])
    table = there.confusion(X_test, y_test)
    assert page.number("confusion_3_0") == pytest.approx(table[3, 0])
    assert page.number("undecided") == pytest.approx(table[3].sum() / table.sum())
    wrong = table[:3].sum() - np.trace(table[:3])
    assert page.number("cost") == pytest.approx(1000 * (wrong + 0.2 * table[3].sum()) / table.sum())
    page.picture(f"undecided-{made.__name__}")


@pytest.mark.parametrize(
    "made", [trees.outings, trees.gaps, trees.soft], ids=lambda made: made.__name__
)
def test_test_cases_may_choose_the_labels(made, opened):
    tree, X_test, y_test = made()
    page = opened(made())
    page.choose("by", "test")
    page.type("cost-fn", 2)
    request = {"cost_fp": 1, "cost_fn": 2, "counts": (X_test, y_test)}
    assert_same_point(page, tree, X_test, y_test, **request)
    assert page.number("cost") == pytest.approx(
        1000 * tree.at(**request).operating_point_.expected_cost
    )


@pytest.mark.parametrize(
    "made", [trees.tumours, trees.gaps, trees.soft], ids=lambda made: made.__name__
)
def test_areas_and_labellings_are_those_of_python(made, opened):
    tree, X_test, y_test = made()
    page = opened(made())
    assert page.number("auc_test") == pytest.approx(tree.roc(X_test, y_test).auc)
    assert page.number("auc_training") == pytest.approx(tree.roc().auc)
    curve = tree.roc(X_test, y_test)
    # Lines without a test case add corners that lie on others.
    corners = np.column_stack([page.app("point.counted.fpr"), page.app("point.counted.tpr")])
    expected = np.unique(np.column_stack([curve.fpr, curve.tpr]).round(9), axis=0)
    np.testing.assert_allclose(np.unique(corners.round(9), axis=0), expected)
    table = tree.labellings(counts="smoothed")
    bounds = page.page.evaluate(
        "Array.from(document.querySelector('main.roctree').explorer.app.point.bounds, String)"
    )
    np.testing.assert_allclose(
        [float(b.replace("Infinity", "inf")) for b in bounds], table.cost_bounds
    )
    page.choose("by", "training")
    assert page.app("point.ranking.starts.length") == len(tree.labellings())


def test_the_slider_steps_through_all_labellings(opened):
    tree, *_ = trees.outings()
    page = opened(trees.outings())
    slider = page.page.locator("#roctree-0-ratio")
    slider.focus()
    slider.press("Home")
    seen = [page.app("point.nGroups")]
    further = page.page.get_by_role("button", name="One step further").first
    while further.is_enabled():
        further.click()
        seen.append(page.app("point.nGroups"))
    assert seen == list(range(seen[0], seen[0] + len(seen)))
    assert seen[-1] == len(tree.labellings(counts="smoothed")) - 1
    slider.focus()
    slider.press("Home")
    assert page.app("point.nGroups") < seen[-1]


def test_cost_matrices_and_shares_of_many_classes_give_the_labels_of_at(opened):
    tree, X_test, y_test = trees.wines()
    page = opened(trees.wines())
    matrix = 1.0 - np.eye(3)
    leaves = tree.tree_.leaves
    for said, truth, cost in ((0, 1, 9.0), (2, 0, 0.2), (1, 2, 30.0)):
        page.type(f"cost-{said}-{truth}", cost)
        matrix[said, truth] = cost
        point = tree.at(cost_matrix=matrix, counts="smoothed").operating_point_
        np.testing.assert_array_equal(leaf_labels(page, tree), point.labels[leaves])
    for number, share in enumerate((60, 30, 10)):
        page.type(f"share-{number}", share)
    there = tree.at(cost_matrix=matrix, prior=[0.6, 0.3, 0.1], counts="smoothed")
    np.testing.assert_array_equal(leaf_labels(page, tree), there.operating_point_.labels[leaves])
    said = there.predict(X_test)
    for i, row in enumerate(tree.classes_):
        for j, column in enumerate(tree.classes_):
            counted = ((said == row) & (y_test == column)).sum()
            assert page.number(f"confusion_{i}_{j}") == pytest.approx(counted)
    page.choose("on", "smoothed")
    assert page.number("cost") == pytest.approx(1000 * there.operating_point_.expected_cost)
    page.picture("multi-class")


def test_one_class_against_the_rest_has_the_curve_of_roc(opened):
    tree, X_test, y_test = trees.wines()
    page = opened(trees.wines())
    page.page.get_by_label("Costs", exact=True).check()
    for number, name in enumerate(tree.classes_):
        page.choose("positive", number)
        curve = tree.roc(X_test, y_test, positive=name)
        assert page.number("auc_test") == pytest.approx(curve.auc)
        page.type("cost-fn", 4)
        labels = np.array(leaf_labels(page, tree))
        code = page.preview("Python")
        there = eval(code, {"tree": tree}).operating_point_.labels[tree.tree_.leaves]
        np.testing.assert_array_equal(labels == number, there == number)


@pytest.mark.parametrize(
    "made", [trees.tumours, trees.gaps, trees.wines], ids=lambda made: made.__name__
)
def test_a_case_has_the_probability_label_and_distance_of_python(made, opened):
    tree, X_test, y_test = made()
    page = opened((tree, X_test, y_test))
    chosen = page.app("data.cases")
    for number in range(0, len(chosen), max(1, len(chosen) // 6)):
        page.choose("pick", number)
        row = X_test.iloc[[chosen[number]["row"]]]
        here = tree if tree.n_classes_ > 2 else tree.at(cost_fp=1, cost_fn=1, counts="smoothed")
        label = int(page.text_of("case_label"))
        assert tree.classes_[label] == here.predict(row)[0]
        shown = label if tree.n_classes_ > 2 else page.app("state.positive")
        assert page.number("case_probability") == pytest.approx(tree.predict_proba(row)[0, shown])
        assert page.number("case_distance") == pytest.approx(here.nearest_change(row)[0].distance)
        if not row.isna().any(axis=None):
            assert page.number("case_distance") == pytest.approx(here.boundary_distance(row)[0])


@pytest.mark.parametrize("made", [trees.soft, trees.soft_wines], ids=lambda made: made.__name__)
def test_a_case_near_soft_thresholds_has_the_probability_and_label_of_python(made, opened):
    tree, X_test, y_test = made()
    page = opened((tree, X_test, y_test))
    chosen = page.app("data.cases")
    here = tree if tree.n_classes_ > 2 else tree.at(cost_fp=1, cost_fn=1, counts="smoothed")
    for number in range(0, len(chosen), max(1, len(chosen) // 6)):
        page.choose("pick", number)
        row = X_test.iloc[[chosen[number]["row"]]]
        label = int(page.text_of("case_label"))
        assert tree.classes_[label] == here.predict(row)[0]
        shown = label if tree.n_classes_ > 2 else page.app("state.positive")
        assert page.number("case_probability") == pytest.approx(tree.predict_proba(row)[0, shown])
        reached = len(tree.explain(row).leaves)
        if reached > 1:
            assert f"near soft thresholds: the mean of {reached} leaves" in page.page.text_content(
                ".verdict"
            )
    # What Python refuses, and what would be of hard thresholds, is not there.
    assert page.page.locator('[data-name="case_distance"]').count() == 0
    assert page.page.get_by_role("button", name="SQL", exact=True).count() == 0
    assert page.page.get_by_role("tab", name="Near cases").count() == 0
    assert "Soft thresholds: a case near" in page.page.text_content(".remark")


def test_typed_values_lead_to_the_same_leaf(opened):
    tree, X_test, _ = trees.outings()
    page = opened(trees.outings())
    names = [feature["name"] for feature in page.app("data.features")]
    categories = page.app("data.features")[names.index("sky")]["categories"]
    page.type(f"value-{names.index('warmth')}", "21,5")
    page.choose(f"value-{names.index('sky')}", categories.index("fog"))
    row = X_test.iloc[[0]].assign(warmth=21.5, sky="fog", wind=np.nan)
    assert page.number("case_probability") == pytest.approx(tree.predict_proba(row)[0, 1])


def test_copied_python_and_sql_give_the_same_labels(opened):
    tree, X_test, _ = trees.outings()
    page = opened(trees.outings())
    page.type("cost-fn", 2.5)
    there = eval(page.preview("Python"), {"tree": tree})
    np.testing.assert_array_equal(
        leaf_labels(page, tree), there.operating_point_.labels[tree.tree_.leaves]
    )
    with sqlite3.connect(":memory:") as base:
        X_test.to_sql("cases", base, index=False)
        found = base.execute(f"SELECT {page.preview('SQL')} FROM cases").fetchall()
    assert [label for (label,) in found] == there.predict(X_test).tolist()
    assert page.preview("Rules").count("\n") == tree.tree_.n_leaves - 1
    assert "--cost-fp 1 --cost-fn 2.5" in page.preview("Command line")


def test_other_curves_are_those_of_the_library(opened):
    tree, X_test, y_test = trees.tumours()
    page = opened(trees.tumours())
    curve = tree.roc(X_test, y_test)

    def run(call):
        counted = "document.querySelector('main.roctree').explorer.app.point.counted"
        return page.page.evaluate(
            f"(() => {{ {joined_script('curves')}\n const curve = {counted}; return {call}; }})()"
        )

    hull = curve.hull()
    corners = run("hullOf(curve).map((i) => [curve.fpr[i], curve.tpr[i]])")
    np.testing.assert_allclose(corners, np.column_stack([hull.fpr, hull.tpr]))
    costs = curve.cost_curve()
    found = run("costCurve(curve).map(({ x, y }) => [x, y])")
    np.testing.assert_allclose(found, np.column_stack([costs.weight, costs.cost]), atol=1e-12)
    gains = curve.precision_recall_gain()
    found = run("gainCurve(curve).map(({ x, y }) => [x, y])")
    np.testing.assert_allclose(found, np.column_stack([gains.recall, gains.precision]), atol=1e-12)


def test_an_interval_of_a_share_is_wilsons(opened):
    from scipy.stats import binomtest

    page = opened(trees.outings())
    for count, total in ((0, 7), (3, 7), (7, 7), (40, 1000)):
        found = page.page.evaluate(
            f"(() => {{ {joined_script('curves')}\n return wilson({count}, {total}); }})()"
        )
        wanted = binomtest(count, total).proportion_ci(method="wilson")
        assert (found["low"], found["high"]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_the_page_starts_at_the_operating_point_of_the_tree(opened):
    tree, X_test, y_test = trees.tumours()
    requests = [
        {"max_fpr": 0.04},
        {"beta": 2.0, "prior": 0.2},
        {"threshold": 0.3},
        {"cost_matrix": [[0, 9], [1, 0]], "counts": "smoothed"},
        {"cost_fp": 3, "cost_fn": 1, "positive": "benign"},
        {"cost_fn": 4, "counts": (X_test, y_test)},
    ]
    for request in requests:
        there = tree.at(**request)
        page = opened((there, X_test, y_test))
        labels = there.operating_point_.labels[tree.tree_.leaves]
        np.testing.assert_array_equal(leaf_labels(page, tree), labels, err_msg=str(request))
