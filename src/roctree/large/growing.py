"""Grow the tree of data that do not fit memory, or are elsewhere, as an estimator wants it."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema, warn_of_names_of_rows
from roctree.errors import ParameterError
from roctree.geometry import scale_of
from roctree.growing import grown_from_bins, growth_for, warn_of_lost_rows
from roctree.large.parts import CodedRows, Coding, Totals
from roctree.large.summary import Summary
from roctree.learning import Learnt
from roctree.parameters import with_costs_in_order
from roctree.progress import Callback, Progress
from roctree.pruning import Pruner, need
from roctree.pruning import resolve as resolve_pruner
from roctree.selection import pruned
from roctree.smoothing import Smoother, choices
from roctree.smoothing import resolve as resolve_smoother
from roctree.tally import Tally
from roctree.tree import NO_BRANCH, Tree
from roctree.tree.binned import Binned
from roctree.tree.binning import Edges
from roctree.tree.growth import grid_of
from roctree.tree.levels import Finished


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


def grow_large(estimator: Any, data: LargeData, n_threads: int) -> Learnt:
    """Return the tree of large data, grown and pruned."""
    smoother = resolve_smoother(estimator.smoothing)
    refuse_what_needs_rows(estimator, resolve_pruner(estimator.pruning), smoother)
    summary = data.summary(estimator.categorical_features)
    warn_of_names_of_rows(summary.occurring, stacklevel=3)
    schema = summary.schema
    pruner = with_costs_in_order(resolve_pruner(estimator.pruning), schema.classes)
    binned, totals = _in_bins(data, summary, schema, estimator.max_bins, n_threads)
    growth = growth_for(estimator, schema.classes, totals.counts, summary.n_rows)
    scale = scale_of(estimator.metric, totals.moments.spread, schema)
    finished = _told(data.report, growth.max_depth)
    finished(0)
    tree = pruned(pruner, grown_from_bins(estimator, binned, growth, n_threads, finished))
    return Learnt(
        n_rows=summary.n_rows,
        schema=schema,
        class_weight=growth.class_weight,
        spread=totals.moments.spread,
        scale=scale,
        pruner=pruner,
        smoother=smoother,
        pruned=tree,
        divides_cases=bool(_sends_to_all(tree.tree, summary.has_missing).any()),
    )


def _in_bins(
    data: LargeData, summary: Summary, schema: Schema, max_bins: int, n_threads: int
) -> tuple[Binned, Totals]:
    """Have the rows coded, and return what growth and the estimator have to know of them."""
    edges = Edges.of(summary.sketches, schema.n_categories, schema.names, max_bins)
    quantum = grid_of(summary.n_rows, summary.largest)
    coding = Coding(schema, edges, quantum, summary.middle)
    totals, shards = data.coded(summary, coding, n_threads)
    lost = summary.n_rows - totals.n_rows
    warn_of_lost_rows(lost, summary.n_rows, quantum, summary.largest, stacklevel=4)
    known = edges, totals.bounds, summary.has_missing, totals.counts, quantum
    return Binned(schema.names, *known, shards), totals


def _told(report: Callback[Progress], max_depth: int | None) -> Finished:
    """Return what tells, after each level, how far the growth is."""
    return lambda n_levels: report(Progress("growing", n_levels, max_depth, "levels"))


def refuse_what_needs_rows(estimator: Any, pruner: Pruner, smoother: Smoother) -> None:
    """Refuse parameters that would want the rows in memory."""
    if estimator.ranking == "soft":
        raise ParameterError(
            "Soft thresholds are measured in memory: fit data larger than that with another "
            "ranking, and give a sample of it to ranked('soft', X=..., y=...)."
        )
    if estimator.splits != "binned":
        raise ParameterError(
            "data that do not fit memory, or are elsewhere, are grown from bins: use "
            "splits='binned'."
        )
    if need(pruner) != "counts":
        raise ParameterError(
            f"{pruner!r} chooses by the rows, which are not in memory: prune afterwards, with "
            "pruned(..., X_val=..., y_val=...) and rows that are."
        )
    if len(choices(smoother)) > 1:
        raise ParameterError(
            f"{smoother!r} is chosen by the rows, which are not in memory: give a number, or use "
            "smoothed(..., X=..., y=...) afterwards."
        )
    if estimator.geometric_probability:
        raise ParameterError("geometric_probability needs the rows in memory: leave it off.")


def _sends_to_all(tree: Tree, has_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each node sends missing values of a column that has some to all branches."""
    to_all = ~tree.is_leaf & (tree.missing_branch == NO_BRANCH)
    return np.asarray(to_all & has_missing[tree.feature])
