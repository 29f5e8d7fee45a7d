"""The parameters of the estimators as options, with names, defaults and help from the library."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import roctree
from roctree import presets
from roctree.cli.options import (
    RENAMED,
    STRATEGIES,
    Choice,
    OptionWording,
    option_name,
    parse_by_class,
    parse_literal,
    parse_pairs,
    parse_strategy,
    registry,
)
from roctree.errors import ParameterError
from roctree.text import did_you_mean

if TYPE_CHECKING:
    from roctree.classifier import FittedClassifier
    from roctree.estimator import ROCTreeClassifier

SYSTEMS = {
    "tree": "ROCTreeClassifier",
    "nbtree": "NaiveBayesTreeClassifier",
    "multiscale": "MultiscaleClassifier",
}
# The tree that is grown without options: one that can be read, and is printed as a whole.
READABLE = {"preset": "readable", "max_leaves": "16", "min_samples_leaf": "5"}
# Options that do not affect the shape of the tree.
_NEUTRAL = ("system", "class_weight", "n_jobs", "points")
# Parameters without an option: columns have options of their own, and cases are not in files.
_WITHOUT_OPTION = ("categorical_features", "keep_cases")
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)((?:\n    .*)*)", re.MULTILINE)
# Options whose values are names, which need no other.
_NAMED = (*STRATEGIES, "preset")
# Placeholders for values that are neither names nor numbers.
_VALUES = {
    "metric": "minmax, standard, or scales such as age=10,pressure=20",
    "class_weight": "balanced, or weights such as ill=5,well=1",
    "bounds": "training, or bounds such as 0,1 or [0,1],[0,9]",
}


# Options


def tree_options(lists: bool = False) -> dict[str, Choice]:
    """Return the options of a tree; with ``lists``, several values may be given at once."""
    preset = Choice(
        f"Start from the parameters of {', '.join(presets.PRESETS)}. Without options of the tree: "
        "readable, with at most 16 leaves.",
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


class Declared(NamedTuple):
    """The default of a parameter, and its type and description in the docstring."""

    default: Any
    type: str
    about: str


def _parameter_options(system: str, lists: bool = False) -> dict[str, Choice]:
    declared = _declared_parameters(SYSTEMS[system])
    wording = OptionWording([RENAMED.get(name, name) for name in declared])
    return {
        RENAMED.get(name, name): _parameter_choice(name, parameter, wording, lists)
        for name, parameter in declared.items()
        if name not in _WITHOUT_OPTION
    }


def _parameter_choice(name: str, declared: Declared, wording: OptionWording, lists: bool) -> Choice:
    default = declared.default
    about = re.sub(r"``(\w+)``", lambda found: wording.parameter(found[1]), declared.about)
    about = about.replace("None", "none")
    if isinstance(default, bool):
        return Choice(about, flag=True)
    shown = "" if default is None else f" [{default}]"
    if name in STRATEGIES:
        names = tuple(registry(name))
        several = "; separate several with commas" if lists else ""
        number = "a number of attributes, " if name == "points" else ""
        about = f"{number}{', '.join(names)}; options as NAME:OPTION=VALUE{several}."
        return Choice(about + shown, "NAME", choices=names)
    listed = re.match(r"\{(.+?)\}", declared.type)
    names = tuple(re.findall(r'"(\w+)"', listed[1])) if listed else ()
    values = _VALUES.get(name, ", ".join(names))
    about = f"{values}. {about}" if values else about
    return Choice(about + shown, "NAME" if names else "VALUE", choices=names)


@cache
def _declared_parameters(estimator: str) -> dict[str, Declared]:
    """Return the parameters of a class, from its source: importing it would load scikit-learn."""
    home = roctree._HOMES[estimator]
    loader: Any = getattr(find_spec(home), "loader", None)
    body = ast.parse(loader.get_source(home)).body
    (kind,) = (each for each in body if isinstance(each, ast.ClassDef) and each.name == estimator)
    document = ast.get_docstring(kind) or ""
    section = document.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    described = {
        name: (type_, " ".join(about.split()))
        for names, type_, about in _ENTRY.findall(section)
        for name in names.split(", ")
    }
    (start,) = (
        each for each in kind.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    )
    defaults = zip(start.args.kwonlyargs, start.args.kw_defaults, strict=True)
    return {
        each.arg: Declared(ast.literal_eval(default or "None"), *described[each.arg])
        for each, default in defaults
    }


# Estimators


def system_from_options(
    given: Mapping[str, Any], classes: Sequence[Any] = ()
) -> "FittedClassifier":
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
    estimator: FittedClassifier = getattr(roctree, SYSTEMS[system])(**values)
    return estimator


def default_options(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that are used without being given: ``READABLE``, or none.

    >>> default_options({"class_weight": "balanced"}), default_options({"criterion": "auc"})
    ({'preset': 'readable', 'max_leaves': '16', 'min_samples_leaf': '5'}, {})
    """
    is_tree = given.get("system", "tree") == "tree"
    return READABLE if is_tree and set(given) <= set(_NEUTRAL) else {}


def tree_from_options(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> "ROCTreeClassifier":
    """Return the tree that options describe; see ``system_from_options``."""
    given = {**default_options(given), **given}
    names = {option: name for name, option in RENAMED.items()}
    values = {
        names.get(option, option): _parse_parameter(names.get(option, option), text, classes)
        for option, text in given.items()
        if option != "preset"
    }
    if "preset" not in given:
        return roctree.ROCTreeClassifier(**values)
    preset = _choose("preset", given["preset"], presets.PRESETS)
    tree: ROCTreeClassifier = presets.PRESETS[preset](**values)
    return tree


def variants(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of every combination of values, by a distinguishing name.

    >>> list(variants({"criterion": "auc,gini", "max_leaves": "8,32", "max_depth": "5"}))
    ['auc max_leaves=8', 'auc max_leaves=32', 'gini max_leaves=8', 'gini max_leaves=32']
    """
    lists = {option: _listed_values(option, text) for option, text in given.items()}
    several = [option for option, texts in lists.items() if len(texts) > 1]
    named = several or [option for option in lists if option in _NAMED]
    found = {}
    for chosen in product(*lists.values()):
        combination = dict(zip(lists, chosen, strict=True))
        words = (
            str(combination[option]) if option in _NAMED else f"{option}={combination[option]}"
            for option in named
        )
        found[" ".join(words) or "default"] = combination
    return found


def _listed_values(option: str, text: Any) -> list[Any]:
    """Return the values that a text lists; pairs such as ill=5,well=1 are one value."""
    is_list = isinstance(text, str) and (option in _NAMED or "=" not in text)
    return text.split(",") if is_list else [text]


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
