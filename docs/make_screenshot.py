"""Take the picture of the explorer that the README opens with, and that of the plots.

Usage: ``python docs/make_screenshot.py`` writes ``docs/images/explorer.png`` and
``operating-points.png``; it needs matplotlib, playwright and Chromium (``pip install '.[test]'``,
``apt-get install chromium``).
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier
from roctree.cli.demo import write_demo_page
from roctree.report import CostCurveDisplay, ROCHullDisplay

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "explorer.png"
PLOTS = PICTURE.with_name("operating-points.png")
SIZE = {"width": 1360, "height": 822}
# Dragged from equal costs to where missing a tumour is as bad as five false alarms.
COST = 5
DRAG = f"""(() => {{
    const {{ app }} = document.querySelector("main.roctree").explorer;
    app.beginGesture();
    app.set({{ cost_fn: {COST} }});
    app.endGesture();
}})()"""


def draw_plots():
    """Draw the ROC curve and the cost curve of docs/howto/operating-points.md."""
    from matplotlib import pyplot

    X, y = load_breast_cancer(as_frame=True, return_X_y=True)
    X = X.filter(like="mean")
    y = np.where(y == 0, "malignant", "benign")
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    tree = ROCTreeClassifier(min_samples_leaf=12).fit(X, y)
    careful = tree.at(cost_fp=1, cost_fn=20, positive="malignant")
    figure, axes = pyplot.subplots(1, 2, figsize=(12.2, 5.4), layout="constrained")
    ROCHullDisplay.from_estimator(careful, X_new, y_new, band="bootstrap", name="tree", ax=axes[0])
    CostCurveDisplay.from_estimator(careful, X_new, y_new, name="tree", ax=axes[1])
    figure.savefig(PLOTS, dpi=100)
    print(f"wrote {PLOTS.relative_to(HOME)}")


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
    draw_plots()
    main()
