"""A user's own criterion: a function of a table, decorated.

The function is compiled, so it is written in loops over the cells, with ``math`` and plain
numbers; see ``roctree.criteria.distance`` for an example.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, ClassVar, overload

from roctree.criteria.protocol import Correction, Score, evaluate
from roctree.errors import ParameterError
from roctree.strategy import check_choices


@overload
def criterion(function: Score) -> "CustomCriterion": ...


@overload
def criterion(
    *, convex: bool = False, children_correction: Correction = "none"
) -> Callable[[Score], "CustomCriterion"]: ...


def criterion(
    function: Score | None = None,
    *,
    convex: bool = False,
    children_correction: Correction = "none",
) -> Any:
    """Make a criterion of a function ``table[branch, class] -> score``, the higher the better.

    Parameters
    ----------
    function
        Takes one contingency table. With ``@criterion`` alone it is the function below.
    convex
        Promise that the score is a convex function of the counts, or rises with one; dividing a
        branch further then never lowers it. Growing is faster with the promise, and wrong if it
        is broken: ``roctree.checks.check_criterion`` tests it.
    children_correction
        What the improvement over the unsplit node is divided by: "none", "log2" of the number
        of branches, or the "split_info" of C4.5.

    Notes
    -----
    Worker processes of joblib, such as those of ``GridSearchCV(n_jobs=2)``, get the function by
    value, wherever it was written. A pickle refers to it by its name: to load a tree elsewhere,
    write the function in a module that can be imported there, not in a notebook or in a function.

    Examples
    --------
    >>> @criterion(convex=True)
    ... def majority(table):
    ...     correct = 0.0
    ...     for branch in range(table.shape[0]):
    ...         correct += max(table[branch, 0], table[branch, 1])
    ...     return correct
    >>> majority([[8, 1], [2, 5]])
    13.0
    """

    def decorate(function: Score) -> CustomCriterion:
        plain = getattr(function, "py_func", function)  # were it compiled by numba already
        name = getattr(plain, "__name__", repr(plain))
        return CustomCriterion(name, plain, convex, children_correction)

    return decorate if function is None else decorate(function)


@dataclass(frozen=True)
class CustomCriterion:
    """What ``@criterion`` makes of a function."""

    name: str
    function: Score
    convex_: bool = False
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)
        if not _takes_one_argument(self.function):
            raise ParameterError(
                f"the criterion {self.name!r} must be a function of one argument, the table."
            )

    def convex(self, n_classes: int) -> bool:
        """What was promised when the function was decorated."""
        return self.convex_

    def __reduce__(self) -> tuple[Any, ...]:
        # The decorator has taken the function's name, so that pickle would look in vain for the
        # function under it. It is still to be found one step further.
        if _named(self.function) is self:
            self.function.__qualname__ += ".function"
        return CustomCriterion, tuple(getattr(self, field.name) for field in fields(self))


def _takes_one_argument(function: Any) -> bool:
    if not inspect.isfunction(function):
        return False
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    return True


def _named(function: Any) -> Any:
    """What is now found where the function was defined, if anything."""
    try:
        return attrgetter(function.__qualname__)(sys.modules[function.__module__])
    except (AttributeError, KeyError):
        return None
