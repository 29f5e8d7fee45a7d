"""A tree for other programs."""

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


@command(operating=OPERATING)
def export(
    model: Model,
    form: Form,
    output: Output = None,
    dialect: Dialect = None,
    *,
    operating: dict[str, Any],
) -> Report | None:
    """Write a tree as text, rules, SQL, a graph of Graphviz, or ONNX.

    Example:
      roctree export tree.json --to sql -o tree.sql
    """
    tree = relabelled(roctree.load(model), operating)
    if form not in FORMS:
        raise ParameterError(f"--to is {form!r}: choose from {', '.join(FORMS)}.")
    options = {} if dialect is None else {"dialect": dialect}
    found = method_of(tree, f"to_{form}")(**options)
    content = found.encode() + b"\n" if isinstance(found, str) else found.SerializeToString()
    with written(output or STANDARD_OUTPUT) as file:
        file.write(content)
    return None if output is None else Report({"output": output}, [f"Written: {output}"])
