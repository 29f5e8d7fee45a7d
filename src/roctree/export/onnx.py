"""A tree as an ONNX graph of basic operators in float64.

The tree operators of ONNX support only binary splits, one branch for missing values and, before
the newest version, float32 thresholds. Here every branch of the tree has a share of every row: 1,
0, the share of a missing value, or the share that a soft threshold assigns. The share of a leaf is
the product of the shares on its path, computed level by level, and the leaves are averaged by one
matrix product.

A row that is not divided has share 1 in one leaf and 0 in all others, so its results are exact. For
divided rows the last bit may differ, because the runtime chooses the order of the sums. Memory
grows with rows times nodes.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.arrays import Floats, Ints
from roctree.data import Schema
from roctree.errors import ParameterError, how_to_install
from roctree.export.common import (
    check_portable,
    divides,
    steepness,
    tested_features,
    undivided,
    used_features,
)
from roctree.fitted import FittedTree
from roctree.points import MIN_PROBABILITY, AttributePoints
from roctree.scorecard import FittedScorecard
from roctree.tree import MIN_PART
from roctree.tree.tree import Tree

Width = Literal["float64", "float32"]

# The first opset whose Equal operator compares strings.
OPSET, IR_VERSION = 19, 9
MATRIX = "X"


@dataclass
class Graph:
    """An ONNX graph under construction; intermediate values are numbered."""

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

    def select_columns(self, values: str, positions: Any) -> str:
        """Add an operator that selects columns and return the name of its result."""
        return self.add("Gather", values, self.constant(np.asarray(positions, np.int64)), axis=1)

    def to_double(self, values: str, dtype: Width) -> str:
        """Add a cast to float64 where one is needed."""
        if dtype == "float64":
            return values
        return self.add("Cast", values, to=self.onnx.TensorProto.DOUBLE)


def to_onnx(model: FittedTree, *, dtype: Width = "float64") -> Any:
    """Return an ``onnx.ModelProto`` with the outputs label, probabilities and leaf.

    A tree of numeric attributes has one input, the matrix X. With nominal attributes each column is
    an input of its own name and shape [rows, 1]: strings for categories that are strings, numbers
    otherwise. NaN and categories not seen in training are missing.

    Parameters
    ----------
    model : FittedTree
    dtype : {"float64", "float32"}
        Type of numeric inputs; float32 values are compared as float64.
    """
    onnx = _import_onnx()
    check_portable(model)
    if dtype not in ("float64", "float32"):
        raise ParameterError(
            parameter="dtype", value=dtype, reason="is not known: choose 'float64' or 'float32'"
        )
    graph = Graph(onnx)
    inputs, columns = _inputs(model, graph, dtype)
    outputs = _outputs(model, {entry.name for entry in inputs}, onnx)
    label, probabilities, leaf = (entry.name for entry in outputs)

    leaves = model.tree.leaves
    schema, some_input = model.schema, inputs[0].name
    tested = {feature: columns[feature] for feature in tested_features(model.tree)}
    shares = ShareGraph(graph, model.tree, schema, tested, some_input).of_leaves()
    by_leaf = graph.constant(model.probabilities[leaves])
    if isinstance(model, FittedScorecard):
        by_tree = graph.add("MatMul", shares, by_leaf)
        _graph_with_points(model, graph, columns, by_tree, probabilities)
        votes = graph.add("MatMul", probabilities, graph.constant(model.share_votes[0]))
    else:
        graph.add("MatMul", shares, by_leaf, result=probabilities)
        votes = graph.add("MatMul", shares, graph.constant(model.decision.votes[leaves]))
    winner = graph.add("ArgMax", votes, axis=1, keepdims=0)
    graph.add("Gather", graph.constant(_class_labels(model)), winner, result=label, axis=0)
    if divides(model.tree):
        tree = undivided(model.tree)
        shares = ShareGraph(graph, tree, schema, tested, some_input).of_leaves()
    reached = graph.add("ArgMax", shares, axis=1, keepdims=0)
    graph.add("Gather", graph.constant(leaves), reached, result=leaf, axis=0)
    return _finished_model(model, graph, inputs, outputs)


def _graph_with_points(
    model: FittedScorecard, graph: Graph, columns: dict[int, str], by_tree: str, result: str
) -> None:
    """Add the operators from the probabilities of the tree to those with points."""
    card, n_classes = model.points, model.schema.n_classes
    floor = graph.constant(np.float64(MIN_PROBABILITY))
    logarithms = graph.add("Log", graph.add("Max", by_tree, floor))
    # Log-odds of the second of two classes, or logarithms minus their mean.
    centred = np.eye(n_classes) - 1.0 / n_classes
    scores = np.array([[-1.0], [1.0]]) if n_classes == 2 else centred
    factor = card.tree_weight / card.unit
    total = graph.add("MatMul", logarithms, graph.constant(factor * scores))
    total = graph.add("Round", total) if card.whole else total
    total = graph.add("Add", total, graph.constant(card.intercept[None, :]))
    for each in card.attributes:
        own = _points_of_column(model, graph, columns[each.feature], each)
        total = graph.add("Add", total, own)
    spread = np.array([[0.0, 1.0]]) if n_classes == 2 else np.eye(n_classes)
    total = graph.add("MatMul", total, graph.constant(card.unit * spread))
    graph.add("Softmax", total, axis=1, result=result)


def _points_of_column(
    model: FittedScorecard, graph: Graph, column: str, each: AttributePoints
) -> str:
    """Return the points of an attribute, [rows, columns of points]."""
    categories = model.schema.categories[each.feature]
    missing = graph.constant(each.missing[None, :])
    if categories is not None:
        table = np.concatenate([each.values, each.missing[None, :]])
        code = _category_code(graph, column, categories)
        return graph.add("Gather", graph.constant(table), code, axis=0)
    low = graph.constant(each.starts[:1][None, :])
    within = graph.add("Max", graph.add("Min", column, graph.constant(np.float64(each.high))), low)
    passed = graph.add("GreaterOrEqual", within, graph.constant(each.starts[None, :]))
    counted = graph.add("Cast", passed, to=graph.onnx.TensorProto.DOUBLE)
    ones = graph.constant(np.ones((len(each.starts), 1)))
    number = graph.add("MatMul", counted, ones)
    place = graph.add("Cast", number, to=graph.onnx.TensorProto.INT64)
    # A missing value has passed no start; its points are replaced below.
    place = graph.add("Max", place, graph.constant(np.array([[1]])))
    place = graph.add("Reshape", place, graph.constant(np.array([-1])))
    # Before the first segment there is none.
    tables = [
        np.concatenate([table[:1], table])
        for table in (each.starts[:, None], each.values, each.slopes)
    ]
    start, value, slope = (
        graph.add("Gather", graph.constant(table), place, axis=0) for table in tables
    )
    beyond = graph.add("Sub", within, start)
    points = graph.add("Add", value, graph.add("Mul", slope, beyond))
    return graph.add("Where", graph.add("IsNaN", column), missing, points)


def _category_code(graph: Graph, column: str, categories: tuple[Any, ...]) -> str:
    """Return the code of each category; the number of categories for missing and unknown ones."""
    names = np.array(categories, dtype=object if _are_strings(categories) else np.float64)
    same = graph.add("Equal", column, graph.constant(names[None, :]))
    ones = graph.add("Cast", same, to=graph.onnx.TensorProto.FLOAT)
    # A last column of 0.5 is the largest where no category is equal.
    pads, half = graph.constant(np.array([0, 0, 0, 1])), graph.constant(np.float32(0.5))
    return graph.add("ArgMax", graph.add("Pad", ones, pads, half), axis=1, keepdims=0)


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise ImportError(f"Exporting to ONNX needs onnx: {how_to_install('onnx')}.") from None
    return onnx


def _finished_model(model: FittedTree, graph: Graph, inputs: list[Any], outputs: list[Any]) -> Any:
    helper = graph.onnx.helper
    body = helper.make_graph(graph.nodes, "tree", inputs, outputs, graph.constants)
    finished = helper.make_model(
        body,
        producer_name="roctree",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", OPSET)],
        doc_string="\n".join(model.describe()),
    )
    finished.ir_version = IR_VERSION
    graph.onnx.checker.check_model(finished)
    return finished


# Inputs and outputs

_DAYS = "days since 1970-01-01"


def _inputs(model: FittedTree, graph: Graph, dtype: Width) -> tuple[list[Any], dict[int, str]]:
    """Return the inputs, and the value [rows, 1] of each attribute that the tree tests."""
    schema, types, helper = model.schema, graph.onnx.TensorProto, graph.onnx.helper
    number = types.DOUBLE if dtype == "float64" else types.FLOAT
    used = used_features(model)
    if not schema.nominal.any():
        dated = any(map(schema.date_unit, range(schema.n_features)))
        note = f"columns of dates: {_DAYS}" if dated else ""
        matrix = helper.make_tensor_value_info(MATRIX, number, ["rows", schema.n_features], note)
        whole = graph.to_double(MATRIX, dtype)
        return [matrix], {feature: graph.select_columns(whole, [feature]) for feature in used}
    if "" in schema.names:
        raise ParameterError("'' cannot be the name of an ONNX input: rename the column.")
    inputs, columns = [], {}
    for feature, name in enumerate(schema.names):
        is_text = _are_strings(schema.categories[feature])
        kind, note = types.STRING if is_text else number, _DAYS * bool(schema.date_unit(feature))
        inputs.append(helper.make_tensor_value_info(name, kind, ["rows", 1], note))
        if feature in used:
            columns[feature] = name if is_text else graph.to_double(name, dtype)
    return inputs, columns


def _are_strings(categories: tuple[Any, ...] | None) -> bool:
    return categories is not None and any(isinstance(value, str) for value in categories)


def _outputs(model: FittedTree, taken: set[str], onnx: Any) -> list[Any]:
    """Return the outputs; a name that a column already has gets an underscore."""
    kinds = {"f": "DOUBLE", "i": "INT64", "b": "BOOL"}
    wanted = {
        "label": (kinds.get(_class_labels(model).dtype.kind, "STRING"), ["rows"]),
        "probabilities": ("DOUBLE", ["rows", model.tree.n_classes]),
        "leaf": ("INT64", ["rows"]),
    }
    outputs = []
    for name, (kind, shape) in wanted.items():
        while name in taken:
            name += "_"
        number = getattr(onnx.TensorProto, kind)
        outputs.append(onnx.helper.make_tensor_value_info(name, number, shape))
    return outputs


def _class_labels(model: FittedTree) -> NDArray[Any]:
    """Return the labels in a type that ONNX has."""
    classes = model.possible_labels
    if None in classes.tolist():
        raise ParameterError(
            reason="ONNX has no label for undecided cases beside numbers: fit with classes that "
            "are text, or use {at(...)} without {cost_reject}."
        )
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64)
    return classes.astype(np.float64) if classes.dtype.kind == "f" else classes


# Shares of rows in nodes


@dataclass(frozen=True, eq=False)
class ShareGraph:
    """Adds the operators that compute the share of each row in each node.

    Parameters
    ----------
    graph : Graph
    tree : Tree
    schema : Schema
    columns : dict
        Value [rows, 1] of each attribute that the tree tests, by feature number.
    some_input : str
        Any input, for the number of rows.
    """

    graph: Graph
    tree: Tree
    schema: Schema
    columns: dict[int, str]
    some_input: str

    @cached_property
    def steepness(self) -> Floats:
        """Slope of the share above each soft threshold, 0 for other nodes."""
        return steepness(self.tree)

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Which nodes have a soft threshold."""
        return self.steepness > 0.0

    def of_leaves(self) -> str:
        """Return the share of each row in each leaf, [rows, leaves]."""
        graph, tree = self.graph, self.tree
        if tree.n_nodes == 1:
            n_rows = graph.add("Shape", self.some_input, start=0, end=1)
            shape = graph.add("Concat", n_rows, graph.constant(np.array([1])), axis=0)
            one = graph.onnx.numpy_helper.from_array(np.ones(1))
            return graph.add("ConstantOfShape", shape, value=one)
        hard, near = self._hard_shares(), self._soft_columns()
        leaf_blocks, reached, above = [], "", 0
        for begin, end in pairwise(tree.level_starts[1:].tolist()):
            nodes = np.arange(begin, end)
            own = graph.select_columns(hard, nodes - 1)
            came = graph.select_columns(reached, tree.parent[nodes] - above) if reached else ""
            if self.soft[tree.parent[nodes]].any():
                own = self._soft_shares(nodes, near, own, came)
            if came:
                own = graph.add("Mul", came, own)
            leaves = np.flatnonzero(tree.is_leaf[begin:end])
            if leaves.size:
                leaf_blocks.append(graph.select_columns(own, leaves))
            reached, above = own, begin
        return graph.add("Concat", *leaf_blocks, axis=1)

    def _hard_shares(self) -> str:
        """Return the share that goes from each node's parent to the node, [rows, nodes - 1].

        All thresholds are treated as hard.
        """
        graph, tree = self.graph, self.tree
        branch = tree.missing_branch[tree.parent]
        of_missing = np.where(branch < 0, tree.share, (branch == tree.branch).astype(np.float64))
        blocks, order = [], []
        for feature, column in self.columns.items():
            nodes = 1 + np.flatnonzero(tree.feature[tree.parent[1:]] == feature)
            is_numeric = self.schema.categories[feature] is None
            shares = self._threshold_shares if is_numeric else self._category_shares
            blocks.append(shares(column, nodes, of_missing[nodes]))
            order.append(nodes)
        position = np.empty(tree.n_nodes, np.int64)
        position[np.concatenate(order)] = np.arange(tree.n_nodes - 1)
        return graph.select_columns(graph.add("Concat", *blocks, axis=1), position[1:])

    def _threshold_shares(self, column: str, nodes: Ints, of_missing: Floats) -> str:
        """Return the shares of nodes whose parents split a numeric column."""
        graph, tree = self.graph, self.tree
        cuts = tree.threshold[tree.parent[nodes]]
        left = graph.add("LessOrEqual", column, graph.constant(cuts[None, :]))
        goes = graph.add("Xor", left, graph.constant((tree.branch[nodes] == 1)[None, :]))
        known = graph.add("Cast", goes, to=graph.onnx.TensorProto.DOUBLE)
        missing = graph.add("IsNaN", column)
        return graph.add("Where", missing, graph.constant(of_missing[None, :]), known)

    def _category_shares(self, column: str, nodes: Ints, of_missing: Floats) -> str:
        """Return the shares of nodes whose parents split a nominal column."""
        graph, tree = self.graph, self.tree
        feature = int(tree.feature[tree.parent[nodes[0]]])
        categories = self.schema.categories[feature] or ()
        codes = np.arange(len(categories))
        # One row per category, and a last one for missing and unknown categories.
        branches = np.full((len(codes) + 1, len(nodes)), -1)
        branches[:-1] = tree.category_branch[
            tree.category_offsets[tree.parent[nodes]][None, :] + codes[:, None]
        ]
        own = (branches == tree.branch[nodes]).astype(np.float64)
        table = np.where(branches < 0, of_missing, own)
        code = _category_code(graph, column, categories)
        return graph.add("Gather", graph.constant(table), code, axis=0)

    def _soft_columns(self) -> str:
        """Return the columns with soft thresholds, [rows, columns]; "" if there are none."""
        used = np.unique(self.tree.feature[self.soft]).tolist()
        if not used:
            return ""
        return self.graph.add("Concat", *(self.columns[feature] for feature in used), axis=1)

    def _soft_shares(self, nodes: Ints, near: str, hard: str, came: str) -> str:
        """Return the shares of the nodes of one level, some of whose parents are soft.

        Parameters
        ----------
        nodes : int64[n]
            Nodes of one level.
        near : str
            The columns with soft thresholds.
        hard : str
            The shares if all thresholds were hard.
        came : str
            The share of each row that has reached the parents; "" if all of it has.
        """
        graph, tree = self.graph, self.tree
        parents = tree.parent[nodes]
        soft, used = self.soft[parents], np.unique(tree.feature[self.soft])
        values = graph.select_columns(near, np.searchsorted(used, tree.feature[parents]) * soft)
        thresholds = graph.constant(np.where(soft, tree.threshold[parents], 0.0)[None, :])
        slope = graph.constant(self.steepness[parents][None, :])
        half, one = graph.constant(np.float64(0.5)), graph.constant(np.float64(1.0))
        distance = graph.add("Sub", values, thresholds)
        above = graph.add("Add", half, graph.add("Mul", distance, slope))
        smaller = graph.add("Min", above, graph.add("Sub", one, above))
        if came:
            smaller = graph.add("Mul", came, smaller)
        least = graph.constant(np.where(soft, MIN_PART, np.inf)[None, :])
        # Comparisons with a missing value are false.
        enough = graph.add("GreaterOrEqual", smaller, least)
        side = graph.constant((tree.branch[nodes] == 0).astype(np.float64)[None, :])
        return graph.add("Where", enough, graph.add("Abs", graph.add("Sub", side, above)), hard)
