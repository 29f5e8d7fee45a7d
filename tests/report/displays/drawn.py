"""What is drawn, as numbers and words."""

import numpy as np


def words(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def points_of(line):
    return np.column_stack(line.get_data())
