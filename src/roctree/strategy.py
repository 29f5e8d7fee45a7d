"""What criteria, smoothers and pruners have in common: lookup by name, options, checks of options.

A strategy is a frozen dataclass whose fields are its options. A name stands for the strategy with
its default options.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from roctree.errors import ParameterError
from roctree.text import did_you_mean

Strategy = TypeVar("Strategy")

# Sums of larger costs might overflow.
LARGEST_COST = 1e100


def lookup(
    parameter: str,
    value: Any,
    registry: Mapping[str, Strategy],
    accepts: Callable[[Any], bool] = callable,
) -> Strategy:
    """Return the strategy of that name, or the strategy itself.

    Parameters
    ----------
    parameter : str
        The parameter that chooses the strategy, for the message.
    value : str or object
        A name, or a strategy.
    registry : mapping of str to object
        Strategies by name.
    accepts : callable
        Whether a value that is not a name is a strategy of this kind.
    """
    if isinstance(value, str):
        if value not in registry:
            raise ParameterError(
                parameter=parameter,
                value=value,
                reason="is not known{suggestion}; choose from {known}",
                suggestion=did_you_mean(value, registry),
                known=", ".join(registry),
            )
        return registry[value]
    if isinstance(value, type) or not accepts(value):
        raise ParameterError(
            parameter=parameter,
            value=value,
            reason="is neither a name nor {kind}; choose from {known}, and write a class with "
            "its parentheses",
            kind=parameter if parameter.endswith("s") else f"a {parameter}",
            known=", ".join(registry),
        )
    found: Strategy = value
    return found


def configure(strategy: Strategy, options: Mapping[str, Any]) -> Strategy:
    """Return the strategy with some options replaced."""
    if not options:
        return strategy
    known = [field.name for field in fields(strategy)] if is_dataclass(strategy) else []
    for option in options:
        if option not in known:
            raise ParameterError(
                owner=strategy,
                parameter=option,
                value=options[option],
                reason="has an unknown option{suggestion}; {known}",
                suggestion=did_you_mean(option, known),
                known=f"the options are {', '.join(known)}" if known else "there are no options",
            )
    return replace(strategy, **options)  # type: ignore[type-var]


def choices_of(strategy: Any, option: str) -> tuple[Any, ...]:
    """Return the choices that the type of an option lists; none for other types."""
    hint = get_type_hints(type(strategy)).get(option)
    return get_args(hint) if get_origin(hint) is Literal else ()


def check_choices(strategy: Any) -> None:
    """Reject options that are not among the choices that their types list."""
    hints = get_type_hints(type(strategy))
    for field in fields(strategy):
        hint, value = hints[field.name], getattr(strategy, field.name)
        choices = (False, True) if hint is bool else get_args(hint)
        if (hint is bool or get_origin(hint) is Literal) and value not in choices:
            reject_option(strategy, field.name, "choose from " + ", ".join(map(repr, choices)))


def check_number(strategy: Any, option: str, above_zero: bool = False) -> None:
    """Reject an option that is not a finite number of at least 0, or above 0."""
    value = getattr(strategy, option)
    if not is_finite_number(value):
        reject_option(strategy, option, "give a finite number")
    if value < 0 or (above_zero and value == 0):
        advice = "give a number above zero" if above_zero else "give zero or more"
        reject_option(strategy, option, advice)


def check_strength(strategy: Any, option: str) -> None:
    """Reject a strength that is neither "auto" nor a finite number of at least 0."""
    value = getattr(strategy, option)
    if is_finite_number(value):
        check_number(strategy, option)
    elif not (isinstance(value, str) and value == "auto"):
        reject_option(strategy, option, "give a finite number, or 'auto'")


def reject_option(strategy: Any, option: str, advice: str, **details: Any) -> NoReturn:
    """Raise a ParameterError about an option of a strategy.

    Parameters
    ----------
    strategy : object
        The strategy, which has the rejected value.
    option : str
        Name of the option.
    advice : str
        What to do, as a template of :mod:`roctree.errors`.
    **details : object
        Values for the fields of the template.
    """
    raise ParameterError(
        owner=strategy,
        parameter=option,
        value=getattr(strategy, option),
        reason=f"is not allowed: {advice}",
        **details,
    )


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer; True and False are not."""
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)


def is_finite_number(value: Any) -> bool:
    """Return whether a value is a finite number that a float can hold; True and False are not."""
    # Exact types first, because the check of an abstract class takes far longer.
    if not isinstance(value, (float, int, Real)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer with more than three hundred digits
        return False


def keyed_by_label(values: Any, labels: list[Any]) -> Any:
    """Return a Series whose index holds exactly the labels as a dict; anything else unchanged."""
    if not (hasattr(values, "to_dict") and hasattr(values, "index")):
        return values
    return values.to_dict() if set(values.index) == set(labels) else values
