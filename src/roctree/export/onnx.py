"""A tree as a graph of ONNX, out of plain operators in float64.

The tree operators of ONNX know one branch for missing values, two branches and, but for the newest,
thresholds of float32. Here every branch has a part in every row: 1, 0, the share of a missing
value, or what a soft threshold gives it; the part of a leaf is the product of the parts above it,
level by level, and the leaves are mixed by one matrix product. A row that is not divided has part 1
in one leaf and 0 in all others, so that its results are exact; of divided rows the last bit may
differ, for the order of sums is the runtime's affair. Memory grows with rows times nodes.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.errors import ParameterError, how_to_install
from roctree.export.exported import Exported
from roctree.tree.tree import Tree
from roctree.tree.visit_kernels import LEAST_PART

Floats = NDArray[np.float64]
Width = Literal["float64", "float32"]

# Equal compares text from this version on.
OPSET, IR_VERSION = 19, 9
MATRIX = "X"


@dataclass
class Graph:
    """Operators and constants; the names of the values between them are numbers."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, values: Any) -> str:
        """Add a constant and return its name."""
        name = f"roctree/constant/{len(self.constants)}"
        array = np.asarray(values)
        if array.dtype.kind in "UO":
            cells = [str(cell).encode() for cell in array.reshape(-1)]
            text = self.onnx.TensorProto.STRING
            self.constants.append(self.onnx.helper.make_tensor(name, text, array.shape, cells))
        else:
            self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, result: str = "", **attributes: Any) -> str:
        """Add an operator and return the name of its result."""
        name = result or f"roctree/value/{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def columns(self, values: str, places: Any) -> str:
        """Add an operator that takes some columns."""
        return self.add("Gather", values, self.constant(np.asarray(places, np.int64)), axis=1)


def to_onnx(model: Exported, *, dtype: Width = "float64") -> Any:
    """Return an ``onnx.ModelProto`` with the outputs label, probabilities and leaf.

    A tree of numbers has one input, the matrix X. With nominal attributes each column is an input
    of its own name, [rows, 1]: text for categories that are text, numbers for all else. NaN and
    categories that training did not see are missing.

    Parameters
    ----------
    model : the labelled tree
    dtype : "float64", or "float32" for numbers that come so; they are compared as float64
    """
    onnx = _library()
    model.refuse_what_only_python_does()
    if dtype not in ("float64", "float32"):
        raise ParameterError(f"dtype={dtype!r} is not known: give 'float64' or 'float32'.")
    graph = Graph(onnx)
    inputs, columns = _inputs(model, graph, dtype)
    outputs = _outputs(model, {entry.name for entry in inputs}, onnx)
    label, probabilities, leaf = (entry.name for entry in outputs)

    leaves = model.tree.leaves
    parts = _parts(model, graph, columns, inputs[0].name)
    graph.add("MatMul", parts, graph.constant(model.probabilities[leaves]), result=probabilities)
    votes = graph.add("MatMul", parts, graph.constant(model.votes[leaves]))
    winner = graph.add("ArgMax", votes, axis=1, keepdims=0)
    graph.add("Gather", graph.constant(_labels(model)), winner, result=label, axis=0)
    if model.divides.any():
        parts = _parts(model.undivided, graph, columns, inputs[0].name)
    reached = graph.add("ArgMax", parts, axis=1, keepdims=0)
    graph.add("Gather", graph.constant(leaves), reached, result=leaf, axis=0)
    return _finished(model, graph, inputs, outputs)


def _library() -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise ImportError(f"Graphs of ONNX are made by onnx: {how_to_install('onnx')}.") from None
    return onnx


def _inputs(model: Exported, graph: Graph, dtype: Width) -> tuple[list[Any], dict[int, str]]:
    """The inputs, and for each attribute that is used the value that holds it, [rows, 1]."""
    schema, kinds, info = model.schema, graph.onnx.TensorProto, graph.onnx.helper
    number = kinds.DOUBLE if dtype == "float64" else kinds.FLOAT
    used = sorted({int(feature) for feature in model.tree.feature if feature >= 0})
    if not schema.nominal.any():
        matrix = info.make_tensor_value_info(MATRIX, number, ["rows", schema.n_features])
        whole = _as_double(graph, MATRIX, dtype)
        return [matrix], {feature: graph.columns(whole, [feature]) for feature in used}
    if "" in schema.names:
        raise ParameterError("'' cannot be the name of an input of ONNX: rename the column.")
    inputs, columns = [], {}
    for feature, name in enumerate(schema.names):
        text = _is_text(schema.categories[feature])
        kind = kinds.STRING if text else number
        inputs.append(info.make_tensor_value_info(name, kind, ["rows", 1]))
        if feature in used:
            columns[feature] = name if text else _as_double(graph, name, dtype)
    return inputs, columns


def _as_double(graph: Graph, value: str, dtype: Width) -> str:
    if dtype == "float64":
        return value
    return graph.add("Cast", value, to=graph.onnx.TensorProto.DOUBLE)


def _is_text(categories: tuple[Any, ...] | None) -> bool:
    return categories is not None and any(isinstance(value, str) for value in categories)


def _outputs(model: Exported, taken: set[str], onnx: Any) -> list[Any]:
    """The outputs, with an underscore where a column has the name."""
    kinds = {"f": "DOUBLE", "i": "INT64", "b": "BOOL"}
    wanted = {
        "label": (kinds.get(_labels(model).dtype.kind, "STRING"), ["rows"]),
        "probabilities": ("DOUBLE", ["rows", model.tree.n_classes]),
        "leaf": ("INT64", ["rows"]),
    }
    outputs = []
    for wish, (kind, shape) in wanted.items():
        name = wish
        while name in taken:
            name += "_"
        number = getattr(onnx.TensorProto, kind)
        outputs.append(onnx.helper.make_tensor_value_info(name, number, shape))
    return outputs


def _labels(model: Exported) -> NDArray[Any]:
    """The class labels in a type of ONNX."""
    classes = model.schema.classes
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    return classes.astype(np.float64) if classes.dtype.kind == "f" else classes


def _parts(model: Exported, graph: Graph, columns: dict[int, str], some_input: str) -> str:
    """The part of each row in each leaf, [rows, leaves]."""
    tree = model.tree
    if tree.n_nodes == 1:
        n_rows = graph.add("Shape", some_input, start=0, end=1)
        shape = graph.add("Concat", n_rows, graph.constant(np.array([1])), axis=0)
        one = graph.onnx.numpy_helper.from_array(np.ones(1))
        return graph.add("ConstantOfShape", shape, value=one)
    factors, numbers = _factors(model, graph, columns), _near_thresholds(model, graph, columns)
    ends, parts, above = [], "", 0
    for begin, end in pairwise(tree.level_starts[1:].tolist()):
        nodes = np.arange(begin, end)
        own = graph.columns(factors, nodes - 1)
        came = graph.columns(parts, tree.parent[nodes] - above) if parts else ""
        if model.soft[tree.parent[nodes]].any():
            own = _softened(model, graph, nodes, numbers, own, came)
        if came:
            own = graph.add("Mul", came, own)
        leaves = np.flatnonzero(tree.is_leaf[begin:end])
        if leaves.size:
            ends.append(graph.columns(own, leaves))
        parts, above = own, begin
    return graph.add("Concat", *ends, axis=1)


def _near_thresholds(model: Exported, graph: Graph, columns: dict[int, str]) -> str:
    """The columns that soft thresholds look at, in order, [rows, columns]."""
    used = np.unique(model.tree.feature[model.soft]).tolist()
    return graph.add("Concat", *(columns[feature] for feature in used), axis=1) if used else ""


def _softened(
    model: Exported, graph: Graph, nodes: NDArray[np.int64], numbers: str, hard: str, came: str
) -> str:
    """The parts that go to nodes, near soft thresholds to both if enough would.

    Parameters
    ----------
    model, graph : the labelled tree, and what becomes of it
    nodes : of one level
    numbers : the columns that soft thresholds look at
    hard : the parts where thresholds are hard
    came : the part of each row that has come to the parents; empty if all has
    """
    tree, parents = model.tree, model.tree.parent[nodes]
    soft, used = model.soft[parents], np.unique(tree.feature[model.soft])
    values = graph.columns(numbers, np.searchsorted(used, tree.feature[parents]) * soft)
    thresholds = graph.constant(np.where(soft, tree.threshold[parents], 0.0)[None, :])
    steepness = graph.constant(model.steepness[parents][None, :])
    half, one = graph.constant(np.float64(0.5)), graph.constant(np.float64(1.0))
    distance = graph.add("Sub", values, thresholds)
    above = graph.add("Add", half, graph.add("Mul", distance, steepness))
    smaller = graph.add("Min", above, graph.add("Sub", one, above))
    if came:
        smaller = graph.add("Mul", came, smaller)
    least = graph.constant(np.where(soft, LEAST_PART, np.inf)[None, :])
    # Of a missing value the comparison is not true.
    enough = graph.add("GreaterOrEqual", smaller, least)
    side = graph.constant((tree.branch[nodes] == 0).astype(np.float64)[None, :])
    return graph.add("Where", enough, graph.add("Abs", graph.add("Sub", side, above)), hard)


def _of_missing(tree: Tree) -> Floats:
    """The part of a row without a value that goes from each node's parent to it."""
    wanted = tree.missing_branch[tree.parent]
    parts: Floats = np.where(wanted < 0, tree.share, (wanted == tree.branch).astype(np.float64))
    return parts


def _factors(model: Exported, graph: Graph, columns: dict[int, str]) -> str:
    """The part of each row at a node's parent that goes to the node, [rows, nodes - 1].

    Thresholds are hard here.
    """
    tree, of_missing = model.tree, _of_missing(model.tree)
    blocks, order = [], []
    for feature, column in columns.items():
        nodes = 1 + np.flatnonzero(tree.feature[tree.parent[1:]] == feature)
        by = _by_number if model.schema.categories[feature] is None else _by_category
        blocks.append(by(model, graph, column, nodes, of_missing[nodes]))
        order.append(nodes)
    place = np.empty(tree.n_nodes, np.int64)
    place[np.concatenate(order)] = np.arange(tree.n_nodes - 1)
    return graph.columns(graph.add("Concat", *blocks, axis=1), place[1:])


def _by_number(
    model: Exported, graph: Graph, column: str, nodes: NDArray[np.int64], of_missing: Floats
) -> str:
    """The parts of a number in nodes below thresholds."""
    tree = model.tree
    cuts = tree.threshold[tree.parent[nodes]]
    left = graph.add("LessOrEqual", column, graph.constant(cuts[None, :]))
    goes = graph.add("Xor", left, graph.constant((tree.branch[nodes] == 1)[None, :]))
    known = graph.add("Cast", goes, to=graph.onnx.TensorProto.DOUBLE)
    missing = graph.add("IsNaN", column)
    return graph.add("Where", missing, graph.constant(of_missing[None, :]), known)


def _by_category(
    model: Exported, graph: Graph, column: str, nodes: NDArray[np.int64], of_missing: Floats
) -> str:
    """The parts of a category in nodes below nominal splits."""
    tree = model.tree
    feature = int(tree.feature[tree.parent[nodes[0]]])
    categories = model.schema.categories[feature] or ()
    codes = np.arange(len(categories))
    # One line for each category, and a last one for those that are missing or not known.
    branches = np.full((len(codes) + 1, len(nodes)), -1)
    branches[:-1] = tree.category_branch[
        tree.category_offsets[tree.parent[nodes]][None, :] + codes[:, None]
    ]
    own = (branches == tree.branch[nodes]).astype(np.float64)
    table = np.where(branches < 0, of_missing, own)
    words = np.array(categories, dtype=object if _is_text(categories) else np.float64)
    same = graph.add("Equal", column, graph.constant(words[None, :]))
    ones = graph.add("Cast", same, to=graph.onnx.TensorProto.FLOAT)
    # Half a one behind them: it is the largest where no category is the same.
    pads, half = graph.constant(np.array([0, 0, 0, 1])), graph.constant(np.float32(0.5))
    code = graph.add("ArgMax", graph.add("Pad", ones, pads, half), axis=1, keepdims=0)
    return graph.add("Gather", graph.constant(table), code, axis=0)


def _finished(model: Exported, graph: Graph, inputs: list[Any], outputs: list[Any]) -> Any:
    helper = graph.onnx.helper
    body = helper.make_graph(graph.nodes, "tree", inputs, outputs, graph.constants)
    finished = helper.make_model(
        body,
        producer_name="roctree",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", OPSET)],
        doc_string="\n".join(model.origin),
    )
    finished.ir_version = IR_VERSION
    graph.onnx.checker.check_model(finished)
    return finished
