"""The scikit-learn facade: validate, delegate, set fitted attributes."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from roctree.conventions import encoded, labelled_cases, number_of_threads, set_names
from roctree.criteria import Criterion
from roctree.data import (
    Dataset,
    check_rows_given,
    check_test_cases,
    encode_columns,
    warn_of_identifiers,
)
from roctree.data.case import as_one_row
from roctree.decision import Decision, leaf_scores
from roctree.exploring import explored, picture
from roctree.export import LabelledTree, to_dot, to_onnx, to_rules, to_sql
from roctree.export.common import origin, with_origin
from roctree.files import Training, save
from roctree.geometry import (
    RANKINGS,
    Boundaries,
    Boundary,
    BoundaryReport,
    Changes,
    GeometricProbability,
    Limits,
    cases_needed,
    check_boundary,
    nearest_changes,
    scale_of,
)
from roctree.geometry import scores as geometric_scores
from roctree.growing import growth_of
from roctree.labelling import Labellings, Leaves, OperatingPoint, operating_point
from roctree.large import grow_large, open_large_data, over_partitions, tally_of
from roctree.learning import Learnt, as_ranked, grower, learn, settled_smoother
from roctree.operating import (
    HELD_OUT,
    Wanted,
    cheapest,
    class_number,
    class_of_curve,
    counts_in_parts,
    held_out_cases,
    leaves_of,
    wanted,
    wanted_again,
)
from roctree.parameters import (
    Candidates,
    Labels,
    Order,
    Threshold,
    check_parameter,
    check_parameters,
    with_costs_in_order,
)
from roctree.pruning import (
    CostPruningCurve,
    Path,
    Pruned,
    Pruner,
    cost_complexity_path,
    cost_pruning_curve,
    paper_options,
)
from roctree.pruning import resolve as resolve_pruner
from roctree.roc import Curve
from roctree.selection import pruned_again
from roctree.smoothing import Frequencies, Smoother, probabilities
from roctree.smoothing import resolve as resolve_smoother
from roctree.tally import Tally
from roctree.tree.apply import apply, decision_path, mix
from roctree.tree.explanation import Explanation, by_class, leaf_parts
from roctree.tree.growth import Missing, Nominal
from roctree.tree.passes import importances
from roctree.tree.text import to_html, to_text
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]


class ROCTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree for any number of classes, with nominal attributes and missing values.

    Parameters that are set after a fit wait for the next, but for ``labels``, ``ranking`` and
    ``n_jobs``; ``smoothed``, ``pruned``, ``ranked`` and ``at`` change a tree without one.

    Parameters
    ----------
    criterion : name of a criterion, or a criterion such as ``GainRatio(penalty=True)``
    max_depth : most splits on a path, or None
    max_leaves : most leaves, or None; ``growth`` says which splits are kept
    min_samples_split : least weight of a node that is split
    min_samples_leaf : least weight of a branch; of a nominal split two must have it
    min_weight_fraction_leaf : the same as a share of all weights, times class weights
    min_gain : least improvement of the criterion by a split
    nominal : "binary" for two sets of categories, "multiway" for a branch each, "one_vs_rest"
    missing : "fractional" divides a case with a missing value among the branches, "category"
        takes missing for one more category of a nominal attribute, "branch" sends all missing
        values to the branch where they fit best
    categorical_features : "from_dtype", None, names, column numbers or a boolean mask; as in
        scikit-learn, booleans are numbers where they are not listed or fill a numpy array
    threshold : "midpoint" between two values, or "observed", the largest value below that
    growth : which splits ``max_leaves`` keeps: "depth_first" and "best_first", those that gain
        most; "whole_tree_auc", those that raise the area under the curve of the whole tree
        most, for trees with ``max_leaves`` only. It chooses leaves: how a leaf is split is
        the choice of ``criterion``
    collapse : whether subtrees that err no less than a leaf become one, as in C4.5
    c45_numeric_minimum : whether branches of a threshold need a tenth of the mean class size,
        up to 25 cases, as in C4.5
    pruning : name of a pruner, or a pruner such as ``MinimumError(m=2)``
    smoothing : name of a smoother, or a smoother such as ``MBranch(M="auto")``
    labels : what ``predict`` goes by, the "probability" after smoothing, or the "majority" of the
        training cases in the leaf, as the classic programs do
    ranking : what ``decision_function`` goes by: "leaf", the probability of the leaf, "local", that
        and among equals the distance from the decision boundary, "global", the distance alone;
        with "soft" cases near a threshold go down both branches, in all that is predicted
    width : with "soft", how many times as wide as the training cases suggest thresholds are
    metric : of distances: "minmax" by the ranges of the attributes, "standard" by their standard
        deviations, a positive scale for each attribute, or a dict of them by name
    geometric_probability : whether ``predict_proba`` estimates by the distances of the training
        cases from the boundary, for two classes (experimental)
    splits : "exact" tries every threshold, "binned" those between bins with about equal shares
        of the rows, for data of many rows; the same tree where no column has more values than bins
    max_bins : most bins of a column, at most 255
    class_weight : "balanced", a dict of weights, or None; steers splits and ``predict``, while
        probabilities remain those of the data as given
    n_jobs : number of threads as in joblib; the tree does not depend on it

    Attributes
    ----------
    training_ : Training, what is remembered of the data
    tree_ : Tree, the nodes and their class counts
    schema_ : Schema, names and categories of the columns
    classes_, n_classes_ : class labels in sorted order, and how many
    class_weight_ : weight of each class
    smoothing_, pruning_ : the smoother and the pruner, with what "auto" has come to
    probabilities_ : float64[nodes, classes], smoothed; of inner nodes as if they were leaves
    spread_ : Spread, ranges and standard deviations of the attributes in training
    scale_ : float64[features], how much of an attribute counts as a distance of one
    geometric_ : GeometricProbability, what ``geometric_probability`` has estimated, else None
    divides_cases_ : whether missing values divided training cases among leaves, in parts
    operating_point_ : what ``at(...)`` has chosen, else None
    node_labels_ : int64[nodes], the class that pruning under costs gives each node, else None
    n_features_in_, feature_names_in_ : columns seen by ``fit``; names only if they have any
    n_outputs_ : 1
    feature_importances_ : share of each column in the improvement of the criterion

    Examples
    --------
    >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> tree.predict([[2.4], [None]])
    array(['no', 'no'], dtype='<U3')
    >>> tree.predict_proba([[2.4], [None]]).round(2)
    array([[0.67, 0.33],
           [0.5 , 0.5 ]])
    >>> tree.smoothed("none").predict_proba([[2.4], [None]])
    array([[1. , 0. ],
           [0.5, 0.5]])
    """

    def __init__(  # noqa: PLR0913 - scikit-learn wants parameters as arguments
        self,
        *,
        criterion: str | Criterion = "msee",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        nominal: Nominal = "binary",
        missing: Missing = "fractional",
        categorical_features: Any = "from_dtype",
        threshold: Threshold = "midpoint",
        growth: Order = "depth_first",
        collapse: bool = False,
        c45_numeric_minimum: bool = False,
        pruning: str | Pruner = "none",
        smoothing: str | Smoother = "m_branch",
        labels: Labels = "probability",
        ranking: str = "leaf",
        width: float = 1.0,
        metric: Any = "minmax",
        geometric_probability: bool = False,
        splits: Candidates = "exact",
        max_bins: int = 255,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.nominal = nominal
        self.missing = missing
        self.categorical_features = categorical_features
        self.threshold = threshold
        self.growth = growth
        self.collapse = collapse
        self.c45_numeric_minimum = c45_numeric_minimum
        self.pruning = pruning
        self.smoothing = smoothing
        self.labels = labels
        self.ranking = ranking
        self.width = width
        self.metric = metric
        self.geometric_probability = geometric_probability
        self.splits = splits
        self.max_bins = max_bins
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ROCTreeClassifier":
        """Grow the tree; a row of weight k counts as k rows.

        Parameters
        ----------
        X : array, list of rows, or table of pandas, polars or pyarrow; NaN and None are missing.
            With ``splits="binned"`` also data larger than memory: the path of a Parquet file or of
            a folder of them, an iterator of Arrow batches, a polars LazyFrame, Dask collections
        y : one label per row; of data larger than memory, the name of a column
        sample_weight : one weight per row, at least 0; None for ones; or the name of a column
        """
        check_parameters(self)
        n_threads = number_of_threads(self.n_jobs)
        large = open_large_data(X, y, sample_weight)
        if large is not None:
            with large as data:
                return self._learn(grow_large(self, data, n_threads), data.target)
        cases = labelled_cases(X, y, sample_weight, self.categorical_features)
        warn_of_identifiers(cases, stacklevel=2)
        growth = growth_of(self, cases)
        return self._learn(learn(self, cases, growth, grower(self, growth, n_threads)), y, cases)

    def smoothed(
        self,
        smoothing: str | Smoother,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> "ROCTreeClassifier":
        """Return this tree with its probabilities smoothed in another way; nothing is fitted.

        Parameters
        ----------
        smoothing : name of a smoother, or a smoother
        X, y, sample_weight : the training cases, for an option that is "auto": parts of them grow
            other trees, which tell how much smoothing helps
        options : of the smoother, such as ``M=2``

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.smoothed("m_estimate", m=2).predict_proba([[1.5]])
        array([[0.75, 0.25]])
        """
        self._fitted()
        check_rows_given(X, y, sample_weight)
        smoother = resolve_smoother(smoothing, **options)
        if self.geometric_ is not None:
            raise cases_needed("fit with this smoothing")
        other = copy(self)
        other.smoothing = smoother
        if X is not None:
            cases = self._dataset(X, y, sample_weight)
            grow = grower(self, growth_of(self, cases), self._n_threads())
            smoother = settled_smoother(self, smoother, self.pruning_, cases, grow)
        other.smoothing_ = smoother
        other.probabilities_ = probabilities(smoother, self.tree_)
        return other._at_the_same_point(self.operating_point_)

    def pruned(
        self,
        pruning: str | Pruner,
        *,
        X_val: Any = None,
        y_val: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> "ROCTreeClassifier":
        """Return this tree cut back; most pruners need its counts only, and nothing is fitted.

        Labels that an earlier pruning under costs gave are given anew.

        Parameters
        ----------
        pruning : name of a pruner, or a pruner
        X_val, y_val : cases that did not grow the tree, for pruners that choose by them
        X, y : the training cases, for subtree raising
        sample_weight : weights of whichever cases are given
        options : of the pruner, such as ``m=8``; costs are a dict of classes, or in their order

        Examples
        --------
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["ill", "well", "ill", "well", "well", "well"])
        >>> tree.get_n_leaves(), tree.pruned("pessimistic").get_n_leaves()
        (4, 1)
        """
        tree = self._fitted()
        check_rows_given(X_val, y_val, None, "X_val")
        check_rows_given(X, y, None if X_val is not None else sample_weight)
        pruner = with_costs_in_order(resolve_pruner(pruning, **options), self.classes_)
        validation = None if X_val is None else self._dataset(X_val, y_val, sample_weight)
        training = None if X is None else self._dataset(X, y, sample_weight)
        other = copy(self)
        other.pruning = pruner
        other.pruning_, smaller = pruned_again(tree, pruner, validation, training)
        other._set_tree(smaller)
        other.geometric_ = other._estimated(training) if self.geometric_ is not None else None
        return other._at_the_same_point(self.operating_point_)

    def pruning_path(self) -> Path:
        """Return the nested trees of cost-complexity pruning: prices, leaves and error rates.

        Examples
        --------
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["ill", "well", "ill", "well", "well", "well"])
        >>> path = tree.pruning_path()
        >>> path.n_leaves, path.alphas.round(3)
        (array([4, 2, 1]), array([0.   , 0.083, 0.167]))
        >>> tree.pruned("cost_complexity", alpha=0.1).get_n_leaves()
        2
        """
        return cost_complexity_path(self._fitted())

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
        """Return how this tree errs when pruned under one ratio of costs after another.

        Parameters
        ----------
        costs : pairs of the costs of a miss and of a false alarm, or numbers, the first in terms
            of the second; None for the 13 pairs of Bradley and Lovell
        X_test, y_test : the cases to count errors of; None for the training cases
        sample_weight : of the test cases
        method : "minimum_error", "error_based" or "pessimistic", by name with the paper's m = 8 and
            cf = 0.01
        positive : the positive class; None for the last in ``classes_``
        options : of the pruner, such as ``m=8``

        Examples
        --------
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["ill", "well", "ill", "well", "well", "well"])
        >>> curve = tree.cost_pruning_curve([1, 9], positive="ill", m=2)
        >>> curve
        2 cost ratios, positive class 'ill'
        miss : false alarm    FPR    TPR  leaves    cost  operating
                     1 : 1  0.000  1.000       4       0        yes
                     9 : 1  1.000  1.000       1  0.6667
        >>> tree.pruned(curve.for_fnr(0.0).pruner).get_n_leaves()
        4
        """
        tree, place = self._fitted(), class_number(positive, self.classes_)
        check_test_cases(X_test, y_test)
        pruner = resolve_pruner(method, **paper_options(method, options))
        classes, counts, apart = self.classes_.tolist(), tree.counts, None
        if X_test is not None:
            tally = self._tally(X_test, y_test, sample_weight)
            counts, apart = tally.whole, tally.apart
        curve = cost_pruning_curve(tree, pruner, costs, counts, classes, place, apart=apart)
        return replace(curve, in_parts=X_test is None and self._in_parts("training"))

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the labellings of the leaves that are best for some costs, of two classes.

        Parameters
        ----------
        counts : "training", "smoothed", or (X, y) of cases held out, or their tally
        positive : the positive class; None for the last in ``classes_``

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.labellings()
        3 labellings, positive class 'yes'
        leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +
               0  0.000  0.000     0.667                           only 0      only 0.000
               1  0.000  1.000     1.000                         0 to inf  0.000 to 1.000
               2  1.000  1.000     0.333                         only inf      only 1.000
        """
        self._fitted()
        leaves = self._leaves(counts, class_number(positive, self.classes_))
        return Labellings.from_leaves(leaves, self.classes_, in_parts=self._in_parts(counts))

    def at(
        self,
        *,
        counts: Any = None,
        positive: Any = None,
        random_state: int = 0,
        **request: Any,
    ) -> "ROCTreeClassifier":
        """Return this tree relabelled for costs, rates or a threshold; nothing is fitted.

        Probabilities stay, ``predict`` follows, and ``operating_point_`` says what was chosen. It
        is leaves that are relabelled: with ``geometric_probability`` a threshold is of theirs.

        Parameters
        ----------
        counts : what it is chosen by: "training", "smoothed", or (X, y) of cases held out, with
            weights (X, y, sample_weight), or their tally; None for "training", but "smoothed" for
            a threshold of ``predict_proba``
        positive : the positive class, of two; None for the last in ``classes_``
        random_state : seed of the draws, one for each row, of randomised labels
        request : one of ``cost_fp`` and ``cost_fn``, ``cost_matrix`` [predicted][true] by number or
            by label, ``max_fpr``, ``min_tpr``, ``beta``, ``threshold``; ``prior`` with costs, beta
            or alone, one share for the positives or one for each class; ``randomise=True`` to hit
            a rate exactly

        Examples
        --------
        >>> rows = [[1.0], [2.0], [2.0], [3.0], [3.0], [3.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["well", "well", "ill", "ill", "ill", "well"])
        >>> tree.predict([[3.0]]), tree.at(cost_fp=5, cost_fn=1, positive="ill").predict([[3.0]])
        (array(['ill'], dtype='<U4'), array(['well'], dtype='<U4'))
        """
        self._fitted()
        return self._at(wanted(request, self.classes_, counts, positive, random_state))

    def ranked(
        self,
        ranking: str,
        *,
        metric: Any = None,
        width: float | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> "ROCTreeClassifier":
        """Return this tree with another ranking; it does not grow anew.

        Parameters
        ----------
        ranking : "leaf", "local", "global" or "soft"
        metric, width : as in the parameters; None to keep those there are
        X, y, sample_weight : the training cases, for "soft" where the tree was not soft before

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.ranked("global").decision_function([[1.0], [2.5], [4.5]])
        array([-0.375,  0.   ,  0.5  ])
        """
        self._fitted()
        check_rows_given(X, y, sample_weight)
        if self.geometric_ is not None and (ranking == "soft" or metric is not None):
            raise cases_needed("fit with this ranking and metric")
        other = copy(self)
        other.ranking, other.width = ranking, self.width if width is None else width
        check_parameters(other)
        if metric is not None:
            other.metric, other.scale_ = metric, scale_of(metric, self.spread_, self.schema_)
        cases = None if X is None else self._dataset(X, y, sample_weight)
        other.tree_ = as_ranked(other, self.tree_, cases, self.width)
        if "soft" not in (ranking, self.ranking):
            return other
        return other._at_the_same_point(self.operating_point_)

    def boundary_distance(self, X: Any, *, boundary: Boundaries = "any") -> Floats:
        """Return how far each row is from where another class would be predicted.

        Where the tree has one label only, it is the diagonal of the training cases.

        Parameters
        ----------
        X : rows
        boundary : "any" for the distance from any other label; "one_vs_rest" for that from each
            class, of rows that have it that from any other: float64[rows, classes]

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.boundary_distance([[1.0], [2.5], [4.5]])
        array([0.375, 0.   , 0.5  ])
        """
        check_boundary(boundary)
        return self._distances(encoded(self, X), boundary)

    def boundary_report(self, X: Any, y: Any, sample_weight: Any = None) -> BoundaryReport:
        """Return how far hits and errors are from the boundary, and whether to rank by distance.

        Parameters
        ----------
        X, y : labelled cases, best those that did not grow the tree
        sample_weight : of the cases

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> cases = [[1.0], [2.0], [2.3], [2.8], [4.0]]
        >>> tree.boundary_report(cases, ["no", "no", "yes", "no", "yes"])
                    cases  mean distance
        hits            3  0.2917
        errors          2  0.0625
        lambda 2.72, accuracy 0.600
        Errors lie near the boundary: geometric ranking is likely to help.
        """
        self._fitted()
        cases = self._dataset(X, y, sample_weight)
        right = self._winners(cases.values) == cases.labels
        distances = self._distances(cases.values, "any")
        return BoundaryReport.of(distances, right, cases.weights)

    def nearest_change(
        self, X: Any, to: Any = None, *, frozen: Any = (), allowed: Any = None
    ) -> Changes:
        """Return which attributes would have to change, and how, for each row to be labelled so.

        Parameters
        ----------
        X : rows
        to : the wanted class; None for any other than the predicted
        frozen : attributes that cannot change, by name or number
        allowed : for some attributes what they may change to: (least, largest) of numbers, None for
            no limit, or a list of categories

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.nearest_change([[1.0], [4.5]], to="yes")
        case  label      attribute    now  needed  change  distance
        0     no to yes  x0           1    > 2.5   +1.5    0.375
        1     yes        (no change)                       0
        """
        values, edge = encoded(self, X), self._boundary(self._decision().sure_votes())
        place = None if to is None else class_number(to, self.classes_, "to")
        limits = Limits.of(self.schema_, frozen, {} if allowed is None else allowed)
        return nearest_changes(edge, values, place, limits, self.schema_)

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: cases in the order of ``predict_proba``, leaf by leaf.

        The order is that of training, with its smoothing; of ``smoothed("none")``, it is that of
        the labellings. Distances from the boundary have no part in it: for those, give
        ``decision_function`` to ``roc.Curve.from_scores``.

        Parameters
        ----------
        X, y : labelled cases, or X their tally; None for the training counts
        positive : the class that is positive, against all others; None for the last of two
        sample_weight : of the cases

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.roc([[1.5], [2.5], [2.6]], ["no", "yes", "yes"]).auc
        0.75
        """
        self._fitted()
        place = class_of_curve(positive, self.classes_)
        scores, counts = self.leaf_table(X, y, sample_weight=sample_weight)
        others = counts.sum(axis=1) - counts[:, place]
        curve = Curve.from_leaves(scores[:, place], counts[:, place], others)
        return replace(curve, in_parts=X is None and self._in_parts("training"))

    def leaf_table(
        self, X: Any = None, y: Any = None, *, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return the probabilities of the leaves and the cases in them, all that metrics need.

        Both are float64[lines, classes]: a line for each leaf, and one for each case that missing
        values divide among leaves. Cases may be larger than memory, or on a cluster: the counts of
        their parts add up, so that whatever is made of them is exact.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory, as for ``fit``, or X their tally; None
            for the training counts
        sample_weight : of the cases

        Examples
        --------
        >>> from roctree.roc import mauc
        >>> rows, labels = [[1.0], [2.0], [3.0]], ["no", "perhaps", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> mauc(*tree.leaf_table([[1.0], [2.0], [2.0], [3.0]], ["no", "no", "perhaps", "yes"]))
        0.875
        """
        tree = self._fitted()
        if not isinstance(X, Tally):
            check_rows_given(X, y, sample_weight)
        if X is None:
            return self.probabilities_[tree.leaves], tree.counts[tree.leaves]
        tally = self._tally(X, y, sample_weight)
        return tally.lines(self.probabilities_), tally.counts

    def tally(self, X: Any, y: Any, sample_weight: Any = None) -> Tally:
        """Return labelled cases counted in the leaves, to be judged in many ways at once.

        ``roc``, ``labellings``, ``at`` and ``confusion`` take it in place of the cases, also those
        of this tree relabelled or smoothed in another way. Parts of the data may be counted one
        after the other: ``Tally.joined(parts)`` are all of them.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory, as for ``fit``
        sample_weight : of the cases

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> cases = tree.tally([[1.5], [2.5], [2.6]], ["no", "yes", "yes"])
        >>> tree.roc(cases).auc, tree.confusion(cases).tolist()
        (0.75, [[1.0, 1.0], [0.0, 1.0]])
        """
        self._fitted()
        return self._tally(X, y, sample_weight)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weights of cases by predicted and true class, float64[classes, classes].

        Labels drawn by chance count as often as they are to be expected.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory, or X their tally
        sample_weight : of the cases

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.confusion([[1.5], [2.5], [2.6]], ["no", "yes", "yes"])
        array([[1., 1.],
               [0., 1.]])
        """
        self._fitted()
        return self._decision().confusion(self._tally(X, y, sample_weight))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of cases that are labelled rightly.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory, as for ``fit``
        sample_weight : of the cases
        """
        self._fitted()
        tally = tally_of(self, X, y, sample_weight)
        if tally is not None:
            return self._decision().accuracy(tally)
        return float(super().score(X, y, sample_weight))

    @over_partitions
    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """Return the label of each row: the most probable class of its leaf, by class weight.

        After ``at(...)`` it is the class of the leaf there.

        Parameters
        ----------
        X : rows
        cost_matrix : costs [predicted][true] of all rows, by number or by label, or one such matrix
            for each row, float64[rows, classes, classes]; the class of least expected cost by
            ``predict_proba`` is predicted then, whatever the operating point

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.predict([[1.5]]), tree.predict([[1.5]], cost_matrix=[[0, 5], [1, 0]])
        (array(['no'], dtype='<U3'), array(['yes'], dtype='<U3'))
        """
        if cost_matrix is not None:
            winners = cheapest(self.predict_proba(X), cost_matrix, self.classes_)
        else:
            winners = self._winners(encoded(self, X))
        return np.asarray(self.classes_[winners])

    @over_partitions
    def predict_proba(self, X: Any) -> Floats:
        """Return the class probabilities of each row's leaf, as they are in the data given.

        Where missing values lead to several leaves these are mixed. With ``geometric_probability``
        they are those of training cases about as far from the boundary.

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.predict_proba([[1.5], [3.5], [None]])
        array([[0.75, 0.25],
               [0.25, 0.75],
               [0.5 , 0.5 ]])
        """
        return self._probabilities(encoded(self, X))

    @over_partitions
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @over_partitions
    def decision_function(self, X: Any) -> Floats:
        """Return by how much the second of two classes outweighs the first in each row's leaf.

        Where ``predict`` goes by something else, as after ``at(...)``, pruning under costs or with
        ``labels="majority"``, the rows of the second class come first: they score 0.5 and half of
        its probability, the others half of it less 0.5. So the score is above zero just where
        ``predict`` gives the second class. With more classes, or only one, return the probability
        of each, by class weight. Other values of ``ranking`` score by the distance from the
        decision boundary as well.

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier(smoothing="laplace").fit(rows, labels)
        >>> tree.decision_function([[1.5], [3.5]])
        array([-0.5,  0.5])
        """
        values = encoded(self, X)
        check_parameter("ranking", self.ranking)  # it may have been set after the fit
        if RANKINGS[self.ranking] is not None:
            return self._geometric_scores(values)
        probabilities = self._mixture(values)
        winners = None if self._by_probability() else partial(self._winners, values)
        return leaf_scores(probabilities, probabilities * self.class_weight_, winners)

    @over_partitions
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of each row's leaf; of several, that on the heaviest path.

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.apply([[1.5], [3.5]])
        array([1, 2])
        """
        values = encoded(self, X)
        return apply(self.tree_, values, n_threads=self._n_threads())

    def decision_path(self, X: Any) -> csr_matrix:
        """Return an indicator [rows, nodes] of the nodes that each row passes."""
        values = encoded(self, X)
        return decision_path(self.tree_, values)

    def get_depth(self) -> int:
        """Return the most splits on a path."""
        return self._fitted().max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._fitted().n_leaves

    def to_text(self, *, max_depth: int | None = None, digits: int = 4, head: bool = False) -> str:
        """Return the tree as text, a line for each branch, with the labels that ``predict`` gives.

        The share beside a label is that of its class among the training cases of the leaf.

        Parameters
        ----------
        max_depth : number of levels to show; None for all
        digits : significant digits of thresholds and weights
        head : whether lines that say what model, operating point and data it is come first

        Examples
        --------
        >>> rows, labels = [[1.0, None], [2.0, 0.0], [3.0, 1.0]], ["no", "yes", "yes"]
        >>> print(ROCTreeClassifier().fit(rows, labels).to_text())
        x0 <= 1.5: no  (1.00, 1 case)
        x0 > 1.5: yes  (1.00, 2 cases)
        """
        tree, labels = self._fitted(), self._decision().labels
        text = to_text(tree, self.schema_, max_depth=max_depth, digits=digits, labels=labels)
        return with_origin(self, text) if head else text

    def to_rules(self, *, digits: int = 4) -> str:
        """Return a rule for each leaf, with label, probabilities and cases.

        Parameters
        ----------
        digits : significant digits of thresholds and weights

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> print(tree.to_rules())
        # ROCTreeClassifier(), by roctree ...
        # grown from 3 rows, 1 column, classes 'no', 'yes'
        # 3 nodes, 2 leaves, depth 1; probabilities by MBranch(M=4.0)
        # labels: the most probable class
        if x0 <= 2.5 then no  (no 0.70, yes 0.30; 2 cases, leaf 1)
        if x0 > 2.5 then yes  (yes 0.56, no 0.44; 1 case, leaf 2)
        """
        return to_rules(self._exported(), digits=digits)

    def to_dot(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as a graph in the language of Graphviz.

        Parameters
        ----------
        max_depth : number of levels to show; None for all
        digits : significant digits of thresholds and weights
        """
        return to_dot(self._exported(), max_depth=max_depth, digits=digits)

    def to_sql(
        self, table: str = "cases", *, keep: Sequence[str] = (), dialect: str | None = None
    ) -> str:
        """Return a SELECT of probabilities, label and leaf of each row of a table.

        Parameters
        ----------
        table : where the rows are, perhaps with its schema, ``"sales.customers"``
        keep : columns to hand on, such as a key
        dialect : as sqlglot spells it; None for what SQLite, DuckDB and PostgreSQL share
        """
        return to_sql(self._exported(), table, keep=keep, dialect=dialect)

    def to_onnx(self, *, dtype: Literal["float64", "float32"] = "float64") -> Any:
        """Return an ``onnx.ModelProto`` with the outputs label, probabilities and leaf.

        Parameters
        ----------
        dtype : of the numbers that come in
        """
        return to_onnx(self._exported(), dtype=dtype)

    def save(self, path: str | PathLike[str]) -> None:
        """Write this tree to a model file, which ``roctree.load`` reads again.

        Parameters
        ----------
        path : the file; it is replaced when the new one is complete
        """
        self._fitted()
        save(self, path, stacklevel=2)

    def _exported(self) -> LabelledTree:
        return LabelledTree(
            self._fitted(),
            self.schema_,
            self.probabilities_,
            self._decision().votes,
            self.operating_point_,
            origin(self),
            self.geometric_ is not None,
        )

    def explore(
        self, path: Any = None, X_test: Any = None, y_test: Any = None, **options: Any
    ) -> Any:
        """Write an interactive page of this tree and its operating points; return the file's path.

        Without a path return a widget for notebooks, which needs ``pip install '.[notebook]'``.
        The page is one file and asks nothing of the network.

        Parameters
        ----------
        path : the file to write, such as "tree.html"
        X_test, y_test : cases that did not grow the tree, to count errors on
        options : ``positive``, the class of interest; ``title`` of the page; ``cases``, how many
            test cases the page may hold one by one, 0 for none, 200 if not given
        """
        return explored(self, path, X_test, y_test, options)

    def explain(self, x: Any) -> Explanation:
        """Return which leaves a case reaches and why, and what they make of it, in words.

        Parameters
        ----------
        x : a table of one row, its values in the order of the columns, or some by name, as a dict
            or a row of a pandas frame; the others are missing

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"]
        >>> ROCTreeClassifier(ranking="soft").fit(rows, labels).explain([2.0])
        no: no 0.542, yes 0.458, the mean of 2 leaves
        62.5 % leaf 1: no 0.667, yes 0.333 (2 cases)
            x0 = 2: 62.5 % goes to x0 <= 2.5, for the threshold is 0.5 away and soft within 2
        37.5 % leaf 2: no 0.333, yes 0.667 (2 cases)
            x0 = 2: 37.5 % goes to x0 > 2.5, for the threshold is 0.5 away and soft within 2
        """
        self._fitted()
        row = as_one_row(x, self.schema_.names)
        values = encoded(self, x) if row is x else encode_columns(row, self.schema_)
        leaves = leaf_parts(self.tree_, values, self.probabilities_, self.schema_)
        label, shares = self.classes_[self._winners(values)[0]], self._probabilities(values)[0]
        return Explanation(label, by_class(shares, self.schema_), leaves)

    @property
    def feature_importances_(self) -> Floats:
        """The improvement of the criterion at the splits of each column, as shares of the total."""
        return importances(self._fitted(), self.n_features_in_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _html_repr(self) -> str:
        """Return scikit-learn's page of parameters, and beneath it the top of the tree."""
        page = str(estimator_html_repr(self))
        if not hasattr(self, "tree_"):
            return page
        labels = self._decision().labels
        return page + picture(self, labels) + to_html(self.tree_, self.schema_, labels)

    def _learn(self, learnt: Learnt, y: Any, cases: Dataset | None = None) -> "ROCTreeClassifier":
        """Take over a fit that has succeeded; one that fails leaves the one before as it was."""
        other = copy(self)
        other._set_fitted(learnt, y, cases)
        self.__dict__ = other.__dict__
        return self

    def _set_fitted(self, learnt: Learnt, y: Any, cases: Dataset | None) -> None:
        set_names(self, learnt.schema)
        self.n_outputs_, self.training_ = 1, Training.of(learnt.n_rows, y)
        self.class_weight_, self.divides_cases_ = learnt.class_weight, learnt.divides_cases
        self.spread_, self.scale_ = learnt.spread, learnt.scale
        self.pruning_, self.smoothing_ = learnt.pruner, learnt.smoother
        self._set_tree(learnt.pruned)
        self.geometric_ = self._estimated(cases) if self.geometric_probability else None

    def _set_tree(self, pruned: Pruned) -> None:
        self.tree_, self.node_labels_ = pruned.tree, pruned.labels
        self.operating_point_: OperatingPoint | None = None
        self.probabilities_ = probabilities(self.smoothing_, pruned.tree)

    def _fitted(self) -> Tree:
        check_is_fitted(self, "tree_")
        return self.tree_

    def _at(self, asked: Wanted) -> "ROCTreeClassifier":
        leaves = self._leaves(asked.counts, asked.positive)
        name = asked.counts if isinstance(asked.counts, str) else HELD_OUT
        in_parts = self._in_parts(asked.counts)
        other = copy(self)
        other.operating_point_ = operating_point(
            leaves, asked.labeller, self.tree_.n_nodes, name, asked.seed, in_parts=in_parts
        )
        return other

    def _in_parts(self, counts: Any) -> bool:
        return counts_in_parts(counts, self.tree_, self.divides_cases_)

    def _at_the_same_point(self, before: OperatingPoint | None) -> "ROCTreeClassifier":
        """Return this tree, just pruned or smoothed, with what was asked of it before."""
        return self if before is None else self._at(wanted_again(before))

    def _leaves(self, counts: Any, positive: int) -> Leaves:
        if isinstance(counts, tuple):
            counts = self._tally(*held_out_cases(counts))
        elif isinstance(counts, Tally):
            counts = counts.of_tree(self.tree_)
        frequencies = Frequencies()(self.tree_)
        return leaves_of(self.tree_, self.probabilities_, frequencies, counts, positive)

    def _tally(self, X: Any, y: Any = None, sample_weight: Any = None) -> Tally:
        if isinstance(X, Tally):
            return X.of_tree(self.tree_)
        found = tally_of(self, X, y, sample_weight)
        return found or Tally.of(self.tree_, self._dataset(X, y, sample_weight))

    def _dataset(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """Read labelled data of the kind that the tree was grown from."""
        return Dataset.encoded(X, y, self.schema_, sample_weight=sample_weight)

    def _probabilities(self, values: Floats) -> Floats:
        probabilities = self._mixture(values)
        if self.geometric_ is None:
            return probabilities
        return self.geometric_(values, probabilities, self._n_threads())

    def _mixture(self, values: Floats) -> Floats:
        return mix(self.tree_, values, self.probabilities_, n_threads=self._n_threads())

    def _winners(self, values: Floats) -> NDArray[np.int64]:
        """Return the number of each row's class."""
        return self._decision().winners(values, self._n_threads())

    def _decision(self) -> Decision:
        return Decision.of(self.tree_, self.operating_point_, self._usual_votes)

    def _by_probability(self) -> bool:
        """Return whether ``predict`` follows ``predict_proba``."""
        relabelled = self.operating_point_ is not None or self.node_labels_ is not None
        return not relabelled and self.labels == "probability"

    def _distances(self, values: Floats, kind: Boundaries) -> Floats:
        """Return how far rows are from the boundary, or from that of each class."""
        n_threads = self._n_threads()
        return self._decision().each(
            values, lambda votes: self._boundary(votes).distances(values, kind, n_threads)
        )

    def _geometric_scores(self, values: Floats) -> Floats:
        known = values, self.probabilities_, self.class_weight_, self._n_threads()
        return self._decision().each(
            values, lambda votes: geometric_scores(self.ranking, self._boundary(votes), *known)
        )

    def _boundary(self, votes: Floats) -> Boundary:
        known = self.scale_, self.spread_, self.schema_.nominal
        return Boundary.of(self.tree_, votes, *known)

    def _estimated(self, dataset: Dataset | None) -> GeometricProbability:
        if dataset is None:
            raise cases_needed("give X and y to pruned")
        known = dataset.values, dataset.labels, dataset.weights
        return GeometricProbability.of(
            self._boundary(self._decision().votes), *known, self._n_threads()
        )

    def _usual_votes(self) -> Floats:
        """Return what each leaf says for each class where no operating point was chosen."""
        if self.node_labels_ is not None:
            return np.eye(self.n_classes_)[self.node_labels_]
        by_majority = self.labels == "majority"
        shares = Frequencies()(self.tree_) if by_majority else self.probabilities_
        return np.asarray(shares * self.class_weight_)

    def _n_threads(self) -> int:
        return number_of_threads(self.n_jobs)
