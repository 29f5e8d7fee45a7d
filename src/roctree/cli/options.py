"""Options of the commands: their names and values, those that commands share, and the decorator.

Reading: ``0.5`` is a number, ``ill=5,well=1`` a dict, ``minimum_error:m=8`` a pruner. Writing:
errors and warnings of the library name parameters, ``max_fpr=2``; ``OptionWording`` words them
with the options of a command, ``--max-fpr 2``.

Options come in groups (columns, reading, operating point, parameters of an estimator).
``@command`` turns a function into a command; the function receives each group as one dict of the
options that were given.
"""

import json
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from roctree.errors import DataError, ParameterError, ParameterWarning, Wording
from roctree.strategy import choices_of, configure, lookup
from roctree.text import did_you_mean

STRATEGY_PARAMETERS = ("criterion", "smoothing", "pruning", "points")
# Parameters of estimators whose options have other names: some are taken by options of columns and
# of operating points, and --max-leaves is shorter.
RENAMED = {
    "max_leaf_nodes": "max_leaves",
    "nominal": "nominal_splits",
    "threshold": "split_threshold",
}


def option_name(name: str) -> str:
    """Return how an option is typed.

    >>> option_name("max_fpr")
    '--max-fpr'
    """
    return "--" + name.replace("_", "-")


def registry(parameter: str) -> dict[str, Any]:
    """Return the strategies that a parameter accepts, by name."""
    # Imported on demand: these modules load numba, which not every command needs.
    from roctree import criteria, points, pruning, smoothing

    registries: dict[str, dict[str, Any]] = {
        "criterion": criteria.CRITERIA,
        "smoothing": smoothing.SMOOTHING,
        "pruning": pruning.PRUNING,
        "points": points.POINTS,
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
    from roctree.data import category_text

    for label in classes:
        if category_text(label) == text:
            return label
    raise ParameterError(
        parameter=name,
        value=text,
        reason="is not a class{suggestion}; the classes are {classes}",
        suggestion=did_you_mean(text, map(category_text, classes)),
        classes=", ".join(map(category_text, classes)),
    )


def parse_by_class(name: str, text: str, classes: Sequence[Any]) -> dict[Any, float]:
    """Return numbers by class label, as in ``ill=5,well=1``."""
    numbers = parse_pairs(name, text)
    return {parse_class(name, key, classes): value for key, value in numbers.items()}


def parse_strategy(name: str, text: str) -> Any:
    """Return a criterion, smoother, pruner or points, as in ``minimum_error:m=8:prior=uniform``.

    A name without options stays a string, as it would be given in Python. A number of points
    means curves for that many attributes.
    """
    from roctree.criteria import ALIASES  # on demand, as in ``registry``

    if name == "points" and (text.isdecimal() or text == "none"):
        most = parse_literal(text)
        return (
            None if most is None else configure(registry(name)["curves"], {"max_attributes": most})
        )

    first, *rest = text.split(":")
    first = ALIASES.get(first, first) if name == "criterion" else first
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
        # "none" is the name of a choice for some options, and no value for others.
        options[key] = value if value in choices_of(strategy, key) else parse_literal(value)
    return configure(strategy, options) if options else first


_NUMBERS = (
    *("cost_fp", "cost_fn", "cost_reject", "max_fpr", "min_tpr", "beta", "threshold"),
    "random_state",
)


def parse_operating_point(given: Mapping[str, Any], classes: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments of ``at(...)`` that the options of an operating point stand for."""
    found = dict(given)
    for name in _NUMBERS:
        if name in found:
            found[name] = parse_number(name, found[name])
    if "positive" in found:
        found["positive"] = parse_class("positive", found["positive"], classes)
    if "prior" in found:
        found["prior"] = _parse_prior(found["prior"], classes)
    if "cost_matrix" in found:
        found["cost_matrix"] = _parse_matrix(found["cost_matrix"], classes)
    return found


def parse_costs(given: Mapping[str, Any], classes: Sequence[Any], class_of_interest: int) -> Any:
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
    positive = asked.get("positive", classes[class_of_interest])
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
    known = (pair for parameter in STRATEGY_PARAMETERS for pair in registry(parameter).items())
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
            "cost_fp", "cost_fn", "cost_matrix", "cost_reject", "prior", "max_fpr", "min_tpr",
            "randomise",
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

    def row(self, row: int) -> str:
        """Return what a row of a file is called, counting from 1 below the names of the columns."""
        return f"row {row + 1}"

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
            if re.fullmatch(r"[\w.,:=-]*\w[\w.,:=-]*", value):
                return value
            return shlex.quote(value) if "'" in value else repr(value)
        if hasattr(value, "dtype"):  # a number of NumPy
            return self._typed(value.item())
        if isinstance(value, Mapping):
            return ",".join(f"{key}={self._typed(item)}" for key, item in value.items())
        if isinstance(value, list | tuple):
            return ",".join(map(self._typed, value))
        spelled = format_strategy(value)
        return spelled if isinstance(spelled, str) else super().value(value)


# Options that several commands share

FILE_FORMATS = (
    "File with the data in CSV, TSV, Parquet, Feather or ARFF, optionally compressed; - for "
    "standard input."
)
DataArgument = Annotated[str, typer.Argument(metavar="DATA", help=FILE_FORMATS)]
LabelledFilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Labelled data in a format that fit reads; several files, folders of Parquet files "
        "or glob patterns are evaluated together.",
    ),
]
OptionalDataArgument = Annotated[
    str | None, typer.Argument(metavar="DATA", help="Labelled data in a format that fit reads.")
]
OptionalFilesArgument = Annotated[
    list[str], typer.Argument(metavar="DATA", help="Labelled data, as for evaluate.")
]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file written by fit, prune or at.")
]
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Output file.")
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the classes. Default: the training target, or the only column whose "
        "values are classes.",
    ),
]
TrainingTargetOption = Annotated[
    str, typer.Option("--target", metavar="COLUMN", help="Column with the classes to predict.")
]
WeightOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column with row weights: weight k counts as k rows."),
]
DaskOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers read the Parquet files."),
]
UnlabelledOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="Unlabelled cases: estimate their class shares, and warn if they have shifted.",
    ),
]
FoldsOption = Annotated[int, typer.Option(metavar="NUMBER", help="Number of folds.")]
RepeatsOption = Annotated[
    int, typer.Option(metavar="NUMBER", help="Number of repetitions with new folds.")
]


@dataclass(frozen=True)
class OptionSpec:
    """An option of a group.

    Parameters
    ----------
    help : str
    metavar : str
        Placeholder for the value in the help text.
    flag : bool
        Whether the option is switched on and off and takes no value.
    only_on : bool
        Whether a flag is off by default, so that no option to switch it off is needed.
    many : bool
        Whether the option may be given several times.
    choices : tuple of str
        Values that a shell can complete.
    """

    help: str
    metavar: str = "NUMBER"
    flag: bool = False
    only_on: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()

    def annotation(self, name: str) -> Any:
        """Return the annotation that makes typer add this option under a name."""
        kind: Any = bool if self.flag else list[str] if self.many else str
        option = typer.Option(
            *([option_name(name)] if self.only_on else []),
            help=self.help,
            metavar=None if self.flag else self.metavar,
            show_default=False,
            autocompletion=self._complete if self.choices else None,
        )
        return Annotated[kind | None, option]

    def _complete(self, incomplete: str) -> list[str]:
        return [choice for choice in self.choices if choice.startswith(incomplete)]


COLUMNS = {
    "nominal": OptionSpec("Columns to treat as nominal.", "COLUMNS", many=True),
    "numeric": OptionSpec("Columns to treat as numeric.", "COLUMNS", many=True),
    "ignore": OptionSpec("Columns to ignore.", "COLUMNS", many=True),
}
READING = {
    "delimiter": OptionSpec("Delimiter of a text file, if it is not detected.", "CHARACTER"),
    "decimal": OptionSpec("Decimal mark of a text file. [.]", "CHARACTER"),
    "encoding": OptionSpec("Encoding of a text file, such as latin-1. [utf8]", "NAME"),
    "missing_value": OptionSpec("Additional spellings of a missing value.", "TEXTS", many=True),
    "thousands": OptionSpec("Mark between groups of three digits, such as ,", "CHARACTER"),
    "dates": OptionSpec(
        "Format of dates that are not like 2024-12-31, such as %d.%m.%Y.", "FORMAT"
    ),
}
OPERATING = {
    "positive": OptionSpec("Positive class. Default: the rarer of two.", "CLASS"),
    "cost_fp": OptionSpec("Cost of a false positive."),
    "cost_fn": OptionSpec("Cost of a false negative."),
    "cost_matrix": OptionSpec("Costs [predicted][true] as JSON, by position or by class.", "JSON"),
    "cost_reject": OptionSpec(
        "Cost of leaving a case undecided, which is done where it is cheapest."
    ),
    "prior": OptionSpec(
        "Share of positives where the model is used, or of each class: ill=0.1,well=0.9.",
        "SHARES",
    ),
    "max_fpr": OptionSpec(
        "Highest true positive rate with at most this false positive rate.", "RATE"
    ),
    "min_tpr": OptionSpec(
        "Lowest false positive rate with at least this true positive rate.", "RATE"
    ),
    "beta": OptionSpec("Highest F-measure with this beta."),
    "threshold": OptionSpec("Lowest probability that is labelled positive.", "PROBABILITY"),
    "randomise": OptionSpec(
        "Reach the rate exactly by randomising some labels.", flag=True, only_on=True
    ),
    "counts": OptionSpec(
        "Choose by training counts or by smoothed counts.",
        "NAME",
        choices=("training", "smoothed"),
    ),
    "random_state": OptionSpec("Seed of randomised labels.", "SEED"),
}
COSTS = {name: OPERATING[name] for name in ("positive", "cost_fp", "cost_fn", "cost_matrix")}
_EVERY_COMMAND = {
    "json": OptionSpec("Print JSON.", flag=True, only_on=True),
    "debug": OptionSpec("Show the traceback of an error.", flag=True, only_on=True),
}


def command(
    **groups: Mapping[str, OptionSpec],
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Turn a function into a command; it returns a ``Report``, or None if it printed its result.

    Parameters
    ----------
    **groups : mapping of str to OptionSpec
        Groups of options. The function receives each as a keyword argument, a dict of the options
        that were given. A function with an argument ``as_json`` also receives whether ``--json``
        was given.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        every = {**groups, "_common": _EVERY_COMMAND}
        arguments = signature(function).parameters
        own = [each for each in arguments.values() if each.name not in (*groups, "as_json")]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=spec.annotation(name))
            for specs in every.values()
            for name, spec in specs.items()
        ]
        parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own] + added
        wording = OptionWording([each.name for each in parameters])

        @wraps(function)
        def called(**given: Any) -> None:
            gathered = {group: _take(given, specs) for group, specs in every.items()}
            as_json = bool(gathered.pop("_common").get("json"))
            if "as_json" in arguments:
                given["as_json"] = as_json
            with _worded(wording):
                check_output(function.__name__, given)
                report = function(**given, **gathered)
            if report is not None:
                report.print(as_json)

        # Without the mark, the lines of an example would be joined to a paragraph.
        called.__doc__ = (getdoc(function) or "").replace("Example:\n", "\b\nExample:\n")
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return decorate


def _take(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove a group from the arguments and return the options that were given."""
    found = {name: given.pop(name) for name in names}
    return {name: value for name, value in found.items() if value not in (None, [])}


@contextmanager
def _worded(wording: OptionWording) -> Iterator[None]:
    """Word the errors and warnings of the library with the options of a command."""
    show = warnings.showwarning

    def show_worded(message: Warning | str, *rest: Any, **more: Any) -> None:
        if isinstance(message, ParameterWarning):
            message = message.worded(wording)
        show(message, *rest, **more)

    warnings.showwarning = show_worded
    try:
        yield
    except (DataError, ParameterError) as error:
        raise type(error)(error.worded(wording)) from error
    finally:
        warnings.showwarning = show


# Arguments that are read, and the commands that may replace the model that they read.
_INPUTS = ("model", "data", "validation", "training", "unlabelled")
_REPLACE_MODELS = ("prune", "at")
# Commands whose output may go to standard output; the others print a report there.
_WRITE_STREAMS = ("predict", "export")


def check_output(command_name: str, given: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` if the output of a command would overwrite one of its inputs."""
    output = given.get("output") or given.get("plot")
    if output == "-" and command_name not in _WRITE_STREAMS:
        raise ParameterError("-o - is not possible here: give the name of a file.")
    if output not in (None, "-") and not Path(output).absolute().parent.is_dir():
        folder = str(Path(output).parent)
        raise ParameterError(f"-o {output}: there is no folder {folder!r}: create it.")
    if output is None or not Path(output).is_file():
        return
    for name in _INPUTS:
        if name == "model" and command_name in _REPLACE_MODELS:
            continue
        paths = given.get(name) or []
        for path in [paths] if isinstance(paths, str) else paths:
            if Path(path).is_file() and Path(path).samefile(output):
                raise ParameterError(
                    f"{output!r} is an input of this command: write to another file."
                )
