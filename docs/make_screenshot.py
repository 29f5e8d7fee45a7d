"""Take the picture of the explorer that the README opens with.

Usage: ``python docs/make_screenshot.py`` writes ``docs/images/explorer.png``; it needs playwright
and Chromium (``pip install playwright``, ``apt-get install chromium``).
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from roctree.cli.demo import write_demo_page

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "explorer.png"
SIZE = {"width": 1360, "height": 822}
# Dragged from equal costs to where missing a tumour is as bad as five false alarms.
COST = 5
DRAG = f"""(() => {{
    const {{ app }} = document.querySelector("main.roctree").explorer;
    app.beginGesture();
    app.set({{ cost_fn: {COST} }});
    app.endGesture();
}})()"""


def main():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page = write_demo_page(Path(folder) / "tree.html")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        view = browser.new_page(viewport=SIZE)
        view.goto(page.as_uri())
        # Until the dots have arrived.
        view.wait_for_timeout(2500)
        view.evaluate(DRAG)
        view.wait_for_timeout(1000)
        # The tree and what stands above and beside it.
        panes = view.locator(".panes").bounding_box()
        edge = {"x": 0, "y": 0, "width": SIZE["width"], "height": panes["y"] + panes["height"] + 10}
        view.screenshot(path=PICTURE, clip=edge)
        browser.close()
    print(f"wrote {PICTURE.relative_to(HOME)}")


if __name__ == "__main__":
    main()
