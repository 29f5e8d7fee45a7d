"""The Multiscale Classifier of Bradley and Lovell: space is halved until classes are apart."""

from copy import copy
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from roctree.conventions import encoded, set_names
from roctree.data import Dataset, check_rows_given, check_test_cases
from roctree.decision import Decision, leaf_scores
from roctree.exploring import explored
from roctree.export.common import with_origin
from roctree.files import check_can_be_saved, save
from roctree.fitted import Training
from roctree.labelling import Labellings, Leaves, OperatingPoint, operating_point
from roctree.models.multiscale import inputs
from roctree.models.multiscale.cells import Cells, CellTree, Floats, Ints
from roctree.models.multiscale.text import cells_to_text
from roctree.operating import (
    HELD_OUT,
    OperatingRequest,
    cheapest,
    class_number,
    class_of_curve,
    held_out_cases,
)
from roctree.parameters import Labels, costs_in_class_order
from roctree.pruning import CostPruningCurve, Pruner, paper_options
from roctree.roc import Curve
from roctree.smoothing import Smoother, probabilities
from roctree.tree.tree import Tree


class MultiscaleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree of cells: every attribute is halved at once, wherever classes are not yet apart.

    Attributes are numbers without missing values. Only cells with cases are kept. A case in a cell
    that training never saw goes by the smallest cell around it that has cases.

    Parameters
    ----------
    max_level : how often a side is halved at most, from 0 to 32; cases that are still together then
        share a leaf, whatever their classes
    bounds : "training" for the range of each attribute in training, a pair (low, high) for all
        attributes, or a pair for each; values outside count as the nearest inside
    pruning : name of a pruner that decides by counts, or such a pruner
    merge_leaves : whether pruning may also merge some of the parts of a cell and leave the others
    smoothing : name of a smoother, or a smoother
    labels : what ``predict`` goes by, the "probability" after smoothing, or the "majority" of the
        training cases in the cell
    keep_cases : whether to keep the cases, from which ``partial_fit`` divides cells any further

    Attributes
    ----------
    cell_tree_ : CellTree, ranges of the attributes, cells and counts
    cells_, tree_ : Cells and Tree, the latter two of ``cell_tree_``; the tree has no splits
    schema_ : Schema, names of the columns
    classes_, n_classes_ : class labels in sorted order, and how many
    probabilities_ : float64[nodes, classes], smoothed
    pruning_, smoothing_ : the pruner and the smoother
    node_labels_ : int64[nodes], the class that pruning under costs gives each node, else None
    operating_point_ : what ``at(...)`` has chosen, else None
    training_ : Training, what is remembered of the data
    cases_ : Dataset, the cases so far; None if they are not kept, nor in a model file
    n_features_in_, feature_names_in_ : columns seen by ``fit``; names only if they have any

    Examples
    --------
    >>> rows = [[0.1, 0.2], [0.8, 0.9], [0.2, 0.3], [0.15, 0.22], [0.6, 0.1]]
    >>> cells = MultiscaleClassifier(bounds=(0, 1)).fit(rows, [0, 1, 1, 0, 1])
    >>> cells.get_n_leaves(), cells.get_depth()
    (4, 2)
    >>> print(cells.to_text())
    x0 < 0.5, x1 < 0.5
    |   x0 < 0.25, x1 < 0.25: 0  (1.00, 2 cases)
    |   x0 < 0.25, 0.25 <= x1 < 0.5: 1  (1.00, 1 case)
    0.5 <= x0, x1 < 0.5: 1  (1.00, 1 case)
    0.5 <= x0, 0.5 <= x1: 1  (1.00, 1 case)
    """

    def __init__(
        self,
        *,
        max_level: int = 30,
        bounds: Any = "training",
        pruning: str | Pruner = "none",
        merge_leaves: bool = False,
        smoothing: str | Smoother = "laplace",
        labels: Labels = "probability",
        keep_cases: bool = True,
    ) -> None:
        self.max_level = max_level
        self.bounds = bounds
        self.pruning = pruning
        self.merge_leaves = merge_leaves
        self.smoothing = smoothing
        self.labels = labels
        self.keep_cases = keep_cases

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MultiscaleClassifier":
        """Divide the space until the classes are apart, and prune; a row of weight k counts as k.

        Parameters
        ----------
        X, y : rows, as an array, lists or a table of pandas, polars or pyarrow, and their labels
        sample_weight : one weight per row, at least 0; None for ones
        """
        inputs.check_parameters(self)
        return self._learn(inputs.read(X, y, sample_weight), y)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "MultiscaleClassifier":
        """Learn from more cases; what comes of it is what ``fit`` makes of all cases together.

        A call takes as long as dividing all cases so far: give it batches rather than single cases.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        classes : in the first call, unless ``fit`` was called before, all labels that will come

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.partial_fit([[0.1], [0.2]], ["a", "a"], classes=["a", "b"])
        >>> cells.partial_fit([[0.3]], ["b"]).get_n_leaves()
        2
        """
        inputs.check_parameters(self)
        first = not hasattr(self, "cell_tree_")
        schema = inputs.first_schema(X, y, classes) if first else self.schema_
        more = inputs.read(X, y, sample_weight, schema)
        return self._learn(more if first else inputs.joined(self.cases_, more), y)

    def smoothed(self, smoothing: str | Smoother, **options: Any) -> "MultiscaleClassifier":
        """Return these cells with their probabilities smoothed in another way.

        Parameters
        ----------
        smoothing : name of a smoother, or a smoother
        options : of the smoother, such as ``M=2``
        """
        self._fitted()
        other = copy(self)
        other.smoothing = other.smoothing_ = inputs.smoother_of_cells(smoothing, **options)
        other.probabilities_ = probabilities(other.smoothing_, self.tree_)
        return other._at_the_same_point(self.operating_point_)

    def pruned(
        self, pruning: str | Pruner, *, merge_leaves: bool | None = None, **options: Any
    ) -> "MultiscaleClassifier":
        """Return these cells cut back; only their counts matter, and nothing is fitted.

        Parameters
        ----------
        pruning : name of a pruner that decides by counts, or such a pruner
        merge_leaves : as in the parameters; None for what it is there
        options : of the pruner, such as ``m=8``; costs are a dict of classes, or in their order
        """
        self._fitted()
        other = copy(self)
        pruner = costs_in_class_order(inputs.pruner_of_cells(pruning, **options), self.classes_)
        other.pruning = pruner
        other.merge_leaves = self.merge_leaves if merge_leaves is None else merge_leaves
        inputs.check_parameters(other)
        other._prune(pruner, self.cell_tree_)
        return other._at_the_same_point(self.operating_point_)

    def cost_pruning_curve(
        self,
        costs: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        method: str | Pruner = "minimum_error",
        positive: Any = None,
        **options: Any,
    ) -> CostPruningCurve:
        """Return how these cells err when pruned under one ratio of costs after another.

        Parameters
        ----------
        costs, X_test, y_test, sample_weight, method, positive, options : as for
            ``ROCTreeClassifier.cost_pruning_curve``
        """
        self._fitted()
        place = class_number(positive, self.classes_)
        check_test_cases(X_test, y_test)
        cells, schema = self._prunable(self.cell_tree_), self.schema_
        cases = None if X_test is None else inputs.read(X_test, y_test, sample_weight, schema)
        pruner = inputs.pruner_of_cells(method, **paper_options(method, options))
        return cells.cost_pruning_curve(pruner, costs, self.classes_.tolist(), place, cases)

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the labellings of the cells that are best for some costs, of two classes.

        Every cell counts as a leaf, for a row may stop at any: in a part of a divided cell that
        training never saw.

        Parameters
        ----------
        counts, positive : as for ``ROCTreeClassifier.labellings``
        """
        self._fitted()
        leaves = self._leaves(counts, class_number(positive, self.classes_))
        return Labellings.from_leaves(leaves, self.classes_)

    def at(
        self, *, counts: Any = None, positive: Any = None, random_state: int = 0, **request: Any
    ) -> "MultiscaleClassifier":
        """Return these cells relabelled for costs, rates or a threshold; nothing is fitted.

        Parameters
        ----------
        counts, positive, random_state, request : as for ``ROCTreeClassifier.at``

        Examples
        --------
        >>> rows = [[0.1], [0.1], [0.1], [0.6], [0.9]]
        >>> cells = MultiscaleClassifier().fit(rows, ["well", "well", "ill", "ill", "ill"])
        >>> cells.predict([[0.1]]), cells.at(cost_fp=1, cost_fn=5, positive="ill").predict([[0.1]])
        (array(['well'], dtype='<U4'), array(['ill'], dtype='<U4'))
        """
        self._fitted()
        return self._at(
            OperatingRequest.from_arguments(request, self.classes_, counts, positive, random_state)
        )

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: cells in the order of training, counts of the data given.

        Parameters are those of ``ROCTreeClassifier.roc``.
        """
        cells, place = self._fitted(), class_of_curve(positive, self.classes_)
        check_rows_given(X, y, sample_weight)
        cases = None if X is None else inputs.read(X, y, sample_weight, self.schema_)
        return cells.roc(self.probabilities_[:, place], place, cases)

    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """Return the label of each row: the most probable class of its cell, or that of ``at``.

        Parameters are those of ``ROCTreeClassifier.predict``.
        """
        values = self._encoded(X)
        if cost_matrix is None:
            return np.asarray(self.classes_[self._winners(values)])
        shares = self.probabilities_[self.cell_tree_.nodes(values)]
        return np.asarray(self.classes_[cheapest(shares, cost_matrix, self.classes_)])

    def predict_proba(self, X: Any) -> Floats:
        """Return the class probabilities of each row's cell."""
        nodes = self.apply(X)
        return np.asarray(self.probabilities_[nodes])

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """Return by how much the second of two classes outweighs the first in each row's cell.

        Otherwise it is as ``ROCTreeClassifier.decision_function`` with its default ranking.
        """
        values = self._encoded(X)
        votes = self.probabilities_[self.cell_tree_.nodes(values)]
        relabelled = self.operating_point_ is not None or self.node_labels_ is not None
        by_probability = self.labels == "probability" and not relabelled
        return leaf_scores(votes, votes, None if by_probability else partial(self._winners, values))

    def apply(self, X: Any) -> Ints:
        """Return the number, in ``tree_``, of the node that each row stops at."""
        values = self._encoded(X)
        return self.cell_tree_.nodes(values)

    def get_depth(self) -> int:
        """Return how often the sides of the smallest cell were halved."""
        return int(self._fitted().cells.level.max())

    def get_n_leaves(self) -> int:
        """Return the number of cells that are not divided; those merged count as one."""
        return self._fitted().tree.n_leaves

    def to_text(self, *, max_depth: int | None = None, digits: int = 4, head: bool = False) -> str:
        """Return the cells as text, a line for each, with the labels that ``predict`` gives.

        Parameters are those of ``ROCTreeClassifier.to_text``.
        """
        cells, labels = self._fitted(), self._decision().labels
        text = cells_to_text(cells, self.schema_, labels, max_depth=max_depth, digits=digits)
        return with_origin(self, text) if head else text

    def save(self, path: str | PathLike[str]) -> None:
        """Write these cells to a model file, which ``roctree.load`` reads again.

        It is replaced when the new one is complete, and has no cases for ``partial_fit``.
        """
        self._fitted()
        check_can_be_saved(type(self))
        save(self, path, stacklevel=2)  # type: ignore[arg-type]

    def explore(
        self, path: Any = None, X_test: Any = None, y_test: Any = None, **options: Any
    ) -> Any:
        """Write an interactive page of these cells, or return a widget for notebooks.

        Parameters
        ----------
        path, X_test, y_test, options : as for ``ROCTreeClassifier.explore``
        """
        return explored(self, path, X_test, y_test, options)

    @property
    def cells_(self) -> Cells:
        """Where the cells are, and which node of ``tree_`` each belongs to."""
        return self.cell_tree_.cells

    @property
    def tree_(self) -> Tree:
        """Class counts of the cells, without splits."""
        return self.cell_tree_.tree

    def _learn(self, cases: Dataset, y: Any) -> "MultiscaleClassifier":
        """Grow the cells of these cases, prune them, and set all that is fitted."""
        pruner = costs_in_class_order(inputs.pruner_of_cells(self.pruning), cases.schema.classes)
        grown = CellTree.grown(cases, inputs.bounds_of(self.bounds, cases.values), self.max_level)
        set_names(self, cases.schema)
        self.smoothing_ = inputs.smoother_of_cells(self.smoothing)
        self._prune(pruner, grown)
        self.training_ = Training.from_target(len(cases.labels), y)
        self.cases_ = inputs.own(cases) if self.keep_cases else None
        return self

    def _prune(self, pruner: Pruner, cells: CellTree) -> None:
        self.pruning_ = pruner
        self.cell_tree_, self.node_labels_ = self._prunable(cells).pruned(pruner)
        self.operating_point_: OperatingPoint | None = None
        self.probabilities_ = probabilities(self.smoothing_, self.tree_)

    def _prunable(self, cells: CellTree) -> CellTree:
        return cells.grouped() if self.merge_leaves else cells

    def _fitted(self) -> CellTree:
        check_is_fitted(self, "cell_tree_")
        return self.cell_tree_

    def _encoded(self, X: Any) -> Floats:
        values = np.asarray(encoded(self, X), dtype=np.float64)
        inputs.refuse_missing(values, self.schema_)
        return values

    def _leaves(self, counts: Any, positive: int) -> Leaves:
        if isinstance(counts, tuple):
            counts = self.cell_tree_.stops(inputs.read(*held_out_cases(counts), self.schema_))
        return self.cell_tree_.leaves(self.probabilities_, counts, positive)

    def _at(self, asked: OperatingRequest) -> "MultiscaleClassifier":
        leaves = self._leaves(asked.counts, asked.positive)
        name = HELD_OUT if isinstance(asked.counts, tuple) else asked.counts
        other, n_nodes = copy(self), self.tree_.n_nodes
        other.operating_point_ = operating_point(leaves, asked.labeller, n_nodes, name, asked.seed)
        return other

    def _at_the_same_point(self, before: OperatingPoint | None) -> "MultiscaleClassifier":
        """Return these cells, just pruned or smoothed, with what was asked of them before."""
        return self if before is None else self._at(OperatingRequest.from_point(before))

    def _winners(self, values: Floats) -> Ints:
        """Return the number of each row's class."""
        nodes = self.cell_tree_.nodes(values)
        return self._decision().each(values, lambda votes: votes[nodes].argmax(axis=1))

    def _decision(self) -> Decision:
        return Decision.of(self.tree_, self.operating_point_, self._usual_votes)

    def _usual_votes(self) -> Floats:
        """Return what each node says for each class, unless an operating point was chosen."""
        if self.node_labels_ is not None:
            return np.eye(self.n_classes_)[self.node_labels_]
        return self.tree_.counts if self.labels == "majority" else self.probabilities_
