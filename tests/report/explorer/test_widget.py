"""The widget in a page that hosts it, by the calls that Jupyter, VS Code and marimo make."""

import pytest

from roctree.report.explorer import as_json, style, widget_script
from tests.report.explorer import trees

pytestmark = pytest.mark.slow

# As front ends do: the module comes from a blob, anew for each widget; `render` fills an element
# that is put into the page later; what it returned is called when the widget is taken away. marimo
# keeps the element and the style in a shadow tree; Jupyter and VS Code in the page itself.
HOST = """({ source, style, text, shadow }) => {
    window.widgets ??= [];
    return (async () => {
        const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        const { default: widget } = await import(url);
        const asked = [];
        const nothing = () => {};
        const model = { on: nothing, off: nothing, set: nothing, save_changes: nothing };
        model.get = (name) => (asked.push(name), text);
        const el = document.createElement("div");
        const leave = await widget.render({ model, el });
        const host = document.createElement("div");
        document.body.append(host);
        const place = shadow ? host.attachShadow({ mode: "open" }) : host;
        const sheet = document.createElement("style");
        sheet.textContent = style;
        place.append(sheet, el);
        window.widgets.push({ el, leave, asked });
        await new Promise((done) => setTimeout(done, 100));
    })();
}"""
# How much of the tree is in colour: blue and orange, whose red and blue parts differ.
COLOURED = """(() => {
    const canvas = widgets[0].el.querySelector("canvas.tree");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((red, i) => i % 4 === 0 && Math.abs(red - data[i + 2]) > 60).length;
})()"""


@pytest.fixture
def hosted(browser):
    """Show widgets in one page; returns the page."""
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def show(*models, shadow=False):
        for made in models:
            text = as_json(trees.document(*made()))
            texts = {"source": widget_script(), "style": style(), "text": text}
            page.evaluate(HOST, texts | {"shadow": shadow})
        more = page.get_by_role("button", name="More", exact=True)
        while more.count() > 0:
            more.first.click()
        return page

    yield show
    page.close()
    assert complaints == []


@pytest.mark.parametrize("shadow", [False, True])
def test_a_front_end_of_notebooks_can_show_the_widget_in_colour(shadow, hosted):
    tree, X_test, y_test = trees.outings()
    page = hosted(trees.outings, shadow=shadow)
    area = page.locator('[data-name="auc_test"]').get_attribute("data-value")
    assert float(area) == pytest.approx(tree.roc(X_test, y_test).auc)
    assert page.evaluate(COLOURED) > 1000
    assert page.evaluate("widgets[0].asked") == ["document"]


@pytest.mark.parametrize("shadow", [False, True])
def test_controls_and_keys_work_inside_a_widget(shadow, hosted):
    tree, X_test, y_test = trees.outings()
    page = hosted(trees.outings, shadow=shadow)
    field = page.get_by_role("textbox", name="A missed case costs")
    field.fill("much")
    field.press("Enter")
    assert field.input_value() == "much"
    field.fill("5")
    field.press("Enter")
    said = tree.at(cost_fp=1, cost_fn=5, counts="smoothed").predict(X_test)
    hits = ((said == y_test) & (y_test == tree.classes_[1])).sum()
    assert float(page.locator('[data-name="tp"]').get_attribute("data-value")) == hits
    canvas = page.locator("canvas.tree")
    canvas.scroll_into_view_if_needed()
    before = canvas.screenshot()
    canvas.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".card").is_visible()
    canvas.hover(position={"x": 5, "y": 5})
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(60)
    assert canvas.screenshot() != before


def test_widgets_of_one_page_do_not_share_the_names_of_their_fields(hosted):
    page = hosted(trees.wines, trees.wines)
    rest = page.get_by_label("Costs", exact=True)
    assert rest.count() == 2
    rest.nth(0).check()
    assert not rest.nth(1).is_checked()
    assert page.get_by_label("A cost for every error").nth(1).is_checked()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


def test_a_widget_has_the_theme_of_the_page_around_it(hosted):
    page = hosted(trees.outings)
    theme = "widgets[0].el.firstChild.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.evaluate("document.body.style.color = 'oklch(0.9 0.02 250)'")
    page.wait_for_function(f"{theme} === 'dark'")
    page.get_by_role("button", name="Theme: notebook").click()
    assert page.evaluate(theme) == "light"


def test_a_widget_that_is_taken_away_listens_no_more(hosted):
    page = hosted(trees.outings)
    page.evaluate("widgets[0].leave()")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate("document.body.style.color = 'white'")
    page.wait_for_timeout(50)
    assert page.evaluate("widgets[0].el.firstChild.dataset.theme") == "light"
    page.get_by_role("button", name="Theme: notebook").click()
    page.get_by_role("button", name="Theme: light").click()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("widgets[0].el.firstChild.dataset.theme") == "dark"
