"""The command line: each command a few lines that call the library."""

import gc
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError

MISUSED, INTERRUPTED, TERMINATED = 2, 130, 143
SETTINGS: dict[str, Any] = {
    # Help is plain text because rich takes longer to import than all the rest.
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}
# Module of each command, and what it does. Most modules import numba, and are loaded when called.
COMMANDS = {
    "demo": ("demo", "Compare criteria on breast-cancer data and show a tree."),
    "fit": ("fit", "Grow a tree from a file of cases."),
    "describe": ("describe", "Show a tree, its columns and where it operates."),
    "evaluate": ("evaluate", "Try a tree on other cases: AUC, hull, labellings, costs."),
    "predict": ("predict", "Label and score the rows of a file."),
    "labellings": ("labellings", "List the labellings that are best for some costs."),
    "at": ("reshape", "Label a tree for costs, rates or a threshold."),
    "prune": ("reshape", "Cut a tree back."),
    "export": ("export", "Write a tree as text, rules, SQL, dot or ONNX."),
    "explore": ("explore", "Write the interactive page of a tree."),
    "compare": ("compare", "Compare strategies by repeated cross-validation."),
    "frontier": ("frontier", "Show what trees of few leaves lose, made small in several ways."),
    "reproduce": ("reproduce", "Run the experiments of the papers, ours beside theirs."),
    "warm-up": ("warm_up", "Compile the kernels, once on a machine."),
}


class Commands(TyperGroup):
    """Commands by name, of which only the one that is called is loaded."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        module = _loaded(f"roctree.cli.{COMMANDS[cmd_name][0]}")
        alone = typer.Typer(add_completion=False, **SETTINGS)
        alone.command(cmd_name)(getattr(module, cmd_name.replace("-", "_")))
        return get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what the commands do, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in COMMANDS.items()])


def _loaded(module: str) -> Any:
    """Import a module without looking for garbage, of which imports make little."""
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()


app = typer.Typer(cls=Commands, no_args_is_help=True, **SETTINGS)


def main() -> None:
    """Run the command line; an error is one sentence and exit code 2."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal may lack letters of names, or of ours; better an escape than no answer.
            stream.reconfigure(errors="backslashreplace")
    try:
        with _termination_as_exit():
            code = app(prog_name="roctree", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as end:
        code = end.code
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        if "--debug" in sys.argv:
            traceback.print_exc()
        typer.echo(sentence, err=True)
        sys.exit(MISUSED)
    if code in (INTERRUPTED, TERMINATED):
        typer.echo("Stopped.", err=True)
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _termination_as_exit() -> Iterator[None]:
    """Let what is open be closed when a scheduler, or ``timeout``, ends the process."""

    def leave(*_: Any) -> None:
        # ``timeout`` tells the process, and then its group: once is enough.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is leave:
            signal.signal(signal.SIGTERM, before)


def _sentence(error: Exception) -> str | None:
    """Return what to tell about an error that a user can mend, None for one of ours."""
    if hasattr(error, "format_message"):  # of typer: a command line that makes no sense
        message = str(error.format_message())
        return message if message.startswith("Usage") else f"Error: {message}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"Error: {place}{error.strerror or error}."
    if isinstance(error, UnicodeEncodeError):  # half a letter, which Python's texts may hold
        return f"Error: {error.object[error.start : error.end]!r} is no letter: rename what has it."
    known = (DataError, ModelFileError, ParameterError, ImportError)
    return f"Error: {error}" if isinstance(error, known) or _not_fitted(error) else None


def _not_fitted(error: Exception) -> bool:
    return isinstance(error, ValueError) and type(error).__name__ == "NotFittedError"


def _show_warning(message: Warning | str, *_: Any) -> None:
    typer.echo(f"Warning: {message}", err=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"roctree {__version__}")
        raise typer.Exit


@app.callback()
def roctree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Grow decision trees that can be read and that rank well.

    Every command has --help with an example, --json for machines and --debug.
    """
