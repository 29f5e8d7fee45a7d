"""``roctree evaluate`` and ``roctree labellings``: how a model does on labelled data.

A tree only needs the tally of the rows in its leaves, so that files of any size are read block by
block, here or by the workers of a Dask cluster. Other models score each row by itself and need all
rows in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.cli.models import HasLeaves, load_at, positive_class
from roctree.cli.options import (
    OPERATING,
    READING,
    Dask,
    LabelledFiles,
    Model,
    OptionalFiles,
    Target,
    Weight,
    command,
)
from roctree.cli.output import Report, Table, merged_warnings
from roctree.cli.reading import (
    LabelledRows,
    first_other_than_parquet,
    is_folder_or_pattern,
    labelled_blocks,
    read_labelled,
    silenced_logs,
)
from roctree.data.arrow import pa
from roctree.data.roles import column_types, find_columns
from roctree.errors import DataError, ParameterError
from roctree.files import load_fitted
from roctree.fitted import FittedModel, FittedTree
from roctree.labelling import LABELLINGS_HEAD, Labellings
from roctree.large import tally_large_data
from roctree.large.parquet import common_schema, parquet_files, parquet_rows
from roctree.progress import spinner
from roctree.roc import Curve, mauc
from roctree.tally import Tally

Floats = NDArray[np.float64]

# Ratios of the cost of a false negative to that of a false positive.
COST_RATIOS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@command(operating=OPERATING, reading=READING)
def evaluate(
    model: Model,
    data: LabelledFiles,
    target: Target = None,
    weight: Weight = None,
    dask: Dask = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Evaluate a model on labelled data: accuracy, AUC, ROC hull, labellings and costs.

    Example:
      roctree evaluate tree.json test.csv
      roctree evaluate tree.json big/*.parquet
      roctree evaluate tree.json big --dask tcp://127.0.0.1:8786
    """
    loaded = load_at(model, operating)
    with spinner(f"Reading {', '.join(data)}"):
        cases = read_test_cases(data, loaded, target, reading, weight, dask)
    positive = positive_class(loaded, operating)
    labels = _label_report(loaded, cases, weight is not None)
    if len(loaded.classes) == 1:  # there is nothing to rank
        return labels
    if positive is None:
        return _several_classes(loaded, cases, labels)
    return _two_classes(loaded, cases, labels, positive)


@command(operating={"positive": OPERATING["positive"]}, reading=READING)
def labellings(
    model: Model,
    data: OptionalFiles = [],  # noqa: B006 - typer requires a list
    target: Target = None,
    weight: Weight = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """List the labellings that are optimal for some costs, on the training data or on other data.

    Example:
      roctree labellings tree.json
    """
    loaded = load_fitted(model)
    if not data and weight is not None:
        raise ParameterError("--weight needs data: give the file that has this column.")
    counts = read_test_cases(data, loaded, target, reading, weight).cases if data else "training"
    positive = positive_class(loaded, operating)
    found = loaded.labellings(counts=counts, positive=positive)
    facts = {"positive": found.positive_class, "labellings": _labelling_facts(found)}
    return Report(facts, _shown_labellings(found))


# Test cases


class TalliedCases(NamedTuple):
    """Test cases of a tree, of which only the tally in its leaves is kept."""

    cases: Tally
    n_rows: int

    def confusion(self, model: FittedModel) -> Floats:
        """Return the weight of cases by predicted and true class."""
        return model.confusion(self.cases)

    def curve(self, model: FittedModel, positive: Any) -> Curve:
        """Return the ROC curve of a class."""
        return model.roc(self.cases, positive=positive)

    def mauc(self, model: FittedModel) -> float:
        """Return the mean AUC over all pairs of classes."""
        return mauc(*model.leaf_table(self.cases))


class CasesInMemory(NamedTuple):
    """Test cases row by row, for models that score each row by itself."""

    cases: LabelledRows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.cases.y)

    def confusion(self, model: FittedModel) -> Floats:
        """Return the weight of cases by predicted and true class."""
        return model.confusion(*self.cases)

    def curve(self, model: FittedModel, positive: Any) -> Curve:
        """Return the ROC curve of a class."""
        X, y, weights = self.cases
        return model.roc(X, y, positive=positive, sample_weight=weights)

    def mauc(self, model: FittedModel) -> float:
        """Return the mean AUC over all pairs of classes."""
        X, y, weights = self.cases
        scores = model.predict_proba(X)
        return mauc(scores, y, classes=model.classes, sample_weight=weights)


TestCases = TalliedCases | CasesInMemory


def read_test_cases(
    paths: Sequence[str],
    model: FittedModel,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None,
    dask: str | None = None,
) -> TestCases:
    """Read the labelled rows of all files, block by block if the model is a tree.

    Parameters
    ----------
    paths : sequence of str
        Files, folders of Parquet files, or glob patterns.
    model : FittedModel
    target, weight : str or None
        Columns with labels and weights.
    reading : mapping
        Options of ``READING``.
    dask : str or None
        Address of a scheduler whose workers read the Parquet files.
    """
    if dask is not None:
        if not isinstance(model, FittedTree):
            raise ParameterError("--dask is for trees; this model scores each row by itself.")
        return _tally_by_dask(paths, model, target, weight, dask)
    files = _distinct_files(paths)
    if isinstance(model, FittedTree):
        return _tally_files(files, model, target, reading, weight)
    found = [read_labelled(file, model, target, reading, weight) for file in files]
    X, y, weights = zip(*found, strict=True)
    joined = None if weight is None else np.concatenate(weights)
    return CasesInMemory(LabelledRows(pa.concat_tables(X), np.concatenate(y), joined))


def _distinct_files(paths: Sequence[str]) -> list[str]:
    """Return the files that paths stand for; a file must not count twice."""
    found = [
        file
        for path in paths
        for file in (parquet_files([path]) if is_folder_or_pattern(path) else [path])
    ]
    places = [Path(file).absolute() for file in found]
    twice = next((file for file in places if places.count(file) > 1), None)
    if twice is not None:
        raise DataError(f"{str(twice)!r} is given twice: its rows would count twice.")
    return found


def _tally_files(
    files: Sequence[str],
    tree: FittedTree,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None,
) -> TalliedCases:
    n_rows = 0

    def tallies() -> Iterator[Tally]:
        nonlocal n_rows
        for file in files:
            for block in labelled_blocks(file, tree, target, reading, weight):
                n_rows += len(block.y)
                yield tree.tally(*block)

    with merged_warnings():
        tally = Tally.joined(tallies())
    return TalliedCases(tally, n_rows)


def _tally_by_dask(
    paths: Sequence[str], tree: FittedTree, target: str | None, weight: str | None, dask: str
) -> TalliedCases:
    other = first_other_than_parquet(paths)
    if other is not None:
        raise ParameterError(f"{other!r} is not a Parquet file: files for --dask must be.")
    files = parquet_files(paths)
    present, types = common_schema(files), column_types(tree.schema)
    if weight in types:
        raise ParameterError(
            f"The tree uses {weight!r} as an attribute: with --dask it cannot be the weight too."
        )
    wanted = [target or tree.training.target or "", *([weight] if weight else [])]
    others = [present.field(name) for name in find_columns(wanted, present.names, several=False)]
    known = [
        pa.field(name, types[name]) for name in find_columns(types, present.names, several=False)
    ]
    rows = parquet_rows(files, pa.schema([*known, *others]))
    with merged_warnings(), silenced_logs():
        cases = tree.tree, tree.schema, rows, wanted[0], weight
        tally = tally_large_data(*cases, client=dask)
    assert tally is not None
    return TalliedCases(tally, rows.count_rows())


# Reports


def _label_report(model: FittedModel, cases: TestCases, weighted: bool) -> Report:
    """Report the confusion matrix and accuracy."""
    classes, counts = model.classes.tolist(), cases.confusion(model)
    weight = counts.sum()
    accuracy = float(np.trace(counts) / weight)
    if (counts == np.rint(counts)).all():
        counts, weight = counts.astype(np.int64), int(weight)
    head = ("predicted", *(f"true {label}" for label in classes))
    rows = [(str(label), *(f"{count:.10g}" for count in row))
            for label, row in zip(classes, counts.tolist(), strict=True)]  # fmt: skip
    facts = {
        "rows": cases.n_rows,
        "weight": weight,
        "accuracy": accuracy,
        "classes": classes,
        "confusion": counts,
    }
    of_weight = f" of weight {weight:.10g}" if weighted else ""
    summary = f"{cases.n_rows} cases{of_weight}, {accuracy:.2%} classified correctly.\n"
    return Report(facts, [summary, Table(head, rows)])


def _two_classes(model: FittedModel, cases: TestCases, labels: Report, positive: Any) -> Report:
    curve = cases.curve(model, positive)
    hull, (low, high) = curve.hull(), curve.auc_interval()
    area = (
        f"\nAUC of {positive} {curve.auc:.4f} (95 % confidence interval {low:.4f} to {high:.4f}); "
        f"AUC of the convex hull {hull.auc:.4f}.\n"
    )
    points = [
        tuple(f"{value:.4f}" for value in point) for point in zip(*hull.points(), strict=True)
    ]
    facts = {"positive": positive, "auc": curve.auc, "auc_interval": [low, high]}
    facts |= {"hull_auc": hull.auc, "hull": hull.points()._asdict()}
    shown = [*labels.shown, area, Table(("FPR", "TPR", "score from"), points, "Convex hull")]
    if len(model.classes) == 2:
        # Models that score each row by itself have almost as many labellings as rows; the
        # command labellings lists them.
        if isinstance(model, HasLeaves):
            found = model.labellings(counts=cases.cases, positive=positive)
            shown += _shown_labellings(found)
            facts["labellings"] = _labelling_facts(found)
        costs = [_cost_facts(model, cases, ratio, positive, curve) for ratio in COST_RATIOS]
        shown.append(_cost_table(costs))
        facts["costs"] = costs
    return Report({**labels.facts, **facts}, shown)


def _several_classes(model: FittedModel, cases: TestCases, labels: Report) -> Report:
    area = cases.mauc(model)
    curves = {label: cases.curve(model, label) for label in model.classes.tolist()}
    rows = [(str(label), f"{curve.auc:.4f}") for label, curve in curves.items()]
    facts = {"mauc": area, "auc": {label: curve.auc for label, curve in curves.items()}}
    summary = f"\nMean AUC over all pairs of classes {area:.4f}.\n"
    table = Table(("class", "AUC against the rest"), rows)
    return Report({**labels.facts, **facts}, [*labels.shown, summary, table])


def _labelling_facts(found: Labellings) -> list[dict[str, Any]]:
    columns = found.columns()
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _shown_labellings(found: Labellings) -> list[str | Table]:
    """Return the table of the labellings that are optimal for some costs, and a note on others."""
    optimal = ~np.isnan(found.cost_ranges[:, 0])
    rows = [row for row, shown in zip(found.cells(digits=4), optimal, strict=True) if shown]
    table = Table(LABELLINGS_HEAD, rows, f"Labellings, positive class {found.positive_class}")
    return [table, *([f"{found.note}\n"] if found.note else [])]


def _cost_facts(
    model: FittedModel, cases: TestCases, ratio: float, positive: Any, curve: Curve
) -> dict[str, Any]:
    """Return the cost of the labels that are optimal in training, and the lowest possible cost."""
    counts = cases.confusion(model.at(cost_fp=1.0, cost_fn=ratio, positive=positive))
    place = model.classes.tolist().index(positive)
    (tp, fp), (fn, _) = counts[[[place], [1 - place]], [[place, 1 - place]]]
    positives, negatives = counts[:, place].sum(), counts[:, 1 - place].sum()
    return {
        "cost_ratio": ratio,
        "fpr": float(fp / negatives) if negatives > 0.0 else float("nan"),
        "tpr": float(tp / positives) if positives > 0.0 else float("nan"),
        "cost": float((fp + ratio * fn) / (positives + negatives)),
        "least_cost": float(curve.expected_cost(1.0, ratio).min()),
    }


def _cost_table(costs: list[dict[str, Any]]) -> Table:
    head = ("cost ratio (miss : false alarm)", "FPR", "TPR", "cost per case", "lowest possible")
    rows = [tuple(f"{value:.4g}" for value in row.values()) for row in costs]
    return Table(head, rows, "Costs of the labels that are optimal on the training data")
