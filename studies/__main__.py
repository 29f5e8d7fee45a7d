"""Command line: ``python -m studies NAME`` runs reproductions and writes their reports."""

import json
import sys
import traceback
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roctree.cli import INTERRUPTED, TERMINATED, USAGE_ERROR, termination_as_exit
from roctree.errors import DataError, ParameterError, Wording
from roctree.experiment import Table
from roctree.text import text_table
from studies import REPRODUCTIONS, descriptions, names_matching
from studies.report import StudyReport
from studies.setting import MissingDataError, Setting
from studies.sources import source_named

EXAMPLES = """examples:
  python -m studies list                     names of all tables and figures
  python -m studies ecml03-table8 --quick    one repeat instead of 20
  python -m studies ecml03                   all tables of a paper, each tree grown once
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Errors that the user can correct are one sentence on standard error and exit code 2. Ctrl-C and
    SIGTERM end the run with exit codes 130 and 143; the next run continues with the stored results.
    """
    options = _parser().parse_args(arguments)
    try:
        with termination_as_exit():
            _run(options)
    except (DataError, ParameterError, ImportError, OSError) as error:
        if options.debug:
            traceback.print_exc()
        print(f"Error: {_sentence(error)}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as end:
        if end.code != TERMINATED:
            raise
        print("Stopped.", file=sys.stderr)
        return TERMINATED
    return 0


class _Options(Wording):
    """Names of parameters on this command line."""

    def parameter(self, name: str) -> str:
        return f"--{name.removeprefix('n_')}"

    def setting(self, name: str, value: Any) -> str:
        return f"{self.parameter(name)} {value}"


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}."
    if isinstance(error, DataError | ParameterError):
        return error.worded(_Options())
    return str(error)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "python -m studies",
        description="Reproduce the tables and figures of five papers, ours beside theirs.",
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("name", metavar="NAME", help="table or figure, paper, 'all' papers, 'quality', or 'list'")
    add(
        "--data",
        metavar="FOLDER",
        help="folder with a manifest, 'openml' or 'builtin'; default: the data of this repository",
    )
    add(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("reproduction"),
        help="folder for results and reports (default: reproduction)",
    )
    add("--quick", action="store_true", help="one repeat; a tenth of the bootstrap samples")
    add(
        "--repeats",
        metavar="NUMBER",
        type=int,
        help="number of repeats instead of the paper's; more can be added later",
    )
    add(
        "--jobs",
        metavar="NUMBER",
        type=int,
        default=-1,
        help="number of processes; -1, the default, for one per core",
    )
    add(
        "--changed",
        choices=("refuse", "keep", "again"),
        default="refuse",
        help="results from before a change of data or code: refuse, keep, or run them again",
    )
    add("--stored", action="store_true", help="run nothing: report the results stored in --out")
    add("--json", action="store_true", help="print the reports as JSON")
    add("--debug", action="store_true", help="print the traceback of an error")
    return parser


def _run(options: Namespace) -> None:
    if options.name == "list":
        known = descriptions()
        _show(known, [text_table(("name", "content"), known.items(), "left")], options.json)
        return
    chosen = names_matching(options.name)
    setting = Setting(
        source_named(options.data),
        options.out,
        options.quick,
        options.repeats,
        options.jobs,
        options.changed,
        progress=sys.stderr.isatty(),
        together=len(chosen) > 1,
        stored=options.stored,
    )
    facts: dict[str, Any] = {}
    for name in chosen:
        try:
            report = REPRODUCTIONS[name](setting)
        except MissingDataError as error:
            if not setting.together:
                raise
            _show({}, [f"{name} was skipped: {error}\n"], options.json)
            continue
        paths = report.write(setting.folder)
        facts[name] = json.loads(report.json())
        _show({}, _shown(report, paths), options.json)
    if options.json:
        _show(facts, [], as_json=True)


def _shown(report: StudyReport, paths: list[Path]) -> list[str | Table]:
    written = f"Written: {', '.join(map(str, paths))}\n"
    return [*report.tables, *(f"- {sentence}" for sentence in report.summary), written]


def _show(facts: dict[str, Any], shown: Sequence[str | Table], as_json: bool) -> None:
    """Print tables and sentences, or the facts as JSON."""
    if as_json:
        if facts:
            print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for part in shown:
        if isinstance(part, str):
            print(part)
        elif sys.stdout.isatty():
            from rich.console import Console

            Console(highlight=False).print(part.rich())
        else:
            sides = ["left", *["right"] * (len(part.columns) - 1)]
            text = text_table(part.columns, part.cells, sides)  # type: ignore[arg-type]
            print("\n".join([*[part.title] * bool(part.title), text, ""]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
