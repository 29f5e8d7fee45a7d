"""Code a numeric column in 16 bits, in the order of its values: 255 bins of 256 steps each.

Bins hold about equal shares of a sample of the column, and steps divide a bin evenly. A column
with few distinct values gets one code for each. Codes only steer the search: wherever two values
share a code the values themselves are compared, so a tree does not depend on the sample.
"""

import numpy as np

from roctree._jit import typed_kernel, types
from roctree.tree.kernels.layout import CODES_2D, FLOATS, INT, VALUES

STEPS = 256


@typed_kernel(types.boolean(VALUES, INT, INT, INT, FLOATS, FLOATS, FLOATS, INT, CODES_2D))
def code_column(
    values: np.ndarray,
    feature: int,
    begin: int,
    end: int,
    highest: np.ndarray,
    lowest: np.ndarray,
    scale: np.ndarray,
    shift: int,
    codes: np.ndarray,
) -> bool:
    """Code rows ``begin:end``; bin b holds values up to ``highest[b]``, the last bin all above.

    With ``shift`` 0 a bin has one step, and the answer is whether each holds one value.
    """
    n_bins = highest.size
    exact = True
    for row in range(begin, end):
        value = values[row, feature]
        if value != value:
            codes[row, feature] = n_bins << shift
            continue
        # A binary search without jumps: `place` is the first bin whose highest value is enough.
        place, size = 0, n_bins
        while size > 1:
            half = size // 2
            place += half if highest[place + half - 1] < value else 0
            size -= half
        if shift == 0:
            exact = exact and highest[place] == value
            codes[row, feature] = place
        else:
            step = int(min(max((value - lowest[place]) * scale[place], 0.0), STEPS - 1.0))
            codes[row, feature] = (place << shift) + step
    return exact
