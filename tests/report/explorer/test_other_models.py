"""The page of Naive Bayes trees, trees with points and cells, in a real browser."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import roctree
from roctree import DataError, MultiscaleClassifier, NaiveBayesTreeClassifier
from tests.report.explorer import trees
from tests.report.explorer.browser import Opened

# Rates that no leaf keeps are tried as well.
pytestmark = pytest.mark.filterwarnings("ignore:max_fpr")
GOLDEN = Path(__file__).parents[2] / "golden" / "naive_bayes-1.json"
REQUESTS = [
    {"cost_fp": 2, "cost_fn": 0.4},
    {"cost_fp": 2, "cost_fn": 3},
    {"cost_fp": 2, "cost_fn": 90},
    {"max_fpr": 0.02},
    {"max_fpr": 0.125},
    {"min_tpr": 0.8},
    {"beta": 0.5},
    {"beta": 3},
]
FIELDS = {"cost_fp": "cost-fp", "cost_fn": "cost-fn", "max_fpr": "max-fpr", "min_tpr": "min-tpr"}
IS_DRAWN = """(canvas) => {
    const { width, height } = canvas;
    return canvas.getContext("2d").getImageData(0, 0, width, height).data.some((part) => part > 0);
}"""
MODELS = {
    "naive bayes": trees.bayes,
    "calibrated naive bayes": trees.calibrated_bayes,
    "points": trees.scorecard,
    "whole points": partial(trees.scorecard, integer=True),
    "calibrated points": partial(trees.scorecard, calibrated=True),
    "cells": trees.cells,
    "merged cells": partial(trees.cells, merge_leaves=True),
}


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(model, *test, **options):
        pages.append(Opened(browser, model.explore(tmp_path / "model.html", *test), **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture
def shared(kept):
    """The page of a model, brought back to its start, the model and its test cases."""
    return lambda name: (kept(MODELS[name]), *MODELS[name]())


def ask(page, request):
    """Set the controls of the page to what ``at`` is asked for."""
    if "beta" in request:
        page.page.locator("#roctree-0-best-beta").check()
    for name, value in request.items():
        percent = name in ("max_fpr", "min_tpr")
        page.type(FIELDS.get(name, name), 100 * value if percent else value)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_control_gives_the_predictions_of_at(name, shared):
    page, model, X_test, y_test = shared(name)
    ours, _ = page.positive(model)
    positive = y_test == ours
    for by, requests in (
        ("smoothed", REQUESTS),
        ("training", REQUESTS[3::2]),
        ("test", REQUESTS[1::3]),
    ):
        page.choose("by", by)
        for request in requests:
            ask(page, request)
            counts = (X_test, y_test) if by == "test" else by
            said = model.at(**request, counts=counts, positive=ours).predict(X_test) == ours
            assert page.number("tp") == pytest.approx((positive & said).sum()), (by, request)
            assert page.number("fp") == pytest.approx((~positive & said).sum()), (by, request)
        copied = page.preview("Python")
        known = {"tree": model, "X_test": X_test, "y_test": y_test}
        there = model.at(**requests[-1], counts=counts, positive=ours)
        assert (eval(copied, known).predict(X_test) == there.predict(X_test)).all()
    page.picture(f"{name.replace(' ', '-')}")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_areas_and_cost_ratios_are_those_of_python(name, shared):
    page, model, X_test, y_test = shared(name)
    assert page.number("auc_test") == pytest.approx(model.roc(X_test, y_test).auc)
    assert page.number("auc_training") == pytest.approx(model.roc().auc)
    page.type("cost-fn", 3)
    point = model.at(cost_fp=1, cost_fn=3, counts="smoothed").operating_point_
    found = page.text_of("cost_ratio").replace("Infinity", "inf").split()
    assert list(map(float, found)) == pytest.approx(list(point.cost_ratio))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_case_has_the_probability_and_the_label_of_python(name, shared):
    page, model, X_test, _ = shared(name)
    page.type("cost-fn", 2)
    ours, place = page.positive(model)
    there = model.at(cost_fp=1, cost_fn=2, counts="smoothed", positive=ours)
    said, label = model.predict_proba(X_test)[:, place], there.predict(X_test)
    rows = [each["row"] for each in page.app("data.cases")]
    for number in range(0, len(rows), 29):
        page.choose("pick", number)
        row = rows[number]
        assert page.number("case_probability") == pytest.approx(said[row])
        assert model.classes_[int(page.text_of("case_label"))] == label[row]
    assert page.page.locator('[data-name="case_distance"]').count() == 0
    assert page.page.get_by_role("tab", name="Near cases").count() == 0
    assert "are not offered" in page.page.locator("header .remark").text_content()


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_question_mark_explains_its_term(name, shared):
    page, *_ = shared(name)
    assert all(len(said) > 30 and closed for _, said, closed in page.explained())


@pytest.mark.slow
def test_a_leaf_lights_its_answers_and_shows_its_table(opened):
    tree, X_test, y_test = trees.bayes()
    assert tree.get_n_leaves() > 1
    page = opened(tree, X_test, y_test, color_scheme="dark")
    page.page.locator("canvas.tree").focus()
    for _ in range(tree.tree_.n_nodes - 1):
        page.page.keyboard.press("ArrowDown")
    node = page.app("lit.node")
    assert tree.tree_.nodes.is_leaf[node]
    found = page.page.evaluate(
        """(() => {
            const { app } = document.querySelector("main.roctree").explorer;
            return app.lit.lines.map((line) => app.tree.lines.node[line]);
        })()"""
    )
    assert set(found) == {node}
    assert len(found) > 1
    assert "Strongest evidence for it" in page.page.locator(".card").text_content()
    shown = page.page.locator("section.model tbody tr").first.locator("td").all_text_contents()
    prior = tree.tree_.models.prior[tree.tree_.model[node]]
    assert [float(text.rstrip(" %")) for text in shown[:2]] == pytest.approx(100 * prior, abs=0.06)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page.page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.slow
def test_hostile_names_in_the_table_of_a_leaf_do_nothing(opened):
    _, X, y = trees.hostile()
    page = opened(NaiveBayesTreeClassifier().fit(X, y), X, y)
    page.choose("pick", 1)
    # A single leaf has a nomogram in place of a tree.
    assert page.page.locator("canvas.tree").count() == 0
    assert page.page.locator(".panes canvas.nomogram").is_visible()
    assert trees.EVIL in page.page.locator("section.model").text_content()
    assert page.page.evaluate("window.hacked") is None
    assert page.page.locator("main img, main b, main script").count() == 0


@pytest.mark.slow
def test_costs_of_three_classes_give_the_predictions_of_at(opened):
    tree, X_test, y_test = trees.bayes_of_wines()
    page = opened(tree, X_test, y_test)
    matrix = 1.0 - np.eye(3)
    for said, truth, cost in ((0, 1, 9.0), (2, 0, 0.2)):
        page.type(f"cost-{said}-{truth}", cost)
        matrix[said, truth] = cost
    said = tree.at(cost_matrix=matrix, counts="smoothed").predict(X_test)
    for i, row in enumerate(tree.classes_):
        for j, column in enumerate(tree.classes_):
            counted = ((said == row) & (y_test == column)).sum()
            assert page.number(f"confusion_{i}_{j}") == pytest.approx(counted)


@pytest.mark.slow
def test_costs_of_three_classes_with_points_give_the_predictions_of_at(opened):
    tree, X_test, y_test = trees.scorecard_of_wines()
    assert tree.fitted_.points.attributes
    page = opened(tree, X_test, y_test)
    page.type("cost-0-1", 9)
    matrix = 1.0 - np.eye(3)
    matrix[0, 1] = 9.0
    there = tree.at(cost_matrix=matrix, counts="smoothed")
    said, shares = there.predict(X_test), tree.predict_proba(X_test)
    for i, row in enumerate(tree.classes_):
        for j, column in enumerate(tree.classes_):
            counted = ((said == row) & (y_test == column)).sum()
            assert page.number(f"confusion_{i}_{j}") == pytest.approx(counted)
    for number, each in list(enumerate(page.app("data.cases")))[::20]:
        page.choose("pick", number)
        label = int(page.text_of("case_label"))
        assert tree.classes_[label] == said[each["row"]]
        assert page.number("case_probability") == pytest.approx(shares[each["row"], label])


@pytest.mark.slow
@pytest.mark.parametrize("made", [MODELS["points"], MODELS["whole points"]])
def test_points_have_a_picture_per_attribute_and_steps_in_the_waterfall(made, kept):
    page, (model, X_test, _) = kept(made), made()
    table = model.fitted_.points_table
    page.choose("pick", 1)
    row = page.app("data.cases")[1]["row"]
    steps = dict(model.explain(X_test.iloc[row]).steps)
    form = "+.0f" if table.scorecard.whole else "+.2f"
    figures = page.page.locator(".points figure")
    assert figures.count() == len(table.scorecard.attributes)
    for number, each in enumerate(table.scorecard.attributes):
        name = model.schema_.names[each.feature]
        (points,) = next(own for value, own in steps.items() if value.startswith(name))
        shown = format(points, form).replace("-", "−")
        wanted = "0" if float(format(points, form)) == 0.0 else shown
        assert figures.nth(number).locator("figcaption span").text_content() == name
        assert figures.nth(number).locator(".own-points").text_content() == wanted
        assert f": {wanted} points" in page.page.locator(".waterfall").text_content()
        assert figures.nth(number).locator("canvas").evaluate(IS_DRAWN)
    last = page.page.locator(".waterfall li").last.locator("strong").text_content()
    found = model.predict_proba(X_test.iloc[[row]])[0, page.positive(model)[1]]
    assert last == f"{100 * found:.0f}\u00a0%"


@pytest.mark.slow
def test_a_file_that_does_not_know_the_leaves_of_answers_has_a_page(opened):
    tree = roctree.load(GOLDEN)
    assert tree.scored_.leaf is None
    page = opened(tree)
    page.page.locator("canvas.tree").focus()
    page.page.keyboard.press("ArrowDown")
    assert page.number("auc_training") == pytest.approx(tree.roc().auc)


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_has_the_same_page(name, tmp_path):
    model, X_test, y_test = MODELS[name]()
    model.save(tmp_path / "model.json")
    again = roctree.load(tmp_path / "model.json")
    assert trees.document(again, X_test, y_test) == trees.document(model, X_test, y_test)


def test_many_answers_are_rounded_and_the_page_says_so(monkeypatch):
    tree, X_test, y_test = trees.bayes()
    monkeypatch.setattr("roctree.report.explorer.document._MAX_SCORES", 20)
    document = trees.document(tree, X_test, y_test)
    assert document["rounded"] in (1, 2, 3)
    assert sum(document["lines"]["training"]) == 600
    assert sum(document["lines"]["test"]) == 300


def test_cells_refuse_test_cases_with_missing_values():
    model, X_test, y_test = trees.cells()
    with pytest.raises(DataError, match="a case with a missing value is in no cell"):
        trees.document(model, X_test.assign(east=np.nan), y_test)


def test_a_constant_attribute_is_not_on_the_page_of_cells():
    model = MultiscaleClassifier().fit([[0.0, 1.0], [0.0, 2.0]], ["no", "yes"])
    assert [feature["name"] for feature in trees.document(model)["features"]] == ["x1"]
