"""The command line: each command is a few lines on top of the library."""

import gc
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError

USAGE_ERROR, INTERRUPTED, TERMINATED = 2, 130, 143
SETTINGS: dict[str, Any] = {
    # Plain help text: rich takes longer to import than everything else.
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class CommandEntry(NamedTuple):
    """Module of a command, and its line in the overview."""

    module: str
    summary: str


# Modules are imported when their command is called, because most of them load numba.
COMMANDS = {
    "demo": CommandEntry("demo", "Compare criteria on breast-cancer data and show a tree."),
    "fit": CommandEntry("fit", "Grow a tree from a data file."),
    "describe": CommandEntry("models", "Show the tree, columns and operating point of a model."),
    "evaluate": CommandEntry("evaluate", "Evaluate a model: AUC, ROC hull, labellings, costs."),
    "predict": CommandEntry("predict", "Predict labels and scores for the rows of a file."),
    "labellings": CommandEntry("evaluate", "List the labellings that are optimal for some costs."),
    "at": CommandEntry("models", "Set the operating point: costs, rates or a threshold."),
    "prune": CommandEntry("models", "Prune a tree."),
    "export": CommandEntry("models", "Export a tree as text, rules, SQL, DOT or ONNX."),
    "explore": CommandEntry("models", "Write an interactive HTML page of a model."),
    "compare": CommandEntry("compare", "Compare strategies by repeated cross-validation."),
    "frontier": CommandEntry("compare", "Show how quality depends on the number of leaves."),
    "warm-up": CommandEntry("demo", "Compile the kernels ahead of their first use."),
}


class CommandGroup(TyperGroup):
    """The commands by name; a command is imported when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = _import_quickly(f"roctree.cli.{COMMANDS[cmd_name].module}")
        single = typer.Typer(add_completion=False, **SETTINGS)
        single.command(cmd_name)(getattr(module, cmd_name.replace("-", "_")))
        return get_command(single)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the overview of the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


def _import_quickly(module: str) -> Any:
    """Import a module without garbage collection, which finds little during imports."""
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()


app = typer.Typer(cls=CommandGroup, no_args_is_help=True, **SETTINGS)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"roctree {__version__}")
        raise typer.Exit


@app.callback()
def roctree(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Readable decision trees that rank well.

    Every command has --help with an example, --json and --debug.
    """


def main() -> None:
    """Run the command line; an error prints one sentence and exits with code 2."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Characters that the terminal cannot encode are escaped.
            stream.reconfigure(errors="backslashreplace")
    try:
        with termination_as_exit():
            code = app(prog_name="roctree", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as end:
        code = end.code
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        if "--debug" in sys.argv:
            traceback.print_exc()
        typer.echo(message, err=True)
        sys.exit(USAGE_ERROR)
    if code in (INTERRUPTED, TERMINATED):
        typer.echo("Stopped.", err=True)
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def termination_as_exit() -> Iterator[None]:
    """Turn SIGTERM, as sent by schedulers and ``timeout``, into an exit that closes open files."""

    def leave(*_: Any) -> None:
        # ``timeout`` signals the process and then its group: once is enough.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is leave:
            signal.signal(signal.SIGTERM, before)


def _message(error: Exception) -> str | None:
    """Return the message of an error that the user can correct, None for a bug."""
    if hasattr(error, "format_message"):  # a typer error: unknown options, missing arguments
        message = str(error.format_message())
        return message if message.startswith("Usage") else f"Error: {message}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"Error: {place}{error.strerror or error}."
    if isinstance(error, UnicodeEncodeError):  # a lone surrogate
        surrogate = error.object[error.start : error.end]
        return f"Error: {surrogate!r} is not a valid character: rename what contains it."
    known = (DataError, ModelFileError, ParameterError, ImportError)
    # By name: importing scikit-learn for its exception would take longer than the command.
    not_fitted = type(error).__name__ == "NotFittedError"
    return f"Error: {error}" if isinstance(error, known) or not_fitted else None


def _show_warning(message: Warning | str, *_: Any) -> None:
    typer.echo(f"Warning: {message}", err=True)
