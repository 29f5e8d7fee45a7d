"""The hand on the page: what is typed, tapped, clicked and walked through by keys."""

import pytest

from roctree.report.explorer import joined_script
from tests.report.explorer import trees

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# Where a leaf is on the canvas of the tree, as far as that is on the screen.
LEAF = """(() => {
    const { views, app } = document.querySelector("main.roctree").explorer;
    const { clientWidth, clientHeight } = views.tree.canvas;
    const isSeen = ({ left, y }) => left + 20 < clientWidth && y > 0 && y < clientHeight;
    const isLeaf = ({ node }) => app.tree.leafOf[node] >= 0;
    const found = views.tree.view.drawn.find((item) => isLeaf(item) && isSeen(item));
    return { x: found.left + 12, y: found.y, node: found.node };
})()"""


def test_numbers_may_be_typed_in_many_ways_but_not_in_two_meanings(kept):
    page = kept(trees.outings)
    read = "((texts) => { %s\n return texts.map((text) => String(readNumber(text))); })(%s)"
    texts = ["2500", "2.5", "2,5", "0,125", "1 000", "1\u00a0000.5", "-3", "1e3", "3,1416", " ",
             "2,500", "1,234.5", "12,345,678", "much", "1 2 x"]  # fmt: skip
    known = ["2500", "2.5", "2.5", "0.125", "1000", "1000.5", "-3", "1000", "3.1416", "null"]
    found = page.page.evaluate(read % (joined_script("words"), texts))
    assert found == known + ["NaN"] * 5


def test_what_makes_no_sense_says_what_would(kept):
    page = kept(trees.outings)
    field = page.page.locator("#roctree-0-cost-fp")
    page.type("cost-fp", "2,500")
    note = page.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert note.text_content().startswith("Enter a cost such as 2500 or 2.5")
    assert field.input_value() == "2,500"
    page.type("cost-fp", "2 500")
    assert note.is_hidden()
    assert field.input_value() == "2500"
    page.type("value-0", "warm")
    assert page.page.get_by_text(
        "Enter a number such as 2500 or 2.5, or leave it empty."
    ).is_visible()


def test_the_tab_key_reaches_every_control_and_is_caught_by_none(shown):
    page = shown(trees.outings())
    wanted = page.page.evaluate(
        """(() => {
            window.reached = new Set();
            addEventListener("focusin", ({ target }) => reached.add(target));
            const names = "button, input, select, canvas, pre, [tabindex='0']";
            const all = [...document.querySelectorAll(names)];
            // Of some radio buttons the Tab key reaches the one that is chosen.
            const open = ({ disabled, tabIndex, type, checked }) =>
                !disabled && tabIndex >= 0 && (type !== "radio" || checked);
            return all.filter((each) => open(each) && each.checkVisibility()).length;
        })()"""
    )
    for _ in range(wanted + 1):
        page.page.keyboard.press("Tab")
    assert page.page.evaluate("reached.size") == wanted
    assert wanted > 40


def test_a_tap_shows_what_a_leaf_is_until_the_next_tap(shown):
    page = shown(trees.tumours(), **PHONE)
    canvas = page.page.locator("canvas.tree")
    page.click("Unfold all nodes")
    canvas.scroll_into_view_if_needed()
    view = "document.querySelector('main.roctree').explorer.views.tree.view"
    page.wait_until(f"{view}.drawn.length > 10")
    place = page.page.evaluate(LEAF)
    canvas.tap(position={"x": place["x"], "y": place["y"]})
    card = page.page.locator(".card")
    assert card.is_visible()
    assert "probability of malignant" in card.text_content()
    assert page.app("lit.node") == place["node"]
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.page.get_by_role("heading", name="Tree").tap()
    assert card.is_hidden()


def test_a_card_stays_beside_what_lights_up_in_the_other_pane(kept):
    page = kept(trees.tumours)
    for place in page.page.evaluate(
        """(() => document.querySelector("main.roctree").explorer.views.tree.view.drawn
            .map(({ left, right, y }) => ({ x: (left + right) / 2, y })))()"""
    )[::5]:
        page.page.locator("canvas.tree").hover(position=place)
        card, plot = (page.page.locator(name).bounding_box() for name in (".card", "canvas.plot"))
        assert card["x"] + card["width"] <= plot["x"]
    page.page.locator("canvas.tree").focus()
    page.page.keyboard.press("Escape")
    assert page.page.locator(".card").is_hidden()


def test_the_strip_and_the_curve_choose_labellings_by_a_click(kept):
    tree, *_ = trees.outings()
    page = kept(trees.outings)
    strip = page.page.locator("canvas.strip").bounding_box()
    seen = set()
    for part in (0.1, 0.45, 0.6, 0.95):
        page.page.mouse.click(strip["x"] + part * strip["width"], strip["y"] + strip["height"] / 2)
        seen.add(page.app("point.nGroups"))
        there = tree.at(
            cost_fp=page.app("state.cost_fp"), cost_fn=page.app("state.cost_fn"), counts="smoothed"
        )
        labels = there.operating_point_.labels[tree.tree_.leaves].tolist()
        assert page.app("point.labels") == labels
    assert len(seen) >= 3
    before = page.app("point.nGroups")
    plot = page.page.locator("canvas.plot").bounding_box()
    page.page.mouse.click(plot["x"] + 0.15 * plot["width"], plot["y"] + 0.7 * plot["height"])
    assert page.app("point.nGroups") < before
    page.page.locator("#roctree-0-unit").fill("€")
    assert page.shown("cost").endswith(" €")


def test_the_address_is_not_written_more_often_than_browsers_allow(kept):
    page = kept(trees.outings)
    page.page.evaluate(
        """(() => {
            window.written = 0;
            for (const name of ["replaceState", "pushState"]) {
                const write = history[name].bind(history);
                history[name] = (...all) => { window.written += 1; write(...all); };
            }
            const slider = document.querySelector("input[type=range]");
            for (let i = 0; i < 200; i++) {
                slider.value = String(300 + 2 * i);
                slider.dispatchEvent(new Event("input"));
            }
        })()"""
    )
    # The shared page may have an address of an earlier test.
    page.wait_until("written > 0")
    assert page.page.evaluate("written") == 1
    assert f"cost_fn={page.app('state.cost_fn')}" in page.page.evaluate("location.hash")


def test_of_cases_with_the_same_values_the_one_that_was_picked_stays(shown):
    tree, X_test, y_test = trees.outings()
    twice = X_test.iloc[[0, 1, 0]].reset_index(drop=True)
    page = shown((tree, twice, y_test[:3]))
    page.choose("pick", 2)
    assert page.page.locator("#roctree-0-pick").input_value() == "2"


def test_the_theme_can_be_chosen_whatever_the_system_says(shown):
    page = shown(trees.outings(), color_scheme="dark", reduced_motion="reduce")
    dark = page.app("palette.panel")
    page.click("Theme: system")
    light = page.app("palette.panel")
    assert light != dark
    page.click("Theme: light")
    assert page.app("palette.panel") == dark
    page.page.emulate_media(color_scheme="light")
    assert page.app("palette.panel") == dark
    page.click("Theme: dark")
    assert page.app("palette.panel") == light


def test_paper_takes_two_sheets(kept):
    page = kept(trees.tumours)
    sheets = page.page.pdf(format="A4", prefer_css_page_size=True)
    assert sheets.count(b"/Type /Page\n") + sheets.count(b"/Type /Page/") == 2


def test_another_class_of_interest_leaves_errors_and_classes_as_they_were(kept):
    page = kept(trees.outings)
    page.type("cost-fn", 5)
    page.type("prior", 30)
    labels, cost = page.app("point.labels"), page.number("cost")
    page.choose("positive", 0)
    assert page.app("point.labels") == labels
    assert page.number("cost") == pytest.approx(cost)
    assert page.page.locator("#roctree-0-cost-fp").input_value() == "5"
    assert page.page.locator("#roctree-0-prior").input_value() == "70"


def test_the_tree_is_fitted_to_its_pane_until_a_hand_moves_it(shown):
    page = shown(trees.outings())
    zoom = "document.querySelector('main.roctree').explorer.views.tree.view.columns.leaves"
    wide = page.page.evaluate(zoom)
    page.page.set_viewport_size({"width": 1100, "height": 900})
    page.wait_until(f"{zoom} < {wide}")
    page.click("Zoom in")
    zoom = zoom.replace("columns.leaves", "rowHeight")
    near = page.page.evaluate(zoom)
    page.page.set_viewport_size({"width": 1360, "height": 1000})
    page.page.wait_for_timeout(60)
    assert page.page.evaluate(zoom) == near


# The cost ratios for which the point is cheapest.
BOUNDS = """(() => {
    const { bounds, nGroups } = document.querySelector("main.roctree").explorer.app.point;
    return [bounds[nGroups], Math.min(bounds[nGroups + 1], 1e9)];
})()"""


def test_one_switch_chooses_how_the_point_is_found_and_dims_the_rest(kept):
    page = kept(trees.readable)
    ways = page.page.locator(".way")
    modes = ["costs", "max_fpr", "min_tpr", "beta"]
    for place, mode in enumerate(modes):
        ways.nth(place).locator("input[type=radio]").check()
        assert page.app("state.mode") == mode
        dimmed = ways.evaluate_all("(all) => all.map((it) => it.classList.contains('dimmed'))")
        assert dimmed == [other != mode for other in modes]
        # The slider always shows where the point is: at costs that lead to the same leaves.
        ratio = float(page.page.locator("output.ratio").text_content().split()[0])
        low, high = page.page.evaluate(BOUNDS)
        assert 0.99 * low <= ratio <= 1.01 * high
        # Prevalence is context, not a way to choose.
        assert page.page.locator("#roctree-0-prior").is_enabled()
