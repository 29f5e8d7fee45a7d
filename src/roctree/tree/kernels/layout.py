"""The arrays that the growth kernels share: their names, shapes and compiled types.

All weights lie on a dyadic grid (``QUANTUM``) so coarse that every partial sum is exact in
float64. Sums of counts are therefore associative, and no result depends on the order of rows, on
threads or on shards.
"""

from typing import Any

from roctree._jit import BLOCK_FUNCTION, TABLE_FUNCTION, types

# columns[row, feature]: how an attribute is coded. The codes of a nominal attribute start at
# OFFSET in ``branch_of``; COUNTABLE attributes enter C4.5's average gain.
# ``code >> SHIFT`` is a bin; the bins of an attribute start at BIN in the histogram and its last
# one is for missing values. EXACT attributes have one distinct value per code.
N_CATEGORIES, OFFSET, COUNTABLE, SHIFT, BIN, EXACT = range(6)
N_COLUMN_ROWS = 6

# limits[...]: when growth stops, which candidates count, how attributes are compared. The weight
# of each class follows from CLASS_WEIGHTS on.
(
    MAX_DEPTH,
    MIN_SPLIT,
    MIN_LEAF,
    MIN_STEERED,
    MIN_GAIN,
    C45_MINIMUM,
    JOIN_MISSING,
    NOMINAL,
    CORRECTION,
    GUARD,
    PENALTY,
    TOLERANCE,
    QUANTUM,
    CLASS_WEIGHTS,
) = range(14)

# The values of limits[NOMINAL] and of limits[CORRECTION].
BINARY, MULTIWAY, ONE_VS_REST = range(3)
NO_CORRECTION, SPLIT_INFO, LOG2 = range(3)

# row_ints[row, place]: the cases of binned nodes, besides their codes and weights.
ROW_LABEL, ROW_ID, ROW_SIDE = range(3)
N_ROW_INTS = 3

# keys[row, ...]: KEYS and BUFFER_KEYS are as long as the node, STARTS as the digits of the sort.
KEYS, BUFFER_KEYS, STARTS = range(3)

# bins[row, ...]: the bins of one attribute that hold cases, and which of them to look into.
FILLED, LOOK = range(2)

# cases[row, place]: the compact copy of the cases of a subtree; TWIN is the first copy of a case.
LABEL, ID, SIDE, TWIN, BUFFER = range(5)
N_CASE_ROWS = 5
MISSING_RANK = 1 << 30
ALL_SIDES = (1 << 32) - 1

# vectors[row, class]: class counts of one attribute at one node.
KNOWN, MISSING, TOTAL, RUNNING, SINGLE = range(5)
N_VECTORS = 5

# found_floats[feature, column] and found_ints[feature, column]: the best split of an attribute.
# CUT is the first place right of a cut; in binned nodes the first code, CUT_VALUE its first value.
# HIGHEST and HIGHEST_RATIO bound the gain, and what it is divided to, of an attribute that was not
# searched to the end.
GAIN, INFO, CUT_VALUE, SCORE, HIGHEST, HIGHEST_RATIO = range(6)
N_FOUND_FLOATS = 6
N_BRANCHES, CUT, MISSING_BRANCH = range(3)

# split_ints[node, column] and split_floats[node, column]: the splits of the nodes of a level, found
# in tables. SPLIT_CUT is the first code right of a cut; SPLIT_UNKNOWN the weight of the cases that
# go to all branches.
SPLIT_FEATURE, SPLIT_BRANCHES, SPLIT_CUT, SPLIT_MISSING = range(4)
N_SPLIT_INTS = 4
SPLIT_GAIN, SPLIT_THRESHOLD, SPLIT_UNKNOWN = range(3)
N_SPLIT_FLOATS = 3

# branch_ints[row, branch] and branch_floats[row, branch]: the split being carried out.
# CURSOR is where the rows of a branch go next, and at last where they end.
SIZE, CURSOR, KEPT, STOP = range(4)
N_BRANCH_INTS = 4
BRANCH_WEIGHT, SHARE = range(2)

# node_ints[node, column] and node_floats[node, column]; class counts follow from COUNTS on.
FIRST_CHILD, N_CHILDREN, FEATURE, NODE_MISSING, CATEGORY_START = range(5)
THRESHOLD, NODE_GAIN, COUNTS = range(3)
N_NODE_INTS = 5

# stack[entry, column]: a node still to be split, and the cases in use when it was put there.
BEGIN, END, DEPTH, NODE, IN_USE = range(5)

# row_stack[entry, column]: the same of binned nodes. SLOT is where the histogram of a node is, or
# is to be. What is counted FOR_BOTH is then taken away from the histogram in the slot before, which
# becomes that of its larger sibling; a leaf may be there for that alone, as NO_NODE.
SLOT, COUNTED = 4, 5
N_ROW_STACK = 6
NOT_YET, FOR_BOTH, READY = range(3)
NO_NODE = -1

# state[...]: how much of the growing arrays is filled.
N_STACK, N_NODES, N_CATEGORY_BRANCHES, N_BINNED = range(4)

NO_BRANCH = -1
NO_ROOM = -1

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

# scan(lefts, begin, end, total, minimum, ...) -> best candidate, its score, admissible candidates
SCAN_SIGNATURE = types.Tuple((INT, FLOAT, INT))(
    FLOATS_2D, INT, INT, FLOATS, FLOAT, FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS,
)  # fmt: skip
SCAN_FUNCTION = types.FunctionType(SCAN_SIGNATURE)

# evaluate(feature, begin, end, ...): enter the best split of an attribute at a node
EVALUATE_SIGNATURE = types.void(
    INT, INT, INT, VALUES, INTS_2D, PLACES_2D, PLACES_2D, PLACES_2D, FLOATS,
    FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES,
)  # fmt: skip
EVALUATE_FUNCTION = types.FunctionType(EVALUATE_SIGNATURE)

# divide(feature, begin, end, first, depth, in_use, ...) -> the cases in use, or NO_ROOM
DIVIDE_SIGNATURE = INT(
    INT, INT, INT, INT, INT, INT, INTS_2D, FLOATS,
    PLACES_2D, PLACES_2D, PLACES_2D, FLOATS,
    INTS_2D, BRANCHES, INTS_2D, FLOATS_2D, FLOATS_2D,
)  # fmt: skip
DIVIDE_FUNCTION = types.FunctionType(DIVIDE_SIGNATURE)

# categories(feature, counts, codes, n, ...): enter the best division of the categories of a node
CATEGORIES_SIGNATURE = types.void(
    INT, FLOATS_2D, INTS, INT, INTS_2D, FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION,
    SCAN_FUNCTION, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, FLOATS_2D,
    FLOATS_2D, INTS_2D, BRANCHES,
)  # fmt: skip
CATEGORIES_FUNCTION = types.FunctionType(CATEGORIES_SIGNATURE)

# refine(feature, least, looks, begin, end, ...): look into bins, or only bound what is inside them
REFINE_SIGNATURE = types.void(
    INT, FLOAT, types.boolean, INT, INT, VALUES, INTS_2D, CODES_2D, PLACES_2D, FLOATS,
    FLOATS, FLOATS, TABLE_FUNCTION, BLOCK_FUNCTION, SCAN_FUNCTION,
    FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS_2D, FLOATS, FLOATS, INTS, FLOATS_2D,
    FLOATS_2D, INTS_2D, FLOATS_2D, FLOATS_2D, INTS_2D, INTS_2D,
)  # fmt: skip
REFINE_FUNCTION = types.FunctionType(REFINE_SIGNATURE)
