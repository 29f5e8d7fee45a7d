"""The parameters of an estimator as options: names, choices and help as the library has them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import getdoc, signature
from itertools import product
from typing import Any

from roctree import criteria, presets, pruning, smoothing
from roctree.cli.options import Choice
from roctree.cli.values import by_class, literal, pairs
from roctree.cli.wording import RENAMED, in_options, spelled
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.models.multiscale.estimator import MultiscaleClassifier
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
from roctree.parameters import RULES
from roctree.strategy import configured, nearest

STRATEGIES: dict[str, Any] = {
    "criterion": (criteria.CRITERIA, criteria.resolve),
    "smoothing": (smoothing.SMOOTHING, smoothing.resolve),
    "pruning": (pruning.PRUNING, pruning.resolve),
}
SYSTEMS: dict[str, Any] = {
    "tree": ROCTreeClassifier,
    "nbtree": NaiveBayesTreeClassifier,
    "multiscale": MultiscaleClassifier,
}
# Said by the options of columns, and for cases, which are in no file.
_NOT_HERE = ("categorical_features", "keep_cases")
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*(?:\n    .*)*)", re.MULTILINE)


def options(lists: bool = False) -> dict[str, Choice]:
    """Return the options of an estimator; with lists, several strategies may be given at once."""
    found = {
        "preset": Choice(
            f"Begin with the parameters of {', '.join(presets.PRESETS)}.", "NAME",
            choices=tuple(presets.PRESETS),
        )
    }  # fmt: skip
    return found | _parameters_of("tree", lists)


def options_of_systems() -> dict[str, Choice]:
    """Return the options of all systems; one that several have is told as the tree has it."""
    found = {
        "system": Choice(
            "tree, nbtree (Naive Bayes at the leaves) or multiscale (cells). [tree]", "NAME",
            choices=tuple(SYSTEMS),
        )
    }  # fmt: skip
    found |= options()
    for system in SYSTEMS:
        for option, choice in _parameters_of(system).items():
            found.setdefault(option, replace(choice, help=f"Of {system}: {choice.help}"))
    return found


def system_of(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> Any:
    """Return the classifier that options ask for, of any system.

    Parameters
    ----------
    given : texts and flags by option
    classes : of the data, for weights of classes
    """
    rest = dict(given)
    system = rest.pop("system", "tree")
    if system not in SYSTEMS:
        raise ParameterError(
            f"--system is {system!r}{nearest(system, SYSTEMS)}; choose from {', '.join(SYSTEMS)}."
        )
    known = options() if system == "tree" else _parameters_of(system)
    for option in rest:
        if option not in known:
            raise ParameterError(
                f"{spelled(option)} is no option of --system {system}, which has "
                f"{', '.join(map(spelled, known))}."
            )
    if system == "tree":
        return estimator(rest, classes)
    return SYSTEMS[system](**{name: _value(name, text, classes) for name, text in rest.items()})


def _parameters_of(system: str, lists: bool = False) -> dict[str, Choice]:
    kind = SYSTEMS[system]
    meanings, known = _documented(kind), signature(kind).parameters
    names = [RENAMED.get(name, name) for name in known]
    return {
        RENAMED.get(name, name): _choice(
            name, parameter.default, in_options(meanings[name], names), lists
        )
        for name, parameter in known.items()
        if name not in _NOT_HERE
    }


def estimator(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> ROCTreeClassifier:
    """Return the tree that options ask for.

    Parameters
    ----------
    given : texts and flags by option
    classes : of the data, for weights of classes
    """
    names = {option: name for name, option in RENAMED.items()}
    values = {
        names.get(option, option): _value(names.get(option, option), text, classes)
        for option, text in given.items()
        if option != "preset"
    }
    if "preset" not in given:
        return ROCTreeClassifier(**values)
    if given["preset"] not in presets.PRESETS:
        raise ParameterError(
            f"--preset is {given['preset']!r}{nearest(given['preset'], presets.PRESETS)}; choose "
            f"from {', '.join(presets.PRESETS)}."
        )
    preset: ROCTreeClassifier = presets.PRESETS[given["preset"]](**values)
    return preset


def variants(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of every combination of strategies, by what tells them apart."""
    lists = {
        option: str(text).split(",")
        for option, text in given.items()
        if option in (*STRATEGIES, "preset")
    }
    several = [option for option, texts in lists.items() if len(texts) > 1]
    found = {}
    for chosen in product(*lists.values()):
        pairs_ = dict(zip(lists, chosen, strict=True))
        name = " ".join(pairs_[option] for option in several or lists) or "default"
        found[name] = {**given, **pairs_}
    return found


def strategy(name: str, text: str) -> Any:
    """Return a criterion, smoother or pruner: ``minimum_error:m=8:prior=uniform``."""
    first, *rest = text.split(":")
    chosen = STRATEGIES[name][1](first)
    found = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(
                f"{spelled(name)} is {text!r}: write options as {first}:OPTION=VALUE."
            )
        found[key] = literal(value)
    # A name alone stays one, as it would in Python.
    return configured(chosen, found) if found else first


def _value(name: str, text: Any, classes: Sequence[Any]) -> Any:
    if not isinstance(text, str):
        return text
    if name in STRATEGIES:
        return strategy(name, text)
    if name == "bounds":
        return _bounds(text)
    if "=" in text:
        return by_class(name, text, classes) if name == "class_weight" else pairs(name, text)
    return literal(text)


def _bounds(text: str) -> Any:
    """Return a pair, ``0,1``, or several, ``[0,1],[0,9]``; else the text."""
    try:
        return json.loads(f"[{text}]")
    except ValueError:
        return text


def _choice(name: str, default: Any, meaning: str, lists: bool) -> Choice:
    if isinstance(default, bool):
        return Choice(_sentence(meaning), flag=True)
    if name in STRATEGIES:
        names = tuple(STRATEGIES[name][0])
        several = "; several with commas" if lists else ""
        about = f"{', '.join(names)}; options as NAME:OPTION=VALUE{several}"
        return Choice(f"{about}. [{default}]", "NAME", choices=names)
    rule = RULES.get(name)
    names = rule.names if rule else ()
    shown = "" if default is None else f" [{default}]"
    return Choice(_sentence(meaning) + shown, "NAME" if names else "VALUE", choices=names)


def _sentence(text: str) -> str:
    plain = text.replace("``", "").strip().rstrip(".")
    return f"{plain[:1].upper()}{plain[1:]}."


def _documented(kind: type) -> dict[str, str]:
    """Return what the docstring says of each parameter."""
    section = (getdoc(kind) or "").partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    return dict(_entries(section))


def _entries(section: str) -> Iterator[tuple[str, str]]:
    for names, text in _ENTRY.findall(section):
        for name in names.split(", "):
            yield name, " ".join(text.split())
