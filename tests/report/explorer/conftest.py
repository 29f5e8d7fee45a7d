"""A browser for each file of tests, and pages in it: of one test, or shared by several."""

import pytest

from tests.report.explorer.browser import Opened, chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def kept(browser, tmp_path_factory):
    """Open the page of a tree once, and bring it back to its start whenever it is asked for."""
    pages = {}

    def open_page(made):
        if made not in pages:
            model, *test = made()
            file = model.explore(tmp_path_factory.mktemp("pages") / "page.html", *test)
            pages[made] = Opened(browser, file)
        pages[made].reset()
        return pages[made]

    yield open_page
    for page in pages.values():
        page.close()


@pytest.fixture
def shown(browser, tmp_path):
    """Open the page of a model, its test cases and what the browser is told."""
    pages = []

    def open_page(made, fragment="", explore=None, **options):
        model, *test = made
        file = model.explore(tmp_path / "page.html", *test, **(explore or {}))
        pages.append(Opened(browser, file, fragment, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
