"""NBTree as a scikit-learn classifier: validate, delegate, set fitted attributes."""

from copy import copy
from dataclasses import replace
from functools import partial
from os import PathLike
from reprlib import repr as shortened
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from roctree.conventions import encoded, labelled_cases, set_names
from roctree.data import Dataset, check_rows_given, warn_of_identifiers
from roctree.decision import leaf_scores
from roctree.errors import ParameterError
from roctree.exploring import explored
from roctree.export.common import with_origin
from roctree.files import check_can_be_saved, save
from roctree.fitted import Training
from roctree.labelling import Labellings, OperatingPoint, operating_point
from roctree.models.nbtree.fitted import Scored, decision_at
from roctree.models.nbtree.growth import grow_naive_bayes_tree, merge_equal_rows
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.models.nbtree.text import naive_bayes_text
from roctree.operating import (
    HELD_OUT,
    OperatingRequest,
    cheapest,
    class_number,
    class_of_curve,
)
from roctree.parameters import RULES, Rule, check_parameter
from roctree.roc import Curve
from roctree.strategy import is_number, nearest

Floats = NDArray[np.float64]
Folds = Literal["rows", "kinds"]
COUNTS = ("training", "smoothed")

_RULES = {
    "min_samples_split": RULES["min_samples_split"],
    "min_error_reduction": Rule(
        "a number from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1
    ),
    "folds": Rule(
        "'rows' or 'kinds'",
        lambda value: isinstance(value, str) and value in get_args(Folds),
        get_args(Folds),
    ),
}


def check_parameters(estimator: Any) -> None:
    """Raise ``ParameterError`` for the first parameter that makes no sense."""
    for name in _RULES:
        check_parameter(name, getattr(estimator, name), _RULES)


class NaiveBayesTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree with a Naive Bayes model at each leaf: Kohavi's NBTree, as Weka grows it.

    A node is split if that spares Naive Bayes enough errors, by five-fold cross-validation. Numbers
    are cut into intervals at each node anew, by Fayyad and Irani's method.

    Parameters
    ----------
    min_samples_split : least weight of a node that is split
    min_error_reduction : least part of a node's errors that a split must avoid
    folds : "rows" deals the rows to the folds of cross-validation by their place, just as Weka
        does; with "kinds" rows that are alike stay together, and the tree does not depend on their
        order: a row of weight k is the same as k rows
    categorical_features : "from_dtype", None, names, column numbers or a boolean mask; as in
        scikit-learn, booleans are numbers where they are not listed or fill a numpy array

    Attributes
    ----------
    tree_ : NaiveBayesTree, the nodes and the models of the leaves
    schema_ : Schema, names and categories of the columns
    classes_, n_classes_ : class labels in sorted order, and how many
    training_ : Training, what is remembered of the data
    scored_ : Scored, the distinct probabilities of the training cases, and their class counts
    operating_point_ : what ``at(...)`` has chosen, else None; its labels and votes are those of
        ``scored_``, and after them those of cases that are surely of one class
    n_features_in_, feature_names_in_ : columns seen by ``fit``; names only if they have any

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> tree = NaiveBayesTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> tree.predict([[2.4], [None]])
    array(['no', 'no'], dtype='<U3')
    >>> print(tree.to_text())
    no  (0.50, 6 cases)  [NB 1]
    <BLANKLINE>
    NB 1: 6 cases     no    yes
    class          0.500  0.500
    x0
      <= 3.5       0.800  0.200
      > 3.5        0.200  0.800
    """

    def __init__(
        self,
        *,
        min_samples_split: float = 30,
        min_error_reduction: float = 0.05,
        folds: Folds = "rows",
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.min_samples_split = min_samples_split
        self.min_error_reduction = min_error_reduction
        self.folds = folds
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "NaiveBayesTreeClassifier":
        """Grow the tree.

        Parameters
        ----------
        X : array, list of rows, or table of pandas, polars or pyarrow; NaN and None are missing
        y : one label per row
        sample_weight : one weight per row, at least 0; None for ones
        """
        check_parameters(self)
        dataset = labelled_cases(X, y, sample_weight, self.categorical_features)
        warn_of_identifiers(dataset, stacklevel=2)
        cases = dataset if self.folds == "rows" else merge_equal_rows(dataset)
        set_names(self, dataset.schema)
        self.tree_ = grow_naive_bayes_tree(cases, self.min_samples_split, self.min_error_reduction)
        self.scored_ = Scored.of(self.tree_, cases)
        self.training_ = Training.from_target(len(dataset.labels), y)
        self.operating_point_: OperatingPoint | None = None
        return self

    def at(
        self,
        *,
        counts: Any = None,
        positive: Any = None,
        random_state: int = 0,
        **request: Any,
    ) -> "NaiveBayesTreeClassifier":
        """Return this tree set to costs, rates or a threshold; nothing is fitted.

        Probabilities stay, ``predict`` follows, and ``operating_point_`` says what was chosen.

        Parameters
        ----------
        counts : whose rates are meant: those of "training" cases, "smoothed", as the probabilities
            have them, or (X, y) of cases held out, with weights (X, y, sample_weight); None for
            "training", but "smoothed" for a threshold
        positive : the positive class, of two; None for the last in ``classes_``
        random_state : seed of the draws, one for each row, of randomised labels
        request : as in ``ROCTreeClassifier.at``: ``cost_fp`` and ``cost_fn``, ``cost_matrix``,
            ``max_fpr``, ``min_tpr``, ``beta`` or ``threshold``; ``prior``, ``randomise``

        Examples
        --------
        >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = NaiveBayesTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
        >>> tree.at(cost_fp=1, cost_fn=5).predict([[2.4]])
        array(['yes'], dtype='<U3')
        """
        self._fitted()
        asked = OperatingRequest.from_arguments(
            request, self.classes_, counts, positive, random_state
        )
        found, name = self._chosen_by(asked.counts)
        leaves = found.leaves(asked.positive)
        point = operating_point(leaves, asked.labeller, len(leaves.nodes), name, asked.seed)
        other = copy(self)
        # For which costs the labels are the best is known of the probabilities, not of counts.
        other.operating_point_ = point if name == "smoothed" else replace(point, cost_ratio=None)
        return other

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the labellings that are best for some costs, of two classes.

        Distinct probabilities take the place of leaves: the cases with the highest are positive.
        Rates are those of ``counts``; costs go by the probabilities, as in ``at(...)``.

        Parameters
        ----------
        counts : as in ``at``
        positive : the positive class; None for the last in ``classes_``

        Examples
        --------
        >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = NaiveBayesTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
        >>> tree.labellings()
        3 labellings, positive class 'yes'
        leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +
               0  0.000  0.000     0.500                        0 to 0.25  0.000 to 0.200
               1  0.000  1.000     1.000                        0.25 to 4  0.200 to 0.800
               2  1.000  1.000     0.500                         4 to inf  0.800 to 1.000
        """
        self._fitted()
        place = class_number(positive, self.classes_)
        leaves = self._chosen_by(counts)[0].answers(place)
        return Labellings.from_leaves(leaves, self.classes_, by_shares=True)

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve.

        Parameters
        ----------
        X, y : labelled cases; None for the training cases
        positive : the class that is positive, against all others; None for the last of two
        sample_weight : of the cases
        """
        self._fitted()
        place = class_of_curve(positive, self.classes_)
        check_rows_given(X, y, sample_weight)
        found = self.scored_
        if X is not None:
            found = Scored.of(self.tree_, self._dataset(X, y, sample_weight))
        ours = found.counts[:, place]
        return Curve.from_leaves(found.scores[:, place], ours, found.counts.sum(axis=1) - ours)

    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """Return the label of each row: the most probable class; after ``at(...)`` that of there.

        Parameters
        ----------
        X : rows
        cost_matrix : costs [predicted][true] of all rows, by number or by label, or one such matrix
            for each row, float64[rows, classes, classes]; the class of least expected cost by
            ``predict_proba`` is predicted then, whatever the operating point
        """
        if cost_matrix is not None:
            winners = cheapest(self.predict_proba(X), cost_matrix, self.classes_)
        else:
            values = encoded(self, X)
            winners = self._winners(values, self.tree_.probabilities(values))
        return np.asarray(self.classes_[winners])

    def predict_proba(self, X: Any) -> Floats:
        """Return the class probabilities of each row by Naive Bayes at its leaf.

        Where missing values lead to several leaves these are mixed.
        """
        values = encoded(self, X)
        return self.tree_.probabilities(values)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """Return by how much the second of two classes is more probable than the first.

        After ``at(...)`` the rows of the second class come first: they score 0.5 and half of its
        probability, the others half of it less 0.5. So the score is above zero just where
        ``predict`` gives the second class. With more classes, or only one, return the probability
        of each.
        """
        values = encoded(self, X)
        probabilities = self.tree_.probabilities(values)
        chosen = self.operating_point_ is not None
        winners = partial(self._winners, values, probabilities) if chosen else None
        return leaf_scores(probabilities, probabilities, winners)

    def get_depth(self) -> int:
        """Return the most splits on a path."""
        return self._fitted().max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._fitted().n_leaves

    def to_text(self, *, max_depth: int | None = None, digits: int = 4, head: bool = False) -> str:
        """Return the tree as text, and beneath it the table of each leaf.

        A table has the share of each class, and of each interval or category within each class.
        Attributes with a single interval tell nothing and are left out.

        Parameters
        ----------
        max_depth : number of levels to show; None for all
        digits : significant digits of thresholds and weights
        head : whether lines that say what model, operating point and data it is come first
        """
        text = naive_bayes_text(self._fitted(), self.schema_, max_depth=max_depth, digits=digits)
        return with_origin(self, text) if head else text

    def save(self, path: str | PathLike[str]) -> None:
        """Write this tree to a model file, which ``roctree.load`` reads again.

        Parameters
        ----------
        path : the file; it is replaced when the new one is complete
        """
        self._fitted()
        check_can_be_saved(type(self))
        save(self, path, stacklevel=2)  # type: ignore[arg-type]

    def explore(
        self, path: Any = None, X_test: Any = None, y_test: Any = None, **options: Any
    ) -> Any:
        """Write an interactive page of this tree, or return a widget for notebooks.

        Parameters
        ----------
        path, X_test, y_test, options : as for ``ROCTreeClassifier.explore``
        """
        return explored(self, path, X_test, y_test, options)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _fitted(self) -> NaiveBayesTree:
        check_is_fitted(self, "tree_")
        return self.tree_

    def _dataset(self, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """Read labelled data of the kind that the tree was grown from."""
        return Dataset.encoded(X, y, self.schema_, sample_weight=sample_weight)

    def _chosen_by(self, counts: Any) -> tuple[Scored, str]:
        """Return the cases that an operating point is chosen by, and what they are called."""
        if isinstance(counts, tuple) and len(counts) in (2, 3):
            return Scored.of(self.tree_, self._dataset(*counts)), HELD_OUT
        if not isinstance(counts, str) or counts not in COUNTS:
            raise ParameterError(
                f"counts={shortened(counts)} is not known{nearest(counts, COUNTS)}: give "
                "'training', 'smoothed', or (X, y) of cases held out."
            )
        return self.scored_ if counts == "training" else self.scored_.as_expected(), counts

    def _winners(self, values: Floats, probabilities: Floats) -> NDArray[np.int64]:
        """Return the number of each row's class."""
        point = self.operating_point_
        if point is None:
            return np.asarray(probabilities.argmax(axis=1))
        decision = decision_at(point, self.tree_.nodes)
        return decision.each(values, lambda votes: (probabilities @ votes).argmax(axis=1))
