"""Draw the picture of the README: a small tree, and its ROC curve with one segment per leaf.

The tree is grown on one half of the breast-cancer data and ranks the other. Usage:
``python examples/readme_picture.py [FILE]`` writes ``tree.svg`` in the working folder, or the file;
that of the README is ``docs/images/tree.svg``.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from roctree import ROCTreeClassifier

HOME = Path(__file__).parents[1]
PICTURE = HOME / "docs" / "images" / "tree.svg"

WIDTH, HEIGHT = 1130, 490
TOP, ROW = 122, 60
LEFT, COLUMN, BOX, BOX_HEIGHT = 20, 180, 160, 46
LEAF_X = LEFT + 3 * COLUMN + 14
PLOT_X, PLOT_Y, PLOT = 784, 96, 320
INK, QUIET, PALE = "#222222", "#666666", "#bbbbbb"
# From one end of ColorBrewer's PuOr to the other, safe for colour-blind readers.
COLOURS = ("#b35806", "#e08214", "#fdb863", "#b2abd2", "#8073ac", "#542788")
LETTERS_ON = ("white", INK, INK, INK, "white", "white")
LETTERS = "ABCDEF"


def main():
    path = Path(sys.argv[1] if len(sys.argv) > 1 else PICTURE.name)
    path.write_text(picture(), encoding="utf-8")
    print(f"wrote {path}")


def picture():
    """The whole drawing as text."""
    X, X_held_out, y, y_held_out = halves()
    tree = ROCTreeClassifier(criterion="auc", max_leaf_nodes=6, min_samples_leaf=5).fit(X, y)
    malignant = list(tree.classes_).index("malignant")
    share = tree.probabilities_[:, malignant]
    ranked = sorted(tree.tree_.leaves.tolist(), key=lambda leaf: -share[leaf])
    reached = tree.apply(X_held_out)
    rates = [_rates(reached == leaf, y_held_out == "malignant") for leaf in ranked]
    return "\n".join([*_page(), *_tree(tree, ranked, share), *_curve(rates), "</svg>\n"])


def halves():
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    return train_test_split(data.data, labels, test_size=0.5, stratify=labels, random_state=0)


def _rates(here, positive):
    """How far a leaf moves the curve to the right and up."""
    return (here & ~positive).sum() / (~positive).sum(), (here & positive).sum() / positive.sum()


def _page():
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="15" fill="{INK}" role="img" aria-labelledby="title">'
    )
    yield (
        '<title id="title">A decision tree of six leaves, and its ROC curve with one segment '
        "for each leaf</title>"
    )
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="white"/>'
    yield _text(LEFT, 40, "A tree of six leaves", size=19, weight="bold")
    yield _text(LEFT, 62, "letters in the order of its ranking", QUIET, size=14)
    yield _text(PLOT_X - 44, 40, "Its ROC curve", size=19, weight="bold")
    yield _text(PLOT_X - 44, 62, "a segment for each leaf", QUIET, size=14)


def _tree(tree, ranked, share):
    nodes, names = tree.tree_, tree.schema_.names
    heights = _heights(nodes)
    for node in range(1, nodes.n_nodes):
        parent = int(nodes.parent[node])
        start = LEFT + COLUMN * int(nodes.depth[parent]) + BOX / 2
        end = LEAF_X if nodes.is_leaf[node] else LEFT + COLUMN * int(nodes.depth[node])
        top, bottom = heights[parent], heights[node]
        yield (
            f'<path d="M{start:.1f} {top:.1f} V{bottom:.1f} H{end:.1f}" fill="none" '
            f'stroke="{PALE}" stroke-width="2"/>'
        )
        word, shift = ("no", 16) if nodes.branch[node] else ("yes", -6)
        yield _text(start + 7, bottom + shift, word, QUIET, size=13)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        x, y = LEFT + COLUMN * int(nodes.depth[node]), heights[node]
        yield (
            f'<rect x="{x}" y="{y - BOX_HEIGHT / 2:.1f}" width="{BOX}" height="{BOX_HEIGHT}" '
            f'rx="6" fill="white" stroke="{INK}" stroke-width="1.5"/>'
        )
        yield _text(x + BOX / 2, y - 4, names[nodes.feature[node]], anchor="middle", size=14)
        question = f"≤ {nodes.threshold[node]:.4g} ?"
        yield _text(x + BOX / 2, y + 15, question, anchor="middle", size=14)
    for place, leaf in enumerate(ranked):
        yield from _badge(LEAF_X, heights[leaf], place)
        yield _text(LEAF_X + 22, heights[leaf] - 3, f"{share[leaf]:.0%} malignant")
        cases = f"of {nodes.weight[leaf]:.0f} cases"
        yield _text(LEAF_X + 22, heights[leaf] + 15, cases, QUIET, size=13)


def _heights(nodes):
    """Leaves one below the other as the branches lead to them; parents half way between."""
    heights = np.zeros(nodes.n_nodes)
    stack, n_seen = [0], 0
    while stack:
        node = stack.pop()
        first = int(nodes.first_child[node])
        stack.extend(range(first + int(nodes.n_children[node]) - 1, first - 1, -1))
        if nodes.is_leaf[node]:
            heights[node], n_seen = TOP + ROW * n_seen, n_seen + 1
    for node in np.flatnonzero(~nodes.is_leaf)[::-1]:
        first = int(nodes.first_child[node])
        heights[node] = heights[first : first + int(nodes.n_children[node])].mean()
    return heights


def _curve(rates):
    bottom = PLOT_Y + PLOT
    corners = np.vstack([[0.0, 0.0], np.cumsum(rates, axis=0)])
    x, y = PLOT_X + PLOT * corners[:, 0], bottom - PLOT * corners[:, 1]
    yield from _axes(bottom)
    for place in range(len(rates)):
        yield (
            f'<line x1="{x[place]:.1f}" y1="{y[place]:.1f}" x2="{x[place + 1]:.1f}" '
            f'y2="{y[place + 1]:.1f}" stroke="{COLOURS[place]}" stroke-width="5" '
            'stroke-linecap="round"/>'
        )
    for across, up in zip(x, y, strict=True):
        yield f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="white" stroke="{INK}"/>'
    middles = np.column_stack([x[1:] + x[:-1], y[1:] + y[:-1]]) / 2
    badges = _apart(middles)
    for place, (middle, badge) in enumerate(zip(middles, badges, strict=True)):
        yield (
            f'<line x1="{middle[0]:.1f}" y1="{middle[1]:.1f}" x2="{badge[0]:.1f}" '
            f'y2="{badge[1]:.1f}" stroke="{QUIET}"/>'
        )
        yield from _badge(*badge, place)
    area = np.trapezoid(corners[:, 1], corners[:, 0])
    yield _text(PLOT_X + PLOT - 8, bottom - 34, f"AUC {area:.3f}", anchor="end", weight="bold")
    yield _text(PLOT_X + PLOT - 8, bottom - 14, "on cases held out", QUIET, anchor="end", size=13)


def _axes(bottom):
    right = PLOT_X + PLOT
    yield (
        f'<path d="M{PLOT_X} {bottom} L{right} {PLOT_Y}" stroke="{PALE}" stroke-dasharray="5 5"/>'
    )
    yield f'<path d="M{PLOT_X} {PLOT_Y} V{bottom} H{right}" fill="none" stroke="{INK}"/>'
    for tick in (0.0, 0.5, 1.0):
        across, up = PLOT_X + PLOT * tick, bottom - PLOT * tick
        yield _text(across, bottom + 20, f"{tick:g}", QUIET, anchor="middle", size=13)
        yield _text(PLOT_X - 8, up + 5, f"{tick:g}", QUIET, anchor="end", size=13)
    yield _text(PLOT_X + PLOT / 2, bottom + 44, "false positive rate", anchor="middle")
    x, y = PLOT_X - 36, PLOT_Y + PLOT / 2
    label = _text(0, 0, "true positive rate", anchor="middle")
    yield f'<g transform="translate({x} {y}) rotate(-90)">{label}</g>'


def _apart(middles):
    """Places below and right of the segments, none closer to the next than a badge is wide."""
    badges = middles + np.array([38.0, 30.0])
    for place in range(len(badges) - 2, -1, -1):
        badges[place, 1] = max(badges[place, 1], badges[place + 1, 1] + 29.0)
    return badges


def _badge(x, y, place):
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="{COLOURS[place]}"/>'
    yield _text(x, y + 5, LETTERS[place], LETTERS_ON[place], anchor="middle", weight="bold")


def _text(x, y, words, colour=INK, anchor="start", size=15, weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" '
        f'font-size="{size}" font-weight="{weight}">{words}</text>'
    )


if __name__ == "__main__":
    main()
