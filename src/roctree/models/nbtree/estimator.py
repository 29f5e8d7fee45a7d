"""``NaiveBayesTreeClassifier``: Kohavi's NBTree as a scikit-learn classifier."""

from typing import Any, Self

from roctree.classifier import FittedClassifier, training_data
from roctree.data import CategoricalFeatures, warn_about_training_data
from roctree.fitted import Training
from roctree.models.nbtree.fitted import FittedNaiveBayesTree, FoldUnit, check_parameters
from roctree.models.nbtree.growth import grow_naive_bayes_tree, merge_equal_rows
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.tally import ScoreGroups
from roctree.tree.prediction import apply


class NaiveBayesTreeClassifier(FittedClassifier):
    """A decision tree with a Naive Bayes model at each leaf: Kohavi's NBTree, as Weka grows it.

    A node is split if that avoids enough errors of Naive Bayes in five-fold cross-validation.
    Numbers are cut into intervals at each node, by the method of Fayyad and Irani.

    Parameters
    ----------
    min_samples_split : float, default=30
        Least weight of a node that is split.
    min_error_reduction : float, default=0.05
        Least part of a node's errors that a split must avoid.
    folds : {"rows", "kinds"}, default="rows"
        "rows" assigns rows to the folds of cross-validation by their position, exactly as Weka
        does. With "kinds" equal rows stay together and the tree does not depend on the order of
        rows: a row of weight k is the same as k rows.
    categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
        Which columns are nominal. As in scikit-learn, booleans are numbers unless listed.

    Attributes
    ----------
    fitted_ : FittedNaiveBayesTree
        The fitted model; the attributes below are parts of it.
    tree_ : NaiveBayesTree
        The nodes and the models of the leaves.
    scored_ : ScoreGroups
        Distinct probabilities of the training cases, and their class counts.
    schema_ : Schema
        Names and categories of the columns, and the classes.
    classes_, n_classes_ : array, int
        Class labels in sorted order, and their number.
    training_ : Training
        A summary of the training data.
    operating_point_ : OperatingPoint or None
        What ``at(...)`` has chosen. Its labels and votes are those of ``scored_``, followed by
        those of cases that certainly belong to each class.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> tree = NaiveBayesTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> tree.predict([[2.4], [None]])
    array(['no', 'no'], dtype='<U3')
    >>> tree.at(cost_fp=1, cost_fn=5).predict([[2.4]])
    array(['yes'], dtype='<U3')
    >>> tree.labellings()
    3 labellings, positive class 'yes'
    leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +
           0  0.000  0.000     0.500                        0 to 0.25  0.000 to 0.200
           1  0.000  1.000     1.000                        0.25 to 4  0.200 to 0.800
           2  1.000  1.000     0.500                        4 or more  0.800 to 1.000
    >>> print(tree.to_text())
    A no  (yes 0.50, 6 cases)  [NB 1]
    <BLANKLINE>
    NB 1: 6 cases     no    yes
    class          0.500  0.500
    x0
      <= 3.5       0.800  0.200
      > 3.5        0.200  0.800
    """

    fitted_: FittedNaiveBayesTree

    def __init__(
        self,
        *,
        min_samples_split: float = 30,
        min_error_reduction: float = 0.05,
        folds: FoldUnit = "rows",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.min_samples_split = min_samples_split
        self.min_error_reduction = min_error_reduction
        self.folds = folds
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow; NaN and None are
            missing.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> NaiveBayesTreeClassifier().fit(X, y).get_n_leaves()
        6
        """
        check_parameters(self.get_params(deep=False))
        data = training_data(X, y, sample_weight, self.categorical_features)
        warn_about_training_data(data, stacklevel=2)
        cases = data if self.folds == "rows" else merge_equal_rows(data)
        # If the weights average less than one, the limit counts cases of average weight.
        least = self.min_samples_split * min(1.0, float(cases.weights.sum()) / len(data.weights))
        tree = grow_naive_bayes_tree(cases, least, self.min_error_reduction)
        self.fitted_ = FittedNaiveBayesTree(
            schema=data.schema,
            training=Training.from_target(len(data.labels), y),
            tree=tree,
            scored=ScoreGroups.grouped(
                tree.probabilities(cases.values), cases, apply(tree.nodes, cases.values)
            ),
        )
        return self

    def _model(self) -> FittedNaiveBayesTree:
        super()._model()
        return self.fitted_

    @property
    def tree_(self) -> NaiveBayesTree:
        """The nodes and the models of the leaves."""
        return self._model().tree

    @property
    def scored_(self) -> ScoreGroups:
        """Distinct probabilities of the training cases, and their class counts."""
        return self._model().scored
