"""Take the picture of the explorer that the README opens with.

Usage: ``python docs/make_screenshot.py`` writes ``docs/images/explorer.png``; it needs playwright
and Chromium (``pip install '.[test]'``, ``apt-get install chromium``).
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from roctree.cli.demo import write_demo_page

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "explorer.png"
SIZE = {"width": 1360, "height": 860}
# Missing a tumour costs as much as five false alarms.
POINT = "#cost_fn=5"

# Where the leaf is whose probability differs most from the share that was counted in it.
LEAF = """(() => {
    const { views, app } = document.querySelector("main.roctree").explorer;
    const { tree, state } = app;
    const at = (node) => node * tree.nClasses + state.positive;
    const share = (node) => tree.counts.training[at(node)] / tree.weight[node];
    const pull = ({ node }) => Math.abs(tree.probabilities[at(node)] - share(node));
    const leaves = views.tree.view.drawn.filter(({ node }) => tree.nChildren[node] === 0);
    const { left, y } = leaves.sort((one, other) => pull(other) - pull(one))[0];
    return { x: left + 12, y };
})()"""


def main():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page = write_demo_page(Path(folder) / "tree.html")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        view = browser.new_page(viewport=SIZE)
        view.goto(page.as_uri() + POINT)
        # Until the dots have arrived.
        view.wait_for_timeout(2500)
        view.locator("canvas.tree").hover(position=view.evaluate(LEAF))
        view.wait_for_timeout(300)
        view.screenshot(path=PICTURE)
        browser.close()
    print(f"wrote {PICTURE.relative_to(HOME)}")


if __name__ == "__main__":
    main()
