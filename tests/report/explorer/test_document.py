"""The data document, the page as text, the widget and the still picture: no browser is needed."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from roctree import DataError, NotFittedError, ParameterError, ROCTreeClassifier
from roctree.export.text import label_colour
from roctree.report import displays, explorer
from roctree.report.explorer import as_json, page_text
from roctree.report.explorer.document import _bins, _default_costs, data_document
from roctree.tree.prediction import divided_rows
from roctree.tree.text import depth_first
from tests.estimator import weather
from tests.report.explorer import trees

SCRIPTS = sorted(
    file.name for file in files("roctree.report.explorer").joinpath("script").iterdir()
)


def data_of(text):
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_the_page_holds_the_tables_of_the_tree(tmp_path):
    tree, X_test, y_test = trees.tumours()
    file = tree.explore(tmp_path / "tree.html", X_test, y_test)
    data = data_of(file.read_text(encoding="utf-8"))
    assert data == trees.document(tree, X_test, y_test)
    shape = tree.tree_.counts.shape
    np.testing.assert_array_equal(np.reshape(data["training"], shape), tree.tree_.counts)
    np.testing.assert_array_equal(np.reshape(data["probabilities"], shape), tree.probabilities_)
    assert np.reshape(data["test"], shape)[0].sum() == len(y_test)
    assert data["tree"]["n_children"] == tree.tree_.n_children.tolist()
    band = tree.roc(X_test, y_test).band(n_samples=500)
    np.testing.assert_allclose(data["band"]["classes"][1]["low"], band.low, atol=1e-5)


def test_only_attributes_that_the_tree_tests_are_in_the_page():
    tree, X_test, y_test = trees.outings()
    data = trees.document(tree, X_test.assign(sky=X_test.sky), y_test)
    tested = {tree.schema_.names[i] for i in tree.tree_.feature if i >= 0}
    assert {feature["name"] for feature in data["features"]} == tested
    assert all(len(each["values"]) == len(tested) for each in data["cases"])


@pytest.mark.parametrize("made", [trees.gaps, trees.soft], ids=lambda made: made.__name__)
def test_divided_test_cases_are_in_the_page_by_their_parts_in_the_leaves(made):
    tree, X_test, y_test = made()
    data = trees.document(tree, X_test, y_test)
    apart = divided_rows(tree.tree_, np.asarray(tree.fitted_.encode(X_test), np.float64))
    assert len(data["divided"]) == apart.sum() > 0
    probabilities = tree.probabilities_[tree.tree_.leaves]
    mixed = [np.dot(each["parts"], probabilities[each["leaves"]]) for each in data["divided"]]
    np.testing.assert_allclose(mixed, tree.predict_proba(X_test[apart]))
    assert [each["label"] for each in data["divided"]] == [
        tree.classes_.tolist().index(label) for label in y_test[apart]
    ]


def test_divided_training_cases_are_in_the_page_by_their_probabilities():
    tree, X_test, y_test = trees.soft()
    data, scored = trees.document(tree, X_test, y_test), tree.fitted_.scored
    assert (data["in_parts"], data["by_scores"]) == ([], ["training", "smoothed", "test"])
    groups = data["groups"]
    assert sum(groups["whole"]) + sum(groups["training"]) == tree.training_.rows
    assert groups["scores"] == scored.scores[tree.get_n_leaves() :].ravel().tolist()
    assert set(groups["leaf"]) <= set(tree.tree_.leaves.tolist())


def test_what_unknown_probabilities_of_training_cases_make_approximate_says_so():
    tree, X_test, y_test = trees.soft()
    data = trees.document(tree.smoothed("laplace"), X_test, y_test)
    assert data["in_parts"] == ["training", "smoothed"]
    assert data["groups"] is None
    assert trees.document(tree.ranked("leaf", width=1), X_test, y_test)["tree"]["softness"] is None


def test_a_page_of_two_hundred_leaves_is_below_a_megabyte():
    X, y = weather.complete(3000, seed=5)
    tree = ROCTreeClassifier(max_leaf_nodes=200).fit(X, y)
    assert tree.get_n_leaves() > 150
    assert len(page_text(trees.document(tree, X, y)).encode()) < 1_000_000


def test_no_character_of_the_data_can_end_its_element():
    tree, X, y = trees.hostile()
    text = page_text(trees.document(tree, X, y))
    begin = text.index('class="roctree-data">')
    data = text[begin : text.index("</script>", begin)]
    assert "<" not in data
    assert "\u2028" not in data
    assert data_of(text)["classes"][-1] == str(tree.classes_[-1])
    assert html.escape(trees.EVIL) in text[: text.index("</title>")]
    assert json.loads(as_json({"name": trees.EVIL})) == {"name": trees.EVIL}


def test_the_policy_allows_only_the_page_s_own_script_and_style():
    text = page_text(trees.document(*trees.outings()))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'")
    for tag in ('<script type="module">', "<style>"):
        begin = text.index(tag) + len(tag)
        inside = text[begin : text.index("</", begin)].encode()
        digest = base64.b64encode(hashlib.sha256(inside).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_scripts_make_no_markup_and_load_nothing():
    for name in SCRIPTS:
        # The name of a kind of markup is no address that anything is loaded from.
        text = explorer.source(f"script/{name}").replace('"http://www.w3.org/2000/svg"', "")
        for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(",
                     "fetch(", "XMLHttpRequest", "http:", "https:", "</"):  # fmt: skip
            assert word not in text, (name, word)


def test_every_script_is_part_of_the_page_or_the_widget():
    both = explorer.joined_script("page") + explorer.joined_script("widget")
    for name in SCRIPTS:
        stem = name.removesuffix(".js")
        assert stem in ("page", "widget") or f"const module_{stem.replace('-', '_')} =" in both


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_joined_script_is_one_valid_module(tmp_path):
    for entry in ("page", "widget"):
        file = tmp_path / f"{entry}.mjs"
        file.write_text(explorer.joined_script(entry), encoding="utf-8")
        subprocess.run(["node", "--check", str(file)], check=True)


def test_modules_that_import_each_other_are_refused(monkeypatch):
    texts = {
        "script/a.js": 'import { b } from "./b.js";\n',
        "script/b.js": 'import { a } from "./a.js";\n',
    }
    monkeypatch.setattr(explorer, "source", texts.__getitem__)
    with pytest.raises(ValueError, match="a -> b -> a import each other"):
        explorer.joined_script("a")


def test_cases_can_be_left_out():
    tree, X_test, y_test = trees.tumours()
    assert trees.document(tree, X_test, y_test, cases=0)["cases"] == []
    assert len(trees.document(tree, X_test, y_test, cases=3)["cases"]) == 3
    assert len(trees.document(tree, X_test, y_test)["cases"]) == 200


def test_the_share_of_the_other_class_is_what_is_left():
    tree, *_ = trees.tumours()
    there = tree.at(cost_fp=1, cost_fn=5, prior=0.2)
    start = trees.document(there, positive="benign")["start"]
    assert (start["cost_fp"], start["cost_fn"], start["prior"]) == (5.0, 1.0, 0.8)


def test_missing_values_and_unseen_categories_of_cases_are_not_known():
    tree, X_test, y_test = trees.gaps()
    with pytest.warns(UserWarning, match="not seen in training"):
        data = trees.document(tree, X_test.assign(sky="hail"), y_test)
    sky = [feature["name"] for feature in data["features"]].index("sky")
    assert all(each["values"][sky] is None for each in data["cases"])


def test_bad_requests_are_refused(tmp_path):
    tree, X_test, y_test = trees.tumours()
    file = tmp_path / "tree.html"
    with pytest.raises(ParameterError, match="give both X_test and y_test"):
        tree.explore(file, X_test)
    with pytest.raises(ParameterError, match="cases=-1 must be an integer of at least 0"):
        tree.explore(file, X_test, y_test, cases=-1)
    with pytest.raises(ParameterError, match="positive='maybe' is not a class"):
        tree.explore(file, positive="maybe")
    with pytest.raises(DataError):
        tree.explore(file, X_test.iloc[:, :3], y_test)
    with pytest.raises(NotFittedError):
        ROCTreeClassifier().explore(file)
    with pytest.raises(ParameterError, match="only one class"):
        ROCTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).explore(file)
    assert not file.exists()


def test_a_notebook_gets_a_widget_from_the_same_source():
    pytest.importorskip("anywidget")
    tree, X_test, y_test = trees.outings()
    shown = tree.explore(None, X_test, y_test)
    assert json.loads(shown.document) == trees.document(tree, X_test, y_test)
    assert "export default { render }" in str(shown._esm)
    assert ".roctree" in str(shown._css)


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("roctree.report.explorer.import_module", missing)
    tree, *_ = trees.outings()
    with pytest.raises(ImportError, match=r'pip install "roctree\[notebook\]"'):
        tree.explore()


def picture_of(tree):
    page = tree._repr_html_()
    return page[page.rindex("<svg") : page.rindex("</svg>") + len("</svg>")]


@pytest.mark.parametrize("made", [trees.tumours, trees.wines, trees.outings, trees.hostile])
def test_a_notebook_shows_a_still_picture(made):
    tree, *_ = made()
    drawn = ElementTree.fromstring(picture_of(tree))
    words = " ".join(drawn.itertext())
    assert str(tree.schema_.names[tree.tree_.feature[0]])[:5] in words
    assert ("training AUC" in words) == (tree.n_classes_ == 2)


@pytest.mark.parametrize("made", [trees.wines, trees.readable])
def test_leaves_of_a_still_picture_have_the_colours_of_the_plot(made):
    tree, *_ = made()
    boxes = ElementTree.fromstring(picture_of(tree)).findall("{http://www.w3.org/2000/svg}rect")
    model, labels = tree.fitted_, tree.fitted_.node_predictions.labels
    ends = [
        node
        for node in depth_first(tree.tree_, 3)
        if tree.tree_.is_leaf[node] or tree.tree_.depth[node] == 3
    ]
    wanted = [label_colour(model, int(labels[node])) for node in ends]
    assert [box.get("fill") for box in boxes] == wanted
    assert len(set(wanted)) == tree.n_classes_


def test_a_still_picture_shortens_names_and_not_what_tells_branches_apart():
    rows = [[value, 0.0] for value in [*range(40), *range(40)]]
    names = ["concave points error of the mean nucleus", "other"]
    frame = pd.DataFrame(rows, columns=names)
    tree = ROCTreeClassifier(max_depth=1).fit(frame, [value >= 20 for value, _ in rows])
    words = list(ElementTree.fromstring(picture_of(tree)).itertext())
    assert [word for word in words if "19.5" in word] == [
        "concave points er… <= 19.5",
        "concave points err… > 19.5",
    ]
    assert not any("100%" in word for word in words)


def test_a_tree_too_broad_for_a_picture_has_none():
    rows = [[f"c{i % 30:02}"] for i in range(300)]
    tree = ROCTreeClassifier(nominal="multiway").fit(rows, ["a", "b", "b"] * 100)
    assert tree.tree_.n_children[0] > 16
    assert 'aria-label="The top of the tree"' not in tree._repr_html_()


def test_a_page_opens_with_the_cost_of_leaving_a_case_undecided():
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(*weather.frame())
    assert data_document(tree.at(cost_fn=2).fitted_)["start"]["cost_reject"] is None
    found = data_document(tree.at(cost_fn=2, cost_reject=0.3).fitted_)
    assert (found["start"]["cost_reject"], found["undecided"]) == (0.3, None)
    # Costs on the page are those beyond the cost of a correct prediction.
    found = data_document(tree.at(cost_matrix=[[1, 3], [2, 1]], cost_reject=1.3).fitted_)
    assert found["start"]["cost_reject"] == pytest.approx(0.3)
    found = data_document(tree.at(cost_matrix=[[0, 3], [2, 1]], cost_reject=0.9).fitted_)
    assert found["start"]["cost_reject"] is None
    assert "The page decides every case" in found["undecided"]


def test_branches_of_the_still_picture_are_as_wide_as_their_share_of_the_cases():
    tree, *_ = trees.readable()
    drawn = re.findall(
        r'stroke="#9aa4af"[^>]*stroke-width="([0-9.]+)"', displays.preview_svg(tree.fitted_)
    )
    weights = tree.tree_.weight[1:] / tree.tree_.weight[0]
    widths = np.maximum(1.0, displays._WIDEST * weights)
    assert set(drawn) <= {f"{width:.1f}" for width in widths}
    assert min(map(float, drawn)) == 1.0 < max(map(float, drawn))


@pytest.mark.parametrize("cut", [-2.0, 0.0, 0.3, 1.0, 7.0])
def test_bins_of_a_histogram_begin_and_end_at_the_threshold(cut):
    values = np.random.default_rng(0).normal(size=400).round(2)
    place, n_bins, (low, high) = _bins(values, cut)
    width = (high - low) / n_bins
    assert low <= cut <= high
    assert (cut - low) / width == pytest.approx(round((cut - low) / width))
    assert n_bins in (24, 25, 26)
    inside = (values > low) & (values <= high)
    assert inside.mean() > 0.9
    begins = low + width * place
    assert (values[inside] > begins[inside] - 1e-9).all()
    assert (values[inside] <= begins[inside] + width + 1e-9).all()
    assert ((values <= cut) == (low + width * (place + 1) <= cut + 1e-9)).all()


def test_bins_of_one_value_and_of_a_threshold_at_the_end():
    place, n_bins, ends = _bins(np.ones(5), 1.0)
    assert (place.tolist(), n_bins, ends) == ([0] * 5, 1, [1.0, 1.0])
    # Not one bin more because of rounding.
    place, n_bins, ends = _bins(np.linspace(0.0, 2.4, 25), 0.0)
    assert ends[0] == 0.0
    place, n_bins, _ = _bins(np.repeat([0.0, 1.0], 50), 0.28)
    assert n_bins == 25


def test_costs_without_an_operating_point_are_errors_times_class_weights():
    X, y = weather.complete()
    plain = ROCTreeClassifier(max_depth=2).fit(X, y)
    assert _default_costs(plain.fitted_).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    heavy = ROCTreeClassifier(max_depth=2, class_weight={"home": 1, "play": 3}).fit(X, y)
    assert _default_costs(heavy.fitted_).tolist() == [[0.0, 3.0], [1.0, 0.0]]


def test_counts_of_test_cases_are_in_the_page_of_points():
    tree, X_test, y_test = trees.scorecard_of_wines()
    assert trees.document(tree)["test"] is None
    data = trees.document(tree, X_test, y_test)
    assert np.reshape(data["test"], tree.tree_.counts.shape)[0].sum() == len(y_test)


def test_every_attribute_with_two_cells_or_more_is_in_the_table_of_a_naive_bayes_leaf():
    tree, _, _ = trees.bayes()
    data = trees.document(tree)
    models = tree.fitted_.tree.models
    sizes = [
        sorted(len(attribute["words"]) for attribute in table["attributes"])
        for table in data["models"]["tables"]
    ]
    expected = [
        sorted(n for i in range(3) if (n := len(models.likelihood[models.cells(number, i)])) > 1)
        for number in range(len(models))
    ]
    assert sizes == expected
    assert any(2 in each for each in sizes)
