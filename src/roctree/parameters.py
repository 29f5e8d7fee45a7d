"""The parameters of ``ROCTreeClassifier``: defaults, allowed values, and what they resolve to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.data import LARGEST_TOTAL_WEIGHT, SMALLEST_LARGEST_WEIGHT
from roctree.errors import ParameterError
from roctree.geometry import RANKINGS
from roctree.pruning import Pruner, PrunesUnderCosts
from roctree.strategy import configure, is_finite_number, is_integer, keyed_by_label
from roctree.text import did_you_mean
from roctree.tree.bins import MAX_BINS
from roctree.tree.growth import Missing, Nominal

ThresholdPlacement = Literal["midpoint", "observed", "node"]
GrowthOrder = Literal["depth_first", "best_first", "whole_tree_auc"]
Labels = Literal["probability", "majority"]
SplitSearch = Literal["exact", "binned"]
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
# A weight that is smaller than another by this factor is lost in the rounding of their sum.
MAX_WEIGHT_RATIO = 1e12

# Repeated in the signature of ``ROCTreeClassifier``, which scikit-learn inspects; a test compares
# both. Needed here to describe models without importing scikit-learn.
DEFAULTS: Mapping[str, Any] = {
    "criterion": "msee",
    "max_depth": None,
    "max_leaf_nodes": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "min_gain": 0.0,
    "ccp_alpha": 0.0,
    "nominal": "binary",
    "category_shrinkage": "auto",
    "missing": "fractional",
    "categorical_features": "from_dtype",
    "threshold": "midpoint",
    "growth": "depth_first",
    "collapse": False,
    "c45_numeric_minimum": False,
    "pruning": "none",
    "smoothing": "m_branch",
    "labels": "probability",
    "ranking": "leaf",
    "width": 1.0,
    "metric": "minmax",
    "geometric_probability": False,
    "points": None,
    "splits": "exact",
    "max_bins": 255,
    "class_weight": None,
    "n_jobs": None,
}


@dataclass(frozen=True)
class Rule:
    """A test of a value, and a description of the values that pass it.

    Parameters
    ----------
    expected : str
        The values that pass, as a template of ``roctree.errors``; ``{none!r}``, ``{true!r}`` and
        ``{false!r}`` stand for these values.
    accepts : callable
        Whether a value passes.
    names : tuple of str
        The values that pass, if they are names.
    """

    expected: str
    accepts: Callable[[Any], bool]
    names: tuple[str, ...] = ()


def _integer_from(least: int) -> Rule:
    return Rule(
        f"an integer of at least {least}, or {{none!r}}",
        lambda value: value is None or (is_integer(value) and value >= least),
    )


def one_of(choices: Iterable[str]) -> Rule:
    """Return the rule of a parameter that is one of some names."""
    names = tuple(choices)
    return Rule(
        _either([repr(name) for name in names]),
        lambda value: isinstance(value, str) and value in names,
        names,
    )


def _either(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


_NOT_NEGATIVE = Rule("a number of at least 0", lambda value: is_finite_number(value) and value >= 0)
_FLAG = Rule("{true!r} or {false!r}", lambda value: isinstance(value, bool | np.bool_))

RULES: dict[str, Rule] = {
    "max_depth": _integer_from(0),
    "max_leaf_nodes": _integer_from(1),
    "min_samples_split": _NOT_NEGATIVE,
    "min_samples_leaf": Rule(
        "a number above 0", lambda value: is_finite_number(value) and value > 0
    ),
    "min_weight_fraction_leaf": Rule(
        "a number from 0 to 0.5", lambda value: is_finite_number(value) and 0 <= value <= 0.5
    ),
    "min_gain": _NOT_NEGATIVE,
    "ccp_alpha": _NOT_NEGATIVE,
    "nominal": one_of(get_args(Nominal)),
    "category_shrinkage": Rule(
        "'auto', a number of at least 0, or {none!r}",
        lambda value: value is None or _is(value, "auto") or _NOT_NEGATIVE.accepts(value),
        ("auto",),
    ),
    "missing": one_of(get_args(Missing)),
    "threshold": one_of(get_args(ThresholdPlacement)),
    "growth": one_of(get_args(GrowthOrder)),
    "collapse": _FLAG,
    "c45_numeric_minimum": _FLAG,
    "labels": one_of(get_args(Labels)),
    "ranking": one_of(RANKINGS),
    "width": _NOT_NEGATIVE,
    "geometric_probability": _FLAG,
    "splits": one_of(get_args(SplitSearch)),
    "max_bins": Rule(
        f"an integer from 2 to {MAX_BINS}",
        lambda value: is_integer(value) and 2 <= value <= MAX_BINS,
    ),
    "class_weight": Rule(
        "'balanced', weights by class such as {example!r}, or {none!r}",
        lambda value: value is None or isinstance(value, Mapping) or _is(value, "balanced"),
    ),
    "n_jobs": Rule(
        "an integer other than 0, or {none!r}",
        lambda value: value is None or (is_integer(value) and value != 0),
    ),
}


def check_parameter(name: str, value: Any, rules: Mapping[str, Rule] = RULES) -> None:
    """Raise ``ParameterError`` if this parameter cannot have that value."""
    rule = rules[name]
    if not rule.accepts(value):
        raise ParameterError(
            parameter=name,
            value=value,
            reason="is not allowed{suggestion}: give " + rule.expected,
            suggestion=did_you_mean(value, rule.names),
            none=None,
            true=True,
            false=False,
            example={"ill": 5, "well": 1},
        )


def class_weights(class_weight: ClassWeight, classes: NDArray[Any], counts: Floats) -> Floats:
    """Return one weight per class.

    Parameters
    ----------
    class_weight : None, "balanced" or a mapping from labels to weights, 1 where it has none
    classes : class labels
    counts : weight of the cases of each class, for "balanced"; classes without any have weight 1
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        occurs = counts > 0.0
        means = np.where(occurs, counts, 1.0) * np.count_nonzero(occurs) / counts.sum()
        return np.where(occurs, 1.0 / means, 1.0)
    weights = _weights_of_labels(class_weight, classes.tolist())
    _refuse_extreme(weights, counts)
    return weights


def costs_in_class_order(pruner: Pruner, classes: NDArray[Any]) -> Pruner:
    """Return the pruner with its costs in the order of the classes, however they were given."""
    if getattr(pruner, "costs", None) is None or not isinstance(pruner, PrunesUnderCosts):
        return pruner
    labels = classes.tolist()
    costs = keyed_by_label(pruner.costs, labels)
    if not isinstance(costs, Mapping):
        return pruner
    for label in [*labels, *costs]:
        if label not in costs or label not in labels:
            raise ParameterError(
                parameter="costs",
                reason="are needed for the classes {needed}, but given for {given}",
                needed=", ".join(map(repr, labels)),
                given=", ".join(map(repr, costs)),
            )
    return configure(pruner, {"costs": tuple(float(costs[label]) for label in labels)})


def _weights_of_labels(class_weight: Mapping[Any, Any], labels: list[Any]) -> Floats:
    unweighted = [label for label in labels if label not in class_weight]
    unknown = [label for label in class_weight if label not in labels]
    # An unknown label may only be absent from this fold; if a class also has no weight, it is
    # probably a misspelling.
    if unweighted and unknown:
        raise ParameterError(
            parameter="class_weight",
            reason="names {unknown}, which is not a class, and gives no weight to {class_}: name "
            "the classes as in y, which has {classes}",
            unknown=_quoted(unknown[0]),
            class_=_quoted(unweighted[0]),
            classes=", ".join(map(_quoted, labels)),
        )
    for label, weight in class_weight.items():
        if not is_finite_number(weight) or weight < 0:
            raise ParameterError(
                parameter="class_weight",
                reason="gives {class_} the weight {weight!r}: give a finite number of at least 0",
                class_=_quoted(label),
                weight=weight,
            )
    weights = np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
    if not weights.any():
        raise ParameterError(
            parameter="class_weight",
            reason="is 0 for every class, {classes}: give at least one of them a weight above 0",
            classes=", ".join(map(_quoted, labels)),
        )
    return weights


def _refuse_extreme(weights: Floats, counts: Floats) -> None:
    least, largest = float(weights[weights > 0.0].min()), float(weights.max())
    if largest / least > MAX_WEIGHT_RATIO:
        raise ParameterError(
            parameter="class_weight",
            reason=f"has weights from {least:g} to {largest:g}, too far apart to be added up: give "
            f"weights within a factor of {MAX_WEIGHT_RATIO:g} of each other, or 0 to a class that "
            "does not matter",
        )
    most = LARGEST_TOTAL_WEIGHT / len(counts)
    if not SMALLEST_LARGEST_WEIGHT <= largest * float(counts.max()) <= most:
        raise ParameterError(
            reason="the largest weight in {class_weight} is "
            f"{largest:g}, too extreme for sums over the rows: only ratios matter, so divide all "
            "weights by that.",
        )


def _quoted(label: Any) -> str:
    """Return a class as it is written in Python, also for NumPy scalars."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _is(value: Any, name: str) -> bool:
    return isinstance(value, str) and value == name


def check_seed(seed: Any) -> int:
    """Return a seed, random for None; raise ``ParameterError`` unless it is a 32-bit integer."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if is_integer(seed) and 0 <= int(seed) < 2**32:
        return int(seed)
    raise ParameterError(
        parameter="random_state",
        value=seed,
        reason=f"is not a seed: give an integer from 0 to {2**32 - 1}, or {{none!r}}",
        none=None,
    )
