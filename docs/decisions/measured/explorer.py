"""Size of the explorer's page, time to open it, and frame times while it is used.

Usage: ``python docs/decisions/measured/explorer.py``; needs playwright and Chromium.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from playwright.sync_api import sync_playwright

from roctree import ROCTreeClassifier

SIZES = (200, 2_000, 20_000)
REPEATS = 5

# From the start of navigation to the first frame that shows the tree.
READY = """() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""
# Forty moves of the slider, each followed by a frame.
SLIDE = """async () => {
    const slider = document.querySelector('main.roctree input[type=range]');
    const times = [];
    for (let i = 0; i < 40; i++) {
        const begin = performance.now();
        slider.value = String(300 + 10 * i);
        slider.dispatchEvent(new Event('input'));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b)[20];
}"""

# The times between frames, recorded until they are read.
WATCH = """() => {
    window.frames = [];
    let before = performance.now();
    const step = (now) => {
        window.frames.push(now - before);
        before = now;
        window.watch = requestAnimationFrame(step);
    };
    window.watch = requestAnimationFrame(step);
}"""
FRAMES = "() => { cancelAnimationFrame(window.watch); return window.frames.slice(1); }"


def tree_of(n_leaves):
    """Two classes with enough noise for the wanted number of leaves."""
    rng = np.random.default_rng(0)
    X = rng.random((5 * n_leaves, 6))
    noise = rng.random(len(X)) < 0.3
    y = (np.sin(9 * X[:, 0]) + np.sin(7 * X[:, 1]) > X[:, 2]) ^ noise
    return ROCTreeClassifier(criterion="entropy", max_leaf_nodes=n_leaves).fit(X, y), X, y


def frames_of(page, moves):
    """Times between frames, in milliseconds, while something moves."""
    page.evaluate(WATCH)
    moves()
    return page.evaluate(FRAMES)


def dragged_and_zoomed(page):
    """The median and the longest time between frames while the unfolded tree is moved by hand."""
    box = page.locator("canvas.tree").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def move():
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(60):
            page.mouse.move(x + 3 * step, y + 2 * step)
        page.mouse.up()
        for step in range(40):
            page.mouse.wheel(0, -120 if step < 30 else 120)

    page.locator("canvas.tree").focus()
    times = frames_of(page, move)
    return float(np.median(times)), float(np.percentile(times, 95))


def measured(browser, file):
    opened, slides, unfolded, moved, worst = [], [], [], [], []
    for _ in range(REPEATS):
        page = browser.new_page(viewport={"width": 1360, "height": 1000})
        page.goto(file.as_uri())
        opened.append(page.evaluate(READY))
        slides.append(page.evaluate(SLIDE))
        page.get_by_role("button", name="Unfold all nodes").click()
        unfolded.append(page.evaluate(SLIDE))
        between = dragged_and_zoomed(page)
        moved.append(between[0])
        worst.append(between[1])
        page.close()
    return [float(np.median(times)) for times in (opened, slides, unfolded, moved, worst)]


def main():
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    print("| leaves | written in | page | open | slider | slider, all unfolded | frame | 95 % |")
    print("|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for n_leaves in SIZES:
            tree, X, y = tree_of(n_leaves)
            begin = perf_counter()
            file = tree.explore(Path(folder) / "tree.html", X, y)
            written = perf_counter() - begin
            times = measured(browser, file)
            size = file.stat().st_size / 1000
            print(
                f"| {tree.get_n_leaves()} | {written:.2f} s | {size:.0f} kB | {times[0]:.0f} ms | "
                f"{times[1]:.0f} ms | {times[2]:.0f} ms | {times[3]:.0f} ms | {times[4]:.0f} ms |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
