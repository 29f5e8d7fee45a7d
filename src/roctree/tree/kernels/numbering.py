"""Code the cells of numeric columns by the numbers of their bins."""

from typing import Any

import numpy as np

from roctree._jit import types, variant
from roctree.tree.kernels.layout import (
    CODES_2D,
    FLOATS,
    FLOATS_2D,
    INT,
    INTS,
    PLACES,
    VALUES,
    array,
)

# The ends of the bins of a column are padded to this many, for a search of a fixed eight steps.
SEARCHED = 256
BLOCK = 512


def number_signature(codes: Any) -> Any:
    """The type of the numbering of cells by codes like these."""
    return types.void(
        INT, INT, INTS, VALUES, FLOATS_2D, INTS, codes, FLOATS_2D, FLOATS_2D, FLOATS, PLACES
    )


def number_cells(
    begin: int,
    end: int,
    features: np.ndarray,
    values: np.ndarray,
    ends: np.ndarray,
    missing_code: np.ndarray,
    codes: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    column: np.ndarray,
    places: np.ndarray,
) -> None:
    """Code rows ``begin:end`` of some columns by the numbers of their bins.

    Bin b of a column holds the values up to ``ends[b]``; ``lowest`` and ``highest`` become the
    least and the largest of those seen. A block of cells goes down the search together, a step at a
    time: so no cell has to wait for another.
    """
    for start in range(begin, end, BLOCK):
        n = min(BLOCK, end - start)
        for feature in features:
            for i in range(n):
                column[i] = values[start + i, feature]
                places[i] = 0
            for half in (128, 64, 32, 16, 8, 4, 2, 1):
                for i in range(n):
                    is_above = ends[feature, places[i] + half - 1] < column[i]
                    places[i] += half if is_above else 0
            for i in range(n):
                value, place = column[i], places[i]
                if value != value:
                    codes[start + i, feature] = missing_code[feature]
                    continue
                codes[start + i, feature] = place
                if value < lowest[feature, place]:
                    lowest[feature, place] = value
                if value > highest[feature, place]:
                    highest[feature, place] = value


# Codes of one byte each, and of two.
number_bytes = variant("number_bytes", number_cells, number_signature(array(types.uint8, 2)))
number_words = variant("number_words", number_cells, number_signature(CODES_2D))
