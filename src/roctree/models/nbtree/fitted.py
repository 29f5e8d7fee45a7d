"""A fitted Naive Bayes tree: probabilities, operating points and text, without scikit-learn.

Cases of one leaf differ in their probabilities, so that operating points and curves are chosen as
``FittedScores`` does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.data import Dataset, Schema
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_schema,
    read_score_point,
    read_scored,
    read_training,
    read_tree,
    write_parameters,
    write_point,
    write_schema,
    write_scored,
    write_training,
    write_tree,
)
from roctree.fitted import FittedScores
from roctree.models.nbtree.naive_bayes import Models, NaiveBayesTree, category_cells, offsets
from roctree.parameters import RULES, Rule, check_parameter
from roctree.strategy import is_finite_number
from roctree.tally import ScoreGroups
from roctree.text import quote_if_needed
from roctree.tree.prediction import apply
from roctree.tree.text import apart, short, to_text
from roctree.tree.tree import Tree

FoldUnit = Literal["rows", "kinds"]

DEFAULTS: Mapping[str, Any] = {
    "min_samples_split": 30,
    "min_error_reduction": 0.05,
    "folds": "rows",
    "categorical_features": "from_dtype",
}

_RULES = {
    "min_samples_split": RULES["min_samples_split"],
    "min_error_reduction": Rule(
        "a number from 0 to 1", lambda value: is_finite_number(value) and 0 <= value <= 1
    ),
    "folds": Rule(
        "'rows' or 'kinds'",
        lambda value: isinstance(value, str) and value in get_args(FoldUnit),
        get_args(FoldUnit),
    ),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for the first parameter that is not allowed."""
    for name in _RULES:
        check_parameter(name, parameters[name], _RULES)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNaiveBayesTree(FittedScores):
    """A tree with a Naive Bayes model at each leaf.

    Parameters
    ----------
    tree : NaiveBayesTree
        The nodes and the models of the leaves.
    """

    estimator_name: ClassVar[str] = "NaiveBayesTreeClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = DEFAULTS

    tree: NaiveBayesTree

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Largest number of splits on a path."""
        return self.tree.max_depth

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.tree.n_nodes

    @property
    def class_counts(self) -> Floats:
        """Weight of the training cases of each class."""
        return np.asarray(self.tree.nodes.counts[0])

    def uncalibrated_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows before calibration."""
        return self.tree.probabilities(values)

    @property
    def node_shares(self) -> Floats:
        """Share of each class at each node, with one more case of each as in Naive Bayes."""
        smoothed = self.tree.nodes.counts + 1.0
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as text, followed by the table of each leaf that is shown.

        A table has the prior of each class, and the probability of each interval or category given
        the class. Attributes with a single interval are omitted.
        """
        tree = self.tree

        def model_of(node: int) -> str:
            return f"  [NB {tree.model[node] + 1}]"

        answers = self.answers_of(tree.nodes, tree.nodes.counts.argmax(axis=1), self.node_shares)
        text = to_text(
            tree.nodes,
            self.schema,
            max_depth=max_depth,
            digits=digits,
            leaf_note=model_of,
            answers=answers,
        )
        depth = tree.nodes.depth
        shown = [n for n in tree.nodes.leaves if max_depth is None or depth[n] <= max_depth]
        used = sorted({int(tree.model[node]) for node in shown})
        return "\n\n".join([text, *(model_table(tree, each, self.schema, digits) for each in used)])

    def score_cases(self, cases: Dataset) -> ScoreGroups:
        """Group cases by their probabilities and their leaf."""
        leaf = apply(self.tree.nodes, cases.values)
        return ScoreGroups.grouped(self.row_probabilities(cases.values), cases, leaf)


# The table of a leaf

TreeLine = tuple[str, list[str]]


def model_table(tree: NaiveBayesTree, model: int, schema: Schema, digits: int) -> str:
    """Return one model as text: the prior of each class, and each cell given the class."""
    weight = float(tree.models.class_counts[model].sum())
    cases = f"{short(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    head = f"NB {model + 1}: {cases}", [quote_if_needed(label) for label in schema.classes]
    prior = "class", _decimals(tree.models.prior[model])
    return _aligned([head, prior, *_attribute_lines(tree, model, schema, digits)])


def _attribute_lines(
    tree: NaiveBayesTree, model: int, schema: Schema, digits: int
) -> Iterator[TreeLine]:
    for feature, name in enumerate(schema.names):
        cells = tree.models.cells(model, feature)
        if cells.stop - cells.start < 2:
            continue
        yield quote_if_needed(name), []
        cuts, categories = tree.models.cuts_of(model, feature), schema.categories[feature]
        conditions = cell_conditions(cuts, categories, digits)
        for condition, likelihood in zip(conditions, tree.models.likelihood[cells], strict=True):
            yield f"  {condition}", _decimals(likelihood)


def cell_conditions(cuts: Floats, categories: Any, digits: int) -> list[str]:
    """Return the condition for each cell of an attribute, such as "<= 3.5" or "= red".

    Parameters
    ----------
    cuts : upper bounds of the intervals except the last
    categories : None for numbers
    digits : significant digits of cuts
    """
    if categories is not None:
        return [f"= {quote_if_needed(category)}" for category in categories]
    texts = apart(cuts.tolist(), digits)
    return [f"<= {texts[cut]}" for cut in cuts.tolist()] + [f"> {texts[cuts[-1]]}"]


def _decimals(shares: Floats) -> list[str]:
    return [f"{share:.3f}" for share in shares]


def _aligned(lines: list[TreeLine]) -> str:
    width = max(len(name) for name, _ in lines)
    column = max(len(cell) for _, cells in lines for cell in cells)
    return "\n".join(
        (name.ljust(width) + "".join(f"  {cell:>{column}}" for cell in cells)).rstrip()
        for name, cells in lines
    )


# Model files. Only the cuts and counts of the models are written. The number of cells of an
# attribute follows from its cuts or its categories, and probabilities follow from the counts.


SECTIONS = ("training", "parameters", "schema", "tree", "models", "scored", "operating_point")
_MODELS = ("of_nodes", "cuts", "counts", "class_counts")


def write(model: FittedNaiveBayesTree, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted model.

    Parameters
    ----------
    model : FittedNaiveBayesTree
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    return {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "tree": write_tree(model.tree.nodes),
        "models": _write_models(model.tree),
        "scored": write_scored(model.scored),
        "operating_point": write_point(model.operating_point),
    }


def read(section: Section) -> FittedNaiveBayesTree:
    """Return the fitted model of a document."""
    schema = read_schema(section)
    nodes = read_tree(section, schema)
    scored = read_scored(section, nodes)
    defaults = FittedNaiveBayesTree.default_parameters
    return FittedNaiveBayesTree(
        schema=schema,
        training=read_training(section),
        parameters=read_parameters(section, defaults, check_parameters),
        operating_point=read_score_point(section, scored),
        tree=_tree(section, nodes, schema),
        scored=scored,
    )


def _write_models(tree: NaiveBayesTree) -> dict[str, Any]:
    models = tree.models
    return {
        "of_nodes": tree.model.tolist(),
        "cuts": [cuts.tolist() for cuts in np.split(models.cuts, models.cut_starts[1:-1])],
        "counts": models.counts.tolist(),
        "class_counts": models.class_counts.tolist(),
    }


def _tree(section: Section, nodes: Tree, schema: Schema) -> NaiveBayesTree:
    found = section.section("models", _MODELS)
    models = _models(found, schema)
    numbers = found.ints("of_nodes", np.int64, nodes.n_nodes)
    if (
        (numbers[~nodes.is_leaf] != -1).any()
        or (numbers[nodes.is_leaf] < 0).any()
        or (numbers >= len(models)).any()
    ):
        found.reject("of_nodes", "has a leaf without a model, or an inner node with one")
    return NaiveBayesTree(nodes, numbers, models, schema.nominal)


def _models(section: Section, schema: Schema) -> Models:
    n_models = len(section.items("class_counts"))
    if n_models == 0:
        section.reject("class_counts", "has no models")
    n_categories = np.tile(category_cells(schema), n_models)
    cut_starts, cuts = _cuts(section, n_categories)
    n_cells = np.where(n_categories > 0, n_categories, np.diff(cut_starts) + 1)
    models = Models(
        cut_starts,
        cuts,
        offsets(n_cells),
        section.nonnegative("counts", int(n_cells.sum()), schema.n_classes),
        section.nonnegative("class_counts", n_models, schema.n_classes),
    )
    with np.errstate(over="ignore"):
        for name in ("counts", "class_counts"):
            if not np.isfinite(getattr(models, name).sum()):
                section.reject(name, "has numbers too large to add up")
    return models


def _cuts(section: Section, n_categories: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return where the cuts of each attribute of each model begin, and all cuts."""
    lists = section.items("cuts")
    if len(lists) != len(n_categories) or not all(type(cuts) is list for cuts in lists):
        section.reject("cuts", f"is not made of {len(n_categories)} lists")
    sizes = np.array([len(cuts) for cuts in lists])
    if sizes[n_categories > 0].any():
        section.reject("cuts", "has one between categories")
    every = Section({"cuts": [cut for cuts in lists for cut in cuts]}, section.place)
    cuts, starts = every.floats("cuts", int(sizes.sum())), offsets(sizes)
    within = np.ones(len(cuts), dtype=np.bool_)
    within[starts[:-1][sizes > 0]] = False
    if (cuts[1:] <= cuts[:-1])[within[1:]].any():
        section.reject("cuts", "is not in increasing order")
    return starts, cuts
