"""Options that several commands share, and the decorator that makes a command of a function.

Options come in groups (columns, reading, operating point, parameters of an estimator). A command
receives each group as one dict of the options that were given.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from roctree.cli.values import OptionWording, option_name
from roctree.errors import DataError, ParameterError, ParameterWarning

FILE_FORMATS = "CSV, TSV, Parquet, Feather or ARFF, optionally compressed; - for standard input."
Data = Annotated[str, typer.Argument(metavar="DATA", help=FILE_FORMATS)]
LabelledFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Labelled data in a format that fit reads; several files, folders of Parquet files "
        "or glob patterns are evaluated together.",
    ),
]
OptionalData = Annotated[
    str | None, typer.Argument(metavar="DATA", help="Labelled data in a format that fit reads.")
]
OptionalFiles = Annotated[
    list[str], typer.Argument(metavar="DATA", help="Labelled data, as for evaluate.")
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file written by fit, prune or at.")
]
Output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Output file.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the classes. Default: the training target, or the only column whose "
        "values are classes.",
    ),
]
TrainingTarget = Annotated[
    str, typer.Option("--target", metavar="COLUMN", help="Column with the classes to predict.")
]
Weight = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column with row weights: weight k counts as k rows."),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers read the Parquet files."),
]
Folds = Annotated[int, typer.Option(metavar="NUMBER", help="Number of folds.")]
Repeats = Annotated[
    int, typer.Option(metavar="NUMBER", help="Number of repetitions with new folds.")
]


@dataclass(frozen=True)
class Choice:
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
    "nominal": Choice("Columns to treat as nominal.", "COLUMNS", many=True),
    "numeric": Choice("Columns to treat as numeric.", "COLUMNS", many=True),
    "ignore": Choice("Columns to ignore.", "COLUMNS", many=True),
}
READING = {
    "delimiter": Choice("Delimiter of a text file, if it is not detected.", "CHARACTER"),
    "decimal": Choice("Decimal mark of a text file. [.]", "CHARACTER"),
    "encoding": Choice("Encoding of a text file, such as latin-1. [utf8]", "NAME"),
    "missing_value": Choice("Additional spelling of a missing value.", "TEXT", many=True),
}
OPERATING = {
    "positive": Choice("Positive class of two. Default: the last in sorted order.", "CLASS"),
    "cost_fp": Choice("Cost of a false positive."),
    "cost_fn": Choice("Cost of a false negative."),
    "cost_matrix": Choice("Costs [predicted][true] as JSON, by position or by class.", "JSON"),
    "prior": Choice(
        "Share of positives where the model is used, or of each class: ill=0.1,well=0.9.",
        "SHARES",
    ),
    "max_fpr": Choice("Highest true positive rate with at most this false positive rate.", "RATE"),
    "min_tpr": Choice("Lowest false positive rate with at least this true positive rate.", "RATE"),
    "beta": Choice("Highest F-measure with this beta."),
    "threshold": Choice("Lowest probability that is labelled positive.", "PROBABILITY"),
    "randomise": Choice(
        "Reach the rate exactly by randomising some labels.", flag=True, only_on=True
    ),
    "counts": Choice(
        "Choose by training counts or by smoothed counts.",
        "NAME",
        choices=("training", "smoothed"),
    ),
    "random_state": Choice("Seed of randomised labels.", "SEED"),
}
COSTS = {name: OPERATING[name] for name in ("positive", "cost_fp", "cost_fn", "cost_matrix")}
_COMMON = {
    "json": Choice("Print JSON.", flag=True, only_on=True),
    "debug": Choice("Show the traceback of an error.", flag=True, only_on=True),
}


def command(**groups: Mapping[str, Choice]) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a command of a function that returns a ``Report``, or None if it printed its result.

    Parameters
    ----------
    **groups : mapping of str to Choice
        Groups of options. The function receives each as a keyword argument, a dict of the options
        that were given. A function with an argument ``as_json`` also receives whether ``--json``
        was given.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        every = {**groups, "_common": _COMMON}
        arguments = signature(function).parameters
        own = [each for each in arguments.values() if each.name not in (*groups, "as_json")]
        added = [
            Parameter(
                name, Parameter.KEYWORD_ONLY, default=None, annotation=choice.annotation(name)
            )
            for choices in every.values()
            for name, choice in choices.items()
        ]
        parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own] + added
        wording = OptionWording([each.name for each in parameters])

        @wraps(function)
        def called(**given: Any) -> None:
            gathered = {group: _take(given, choices) for group, choices in every.items()}
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
_INPUTS = ("model", "data", "validation", "training")
_REPLACE_MODELS = ("prune", "at")
# Commands whose output may go to standard output; the others print a report there.
_WRITE_STREAMS = ("predict", "export")


def check_output(command_name: str, given: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` if the output of a command would overwrite one of its inputs."""
    output = given.get("output") or given.get("plot")
    if output == "-" and command_name not in _WRITE_STREAMS:
        raise ParameterError("-o - is not possible here: give the name of a file.")
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
