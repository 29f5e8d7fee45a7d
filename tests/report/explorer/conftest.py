"""A browser for each file of tests; a page is opened from a tree by a fixture of the file."""

import pytest

from tests.report.explorer.browser import Opened, chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


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
