"""What criteria, smoothers and pruners have in common: names, options, and what is no option.

A strategy is a frozen dataclass whose fields are its options; a name stands for the strategy with
its default options.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from numbers import Real
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from roctree.errors import ParameterError

Strategy = TypeVar("Strategy")


def resolve(
    parameter: str, value: Any, registry: Mapping[str, Strategy], fits: Callable[[Any], bool]
) -> Strategy:
    """Return the strategy of that name, or the strategy itself.

    Parameters
    ----------
    parameter : how the user spells what is chosen, for the message
    value : a name, or a strategy
    registry : strategies by name
    fits : whether a value that is no name is a strategy of this kind
    """
    if isinstance(value, str):
        if value not in registry:
            raise ParameterError(
                f"{parameter}={value!r} is not known{nearest(value, registry)}; choose from "
                f"{', '.join(registry)}."
            )
        return registry[value]
    if isinstance(value, type) or not fits(value):
        raise ParameterError(
            f"{parameter}={value!r} is neither a name nor a {parameter}; choose from "
            f"{', '.join(registry)}, and write a class with its parentheses."
        )
    found: Strategy = value
    return found


def configured(strategy: Strategy, options: Mapping[str, Any]) -> Strategy:
    """Return the strategy with some options set anew."""
    known = [field.name for field in fields(strategy)] if is_dataclass(strategy) else []
    for option in options:
        if option not in known:
            has = f"has the options {', '.join(known)}" if known else "has no options"
            raise ParameterError(
                f"{option!r} is no option{nearest(option, known)}: {_name(strategy)} {has}."
            )
    return replace(strategy, **options) if options else strategy  # type: ignore[type-var]


def by_label(values: Any, labels: list[Any]) -> Any:
    """Return a mapping where values are named by all labels, as a Series may be; else as given."""
    if not (hasattr(values, "to_dict") and hasattr(values, "index")):
        return values
    return values.to_dict() if set(values.index) == set(labels) else values


def nearest(name: Any, known: Iterable[str]) -> str:
    """Return a question about the known name that is most like this one, or nothing."""
    found = get_close_matches(name, known, n=1) if isinstance(name, str) else []
    return f" (did you mean {found[0]!r}?)" if found else ""


def check_choices(strategy: Any) -> None:
    """Refuse an option that is not among the choices its type lists."""
    hints = get_type_hints(type(strategy))
    for field in fields(strategy):
        hint, value = hints[field.name], getattr(strategy, field.name)
        choices = (False, True) if hint is bool else get_args(hint)
        if (hint is bool or get_origin(hint) is Literal) and value not in choices:
            refuse(strategy, field.name, "choose from " + ", ".join(map(repr, choices)))


def check_number(
    strategy: Any, option: str, above_zero: bool = False, most: float = math.inf
) -> None:
    """Refuse an option that is not a finite number of the right sign, or more than ``most``."""
    value = getattr(strategy, option)
    if not is_number(value):
        refuse(strategy, option, "give a finite number")
    if value < 0 or (above_zero and value == 0):
        refuse(strategy, option, f"give {'a number above zero' if above_zero else 'zero or more'}")
    if value > most:
        refuse(strategy, option, f"give {most:g} or less")


# The sums of larger costs might overflow.
LARGEST_COST = 1e100


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold; True and False are none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than three hundred digits
        return False


def refuse(strategy: Any, option: str, advice: str) -> NoReturn:
    """Say that an option makes no sense, and what would."""
    value = getattr(strategy, option)
    raise ParameterError(f"{_name(strategy)}({option}={value!r}) makes no sense; {advice}.")


def _name(strategy: Any) -> str:
    return type(strategy).__name__
