"""Options that several commands share, in groups; a command receives a group as one dict."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from roctree.cli.output import Report, show
from roctree.cli.wording import said_in_options, spelled
from roctree.errors import ParameterError

Command = Callable[..., Any]
# What is read, and the commands that may put a model in the place of the one they read.
_READ = ("model", "data", "validation", "training")
_MODELS_OF_MODELS = ("prune", "at")
# What these write is for pipes, too; others print a report there.
_WRITE_PIPES = ("predict", "export")

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="csv, tsv, Parquet, Feather or ARFF, packed or not; - for a pipe."
    ),
]
KnownFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Cases with their classes, as for fit; several files, folders of Parquet files or "
        "patterns count together.",
    ),
]
OptionalData = Annotated[
    str | None, typer.Argument(metavar="DATA", help="Cases with their classes; see fit.")
]
OptionalFiles = Annotated[
    list[str], typer.Argument(metavar="DATA", help="Cases with their classes; see evaluate.")
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A file that fit or prune wrote.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The class; if not said, the column that holds classes."),
]

Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Let the workers of this Dask scheduler read the Parquet files."
    ),
]
Weight = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Weights of the rows: k counts as k rows.")
]
Changed = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Results of before a change: 'refuse', 'keep' or run 'again'."
    ),
]


@dataclass(frozen=True)
class Choice:
    """An option of a group.

    Parameters
    ----------
    help : what it means
    metavar : what is to be given
    flag : whether it is switched on and off, and takes no text
    always_off : whether a flag is off unless given, so that none is needed to switch it off
    many : whether it may be given several times
    choices : what a shell may complete
    """

    help: str
    metavar: str = "NUMBER"
    flag: bool = False
    always_off: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()

    def annotation(self, name: str) -> Any:
        """Return the type of the argument of that name, as typer reads it."""
        kind: Any = bool if self.flag else list[str] if self.many else str
        about = typer.Option(
            *([spelled(name)] if self.always_off else []),
            help=self.help,
            metavar=None if self.flag else self.metavar,
            show_default=False,
            autocompletion=self._complete if self.choices else None,
        )
        return Annotated[kind | None, about]

    def _complete(self, incomplete: str) -> list[str]:
        return [choice for choice in self.choices if choice.startswith(incomplete)]


COLUMNS = {
    "nominal": Choice("Columns whose numbers or texts are names.", "COLUMNS", many=True),
    "numeric": Choice("Columns that hold numbers.", "COLUMNS", many=True),
    "ignore": Choice("Columns to leave out.", "COLUMNS", many=True),
}
READING = {
    "delimiter": Choice("The mark between cells of a text file, if not the usual one.", "MARK"),
    "decimal": Choice("The mark before decimals in a text file.", "MARK"),
    "encoding": Choice("The alphabet of a text file, such as latin-1.", "NAME"),
    "missing_value": Choice("What else stands for a missing value.", "TEXT", many=True),
}
OPERATING = {
    "positive": Choice("The positive class of two; if not said, the last in order.", "CLASS"),
    "cost_fp": Choice("What a false alarm costs."),
    "cost_fn": Choice("What a miss costs."),
    "cost_matrix": Choice("Costs [predicted][true] as JSON, by number or by class.", "JSON"),
    "prior": Choice(
        "The share of positives where the tree is used, or of each class: ill=0.1,well=0.9.",
        "SHARES",
    ),
    "max_fpr": Choice("Find the most positives with so many false alarms.", "RATE"),
    "min_tpr": Choice("Raise the fewest false alarms that find so many positives.", "RATE"),
    "beta": Choice("Choose the labels of the highest F-measure."),
    "threshold": Choice("The least probability that is called positive.", "PROBABILITY"),
    "randomise": Choice("Hit the rate exactly, some labels by chance.", flag=True, always_off=True),
    "counts": Choice(
        "Choose by the training or the smoothed counts.", "NAME", choices=("training", "smoothed")
    ),
    "random_state": Choice("Seed of the labels by chance.", "SEED"),
}
COSTS = {name: OPERATING[name] for name in ("positive", "cost_fp", "cost_fn", "cost_matrix")}
_COMMON = {
    "json": Choice("Answer in JSON.", flag=True, always_off=True),
    "debug": Choice("Show where an error comes from.", flag=True, always_off=True),
}


def command(**groups: Mapping[str, Choice]) -> Callable[[Command], Command]:
    """Make a command of a function that returns a report.

    Parameters
    ----------
    groups : by argument of the function, the options that it receives there as a dict, those that
        were given; a function with an argument ``as_json`` is told whether the answer is JSON
    """

    def decorate(function: Command) -> Command:
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

        @wraps(function)
        def called(**given: Any) -> None:
            gathered = {group: _taken(given, choices) for group, choices in every.items()}
            as_json = bool(gathered.pop("_common").get("json"))
            if "as_json" in arguments:
                given["as_json"] = as_json
            _check_output(function.__name__, given)
            with said_in_options([each.name for each in parameters]):
                report = function(**given, **gathered)
            if report is not None:
                show(report, as_json)

        # Without the mark, lines of an example would be filled up like those of a paragraph.
        called.__doc__ = (getdoc(function) or "").replace("Example:\n", "\b\nExample:\n")
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return decorate


def _check_output(command_name: str, given: Mapping[str, Any]) -> None:
    """Refuse to write a file that is read: the data of a user are the last that may be lost."""
    written = given.get("output") or given.get("plot")
    if written == "-" and command_name not in _WRITE_PIPES:
        raise ParameterError("-o is '-', and what is written here is a file: give its name.")
    if written is None or not Path(written).is_file():
        return
    for name in _READ:
        if name == "model" and command_name in _MODELS_OF_MODELS:
            continue
        paths = given.get(name) or []
        for path in [paths] if isinstance(paths, str) else paths:
            if Path(path).is_file() and Path(path).samefile(written):
                raise ParameterError(f"{written!r} is read, and would be lost: write another file.")


def _taken(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Take a group out of what was given, without what was not said."""
    found = {name: given.pop(name) for name in names}
    return {name: value for name, value in found.items() if value not in (None, [])}


__all__ = [
    "COLUMNS",
    "COSTS",
    "OPERATING",
    "READING",
    "Changed",
    "Choice",
    "Data",
    "KnownFiles",
    "Model",
    "OptionalData",
    "OptionalFiles",
    "Output",
    "Report",
    "Target",
    "Weight",
    "command",
]
