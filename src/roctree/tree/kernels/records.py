"""The records that the growth kernels share, and the constants in them.

Weights lie on a dyadic grid (``KernelRules.quantum``) so coarse that every partial sum is exact in
float64. Sums of counts are therefore associative, and no result depends on the order of rows, on
threads or on shards.

A node is searched in one of two forms. Small nodes are *sorted*: every attribute has its own order
of the cases (``Cases``). Large nodes are *binned*: the rows of a node are contiguous (``Rows``),
every value has a code, and a histogram holds the class counts of its bins.
"""

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from roctree._jit import BlockScore, TableScore
from roctree.arrays import (
    AnyFloats2D,
    Branches,
    Codes2D,
    Floats,
    Floats2D,
    Ints,
    Places,
    Places2D,
    ReadonlyBools,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
)

# Values of KernelRules.nominal and KernelRules.correction.
BINARY, MULTIWAY, ONE_VS_REST = range(3)
NO_CORRECTION, SPLIT_INFO, LOG2 = range(3)

# The rank of a missing value, and the branch of a case that goes to all of them.
MISSING_RANK = 1 << 30
ALL_BRANCHES = (1 << 32) - 1

NO_NODE = -1
NO_ROOM = -1

# Values of RowStack.counted: what to do before a node is searched. What is counted FOR_BOTH is
# then subtracted from the histogram in the slot before, which becomes that of its larger sibling.
NOT_YET, FOR_BOTH, READY = range(3)


class Features(NamedTuple):
    """The data and the kind of each attribute.

    Attributes
    ----------
    values : float64[rows, features]
    n_categories : int64[features]
        0 for numeric attributes.
    offset : int64[features + 1]
        Where the codes of a nominal attribute start in ``BestSplits.branch_of``.
    countable : bool[features]
        Whether an attribute enters C4.5's average gain.
    shrinkage : float64[features]
        How strongly the categories of a nominal attribute are shrunk, as a weight; 0 for not.
    """

    values: AnyFloats2D
    n_categories: ReadonlyInts
    offset: ReadonlyInts
    countable: ReadonlyBools
    shrinkage: ReadonlyFloats


class Bins(NamedTuple):
    """How the codes of each attribute map to bins: ``code >> shift`` is the bin of a code.

    Attributes
    ----------
    start : int64[features + 1]
        The first bin of an attribute in a histogram. Its last bin is for missing values.
    shift : int64[features]
    exact : bool[features]
        Whether values with the same code are not distinguished.
    lowest, highest : float64[features, codes]
        The lowest and the highest value of each code of an exact numeric attribute.
    """

    start: ReadonlyInts
    shift: ReadonlyInts
    exact: ReadonlyBools
    lowest: ReadonlyFloats2D
    highest: ReadonlyFloats2D


class KernelRules(NamedTuple):
    """When growth stops, which candidates count, and how attributes are compared.

    ``even`` is whether a split without gain divides the cases as evenly as possible.
    """

    max_depth: float
    min_split: float
    min_leaf: float
    min_class_weighted_leaf: float
    min_gain: float
    c45_minimum: bool
    join_missing: bool
    nominal: int
    correction: int
    guard: bool
    penalty: bool
    tolerance: float
    even: bool
    quantum: float
    class_weight: Floats


class Scoring(NamedTuple):
    """The criterion: a function of a table, and one of a block of binary candidates."""

    table: TableScore
    block: BlockScore


class Node(NamedTuple):
    """A node to be searched and split: a range of cases or rows.

    ``first_child`` is the number that its first child will have, and ``in_use`` the number of cases
    that were in use when a sorted node was put on the stack.
    """

    begin: int
    end: int
    depth: int
    number: int
    first_child: int
    in_use: int


class Cases(NamedTuple):
    """The cases of sorted nodes.

    Attributes
    ----------
    order : uint32[features, places]
        The places of the cases by increasing rank, missing values last.
    rank : uint32[features, places]
        The number of the distinct value of a case, for nominal attributes its code.
    label, row : uint32[places]
        The class, and the row of ``Features.values``.
    weight : float64[places]
    """

    order: Places2D
    rank: Places2D
    label: Places
    row: Places
    weight: Floats


class Rows(NamedTuple):
    """The rows of binned nodes, node by node.

    Attributes
    ----------
    codes : uint16[places, features]
    label, row : uint32[places]
        The class, and the row of ``Features.values``.
    branch : uint32[places]
        The branch of a row while its node is divided.
    weight : float64[places]
    """

    codes: Codes2D
    label: Places
    row: Places
    branch: Places
    weight: Floats


class Candidates(NamedTuple):
    """The candidate splits of one attribute at one node, and memory to score them.

    Attributes
    ----------
    lefts : float64[candidates, classes]
        Class counts of the left branches, increasing.
    places : int64[candidates]
        Where the value (or the code) to the right of each candidate starts.
    known, missing, total : float64[classes]
        Class counts of the cases with a value, without one, and of those that are split.
    running : float64[classes]
        Counts while cases are added one by one.
    whole : float64[1, classes]
        The node as a table with one branch.
    edges, corners : float64[candidates, classes]
        Candidates at the ends of stretches, and the corners of the boxes that they span.
    finest : float64[classes + 2, classes]
        A split finer than all candidates of a stretch.
    scores, bounds : float64[candidates]
    """

    lefts: Floats2D
    places: Ints
    known: Floats
    missing: Floats
    total: Floats
    running: Floats
    whole: Floats2D
    edges: Floats2D
    corners: Floats2D
    finest: Floats2D
    scores: Floats
    bounds: Floats


class NodeCategories(NamedTuple):
    """The categories of one nominal attribute that occur at a node.

    The arrays have one more entry, for missing values.

    Attributes
    ----------
    counts : float64[categories, classes]
    codes : int64[categories]
    order : int64[categories]
        The categories by their share of a class.
    shares : float64[categories]
    branches : float64[categories, classes]
        The table of a split with a branch per category.
    """

    counts: Floats2D
    codes: Ints
    order: Ints
    shares: Floats
    branches: Floats2D


class BestSplits(NamedTuple):
    """The best split found for each attribute.

    Attributes
    ----------
    n_branches : int64[features]
        0 where there is no split.
    gain, info, score : float64[features]
        The improvement, what it is divided by, and the score of the split.
    cut : int64[features]
        The first place to the right of a numeric cut; in binned nodes the first code.
    cut_value : float64[features]
        In binned nodes, the first value of that code on the right.
    missing_branch : int64[features]
    uneven : float64[features]
        How far the left branch of a split without gain is from half of the weight.
    highest, highest_ratio : float64[features]
        Bounds on the gain and the ratio of an attribute that was not searched completely.
    branch_of : int16[codes]
        The branch of each category.
    """

    n_branches: Ints
    gain: Floats
    info: Floats
    score: Floats
    cut: Ints
    cut_value: Floats
    missing_branch: Ints
    uneven: Floats
    highest: Floats
    highest_ratio: Floats
    branch_of: Branches


class Division(NamedTuple):
    """The split that is carried out.

    Attributes
    ----------
    size, kept : int64[branches]
        How many cases each branch gets, and whether (0 or 1) it may be split again.
    cursor, stop : int64[branches]
        Where the next case of a branch goes, and where its range ends.
    weight, share : float64[branches]
        The weight of the cases with a known branch, and the share of one without.
    branch, twin, buffer : uint32[places]
        The branch of each sorted case, its first copy, and room to divide an order.
    """

    size: Ints
    kept: Ints
    cursor: Ints
    stop: Ints
    weight: Floats
    share: Floats
    branch: Places
    twin: Places
    buffer: Places


class SearchScratch(NamedTuple):
    """The scratch memory of the search for the split of a node."""

    candidates: Candidates
    categories: NodeCategories
    found: BestSplits


class BinScratch(NamedTuple):
    """The scratch memory of the search by bins.

    Attributes
    ----------
    filled, is_marked : int64[bins]
        The bins of an attribute that hold cases, and whether (0 or 1) to search inside each;
        ``is_marked`` is for cells too.
    number : int64[bins]
        The number of each marked bin among these.
    lefts : float64[bins, classes]
        Class counts before each marked bin.
    cells : float64[cells, classes]
        Class counts before each cell of the marked bins.
    keys, buffer : int64[places]
        Cases as ``code << 32 | place``, to be sorted.
    starts : int64[places]
        Counters of the sort, and which bins or cells to search inside.
    """

    filled: Ints
    is_marked: Ints
    number: Ints
    lefts: Floats2D
    cells: Floats2D
    keys: Ints
    buffer: Ints
    starts: Ints


class Nodes(NamedTuple):
    """The nodes grown so far, in the order of their creation; siblings are adjacent.

    Attributes
    ----------
    first_child, n_children, feature, missing_branch : int64[nodes]
    category_start : int64[nodes]
        Where the branches of the categories of a node start in ``category_branch``.
    threshold, gain : float64[nodes]
    counts : float64[nodes, classes]
    category_branch : int16[...]
    """

    first_child: Ints
    n_children: Ints
    feature: Ints
    missing_branch: Ints
    category_start: Ints
    threshold: Floats
    gain: Floats
    counts: Floats2D
    category_branch: Branches


class Stack(NamedTuple):
    """The sorted nodes still to be split."""

    begin: Ints
    end: Ints
    depth: Ints
    node: Ints
    in_use: Ints


class RowStack(NamedTuple):
    """The binned nodes still to be split.

    ``slot`` is where the histogram of a node is, or will be, and ``counted`` whether it is there.
    A leaf whose rows are counted for its sibling alone is ``NO_NODE``.
    """

    begin: Ints
    end: Ints
    depth: Ints
    node: Ints
    slot: Ints
    counted: Ints


# How much of the growing arrays is filled.
FILLED = np.dtype(
    [
        ("n_nodes", np.int64),
        ("n_category_branches", np.int64),
        ("n_stack", np.int64),
        ("n_row_stack", np.int64),
    ]
)
Filled: TypeAlias = Annotated[np.record, FILLED]


class GrowthState(NamedTuple):
    """The nodes grown so far, the stacks of those to be split, and how far each is filled."""

    nodes: Nodes
    stack: Stack
    row_stack: RowStack
    filled: Filled
