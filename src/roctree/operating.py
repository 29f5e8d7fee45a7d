"""From what a user asks of ``at(...)`` to a labeller, and from a fitted tree to its leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.labelling import (
    FBeta,
    Labeller,
    LeastCost,
    Leaves,
    MaxFPR,
    MinTPR,
    OperatingPoint,
    Threshold,
    as_numbers,
    check_errors_cost,
    checked_matrix,
    votes_by_cost,
)
from roctree.strategy import LARGEST_COST, by_label, is_number
from roctree.tally import Tally
from roctree.text import did_you_mean
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Counts = Literal["training", "smoothed"]
# What an operating point is said to be chosen by if that is neither of these.
HELD_OUT = "held_out"


@dataclass(frozen=True)
class Request:
    """What a user asks for; None where nothing was said."""

    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_matrix: Any = None
    prior: Any = None
    max_fpr: float | None = None
    min_tpr: float | None = None
    beta: float | None = None
    threshold: float | None = None
    randomise: bool = False

    @property
    def usual_counts(self) -> Counts:
        """What it is chosen by if nothing is said: a threshold is one of probabilities."""
        return "training" if self.threshold is None else "smoothed"

    def labeller(self, classes: NDArray[Any]) -> Labeller:
        """Return what does as asked; contradictions are refused."""
        asked = self._asked()
        self._refuse_contradictions(asked)
        prior = _in_order(self.prior, classes)
        if self.max_fpr is not None:
            return MaxFPR(self.max_fpr, self.randomise)
        if self.min_tpr is not None:
            return MinTPR(self.min_tpr, self.randomise)
        if self.beta is not None:
            return FBeta(self.beta, prior)
        if self.threshold is not None:
            return Threshold(self.threshold)
        matrix = None if self.cost_matrix is None else _nested(self.cost_matrix, classes)
        return LeastCost(self.cost_fp, self.cost_fn, matrix, prior)

    def _asked(self) -> list[str]:
        """The kinds of operating point that are asked for, as fields of a message."""
        costs = [self.cost_fp, self.cost_fn, self.cost_matrix]
        names = ["costs"] if any(cost is not None for cost in costs) else []
        alone = ("max_fpr", "min_tpr", "beta", "threshold")
        return names + [f"{{{name}}}" for name in alone if getattr(self, name) is not None]

    def _refuse_contradictions(self, asked: list[str]) -> None:
        if not isinstance(self.randomise, bool | np.bool_):
            raise ParameterError(
                parameter="randomise",
                value=self.randomise,
                reason="is not allowed: give {true!r} or {false!r}",
                true=True,
                false=False,
            )
        if len(asked) > 1:
            raise ParameterError(
                reason=f"{asked[0]} and {asked[1]} ask for two labellings: give one."
            )
        kind = asked[0] if asked else ""
        if not kind and self.prior is None:
            raise ParameterError(
                reason="Give an operating point: {cost_fp} and {cost_fn}, {cost_matrix}, {prior}, "
                "{max_fpr}, {min_tpr}, {beta} or {threshold}."
            )
        if self.prior is not None and kind in ("{max_fpr}", "{min_tpr}", "{threshold}"):
            raise ParameterError(reason=f"{kind} does not depend on {{prior}}: leave it out.")
        if self.randomise and kind not in ("{max_fpr}", "{min_tpr}"):
            raise ParameterError(
                parameter="randomise", reason="attains a rate: give {max_fpr} or {min_tpr} as well"
            )


class OperatingRequest(NamedTuple):
    """A request for an operating point, checked.

    Parameters
    ----------
    labeller : Labeller
        What chooses the labels.
    counts : "training", "smoothed" or held-out cases
        What it is chosen by.
    positive : int
        Index of the positive class, for two classes.
    seed : int
        Seed of the random draws of randomised labels.
    """

    labeller: Labeller
    counts: Any
    positive: int
    seed: int

    @classmethod
    def from_arguments(
        cls,
        arguments: Mapping[str, Any],
        classes: NDArray[Any],
        counts: Any = None,
        positive: Any = None,
        seed: Any = 0,
    ) -> "OperatingRequest":
        """Read the arguments of ``at(...)``.

        Parameters
        ----------
        arguments : costs, rates, ... by name
        classes : class labels
        counts : what to choose by, or None for the default of the request
        positive : label of the positive class, or None for the last
        seed : seed of the draws, or None for a random one
        """
        known = [field.name for field in fields(Request)]
        for name in arguments:
            if name not in known:
                raise ParameterError(
                    f"at() has no argument {name!r}{did_you_mean(name, known)}: give "
                    f"{', '.join(known)}."
                )
        request = Request(**arguments)
        by = request.usual_counts if counts is None else counts
        labeller = request.labeller(classes)
        return cls(labeller, by, positive_of_two(positive, classes), checked_seed(seed))

    @classmethod
    def from_point(cls, point: OperatingPoint) -> "OperatingRequest":
        """Return the request that led to an operating point, to be made of a changed model."""
        if point.counts == HELD_OUT:
            raise ParameterError(
                reason="The operating point was chosen on held-out cases, which are not kept: "
                "prune, smooth or soften thresholds first, then call {at(...)}."
            )
        return cls(point.labeller, point.counts, point.positive, point.seed)

    @property
    def basis(self) -> str:
        """What the point is chosen by: "training", "smoothed" or "held_out"."""
        return self.counts if isinstance(self.counts, str) else HELD_OUT


def cheapest(probabilities: Floats, cost_matrix: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the class of least expected cost for each row, the second of two that cost the same.

    Parameters
    ----------
    probabilities : float64[rows, classes]
    cost_matrix : [predicted][true], by number or by label, or float64[rows, predicted, true]
    classes : their labels
    """
    n_rows, n_classes = probabilities.shape
    costs = as_numbers("cost_matrix", _by_number(cost_matrix, classes))
    if costs.ndim != 3:
        costs = checked_matrix(costs, n_classes)
    elif costs.shape != (n_rows, n_classes, n_classes):
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has shape {costs.shape}: give ({n_classes}, {n_classes}), predicted by true "
            f"class, or one such matrix for each of the {n_rows} rows",
        )
    elif not (usable := np.abs(costs) <= LARGEST_COST).all():
        row = int(np.argmin(usable.all(axis=(1, 2))))
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has a cost for row {row} that is not finite, or beyond {LARGEST_COST:g}",
        )
    elif n_rows and n_classes > 1:
        check_errors_cost(costs)
    return np.asarray(votes_by_cost(probabilities, costs, n_classes - 1).argmax(axis=1))


def cost_table(cost_matrix: Any, classes: NDArray[Any]) -> Floats:
    """Return costs [predicted, true], however they were given; without any, one for each error."""
    if cost_matrix is None:
        return 1.0 - np.eye(len(classes))
    return checked_matrix(np.array(_nested(cost_matrix, classes)), len(classes))


def draws(values: NDArray[Any], seed: int) -> Floats:
    """Return a random number from 0 to 1 for each case.

    It depends on the seed, the values of the case and its place: cases that come one by one differ,
    as do cases that are alike but come together, and asking again gives the same.
    """
    # Adding zero makes one of the two zeros.
    bits = np.ascontiguousarray(values + 0.0, dtype=np.float64).view(np.uint64)
    bits[np.isnan(values)] = 0
    mixed = _scrambled(np.arange(len(bits), dtype=np.uint64) + np.uint64(seed << 32))
    for column in bits.T:
        mixed = _scrambled(mixed ^ column)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)


def _scrambled(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers in which every bit depends on all bits of the given ones (the end of SplitMix64)."""
    bits = bits + _ODD
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def checked_seed(seed: Any) -> int:
    """Return the seed of the draws, any for None; refused unless a whole number."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, Integral) and not isinstance(seed, bool) and 0 <= int(seed) < 2**32:
        return int(seed)
    raise ParameterError(
        parameter="random_state",
        value=seed,
        reason=f"is not a seed: give an integer from 0 to {2**32 - 1}, or {{none!r}}",
        none=None,
    )


def leaves_of(
    tree: Tree,
    probabilities: Floats,
    frequencies: Floats,
    counts: Any,
    positive: int,
    nodes: NDArray[np.int64] | None = None,
) -> Leaves:
    """Return the leaves by the counts that a user chose.

    Parameters
    ----------
    tree : the tree
    probabilities, frequencies : float64[nodes, classes], smoothed and not
    counts : "training", "smoothed", or a tally of other cases
    positive : number of the positive class
    nodes : those that count as leaves; None for the leaves
    """
    if isinstance(counts, Tally):
        leaves = Leaves.from_counts(tree, counts.parts, frequencies, positive)
        shares = np.zeros_like(frequencies)
        shares[leaves.nodes] = leaves.shares
        return Leaves(counts.nodes, counts.counts, counts.lines(shares), positive)
    if not isinstance(counts, str):
        raise ParameterError(
            parameter="counts",
            reason="must be 'training', 'smoothed', or (X, y) of held-out cases",
        )
    if counts == "training":
        return Leaves.from_counts(tree, tree.counts, frequencies, positive, nodes)
    if counts == "smoothed":
        smoothed = probabilities * tree.weight[:, None]
        return Leaves.from_counts(tree, smoothed, probabilities, positive, nodes)
    raise ParameterError(
        parameter="counts",
        value=counts,
        reason="is not known{suggestion}: give 'training' or 'smoothed'; in Python, (X, y) of "
        "held-out cases is allowed too",
        suggestion=did_you_mean(counts, ["training", "smoothed"]),
    )


def held_out_cases(counts: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Return X, y and sample_weight of cases given as (X, y), or with weights."""
    if len(counts) not in (2, 3):
        raise ParameterError(
            parameter="counts", reason=f"has {len(counts)} parts: give (X, y) of held-out cases"
        )
    X, y, sample_weight = (*counts, None)[:3]
    return X, y, sample_weight


def counts_in_parts(counts: Any, tree: Tree, divides_cases: bool) -> bool:
    """Whether these counts have cases in parts that ``predict`` labels as a whole.

    Parameters
    ----------
    counts : "training", "smoothed", or other cases, of which those divided stand apart
    tree : the tree
    divides_cases : whether missing values divided its training cases
    """
    return isinstance(counts, str) and (divides_cases or bool(tree.softness.any()))


def class_number(label: Any, classes: NDArray[Any], parameter: str = "positive") -> int:
    """Return the number of the positive class, by default the last."""
    known = classes.tolist()
    if label is None:
        return len(known) - 1
    if np.ndim(label) or label not in known:
        raise ParameterError(
            parameter=parameter,
            value=label,
            reason="is not a class; the classes are {classes}",
            classes=", ".join(map(repr, known)),
        )
    return int(known.index(label))


def class_of_curve(label: Any, classes: NDArray[Any]) -> int:
    """Return the number of the class that a curve is of, by default the last of two."""
    if label is None and len(classes) != 2:
        raise ParameterError(
            reason="There are {n_classes} classes: give {positive}.", n_classes=len(classes)
        )
    return class_number(label, classes)


def positive_of_two(label: Any, classes: NDArray[Any]) -> int:
    """Return the number of the positive class, which more than two classes do not have."""
    if label is not None and len(classes) > 2:
        raise ParameterError(
            parameter="positive",
            value=label,
            reason="is for two classes, but the tree has {n_classes}: leave it out, and give the "
            "cost of each error by {cost_matrix}",
            n_classes=len(classes),
        )
    return class_number(label, classes)


def _in_order(prior: Any, classes: NDArray[Any]) -> Any:
    """The prior in the order of the classes, as a tuple, or one number."""
    prior = by_label(prior, classes.tolist())
    if isinstance(prior, Mapping):
        return tuple(prior[label] for label in _all_named("prior", prior, classes, "the share of"))
    if prior is None or is_number(prior):
        return prior
    return tuple(np.atleast_1d(as_numbers("prior", prior)).tolist())


def _nested(matrix: Any, classes: NDArray[Any]) -> tuple[tuple[float, ...], ...]:
    table = as_numbers("cost_matrix", _by_number(matrix, classes))
    if table.ndim != 2:
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has shape {table.shape}: give one row per predicted class; costs of single "
            "cases are for predict(X, cost_matrix=...)",
        )
    return tuple(tuple(row) for row in table.tolist())


def _by_number(matrix: Any, classes: NDArray[Any]) -> Any:
    """The costs in the order of the classes, where they name them."""
    if hasattr(matrix, "columns") and hasattr(matrix, "index"):
        return _of_frame(matrix, classes)
    if not isinstance(matrix, Mapping):
        return matrix
    labels = _all_named("cost_matrix", matrix, classes, "what it costs to predict")
    for label in labels:
        if not isinstance(matrix[label], Mapping):
            raise ParameterError(
                parameter="cost_matrix",
                reason="has {row!r} for the predicted class {label!r}: give a cost for each true "
                "class",
                row=matrix[label],
                label=label,
            )
    # Being right costs nothing unless it is said to.
    filled = {label: {label: 0.0} | dict(matrix[label]) for label in labels}
    for label, row in filled.items():
        _all_named("cost_matrix", row, classes, f"what it costs to predict {label!r} for")
    return [[row[label] for label in labels] for row in filled.values()]


def _of_frame(frame: Any, classes: NDArray[Any]) -> Any:
    """The costs of a data frame that names the classes, or that has them in their order."""
    labels = classes.tolist()
    rows, columns = list(frame.index), list(frame.columns)
    unnamed = [list(range(len(names))) for names in (rows, columns)]
    if [rows, columns] == unnamed and set(rows) != set(labels):
        return frame.to_numpy()
    _all_named("cost_matrix", dict.fromkeys(rows), classes, "a row for")
    _all_named("cost_matrix", dict.fromkeys(columns), classes, "a column for")
    return frame.loc[labels, labels].to_numpy()


def _all_named(name: str, given: Mapping[Any, Any], classes: NDArray[Any], what: str) -> list[Any]:
    """The labels of the classes; refused unless they are what is given."""
    labels: list[Any] = classes.tolist()
    for stranger in (label for label in given if label not in labels):
        texts = [label for label in labels if isinstance(label, str)]
        raise ParameterError(
            parameter=name,
            reason="names {unknown!r}{suggestion}, which is not a class; the classes are {classes}",
            unknown=stranger,
            suggestion=did_you_mean(stranger, texts),
            classes=", ".join(map(repr, labels)),
        )
    for absent in (label for label in labels if label not in given):
        raise ParameterError(
            parameter=name,
            reason="lacks {what} {absent!r}: give it for every class",
            what=what,
            absent=absent,
        )
    return labels


_ODD = np.uint64(0x9E3779B97F4A7C15)
