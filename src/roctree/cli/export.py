"""A tree for other programs."""

import sys
from base64 import b64encode
from typing import Annotated, Any

import typer

import roctree
from roctree.cli.methods import method_of
from roctree.cli.options import OPERATING, Model, Output, Report, command
from roctree.cli.relabelled import relabelled
from roctree.cli.writing import STANDARD_OUTPUT, written
from roctree.errors import ParameterError

FORMS = ("text", "rules", "sql", "dot", "onnx")
Form = Annotated[
    str,
    typer.Option(
        "--to", metavar="FORM", help=f"{', '.join(FORMS)}.", autocompletion=lambda: list(FORMS)
    ),
]
Dialect = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of SQL, such as duckdb or postgres.")
]

Rows = Annotated[
    str | None, typer.Option(metavar="NAME", help="The table of the rows in SQL; else cases.")
]
Keep = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="What SQL hands on of a row, such as a key.")
]


@command(operating=OPERATING)
def export(
    model: Model,
    form: Form,
    output: Output = None,
    dialect: Dialect = None,
    table: Rows = None,
    keep: Keep = None,
    *,
    operating: dict[str, Any],
    as_json: bool,
) -> Report | None:
    """Write a tree as text, rules, SQL, a graph of Graphviz, or ONNX.

    Example:
      roctree export tree.json --to sql -o tree.sql
    """
    tree = relabelled(roctree.load(model), operating)
    if form not in FORMS:
        raise ParameterError(f"--to is {form!r}: choose from {', '.join(FORMS)}.")
    of_sql = {"dialect": dialect, "table": table, "keep": keep and keep.split(",")}
    of_sql = {name: value for name, value in of_sql.items() if value is not None}
    if of_sql and form != "sql":
        name = next(iter(of_sql))
        raise ParameterError(f"--{name} is one of SQL, and --to is {form!r}: leave it out.")
    options: dict[str, Any] = {"text": {"head": True}, "sql": of_sql}
    found = method_of(tree, f"to_{form}")(**options.get(form, {}))
    content = _as_bytes(found)
    if as_json and output is None:
        return Report({"form": form, **_as_text(found, content)})
    if output is None and not isinstance(found, str) and sys.stdout.isatty():
        raise ParameterError(f"{form} is for machines, and this is a terminal: name a file by -o.")
    with written(output or STANDARD_OUTPUT) as file:
        file.write(content)
    facts = {"form": form, "output": output}
    return None if output is None else Report(facts, [f"Written: {output}"])


def _as_bytes(found: Any) -> bytes:
    if not isinstance(found, str):
        return bytes(found.SerializeToString())
    return found.encode("utf-8", "backslashreplace") + b"\n"


def _as_text(found: Any, content: bytes) -> dict[str, str]:
    """What was asked for as JSON can hold it."""
    return {"text": found} if isinstance(found, str) else {"base64": b64encode(content).decode()}
