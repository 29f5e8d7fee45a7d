"""A tree drawn by matplotlib: what is written, where, and in letters that fit."""

import numpy as np
import pytest

from roctree import ParameterError, ROCTreeClassifier, presets
from roctree.tree.text import leaf_letters
from tests.estimator import weather

pyplot = pytest.importorskip("matplotlib.pyplot")


def written(ax):
    return [text.get_text() for text in ax.texts]


def boxes(ax):
    """The place of each text in the figure, in pixels."""
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts]


def test_the_plot_says_what_the_text_says(tree):
    found = written(tree.plot())
    conditions = [line.split(": ")[0].strip(" |") for line in tree.to_text().splitlines()]
    assert sorted(found[: len(conditions)]) == sorted(conditions)
    assert len(found) == tree.tree_.n_nodes - 1 + tree.get_n_leaves()


def test_a_leaf_shows_its_letter_and_label_and_the_probability_of_the_positive_class(tree):
    careful = tree.at(cost_fp=1, cost_fn=20, positive="play")
    leaf, positive = int(careful.tree_.leaves[0]), careful.classes_.tolist().index("play")
    shares = careful.probabilities_[:, positive]
    letter = leaf_letters(careful.tree_, shares)[leaf]
    label = careful.classes_[careful.fitted_.display_labels[leaf]]
    wanted = f"{letter} {label}: play {shares[leaf]:.2f}, "
    assert any(text.startswith(wanted) for text in written(careful.plot()))


def test_a_leaf_of_undecided_cases_is_called_so(tree):
    found = written(tree.at(cost_reject=0.3).plot())
    assert any(" undecided: " in text for text in found)


def test_a_leaf_stands_in_the_middle_of_its_row(tree):
    ax = tree.plot()
    leaves = [
        (text, box) for text, box in zip(ax.texts, boxes(ax), strict=True) if text.get_bbox_patch()
    ]
    assert len(leaves) == tree.get_n_leaves()
    for text, box in leaves:
        row = ax.transData.transform(text.get_position())[1]
        assert (box.y0 + box.y1) / 2 == pytest.approx(row, abs=1.0)


@pytest.mark.parametrize("nominal", ["binary", "multiway"])
def test_texts_of_a_new_figure_neither_overlap_nor_leave_it(nominal):
    X, y = weather.frame(300)
    names = {"warmth": "degrees of warmth in the shade, as measured at noon in the old garden"}
    ax = ROCTreeClassifier(nominal=nominal, max_depth=4, max_leaf_nodes=16).fit(
        X.rename(columns=names), y
    ).plot()  # fmt: skip
    found, room = boxes(ax), ax.figure.bbox
    for place, box in enumerate(found):
        assert room.x0 <= box.x0, written(ax)[place]
        assert box.x1 <= room.x1, written(ax)[place]
        assert not any(box.overlaps(other) for other in found[:place]), written(ax)[place]


def test_letters_fit_into_given_axes(tree):
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3))
    assert tree.plot(axes[1]) is axes[1]
    assert not axes[0].texts
    room = axes[1].get_window_extent()
    assert all(box.x1 <= room.x1 + 1 for box in boxes(axes[1]))
    assert axes[1].texts[0].get_fontsize() < 9
    pyplot.close(figure)


def test_large_trees_show_their_top_unless_asked(tree):
    X, y = weather.frame(600)
    large = ROCTreeClassifier().fit(X.assign(noise=np.arange(len(y)) * 7919 % 600), y)
    assert large.get_n_leaves() > 16
    top = written(large.plot())
    assert any(text.endswith("cases …") for text in top)
    assert top == written(large.plot(max_depth=3))
    whole = written(large.plot(max_depth=large.get_depth()))
    assert len(whole) == large.tree_.n_nodes - 1 + large.get_n_leaves()
    with pytest.raises(ParameterError, match="max_depth=-1 is not allowed"):
        tree.plot(max_depth=-1)


def test_a_tree_of_one_leaf_is_a_box():
    one = presets.readable(max_leaf_nodes=1).fit(*weather.frame(50))
    (text,) = written(one.plot())
    assert text.endswith("50 cases")


def test_the_first_line_is_at_the_top_and_margins_are_equal(tree):
    ax = tree.plot()
    bottom, top = ax.get_ylim()
    assert top == 0.0 < bottom
    # The text of a leaf is at its height.
    heights = sorted({round(text.get_position()[1], 6) for text in ax.texts})
    heights = [height for height in heights if 0.0 <= height <= bottom]
    leaves = heights[0], heights[-1]
    assert leaves[0] == pytest.approx(bottom - leaves[1], rel=0.2)
    assert ax.get_xlim()[0] == 0.0
