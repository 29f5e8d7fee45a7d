"""Points side by side, the decision as a file, a copy of the page, and a case explained."""

from xml.etree import ElementTree

import numpy as np
import pytest

from tests.report.explorer import trees
from tests.report.explorer.browser import Opened

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(made, **options):
        model, *test = made
        file = model.explore(tmp_path / "tree.html", *test)
        options = {"more": False, "reduced_motion": "reduce"} | options
        pages.append(Opened(browser, file, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


def saved(page, name, tmp_path):
    with page.page.expect_download() as found:
        page.click(name)
    file = tmp_path / found.value.suggested_filename
    found.value.save_as(file)
    return file


def test_up_to_three_points_are_pinned_and_kept_in_the_link(opened):
    page = opened(trees.readable())
    for _ in range(3):
        page.click("Pin this point")
        page.click("One step further")
    assert page.page.get_by_role("button", name="Pin this point").is_disabled()
    names = page.page.locator(".pin input").evaluate_all("(all) => all.map((each) => each.value)")
    assert names == ["today", "proposed", "cautious"]
    found = page.page.locator(".pin").first.locator("dd").all_text_contents()
    # The costs of all points are those of the page, by which they can be compared.
    page.wait_until(f"location.hash.includes('cost_fn={page.app('state.cost_fn')}&')")
    page.page.reload()
    page.page.wait_for_selector(".pin")
    assert page.page.locator(".pin").first.locator("dd").all_text_contents() == found
    page.page.locator(".pin").first.get_by_role("button", name="Go").click()
    assert page.app("state.cost_fn") == page.app("data.start.cost_fn")
    page.page.locator(".pin").first.get_by_role("button", name="Remove").click()
    assert page.page.locator(".pin").count() == 2


def test_the_decision_is_saved_as_pictures(opened, tmp_path):
    page = opened(trees.readable())
    picture = saved(page, "Decision as PNG", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    drawing = ElementTree.parse(saved(page, "Decision as SVG", tmp_path))
    words = " ".join(each.text for each in drawing.iter() if each.text)
    assert "training cases and 285 test cases" in words
    assert f"{page.number('found'):.0f} found" in words
    assert "A false alarm costs 1" in words
    assert "worst perimeter above 114.7" in words


def test_hostile_names_are_harmless_in_saved_files(opened, tmp_path):
    page = opened(trees.hostile())
    ElementTree.parse(saved(page, "Decision as SVG", tmp_path))
    copy = saved(page, "Save a copy that opens here", tmp_path)
    assert "<img" not in copy.read_text(encoding="utf-8")


def test_a_copy_of_the_page_opens_at_the_same_point(opened, browser, tmp_path):
    page = opened(trees.readable())
    page.click("One step further")
    page.click("Pin this point")
    (tmp_path / "copy").mkdir()
    copy = Opened(browser, saved(page, "Save a copy that opens here", tmp_path / "copy"))
    assert copy.app("state") == page.app("state")
    assert copy.text_of("bar_cost") == page.text_of("bar_cost")
    assert copy.page.locator(".pin").count() == 1
    copy.close()


def test_the_path_of_a_case_has_a_probability_after_each_step(opened):
    tree, X_test, _ = trees.readable()
    page = opened(trees.readable())
    page.choose("pick", 5)
    row = page.app("data.cases")[5]["row"]
    leaf = tree.apply(X_test.iloc[[row]])[0]
    path = [leaf]
    while path[-1] > 0:
        path.append(tree.tree_.parent[path[-1]])
    shown = page.page.locator(".waterfall li strong").all_text_contents()
    shares = tree.probabilities_[path[::-1], page.app("state.positive")]
    assert len(shown) == len(path)
    for text, share in zip(shown, shares, strict=True):
        assert float(text.strip("<>\u00a0% ").replace("\u00a0", "")) == pytest.approx(
            100 * share, abs=1
        )


def test_a_slider_moves_a_value_and_a_lock_keeps_it(opened):
    page = opened(trees.readable())
    page.choose("pick", 0)
    before = page.page.locator('[data-name="case_change"]').text_content()
    name = before.split(":")[0]
    page.page.get_by_role("button", name=f"Lock {name}", exact=True).click()
    after = page.page.locator(".verdict").text_content()
    assert f"Nearest change: {name}:" not in after
    slider = page.page.get_by_label(f"{name}, slider")
    slider.focus()
    slider.press("End")
    place = [each["name"] for each in page.app("data.features")].index(name)
    ends = [each["values"][place] for each in page.app("data.cases")]
    assert page.app("state.values")[place] == pytest.approx(max(ends), rel=0.05)


def test_errors_come_first_among_the_cases(opened):
    tree, X_test, y_test = trees.readable()
    page = opened(trees.readable())
    page.page.locator("#roctree-0-pick").focus()
    first = page.page.locator("#roctree-0-pick optgroup").first
    assert first.get_attribute("label").startswith("Errors here")
    rows = [int(text.split()[2]) for text in first.locator("option").all_text_contents()]
    there = tree.at(cost_fp=1, cost_fn=1, counts="smoothed")
    wrong = np.flatnonzero(there.predict(X_test) != y_test)
    kept = [each["row"] for each in page.app("data.cases")]
    assert rows == [row for row in kept if row in wrong]


def test_a_nomogram_and_a_map_are_drawn(opened):
    page = opened(trees.bayes_of_wines())
    assert len(page.page.locator("canvas.nomogram").screenshot()) > 4000
    page = opened(trees.cells())
    assert len(page.page.locator("canvas.map").screenshot()) > 8000
    box = page.page.locator("canvas.map").bounding_box()
    page.page.locator("canvas.map").hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert page.app("lit.from") == "map"
    assert page.page.locator(".card").is_visible()


def test_a_leaf_with_few_cases_says_why_its_probability_is_not_its_share(opened):
    tree, *_ = trees.readable()
    page = opened(trees.readable())
    share = tree.tree_.counts / tree.tree_.counts.sum(axis=1, keepdims=True)
    ours = page.app("state.positive")
    pull = np.abs(share - tree.probabilities_)[:, ours] * tree.tree_.is_leaf
    letter = dict(map(tuple, page.page.evaluate(
        "[...document.querySelector('main.roctree').explorer.app.letters.entries()]"
    )))[int(pull.argmax())]  # fmt: skip
    view = "document.querySelector('main.roctree').explorer.views.tree.view"
    place = page.page.evaluate(f"{view}.drawn.find(({{node}}) => node === {int(pull.argmax())})")
    page.page.locator("canvas.tree").hover(position={"x": place["left"] + 10, "y": place["y"]})
    text = page.page.locator(".card").text_content()
    assert text.startswith(f"{letter}: ")
    assert " counted (" in text
    assert "because few cases" in text


def test_on_a_phone_tables_scroll_beside_their_first_column(opened):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = opened(trees.wines(), more=True, **phone)
    for name in (".confusion", ".matrix .scroll"):
        first = page.page.locator(f"{name} tbody th").first
        assert first.evaluate("(it) => getComputedStyle(it).position") == "sticky"
        # A name is not broken into a column of single letters.
        assert first.bounding_box()["height"] < 70
        assert first.bounding_box()["width"] > 80


def test_full_screen_shows_the_slider_the_pins_and_the_tree_at_once(opened):
    page = opened(trees.readable(), viewport={"width": 1440, "height": 900})
    for cost in (1, 5, 30):
        page.page.evaluate(
            f"document.querySelector('main.roctree').explorer.app.set({{ cost_fn: {cost} }})"
        )
        page.click("Pin this point")
    page.click("Present")
    page.wait_until("document.fullscreenElement !== null")
    page.page.wait_for_timeout(300)
    for name in ("#roctree-0-ratio", ".sentence", ".pin:nth-of-type(3)", "canvas.tree"):
        box = page.page.locator(name).first.bounding_box()
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= 900, name
    page.picture("present")


def test_the_paths_of_a_case_and_of_the_pointer_have_different_colours(opened):
    page = opened(trees.readable(), viewport={"width": 1440, "height": 900})
    page.choose("pick", 1)
    case, pointer = page.app("palette.case"), page.app("palette.accent")
    assert case != pointer
    frames = """(colour) => {
        const { canvas } = document.querySelector("main.roctree").explorer.views.tree;
        const copy = document.createElement("canvas");
        Object.assign(copy, { width: canvas.width, height: canvas.height });
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        let found = 0;
        for (let i = 0; i < data.length; i += 4) {
            found += Number(wanted.every((part, c) => Math.abs(data[i + c] - part) < 4));
        }
        return found;
    }"""
    alone = [page.page.evaluate(frames, colour) for colour in (case, pointer)]
    assert alone[0] > 300
    assert alone[1] == 0
    page.page.locator("canvas.tree").focus()
    page.page.keyboard.press("End")
    page.page.keyboard.press("ArrowRight")
    page.page.wait_for_timeout(200)
    assert page.page.evaluate(frames, pointer) > 100
