"""The two kernels of a criterion: one scores a table, one a block of binary candidates.

Both are typed kernels, passed to the grower as functions, so that the grower is compiled once for
all criteria, including user-defined ones.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Annotated, Any, Protocol, TypeAlias

import numpy as np

from roctree._jit.kernels import declare_typed, function_type
from roctree.arrays import Floats, Floats2D

__all__ = ["BlockScore", "TableScore", "block_score", "table_score"]

Score = Callable[[np.ndarray], float]


class Scored(Protocol):
    """A criterion: an object that scores tables."""

    @property
    def function(self) -> Score:
        """The score of a table, as a plain function."""


def two_by_two() -> np.ndarray:
    """Return a 2 x 2 table; if compiled, it is on the stack, and loops over it are unrolled."""
    return np.empty((2, 2))


def flat(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return a view of the cells from ``start`` to ``stop`` of a flattened array."""
    return array.reshape(-1)[start:stop]


two_by_two.__dict__["compiled_as"] = "two_by_two"
flat.__dict__["compiled_as"] = "flat"


def _score_pairs(
    lefts: Floats2D, begin: int, end: int, total: Floats, class_weight: Floats, scores: Floats
) -> None:
    """Score the binary splits of two classes whose left branches are rows ``begin:end``.

    ``score`` is bound for each criterion. Contiguous, one-dimensional memory lets the compiler
    vectorise the loop over candidates.
    """
    cells = flat(lefts, 2 * begin, 2 * end)
    results = flat(scores, begin, end)
    first_weight, second_weight = class_weight[0], class_weight[1]
    first_total, second_total = total[0], total[1]
    pair = two_by_two()
    for i in range(results.size):
        pair[0, 0] = cells[2 * i] * first_weight
        pair[0, 1] = cells[2 * i + 1] * second_weight
        pair[1, 0] = (first_total - cells[2 * i]) * first_weight
        pair[1, 1] = (second_total - cells[2 * i + 1]) * second_weight
        results[i] = score(pair)  # type: ignore[name-defined]  # noqa: F821


def _score_block(
    lefts: Floats2D, begin: int, end: int, total: Floats, class_weight: Floats, scores: Floats
) -> None:
    """Score the binary splits of any classes whose left branches are rows ``begin:end``."""
    table = np.empty((2, total.size))
    for i in range(begin, end):
        for label in range(total.size):
            table[0, label] = lefts[i, label] * class_weight[label]
            table[1, label] = (total[label] - lefts[i, label]) * class_weight[label]
        scores[i] = score(table)  # type: ignore[name-defined]  # noqa: F821


def _score_table(table: Floats2D) -> float:
    return score(table)  # type: ignore[name-defined]  # noqa: F821


# Annotations for these functions as arguments of kernels.
TableScore: TypeAlias = Annotated[Callable[..., float], function_type(_score_table)]
BlockScore: TypeAlias = Annotated[Callable[..., None], function_type(_score_block)]


def table_score(criterion: Scored) -> Score:
    """Return the kernel ``table[branch, class] -> score`` of a criterion."""
    kernel: Any = _bound(_score_table, criterion.function)
    kernel.__dict__["recipe"] = (table_score, (criterion,))
    return kernel


def block_score(criterion: Scored, n_classes: int) -> Callable[..., None]:
    """Return the kernel that scores a block of binary candidates by a criterion."""
    template = _score_pairs if n_classes == 2 else _score_block
    kernel = _bound(template, criterion.function)
    kernel.__dict__["recipe"] = (block_score, (criterion, n_classes))
    return kernel


@cache
def _bound(template: Any, score: Score) -> Callable[..., Any]:
    """Return a template as a typed kernel around one criterion."""
    names = {**template.__globals__, "score": score}
    bound = FunctionType(template.__code__, names, template.__name__)
    bound.__annotations__ = template.__annotations__
    # Equal criteria share a kernel, whose name includes a digest of the criterion.
    bound.__dict__["criterion"] = getattr(score, "__name__", repr(score))
    return declare_typed(bound, allocates=template is _score_block, passed=True)
