"""A real browser for the page: Chromium, driven by playwright; tests are skipped without them."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

# Without windows of its own it takes half the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Where a run may leave its pictures to be looked at; CI sets it.
PICTURES = os.environ.get("ROCTREE_SCREENSHOTS")


# Open every question mark in turn, hidden ones too: what it says, and whether Escape closes it.
EXPLAIN_ALL = """[...document.querySelectorAll(".help")].map((button) => {
    button.click();
    const said = document.querySelector(".bubble").textContent;
    button.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    return [button.dataset.term, said, document.querySelector(".bubble").hidden];
})"""


@contextmanager
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as driver:
        # As root a sandbox is refused; the page is our own.
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()


class Opened:
    """A page in the browser, what it asked for, and what it complained of."""

    def __init__(self, browser, file, fragment="", more=True, **options):
        self.context = browser.new_context(
            **({"viewport": {"width": 1360, "height": 1000}} | options)
        )
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.address = Path(file).absolute().as_uri()
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector("main.roctree canvas.plot")
        # What is not for first sight is behind a button.
        if more:
            self.click("More")

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def type(self, name, value):
        """Type into a field and leave it."""
        field = self.page.locator(f"#roctree-0-{name}")
        field.fill(str(value))
        field.press("Enter")

    def choose(self, name, value):
        self.page.locator(f"#roctree-0-{name}").select_option(str(value))

    def click(self, name):
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def reset(self):
        """Bring the page back to where it starts, without loading it again."""
        self.page.evaluate(
            "(() => { const { app } = document.querySelector('main.roctree').explorer;"
            "app.set({ ...app.data.start }); scrollTo(0, 0); })()"
        )

    def number(self, name):
        return float(self.text_of(name))

    def text_of(self, name):
        """The exact value behind a number that is shown."""
        return self.page.locator(f'[data-name="{name}"]').first.get_attribute("data-value")

    def shown(self, name):
        return self.page.locator(f'[data-name="{name}"]').first.text_content()

    def app(self, expression):
        """A value of the explorer itself, such as the labels of its leaves."""
        found = f"document.querySelector('main.roctree').explorer.app.{expression}"
        return self.page.evaluate(
            "(() => {"
            f"const it = {found}; return ArrayBuffer.isView(it) ? Array.from(it) : it;"
            "})()"
        )

    def positive(self, model):
        """The positive class of the page, and its index."""
        place = self.app("state.positive")
        return model.classes_[place], place

    def preview(self, kind):
        self.click(kind)
        return self.page.locator(".preview").text_content()

    def wait_until(self, expression):
        """Wait for an expression to be true; the page's policy forbids playwright's own way."""
        for _ in range(100):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(expression)

    def explained(self):
        """Term, words and whether they can be closed, of every question mark."""
        return self.page.evaluate(EXPLAIN_ALL)

    def picture(self, name):
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)

    def close(self):
        self.context.close()
        assert self.complaints == [], self.complaints
        asked = [url for url in self.requests if not url.startswith(self.address)]
        assert asked == [], asked
