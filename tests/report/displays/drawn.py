"""What is drawn, as numbers and words."""

import numpy as np


def words(display):
    """The names of lines that are written, beside them or in the legend, in their order."""
    ax = display.ax_
    written = [text.get_text() for text in ax.texts]
    if ax.get_legend() is not None:
        written += [text.get_text() for text in ax.get_legend().get_texts()]
    return [label for label in ax.get_legend_handles_labels()[1] if label in written]


def points_of(line):
    return np.column_stack(line.get_data())
