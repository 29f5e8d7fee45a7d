"""The command line: each command is a few lines on top of the library."""

import atexit
import errno
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError
from roctree.garbage_collection import paused_garbage_collection
from roctree.text import did_you_mean

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


_WITHOUT_PANDAS = ("describe", "evaluate", "predict", "labellings", "at", "export", "explore")
# Commands that fit need this much address space to import scikit-learn, in bytes.
_MIN_ADDRESS_SPACE = 1 << 30


class PandasRefused(MetaPathFinder):
    """Import hook that hides pandas, as if it were not installed.

    pyarrow imports it to test whether values are pandas objects, which takes half a second.
    """

    def find_spec(self, fullname: str, *_: Any) -> None:
        """Raise ``ModuleNotFoundError`` for pandas; leave other modules to other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError("This command does not use pandas.", name=fullname)


class CommandGroup(TyperGroup):
    """The commands by name; a command is imported when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        with paused_garbage_collection():
            module = import_module(f"roctree.cli.{COMMANDS[cmd_name].module}")
        single = typer.Typer(add_completion=False, **SETTINGS)
        single.command(cmd_name)(getattr(module, cmd_name.replace("-", "_")))
        return get_command(single)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with; suggest one if there is none."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            raise ParameterError(
                f"there is no command {name!r}{did_you_mean(name, COMMANDS)}; the commands are "
                f"{', '.join(COMMANDS)}."
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the overview of the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


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


def script() -> NoReturn:
    """Run the command line as a process that ends as soon as the command has.

    A thread of pyarrow that still reads ahead at interpreter shutdown would abort the process,
    because it waits for the interpreter lock in C++ code.
    """
    code = 1
    try:
        if sys.argv[1:2] and sys.argv[1] in _WITHOUT_PANDAS:
            sys.meta_path.insert(0, PandasRefused())
        elif sys.argv[1:2] and sys.argv[1] in COMMANDS:
            _check_address_space()
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
    with suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _check_address_space() -> None:
    """Exit where a limit such as ``ulimit -v`` leaves too little memory to import scikit-learn.

    OpenBLAS, which SciPy loads, would wait forever for memory.
    """
    try:
        import resource
    except ImportError:  # only POSIX has such limits
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit not in (resource.RLIM_INFINITY, -1) and limit < _MIN_ADDRESS_SPACE:
        typer.echo(
            f"Error: there is not enough memory: this process is limited to {limit >> 20} MB, but "
            f"needs at least {_MIN_ADDRESS_SPACE >> 20} MB; raise the limit (ulimit -v).",
            err=True,
        )
        sys.exit(USAGE_ERROR)


def main() -> None:
    """Run the command line; an error prints one sentence and exits with code 2."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    _prepare_streams()
    try:
        with termination_as_exit():
            code = app(prog_name="roctree", standalone_mode=False)
            sys.stdout.flush()
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


def _prepare_streams() -> None:
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        # The next file that is opened would take its place.
        typer.echo("Error: standard output is closed: send it to a file or to /dev/null.", err=True)
        sys.exit(USAGE_ERROR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Characters that the terminal cannot encode are escaped.
            stream.reconfigure(errors="backslashreplace")


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
        about = getattr(getattr(error, "param", None), "help", None)
        if about and message.startswith("Missing"):
            first = about[0].lower() if about[1:2].islower() else about[0]
            message = f"{message.rstrip('.')}: {first}{about[1:]}"
        return message if message.startswith("Usage") else f"Error: {message}"
    if _is_out_of_memory(error):
        return (
            "Error: there is not enough memory: leave out columns with --ignore, use fewer rows, "
            "or convert the data to Parquet, which --splits binned reads in parts."
        )
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        if error.filename and error.strerror == os.strerror(errno.ENOENT):
            return (
                f"Error: there is no file {str(error.filename)!r}{_similar_file(error.filename)}."
            )
        return f"Error: {place}{error.strerror or error}."
    if isinstance(error, UnicodeEncodeError):  # a lone surrogate
        surrogate = error.object[error.start : error.end]
        return f"Error: {surrogate!r} is not a valid character: rename what contains it."
    known = (DataError, ModelFileError, ParameterError, ImportError)
    # By name: importing scikit-learn for its exception would take longer than the command.
    not_fitted = type(error).__name__ == "NotFittedError"
    return f"Error: {error}" if isinstance(error, known) or not_fitted else None


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether memory was exhausted, also while a library was loaded."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    # The last is the message of the import system if it cannot allocate memory.
    signs = ("cannot allocate memory", "failed to map segment", "error return without exception")
    return any(
        isinstance(each, MemoryError) or any(sign in str(each).casefold() for sign in signs)
        for each in causes
        if isinstance(each, MemoryError | ImportError | OSError | SystemError)
    )


def _similar_file(path: Any) -> str:
    """Suggest a file of the same folder whose name is similar."""
    wanted = Path(os.fsdecode(path))
    with suppress(OSError):
        return did_you_mean(wanted.name, [each.name for each in wanted.parent.iterdir()])
    return ""


def _show_warning(message: Warning | str, *_: Any) -> None:
    typer.echo(f"Warning: {message}", err=True)
