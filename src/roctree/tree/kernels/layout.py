"""The columns of the splits of a level, and compiled types of arrays."""

from typing import Any

from roctree._jit import types

# split_ints[node, column] and split_floats[node, column]: the splits of the nodes of a level, found
# in tables. SPLIT_CUT is the first code right of a cut; SPLIT_UNKNOWN the weight of the cases that
# go to all branches.
SPLIT_FEATURE, SPLIT_BRANCHES, SPLIT_CUT, SPLIT_MISSING = range(4)
N_SPLIT_INTS = 4
SPLIT_GAIN, SPLIT_THRESHOLD, SPLIT_UNKNOWN = range(3)
N_SPLIT_FLOATS = 3

INT, FLOAT = types.int64, types.float64


def array(dtype: Any, ndim: int) -> Any:
    """The compiled type of a C-contiguous array."""
    return types.Array(dtype, ndim, "C")


FLOATS, FLOATS_2D, FLOATS_3D = array(FLOAT, 1), array(FLOAT, 2), array(FLOAT, 3)
INTS, INTS_2D = array(INT, 1), array(INT, 2)
PLACES, PLACES_2D = array(types.uint32, 1), array(types.uint32, 2)
BRANCHES, BRANCHES_2D = array(types.int16, 1), array(types.int16, 2)
CODES_2D = array(types.uint16, 2)
VALUES = types.Array(FLOAT, 2, "A", readonly=True)


def stored(dtype: Any, ndim: int) -> Any:
    """The compiled type of an array that is only read: it may lie in a file, or have been sent."""
    return types.Array(dtype, ndim, "C", readonly=True)


STORED_INTS, STORED_INTS_2D = stored(INT, 1), stored(INT, 2)
STORED_FLOATS, STORED_FLOATS_2D = stored(FLOAT, 1), stored(FLOAT, 2)
STORED_PLACES, STORED_BRANCHES_2D = stored(types.uint32, 1), stored(types.int16, 2)
STORED_BYTES, STORED_WORDS = stored(types.uint8, 2), stored(types.uint16, 2)
