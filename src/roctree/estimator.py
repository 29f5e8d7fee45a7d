"""``ROCTreeClassifier``: its parameters, ``fit``, and the methods that only decision trees have.

Methods after ``fit`` forward to :class:`roctree.fitted.FittedTree`; those shared by all classifiers
are in :mod:`roctree.classifier`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from sklearn.base import clone
from sklearn.utils import Bunch, Tags, estimator_html_repr

from roctree import fitting
from roctree.arrays import Floats, Ints
from roctree.classifier import (
    NodeClassifier,
    number_of_threads,
    over_partitions,
    training_data,
)
from roctree.criteria import Criterion
from roctree.data import (
    CategoricalFeatures,
    Dataset,
    as_one_row,
    check_rows_given,
    warn_about_training_data,
)
from roctree.errors import ParameterError
from roctree.export import to_dot, to_onnx, to_rules, to_shap, to_sklearn, to_sql
from roctree.fitted import FittedTree, Training
from roctree.fitting import FitOptions
from roctree.geometry import (
    Boundaries,
    BoundaryReport,
    Changes,
    GeometricProbability,
    MetricChoice,
    Spread,
)
from roctree.large import count_large_data, fit_large_data, open_large_data
from roctree.parameters import (
    ClassWeight,
    GrowthOrder,
    Labels,
    SplitSearch,
    ThresholdPlacement,
    costs_in_class_order,
)
from roctree.points import Points, PointsTable, resolve_points
from roctree.pruning import CostPruningCurve, Pruner, PruningPath, resolve_pruner
from roctree.requests import held_out_cases
from roctree.scorecard import FittedScorecard
from roctree.smoothing import Smoother, resolve_smoother
from roctree.tally import Counted, LeafTable
from roctree.tree.explanation import Explanation
from roctree.tree.growth import Missing, Nominal, Shrinkage
from roctree.tree.text import to_html

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.tree import DecisionTreeClassifier


class ROCTreeClassifier(NodeClassifier[FittedTree]):
    """A decision tree for any number of classes, with nominal attributes and missing values.

    ``smoothed``, ``pruned``, ``ranked`` and ``at`` return a changed copy of a fitted tree without
    refitting. Parameters that are set on a fitted tree take effect at the next fit, except
    ``labels``, ``ranking`` and ``n_jobs``.

    Parameters
    ----------
    criterion : str or Criterion, default="msee"
        Function to measure the quality of a split: a name, or an instance such as
        ``GainRatio(penalty=True)``.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves; ``growth`` determines which splits are kept.
    min_samples_split : int or float, default=2
        Minimum weight of a node to be split. As in scikit-learn, a float up to 1.0 is a fraction of
        all cases, rounded up; other numbers are weights, such as 2.5. If the mean
        sample weight is less than 1, this limit and ``min_samples_leaf`` are in units of it.
    min_samples_leaf : int or float, default=1
        Minimum weight of each branch of a split, or a fraction below 1. In a multiway split, at
        least two branches must have it.
    min_weight_fraction_leaf : float, default=0.0
        Minimum weight of a branch as a fraction of the total weight, both including class weights.
    min_gain : float, default=0.0
        Minimum improvement of the criterion by a split.
    ccp_alpha : float, default=0.0
        Complexity parameter of minimal cost-complexity pruning, as in scikit-learn, which is done
        before ``pruning``. See ``cost_complexity_pruning_path``.
    nominal : {"binary", "multiway", "one_vs_rest"}, default="binary"
        How nominal attributes are split: into two sets of categories, one branch per category, or
        one category against the rest.
    category_shrinkage : "auto", float or None, default="auto"
        Strength of shrinking the class frequencies of categories towards each other when a split
        into two sets is scored, which prevents attributes with many categories from being chosen
        by chance. A number of cases, or "auto" to estimate it for each attribute with more than
        ten categories; None for no shrinkage.
    missing : {"fractional", "category", "branch"}, default="fractional"
        How missing values are handled: "fractional" distributes a case over the branches in
        proportion to their weights, as in C4.5; "category" treats missing as an additional
        category of nominal attributes; "branch" sends all missing values of a split to the branch
        that fits them best.
    categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
        Which columns are nominal. As in scikit-learn, booleans are numbers unless listed.
    threshold : {"midpoint", "observed", "node"}, default="midpoint"
        Position of thresholds: halfway between two adjacent values of the node, at the largest
        value of the training data below that, as in C4.5, or at the lower of the two values.
    growth : {"depth_first", "best_first", "whole_tree_auc"}, default="depth_first"
        Which splits ``max_leaf_nodes`` keeps: "depth_first" and "best_first" keep those with the
        largest gain, "whole_tree_auc" those that increase the AUC of the whole tree most. Each
        split is chosen by ``criterion``.
    collapse : bool, default=False
        Whether to replace subtrees that do not reduce the training error by leaves, as in C4.5.
    c45_numeric_minimum : bool, default=False
        Whether to require that branches of a numeric split have at least a tenth of the mean class
        size, at most 25 cases, as in C4.5.
    pruning : str or Pruner, default="none"
        Pruning method: a name, or an instance such as ``MinimumError(m=2)``.
    smoothing : str or Smoother, default="m_branch"
        Probability estimator: a name, or an instance such as ``MBranch(M="auto")``.
    labels : {"probability", "majority"}, default="probability"
        Whether ``predict`` returns the class with the highest smoothed probability, or the majority
        class of the training cases in the leaf.
    ranking : {"leaf", "local", "global", "soft"}, default="leaf"
        Scores of ``decision_function``: "leaf" uses the probability of the leaf, "local" breaks
        its ties by the distance from the decision boundary, "global" uses the distance alone. With
        "soft", cases near a threshold follow both branches, in ``predict_proba`` too.
    width : float, default=1.0
        Factor of the widths of soft thresholds, which are estimated from the training data.
    metric : {"minmax", "standard"}, scales or dict, default="minmax"
        Scale of attributes in distances: their range, their standard deviation, or a positive
        number per attribute.
    geometric_probability : bool, default=False
        Whether to estimate probabilities from distances to the decision boundary, for two classes
        (experimental).
    points : "linear", "curves", Points or None, default=None
        Scorecard to learn in addition to the tree, such as ``Points(max_attributes=5)``: attributes
        add points to the log-odds of the leaf. It is left empty if it hardly reduces the log-loss
        of held-out cases. With more than 50,000 distinct rows, a sample is used.
    splits : {"exact", "binned"}, default="exact"
        "exact" considers every threshold, "binned" only those between bins of about equal weight,
        for data with many rows. The trees are equal if no column has more distinct values than
        bins.
    max_bins : int, default=255
        Maximum number of bins per column, up to 255.
    class_weight : "balanced", dict or None, default=None
        Weights of classes, which affect splits and ``predict``. Probabilities are not affected.
    n_jobs : int or None, default=None
        Number of threads, as in joblib. It does not affect the tree.

    Attributes
    ----------
    fitted_ : FittedTree
        The fitted model; the attributes below are parts of it.
    training_ : Training
        A summary of the training data.
    tree_ : Tree
        Nodes and class counts.
    schema_ : Schema
        Names and categories of the columns, and the classes.
    classes_, n_classes_ : array, int
        Class labels in sorted order, and their number.
    class_weight_ : array of shape (n_classes,)
    smoothing_, pruning_ : Smoother, Pruner
        The strategies, with "auto" resolved.
    probabilities_ : array of shape (n_nodes, n_classes)
        Smoothed class probabilities; those of inner nodes as if they were leaves.
    spread_ : Spread
        Ranges and standard deviations of the attributes in the training data.
    scale_ : array of shape (n_features,)
        Difference of each attribute that counts as a distance of 1.
    geometric_ : GeometricProbability or None
        The estimate behind ``geometric_probability``.
    points_ : PointsTable or None
        The points of each attribute by value or range and class; None if ``points`` is None.
    divides_cases_ : bool
        Whether missing values divided training cases among leaves.
    positive_class_ : label
        The default positive class: the rarer of two classes in training, the last on ties.
    operating_point_ : OperatingPoint or None
        The operating point chosen by ``at(...)``.
    node_labels_ : array of shape (n_nodes,) or None
        The class of each node after pruning under costs.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.
    n_outputs_ : int
        Always 1.
    feature_importances_ : array of shape (n_features,)
        Share of each column in the improvement of the criterion.

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

    def __init__(  # noqa: PLR0913 - scikit-learn reads the parameters from the signature
        self,
        *,
        criterion: str | Criterion = "msee",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        ccp_alpha: float = 0.0,
        nominal: Nominal = "binary",
        category_shrinkage: Shrinkage = "auto",
        missing: Missing = "fractional",
        categorical_features: CategoricalFeatures = "from_dtype",
        threshold: ThresholdPlacement = "midpoint",
        growth: GrowthOrder = "depth_first",
        collapse: bool = False,
        c45_numeric_minimum: bool = False,
        pruning: str | Pruner = "none",
        smoothing: str | Smoother = "m_branch",
        labels: Labels = "probability",
        ranking: str = "leaf",
        width: float = 1.0,
        metric: MetricChoice = "minmax",
        geometric_probability: bool = False,
        points: str | Points | None = None,
        splits: SplitSearch = "exact",
        max_bins: int = 255,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.ccp_alpha = ccp_alpha
        self.nominal = nominal
        self.category_shrinkage = category_shrinkage
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
        self.points = points
        self.splits = splits
        self.max_bins = max_bins
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow; NaN and None are
            missing. With ``splits="binned"`` also data larger than memory: the path of a Parquet
            file or of a folder of them, an iterator of Arrow batches, a polars LazyFrame, Dask
            collections.
        y : array of shape (n_samples,)
            Labels; for data larger than memory, the name of a column.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0, or the name of a column. A row of weight k counts as k rows.
            Weights that average less than one half, such as weights that sum to 1, are first
            multiplied by a power of two so that they average at least one half. Divide survey
            weights by their mean: as counts of rows they overstate the evidence, which affects
            limits such as ``min_samples_leaf``, smoothing and ``category_shrinkage="auto"``.

        Returns
        -------
        self

        Examples
        --------
        >>> rows = [[1.0, "red"], [2.0, None], [3.0, "blue"], [None, "blue"]]
        >>> ROCTreeClassifier().fit(rows, ["no", "no", "yes", "yes"]).get_n_leaves()
        3
        """
        options = FitOptions.from_parameters(vars(self))
        n_threads = number_of_threads(self.n_jobs)
        large = open_large_data(X, y, sample_weight)
        if large is not None:
            with large as rows:
                self.fitted_ = fit_large_data(rows, options, n_threads)
            return self
        data = training_data(X, y, sample_weight, self.categorical_features, n_threads)
        warn_about_training_data(data, stacklevel=2)
        training = Training.from_target(len(data.labels), y)
        self.fitted_ = fitting.fit(data, options, training, n_threads)
        return self

    def smoothed(
        self,
        smoothing: str | Smoother,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> Self:
        """Return this tree with its probabilities smoothed by another method, without refitting.

        Parameters
        ----------
        smoothing : str or Smoother
            A name, or an instance such as ``MBranch(M=8)``.
        X, y, sample_weight : training cases
            Needed to resolve an option that is "auto", by cross-validation, and for exact rates of
            operating points if missing values or soft thresholds divide cases.
        **options
            Options of the smoother, such as ``M=2``.

        Returns
        -------
        ROCTreeClassifier

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.smoothed("m_estimate", m=2).predict_proba([[1.5]])
        array([[0.75, 0.25]])
        """
        model = self._model()
        check_rows_given(X, y, sample_weight)
        smoother, data = resolve_smoother(smoothing, **options), None
        resolved = smoother
        if X is not None:
            data = self._training_cases(X, y, sample_weight)
            fit_options = FitOptions.from_parameters(vars(self))
            grow, _ = fitting.grower(data, fit_options, self._threads())
            resolved = fitting.select_smoother(smoother, model.pruner, data, fit_options, grow)
        return self._with_model(model.smoothed(resolved, data), smoothing=smoother)

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
    ) -> Self:
        """Return this tree pruned, without refitting; most pruners need only its counts.

        Labels from an earlier pruning under costs are replaced.

        Parameters
        ----------
        pruning : str or Pruner
            A name, or an instance such as ``MinimumError(m=8)``.
        X_val, y_val : cases that did not grow the tree
            For pruners that choose by held-out cases.
        X, y : training cases
            For subtree raising, and for exact rates of operating points if missing values or soft
            thresholds divide cases.
        sample_weight : array of shape (n_samples,)
            Weights of the cases that are given.
        **options
            Options of the pruner, such as ``m=8``. Costs are a dict by class, or a sequence in the
            order of the classes.

        Returns
        -------
        ROCTreeClassifier

        Examples
        --------
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["ill", "well", "ill", "well", "well", "well"])
        >>> tree.get_n_leaves(), tree.pruned("pessimistic").get_n_leaves()
        (4, 1)
        """
        model = self._model()
        check_rows_given(X_val, y_val, None, "X_val")
        check_rows_given(X, y, None if X_val is not None else sample_weight)
        pruner = costs_in_class_order(resolve_pruner(pruning, **options), model.classes)
        validation = None if X_val is None else model.dataset(X_val, y_val, sample_weight)
        training = None if X is None else self._training_cases(X, y, sample_weight)
        resolved, smaller = fitting.prune_again(model.tree, pruner, validation, training)
        other = model.with_pruned(resolved, smaller, training, self._threads())
        return self._with_model(other, pruning=pruner)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the values of ``ccp_alpha`` at which a tree of these cases becomes smaller.

        As in scikit-learn the loss is the mean impurity of the leaves: the Gini index, the entropy
        for ``criterion="entropy"`` and "gain_ratio", the error rate for "error".

        Parameters
        ----------
        X, y : labelled cases
            The cases to grow a tree from, as in ``fit``.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        Bunch
            With ``ccp_alphas``, rising, and ``impurities``, those of the trees.

        Examples
        --------
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> labels = ["ill", "well", "ill", "well", "well", "well"]
        >>> path = ROCTreeClassifier().cost_complexity_pruning_path(rows, labels)
        >>> path.ccp_alphas.round(3), path.impurities.round(3)
        (array([0.   , 0.111, 0.222]), array([0.   , 0.222, 0.444]))
        >>> ROCTreeClassifier(ccp_alpha=0.15).fit(rows, labels).get_n_leaves()
        2
        """
        grown = clone(self).set_params(ccp_alpha=0.0, pruning="none", smoothing="none", points=None)
        grown.fit(X, y, sample_weight)
        options = FitOptions.from_parameters(vars(grown))
        path = fitting.ccp_path(grown.tree_, options, grown.class_weight_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.losses)

    def pruning_path(self) -> PruningPath:
        """Return the nested trees of cost-complexity pruning: alphas, leaves and error rates.

        Returns
        -------
        PruningPath

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
        return self._model().pruning_path()

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
        """Return the errors of this tree pruned under a sequence of cost ratios.

        Parameters
        ----------
        costs : sequence, "all" or None
            Pairs (cost of a miss, cost of a false alarm), or their ratios; None for the 13 pairs of
            Bradley and Lovell; "all" for every tree that some ratio makes, with the ratios at which
            it changes in ``breakpoints`` ("minimum_error" and "error_based" only).
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
        >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
        >>> tree = ROCTreeClassifier().fit(rows, ["ill", "well", "ill", "well", "well", "well"])
        >>> curve = tree.cost_pruning_curve([1, 9], positive="ill", m=2)
        >>> curve
        2 cost ratios, positive class 'ill'
        miss : false alarm    FPR    TPR  leaves    cost  chi2  operating
                     1 : 1  0.000  1.000       4       0     6        yes
                     9 : 1  1.000  1.000       1  0.6667     0
        >>> tree.pruned(curve.for_fnr(0.0).pruner).get_n_leaves()
        4
        """
        model = self._model()
        if X_test is not None and y_test is not None:
            X_test = self._accepted_cases(X_test, y_test, sample_weight)
        return model.cost_pruning_curve(
            costs,
            X_test,
            y_test,
            sample_weight=sample_weight,
            method=method,
            positive=positive,
            **options,
        )

    def ranked(
        self,
        ranking: str,
        *,
        metric: MetricChoice | None = None,
        width: float | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return this tree with another ranking, without refitting.

        Parameters
        ----------
        ranking : {"leaf", "local", "global", "soft"}
        metric, width : see the parameters of the class
            None keeps the current value.
        X, y, sample_weight : training cases
            Needed for "soft" if the tree was not soft before, and for exact rates of operating
            points.

        Returns
        -------
        ROCTreeClassifier

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.ranked("global").decision_function([[1.0], [2.5], [4.5]])
        array([-0.375,  0.   ,  0.5  ])
        """
        model = self._model()
        check_rows_given(X, y, sample_weight)
        changed: dict[str, Any] = {"ranking": ranking}
        changed["width"] = self.width if width is None else width
        FitOptions.from_parameters(vars(self) | changed)
        if metric is not None:
            changed["metric"] = metric
        cases = None if X is None else self._training_cases(X, y, sample_weight)
        other = model.ranked(ranking, metric=metric, width=changed["width"], cases=cases)
        return self._with_model(other, **changed)

    def with_points(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        points: str | Points = "linear",
        **options: Any,
    ) -> Self:
        """Return this tree with points for attributes, without growing it again.

        Parameters
        ----------
        X, y, sample_weight : training cases
            The cases that grew the tree. Trees with the same parameters are fitted to parts of
            them, to obtain the out-of-fold probabilities that the points correct.
        points : {"linear", "curves"} or Points
        **options
            Options of the points, such as ``max_attributes=5``.

        Returns
        -------
        ROCTreeClassifier
            Its ``points_`` is the table; it has no lines if points did not help.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y)
        >>> tree.with_points(X, y, max_attributes=2).points_.to_pandas().attribute.nunique()
        3
        """
        chosen = resolve_points(points, **options)
        if chosen is None:
            raise ParameterError(
                parameter="points",
                value=None,
                reason="is no table of points: give 'linear', 'curves' or Points(...)",
            )
        model = self.without_points()._model()
        if model.calibration is not None:
            raise ParameterError(
                reason="Points are learned for the probabilities of training: call {with_points} "
                "first, then {calibrated}."
            )
        fit_options = FitOptions.from_parameters(vars(self) | {"points": chosen})
        data = self._training_cases(X, y, sample_weight)
        grow, _ = fitting.grower(data, fit_options, self._threads())
        other = fitting.add_points(model, data, fit_options, grow, self._threads())
        if not isinstance(other, FittedScorecard):
            other = other.with_scores(data, self._threads())
        return self._with_model(other, points=chosen)

    def without_points(self) -> Self:
        """Return the tree alone, without its points and without an operating point chosen by them.

        Returns
        -------
        ROCTreeClassifier

        Examples
        --------
        >>> tree = ROCTreeClassifier(points="linear")
        >>> tree.fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"]).without_points().points_ is None
        True
        """
        model = self._model()
        if isinstance(model, FittedScorecard):
            return self._with_model(model.without_points(), points=None)
        return self._with_model(replace(model, points=None), points=None)

    def boundary_distance(self, X: Any, *, boundary: Boundaries = "any") -> Floats:
        """Return the distance of each row to the nearest point with another label.

        If the tree predicts one class only, it is the diagonal of the training data.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.
        boundary : {"any", "one_vs_rest"}
            The distance to any other label, or to each class; for rows of that class the distance
            to any other.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.boundary_distance([[1.0], [2.5], [4.5]])
        array([0.375, 0.   , 0.5  ])
        """
        found = self._model().boundary_distance(X, boundary=boundary, n_threads=self._threads())
        self._check_feature_names(X)
        return found

    def boundary_report(self, X: Any, y: Any, sample_weight: Any = None) -> BoundaryReport:
        """Return how far correct and wrong predictions are from the decision boundary.

        Parameters
        ----------
        X, y : labelled cases, preferably not those that grew the tree
            The cases.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        BoundaryReport

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
        return self._model().boundary_report(X, y, sample_weight, n_threads=self._threads())

    def nearest_change(
        self, X: Any, to: Any = None, *, frozen: Any = (), allowed: Any = None
    ) -> Changes:
        """Return the smallest change of each row that gives it another label.

        A missing value that leaves the label open is filled in at no distance; its ``now`` is None.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.
        to : label
            The requested class; None for any other than the predicted one.
        frozen : sequence of names or indices
            Attributes that cannot change.
        allowed : dict or None
            For some attributes the values they may change to: (least, largest) for numbers, with
            None for no limit, or a list of categories.

        Returns
        -------
        Changes

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> tree.nearest_change([[1.0], [4.5]], to="yes")
        case  label      attribute    now  needed  change  distance
        0     no to yes  x0           1    > 2.5   +1.5    0.375
        1     yes        (no change)                       0
        """
        found = self._model().nearest_change(X, to, frozen=frozen, allowed=allowed)
        self._check_feature_names(X)
        return found

    def leaf_table(self, X: Any = None, y: Any = None, *, sample_weight: Any = None) -> LeafTable:
        """Return a table of the leaves: the cases in them and their probabilities.

        Metrics need nothing else, and take it unpacked. It has a line per leaf, then one per
        case that missing values divide among leaves. Cases may be larger than memory or on a
        cluster: counts of their parts add up, so that metrics computed from them are exact.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory as for ``fit``, or X their tally
            None for the training counts.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        LeafTable
            With ``to_pandas()`` and ``to_polars()``; unpacked, ``probabilities, counts``, arrays of
            shape (n_lines, n_classes).

        Examples
        --------
        >>> from roctree.roc import mauc
        >>> rows, labels = [[1.0], [2.0], [3.0]], ["no", "perhaps", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> mauc(*tree.leaf_table([[1.0], [2.0], [2.0], [3.0]], ["no", "no", "perhaps", "yes"]))
        0.875
        """
        model = self._model()
        return model.leaf_table(self._accepted_cases(X, y, sample_weight), y, sample_weight)

    def tally(self, X: Any, y: Any, sample_weight: Any = None) -> Counted:
        """Return labelled cases counted in the leaves, to be evaluated in many ways.

        ``roc``, ``labellings``, ``at`` and ``confusion`` accept a tally in place of the cases, also
        those of this tree relabelled or smoothed differently. Parts of the data may be counted one
        after the other and joined by ``Tally.joined``.

        Parameters
        ----------
        X, y : labelled cases, also those larger than memory, as for ``fit``
            The cases.
        sample_weight : array of shape (n_samples,)
            Weights of the cases; None for equal weights.

        Returns
        -------
        Tally
            For a tree with points, ``ScoreGroups``: cases grouped by their probabilities.

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> cases = tree.tally([[1.5], [2.5], [2.6]], ["no", "yes", "yes"])
        >>> tree.roc(cases).auc, tree.confusion(cases).tolist()
        (0.75, [[1.0, 1.0], [0.0, 1.0]])
        """
        model = self._model()
        return model.tally(self._accepted_cases(X, y, sample_weight), y, sample_weight)

    @over_partitions
    def apply(self, X: Any) -> Ints:
        """Return the leaf of each row; if a row reaches several, that on the heaviest path.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        array of shape (n_samples,)

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.apply([[1.5], [3.5]])
        array([1, 2])
        """
        found = self._model().apply(X, n_threads=self._threads())
        self._check_feature_names(X)
        return found

    def decision_path(self, X: Any) -> "csr_matrix":
        """Return an indicator matrix of the nodes that each row passes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The cases.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> tree.decision_path([[1.5], [3.5]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        found = self._model().decision_path(X)
        self._check_feature_names(X)
        return found

    def explain(self, x: Any) -> Explanation:
        """Return the leaves that one case reaches, why, and their probabilities, in words.

        Parameters
        ----------
        x : one row
            A table of one row, the values in the order of the columns, or some values by name (a
            dict or a row of a pandas frame); the others are missing.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [5.0]], ["no", "no", "yes", "yes"]
        >>> ROCTreeClassifier(ranking="soft").fit(rows, labels).explain([2.0])
        no: no 0.542, yes 0.458, the mean of 2 leaves
        62.5 % leaf B: no 0.667, yes 0.333 (2 cases)
            x0 = 2: 62.5 % goes to x0 <= 2.5, as the threshold is 0.5 away and soft within 2
        37.5 % leaf A: no 0.333, yes 0.667 (2 cases)
            x0 = 2: 37.5 % goes to x0 > 2.5, as the threshold is 0.5 away and soft within 2
        """
        model = self._model()
        found = model.explain(x)
        if as_one_row(x, model.schema.names) is x:
            self._check_feature_names(x)
        return found

    def plot(self, ax: Any = None, *, max_depth: int | None = None) -> Any:
        """Draw the tree with matplotlib, which the ``plot`` extra installs.

        A leaf shows its letter, its label, its cases, and the probability of the positive class
        or, if there are more than two classes, of the label. Colours stand for labels.

        Parameters
        ----------
        ax : matplotlib axes or None
            Where to draw, with text scaled to fit; None for a new figure of the size of the tree.
        max_depth : int or None
            Number of levels to show; None for all, or for three of a tree of more than 16 leaves.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> [text.get_text() for text in tree.plot().texts]
        ['x0 <= 2.5', 'x0 > 2.5', 'B no: yes 0.30, 2 cases', 'A yes: yes 0.56, 1 case']
        """
        from roctree.report.displays import plot_tree

        return plot_tree(self._model(), ax, max_depth=max_depth)

    def to_rules(self, *, digits: int = 4) -> str:
        """Return a rule per leaf, with label, probabilities and cases.

        Parameters
        ----------
        digits : int
            Significant digits of thresholds and weights.

        Returns
        -------
        str

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> print(tree.to_rules())
        # ROCTreeClassifier(), by roctree ...
        # grown from 3 rows, 1 column, classes 'no', 'yes'
        # 3 nodes, 2 leaves, depth 1; probabilities by MBranch(M=4.0)
        # labels: the most probable class
        if x0 <= 2.5 then B no  (no 0.70, yes 0.30; 2 cases, leaf 1)
        if x0 > 2.5 then A yes  (yes 0.56, no 0.44; 1 case, leaf 2)
        """
        return to_rules(self._described_model(), digits=digits)

    def to_dot(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as a graph in the language of Graphviz.

        Parameters
        ----------
        max_depth : int or None
            Number of levels to show; None for all.
        digits : int
            Significant digits of thresholds and weights.

        Returns
        -------
        str

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> tree.to_dot().splitlines()[0]
        '// ROCTreeClassifier(), by roctree ...'
        """
        return to_dot(self._described_model(), max_depth=max_depth, digits=digits)

    def to_sql(
        self, table: str = "cases", *, keep: Sequence[str] = (), dialect: str | None = None
    ) -> str:
        """Return a SELECT statement for the probabilities, label and leaf of each row of a table.

        Parameters
        ----------
        table : str
            The table, perhaps with its schema: ``"sales.customers"``.
        keep : sequence of str
            Columns to include in the result, such as a key: results of a query have no order, so
            that without a key they cannot be matched to the rows.
        dialect : str or None
            A dialect of sqlglot; None for what SQLite, DuckDB and PostgreSQL share.

        Returns
        -------
        str

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> tree.to_sql("patients").splitlines()[0]
        '-- ROCTreeClassifier(), by roctree ...'
        """
        return to_sql(self._described_model(), table, keep=keep, dialect=dialect)

    def to_onnx(self, *, dtype: Literal["float64", "float32"] = "float64") -> Any:
        """Return an ``onnx.ModelProto`` with the outputs label, probabilities and leaf.

        Parameters
        ----------
        dtype : {"float64", "float32"}
            Type of the numeric inputs.

        Returns
        -------
        onnx.ModelProto

        Examples
        --------
        >>> rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
        >>> tree = ROCTreeClassifier().fit(rows, labels)
        >>> [output.name for output in tree.to_onnx().graph.output]
        ['label', 'probabilities', 'leaf']
        """
        return to_onnx(self._described_model(), dtype=dtype)

    def to_sklearn(self) -> "DecisionTreeClassifier":
        """Return this tree as a fitted ``DecisionTreeClassifier``, for tools that read those.

        Such tools are ``sklearn.tree.plot_tree``, dtreeviz, supertree, treelite and SHAP. The
        result has the same nodes, the same predictions and the smoothed probabilities. A tree that
        it cannot represent raises an error: one with nominal columns or dates, with soft
        thresholds, with cases that missing values divide, or with labels other than the most
        probable class.

        Returns
        -------
        DecisionTreeClassifier

        Notes
        -----
        scikit-learn rounds cases to float32, so that a value within this rounding of a threshold
        may go to the other side. If the training data had no missing values, a missing value goes
        to the heavier branch; with ``missing="branch"`` always to the same one as here.

        Examples
        --------
        >>> from sklearn.tree import export_text
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> print(export_text(tree.to_sklearn()))
        |--- feature_0 <= 2.50
        |   |--- class: no
        |--- feature_0 >  2.50
        |   |--- class: yes
        <BLANKLINE>
        """
        return to_sklearn(self._described_model())

    def to_shap(self) -> dict[str, Any]:
        """Return the dict that ``shap.TreeExplainer`` reads, to explain the probabilities.

        A tree that SHAP cannot represent raises an error: one with nominal columns or dates, with
        soft thresholds, or with cases that missing values divide.

        Returns
        -------
        dict

        Notes
        -----
        Thresholds and cases are compared in float64, as here. If the training data had no missing
        values, a missing value goes to the heavier branch.

        Examples
        --------
        >>> tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> tree.to_shap()["trees"][0]["features"]
        array([ 0, -1, -1], dtype=int32)
        """
        return to_shap(self._described_model())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Distances from the boundary of two classes.
        tags.classifier_tags.multi_class = not self.geometric_probability
        return tags

    def _model(self) -> FittedTree:
        """Return the fitted tree with the current values of ``labels`` and ``ranking``."""
        model = super()._model()
        return model if model.ranking == self.ranking else replace(model, ranking=self.ranking)

    def _threads(self) -> int:
        return number_of_threads(self.n_jobs)

    def _training_cases(self, X: Any, y: Any, sample_weight: Any) -> Dataset:
        """Return training cases that are given again, weighted as in ``fit``."""
        cases = self._model().dataset(X, y, sample_weight)
        if sample_weight is None:
            return cases
        # Unlike ``drop_zero_weight``, this keeps all categories, whose codes the nodes contain.
        return fitting.select_rows(cases, cases.weights > 0.0).scale_light_weights()

    def _accepted_cases(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return data larger than memory as a tally of this tree; other data unchanged."""
        if isinstance(X, Counted):
            return X
        found = count_large_data(self._model(), X, y, sample_weight)
        return X if found is None else found

    def _accepted_counts(self, counts: Any) -> Any:
        """Return held-out cases larger than memory as a tally; others unchanged."""
        if not isinstance(counts, tuple):
            return counts
        cases = held_out_cases(counts)
        found = self._accepted_cases(*cases)
        return found if isinstance(found, Counted) else cases

    def _html_repr(self) -> str:
        """Return scikit-learn's diagram of parameters, and below it the top of the tree."""
        page = str(estimator_html_repr(self))
        if not self.__sklearn_is_fitted__():
            return page
        from roctree.report.displays import preview_svg

        model = self._model()
        return page + preview_svg(model) + to_html(model.tree, model.schema, model.node_predictions)

    @property
    def class_weight_(self) -> Floats:
        """Weight of each class."""
        return self._model().class_weight

    @property
    def spread_(self) -> Spread:
        """Ranges and standard deviations of the attributes."""
        return self._model().spread

    @property
    def scale_(self) -> Floats:
        """How much of each attribute counts as a distance of one."""
        return self._model().scale

    @property
    def geometric_(self) -> GeometricProbability | None:
        """The estimate behind ``geometric_probability``, else None."""
        return self._model().geometric

    @property
    def points_(self) -> PointsTable | None:
        """The table of points; empty if points did not help, None without ``points``."""
        model = self._model()
        if isinstance(model, FittedScorecard):
            return model.points_table
        return None if model.points is None else PointsTable(model.points, model.schema)

    @property
    def divides_cases_(self) -> bool:
        """Whether missing values divided training cases among leaves."""
        return self._model().divides_cases

    @property
    def n_outputs_(self) -> int:
        """Number of outputs: always 1."""
        self._model()
        return 1

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the improvement of the criterion."""
        return self._model().feature_importances
