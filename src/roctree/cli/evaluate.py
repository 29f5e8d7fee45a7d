"""``roctree evaluate`` and ``roctree labellings``: performance of a model on labelled data.

A tree only needs the tally of the rows in its leaves, so that files of any size are read block by
block, here or by the workers of a Dask cluster. Other models score each row by itself and need all
rows in memory.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from roctree.arrays import Floats
from roctree.cli.data_files import (
    LabelledRows,
    column_choice,
    first_other_than_parquet,
    is_folder_or_pattern,
    labelled_blocks,
    read_labelled,
    silenced_logs,
    text_format,
    with_all_columns,
)
from roctree.cli.models import HasLeaves, load_at, positive_class
from roctree.cli.options import (
    OPERATING,
    READING,
    DaskOption,
    LabelledFilesArgument,
    ModelArgument,
    OptionalFilesArgument,
    OptionSpec,
    TargetOption,
    UnlabelledOption,
    WeightOption,
    command,
    parse_operating_point,
)
from roctree.cli.output import Report, ReportTable, merged_warnings
from roctree.data.lazy import arrow
from roctree.data.readers import read_batches
from roctree.data.roles import column_types, find_columns
from roctree.errors import DataError, ParameterError
from roctree.files import load_fitted
from roctree.fitted import FittedModel, FittedTree
from roctree.labelling import Labellings, cost_of_labels
from roctree.large import count_large_data
from roctree.large.batches import common_schema, parquet_files, parquet_rows
from roctree.progress import spinner
from roctree.roc import Curve, mauc
from roctree.roc.curve import IN_PARTS
from roctree.roc.threshold_choice import THRESHOLD_CHOICES
from roctree.tally import Counted, joined
from roctree.text import UNDECIDED

# Ratios of the cost of a false negative to that of a false positive.
COST_RATIOS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@command(operating=OPERATING, reading=READING)
def evaluate(
    model: ModelArgument,
    data: LabelledFilesArgument,
    target: TargetOption = None,
    weight: WeightOption = None,
    dask: DaskOption = None,
    unlabelled: UnlabelledOption = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Evaluate a model on labelled data: accuracy, AUC, ROC hull, labellings and costs.

    Example:
      roctree evaluate tree.json test.csv
      roctree evaluate tree.json test.csv --unlabelled new.csv
      roctree evaluate tree.json big/*.parquet
      roctree evaluate tree.json big --dask tcp://127.0.0.1:8786
    """
    loaded = load_at(model, operating)
    with spinner(f"Reading {', '.join(data)}"):
        cases = read_test_cases(data, loaded, target, reading, weight, dask)
    positive = positive_class(loaded, operating)
    report = _label_report(loaded, cases, weight is not None)
    if len(loaded.classes) == 1:  # there is nothing to rank
        return report
    if positive is None:
        report = _several_classes(loaded, cases, report)
    else:
        report = _two_classes(loaded, cases, report, positive)
    return report if unlabelled is None else _with_shift(loaded, cases, report, unlabelled, reading)


_LABELLING_OPTIONS = {
    "positive": OPERATING["positive"],
    "cost_reject": OptionSpec("Cost of leaving a case undecided, if a false alarm costs 1."),
}


@command(operating=_LABELLING_OPTIONS, reading=READING)
def labellings(
    model: ModelArgument,
    data: OptionalFilesArgument = [],  # noqa: B006 - typer requires a list
    target: TargetOption = None,
    weight: WeightOption = None,
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
    asked = parse_operating_point(operating, loaded.classes.tolist())
    found = loaded.labellings(
        counts=counts, positive=positive, cost_reject=asked.get("cost_reject")
    )
    facts = {"positive": found.positive_class, "labellings": _labelling_facts(found)}
    return Report(facts, _shown_labellings(found))


# Test cases


class TalliedCases(NamedTuple):
    """Test cases of a tree, of which only the tally in its leaves is kept."""

    cases: Counted
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
            raise ParameterError(
                "--dask is for trees, but this model scores each row by itself: leave --dask out."
            )
        return _tally_by_dask(paths, model, target, weight, dask)
    files = _distinct_files(paths)
    if isinstance(model, FittedTree):
        return _tally_files(files, model, target, reading, weight)
    found = [read_labelled(file, model, target, reading, weight) for file in files]
    X, y, weights = zip(*found, strict=True)
    of_rows = None if weight is None else np.concatenate(weights)
    return CasesInMemory(LabelledRows(arrow.concat_tables(X), np.concatenate(y), of_rows))


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

    def tallies() -> Iterator[Counted]:
        nonlocal n_rows
        for file in files:
            for block in labelled_blocks(file, tree, target, reading, weight):
                n_rows += len(block.y)
                yield tree.tally(*block)

    with merged_warnings():
        tally = joined(tallies())
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
        arrow.field(name, types[name]) for name in find_columns(types, present.names, several=False)
    ]
    rows = parquet_rows(files, arrow.schema([*known, *others]))
    with merged_warnings(), silenced_logs():
        tally = count_large_data(tree, rows, wanted[0], weight, client=dask)
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
    labels = [str(label) for label in classes] + [UNDECIDED] * model.abstains
    rows = [(label, *(f"{count:.10g}" for count in row))
            for label, row in zip(labels, counts.tolist(), strict=True)]  # fmt: skip
    facts = {
        "rows": cases.n_rows,
        "weight": weight,
        "accuracy": accuracy,
        "classes": classes,
        "confusion": counts,
    }
    of_weight = f" of weight {weight:.10g}" if weighted else ""
    undecided = ""
    if model.abstains:
        facts["rejected"] = rejected = float(counts[-1].sum() / weight)
        undecided = f", {rejected:.2%} undecided"
    summary = f"{cases.n_rows} cases{of_weight}, {accuracy:.2%} classified correctly{undecided}.\n"
    point = model.operating_point
    costs = None if point is None else cost_of_labels(point, counts)
    if costs is not None:
        facts["cost_per_case"], facts["cost_of_one_label"] = costs
        summary += (
            f"Cost per case {costs[0]:.4g}, at the costs for which the labels were chosen; "
            f"{costs[1]:.4g} with one label for all cases.\n"
        )
    return Report(facts, [summary, ReportTable(head, rows, styles=_confusion_styles(counts))])


def _confusion_styles(counts: Any) -> dict[tuple[int, int], str]:
    """Return styles of a confusion matrix: correct cells green, errors red, undecided yellow."""
    n_classes = counts.shape[1]
    styles = {}
    for predicted, truth in np.argwhere(counts > 0).tolist():
        is_undecided, is_correct = predicted == n_classes, predicted == truth
        style = "yellow" if is_undecided else "bold green" if is_correct else "red"
        styles[predicted, truth + 1] = style
    return styles


def _two_classes(model: FittedModel, cases: TestCases, labels: Report, positive: Any) -> Report:
    curve = cases.curve(model, positive)
    hull, (low, high) = curve.hull(), curve.auc_interval()
    area = (
        f"\nAUC of {positive} {curve.auc:.4f} (95 % confidence interval {low:.4f} to {high:.4f}); "
        f"AUC of the convex hull {hull.auc:.4f}.\n"
    )
    points = [
        tuple(f"{value:.4f}" if np.isfinite(value) else "none" for value in point)
        for point in zip(*hull.points(), strict=True)
    ]
    facts = {"positive": positive, "auc": curve.auc, "auc_interval": [low, high]}
    facts |= {"hull_auc": hull.auc, "hull": hull.points()._asdict()}
    shown = [*labels.shown, area, ReportTable(("FPR", "TPR", "score from"), points, "Convex hull")]
    # Models that score each row by itself have almost as many labellings as rows; the command
    # labellings lists them.
    if isinstance(model, HasLeaves):
        found = model.labellings(counts=cases.cases, positive=positive)
        shown += _shown_labellings(found)
        facts["labellings"] = _labelling_facts(found)
    costs = [_cost_facts(model, cases, ratio, positive, curve) for ratio in COST_RATIOS]
    shown.append(_cost_table(costs))
    facts["costs"] = costs
    losses, h_measure = _expected_losses(curve), curve.h_measure()
    shown.append(_loss_table(losses, h_measure))
    advice = _recommendation(costs)
    facts |= {"expected_loss": losses, "h_measure": h_measure, "recommendation": advice}
    shown.append(advice)
    return Report({**labels.facts, **facts}, shown)


def _several_classes(model: FittedModel, cases: TestCases, labels: Report) -> Report:
    area = cases.mauc(model)
    curves = {label: cases.curve(model, label) for label in model.classes.tolist()}
    rows = [(str(label), f"{curve.auc:.4f}") for label, curve in curves.items()]
    facts = {"mauc": area, "auc": {label: curve.auc for label, curve in curves.items()}}
    summary = f"\nMean AUC over all pairs of classes {area:.4f}.\n"
    table = ReportTable(("class", "AUC against the rest"), rows)
    counts = np.asarray(labels.facts["confusion"], dtype=np.float64)
    facts["recommendation"] = advice = _recommendation_of_several(model, counts)
    return Report({**labels.facts, **facts}, [*labels.shown, summary, table, advice])


def _recommendation_of_several(model: FittedModel, counts: Floats) -> str:
    """Return one sentence that compares the errors with those of one label for all cases."""
    of_classes, total = counts.sum(axis=0), counts.sum()
    errors, errors_of_one = 1.0 - np.trace(counts) / total, 1.0 - of_classes.max() / total
    usual = model.classes.tolist()[int(of_classes.argmax())]
    if np.count_nonzero(of_classes) == 1:
        return (
            f"Recommendation: none, because every case is {usual}; cases of several classes are "
            "needed."
        )
    compared = (
        f"{errors:.2%} are wrong, against {errors_of_one:.2%} if every case is called {usual}"
    )
    costs = "where errors differ in cost, choose labels by roctree at --cost-matrix"
    advice = "use these labels" if errors < errors_of_one else "do not use these labels"
    return f"Recommendation: {advice}, of which {compared}; {costs}."


def _with_shift(
    model: FittedModel,
    cases: TestCases,
    report: Report,
    unlabelled: str,
    reading: Mapping[str, Any],
) -> Report:
    """Add the class shares of unlabelled cases to a report; warn if the cases have shifted."""
    choice, types = column_choice(model, [], unlabelled), column_types(model.schema)
    n_rows, weights = 0, np.zeros(len(model.group_order))
    with merged_warnings():
        for batch in read_batches(unlabelled, choice, text_format(reading), types):
            rows = model.encode(with_all_columns(batch, model.schema))
            weights += model.group_weights(rows, np.ones(len(rows)))
            n_rows += len(rows)
    if n_rows == 0:
        raise DataError(f"{unlabelled!r} has no rows: give at least one unlabelled case.")
    found = model.prior_of_groups(weights, cases.cases)
    sentence = found.sentence.replace("at(prior=...)", "--prior")
    if found.has_shifted:
        warnings.warn(f"{unlabelled}: {sentence}", UserWarning, stacklevel=2)
    facts = {
        "rows": n_rows,
        "shares": dict(found),
        "intervals": dict(zip(found, found.intervals.tolist(), strict=True)),
        "change": found.change._asdict(),
        "fit": found.fit._asdict(),
        "has_shifted": found.has_shifted,
        "shares_differ": found.shares_differ,
        "is_explained": found.is_explained,
        "sentence": sentence,
    }
    title = f"Class shares of the {n_rows} cases in {unlabelled}"
    shown = [*report.shown, ReportTable(*found.table, title), f"{sentence}\n"]
    return Report({**report.facts, "unlabelled": facts}, shown)


def _labelling_facts(found: Labellings) -> list[dict[str, Any]]:
    columns = found.columns()
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _shown_labellings(found: Labellings) -> list[str | ReportTable]:
    """Return the table of labellings that are optimal in a range of costs, and notes on others.

    The first and the last, without and with positive cases only, are always shown. Of those with
    the same positive leaves the first is shown.
    """
    low, high = found.cost_ranges.T
    optimal = high > low
    optimal[[0, -1]] = True
    columns = found.columns()
    leaves = np.column_stack([columns[name] for name in columns if name.endswith("_leaves")])
    _, first = np.unique(leaves[optimal], axis=0, return_index=True)
    shown = np.union1d(np.flatnonzero(optimal)[first], [0, len(found) - 1])
    cells = found.cells(digits=4)
    rows = [cells[number] for number in shown]
    table = ReportTable(found.head, rows, f"Labellings, positive class {found.positive_class}")
    notes = [found.note] if found.note else []
    n_more = int(optimal.sum()) - len(shown)
    if n_more:
        others = "another labelling differs" if n_more == 1 else f"{n_more} others differ"
        notes.append(f"{others.capitalize()} only in cases that are divided among leaves.")
    if found.in_parts:
        notes.append(f"{IN_PARTS.capitalize()}; give test data to count every case as a whole.")
    return [table, *(f"{note}\n" for note in notes)]


def _cost_facts(
    model: FittedModel, cases: TestCases, ratio: float, positive: Any, curve: Curve
) -> dict[str, Any]:
    """Return the cost of the labels that are optimal in training, and the lowest possible cost."""
    counts = cases.confusion(model.at(cost_fp=1.0, cost_fn=ratio, positive=positive))
    place = model.classes.tolist().index(positive)
    tp, positives = counts[place, place], counts[:, place].sum()
    fp, fn, negatives = counts[place].sum() - tp, positives - tp, counts.sum() - positives
    return {
        "cost_ratio": ratio,
        "fpr": float(fp / negatives) if negatives > 0.0 else float("nan"),
        "tpr": float(tp / positives) if positives > 0.0 else float("nan"),
        "cost": float((fp + ratio * fn) / (positives + negatives)),
        "least_cost": float(curve.expected_cost(1.0, ratio).min()),
        "one_label_cost": float(min(negatives, ratio * positives) / (positives + negatives)),
    }


def _recommendation(costs: list[dict[str, Any]]) -> str:
    """Return one sentence: for which costs the labels are worth using, and how to choose them."""
    paying = [each["cost_ratio"] for each in costs if each["cost"] < each["one_label_cost"]]
    if not paying:
        return (
            "Recommendation: do not use this model; at none of these cost ratios do its labels "
            "cost less than one label for all cases."
        )
    best = max(costs, key=lambda each: each["one_label_cost"] - each["cost"])
    ratios = f"a cost ratio of {paying[0]:g}"
    if len(paying) > 1:
        ratios = f"cost ratios of {paying[0]:g} to {paying[-1]:g}, most at {best['cost_ratio']:g}"
    return (
        "Recommendation: choose the labels by your costs (roctree at --cost-fp 1 --cost-fn RATIO); "
        f"this pays at {ratios}, where the cost per case is "
        f"{best['cost']:.4g} instead of {best['one_label_cost']:.4g} with one label for all."
    )


def _expected_losses(curve: Curve) -> dict[str, list[float]]:
    """Return expected losses by threshold choice, for uniform and for Beta(2, 2) costs."""
    of_probabilities = curve.scores[0] <= 1.0 and curve.scores[-1] >= 0.0
    chosen = [each for each in THRESHOLD_CHOICES if each != "score_driven" or of_probabilities]
    return {
        each: [curve.expected_loss(each), curve.expected_loss(each, alpha=2.0, beta=2.0)]
        for each in chosen
    }


def _loss_table(losses: dict[str, list[float]], h_measure: float) -> ReportTable:
    meanings = {
        "fixed": "error rate at probability 0.5",
        "score_driven": "Brier score",
        "rate_driven": "a function of AUC",
        "optimal": f"best thresholds; H-measure {h_measure:.4f}",
    }
    rows = [
        (name, *(f"{value:.4f}" for value in found), meanings[name])
        for name, found in losses.items()
    ]
    head = ("threshold choice", "costs uniform", "Beta(2, 2)", "meaning")
    return ReportTable(head, rows, "Expected loss if costs are unknown")


def _cost_table(costs: list[dict[str, Any]]) -> ReportTable:
    head = (
        "cost ratio (miss : false alarm)",
        "FPR",
        "TPR",
        "cost per case",
        "lowest possible",
        "one label for all",
    )
    rows = [tuple(f"{value:.4g}" for value in row.values()) for row in costs]
    return ReportTable(head, rows, "Costs of the labels that are optimal on the training data")
