"""The scikit-learn side of the classifiers: verbs, conventions, and forwarding to a fitted model.

A classifier holds its parameters and, once fitted, one frozen model in ``fitted_``. Every
method of a fitted classifier forwards to that model; this module adds what scikit-learn
expects: feature names, ``NotFittedError``, tags, thread counts in the sense of joblib, and rows of
Dask collections.
"""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from os import PathLike
from typing import Any, Self, TypeVar, cast

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from roctree.data import Dataset, Schema
from roctree.files import check_can_be_saved, save
from roctree.fitted import FittedModel, Training
from roctree.labelling import Labellings, OperatingPoint
from roctree.large import is_dask, map_partitions
from roctree.parameters import check_parameter
from roctree.roc import Curve

Floats = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., Any])


def training_data(
    X: Any, y: Any, sample_weight: Any = None, categorical_features: Any = "from_dtype"
) -> Dataset:
    """Return the rows of a fit that have a positive weight."""
    return Dataset.from_data(
        X, as_column(y), sample_weight=sample_weight, categorical_features=categorical_features
    ).drop_zero_weight()


def as_column(y: Any) -> Any:
    """Return labels as one column, with scikit-learn's warning if they are a table of one."""
    if getattr(y, "ndim", 1) != 2 or y.shape[1] != 1:
        return y
    column = column_or_1d(y, warn=True)
    # A masked array keeps its mask.
    return y.reshape(-1) if isinstance(y, np.ndarray) else column


def number_of_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for, as joblib counts them."""
    check_parameter("n_jobs", n_jobs)  # it may have been set after the fit
    if n_jobs is None:
        return int(effective_n_jobs(None))
    # Count threads: inside a worker process, which may not start processes, joblib counts one.
    with parallel_config(backend="threading"):
        return int(effective_n_jobs(n_jobs))


# Results of methods that are mapped over partitions: whether one column per class, and the type.
_RESULTS: dict[str, Callable[[Any], tuple[bool, Any]]] = {
    "predict": lambda self: (False, self.classes_.dtype),
    "predict_proba": lambda self: (True, np.float64),
    "predict_log_proba": lambda self: (True, np.float64),
    "decision_function": lambda self: (self.n_classes_ != 2, np.float64),
    "apply": lambda self: (False, np.int64),
}


def over_partitions(method: Method) -> Method:
    """Map a method lazily over the partitions of X if X is a Dask collection."""

    @wraps(method)
    def mapped(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if not is_dask(X):
            return method(self, X, *arguments, **options)
        per_class, dtype = _RESULTS[method.__name__](self)
        predict = partial(getattr(self, method.__name__), **options)
        return map_partitions(predict, X, arguments, self.n_classes_ if per_class else None, dtype)

    return cast(Method, mapped)


class FittedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers: everything that can be asked after ``fit``.

    A subclass has the parameters and ``fit``, which sets ``fitted_``.
    """

    fitted_: FittedModel

    def _model(self) -> FittedModel:
        """Return the fitted model, or raise ``NotFittedError``."""
        if "fitted_" not in self.__dict__:
            check_is_fitted(self, "fitted_")
        return self.fitted_

    def _with_model(self, model: FittedModel, **parameters: Any) -> Self:
        """Return a copy of this classifier with another model and some parameters changed."""
        other = copy(self)
        other.fitted_ = model
        for name, value in parameters.items():
            setattr(other, name, value)
        return other

    def _described_model(self) -> FittedModel:
        """Return the model with the parameters of this classifier, for files and descriptions."""
        return self._model().with_parameters(self.get_params(deep=False))

    def _threads(self) -> int:
        """Return the number of threads for predictions."""
        return 1

    def _counts(self, counts: Any) -> Any:
        """Return what an operating point is chosen by, as the model takes it."""
        return counts

    def _counted(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return cases as the model takes them: as given, or counted in its leaves."""
        return X

    def _check_feature_names(self, X: Any) -> None:
        # Warns if feature names were added or dropped. Names that differ are an error of encoding.
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
            What the point is chosen by: training counts, smoothed counts, or held-out cases (also
            as a tally). The default is "training", or "smoothed" for a threshold.
        positive : label
            The positive class of two; by default the last in ``classes_``.
        random_state : int
            Seed of the draws, one per row, of randomised labels.
        **request
            One of ``cost_fp`` and ``cost_fn``; ``cost_matrix`` [predicted][true] by index or by
            label; ``max_fpr``; ``min_tpr``; ``beta``; ``threshold``. ``prior`` goes with costs,
            with beta or alone: the share of positives, or one share per class.
            ``randomise=True`` meets a rate exactly.

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
        """
        model, counts = self._model(), self._counts(counts)
        return self._with_model(
            model.at(counts=counts, positive=positive, random_state=random_state, **request)
        )

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the labellings of the leaves that are optimal for some costs, for two classes.

        Parameters
        ----------
        counts : "training", "smoothed", (X, y) or (X, y, sample_weight)
            Whose rates are shown.
        positive : label
            The positive class; by default the last in ``classes_``.

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
        return self._model().labellings(counts=self._counts(counts), positive=positive)

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: leaves in the order of ``predict_proba``, counts of the given data.

        Distances from the decision boundary play no part: for those, pass ``decision_function`` to
        ``roc.Curve.from_scores``.

        Parameters
        ----------
        X, y : labelled cases, or X their tally
            By default the training counts. For a tree the cases may be larger than memory, as for
            ``fit``.
        positive : label
            The class that is positive, against all others; by default the last of two.
        sample_weight : array of shape (n_samples,)

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
        cases = self._counted(X, y, sample_weight)
        return self._model().roc(cases, y, positive=positive, sample_weight=sample_weight)

    @over_partitions
    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """Return the predicted class of each row.

        By default this is the most probable class, after ``at(...)`` the label of the leaf there.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
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

        Returns
        -------
        array of shape (n_samples, n_classes)
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
        ``ranking`` may add the distance from the decision boundary.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

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

    def get_depth(self) -> int:
        """Return the largest number of splits on a path."""
        return self._model().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._model().n_leaves

    def to_text(self, *, max_depth: int | None = None, digits: int = 4, head: bool = False) -> str:
        """Return the model as text, with the labels that ``predict`` gives.

        The share beside a label is that of its class among the training cases of the leaf.

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
        x0 <= 1.5: no  (1.00, 1 case)
        x0 > 1.5: yes  (1.00, 2 cases)
        """
        text = self._model().to_text(max_depth=max_depth, digits=digits)
        return self._described_model().with_description(text) if head else text

    def save(self, path: str | PathLike[str]) -> None:
        """Write this classifier to a model file, which ``roctree.load`` reads.

        Parameters
        ----------
        path : path-like
            An existing file is replaced once the new one is complete.
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
        **options
            ``positive``, the positive class; ``title`` of the page; ``cases``, how many
            test cases the page holds one by one (default 200, 0 for none).

        Returns
        -------
        path of the page, or a widget
        """
        # Imported here: most users of a tree never open its page.
        from roctree.report.explorer import explore

        return explore(self._model(), path, X_test, y_test, **options)

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
    def operating_point_(self) -> OperatingPoint | None:
        """What ``at(...)`` has chosen, else None."""
        return self._model().operating_point

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
