"""What the library says in words of Python, said in those of the command line.

Errors and warnings name parameters, ``max_fpr=0.1``; who types a command knows options,
``--max-fpr 0.1``. Each command translates by the options that it has.
"""

import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from roctree.errors import DataError, ParameterError

# Options that would otherwise be those of columns and of operating points.
RENAMED = {"nominal": "nominal_splits", "threshold": "split_threshold"}
# Parameters whose options have names of their own.
_OPTIONS = {
    "X_val and y_val": "validation",
    "X and y to pruned": "training",
    "the X and y, and sample_weight, that the tree was fitted on": "training",
    "X and y": "training",
    "sample_weight": "weight",
    "categorical_features": "nominal",
    "random_state": "seed",
    "n_jobs": "jobs",
}
# What is an option of another command where it is none of this.
_OF_AT = ("cost_fp", "cost_fn", "cost_matrix", "prior", "max_fpr", "min_tpr", "randomise")
# Names of one word are left alone, as they may be words of a sentence, but for these.
_SINGLE = ("prior", "beta", "randomise")
_PHRASES = {
    "use at(...)": "use roctree at",
    "use ranked('leaf') first": "fit with --ranking leaf",
    "to fit as pruning": "to fit as --pruning",
    "a dict of weights such as {'ill': 5, 'well': 1}": "weights such as ill=5,well=1",
    "a dict of such numbers by name": "such numbers by name",
    "say which is positive": "say by --positive which is",
    ", or (X, y) of cases held out": "",
    "give True or False": "give it or leave it out",
}
_VALUE = r"'[^']*'|\"[^\"]*\"|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|[^\s,;:()]*[^\s,;:().]"
_FRAGMENT = re.compile(
    "|".join([
        r"(?P<phrase>" + "|".join(map(re.escape, _PHRASES)) + ")",
        r"(?<!\w)(?P<quoted>'[^']*'|\"[^\"]*\")",
        r"(?P<strategy>\b[A-Z]\w+)\((?P<settings>[^()]*)\)",
        r"\b\w+\((?:X, )?(?P<argument>\w+)=\.\.\.\)",
        r"(?<![\w/.-])(?P<name>\w+)=(?P<value>" + _VALUE + ")",
        r"(?<![\w/.-])(?P<alone>" + "|".join(map(re.escape, _OPTIONS)) + r"|\w+)(?![\w(=\[/]|\.\w)",
    ])
)  # fmt: skip
_CAMELS = re.compile(r"(?:[A-Z][a-z0-9]+){2,}")
_WORDS = {"None": "none", "True": "true", "False": "false"}


def in_options(message: str, options: Collection[str]) -> str:
    """Return a message that names options where it named parameters of Python.

    Parameters
    ----------
    message : a sentence of the library
    options : names of those that the command has, as Python would write them

    Examples
    --------
    >>> in_options("max_fpr=0.1 does not depend on prior.", ["max_fpr", "prior"])
    '--max-fpr 0.1 does not depend on --prior.'
    >>> in_options("use at(cost_matrix=...), or give X_val and y_val", ["validation"])
    'use roctree at --cost-matrix, or give --validation'
    >>> in_options("CrossValidation(folds=1) makes no sense.", ["folds"])
    '--folds 1 makes no sense.'
    """

    def said(found: re.Match[str]) -> str:
        if found["phrase"]:
            return _PHRASES[found["phrase"]]
        if found["quoted"]:  # names and texts of the user
            return found[0]
        if found["strategy"]:
            typed = _strategy(found["strategy"], found["settings"])
            return typed or _settings(found["settings"], options) or found[0]
        if found["argument"]:
            return _option(found["argument"], options) or found[0]
        if found["name"]:
            option = _option(found["name"], options)
            return f"{option}{_typed(found['value'])}" if option else found[0]
        word = found["alone"]
        if _CAMELS.fullmatch(word):
            return _strategy(word, "") or word
        if "_" not in word and word not in _SINGLE:
            # At the beginning of a sentence "None" is a word of it.
            return _WORDS.get(word, word) if found.start() > 0 else word
        return _option(word, options) or word

    return _FRAGMENT.sub(said, message)


@contextmanager
def said_in_options(options: Collection[str]) -> Iterator[None]:
    """Translate the errors and the warnings of the library."""
    shown = warnings.showwarning

    def show(message: Warning | str, *rest: Any, **more: Any) -> None:
        shown(in_options(str(message), options), *rest, **more)

    warnings.showwarning = show
    try:
        yield
    except (DataError, ParameterError) as error:
        error.args = (in_options(str(error), options),)
        raise
    finally:
        warnings.showwarning = shown


def spelled(name: str) -> str:
    """Return the option of a parameter."""
    return "--" + name.replace("_", "-")


def _option(name: str, options: Collection[str]) -> str | None:
    """The option that a parameter has, of this command or of ``at``; None if there is none."""
    for known in (RENAMED.get(name), name, _OPTIONS.get(name)):
        if known in options:
            return spelled(str(known))
    return f"roctree at {spelled(name)}" if name in _OF_AT else None


def _typed(value: str) -> str:
    """A value as it is typed after its option; a flag is on without one."""
    bare = value[1:-1] if re.fullmatch(r"'[\w.-]+'", value) else value
    return "" if bare == "True" else f" {_WORDS.get(bare, bare)}"


def spelled_strategy(value: Any) -> Any:
    """Return a strategy as it is typed, ``minimum_error:m=8``; any other value as it is."""
    name = _names_of_strategies().get(type(value).__name__)
    if name is None:
        return value
    options = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
    given = [
        f"{option}={now}"
        for option, (now, usual) in options.items()
        if now != usual and isinstance(now, str | int | float)
    ]
    return ":".join([name, *given])


def _strategy(kind: str, settings: str) -> str | None:
    """A strategy with its options as they are typed; None if there is none of that kind."""
    name = _names_of_strategies().get(kind)
    given = [part.replace("'", "") for part in settings.split(", ") if part]
    return None if name is None else ":".join([name, *given])


def _settings(settings: str, options: Collection[str]) -> str | None:
    """Settings of an object that has no name on the command line; None unless all are options."""
    pairs = [part.partition("=") for part in settings.split(", ") if part]
    known = [(_option(name, options), value) for name, _, value in pairs]
    if not known or not all(option for option, _ in known):
        return None
    return " ".join(f"{option}{_typed(value)}" for option, value in known)


def _names_of_strategies() -> dict[str, str]:
    """What the strategies are called, by the names of their classes."""
    # Loaded when something is to be said of them: help is there before they would be.
    from roctree import criteria, pruning, smoothing

    registries = (criteria.CRITERIA, smoothing.SMOOTHING, pruning.PRUNING)
    return {type(each).__name__: name for known in registries for name, each in known.items()}
