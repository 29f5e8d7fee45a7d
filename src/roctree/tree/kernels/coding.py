"""Code a numeric column in 16 bits, in the order of its values: 255 bins of 256 steps each.

Bins hold about equal shares of a sample of the column, and steps divide a bin evenly. A column
with few distinct values gets one code for each. Codes only steer the search: wherever two values
share a code the values themselves are compared, so a tree does not depend on the sample.
"""

import numpy as np

from roctree._jit import typed_kernel, types
from roctree.tree.kernels.layout import CODES_2D, FLOATS_2D, INT, INTS, VALUES

STEPS = 256
# The ends of the bins of a column are padded to this many, for a search of a fixed eight steps.
SEARCHED = 256
BLOCK = 512


@typed_kernel(
    types.void(INT, INT, INTS, VALUES, FLOATS_2D, FLOATS_2D, FLOATS_2D, INTS, INTS, CODES_2D, INTS)
)
def code_cells(
    begin: int,
    end: int,
    features: np.ndarray,
    values: np.ndarray,
    highest: np.ndarray,
    lowest: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    missing_code: np.ndarray,
    codes: np.ndarray,
    exact: np.ndarray,
) -> None:
    """Code rows ``begin:end`` of some columns; bin b of a column holds values up to ``highest[b]``.

    ``exact`` becomes 0 for a column where some value differs from the lowest of its bin. Rows are
    taken in blocks, so that both tables are read and written a few cache lines at a time.
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
                    place += half if highest[feature, place + half - 1] < value else 0
                offset = value - lowest[feature, place]
                exact[feature] &= 1 if offset == 0.0 else 0
                step = int(min(max(offset * scale[feature, place], 0.0), STEPS - 1.0))
                codes[row, feature] = (place << shift[feature]) + step
