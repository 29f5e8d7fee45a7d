"""What the page needs of a Naive Bayes tree: nodes, the tables of the leaves, and the answers.

Cases of one leaf differ in their probabilities. So the lines of the page, the segments of its ROC
curve, are not leaves but answers: cases of a leaf with the same probabilities.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
from roctree.models.nbtree.fitted import Scored, cell_conditions
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.report.explorer.split_tree import nodes_of
from roctree.report.explorer.tables import band, feature, numbers
from roctree.tally import Tally

Floats = NDArray[np.float64]

# Beyond so many answers probabilities are rounded, to as many decimals as make them fewer.
_MOST_ANSWERS = 20_000
_DECIMALS = (4, 3, 2, 1)


def naive_bayes_parts(
    estimator: NaiveBayesTreeClassifier, test: Dataset | None
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the attributes that the tree or a model of it looks at, and what the page needs."""
    tree, schema = estimator.tree_, estimator.schema_
    shown = _shown(tree)
    return shown, {
        "kind": "naive_bayes",
        "features": [feature(schema, i) for i in shown.tolist()],
        "tree": nodes_of(tree.nodes, shown),
        "probabilities": _shares(tree.nodes.counts).ravel().tolist(),
        "training": numbers(tree.nodes.counts),
        "test": None if test is None else numbers(Tally.of(tree.nodes, test).parts),
        "models": {"of_nodes": tree.model.tolist(), "tables": _tables(estimator, shown)},
        **_answers(estimator, test),
    }


def _shown(tree: NaiveBayesTree) -> NDArray[np.intp]:
    """The attributes that are tested, or that a model divides into more than one cell."""
    n_cells = np.diff(tree.models.cell_starts).reshape(len(tree.models), -1)
    told = np.asarray((n_cells > 1).any(axis=0))
    told[tree.nodes.feature[~tree.nodes.is_leaf]] = True
    return np.flatnonzero(told)


def _shares(counts: Floats) -> Floats:
    """Shares of the classes at each node as Naive Bayes has them: one more case of each."""
    counted = counts + 1.0
    return np.asarray(counted / counted.sum(axis=1, keepdims=True))


def _tables(estimator: NaiveBayesTreeClassifier, shown: NDArray[np.intp]) -> list[dict[str, Any]]:
    models = estimator.tree_.models
    return [
        {
            "prior": models.prior[model].tolist(),
            "weight": float(models.class_counts[model].sum()),
            "attributes": [
                _attribute(estimator, model, int(number), place)
                for place, number in enumerate(shown)
                if _n_cells(estimator, model, int(number)) > 1
            ],
        }
        for model in range(len(models))
    ]


def _n_cells(estimator: NaiveBayesTreeClassifier, model: int, number: int) -> int:
    cells = estimator.tree_.models.cells(model, number)
    return int(cells.stop - cells.start)


def _attribute(
    estimator: NaiveBayesTreeClassifier, model: int, number: int, place: int
) -> dict[str, Any]:
    """The cells of an attribute in words, and the share of each in each class."""
    models, categories = estimator.tree_.models, estimator.schema_.categories[number]
    cuts = models.cuts_of(model, number)
    return {
        "feature": place,
        "cuts": None if categories is not None else cuts.tolist(),
        "words": _words(cuts, categories),
        "likelihood": models.likelihood[models.cells(model, number)].tolist(),
    }


def _words(cuts: Floats, categories: Any) -> list[str]:
    """What each cell holds, in the signs of the page."""
    if categories is not None:
        return [str(category) for category in categories]
    return [word.replace("<=", "≤") for word in cell_conditions(cuts, None, digits=4)]


def _answers(estimator: NaiveBayesTreeClassifier, test: Dataset | None) -> dict[str, Any]:
    """The answers to training cases, then a sure one for each class, then those to test cases.

    Sure answers have no cases. Python has them too where an operating point is chosen.
    """
    training = estimator.scored_
    tested = None if test is None else Scored.from_cases(estimator.tree_, test)
    found = [training] if tested is None else [training, tested]
    decimals = _decimals([each.scores for each in found])
    if decimals is not None:
        found = [_rounded(each, decimals) for each in found]
    sure = np.eye(training.scores.shape[1])
    nodes = [_leaves(found[0]), np.full(len(sure), -1), *map(_leaves, found[1:])]
    scores = np.concatenate([found[0].scores, sure, *(each.scores for each in found[1:])])
    own = band("test" if found[1:] else "training", found[-1].scores, found[-1].counts)
    return {
        "band": own,
        "rounded": decimals,
        "lines": {
            "node": np.concatenate(nodes).tolist(),
            "scores": scores.ravel().tolist(),
            "training": numbers(found[0].counts),
            "test": numbers(found[1].counts) if found[1:] else None,
        },
    }


def _leaves(scored: Scored) -> NDArray[np.int64]:
    """The leaf of each answer, -1 where a file does not say."""
    return np.full(len(scored.scores), -1) if scored.leaf is None else scored.leaf


def _decimals(tables: list[Floats]) -> int | None:
    """How far to round, so that there are not too many answers; None if there are not."""
    if sum(map(len, tables)) <= _MOST_ANSWERS:
        return None
    for decimals in _DECIMALS:
        if sum(len(np.unique(np.round(table, decimals), axis=0)) for table in tables) <= (
            _MOST_ANSWERS
        ):
            return decimals
    return _DECIMALS[-1]


def _rounded(scored: Scored, decimals: int) -> Scored:
    """The answers with fewer decimals, those that are the same then as one."""
    keys = np.column_stack([np.round(scored.scores, decimals), _leaves(scored)])
    distinct, group = np.unique(keys, axis=0, return_inverse=True)
    counts = np.zeros((len(distinct), scored.scores.shape[1]))
    np.add.at(counts, group.reshape(-1), scored.counts)
    return Scored(distinct[:, :-1], counts, distinct[:, -1].astype(np.int64))
