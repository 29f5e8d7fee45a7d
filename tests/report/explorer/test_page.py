"""The page in a real browser: what it holds, how it is reached, and that it asks for nothing."""

import pytest

from roctree import ROCTreeClassifier
from tests.report.explorer import trees
from tests.report.explorer.browser import Opened

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(tree, *test, fragment="", explore=None, **options):
        file = tree.explore(tmp_path / "tree.html", *test, **(explore or {}))
        pages.append(Opened(browser, file, fragment, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


def test_hostile_names_are_shown_as_they_are_and_do_nothing(opened):
    tree, X, y = trees.hostile()
    page = opened(tree, X, y)
    page.page.locator("canvas.tree").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.page.keyboard.press(key)
    page.choose("pick", 1)
    for kind in ("Python", "SQL", "Rules"):
        page.preview(kind)
    assert page.page.evaluate("window.hacked") is None
    assert page.page.locator("main img, main b, main script").count() == 0
    assert trees.EVIL in page.page.locator("h1").text_content()
    assert page.page.title() == page.page.locator("h1").text_content()


def test_a_link_opens_the_same_point(opened):
    tree, X_test, y_test = trees.tumours()
    page = opened(tree, X_test, y_test)
    page.type("cost-fn", 12)
    page.type("prior", 3)
    page.choose("by", "training")
    page.page.get_by_role("tab", name="Cost", exact=True).click()
    page.wait_until("location.hash.includes('view=cost')")
    fragment = page.page.evaluate("location.hash")
    again = opened(tree, X_test, y_test, fragment=fragment)
    for name in ("cost", "recall", "fpr", "precision"):
        assert again.text_of(name) == page.text_of(name)
    assert again.app("state") == page.app("state")
    assert page.preview("Link").endswith(fragment)


@pytest.mark.parametrize(
    "fragment",
    ["#cost_fn=-3&prior=7&positive=9&matrix=[1]&by=cake", "#%%%", "#values=[1,2]&mode=matrix"],
)
def test_a_mangled_link_opens_the_page_as_it_was(fragment, opened):
    tree, X_test, y_test = trees.outings()
    page = opened(tree, X_test, y_test, fragment=fragment)
    assert page.app("state") == page.app("data.start")


def test_what_is_typed_and_makes_no_sense_is_marked_and_changes_nothing(opened):
    tree, X_test, y_test = trees.outings()
    page = opened(tree, X_test, y_test)
    before = page.app("state")
    for name, value in (
        ("cost-fp", "-1"),
        ("cost-fn", "much"),
        ("prior", "100"),
        ("max-fpr", "101"),
        ("beta", "0"),
    ):
        page.type(name, value)
        assert page.page.locator(f"#roctree-0-{name}").get_attribute("aria-invalid") == "true"
    assert page.app("state") == before


def test_the_keyboard_reaches_every_node_and_segment(opened):
    tree, X_test, y_test = trees.outings()
    page = opened(tree, X_test, y_test)
    page.click("Unfold all nodes")
    page.page.locator("canvas.tree").focus()
    said = page.page.locator("main > [aria-live]")
    heard = set()
    for _ in range(tree.tree_.n_nodes - 1):
        page.page.keyboard.press("ArrowDown")
        heard.add(said.text_content())
    assert len(heard) == tree.tree_.n_nodes - 1
    page.page.locator("canvas.plot").focus()
    page.page.keyboard.press("ArrowRight")
    group = page.app("lit.group")
    page.page.keyboard.press("Enter")
    assert page.app("point.nGroups") == group + 1


def test_hovering_lights_the_leaf_and_its_segment_both_ways(opened):
    tree, X_test, y_test = trees.outings()
    page = opened(tree, X_test, y_test)
    place = page.page.evaluate(
        """(() => {
            const { views, app } = document.querySelector('main.roctree').explorer;
            const item = views.tree.view.drawn.find(({ node }) => app.tree.leafOf[node] >= 0);
            return { x: item.left + 10, y: item.y, node: item.node };
        })()"""
    )
    page.page.locator("canvas.tree").hover(position={"x": place["x"], "y": place["y"]})
    assert page.app("lit.node") == place["node"]
    card = page.page.locator(".card")
    assert card.is_visible()
    assert "probability of" in card.text_content()
    plot = page.page.locator("canvas.plot").bounding_box()
    for part in range(1, 40):
        page.page.mouse.move(plot["x"] + plot["width"] * part / 40, plot["y"] + plot["height"] / 2)
        if page.app("lit?.from") == "plot":
            break
    assert page.app("lit.lines.length") >= 1


def test_nodes_fold_and_unfold(opened):
    tree, X_test, y_test = trees.outings()
    page = opened(tree, X_test, y_test)
    rows = "document.querySelector('main.roctree').explorer.views.tree.view.layout.ends.length"
    assert page.page.evaluate(rows) < tree.tree_.n_leaves
    page.click("Fold to the first split")
    assert page.page.evaluate(rows) == tree.tree_.n_children[0]
    page.page.locator("canvas.tree").focus()
    page.page.keyboard.press("Enter")
    assert page.page.evaluate(rows) == 1
    page.click("Unfold all nodes")
    assert page.page.evaluate(rows) == tree.tree_.n_leaves


def test_every_view_draws_a_picture_of_its_own(opened):
    page = opened(*trees.tumours())
    pictures = set()
    for view in ("ROC", "Cost", "Gain", "Benefit", "Calibration", "Near cases"):
        page.page.get_by_role("tab", name=view, exact=True).click()
        page.page.wait_for_timeout(60)
        pictures.add(page.page.locator("canvas.plot").screenshot())
        page.picture(f"view-{view.lower().replace(' ', '-')}")
    assert len(pictures) == 6
    assert min(map(len, pictures)) > 4000


def test_a_tree_of_twenty_thousand_leaves_opens_and_moves(opened):
    tree = trees.noise()
    assert tree.tree_.n_leaves > 15_000
    page = opened(tree)
    assert page.app("point.labels.length") == tree.tree_.n_leaves
    page.click("Unfold all nodes")
    page.click("Show the whole tree")
    drawn = "document.querySelector('main.roctree').explorer.views.tree.view.drawn.length"
    assert page.page.evaluate(drawn) < 2000
    page.picture("huge")
    page.type("cost-fn", 3)
    ours, place = page.positive(tree)
    there = tree.at(cost_fp=1, cost_fn=3, counts="smoothed", positive=ours)
    leaves = tree.tree_.leaves
    counts = tree.tree_.counts[leaves, place]
    found = counts[there.operating_point_.labels[leaves] == place].sum()
    assert page.number("recall") == pytest.approx(found / counts.sum())


@pytest.mark.parametrize(("made", "scheme"), [(trees.tumours, "light"), (trees.wines, "dark")])
def test_the_page_breaks_no_rule_of_accessibility(made, scheme, opened):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    page = opened(*made(), color_scheme=scheme)
    page.choose("pick", 1)
    found = axe.Axe().run(page.page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found] == []
    page.picture(f"{made.__name__}-{scheme}")


def test_on_a_phone_nothing_is_wider_than_the_screen(opened):
    phone = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
    page = opened(*trees.tumours(), **phone)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    page.picture("phone")


def test_print_is_light_without_tools_and_in_proportion(opened):
    page = opened(*trees.tumours(), color_scheme="dark")
    ratio = "(() => { const c = document.querySelector('canvas.plot'); return %s; })()"
    dark = page.app("palette.panel")
    page.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.app("palette.panel") not in (dark, "")
    page.page.set_viewport_size({"width": 720, "height": 1000})
    page.page.emulate_media(media="print")
    page.page.wait_for_timeout(50)
    drawn = page.page.evaluate(ratio % "c.width / c.height")
    shown = page.page.evaluate(ratio % "c.clientWidth / c.clientHeight")
    assert shown == pytest.approx(drawn, rel=0.02)
    for name in (".tools", ".tabs", ".help", ".theme", "section.case"):
        assert page.page.locator(name).first.is_hidden()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 720
    page.picture("print")
    page.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.app("palette.panel") == dark


def test_every_question_mark_explains_its_term_and_escape_closes_it(opened):
    page = opened(*trees.wines())
    page.choose("pick", 1)
    for term, said, closed in page.explained():
        assert len(said) > 30, term
        assert closed, term


def test_single_leaves_and_one_sided_test_cases_can_be_shown(opened):
    tree = ROCTreeClassifier(max_depth=0).fit([[0.0], [1.0], [2.0]], ["no", "no", "yes"])
    page = opened(tree, [[0.0], [5.0]], ["no", "no"])
    page.type("cost-fn", 100)
    assert page.shown("recall") == "–"
    assert page.shown("fpr") == "100\u00a0%"
