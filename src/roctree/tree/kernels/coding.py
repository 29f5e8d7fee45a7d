"""Code the cells of numeric columns by bins and steps.

A code is the number of a bin, and of an even step inside the bin where values differ.
"""

from typing import NamedTuple

from roctree._jit import AnyFloats2D, Codes2D, Floats2D, Ints, typed_kernel

STEPS = 256
# The ends of the bins of a column are padded to this many, for a search of a fixed eight steps.
SEARCHED = 256
BLOCK = 512


class CodeBins(NamedTuple):
    """The bins of numeric columns, and how finely each bin is divided.

    Attributes
    ----------
    highest, lowest : float64[features, SEARCHED]
        Bin b of a column holds the values up to ``highest[b]``; ends are padded with infinity.
    scale : float64[features, SEARCHED]
        Steps per unit inside each bin; 0 for a single step.
    shift, size : int64[features]
        The bits of the step in a code, and the number of bins.
    """

    highest: Floats2D
    lowest: Floats2D
    scale: Floats2D
    shift: Ints
    size: Ints


@typed_kernel
def code_cells(
    begin: int,
    end: int,
    features: Ints,
    values: AnyFloats2D,
    bins: CodeBins,
    codes: Codes2D,
    exact: Ints,
) -> None:
    """Code rows ``begin:end`` of some columns.

    ``exact`` becomes 0 for a column where some value differs from the lowest of its bin. Rows are
    taken in blocks, so that both tables are read and written a few cache lines at a time.
    """
    highest, lowest, scale, shift = bins.highest, bins.lowest, bins.scale, bins.shift
    for start in range(begin, end, BLOCK):
        for feature in features:
            missing_code = bins.size[feature] << shift[feature]
            for row in range(start, min(start + BLOCK, end)):
                value = values[row, feature]
                if value != value:
                    codes[row, feature] = missing_code
                    continue
                place = 0
                for half in (128, 64, 32, 16, 8, 4, 2, 1):
                    place += half if highest[feature, place + half - 1] < value else 0
                offset = value - lowest[feature, place]
                exact[feature] &= 1 if offset == 0.0 else 0
                step = int(min(max(offset * scale[feature, place], 0.0), STEPS - 1.0))
                codes[row, feature] = (place << shift[feature]) + step
