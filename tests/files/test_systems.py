"""The other systems in files: all they say, and what a file may not say of them."""

import json
import re
import warnings

import numpy as np
import pytest

from roctree import (
    ModelFileError,
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    NotFittedError,
    ParameterError,
    load,
)
from tests.files.models import OWN, SYSTEMS, as_bytes, fitted, from_bytes
from tests.files.test_damage import sealed


def answers(model, X):
    """Everything that a fitted system says about cases, as bytes or text."""
    found = [model.predict(X), model.predict_proba(X), model.decision_function(X)]
    curves = [model.roc(positive=label) for label in model.classes_.tolist()]
    found += [curve.scores for curve in curves]
    texts = [model.to_text(), repr(model.operating_point_), model.get_depth(), model.get_n_leaves()]
    if model.operating_point_ is not None:
        found += [model.operating_point_.labels, model.operating_point_.others]
    if isinstance(model, MultiscaleClassifier):
        found.append(model.apply(X))
    return [(a.dtype, a.tolist() if a.dtype == object else a.tobytes()) for a in found], texts


def change(model):
    """The same system after all that can be done to it without fitting."""
    found = [model.at(cost_matrix=np.triu(np.ones((model.n_classes_,) * 2), 1) * 3 + 1)]
    if isinstance(model, NaiveBayesTreeClassifier):
        return found
    if model.operating_point_ is None or model.operating_point_.counts != "held_out":
        smooth = model.smoothed("m_branch")
        found += [smooth, smooth.pruned("pessimistic")]
        found.append(smooth.pruned("minimum_error", merge_leaves=True))
    return found


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in OWN])
def test_a_loaded_system_does_all_that_the_saved_one_did(name):
    model, X = fitted(name)
    loaded = from_bytes(as_bytes(model))
    assert answers(loaded, X) == answers(model, X)
    for mine, theirs in zip(change(loaded), change(model), strict=True):
        assert answers(mine, X) == answers(theirs, X)


def test_the_tried_trees_are_split_and_the_tried_cells_merged():
    assert fitted("naive bayes")[0].get_n_leaves() > 1
    merged = fitted("cells, pruned and merged")[0]
    assert merged.cells_.n_cells > merged.tree_.n_nodes > 1


@pytest.mark.parametrize("kind", [NaiveBayesTreeClassifier, MultiscaleClassifier])
def test_a_system_is_saved_when_fitted_and_can_be_fitted_again(kind, tmp_path):
    with pytest.raises(NotFittedError):
        kind().save(tmp_path / "model.json")
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind().fit(X, y).save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert (loaded.training_.rows, loaded.n_features_in_) == (4, 1)
    assert loaded.fit(X, y).predict([[4.0]]).tolist() == kind().fit(X, y).predict([[4.0]]).tolist()


def test_loaded_cells_have_no_cases_and_say_so():
    model, X = fitted("cells")
    loaded = from_bytes(as_bytes(model))
    assert model.cases_ is not None
    assert loaded.cases_ is None
    with pytest.raises(ParameterError, match="model files do not contain them"):
        loaded.partial_fit(X, np.zeros(len(X), dtype=int))


def test_a_smoother_of_one_s_own_is_forgotten_with_a_warning(tmp_path):
    model, X = fitted("cells, own smoother")
    with pytest.warns(UserWarning, match="smoothing=jeffreys"):
        model.save(tmp_path / "cells.json")
    loaded = load(tmp_path / "cells.json")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ParameterError, match="not stored"):
        loaded.pruned("pessimistic")


def changed(name, section, **fields):
    document = json.loads(as_bytes(fitted(name)[0]))
    for field, alter in fields.items():
        document[section][field] = alter(document[section][field])
    return sealed(document)


def last(value):
    """A list with another last entry."""
    return lambda items: [*items[:-1], value]


NB, CELLS = "naive bayes", "cells"
WRONG = {
    "a leaf has no model": (NB, "models", {"of_nodes": last(-1)}, "without a model"),
    "a model does not exist": (NB, "models", {"of_nodes": last(99)}, "without a model"),
    "an inner node has a model": (NB, "models", {"of_nodes": lambda n: [0, *n[1:]]}, "inner node"),
    "there are no models": (NB, "models", {"class_counts": lambda _: []}, "has no models"),
    "a list of cuts is missing": (NB, "models", {"cuts": lambda cuts: cuts[1:]}, "is not made of"),
    "cuts are no list": (NB, "models", {"cuts": last(3)}, "is not made of"),
    "cuts descend": (NB, "models", {"cuts": lambda c: [c[0], [2.0, 1.0], *c[2:]]}, "increasing"),
    "a cut is twice": (NB, "models", {"cuts": lambda c: [c[0], [2.0, 2.0], *c[2:]]}, "increasing"),
    "a cut is text": (NB, "models", {"cuts": lambda c: [c[0], ["2"], *c[2:]]}, "than numbers"),
    "categories are cut": (NB, "models", {"cuts": lambda c: [[1.0], *c[1:]]}, "between categories"),
    "a cell has no counts": (NB, "models", {"counts": lambda rows: rows[1:]}, "instead of"),
    "counts are negative": (NB, "models", {"counts": last([-1.0, 1.0])}, "below 0"),
    "counts are huge": (NB, "models", {"counts": last([1e308, 1e308])}, "too large to add up"),
    "scores are no shares": (NB, "scored", {"scores": last([0.5, 0.6])}, "do not add up to 1"),
    "nobody is scored": (
        NB,
        "scored",
        {"scores": lambda _: [], "counts": lambda _: []},
        "no cases",
    ),
    "an answer is of no leaf": (NB, "scored", {"leaves": last(99)}, "number of no leaf"),
    "votes are for other scores": (
        "naive bayes at costs",
        "operating_point",
        {"votes": lambda rows: rows[1:]},
        "votes for other scores",
    ),
    "votes are too few": (
        "naive bayes, held out and by chance",
        "operating_point",
        {"votes": lambda rows: rows[:1], "other_votes": lambda rows: rows[:1]},
        "votes for other scores",
    ),
    "a parameter of trees makes no sense": (
        NB,
        "parameters",
        {"folds": lambda _: "no"},
        "not allowed",
    ),
    "a range ends before it begins": (CELLS, "bounds", {"low": last(1e9)}, "ends before"),
    "a range is missing": (CELLS, "bounds", {"low": lambda low: low[1:]}, "instead of 3"),
    "there are no cells": (CELLS, "cells", {"n_children": lambda _: []}, "is empty"),
    "parts are huge": (
        CELLS,
        "cells",
        {"n_children": lambda n: [2**31 - 1, *n[1:]]},
        "but n_children describes",
    ),
    "a level is too deep": (CELLS, "cells", {"level": lambda n: [32, *n[1:]]}, "more than 32"),
    "a part is no smaller": (CELLS, "cells", {"level": last(0)}, "no smaller than its cell"),
    "a part is elsewhere": (CELLS, "cells", {"corner": last([0, 0, 0])}, "not where its cell is"),
    "parts are out of order": (
        CELLS,
        "cells",
        {"corner": lambda rows: [rows[0], rows[2], rows[1], *rows[3:]]},
        "not in order",
    ),
    "an address is too long": (
        CELLS,
        "cells",
        {"corner": last([0, 0, 2**32])},
        "outside the range of uint32",
    ),
    "a cell has no node": (CELLS, "cells", {"node": last(-1)}, "as the nodes are"),
    "a cell has a far node": (CELLS, "cells", {"node": last(10**6)}, "as the nodes are"),
    "a cell has another's node": (CELLS, "cells", {"node": last(1)}, "as the nodes are"),
    "a leaf has no counts": (CELLS, "nodes", {"counts": lambda rows: rows[1:]}, "instead of"),
    "leaves are huge": (CELLS, "nodes", {"counts": last([1e308] * 3)}, "too large to add up"),
    "a node has one child": (CELLS, "nodes", {"n_children": last(1)}, "single child"),
    "a column of cells has categories": (
        CELLS,
        "schema",
        {"columns": last({"name": "x2", "categories": ["a", "b"]})},
        "only numbers can be halved",
    ),
    "a parameter of cells makes no sense": (
        CELLS,
        "parameters",
        {"max_level": lambda _: 33},
        "from 0 to 32",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_system_s_file_is_refused_with_the_reason_if(what):
    name, section, fields, reason = WRONG[what]
    with pytest.raises(ModelFileError, match=re.escape(reason)):
        from_bytes(changed(name, section, **fields))
