"""The parameters of the estimators as options, with names, defaults and help from the library."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import getdoc, signature
from itertools import product
from typing import Any, NamedTuple

from roctree import presets
from roctree.classifier import FittedClassifier
from roctree.cli.options import Choice
from roctree.cli.values import (
    RENAMED,
    STRATEGIES,
    OptionWording,
    option_name,
    parse_by_class,
    parse_literal,
    parse_pairs,
    parse_strategy,
    registry,
)
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.models.multiscale.estimator import MultiscaleClassifier
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
from roctree.text import did_you_mean

SYSTEMS: dict[str, type[FittedClassifier]] = {
    "tree": ROCTreeClassifier,
    "nbtree": NaiveBayesTreeClassifier,
    "multiscale": MultiscaleClassifier,
}
# Parameters without an option: columns have options of their own, and cases are not in files.
_WITHOUT_OPTION = ("categorical_features", "keep_cases")
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)((?:\n    .*)*)", re.MULTILINE)
# How values are typed that are neither names nor numbers.
_VALUES = {
    "metric": "minmax, standard, or scales such as age=10,pressure=20",
    "class_weight": "balanced, or weights such as ill=5,well=1",
    "bounds": "training, or bounds such as 0,1 or [0,1],[0,9]",
}


# Options


def tree_options(lists: bool = False) -> dict[str, Choice]:
    """Return the options of a tree; with ``lists``, several strategies may be given at once."""
    preset = Choice(
        f"Start from the parameters of {', '.join(presets.PRESETS)}.",
        "NAME",
        choices=tuple(presets.PRESETS),
    )
    return {"preset": preset} | _parameter_options("tree", lists)


def system_options() -> dict[str, Choice]:
    """Return the options of all systems; shared ones are described as for the tree."""
    system = Choice(
        "tree, nbtree (naive Bayes models at the leaves) or multiscale (cells). [tree]",
        "NAME",
        choices=tuple(SYSTEMS),
    )
    found = {"system": system} | tree_options()
    for name in SYSTEMS:
        for option, choice in _parameter_options(name).items():
            found.setdefault(option, replace(choice, help=f"For {name}: {choice.help}"))
    return found


class Documented(NamedTuple):
    """Type and description of a parameter in a docstring."""

    type: str
    about: str


def _parameter_options(system: str, lists: bool = False) -> dict[str, Choice]:
    estimator = SYSTEMS[system]
    documented, known = _documented_parameters(estimator), signature(estimator).parameters
    wording = OptionWording([RENAMED.get(name, name) for name in known])
    return {
        RENAMED.get(name, name): _parameter_choice(
            name, parameter.default, documented[name], wording, lists
        )
        for name, parameter in known.items()
        if name not in _WITHOUT_OPTION
    }


def _parameter_choice(
    name: str, default: Any, documented: Documented, wording: OptionWording, lists: bool
) -> Choice:
    about = re.sub(r"``(\w+)``", lambda found: wording.parameter(found[1]), documented.about)
    about = about.replace("None", "none")
    if isinstance(default, bool):
        return Choice(about, flag=True)
    shown = "" if default is None else f" [{default}]"
    if name in STRATEGIES:
        names = tuple(registry(name))
        several = "; separate several with commas" if lists else ""
        about = f"{', '.join(names)}; options as NAME:OPTION=VALUE{several}."
        return Choice(about + shown, "NAME", choices=names)
    listed = re.match(r"\{(.+?)\}", documented.type)
    names = tuple(re.findall(r'"(\w+)"', listed[1])) if listed else ()
    values = _VALUES.get(name, ", ".join(names))
    about = f"{values}. {about}" if values else about
    return Choice(about + shown, "NAME" if names else "VALUE", choices=names)


def _documented_parameters(kind: type) -> dict[str, Documented]:
    """Return the parameters in the docstring of a class."""
    section = (getdoc(kind) or "").partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    return {
        name: Documented(type_, " ".join(about.split()))
        for names, type_, about in _ENTRY.findall(section)
        for name in names.split(", ")
    }


# Estimators


def system_from_options(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> FittedClassifier:
    """Return the classifier that options describe.

    Parameters
    ----------
    given : mapping
        Texts and flags by option.
    classes : sequence
        Class labels, for class weights.
    """
    rest = dict(given)
    system = _choose("system", rest.pop("system", "tree"), SYSTEMS)
    known = tree_options() if system == "tree" else _parameter_options(system)
    for option in rest:
        if option not in known:
            raise ParameterError(
                f"{option_name(option)} is not an option of --system {system}, which has "
                f"{', '.join(map(option_name, known))}."
            )
    if system == "tree":
        return tree_from_options(rest, classes)
    values = {name: _parse_parameter(name, text, classes) for name, text in rest.items()}
    return SYSTEMS[system](**values)


def tree_from_options(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> ROCTreeClassifier:
    """Return the tree that options describe; see ``system_from_options``."""
    names = {option: name for name, option in RENAMED.items()}
    values = {
        names.get(option, option): _parse_parameter(names.get(option, option), text, classes)
        for option, text in given.items()
        if option != "preset"
    }
    if "preset" not in given:
        return ROCTreeClassifier(**values)
    preset = _choose("preset", given["preset"], presets.PRESETS)
    tree: ROCTreeClassifier = presets.PRESETS[preset](**values)
    return tree


def variants(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of every combination of strategies, by a name that tells them apart."""
    lists = {
        option: str(text).split(",")
        for option, text in given.items()
        if option in (*STRATEGIES, "preset")
    }
    several = [option for option, texts in lists.items() if len(texts) > 1]
    found = {}
    for chosen in product(*lists.values()):
        combination = dict(zip(lists, chosen, strict=True))
        name = " ".join(combination[option] for option in several or lists) or "default"
        found[name] = {**given, **combination}
    return found


def _choose(option: str, name: str, known: Mapping[str, Any]) -> str:
    if name not in known:
        raise ParameterError(
            parameter=option,
            value=name,
            reason="is not known{suggestion}; choose from {known}",
            suggestion=did_you_mean(name, known),
            known=", ".join(known),
        )
    return name


def _parse_parameter(name: str, text: Any, classes: Sequence[Any]) -> Any:
    if not isinstance(text, str):
        return text
    if name in STRATEGIES:
        return parse_strategy(name, text)
    if name == "bounds":
        return _parse_bounds(text)
    if "=" in text and name == "class_weight":
        return parse_by_class(name, text, classes)
    if "=" in text:
        return parse_pairs(name, text)
    return parse_literal(text)


def _parse_bounds(text: str) -> Any:
    """Return one pair, ``0,1``, or several, ``[0,1],[0,9]``; otherwise the text itself."""
    try:
        return json.loads(f"[{text}]")
    except ValueError:
        return text
