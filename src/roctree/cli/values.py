"""From the words of a command line to the values that the library takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from roctree.cli.wording import spelled
from roctree.data.column import category_text
from roctree.errors import ParameterError

_WORDS = {"none": None, "true": True, "false": False}


def literal(text: str) -> Any:
    """Return the number, truth value or None that a text spells, else the text.

    >>> [literal(text) for text in ("3", "0.5", "none", "auto")]
    [3, 0.5, None, 'auto']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def number(name: str, text: str) -> float:
    """Return a number; refused if the text is none."""
    value = literal(text)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ParameterError(f"{spelled(name)} is {text!r}: give a number.")
    return value


def pairs(name: str, text: str) -> dict[str, float]:
    """Return the numbers that names are given: ``ill=5,well=1``."""
    found = {}
    for part in text.split(","):
        key, equals, value = part.rpartition("=")
        if not equals:
            raise ParameterError(f"{spelled(name)} is {text!r}: give pairs such as ill=1,well=5.")
        found[key] = number(name, value)
    return found


def by_class(name: str, text: str, classes: Sequence[Any]) -> dict[Any, float]:
    """Return the numbers that classes are given."""
    return {label(name, key, classes): value for key, value in pairs(name, text).items()}


def label(name: str, text: str, classes: Sequence[Any]) -> Any:
    """Return the class that is written so."""
    for known in classes:
        if category_text(known) == text:
            return known
    raise ParameterError(
        f"{spelled(name)} is {text!r}, which is no class; the classes are "
        f"{', '.join(map(category_text, classes))}."
    )


def operating_point(given: Mapping[str, Any], classes: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of ``at`` that the options of an operating point mean."""
    found = dict(given)
    for name in ("cost_fp", "cost_fn", "max_fpr", "min_tpr", "beta", "threshold", "random_state"):
        if name in found:
            found[name] = number(name, found[name])
    if "positive" in found:
        found["positive"] = label("positive", found["positive"], classes)
    if "prior" in found:
        found["prior"] = _prior(found["prior"], classes)
    if "cost_matrix" in found:
        found["cost_matrix"] = _matrix(found["cost_matrix"], classes)
    return found


def cost_matrix(given: Mapping[str, Any], classes: Sequence[Any]) -> Any:
    """Return the costs that options mean, by predicted and true class; None if they say nothing."""
    asked = operating_point(given, classes)
    pair = {name: asked[name] for name in ("cost_fp", "cost_fn") if name in asked}
    if "cost_matrix" in asked or not pair:
        if pair:
            raise ParameterError("Give --cost-matrix, or --cost-fp and --cost-fn, not both.")
        return asked.get("cost_matrix")
    if len(classes) != 2:
        raise ParameterError(
            f"--cost-fp and --cost-fn are of two classes, and there are {len(classes)}: give "
            "--cost-matrix."
        )
    positive = asked.get("positive", classes[-1])
    (negative,) = (each for each in classes if each != positive)
    return {  # the positive class first
        positive: {negative: pair.get("cost_fp", 1.0)},
        negative: {positive: pair.get("cost_fn", 1.0)},
    }


def _prior(text: str, classes: Sequence[Any]) -> Any:
    if "=" in text:
        return by_class("prior", text, classes)
    shares = [number("prior", share) for share in text.split(",")]
    return shares[0] if len(shares) == 1 else shares


def _matrix(text: str, classes: Sequence[Any]) -> Any:
    try:
        matrix = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParameterError(
            f"{spelled('cost_matrix')} is no JSON ({error.msg}): give one such as [[0, 5], [1, 0]]."
        ) from None
    return _named(matrix, classes) if isinstance(matrix, dict) else matrix


def _named(matrix: dict[str, Any], classes: Sequence[Any]) -> dict[Any, Any]:
    """The names of JSON, which are always texts, as the classes that they mean."""
    return {
        label("cost_matrix", key, classes): _named(row, classes) if isinstance(row, dict) else row
        for key, row in matrix.items()
    }
