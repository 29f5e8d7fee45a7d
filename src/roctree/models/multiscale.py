"""``MultiscaleClassifier``: the classifier of Bradley and Lovell, for scikit-learn."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags

from roctree.arrays import Ints
from roctree.classifier import NodeClassifier, as_column
from roctree.data import Dataset, Schema, encode_labels, warn_about_single_class
from roctree.errors import ParameterError
from roctree.fitted import Training
from roctree.models.cells import (
    Cells,
    CellTree,
    FittedCells,
    check_parameters,
    complete_cases,
    prune_cells,
    pruner_of_cells,
    resolve_bounds,
    smoother_of_cells,
)
from roctree.parameters import Labels, costs_in_class_order
from roctree.pruning import CostPruningCurve, Pruner
from roctree.smoothing import Smoother, probabilities


class MultiscaleClassifier(NodeClassifier[FittedCells]):
    """A tree of cells: every attribute is halved at once, wherever classes are not yet separate.

    Attributes are numbers without missing values. Only cells with cases are kept. A case in
    a cell without training cases gets the prediction of the smallest cell around it that has some.

    Parameters
    ----------
    max_level : int, default=30
        Largest number of times a side is halved, from 0 to 32. Cases that are still together then
        share a leaf, whatever their classes.
    bounds : "training", pair or sequence of pairs, default="training"
        The range of each attribute in training, a pair (low, high) for all attributes, or a pair
        for each. Values outside are clipped.
    pruning : str or Pruner, default="none"
        A pruner that needs only counts.
    merge_leaves : bool, default=False
        Whether pruning may also merge some of the parts of a cell and leave the others.
    smoothing : str or Smoother, default="laplace"
        A name, or an instance such as ``MEstimate(m=2)``.
    labels : {"probability", "majority"}, default="probability"
        What ``predict`` is based on: the smoothed probability, or the majority of the training
        cases in the cell.
    keep_cases : bool, default=True
        Whether to keep the cases, which ``partial_fit`` needs to divide cells further.

    Attributes
    ----------
    fitted_ : FittedCells
        The fitted model; the attributes below are parts of it, except ``cases_``.
    cell_tree_ : CellTree
        Ranges of the attributes, cells and counts.
    cells_, tree_ : Cells, Tree
        The cells, and their class counts as a tree without splits.
    schema_ : Schema
        Names of the columns, and the classes.
    classes_, n_classes_ : array, int
        Class labels in sorted order, and their number.
    probabilities_ : array of shape (n_nodes, n_classes)
        Smoothed class probabilities.
    pruning_, smoothing_ : Pruner, Smoother
    node_labels_ : array of shape (n_nodes,) or None
        The class that pruning under costs gives each node.
    operating_point_ : OperatingPoint or None
        What ``at(...)`` has chosen.
    training_ : Training
        A summary of the training data.
    cases_ : Dataset or None
        The cases so far; None if they are not kept. Model files do not contain them.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.

    Examples
    --------
    >>> rows = [[0.1, 0.2], [0.8, 0.9], [0.2, 0.3], [0.15, 0.22], [0.6, 0.1]]
    >>> cells = MultiscaleClassifier(bounds=(0, 1)).fit(rows, [0, 1, 1, 0, 1])
    >>> cells.get_n_leaves(), cells.get_depth()
    (4, 2)
    >>> print(cells.to_text())
    x0 < 0.5, x1 < 0.5
    |   x0 < 0.25, x1 < 0.25: A 0  (0 0.75, 2 cases)
    |   x0 < 0.25, 0.25 <= x1 < 0.5: D 1  (0 0.33, 1 case)
    0.5 <= x0, x1 < 0.5: B 1  (0 0.33, 1 case)
    0.5 <= x0, 0.5 <= x1: C 1  (0 0.33, 1 case)

    >>> rows = [[0.1], [0.1], [0.1], [0.6], [0.9]]
    >>> cells = MultiscaleClassifier().fit(rows, ["well", "well", "ill", "ill", "ill"])
    >>> cells.predict([[0.1]]), cells.at(cost_fp=1, cost_fn=5, positive="ill").predict([[0.1]])
    (array(['well'], dtype='<U4'), array(['ill'], dtype='<U4'))
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Divide the space until the classes are separate, and prune.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0. A row of weight k counts as k rows.

        Returns
        -------
        self

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.fit([[0.1], [0.2], [0.6], [0.9]], ["a", "a", "b", "b"])
        >>> cells.get_n_leaves()
        2
        """
        check_parameters(self.get_params(deep=False))
        cases = Dataset.from_data(X, as_column(y), sample_weight=sample_weight)
        return self._learn(complete_cases(cases), y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more cases; the result is that of ``fit`` on all cases together.

        A call takes as long as dividing all cases so far: pass batches rather than single cases.

        Parameters
        ----------
        X, y : table of shape (n_samples, n_features), and array of shape (n_samples,)
            The cases, as for ``fit``.
        classes : array of shape (n_classes,)
            All labels that will occur. Required in the first call, unless ``fit`` was called; the
            same in later calls, or None.
        sample_weight : array of shape (n_samples,) or None
            Weights of the cases; None for equal weights.

        Returns
        -------
        self

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.partial_fit([[0.1], [0.2]], ["a", "a"], classes=["a", "b"])
        >>> cells.partial_fit([[0.3]], ["b"]).get_n_leaves()
        2
        """
        check_parameters(self.get_params(deep=False))
        is_first = not self.__sklearn_is_fitted__()
        labels = as_column(y)
        if is_first:
            schema = first_schema(X, labels, classes)
        else:
            schema = self.schema_
            check_same_classes(classes, schema)
        more = complete_cases(Dataset.encoded(X, labels, schema, sample_weight=sample_weight))
        return self._learn(more if is_first else join_cases(self.cases_, more), y)

    def smoothed(self, smoothing: str | Smoother, **options: Any) -> Self:
        """Return these cells with their probabilities smoothed by another method.

        Parameters
        ----------
        smoothing : str or Smoother
            A name, or an instance such as ``Laplace()``.
        **options
            Options of the smoother, such as ``M=2``.

        Returns
        -------
        MultiscaleClassifier

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.fit([[0.1], [0.2], [0.6], [0.9]], ["a", "a", "b", "b"])
        >>> cells.smoothed("none").predict_proba([[0.3]])
        array([[1., 0.]])
        """
        model, smoother = self._model(), smoother_of_cells(smoothing, **options)
        return self._with_model(model.smoothed(smoother), smoothing=smoother)

    def pruned(
        self, pruning: str | Pruner, *, merge_leaves: bool | None = None, **options: Any
    ) -> Self:
        """Return these cells pruned by their counts, without refitting.

        Parameters
        ----------
        pruning : str or Pruner
            A pruner that needs only counts.
        merge_leaves : bool or None
            As the parameter of the class, which is the default.
        **options
            Options of the pruner, such as ``m=8``. Costs are a dict by class, or a sequence in the
            order of the classes.

        Returns
        -------
        MultiscaleClassifier

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.fit([[0.1], [0.2], [0.6], [0.9]], ["a", "a", "b", "b"])
        >>> cells.pruned("pessimistic").get_n_leaves()
        2
        """
        model = self._model()
        pruner = costs_in_class_order(pruner_of_cells(pruning, **options), self.classes_)
        merge = self.merge_leaves if merge_leaves is None else merge_leaves
        changed = {"pruning": pruner, "merge_leaves": merge}
        check_parameters(self.get_params(deep=False) | changed)
        return self._with_model(model.pruned(pruner, merge_leaves=merge), **changed)

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
        """Return the errors of these cells pruned under a sequence of cost ratios.

        Parameters
        ----------
        costs : sequence, "all" or None
            Pairs (cost of a miss, cost of a false alarm), or their ratios; None for the 13 pairs of
            Bradley and Lovell; "all" for every tree that some ratio makes.
        X_test, y_test : cases to count errors on
            None for the training cases.
        sample_weight : array of shape (n_samples,)
            Weights of the test cases.
        method : {"minimum_error", "error_based", "pessimistic"} or Pruner
            By name with the paper's m = 8 and cf = 0.01.
        positive : label
            The positive class; by default ``positive_class_``, the rarer of two.
        **options
            Options of the pruner, such as ``m=8``.

        Returns
        -------
        CostPruningCurve

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.fit([[0.1], [0.2], [0.6], [0.9]], ["a", "a", "b", "b"])
        >>> len(cells.cost_pruning_curve([1, 4]).points)
        2
        """
        return self._model().cost_pruning_curve(
            costs,
            X_test,
            y_test,
            sample_weight=sample_weight,
            method=method,
            positive=positive,
            merge_leaves=self.merge_leaves,
            **options,
        )

    def apply(self, X: Any) -> Ints:
        """Return the node of ``tree_`` where each row stops.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples,)

        Examples
        --------
        >>> cells = MultiscaleClassifier(bounds=(0, 1))
        >>> cells = cells.fit([[0.1], [0.2], [0.6], [0.9]], ["a", "a", "b", "b"])
        >>> cells.apply([[0.3], [0.7]])
        array([1, 2])
        """
        found = self._model().apply(X)
        self._check_feature_names(X)
        return found

    @property
    def cell_tree_(self) -> CellTree:
        """Ranges of the attributes, cells and counts."""
        return self._model().cell_tree

    @property
    def cells_(self) -> Cells:
        """The cells, and the node of ``tree_`` that each belongs to."""
        return self.cell_tree_.cells

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        tags.input_tags.categorical = False
        return tags

    @property
    def cases_(self) -> Dataset | None:
        """The training cases; None if they are not kept, as in a model file."""
        self._model()
        return getattr(self, "_kept_cases", None)

    def _learn(self, cases: Dataset, y: Any) -> Self:
        """Grow the cells of these cases and prune them."""
        kept, cases = cases, cases.scale_light_weights()
        pruner = costs_in_class_order(pruner_of_cells(self.pruning), cases.schema.classes)
        smoother = smoother_of_cells(self.smoothing)
        bounds = resolve_bounds(self.bounds, cases.values)
        grown = CellTree.grown(cases, bounds, self.max_level)
        cell_tree, node_labels = prune_cells(grown, pruner, merge_leaves=self.merge_leaves)
        training = Training.from_target(len(cases.labels), y)
        warn_about_single_class(cases.schema.classes, stacklevel=3)
        self.fitted_ = FittedCells(
            schema=cases.schema,
            training=training,
            cell_tree=cell_tree,
            smoother=smoother,
            pruner=pruner,
            probabilities=probabilities(smoother, cell_tree.tree),
            node_labels=node_labels,
            labels=self.labels,
        )
        # A copy: the user's array may change.
        self._kept_cases = replace(kept, values=np.array(kept.values)) if self.keep_cases else None
        return self


def first_schema(X: Any, y: Any, classes: Any) -> Schema:
    """Return the schema of the first of several batches, which need not have all classes."""
    if classes is None:
        raise ParameterError(
            reason="{classes} is required in the first call of partial_fit: give all labels that "
            "will occur"
        )
    return replace(Dataset.from_data(X, y).schema, classes=encode_labels(classes)[0])


def check_same_classes(classes: Any, schema: Schema) -> None:
    """Raise ``ParameterError`` if other classes are given than in the first call."""
    if classes is None:
        return
    given, known = encode_labels(classes)[0].tolist(), schema.classes.tolist()
    if given != known:
        raise ParameterError(
            parameter="classes",
            reason="are {given}, but the model was fitted to {known}: give the same classes, or "
            "none after the first call",
            given=", ".join(map(repr, given)),
            known=", ".join(map(repr, known)),
        )


def join_cases(before: Dataset | None, more: Dataset) -> Dataset:
    """Return the cases of both batches; it is an error if the earlier ones were not kept."""
    if before is None:
        raise ParameterError(
            reason="The earlier cases were not kept, and model files do not contain them: call "
            "fit with all cases, or start with {keep_cases=True}"
        )
    return replace(
        before,
        values=np.concatenate([before.values, more.values]),
        labels=np.concatenate([before.labels, more.labels]),
        weights=np.concatenate([before.weights, more.weights]),
    )
