"""The scikit-learn interface shared by all classifiers, which forwards to a fitted model.

A classifier holds its parameters and, once fitted, one frozen model in ``fitted_``. Every
method of a fitted classifier forwards to that model; this module adds what scikit-learn
expects: feature names, ``NotFittedError``, tags, thread counts in the sense of joblib, and rows of
Dask collections.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial, wraps
from os import PathLike
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from roctree import criteria, points, pruning, smoothing
from roctree.arrays import Floats, Ints
from roctree.calibration import Calibration
from roctree.data import CategoricalFeatures, Dataset, Schema, encode_labels
from roctree.errors import DataError, ParameterError
from roctree.files import check_can_be_saved, save
from roctree.fitted import FittedModel, FittedNodes, Training
from roctree.labelling import Labellings, OperatingPoint
from roctree.large import are_batches, is_dask, map_partitions, read_columns, read_tables
from roctree.parameters import Labels, check_parameter
from roctree.prevalence import PriorEstimate
from roctree.pruning import Pruner
from roctree.roc import Curve
from roctree.smoothing import Smoother
from roctree.strategy import configure
from roctree.tally import Counted
from roctree.tree.tree import Tree

Method = TypeVar("Method", bound=Callable[..., Any])
Model = TypeVar("Model", bound=FittedModel)
Nodes = TypeVar("Nodes", bound=FittedNodes)


def training_data(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    n_threads: int = 1,
) -> Dataset:
    """Return the rows of a fit that have a positive weight; light weights are scaled."""
    rows = Dataset.from_data(
        X,
        as_column(y),
        sample_weight=sample_weight,
        categorical_features=categorical_features,
        n_threads=n_threads,
    )
    return rows if sample_weight is None else rows.drop_zero_weight().scale_light_weights()


def as_column(y: Any) -> Any:
    """Return labels as one column, with scikit-learn's warning for a table with one column."""
    if isinstance(y, str):
        raise DataError(
            reason="y is the text {name!r}, not the labels: give X[{name!r}], and X without that "
            "column. y may be a column name only for data larger than memory.",
            name=y,
        )
    if getattr(y, "ndim", 1) != 2 or y.shape[1] != 1:
        return y
    column = column_or_1d(y, warn=True)
    # A masked array keeps its mask.
    return y.reshape(-1) if isinstance(y, np.ndarray) else column


def number_of_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for, as in joblib."""
    check_parameter("n_jobs", n_jobs)  # it may have been set after the fit
    if n_jobs is None:
        return int(effective_n_jobs(None))
    # Counted for threads: joblib's own function returns one in a worker process, which may not
    # start processes.
    return int(n_jobs) if n_jobs > 0 else max(1, _number_of_cores() + 1 + int(n_jobs))


@cache
def _number_of_cores() -> int:
    """Return the number of cores for joblib; cached, because joblib reads files each time."""
    return int(cpu_count())


# Methods that are mapped over partitions: whether the result has one column per class, and its
# type.
_RESULTS: dict[str, Callable[["FittedClassifier[Any]"], tuple[bool, Any]]] = {
    "predict": lambda classifier: (False, classifier._model().possible_labels.dtype),
    "predict_proba": lambda classifier: (True, np.float64),
    "predict_log_proba": lambda classifier: (True, np.float64),
    "decision_function": lambda classifier: (classifier.n_classes_ != 2, np.float64),
    "apply": lambda classifier: (False, np.int64),
}


def over_partitions(method: Method) -> Method:
    """Map a method over the parts of X: lazily for a Dask collection, batch by batch otherwise."""

    @wraps(method)
    def mapped(self: "FittedClassifier[Any]", X: Any, *arguments: Any, **options: Any) -> Any:
        if not is_dask(X):
            if are_batches(X):
                return self._over_batches(lambda rows: method(self, rows, *arguments, **options), X)
            return method(self, X, *arguments, **options)
        per_class, dtype = _RESULTS[method.__name__](self)
        predict = partial(getattr(self, method.__name__), **options)
        return map_partitions(predict, X, arguments, self.n_classes_ if per_class else None, dtype)

    return cast(Method, mapped)


# Parameters that are strategies; their options are nested parameters.
_STRATEGIES: dict[str, Callable[[Any], Any]] = {
    "criterion": criteria.resolve_criterion,
    "pruning": pruning.resolve_pruner,
    "smoothing": smoothing.resolve_smoother,
    "points": points.resolve_points,
}


def strategy_options(parameter: str, value: Any) -> dict[str, Any]:
    """Return the options of a strategy; empty if it is unknown or not a dataclass."""
    try:
        strategy = _STRATEGIES[parameter](value)
    except ParameterError:
        return {}
    if not is_dataclass(strategy) or isinstance(strategy, criteria.CustomCriterion):
        return {}
    return {field.name: getattr(strategy, field.name) for field in fields(strategy)}


class FittedClassifier(ClassifierMixin, BaseEstimator, Generic[Model]):  # type: ignore[misc]
    """Base class of the classifiers: everything available after ``fit``.

    A subclass has the parameters and ``fit``, which sets ``fitted_``, a model of its kind.
    """

    fitted_: Model

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether to add the options of strategies, such as ``smoothing__M``.

        Returns
        -------
        dict

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> ROCTreeClassifier(smoothing="m_branch").get_params()["smoothing__M"]
        4.0
        """
        found: dict[str, Any] = super().get_params(deep=deep)
        for name in _STRATEGIES if deep else ():
            if name in found:
                options = strategy_options(name, found[name])
                found |= {f"{name}__{option}": value for option, value in options.items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including options of strategies such as ``smoothing__M=2``.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        self

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> ROCTreeClassifier().set_params(smoothing__M=2, pruning="minimum_error", pruning__m=4)
        ROCTreeClassifier(pruning=MinimumError(m=4, prior='training', costs=None, leaves='keep'),
                          smoothing=MBranch(M=2))
        """
        options: dict[str, dict[str, Any]] = {}
        for key in [key for key in params if key.partition("__")[0] in _STRATEGIES]:
            name, _, option = key.partition("__")
            if option and name in self._get_param_names():
                options.setdefault(name, {})[option] = params.pop(key)
        super().set_params(**params)
        for name, given in options.items():
            strategy = _STRATEGIES[name](getattr(self, name))
            if strategy is None:
                raise ParameterError(
                    parameter=name,
                    value=None,
                    reason=f"has no options such as {next(iter(given))}: set {{{name}}} too",
                )
            setattr(self, name, configure(strategy, given))
        return self

    def _model(self) -> Model:
        """Return the fitted model, or raise ``NotFittedError``."""
        if "fitted_" not in self.__dict__:
            check_is_fitted(self, "fitted_")
        return self.fitted_

    def _with_model(self, model: Model, **parameters: Any) -> Self:
        """Return a copy of this classifier with another model and some parameters changed."""
        other = copy(self)
        other.fitted_ = model
        for name, value in parameters.items():
            setattr(other, name, value)
        return other

    def _described_model(self) -> Model:
        """Return the model with the parameters of this classifier, for files and exports."""
        return self._model().with_parameters(self.get_params(deep=False))

    def _over_batches(self, predict: Callable[[Any], NDArray[Any]], X: Any) -> NDArray[Any]:
        """Return predictions for rows read in batches; only the columns needed are read."""
        names, point = self.schema_.names, self.operating_point_
        if point is not None and point.chance > 0.0:
            # Randomised labels depend on the position of a row among all rows.
            return predict(read_columns(X, names))
        found = [predict(table) for table in read_tables(X, names)]
        if not found:
            raise DataError("X has no rows: there is nothing to predict.")
        return np.concatenate(found)

    def _threads(self) -> int:
        """Return the number of threads for predictions."""
        return 1

    def _accepted_cases(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return cases in a form that the model accepts: as given, or counted in its leaves."""
        return X

    def _accepted_counts(self, counts: Any) -> Any:
        """Return the basis of an operating point in a form that the model accepts."""
        return counts

    def _check_feature_names(self, X: Any) -> None:
        # Warns if feature names were added or dropped. Different names are an error when encoding.
        validate_data(self, X, reset=False, skip_check_array=True)

    def at(
        self,
        *,
        counts: Any = None,
        positive: Any = None,
        random_state: int = 0,
        **request: Any,
    ) -> Self:
        """Return this classifier relabelled for costs, rates or a threshold, without refitting.

        Probabilities stay the same, ``predict`` follows the new labels, and ``operating_point_``
        describes what was chosen.

        Parameters
        ----------
        counts : "training", "smoothed", (X, y) or (X, y, sample_weight)
            Basis of the choice: training counts, smoothed counts, or held-out cases (also as a
            tally). The default is "training", or "smoothed" for a threshold. If a model gives the
            cases of a leaf different probabilities, or divides cases among leaves, these are the
            cases by probability, and costs are applied to probabilities.
        positive : label
            The positive class; by default ``positive_class_``, the rarer of two. With more than two
            classes it is separated from the rest, and the other leaves are labelled with the most
            frequent of the remaining classes.
        random_state : int
            Seed of the draws, one per row, of randomised labels.
        **request
            One of ``cost_fp`` and ``cost_fn``; ``cost_matrix`` [predicted][true] by index or by
            label; ``max_fpr``; ``min_tpr``; ``beta``; ``threshold``. ``prior`` goes with costs,
            with beta or alone: the share of positives, or one share per class.
            ``randomise=True`` meets a rate exactly. ``cost_reject`` goes with costs, with
            ``prior`` or alone: cases are left undecided where that costs less than any class.
            Their label is "undecided", or None if the classes are not text.

        Returns
        -------
        classifier of the same type

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows = [[1.0], [2.0], [2.0], [3.0], [3.0], [3.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["well", "well", "ill", "ill", "ill", "well"])
        >>> tree.predict([[3.0]]), tree.at(cost_fp=5, cost_fn=1, positive="ill").predict([[3.0]])
        (array(['ill'], dtype='<U4'), array(['well'], dtype='<U4'))
        >>> tree.at(cost_reject=0.4).predict([[1.0], [2.0], [3.0]])
        array(['well', 'undecided', 'ill'], dtype='<U9')
        """
        model, counts = self._model(), self._accepted_counts(counts)
        return self._with_model(
            model.at(counts=counts, positive=positive, random_state=random_state, **request)
        )

    def labellings(
        self,
        *,
        counts: Any = "training",
        positive: Any = None,
        cost_reject: float | None = None,
    ) -> Labellings:
        """Return the labellings of the leaves that are optimal for some costs.

        Parameters
        ----------
        counts : "training", "smoothed", (X, y) or (X, y, sample_weight)
            The cases whose rates are shown.
        positive : label
            The positive class, against all others; by default ``positive_class_``.
        cost_reject : float or None
            Cost of leaving a case undecided, if a false alarm costs 1; None to decide every case.

        Returns
        -------
        Labellings

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> [(row.fpr, row.tpr) for row in tree.labellings()]
        [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
        """
        return self._model().labellings(
            counts=self._accepted_counts(counts), positive=positive, cost_reject=cost_reject
        )

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: leaves in the order of ``predict_proba``, counts of the given data.

        Distances from the decision boundary are not used; to use them, pass the result of
        ``decision_function`` to ``roc.Curve.from_scores``.

        Parameters
        ----------
        X, y : labelled cases, or X their tally
            By default the training counts. For a tree the cases may be larger than memory, as for
            ``fit``.
        positive : label
            The positive class, against all others; by default ``positive_class_``.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        Curve

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.roc([[1.5], [2.5], [2.6]], ["no", "yes", "yes"]).auc
        0.75
        """
        cases = self._accepted_cases(X, y, sample_weight)
        return self._model().roc(cases, y, positive=positive, sample_weight=sample_weight)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class.

        Randomised labels contribute their expected counts. After ``at(cost_reject=...)`` there is
        one more row, of undecided cases.

        Parameters
        ----------
        X, y : labelled cases, or X their tally; for a tree also larger than memory, as for ``fit``
            The cases.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        array of shape (n_classes, n_classes)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.confusion([[1.5], [2.5], [2.6]], ["no", "yes", "yes"])
        array([[1., 1.],
               [0., 1.]])
        """
        cases = self._accepted_cases(X, y, sample_weight)
        return self._model().confusion(cases, y, sample_weight)

    def estimate_prior(
        self,
        X: Any,
        *,
        counts: Any = "smoothed",
        sample_weight: Any = None,
        level: float = 0.95,
        random_state: int = 0,
    ) -> PriorEstimate:
        """Return the class shares of unlabelled cases, with intervals, for ``at(prior=...)``.

        The estimate assumes prior shift: within a class, cases have the same distribution as
        before, and only the class shares differ. The shares are the maximum-likelihood estimate
        from the numbers of cases in the leaves, found by expectation maximisation. The result also
        tests whether the distribution over the leaves differs from that of the labelled cases, and
        whether different shares explain the difference.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Unlabelled cases from the target population.
        counts : "smoothed", "training", (X, y) or (X, y, sample_weight)
            Labelled cases from which the distribution of each class over the leaves is estimated.
            Held-out cases are best, because training cases look easier to separate. "smoothed"
            divides the training cases of a leaf by its probabilities, which is less optimistic.
        sample_weight : array of shape (n_samples,)
            Weights of the unlabelled cases; None for equal weights.
        level : float
            Confidence level of the intervals.
        random_state : int
            Seed of the resampling that the intervals come from.

        Returns
        -------
        PriorEstimate
            A mapping from class to share, with ``intervals`` and ``sentence``.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0]] * 50 + [[2.0]] * 50, (["no"] * 4 + ["yes"]) * 10
        >>> tree = ROCTreeClassifier().fit(rows, labels + ["yes"] * 40 + ["no"] * 10)
        >>> shares = tree.estimate_prior([[1.0]] * 70 + [[2.0]] * 30, counts="training")
        >>> round(shares["yes"], 3)
        0.167
        >>> tree.at(prior=shares).predict([[2.0]])
        array(['no'], dtype='<U3')
        """
        model, counts = self._model(), self._accepted_counts(counts)
        if not are_batches(X):
            found = model.estimate_prior(
                X,
                counts=counts,
                sample_weight=sample_weight,
                level=level,
                random_state=random_state,
            )
            self._check_feature_names(X)
            return found
        parts = (model.encode(table) for table in read_tables(X, self.schema_.names))
        weights = np.zeros(len(model.group_order))
        for rows in parts:
            weights += model.group_weights(rows, np.ones(len(rows)))
        return model.prior_of_groups(weights, counts, level, random_state)

    def calibrated(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, level: float = 0.95
    ) -> Self:
        """Return this classifier with probabilities calibrated on held-out cases, not refitted.

        The probability of a leaf becomes the share of the class among the held-out cases of its
        pool: adjacent leaves are pooled until these shares rise with the probability (isotonic
        regression, the edges of the ROC hull). Leaves that no held-out case reaches are
        interpolated. With more than two classes, each is calibrated against the rest, and the
        results are normalised.

        Parameters
        ----------
        X, y : labelled cases that did not grow the model, or X their tally
            For a tree the cases may be larger than memory, as for ``fit``.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.
        level : float
            Confidence level of the intervals.

        Returns
        -------
        classifier of the same type

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
        >>> rows, labels = [[1.0]] * 4 + [[4.0]] * 4, ["no"] * 3 + ["yes"] * 4 + ["no"]
        >>> other = tree.calibrated(rows, labels)
        >>> other.predict_proba([[1.0], [4.0]])
        array([[0.75, 0.25],
               [0.25, 0.75]])
        >>> other.predict_interval([[4.0]]).round(2)
        array([[[0.05, 0.7 ],
                [0.3 , 0.95]]])
        """
        cases = self._accepted_cases(X, y, sample_weight)
        return self._with_model(
            self._model().calibrated(cases, y, sample_weight=sample_weight, level=level)
        )

    def predict_interval(self, X: Any) -> Floats:
        """Return confidence intervals of the probabilities, after ``calibrated(...)``.

        They are Wilson intervals for the pools of held-out cases, treating the pools as fixed.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples, n_classes, 2)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
        >>> other = tree.calibrated([[1.0]] * 9 + [[4.0]] * 9, ["no"] * 9 + ["yes"] * 9)
        >>> other.predict_interval([[4.0]]).round(2)
        array([[[0. , 0.3],
                [0.7, 1. ]]])
        """
        found = self._model().predict_interval(X)
        self._check_feature_names(X)
        return found

    @over_partitions
    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """Return the predicted class of each row.

        By default this is the most probable class; after ``at(...)``, the label of the leaf at that
        operating point.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.
        cost_matrix : array of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
            Costs [predicted][true], by index or by label, for all rows or for each row. The class
            of least expected cost by ``predict_proba`` is predicted, whatever the operating point.

        Returns
        -------
        array of shape (n_samples,)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.predict([[1.5]]), tree.predict([[1.5]], cost_matrix=[[0, 5], [1, 0]])
        (array(['no'], dtype='<U3'), array(['yes'], dtype='<U3'))
        """
        found = self._model().predict(X, cost_matrix, n_threads=self._threads())
        self._check_feature_names(X)
        return found

    @over_partitions
    def predict_proba(self, X: Any) -> Floats:
        """Return the class probabilities of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples, n_classes)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.predict_proba([[1.5], [3.5], [None]])
        array([[0.75, 0.25],
               [0.25, 0.75],
               [0.5 , 0.5 ]])
        """
        found = self._model().predict_proba(X, n_threads=self._threads())
        self._check_feature_names(X)
        return found

    @over_partitions
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples, n_classes)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.predict_log_proba([[3.0]]).round(3)
        array([[-0.825, -0.577]])
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @over_partitions
    def decision_function(self, X: Any) -> Floats:
        """Return scores that are positive exactly where the second of two classes is predicted.

        The score is the probability of the second class minus that of the first, each multiplied by
        its class weight. If ``predict`` is not based on the probability, as after ``at(...)``, rows
        of the second class come first: they score 0.5 plus half of its probability, the others half
        of it minus 0.5. With one class or more than two the result has a column per class.
        ``ranking`` may add the distance from the decision boundary: that between the classes if
        cases may remain undecided.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.decision_function([[1.5], [3.5]])
        array([-0.5,  0.5])
        """
        found = self._model().decision_function(X, n_threads=self._threads())
        self._check_feature_names(X)
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the proportion of cases that are classified correctly.

        Parameters
        ----------
        X, y : labelled cases; for a tree also larger than memory, as for ``fit``
            The cases. Undecided cases count as errors.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        float

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> tree.score([[1.5], [3.5]], ["no", "no"])
        0.5
        """
        cases = self._accepted_cases(X, y, sample_weight)
        if not isinstance(cases, Counted) and not self._model().abstains:
            encode_labels(y)  # Missing labels are one clear error, as in fit.
            return float(super().score(X, y, sample_weight))
        found = self._model().confusion(cases, y, sample_weight)
        return float(np.trace(found) / found.sum())

    def get_depth(self) -> int:
        """Return the largest number of splits on a path.

        Returns
        -------
        int
            Largest number of splits between the root and a leaf.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.get_depth()
        1
        """
        return self._model().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            Number of leaves.

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.get_n_leaves()
        2
        """
        return self._model().n_leaves

    def to_text(self, *, max_depth: int | None = None, digits: int = 4, head: bool = False) -> str:
        """Return the model as text, with the labels that ``predict`` gives.

        Letters name the leaves in the order of the ranking. The number of a leaf is the probability
        of the positive class if there are two classes, otherwise the probability of the label.

        Parameters
        ----------
        max_depth : int or None
            Number of levels to show; None for all.
        digits : int
            Significant digits of thresholds and weights.
        head : bool
            Whether to begin with lines that describe the model, its operating point and its data.

        Returns
        -------
        str

        Examples
        --------
        >>> from roctree import ROCTreeClassifier
        >>> rows, labels = [[1.0, None], [2.0, 0.0], [3.0, 1.0]], ["no", "yes", "yes"]
        >>> print(ROCTreeClassifier().fit(rows, labels).to_text())
        x0 <= 1.5: A no  (no 0.56, 1 case)
        x0 > 1.5: B yes  (no 0.30, 2 cases)
        """
        text = self._model().to_text(max_depth=max_depth, digits=digits)
        return self._described_model().with_description(text) if head else text

    def save(self, path: str | PathLike[str]) -> None:
        """Write this classifier to a model file, which ``roctree.load`` reads.

        Parameters
        ----------
        path : path-like
            An existing file is replaced once the new one is complete.

        Examples
        --------
        >>> import roctree
        >>> from tempfile import TemporaryDirectory
        >>> tree = roctree.ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> with TemporaryDirectory() as folder:
        ...     tree.save(f"{folder}/tree.json")
        ...     roctree.load(f"{folder}/tree.json").predict([[3.0]])
        array(['yes'], dtype='<U3')
        """
        model = self._described_model()
        check_can_be_saved(type(self))
        save(model, path, stacklevel=2)

    def explore(
        self, path: Any = None, X_test: Any = None, y_test: Any = None, **options: Any
    ) -> Any:
        """Write an interactive page of this classifier and its operating points.

        Without a path, return a widget for notebooks, which needs the ``notebook`` extra. The page
        is one file and loads nothing from the network.

        Parameters
        ----------
        path : path-like or None
            The file to write, such as "tree.html".
        X_test, y_test : test cases to count errors on
            Test cases to count errors on; None for the training counts.
        **options
            ``positive``, the positive class; ``title`` of the page; ``cases``, how many
            test cases the page holds one by one (default 200, 0 for none); ``unit``, what a
            case is in the plural ("people"); ``units`` of features (``{"area": "mm²"}``).

        Returns
        -------
        path of the page, or a widget

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from roctree import ROCTreeClassifier
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> with TemporaryDirectory() as folder:
        ...     tree.explore(f"{folder}/tree.html").name
        'tree.html'
        """
        # Imported here: most users of a tree never open its page.
        from roctree.report.explorer import show_or_write

        return show_or_write(self._model(), path, X_test, y_test, **options)

    @property
    def schema_(self) -> Schema:
        """Names, kinds and categories of the columns, and the classes."""
        return self._model().schema

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels in sorted order."""
        return self.schema_.classes

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return self.schema_.n_classes

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen by ``fit``."""
        return self.schema_.n_features

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns seen by ``fit``; only defined if they had names."""
        if not self.schema_.named:
            raise AttributeError("feature_names_in_ is only defined if the columns have names.")
        return np.array(self.schema_.names, dtype=object)

    @property
    def training_(self) -> Training:
        """A summary of the training data."""
        return self._model().training

    @property
    def positive_class_(self) -> Any:
        """The default positive class: the rarer of two in training, the last on ties.

        None unless there are two classes.
        """
        model = self._model()
        return model.classes.tolist()[model.class_of_interest] if self.n_classes_ == 2 else None

    @property
    def operating_point_(self) -> OperatingPoint | None:
        """What ``at(...)`` has chosen, else None."""
        return self._model().operating_point

    @property
    def calibration_(self) -> Calibration | None:
        """How ``calibrated(...)`` has changed the probabilities, else None."""
        return self._model().calibration

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class NodeClassifier(FittedClassifier[Nodes]):
    """Base of the classifiers whose nodes are pruned and smoothed: trees and cells."""

    labels: Labels

    def _model(self) -> Nodes:
        """Return the fitted model with the current value of ``labels``."""
        model = super()._model()
        if model.labels == self.labels:
            return model
        check_parameter("labels", self.labels)
        return replace(model, labels=self.labels)

    @property
    def tree_(self) -> Tree:
        """Nodes and class counts."""
        return self._model().tree

    @property
    def probabilities_(self) -> Floats:
        """Smoothed class probabilities of all nodes."""
        return self._model().probabilities

    @property
    def smoothing_(self) -> Smoother:
        """The smoother, with "auto" resolved."""
        return self._model().smoother

    @property
    def pruning_(self) -> Pruner:
        """The pruner, with "auto" resolved."""
        return self._model().pruner

    @property
    def node_labels_(self) -> Ints | None:
        """The class that pruning under costs gives each node, else None."""
        return self._model().node_labels
