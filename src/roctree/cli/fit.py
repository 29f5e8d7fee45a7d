"""``roctree fit``: grow a tree from a file, or from Parquet files that are read in parts.

The options are the parameters of the estimators, with names, defaults and help from the library.
"""

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

import roctree
from roctree import presets
from roctree.arrays import Floats
from roctree.cli.data_files import (
    column_roles,
    first_other_than_parquet,
    is_folder_or_pattern,
    read_training_file,
    silenced_logs,
)
from roctree.cli.options import (
    COLUMNS,
    FILE_FORMATS,
    READING,
    RENAMED,
    STRATEGY_PARAMETERS,
    DaskOption,
    OptionSpec,
    OptionWording,
    OutputOption,
    TrainingTargetOption,
    WeightOption,
    command,
    option_name,
    parse_by_class,
    parse_class,
    parse_literal,
    parse_pairs,
    parse_strategy,
    registry,
)
from roctree.cli.output import Report, ReportTable, shown_tree
from roctree.data import IdentifierWarning, encode_labels
from roctree.data.lazy import arrow
from roctree.data.readers import cast_columns
from roctree.data.roles import ColumnOptions, ColumnReport, LabelledTable, assign_roles
from roctree.errors import DataError, ParameterError
from roctree.fitted import FittedModel, FittedTree
from roctree.large.batches import common_schema, parquet_files, parquet_rows, reading_errors
from roctree.progress import count_bar, spinner
from roctree.roc import mauc
from roctree.scorecard import FittedScorecard
from roctree.text import did_you_mean, pluralize
from roctree.tree.text import WHOLE_TREE_LEAVES

if TYPE_CHECKING:
    from roctree.classifier import FittedClassifier
    from roctree.estimator import ROCTreeClassifier


SYSTEMS = {
    "tree": "ROCTreeClassifier",
    "nbtree": "NaiveBayesTreeClassifier",
    "multiscale": "MultiscaleClassifier",
}
# The tree that is grown without options: one that can be read, and is printed as a whole.
READABLE = {"preset": "readable", "max_leaves": "16", "min_samples_leaf": "5"}
# Options that do not affect the shape of the tree.
_NEUTRAL = ("system", "class_weight", "n_jobs", "points")
# Parameters without an option: columns have options of their own, and cases are not in files.
_WITHOUT_OPTION = ("categorical_features", "keep_cases")
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)((?:\n    .*)*)", re.MULTILINE)
# Options whose values are names, which need no other.
_NAMED = (*STRATEGY_PARAMETERS, "preset")
# Placeholders for values that are neither names nor numbers.
_VALUES = {
    "metric": "minmax, standard, or scales such as age=10,pressure=20",
    "class_weight": "balanced, or weights such as ill=5,well=1",
    "bounds": "training, or bounds such as 0,1 or [0,1],[0,9]",
}


# Options


def tree_options(lists: bool = False) -> dict[str, OptionSpec]:
    """Return the options of a tree; with ``lists``, several values may be given at once."""
    preset = OptionSpec(
        f"Start from the parameters of {', '.join(presets.PRESETS)}. Without tree options: "
        "readable, with at most 16 leaves.",
        "NAME",
        choices=tuple(presets.PRESETS),
    )
    return {"preset": preset} | _parameter_options("tree", lists)


def system_options() -> dict[str, OptionSpec]:
    """Return the options of all systems; shared ones are described as for the tree."""
    system = OptionSpec(
        "tree, nbtree (naive Bayes models at the leaves) or multiscale (cells). [tree]",
        "NAME",
        choices=tuple(SYSTEMS),
    )
    found = {"system": system} | tree_options()
    for name in SYSTEMS:
        for option, spec in _parameter_options(name).items():
            found.setdefault(option, replace(spec, help=f"For {name}: {spec.help}"))
    return found


class Declared(NamedTuple):
    """The default of a parameter, and its type and description in the docstring."""

    default: Any
    type: str
    about: str


def _parameter_options(system: str, lists: bool = False) -> dict[str, OptionSpec]:
    declared = _declared_parameters(SYSTEMS[system])
    wording = OptionWording([RENAMED.get(name, name) for name in declared])
    return {
        RENAMED.get(name, name): _parameter_spec(name, parameter, wording, lists)
        for name, parameter in declared.items()
        if name not in _WITHOUT_OPTION
    }


def _parameter_spec(
    name: str, declared: Declared, wording: OptionWording, lists: bool
) -> OptionSpec:
    default = declared.default
    about = re.sub(r"``(\w+)``", lambda found: wording.parameter(found[1]), declared.about)
    about = about.replace("None", "none")
    if isinstance(default, bool):
        return OptionSpec(about, flag=True)
    shown = "" if default is None else f" [{default}]"
    if name in STRATEGY_PARAMETERS:
        names = tuple(registry(name))
        several = "; separate several with commas" if lists else ""
        number = "a number of attributes, " if name == "points" else ""
        about = f"{number}{', '.join(names)}; options as NAME:OPTION=VALUE{several}."
        return OptionSpec(about + shown, "NAME", choices=names)
    listed = re.match(r"\{(.+?)\}", declared.type)
    names = tuple(re.findall(r'"(\w+)"', listed[1])) if listed else ()
    values = _VALUES.get(name, ", ".join(names))
    about = f"{values}. {about}" if values else about
    return OptionSpec(about + shown, "NAME" if names else "VALUE", choices=names)


@cache
def _declared_parameters(estimator: str) -> dict[str, Declared]:
    """Return the parameters of a class, from its source: importing it would load scikit-learn."""
    home = roctree._HOMES[estimator]
    loader: Any = getattr(find_spec(home), "loader", None)
    body = ast.parse(loader.get_source(home)).body
    (kind,) = (each for each in body if isinstance(each, ast.ClassDef) and each.name == estimator)
    document = ast.get_docstring(kind) or ""
    section = document.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    described = {
        name: (type_, " ".join(about.split()))
        for names, type_, about in _ENTRY.findall(section)
        for name in names.split(", ")
    }
    (start,) = (
        each for each in kind.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    )
    defaults = zip(start.args.kwonlyargs, start.args.kw_defaults, strict=True)
    return {
        each.arg: Declared(ast.literal_eval(default or "None"), *described[each.arg])
        for each, default in defaults
    }


# Estimators


def system_from_options(
    given: Mapping[str, Any], classes: Sequence[Any] = ()
) -> "FittedClassifier[Any]":
    """Return the classifier that options describe.

    Parameters
    ----------
    given : mapping
        Texts and flags by option.
    classes : sequence
        Class labels, for class weights.
    """
    rest = dict(given)
    system = _choose("system", rest.pop("system", "tree"), SYSTEMS)
    known = tree_options() if system == "tree" else _parameter_options(system)
    for option in rest:
        if option not in known:
            raise ParameterError(
                f"{option_name(option)} is not an option of --system {system}, which has "
                f"{', '.join(map(option_name, known))}."
            )
    if system == "tree":
        return tree_from_options(rest, classes)
    values = {name: _parse_parameter(name, text, classes) for name, text in rest.items()}
    estimator: FittedClassifier[Any] = getattr(roctree, SYSTEMS[system])(**values)
    return estimator


def default_options(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that are used without being given: ``READABLE``, or none.

    >>> default_options({"class_weight": "balanced"}), default_options({"criterion": "auc"})
    ({'preset': 'readable', 'max_leaves': '16', 'min_samples_leaf': '5'}, {})
    """
    is_tree = given.get("system", "tree") == "tree"
    return READABLE if is_tree and set(given) <= set(_NEUTRAL) else {}


def tree_from_options(given: Mapping[str, Any], classes: Sequence[Any] = ()) -> "ROCTreeClassifier":
    """Return the tree that options describe; see ``system_from_options``."""
    given = {**default_options(given), **given}
    names = {option: name for name, option in RENAMED.items()}
    values = {
        names.get(option, option): _parse_parameter(names.get(option, option), text, classes)
        for option, text in given.items()
        if option != "preset"
    }
    if "preset" not in given:
        return roctree.ROCTreeClassifier(**values)
    preset = _choose("preset", given["preset"], presets.PRESETS)
    tree: ROCTreeClassifier = presets.PRESETS[preset](**values)
    return tree


def variants(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of every combination of values, by a distinguishing name.

    >>> list(variants({"criterion": "auc,gini", "max_leaves": "8,32", "max_depth": "5"}))
    ['auc max_leaves=8', 'auc max_leaves=32', 'gini max_leaves=8', 'gini max_leaves=32']
    """
    lists = {option: _listed_values(option, text) for option, text in given.items()}
    several = [option for option, texts in lists.items() if len(texts) > 1]
    named = several or [option for option in lists if option in _NAMED]
    found = {}
    for chosen in product(*lists.values()):
        combination = dict(zip(lists, chosen, strict=True))
        words = (
            str(combination[option]) if option in _NAMED else f"{option}={combination[option]}"
            for option in named
        )
        found[" ".join(words) or "default"] = combination
    return found


def _listed_values(option: str, text: Any) -> list[Any]:
    """Return the values that a text lists; pairs such as ill=5,well=1 are one value."""
    is_list = isinstance(text, str) and (option in _NAMED or "=" not in text)
    return text.split(",") if is_list else [text]


def _choose(option: str, name: str, known: Mapping[str, Any]) -> str:
    if name not in known:
        raise ParameterError(
            parameter=option,
            value=name,
            reason="is not known{suggestion}; choose from {known}",
            suggestion=did_you_mean(name, known),
            known=", ".join(known),
        )
    return name


def _parse_parameter(name: str, text: Any, classes: Sequence[Any]) -> Any:
    if not isinstance(text, str):
        return text
    if name in STRATEGY_PARAMETERS:
        return parse_strategy(name, text)
    if name == "bounds":
        return _parse_bounds(text)
    if "=" in text and name == "class_weight":
        return parse_by_class(name, text, classes)
    if "=" in text:
        return parse_pairs(name, text)
    return parse_literal(text)


def _parse_bounds(text: str) -> Any:
    """Return one pair, ``0,1``, or several, ``[0,1],[0,9]``; otherwise the text itself."""
    try:
        return json.loads(f"[{text}]")
    except ValueError:
        return text


# The command


FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help=f"{FILE_FORMATS} With --splits binned also several Parquet files, folders or glob "
        "patterns, which are read in parts.",
    ),
]
PositiveOption = Annotated[
    str | None, typer.Option(metavar="CLASS", help="Positive class of the reported AUC.")
]
ValidationFoldsOption = Annotated[
    int, typer.Option("--cv", metavar="FOLDS", help="Folds of the cross-validated AUC; 0 for none.")
]
# Column roles of data that are read in parts are inferred from this many rows.
INSPECTED_ROWS = 1 << 17


class FitSummary(NamedTuple):
    """A fitted estimator, its number of training rows, and the roles of the columns.

    Parameters
    ----------
    estimator : FittedClassifier
    n_rows : int
    columns : tuple of ColumnReport
    n_inspected : int
        Number of rows, the first ones, from which the roles were inferred.
    """

    estimator: "FittedClassifier[Any]"
    n_rows: int
    columns: tuple[ColumnReport, ...]
    n_inspected: int


@command(columns=COLUMNS, parameters=system_options(), reading=READING)
def fit(
    data: FilesArgument,
    target: TrainingTargetOption,
    output: OutputOption = None,
    weight: WeightOption = None,
    positive: PositiveOption = None,
    dask: DaskOption = None,
    cv: ValidationFoldsOption = 5,
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Grow a tree from a data file, and show how each column was interpreted.

    Without tree options, the tree is small enough to read: --preset readable --max-leaves 16
    --min-samples-leaf 5. The AUC is measured on the training data and by cross-validation.

    Example:
      roctree fit data.csv --target outcome -o tree.json
      roctree fit big/*.parquet --target outcome --splits binned -o tree.json
      roctree fit big --target outcome --splits binned --dask tcp://127.0.0.1:8786
    """
    if cv < 0:
        raise ParameterError(parameter="cv", value=cv, reason="must be a number of folds, or 0")
    roles = column_roles(target, weight, columns)
    if _read_in_parts(data, parameters.get("splits"), dask):
        fitted = _fit_parts(data, roles, parameters, dask)
        fold_aucs = np.empty(0)
    else:
        cases = read_training_file(data[0], roles, reading)
        classes = encode_labels(cases.y)[0].tolist()
        chosen = _class_of_auc(positive, classes)
        fitted = _fit_cases(cases, parameters, classes)
        fold_aucs = _cross_validate(cases, parameters, classes, chosen, cv)
    estimator, n_rows, reports, n_inspected = fitted
    # pyarrow columns have no name that fit could remember.
    training = replace(estimator.fitted_.training, target=target)
    model = estimator.fitted_ = replace(estimator.fitted_, training=training)
    if output is not None:
        estimator.save(output)
    found = _facts(model, n_rows, positive, fold_aucs)
    found["columns"] = [asdict(report) for report in reports]
    found |= {"rows_looked_at": n_inspected, "output": output}
    title = f"Columns by the first {n_inspected:,} rows" if n_inspected < n_rows else ""
    columns_shown, tree = _column_table(reports, title), shown_tree(model)
    saved = f"Wrote {output}" if output else "Not saved: use -o FILE to save the tree."
    notes = [_summary_line(model, found), *_advice(model, parameters), saved]
    return Report(found, [columns_shown, tree, *notes])


def _class_of_auc(text: str | None, classes: Sequence[Any]) -> Any:
    """Return the class whose AUC is reported; None for that of all pairs of three or more."""
    if text is not None:
        return parse_class("positive", text, classes)
    return classes[-1] if len(classes) == 2 else None


def _fit_cases(
    cases: LabelledTable, parameters: Mapping[str, Any], classes: Sequence[Any]
) -> FitSummary:
    with (
        spinner("Growing the tree; the first run compiles the kernels"),
        warnings.catch_warnings(),
    ):
        # The table of columns has a remark on each of them.
        warnings.simplefilter("ignore", IdentifierWarning)
        estimator = system_from_options(parameters, classes).fit(cases.X, cases.y, cases.weights)
    return FitSummary(estimator, cases.X.num_rows, cases.columns, cases.X.num_rows)


def _cross_validate(
    cases: LabelledTable,
    parameters: Mapping[str, Any],
    classes: Sequence[Any],
    positive: Any,
    folds: int,
) -> Floats:
    """Return the AUC of each fold, for the same options; none if a class has too few cases."""
    from roctree.experiment.designs import CrossValidation

    labels = encode_labels(cases.y)[1]
    folds = min(folds, int(np.bincount(labels).min()))
    if folds < 2 or len(classes) < 2:
        return np.empty(0)
    weights = np.ones(len(labels)) if cases.weights is None else cases.weights
    areas = []
    with count_bar("Cross-validating") as report, warnings.catch_warnings():
        # The tree of all cases has given its warnings already.
        warnings.simplefilter("ignore")
        for split in CrossValidation(folds).splits(labels):
            report(split.fold, folds)
            train, test = arrow.array(split.train), arrow.array(split.test)
            tree = system_from_options(parameters, classes).fit(
                cases.X.take(train), cases.y.take(train), weights[split.train]
            )
            rows, truth = cases.X.take(test), cases.y.take(test)
            areas.append(_auc(tree.fitted_, positive, rows, truth, weights[split.test]))
    return np.array(areas)


def _auc(
    model: FittedModel, positive: Any, X: Any = None, y: Any = None, weights: Any = None
) -> float:
    """Return the AUC of a class, or the mean over all pairs; without cases, in training."""
    if positive is not None:
        return float(model.roc(X, y, positive=positive, sample_weight=weights).auc)
    return mauc(*model.leaf_table(X, y, weights))


def _read_in_parts(paths: Sequence[str], splits: str | None, dask: str | None) -> bool:
    """Whether data are read in parts; raise ``ParameterError`` if they must be and cannot."""
    other = first_other_than_parquet(paths)
    if splits == "binned" and other is None:
        return True
    if dask is None and len(paths) == 1 and not is_folder_or_pattern(paths[0]):
        return False
    for path in paths:
        if not is_folder_or_pattern(path) and not Path(path).exists():
            raise ParameterError(f"There is no file {path!r}; quote names that contain spaces.")
    if other is not None:
        raise ParameterError(
            f"{other!r} is not a Parquet file: several files, and files for --dask, must be."
        )
    folder = next((f"{path} is a folder: " for path in paths if Path(path).is_dir()), "")
    raise ParameterError(
        f"{folder}folders, glob patterns, several files and --dask need binned splits: add "
        "--splits binned."
    )


def _fit_parts(
    paths: Sequence[str], roles: ColumnOptions, parameters: Mapping[str, Any], dask: str | None
) -> FitSummary:
    files = parquet_files(paths)
    rows = parquet_rows(files, common_schema(files))
    with reading_errors("the Parquet files"):
        sample = cast_columns(rows.head(INSPECTED_ROWS), roles.types)
    if sample.num_rows == 0:
        raise DataError(f"There are no rows in {', '.join(map(repr, paths))}.")
    reports = assign_roles(sample, roles).columns
    used = [sample.schema.field(each.name) for each in reports if each.role != "ignored"]
    estimator = system_from_options(parameters, _weighted_classes(rows, roles.target, parameters))
    known = parquet_rows(files, arrow.schema(used)), roles.target, roles.weight
    with silenced_logs():
        roctree.distributed.fit(estimator, *known, client=dask, progress=True)
    return FitSummary(estimator, rows.count_rows(), reports, sample.num_rows)


def _weighted_classes(rows: Any, target: str, parameters: Mapping[str, Any]) -> list[Any]:
    """Return the classes if weights are given by class; they are not needed otherwise."""
    if "=" not in str(parameters.get("class_weight", "")):
        return []
    found: set[Any] = set()
    with reading_errors("the Parquet files"):
        for batch in rows.to_batches(columns=[target]):
            found.update(batch.column(0).unique().to_pylist())
    return list(found)


def _facts(
    model: FittedModel, n_rows: int, positive: str | None, fold_aucs: Floats
) -> dict[str, Any]:
    classes = model.classes.tolist()
    return {
        "rows": n_rows,
        "classes": classes,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "training_auc": (
            None if len(classes) == 1 else _auc(model, _class_of_auc(positive, classes))
        ),
        "cross_validated_auc": float(fold_aucs.mean()) if fold_aucs.size else None,
        "cross_validated_auc_deviation": float(fold_aucs.std(ddof=1)) if fold_aucs.size else None,
        "folds": fold_aucs.size,
    }


def _summary_line(model: FittedModel, facts: Mapping[str, Any]) -> str:
    rows, classes = pluralize(facts["rows"], "row"), len(facts["classes"])
    size = f"{model.size_text}, from {rows} of {pluralize(classes, 'class', 'classes')}"
    training, validated = facts["training_auc"], facts["cross_validated_auc"]
    if training is None:
        return f"\n{size}."
    # Those of a tree with points are scores of cases that were held out.
    cases = "held-out scores" if isinstance(model, FittedScorecard) else "the training data"
    shown = f"{training:.4f} on {cases}"
    if validated is not None:
        spread = f"± {facts['cross_validated_auc_deviation']:.4f}"
        shown = f"{validated:.4f} {spread} by {facts['folds']}-fold cross-validation, {shown}"
    return f"\n{size}. AUC {shown}."


def _advice(model: FittedModel, parameters: Mapping[str, Any]) -> list[str]:
    """Return advice: the default options that were used, or how to get a readable tree."""
    options = {name: f"{option_name(name)} {value}" for name, value in READABLE.items()}
    if default_options(parameters):
        listed = " ".join(options.values())
        return [
            f"Grown with {listed}, the defaults of this command; "
            "if any tree option is given, these defaults do not apply."
        ]
    if isinstance(model, FittedTree) and model.n_leaves > WHOLE_TREE_LEAVES:
        return [f"For a tree small enough to read: {options['max_leaves']}."]
    return []


def _column_table(reports: tuple[ColumnReport, ...], title: str) -> ReportTable:
    rows = [
        (each.name, each.role, each.values, str(each.n_missing), each.remark) for each in reports
    ]
    return ReportTable(("column", "role", "values", "missing", "remark"), rows, title)
