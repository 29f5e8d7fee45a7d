"""Code the cells of numeric columns by the numbers of their bins."""

from typing import Any

import numpy as np

from roctree._jit import kernel, typed_kernel, types
from roctree.tree.kernels.layout import CODES_2D, FLOATS_2D, INT, INTS, VALUES, array

# The ends of the bins of a column are padded to this many, for a search of a fixed eight steps.
SEARCHED = 256
BLOCK = 512


def number_signature(codes: Any) -> Any:
    """The type of the numbering of cells by codes like these."""
    return types.void(INT, INT, INTS, VALUES, FLOATS_2D, INTS, codes, FLOATS_2D, FLOATS_2D)


@kernel
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
) -> None:
    """Code rows ``begin:end`` of some columns by the numbers of their bins.

    Bin b of a column holds the values up to ``ends[b]``; ``lowest`` and ``highest`` become the
    least and the largest of those seen.
    """
    for start in range(begin, end, BLOCK):
        for feature in features:
            for row in range(start, min(start + BLOCK, end)):
                value = values[row, feature]
                if value != value:
                    codes[row, feature] = missing_code[feature]
                    continue
                place = 0
                for half in (128, 64, 32, 16, 8, 4, 2, 1):
                    place += half if ends[feature, place + half - 1] < value else 0
                codes[row, feature] = place
                if value < lowest[feature, place]:
                    lowest[feature, place] = value
                if value > highest[feature, place]:
                    highest[feature, place] = value


@typed_kernel(number_signature(array(types.uint8, 2)))
def number_bytes(
    begin: int,
    end: int,
    features: np.ndarray,
    values: np.ndarray,
    ends: np.ndarray,
    missing_code: np.ndarray,
    codes: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
) -> None:
    """Number cells in one byte each."""
    number_cells(begin, end, features, values, ends, missing_code, codes, lowest, highest)


@typed_kernel(number_signature(CODES_2D))
def number_words(
    begin: int,
    end: int,
    features: np.ndarray,
    values: np.ndarray,
    ends: np.ndarray,
    missing_code: np.ndarray,
    codes: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
) -> None:
    """Number cells in two bytes each."""
    number_cells(begin, end, features, values, ends, missing_code, codes, lowest, highest)
