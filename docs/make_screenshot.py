"""Take the picture of the explorer that the README opens with.

Usage: ``python docs/make_screenshot.py`` writes ``docs/images/explorer.png``; it needs playwright
and Chromium (``pip install '.[test]'``, ``apt-get install chromium``).
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from roctree.experiment.demo import write_page

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "explorer.png"
SIZE = {"width": 1360, "height": 1150}
# Missing a tumour costs as much as twenty false alarms.
POINT = "#cost_fn=20"

# Where a leaf is, for the pointer to rest on.
LEAF = """(() => {
    const { drawn } = document.querySelector('main.roctree').explorer.views.tree.view;
    const { left, y } = drawn.filter(({ right, left }) => right - left > 100)[4];
    return { x: left + 20, y };
})()"""


def main():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page = write_page(Path(folder) / "tree.html")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        view = browser.new_page(viewport=SIZE)
        view.goto(page.as_uri() + POINT)
        view.wait_for_timeout(500)
        view.locator("canvas.tree").hover(position=view.evaluate(LEAF))
        view.wait_for_timeout(300)
        view.screenshot(path=PICTURE)
        browser.close()
    print(f"wrote {PICTURE.relative_to(HOME)}")


if __name__ == "__main__":
    main()
