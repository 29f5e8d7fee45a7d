"""Between the text of a command line and the values of the library, in both directions.

Reading: ``0.5`` is a number, ``ill=5,well=1`` a dict, ``minimum_error:m=8`` a pruner. Writing:
errors and warnings of the library name parameters, ``max_fpr=2``; ``OptionWording`` words them
with the options of a command, ``--max-fpr 2``.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from roctree.data import category_text
from roctree.errors import ParameterError, Wording
from roctree.strategy import configure, lookup

STRATEGIES = ("criterion", "smoothing", "pruning")
# Parameters of estimators whose names are taken by options of columns and of operating points.
RENAMED = {"nominal": "nominal_splits", "threshold": "split_threshold"}


def option_name(name: str) -> str:
    """Return how an option is typed.

    >>> option_name("max_fpr")
    '--max-fpr'
    """
    return "--" + name.replace("_", "-")


def registry(parameter: str) -> dict[str, Any]:
    """Return the strategies that a parameter accepts, by name."""
    # Imported on demand: these modules load numba, which not every command needs.
    from roctree import criteria, pruning, smoothing

    registries: dict[str, dict[str, Any]] = {
        "criterion": criteria.CRITERIA,
        "smoothing": smoothing.SMOOTHING,
        "pruning": pruning.PRUNING,
    }
    return registries[parameter]


# From text to values


def parse_literal(text: str) -> Any:
    """Return the number, boolean or None that a text stands for, otherwise the text itself.

    >>> [parse_literal(text) for text in ("3", "0.5", "none", "auto")]
    [3, 0.5, None, 'auto']
    """
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_number(name: str, text: str) -> float:
    """Return the number that the option ``name`` was given."""
    value = parse_literal(text)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ParameterError(parameter=name, value=text, reason="is not a number")
    return value


def parse_pairs(name: str, text: str) -> dict[str, float]:
    """Return numbers by name, as in ``ill=5,well=1``."""
    found = {}
    for part in text.split(","):
        key, equals, value = part.rpartition("=")
        if not equals:
            raise ParameterError(
                parameter=name, value=text, reason="is not a list of pairs such as ill=1,well=5"
            )
        found[key] = parse_number(name, value)
    return found


def parse_class(name: str, text: str, classes: Sequence[Any]) -> Any:
    """Return the class label that a text stands for."""
    for label in classes:
        if category_text(label) == text:
            return label
    raise ParameterError(
        parameter=name,
        value=text,
        reason="is not a class; the classes are {classes}",
        classes=", ".join(map(category_text, classes)),
    )


def parse_by_class(name: str, text: str, classes: Sequence[Any]) -> dict[Any, float]:
    """Return numbers by class label, as in ``ill=5,well=1``."""
    numbers = parse_pairs(name, text)
    return {parse_class(name, key, classes): value for key, value in numbers.items()}


def parse_strategy(name: str, text: str) -> Any:
    """Return a criterion, smoother or pruner, as in ``minimum_error:m=8:prior=uniform``.

    A name without options stays a string, as it would be given in Python.
    """
    first, *rest = text.split(":")
    strategy = lookup(name, first, registry(name))
    options = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(
                parameter=name,
                value=text,
                reason="has an option without a value: write {first}:OPTION=VALUE",
                first=first,
            )
        options[key] = parse_literal(value)
    return configure(strategy, options) if options else first


def parse_operating_point(given: Mapping[str, Any], classes: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of ``at(...)`` that the options of an operating point stand for."""
    found = dict(given)
    for name in ("cost_fp", "cost_fn", "max_fpr", "min_tpr", "beta", "threshold", "random_state"):
        if name in found:
            found[name] = parse_number(name, found[name])
    if "positive" in found:
        found["positive"] = parse_class("positive", found["positive"], classes)
    if "prior" in found:
        found["prior"] = _parse_prior(found["prior"], classes)
    if "cost_matrix" in found:
        found["cost_matrix"] = _parse_matrix(found["cost_matrix"], classes)
    return found


def parse_costs(given: Mapping[str, Any], classes: Sequence[Any]) -> Any:
    """Return costs by predicted and true class; None if no option of costs was given."""
    asked = parse_operating_point(given, classes)
    pair = {name: asked[name] for name in ("cost_fp", "cost_fn") if name in asked}
    if not pair:
        return asked.get("cost_matrix")
    if "cost_matrix" in asked:
        raise ParameterError(reason="Give {cost_matrix}, or {cost_fp} and {cost_fn}, but not both.")
    if len(classes) != 2:
        raise ParameterError(
            reason="{cost_fp} and {cost_fn} need two classes, but there are {n_classes}: give "
            "{cost_matrix}.",
            n_classes=len(classes),
        )
    positive = asked.get("positive", classes[-1])
    (negative,) = (each for each in classes if each != positive)
    return {  # the positive class comes first
        positive: {negative: pair.get("cost_fp", 1.0)},
        negative: {positive: pair.get("cost_fn", 1.0)},
    }


def _parse_prior(text: str, classes: Sequence[Any]) -> Any:
    if "=" in text:
        return parse_by_class("prior", text, classes)
    shares = [parse_number("prior", share) for share in text.split(",")]
    return shares[0] if len(shares) == 1 else shares


def _parse_matrix(text: str, classes: Sequence[Any]) -> Any:
    def with_labels(matrix: dict[str, Any]) -> dict[Any, Any]:
        # Names in JSON are always strings.
        return {
            parse_class("cost_matrix", key, classes): with_labels(row)
            if isinstance(row, dict)
            else row
            for key, row in matrix.items()
        }

    try:
        matrix = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParameterError(
            parameter="cost_matrix",
            reason="is not valid JSON ({problem}): give a matrix such as [[0, 5], [1, 0]]",
            problem=error.msg,
        ) from None
    return with_labels(matrix) if isinstance(matrix, dict) else matrix


# From values to text


def format_strategy(value: Any) -> Any:
    """Return a strategy as it is typed, ``minimum_error:m=8``; any other value unchanged."""
    name = _strategy_name(type(value))
    if name is None:
        return value
    given = [
        f"{field.name}={now}"
        for field in fields(value)
        if (now := getattr(value, field.name)) != field.default
        and isinstance(now, str | int | float)
    ]
    return ":".join([name, *given])


def _strategy_name(kind: type) -> str | None:
    known = (pair for parameter in STRATEGIES for pair in registry(parameter).items())
    return next((name for name, strategy in known if type(strategy) is kind), None)


# Options with a name of their own.
_OPTIONS = {
    "X_val and y_val": "validation",
    "X and y": "training",
    "sample_weight": "weight",
    "categorical_features": "nominal",
    "random_state": "seed",
    "pruning": "method",
}
# Commands that do what a method does.
_COMMANDS = {
    "at": "at",
    "pruned": "prune",
    "ranked": "fit",
    "smoothed": "fit",
    "fit": "fit",
    "labellings": "labellings",
}
# Parameters that are options of another command if the command does not have them itself.
_ELSEWHERE = {
    **{
        name: f"roctree at {option_name(name)}"
        for name in (
            "cost_fp", "cost_fn", "cost_matrix", "prior", "max_fpr", "min_tpr", "randomise"
        )
    },
    **{
        name: f"roctree fit {option_name(name)}"
        for name in ("geometric_probability", "ranking", "max_depth")
    },
    "X_val and y_val": "roctree prune --validation",
    "X and y": "roctree prune --training",
}  # fmt: skip


class OptionWording(Wording):
    """Words messages with the options of a command.

    Parameters
    ----------
    options : collection of str
        Names of the options that the command has, with underscores.

    Examples
    --------
    >>> wording = OptionWording(["max_fpr", "prior", "validation", "pruning"])
    >>> error = ParameterError(
    ...     parameter="max_fpr", value=0.1, reason="does not depend on {prior}: omit {prior}"
    ... )
    >>> error.worded(wording)
    '--max-fpr 0.1 does not depend on --prior: omit --prior.'
    >>> wording.parameter("X_val and y_val"), wording.call("at", {"cost_fn": 5})
    ('--validation', 'roctree at --cost-fn 5')
    """

    def __init__(self, options: Collection[str]) -> None:
        self.options = options

    def parameter(self, name: str) -> str:
        """Return the option of a parameter; the parameter itself if it has none."""
        return self._option(name) or name

    def setting(self, name: str, value: Any) -> str:
        """Return an option with its value; a flag that is on has none."""
        option = self._option(name)
        if option is None:
            return super().setting(name, value)
        return option if value is True or value is ... else f"{option} {self._typed(value)}"

    def option(self, owner: Any, name: str, value: Any) -> str:
        """Return an option of a strategy, such as ``minimum_error:m=-1``."""
        strategy = _strategy_name(owner if isinstance(owner, type) else type(owner))
        if strategy is not None:
            return f"{strategy}:{name}={self._typed(value)}"
        return (
            self.setting(name, value) if self._option(name) else super().option(owner, name, value)
        )

    def call(self, method: str, arguments: dict[str, Any]) -> str:
        """Return the command that does what a method does, without its name if it is this one."""
        if method not in _COMMANDS:
            return super().call(method, arguments)
        command = _COMMANDS[method]
        if arguments and all(name in self.options for name in arguments):
            return " ".join(self.setting(name, value) for name, value in arguments.items())
        # Every argument is an option of that command.
        wording = OptionWording(arguments)
        given = (wording.setting(name, value) for name, value in arguments.items())
        return " ".join(["roctree", command, *given])

    def value(self, value: Any) -> str:
        """Return a value within a sentence; strings are quoted."""
        if isinstance(value, str):
            return repr(value)
        return self._typed(value)

    def _option(self, name: str) -> str | None:
        for known in (RENAMED.get(name), name, _OPTIONS.get(name)):
            if known in self.options:
                return option_name(str(known))
        return _ELSEWHERE.get(name)

    def _typed(self, value: Any) -> str:
        """Return a value as it is typed after an option."""
        if value is ...:
            return "..."
        if value is None or isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return value if re.fullmatch(r"[\w.,:=-]*\w[\w.,:=-]*", value) else repr(value)
        if isinstance(value, np.generic):
            return self._typed(value.item())
        if isinstance(value, Mapping):
            return ",".join(f"{key}={self._typed(item)}" for key, item in value.items())
        if isinstance(value, list | tuple):
            return ",".join(map(self._typed, value))
        spelled = format_strategy(value)
        return spelled if isinstance(spelled, str) else super().value(value)
