"""Commands on a model file: describe, at, prune, export, explore."""

import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

import roctree
from roctree.cli.options import (
    OPERATING,
    READING,
    Choice,
    Model,
    OptionalData,
    Output,
    Target,
    command,
)
from roctree.cli.output import Report, Table
from roctree.cli.reading import read_labelled
from roctree.cli.values import (
    format_strategy,
    parse_by_class,
    parse_operating_point,
    parse_strategy,
    registry,
)
from roctree.cli.writing import STANDARD_OUTPUT, open_output
from roctree.errors import ParameterError
from roctree.export.common import SOFT, default_labelling, has_soft_thresholds, size_of
from roctree.text import did_you_mean, quote_if_needed

# Operating points


def at_operating_point(model: Any, operating: Mapping[str, Any]) -> Any:
    """Return the model at the operating point of the options; unchanged if they ask for none."""
    asked = parse_operating_point(operating, model.classes_.tolist())
    return model.at(**asked) if set(asked) - {"positive"} else model


def positive_class(model: Any, operating: Mapping[str, Any]) -> Any:
    """Return the positive class of the options, by default that of the model, or None."""
    classes, point = model.classes_.tolist(), model.operating_point_
    asked = parse_operating_point(operating, classes)
    if "positive" in asked:
        return asked["positive"]
    if len(classes) != 2:
        return None
    return classes[-1] if point is None else classes[point.positive]


def describe_operating_point(model: Any) -> str:
    """Describe the operating point of a model, and which of two classes is positive."""
    point, classes = model.operating_point_, model.classes_.tolist()
    positive = quote_if_needed(classes[point.positive])
    of_two = f"positive class {positive}: " if len(classes) == 2 else ""
    return of_two + repr(point).removeprefix("<OperatingPoint ").removesuffix(">")


def operating_point_facts(model: Any) -> dict[str, Any]:
    """Return what was asked of the operating point of a model, and what it achieves."""
    point, classes = model.operating_point_, model.classes_.tolist()
    asked = {name: value for name, value in vars(point.labeller).items() if value is not None}
    return {
        "labeller": type(point.labeller).__name__,
        "asked": asked,
        "counts": point.counts,
        "positive": classes[point.positive] if len(classes) == 2 else None,
        "fpr": point.fpr,
        "tpr": point.tpr,
        "expected_cost": point.expected_cost,
        "cost_ratio": point.cost_ratio,
        "approximate": point.in_parts,
    }


def method_of(model: Any, name: str) -> Any:
    """Return a method of a model; raise ``ParameterError`` if its class does not have it."""
    found = getattr(model, name, None)
    if found is None:
        raise ParameterError(
            f"A {type(model).__name__} does not support {name}(); a model of fit --system tree "
            "does."
        )
    return found


# Describe

Depth = Annotated[int, typer.Option(metavar="LEVELS", help="Number of tree levels to show.")]
SHOWN_CATEGORIES = 6


@command()
def describe(model: Model, max_depth: Depth = 3) -> Report:
    """Show the tree, columns, classes and operating point of a model.

    Example:
      roctree describe tree.json
    """
    loaded = roctree.load(model)
    labels = [quote_if_needed(label, within_list=True) for label in loaded.classes_.tolist()]
    has_point = loaded.operating_point_ is not None
    labelling = describe_operating_point(loaded) if has_point else default_labelling(loaded)
    soft = f"; {SOFT}" if has_soft_thresholds(loaded) else ""
    head = (
        f"{size_of(loaded)}, grown from {loaded.training_}; classes {', '.join(labels)}; "
        f"labels: {labelling}{soft}.\n"
    )
    shown = [head, _column_table(loaded), loaded.to_text(max_depth=max_depth)]
    return Report(_model_facts(loaded), shown)


def _model_facts(model: Any) -> dict[str, Any]:
    names, default = model.schema_.names, type(model)().get_params()
    parameters = {
        name: format_strategy(value)
        for name, value in model.get_params().items()
        if value != default[name]
    }
    facts = {
        "classes": model.classes_,
        "leaves": model.get_n_leaves(),
        "depth": model.get_depth(),
        "training_cases": float(model.tree_.weight[0]),
        "training": asdict(model.training_),
        "parameters": parameters,
        "operating_point": None if model.operating_point_ is None else operating_point_facts(model),
        "soft_thresholds": has_soft_thresholds(model),
        "columns": dict(zip(names, model.schema_.categories, strict=True)),
    }
    if hasattr(model, "feature_importances_"):
        facts["importances"] = dict(zip(names, model.feature_importances_, strict=True))
    return facts


def _column_table(model: Any) -> Table:
    def values(categories: tuple[Any, ...] | None) -> str:
        if categories is None:
            return "numbers"
        shown = [quote_if_needed(each, within_list=True) for each in categories[:SHOWN_CATEGORIES]]
        return ", ".join(shown) + ", ..." * (len(categories) > SHOWN_CATEGORIES)

    columns = {"column": model.schema_.names, "values": map(values, model.schema_.categories)}
    if hasattr(model, "feature_importances_"):
        columns["importance"] = [f"{each:.3f}" for each in model.feature_importances_]
    return Table(tuple(columns), list(zip(*columns.values(), strict=True)))


# At


@command(operating=OPERATING)
def at(model: Model, output: Output = None, *, operating: dict[str, Any]) -> Report:
    """Set the operating point of a model and show what it achieves; probabilities do not change.

    Example:
      roctree at tree.json --cost-fp 1 --cost-fn 5 -o careful.json
    """
    if not operating:
        raise ParameterError("Give an operating point, such as --cost-fp 1 --cost-fn 5.")
    changed = at_operating_point(roctree.load(model), operating)
    if output is not None:
        changed.save(output)
    saved = f"Wrote {output}" if output else "Not saved: use -o FILE to save the labels."
    facts = operating_point_facts(changed) | {"output": output}
    return Report(facts, [describe_operating_point(changed), saved])


# Prune

RequiredOutput = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Output file.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(registry('pruning'))}; options as NAME:OPTION=VALUE.",
        autocompletion=lambda: list(registry("pruning")),
    ),
]
ValidationData = Annotated[
    str | None,
    typer.Option(metavar="DATA", help="Labelled data that were not used for training."),
]
TrainingData = Annotated[
    str | None, typer.Option(metavar="DATA", help="The data that the tree was grown from.")
]
_PRUNING_COSTS = {
    "costs": Choice(
        "Cost of wrongly predicting each class: with ill=1,well=5 it costs 5 to label an ill case "
        "well.",
        "PAIRS",
    )
}


@command(costs=_PRUNING_COSTS, reading=READING)
def prune(
    model: Model,
    output: RequiredOutput,
    method: Method = "pessimistic",
    validation: ValidationData = None,
    training: TrainingData = None,
    target: Target = None,
    *,
    costs: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Prune a tree. Some methods need validation data, or the training data.

    Example:
      roctree prune tree.json --method minimum_error:m=8 -o small.json
    """
    tree = roctree.load(model)
    options: dict[str, Any] = {}
    if costs:
        options["costs"] = parse_by_class("costs", costs["costs"], tree.classes_.tolist())
    for path, suffix in ((validation, "_val"), (training, "")):
        if path is not None:
            rows = read_labelled(path, tree, target, reading)
            options |= {f"X{suffix}": rows.X, f"y{suffix}": rows.y}
    smaller = method_of(tree, "pruned")(parse_strategy("pruning", method), **options)
    smaller.save(output)
    before, after = tree.get_n_leaves(), smaller.get_n_leaves()
    pruner = format_strategy(smaller.pruning_)
    facts = {"leaves_before": before, "leaves": after, "method": pruner, "output": output}
    return Report(facts, [f"Pruned by {pruner} from {before} to {after} leaves; wrote {output}"])


# Export

FORMATS = ("text", "rules", "sql", "dot", "onnx")
ExportFormat = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}.",
        autocompletion=lambda: list(FORMATS),
    ),
]
Dialect = Annotated[
    str | None, typer.Option(metavar="NAME", help="SQL dialect, such as duckdb or postgres.")
]
SourceTable = Annotated[
    str | None, typer.Option(metavar="NAME", help="SQL: the table with the rows. [cases]")
]
KeptColumns = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="SQL: columns to pass through, such as a key.")
]


@command(operating=OPERATING)
def export(
    model: Model,
    form: ExportFormat,
    output: Output = None,
    dialect: Dialect = None,
    table: SourceTable = None,
    keep: KeptColumns = None,
    *,
    operating: dict[str, Any],
    as_json: bool,
) -> Report | None:
    """Export a tree as text, rules, an SQL query, a Graphviz graph or an ONNX model.

    Example:
      roctree export tree.json --to sql -o tree.sql
    """
    tree = at_operating_point(roctree.load(model), operating)
    if form not in FORMATS:
        raise ParameterError(
            f"--to {form} is not known{did_you_mean(form, FORMATS)}; choose from "
            f"{', '.join(FORMATS)}."
        )
    sql = {"dialect": dialect, "table": table, "keep": keep and keep.split(",")}
    sql = {name: value for name, value in sql.items() if value is not None}
    if sql and form != "sql":
        raise ParameterError(f"--{next(iter(sql))} is only for --to sql: leave it out.")
    options: dict[str, Any] = {"text": {"head": True}, "sql": sql}
    found = method_of(tree, f"to_{form}")(**options.get(form, {}))
    if isinstance(found, str):
        content = found.encode("utf-8", "backslashreplace") + b"\n"
        as_fact = {"text": found}
    else:
        content = bytes(found.SerializeToString())
        as_fact = {"base64": b64encode(content).decode()}
    if as_json and output is None:
        return Report({"form": form, **as_fact})
    if output is None and not isinstance(found, str) and sys.stdout.isatty():
        raise ParameterError(f"{form} is a binary format: use -o FILE to write it to a file.")
    with open_output(output or STANDARD_OUTPUT) as file:
        file.write(content)
    return None if output is None else Report({"form": form, "output": output}, [f"Wrote {output}"])


# Explore


@command(operating=OPERATING, reading=READING)
def explore(
    model: Model,
    data: OptionalData = None,
    output: Output = "tree.html",
    target: Target = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Write an HTML page on which costs can be dragged and the tree relabels itself.

    Example:
      roctree explore tree.json test.csv -o tree.html
    """
    loaded = at_operating_point(roctree.load(model), operating)
    cases = () if data is None else read_labelled(data, loaded, target, reading)[:2]
    positive = positive_class(loaded, operating)
    method_of(loaded, "explore")(output, *cases, positive=positive)
    return Report({"output": output}, [f"Wrote {output}"])
