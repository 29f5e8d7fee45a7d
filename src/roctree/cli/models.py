"""Commands on a model file: describe, at, prune, export, explore."""

import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Protocol, cast, runtime_checkable

import typer

from roctree.cli.data_files import read_labelled
from roctree.cli.options import (
    OPERATING,
    READING,
    ModelArgument,
    OptionalDataArgument,
    OptionSpec,
    OutputOption,
    TargetOption,
    command,
    format_strategy,
    parse_by_class,
    parse_class,
    parse_number,
    parse_operating_point,
    parse_strategy,
    registry,
)
from roctree.cli.output import (
    SHOWN_DEPTH,
    STANDARD_OUTPUT,
    Report,
    ReportTable,
    open_output,
    shown_tree,
)
from roctree.data import remarks_on_categories
from roctree.data.readers import data_format
from roctree.errors import ModelFileError, ParameterError
from roctree.export import to_dot, to_onnx, to_rules, to_sql
from roctree.files import as_estimator, load_fitted, save
from roctree.fitted import SOFT_REMARK, FittedModel, FittedTree
from roctree.labelling import OperatingPoint, describe_request
from roctree.pruning import PRUNING, Pruner, resolve_pruner
from roctree.text import did_you_mean, pluralize, quote_if_needed
from roctree.tree.text import WHOLE_TREE_LEAVES

# Models and operating points


def load_at(path: str, operating: Mapping[str, Any]) -> FittedModel:
    """Load a model at the operating point given by the options, by default its own."""
    try:
        model = load_fitted(path)
    except ModelFileError as error:
        if data_format(path) is None:
            raise
        raise ModelFileError(
            f"{path} holds data, not a model: give the file that roctree fit has written first, "
            "then the data."
        ) from error
    asked = parse_operating_point(operating, model.classes.tolist())
    return model.at(**asked) if set(asked) - {"positive"} else model


def positive_class(model: FittedModel, operating: Mapping[str, Any]) -> Any:
    """Return the positive class of the options, by default that of the model, or None."""
    classes, point = model.classes.tolist(), model.operating_point
    asked = parse_operating_point(operating, classes)
    if "positive" in asked:
        return asked["positive"]
    if point is not None:
        return point.positive_class
    return classes[model.class_of_interest] if len(classes) == 2 else None


def describe_operating_point(point: OperatingPoint) -> str:
    """Describe an operating point, and which of two classes is positive."""
    known = point.positive_class is not None
    named = f"positive class {quote_if_needed(point.positive_class)}: " if known else ""
    return f"{named}{describe_request(point.labeller)}: {point.achievement}"


def operating_point_facts(point: OperatingPoint) -> dict[str, Any]:
    """Return what was asked of an operating point, and what it achieves."""
    asked = {name: value for name, value in vars(point.labeller).items() if value is not None}
    return {
        "labeller": type(point.labeller).__name__,
        "asked": asked,
        "counts": point.counts,
        "positive": point.positive_class,
        "fpr": point.fpr,
        "tpr": point.tpr,
        "rejected": point.rejected,
        "expected_cost": point.expected_cost,
        "cost_ratio": point.cost_ratio,
        "approximate": point.in_parts,
    }


@runtime_checkable
class HasLeaves(Protocol):
    """A model whose rows reach numbered leaves: a tree or cells, not a Naive Bayes tree."""

    def apply(self, X: Any) -> Any:
        """Return the leaf of each row."""


def check_supported(supported: bool, model: FittedModel, feature: str) -> None:
    """Raise ``ParameterError`` for a feature that only trees have."""
    if not supported:
        raise ParameterError(
            f"A {model.estimator_name} does not support {feature}; a model of fit --system tree "
            "does."
        )


def require_tree(model: FittedModel, feature: str) -> FittedTree:
    """Return a model that is a tree; raise ``ParameterError`` for others."""
    check_supported(isinstance(model, FittedTree), model, feature)
    return cast(FittedTree, model)


# Describe

DepthOption = Annotated[
    int | None,
    typer.Option(
        metavar="LEVELS",
        help="Number of tree levels to show. Default: all of a tree of up to "
        f"{WHOLE_TREE_LEAVES} leaves, {SHOWN_DEPTH} of a larger one.",
    ),
]
SHOWN_CATEGORIES = 6


@command()
def describe(model: ModelArgument, max_depth: DepthOption = None) -> Report:
    """Show the tree, columns, classes and operating point of a model.

    Example:
      roctree describe tree.json
    """
    loaded = load_fitted(model)
    classes, point = loaded.classes.tolist(), loaded.operating_point
    labels = [quote_if_needed(label, within_list=True) for label in classes]
    labelling = loaded.default_labels_text
    if point is not None:
        labelling = describe_operating_point(point)
    soft = f"; {SOFT_REMARK}" if loaded.has_soft_thresholds else ""
    head = (
        f"{loaded.size_text}, grown from {loaded.training}; classes {', '.join(labels)}; "
        f"labels: {labelling}{soft}.\n"
    )
    text = shown_tree(loaded, max_depth)
    return Report(_model_facts(loaded), [head, _schema_table(loaded), text])


class _HasNodes(Protocol):
    """All kinds of models have a tree of nodes, though of different classes."""

    @property
    def tree(self) -> Any:
        """The nodes."""


def _model_facts(model: FittedModel) -> dict[str, Any]:
    names, classes, point = model.schema.names, model.classes.tolist(), model.operating_point
    parameters = {
        name: format_strategy(value)
        for name, value in model.parameters.items()
        if value != model.default_parameters[name]
    }
    facts = {
        "classes": classes,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "training_cases": float(cast(_HasNodes, model).tree.weight[0]),
        "training": asdict(model.training),
        "parameters": parameters,
        "operating_point": None if point is None else operating_point_facts(point),
        "soft_thresholds": model.has_soft_thresholds,
        "columns": dict(zip(names, model.schema.categories, strict=True)),
    }
    if isinstance(model, FittedTree):
        facts["importances"] = dict(zip(names, model.feature_importances, strict=True))
    return facts


def _schema_table(model: FittedModel) -> ReportTable:
    schema = model.schema

    def values(feature: int) -> str:
        categories = schema.categories[feature]
        if categories is None:
            return "dates" if schema.date_unit(feature) else "numbers"
        shown = [quote_if_needed(each, within_list=True) for each in categories[:SHOWN_CATEGORIES]]
        return ", ".join(shown) + ", ..." * (len(categories) > SHOWN_CATEGORIES)

    columns = {
        "column": list(schema.names),
        "values": [values(feature) for feature in range(schema.n_features)],
    }
    if isinstance(model, FittedTree):
        columns["importance"] = [f"{each:.3f}" for each in model.feature_importances]
    return ReportTable(tuple(columns), list(zip(*columns.values(), strict=True)))


# At


@command(operating=OPERATING)
def at(model: ModelArgument, output: OutputOption = None, *, operating: dict[str, Any]) -> Report:
    """Set the operating point of a model and show what it achieves; probabilities do not change.

    Example:
      roctree at tree.json --cost-fp 1 --cost-fn 5 -o careful.json
    """
    if not set(operating) - {"positive"}:
        raise ParameterError("Give an operating point, such as --cost-fp 1 --cost-fn 5.")
    changed = load_at(model, operating)
    point = changed.operating_point
    assert point is not None
    if output is not None:
        save(changed, output)
    saved = f"Wrote {output}" if output else "Not saved: use -o FILE to save the labels."
    facts = operating_point_facts(point) | {"output": output}
    advice = [
        "Predictions may have other rates, because a divided case gets one label: measure them "
        "with roctree evaluate."
    ]
    shown = [describe_operating_point(point), *(advice if point.in_parts else []), saved]
    return Report(facts, shown)


# Prune

MethodOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(registry('pruning'))}; options as NAME:OPTION=VALUE. [pessimistic; with "
        "--sweep minimum_error:m=8]",
        autocompletion=lambda: list(registry("pruning")),
    ),
]
ValidationDataOption = Annotated[
    str | None,
    typer.Option(metavar="DATA", help="Labelled data that were not used for training."),
]
TrainingDataOption = Annotated[
    str | None, typer.Option(metavar="DATA", help="The data that the tree was grown from.")
]
_PRUNING_COSTS = {
    "costs": OptionSpec(
        "Cost of wrongly predicting each class: with ill=1,well=5 it costs 5 to label an ill case "
        "well.",
        "PAIRS",
    ),
    "sweep": OptionSpec(
        "Prune under many cost ratios (miss : false alarm) and show the rates: 'paper' for the 13 "
        "of Bradley and Lovell, 'all' for every ratio at which the tree changes, or ratios such as "
        "0.5,1,2 or 1:2,1:1,2:1. Errors are counted on the validation data, by default on the "
        "training cases.",
        "RATIOS",
    ),
    "positive": OptionSpec("With --sweep, the positive class of two.", "CLASS"),
    "max_fpr": OptionSpec(
        "With --sweep, save the tree with at most this false positive rate.", "RATE"
    ),
    "max_fnr": OptionSpec(
        "With --sweep, save the tree with at most this false negative rate.", "RATE"
    ),
}


@command(costs=_PRUNING_COSTS, reading=READING)
def prune(
    model: ModelArgument,
    output: OutputOption = None,
    method: MethodOption = None,
    validation: ValidationDataOption = None,
    training: TrainingDataOption = None,
    target: TargetOption = None,
    *,
    costs: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Prune a tree. Some methods need validation data, or the training data.

    Example:
      roctree prune tree.json --method minimum_error:m=8 -o small.json
      roctree prune tree.json --sweep all --validation test.csv --max-fpr 0.1 -o small.json
    """
    fitted = load_fitted(model)
    check_supported(isinstance(fitted, HasLeaves), fitted, "pruning")
    tree = as_estimator(fitted)
    if "sweep" in costs:
        rows = None if validation is None else read_labelled(validation, fitted, target, reading)
        cases = {} if rows is None else {"X_test": rows.X, "y_test": rows.y}
        return _sweep(
            tree, parse_strategy("pruning", method or "minimum_error:m=8"), cases, costs, output
        )
    if output is None or set(costs) - {"costs"}:
        raise ParameterError(
            "Give --output FILE to save the pruned tree."
            if output is None
            else "--positive, --max-fpr and --max-fnr are for --sweep: give it as well."
        )
    pruner = parse_strategy("pruning", method or "pessimistic")
    options: dict[str, Any] = {}
    if costs:
        _check_takes_costs(resolve_pruner(pruner))
        options["costs"] = parse_by_class("costs", costs["costs"], fitted.classes.tolist())
    for path, suffix in ((validation, "_val"), (training, "")):
        if path is not None:
            rows = read_labelled(path, fitted, target, reading)
            options |= {f"X{suffix}": rows.X, f"y{suffix}": rows.y}
    smaller = tree.pruned(pruner, **options)
    smaller.save(output)
    before, after = tree.get_n_leaves(), smaller.get_n_leaves()
    used = format_strategy(smaller.pruning_)
    facts = {"leaves_before": before, "leaves": after, "method": used, "output": output}
    sizes = f"{pluralize(before, 'leaf', 'leaves')} to {after}"
    return Report(facts, [f"Pruned by {used} from {sizes}; wrote {output}"])


def _check_takes_costs(pruner: Pruner) -> None:
    """Raise ``ParameterError`` for a method that has no option ``costs``."""
    if not hasattr(pruner, "costs"):
        known = ", ".join(name for name, each in PRUNING.items() if hasattr(each, "costs"))
        raise ParameterError(
            f"--method {format_strategy(pruner)} does not take --costs; the methods that do are "
            f"{known}."
        )


def _sweep(
    tree: Any, pruner: Pruner, cases: dict[str, Any], options: dict[str, Any], output: str | None
) -> Report:
    """Prune under many cost ratios; save the tree of a required rate if there is one."""
    rates = {name: options[name] for name in ("max_fpr", "max_fnr") if name in options}
    if (output is not None) != (len(rates) == 1):
        raise ParameterError(
            "To save a tree, give --output and one of --max-fpr and --max-fnr, which choose it; to "
            "show the rates only, none of them."
        )
    positive = None
    if "positive" in options:
        positive = parse_class("positive", options["positive"], tree.classes_.tolist())
    ratios: Any = {"paper": None, "all": "all"}.get(options["sweep"], options["sweep"])
    if ratios not in (None, "all"):
        ratios = [_ratio(text) for text in ratios.split(",")]
    curve = tree.cost_pruning_curve(ratios, method=pruner, positive=positive, **cases)
    facts: dict[str, Any] = curve.columns() | {"breakpoints": curve.breakpoints, "auc": curve.auc}
    shown = [str(curve), f"Area under these points: {curve.auc:.4f}"]
    if output is not None:
        name, text = next(iter(rates.items()))
        rate = parse_number(name, text)
        point = curve.for_fpr(rate) if name == "max_fpr" else curve.for_fnr(rate)
        smaller = tree.pruned(point.pruner)
        smaller.save(output)
        facts |= {"leaves": smaller.get_n_leaves(), "output": output}
        shown.append(
            f"Pruned at {point.cost_fn:.4g} : {point.cost_fp:.4g} to {facts['leaves']} leaves, FPR "
            f"{point.fpr:.4f}, TPR {point.tpr:.4f}; wrote {output}"
        )
    return Report(facts, shown)


def _ratio(text: str) -> float | tuple[float, float]:
    """Return a cost ratio, 0.5, or the costs of a miss and a false alarm, 1:2."""
    miss, colon, alarm = text.partition(":")
    number = parse_number("sweep", miss)
    return (number, parse_number("sweep", alarm)) if colon else number


# Export

EXPORT_FORMATS = ("text", "rules", "sql", "dot", "onnx")
ExportFormatOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help=f"{', '.join(EXPORT_FORMATS)}.",
        autocompletion=lambda: list(EXPORT_FORMATS),
    ),
]
DialectOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="SQL dialect, such as duckdb or postgres.")
]
SourceTableOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="SQL: the table with the rows. [cases]")
]
KeptColumnsOption = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="SQL: columns to pass through, such as a key.")
]


@command(operating=OPERATING)
def export(
    model: ModelArgument,
    form: ExportFormatOption,
    output: OutputOption = None,
    dialect: DialectOption = None,
    table: SourceTableOption = None,
    keep: KeptColumnsOption = None,
    *,
    operating: dict[str, Any],
    as_json: bool,
) -> Report | None:
    """Export a tree as text, rules, an SQL query, a Graphviz graph or an ONNX model.

    Example:
      roctree export tree.json --to sql -o tree.sql
    """
    loaded = load_at(model, operating)
    if form not in EXPORT_FORMATS:
        raise ParameterError(
            f"--to {form} is not known{did_you_mean(form, EXPORT_FORMATS)}; choose from "
            f"{', '.join(EXPORT_FORMATS)}."
        )
    sql = {"dialect": dialect, "table": table, "keep": keep and keep.split(",")}
    sql = {name: value for name, value in sql.items() if value is not None}
    if sql and form != "sql":
        raise ParameterError(f"--{next(iter(sql))} is only for --to sql: leave it out.")
    found = _exported(loaded, form, sql)
    if isinstance(found, str):
        content = found.encode("utf-8", "backslashreplace") + b"\n"
        as_fact = {"text": found}
    else:
        content = found
        as_fact = {"base64": b64encode(found).decode()}
    if as_json and output is None:
        return Report({"form": form, **as_fact})
    if output is None and not isinstance(found, str) and sys.stdout.isatty():
        raise ParameterError(f"{form} is a binary format: use -o FILE to write it to a file.")
    with open_output(output or STANDARD_OUTPUT) as file:
        file.write(content)
    return None if output is None else Report({"form": form, "output": output}, [f"Wrote {output}"])


def _exported(model: FittedModel, form: str, sql: dict[str, Any]) -> str | bytes:
    if form == "text":
        return model.with_description(model.to_text())
    tree = require_tree(model, f"--to {form}")
    if form == "rules":
        return to_rules(tree)
    if form == "dot":
        return to_dot(tree)
    if form == "sql":
        return to_sql(tree, **sql)
    return bytes(to_onnx(tree).SerializeToString())


# Explore


@command(operating=OPERATING, reading=READING)
def explore(
    model: ModelArgument,
    data: OptionalDataArgument = None,
    output: OutputOption = "tree.html",
    target: TargetOption = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Write an HTML page on which costs can be dragged and the tree relabels itself.

    Example:
      roctree explore tree.json test.csv -o tree.html
    """
    # Imported here: no other command needs the page.
    from roctree.report.explorer import show_or_write

    loaded = load_at(model, operating)
    cases = () if data is None else read_labelled(data, loaded, target, reading)[:2]
    show_or_write(loaded, output, *cases, positive=positive_class(loaded, operating))
    path = Path(str(output)).resolve()
    remarks = remarks_on_categories(loaded.schema, loaded.training.rows)
    shown = [*remarks, f"Wrote {path}: open it in a browser."]
    return Report({"output": output, "remarks": remarks}, shown)
