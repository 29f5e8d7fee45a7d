"""Grow the tree of data that do not fit memory, or are elsewhere, as an estimator wants it."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema, warn_about_many_categories
from roctree.errors import ParameterError
from roctree.fitted import FittedTree, Training
from roctree.fitting import FitOptions, assemble, grow_from_bins, prune, warn_about_lost_rows
from roctree.geometry import scale_of
from roctree.large.parts import CodedRows, Coding, Totals
from roctree.large.summary import Summary
from roctree.parameters import costs_in_class_order
from roctree.progress import Callback, Progress
from roctree.pruning import need
from roctree.smoothing import choices
from roctree.tally import Tally
from roctree.tree import NO_BRANCH, Tree
from roctree.tree.bins import Edges
from roctree.tree.growth import grid_of
from roctree.tree.levels import Binned, LevelCallback


@runtime_checkable
class LargeData(Protocol):
    """Rows to grow a tree from, looked at twice, or to be counted in the leaves of one."""

    @property
    def target(self) -> str | None:
        """The name of what is predicted, where it has one."""

    @property
    def report(self) -> Callback[Progress]:
        """What is told how far the work is."""

    def summary(self, categorical_features: Any) -> Summary:
        """Look at all rows once."""

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Look at all rows a second time, and have them coded where they stay."""

    def tally(self, tree: Tree, schema: Schema) -> Tally:
        """Count all rows in the leaves of a tree."""


def grow_large(data: LargeData, options: FitOptions, n_threads: int) -> FittedTree:
    """Return the tree of large data, grown, pruned and smoothed."""
    refuse_what_needs_rows(options)
    summary = data.summary(options.categorical_features)
    warn_about_many_categories(summary.occurring, stacklevel=3)
    schema = summary.schema
    pruner = costs_in_class_order(options.pruning, schema.classes)
    binned, totals = _in_bins(data, summary, schema, options.max_bins, n_threads)
    rules = options.growth_rules(schema.classes, totals.counts, summary.n_rows)
    scale = scale_of(options.metric, totals.moments.spread, schema)
    finished = _told(data.report, rules.max_depth)
    finished(0)
    pruned = prune(pruner, grow_from_bins(binned, options, rules, n_threads, finished))
    return assemble(
        options,
        schema,
        Training.from_target(summary.n_rows, data.target),
        pruner=pruner,
        pruned=pruned,
        smoother=options.smoothing,
        class_weight=rules.class_weight,
        spread=totals.moments.spread,
        scale=scale,
        divides_cases=bool(_sends_to_all(pruned.tree, summary.has_missing).any()),
    )


def _in_bins(
    data: LargeData, summary: Summary, schema: Schema, max_bins: int, n_threads: int
) -> tuple[Binned, Totals]:
    """Have the rows coded, and return what growth and the estimator have to know of them."""
    edges = Edges.from_sketches(summary.sketches, schema.n_categories, schema.names, max_bins)
    quantum = grid_of(summary.n_rows, summary.largest)
    coding = Coding(schema, edges, quantum, summary.middle)
    totals, shards = data.coded(summary, coding, n_threads)
    lost = summary.n_rows - totals.n_rows
    warn_about_lost_rows(lost, summary.n_rows, quantum, summary.largest, stacklevel=4)
    known = edges, totals.bounds, summary.has_missing, totals.counts, quantum
    return Binned(schema.names, *known, shards), totals


def _told(report: Callback[Progress], max_depth: int | None) -> LevelCallback:
    """Return what tells, after each level, how far the growth is."""
    return lambda n_levels: report(Progress("growing", n_levels, max_depth, "levels"))


def refuse_what_needs_rows(options: FitOptions) -> None:
    """Refuse parameters that would want the rows in memory."""
    if options.ranking == "soft":
        raise ParameterError(
            "Soft thresholds are measured in memory: fit data larger than that with another "
            "ranking, and give a sample of it to ranked('soft', X=..., y=...)."
        )
    if options.splits != "binned":
        raise ParameterError(
            reason="data that do not fit memory, or are elsewhere, are grown from bins: use "
            "{splits='binned'}."
        )
    if need(options.pruning) != "counts":
        raise ParameterError(
            reason="{pruner!r} needs the rows, which are not in memory: prune afterwards, with "
            "{X_val and y_val}.",
            pruner=options.pruning,
        )
    if len(choices(options.smoothing)) > 1:
        raise ParameterError(
            reason="{smoother!r} needs the rows, which are not in memory: give a number, or use "
            "smoothed(..., X=..., y=...) afterwards.",
            smoother=options.smoothing,
        )
    if options.geometric_probability:
        raise ParameterError(
            parameter="geometric_probability", reason="needs the rows in memory: leave it off"
        )


def _sends_to_all(tree: Tree, has_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each node sends missing values of a column that has some to all branches."""
    to_all = ~tree.is_leaf & (tree.missing_branch == NO_BRANCH)
    return np.asarray(to_all & has_missing[tree.feature])
