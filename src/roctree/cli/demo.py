"""``roctree demo`` and ``roctree warm-up``: a first look, and compilation ahead of time."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import numpy as np
import typer
from numpy.typing import NDArray

import roctree
from roctree.arrays import Floats
from roctree.cli.options import command
from roctree.cli.output import Report, ReportTable
from roctree.progress import spinner

if TYPE_CHECKING:
    from roctree import ROCTreeClassifier

LOADING = "Loading the kernels; the first run compiles them"

# Demo: criteria compared on breast-cancer data, a small tree, and its page

PAGE = "roctree-demo.html"
CRITERIA_SHOWN = ("msee", "auc", "gain_ratio", "gini", "hellinger")
MIN_LEAF = 5
MAX_DEPTH = 3
FOLDS = 10


class CriterionScores(NamedTuple):
    """AUC, accuracy and number of leaves of a criterion, for each fold."""

    criterion: str
    auc: Floats
    accuracy: Floats
    n_leaves: Floats


@command()
def demo(
    page: Annotated[str, typer.Option(metavar="FILE", help="HTML page to write.")] = PAGE,
) -> Report:
    """Compare criteria on breast-cancer data, show a tree, and write its interactive page.

    Example:
      roctree demo
    """
    with spinner(LOADING):
        tree = _small_tree()
    outcomes = []
    for criterion in CRITERIA_SHOWN:
        with spinner(f"Cross-validating {criterion}"):
            outcomes.append(_cross_validated(criterion))
    write_demo_page(Path(page))
    title = f"Breast-cancer data, {FOLDS}-fold cross-validation, mean ± deviation"
    head = ("criterion", "AUC", "accuracy", "leaves")
    table = ReportTable(head, list(map(_score_cells, outcomes)), title)
    facts = {outcome.criterion: _mean_scores(outcome) for outcome in outcomes}
    text = tree.to_text()
    invitation = f"\nDrag the costs and watch the leaves relabel: open {page}"
    about = "A small tree grown from all cases:\n"
    return Report({"criteria": facts, "tree": text, "page": page}, [table, about, text, invitation])


@cache
def tumours() -> tuple[Floats, NDArray[Any], tuple[str, ...]]:
    """Return the Wisconsin breast-cancer data: values, labels and attribute names."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return data.data, data.target_names[data.target], tuple(map(str, data.feature_names))


def _small_tree() -> "ROCTreeClassifier":
    """Return a small tree grown from all cases."""
    values, labels, names = tumours()
    tree = roctree.ROCTreeClassifier(max_depth=MAX_DEPTH, min_samples_leaf=MIN_LEAF).fit(
        values, labels
    )
    return _with_names(tree, names)


def _cross_validated(criterion: str) -> CriterionScores:
    """Return the scores of a criterion by cross-validation."""
    from sklearn.model_selection import StratifiedKFold, cross_validate

    values, labels, _ = tumours()
    scores = cross_validate(
        roctree.ROCTreeClassifier(criterion=criterion, min_samples_leaf=MIN_LEAF),
        values,
        labels,
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0),
        scoring=["roc_auc", "accuracy"],
        return_estimator=True,
    )
    n_leaves = [tree.get_n_leaves() for tree in scores["estimator"]]
    return CriterionScores(
        criterion, scores["test_roc_auc"], scores["test_accuracy"], np.array(n_leaves, np.float64)
    )


def write_demo_page(path: Path) -> Path:
    """Write the page of a tree grown from half of the cases and tested on the other half."""
    from sklearn.model_selection import train_test_split

    values, labels, names = tumours()
    X, X_test, y, y_test = train_test_split(
        values, labels, test_size=0.5, stratify=labels, random_state=0
    )
    tree = _with_names(roctree.ROCTreeClassifier(min_samples_leaf=MIN_LEAF).fit(X, y), names)
    title = "Breast cancer: benign or malignant?"
    page: Path = tree.explore(path, X_test, y_test, title=title, unit="tumours")
    return page


def _with_names(tree: "ROCTreeClassifier", names: tuple[str, ...]) -> "ROCTreeClassifier":
    tree.fitted_ = replace(tree.fitted_, schema=replace(tree.schema_, names=names))
    return tree


def _score_cells(outcome: CriterionScores) -> list[str]:
    rates = [f"{rate.mean():.3f} ± {rate.std():.3f}" for rate in (outcome.auc, outcome.accuracy)]
    return [outcome.criterion, *rates, f"{outcome.n_leaves.mean():.1f}"]


def _mean_scores(outcome: CriterionScores) -> dict[str, float]:
    return {
        "auc": float(outcome.auc.mean()),
        "accuracy": float(outcome.accuracy.mean()),
        "leaves": float(outcome.n_leaves.mean()),
    }


# Warm-up

# Large and small nodes use different kernels.
SIZES = (3000, 20)


@command()
def warm_up() -> Report:
    """Compile the kernels ahead of their first use, and show how long it took.

    Example:
      roctree warm-up
    """
    begin = perf_counter()
    with spinner(LOADING):
        compile_kernels()
    seconds = perf_counter() - begin
    return Report({"seconds": seconds}, [f"The kernels are compiled; this took {seconds:.1f} s."])


def compile_kernels() -> None:
    """Compile all kernels, or load them; then fit every kind of model and predict with it."""
    from roctree._jit.ahead import compile_all
    from roctree.criteria import CRITERIA
    from roctree.tree.growth import Missing

    compile_all()
    for n_rows in SIZES:
        numbers = np.random.default_rng(0).random((n_rows, 3))
        labels = numbers[:, 0] > 0.5
        gaps = np.where(numbers < 0.1, np.nan, np.floor(4 * numbers))
        for missing in get_args(Missing):
            _fit_and_predict(numbers, labels, missing=missing)
            _fit_and_predict(gaps, labels, missing=missing, categorical_features=[1])
    for criterion in CRITERIA:
        _fit_and_predict(numbers, labels, criterion=criterion, collapse=True)
    _fit_and_predict(numbers, labels, ranking="soft", growth="whole_tree_auc", max_leaf_nodes=8)
    roctree.MDLDiscretizer().fit(numbers, labels)
    roctree.NaiveBayesTreeClassifier().fit(numbers, labels).predict(numbers)
    roctree.MultiscaleClassifier(pruning="minimum_error").fit(numbers, labels).predict(numbers)


def _fit_and_predict(values: Any, labels: Any, **parameters: Any) -> None:
    tree = roctree.ROCTreeClassifier(**parameters).fit(values, labels)
    tree.predict(values)
    tree.apply(values)
    tree.decision_path(values)
    tree.ranked("leaf").boundary_distance(values)
