"""Fit data larger than memory, or on other machines: two passes over the rows, then growth."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema, warn_about_many_categories
from roctree.errors import ParameterError
from roctree.fitted import FittedTree, Training
from roctree.fitting import FitOptions, assemble, grow_binned_tree, prune, warn_about_lost_rows
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
from roctree.tree.levels import Binned


@runtime_checkable
class LargeData(Protocol):
    """Rows that are read in two passes to fit a tree, or in one to be counted in its leaves."""

    @property
    def target(self) -> str | None:
        """Name of the target, if it has one."""

    @property
    def report(self) -> Callback[Progress]:
        """Progress callback."""

    def summary(self, categorical_features: Any) -> Summary:
        """Summarise all rows."""

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Read all rows again, and code them where they are."""

    def tally(self, tree: Tree, schema: Schema) -> Tally:
        """Count all rows in the leaves of a tree."""


def fit_large_data(data: LargeData, options: FitOptions, n_threads: int) -> FittedTree:
    """Return the tree of large data, grown, pruned and smoothed."""
    check_options(options)
    summary = data.summary(options.categorical_features)
    warn_about_many_categories(summary.occurring, stacklevel=3)
    schema = summary.schema
    pruner = costs_in_class_order(options.pruning, schema.classes)
    binned, totals = _bin_rows(data, summary, schema, options.max_bins, n_threads)
    rules = options.growth_rules(schema.classes, totals.counts, summary.n_rows)
    scale = scale_of(options.metric, totals.moments.spread, schema)

    def finished(n_levels: int) -> None:
        data.report(Progress("growing", n_levels, rules.max_depth, "levels"))

    finished(0)
    pruned = prune(pruner, grow_binned_tree(binned, options, rules, n_threads, finished))
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
        divides_cases=bool(_divides_missing(pruned.tree, summary.has_missing).any()),
    )


def _bin_rows(
    data: LargeData, summary: Summary, schema: Schema, max_bins: int, n_threads: int
) -> tuple[Binned, Totals]:
    """Code the rows, and return them ready for growth, with their totals."""
    edges = Edges.from_sketches(summary.sketches, schema.n_categories, schema.names, max_bins)
    quantum = grid_of(summary.n_rows, summary.largest)
    coding = Coding(schema, edges, quantum, summary.middle)
    totals, shards = data.coded(summary, coding, n_threads)
    lost = summary.n_rows - totals.n_rows
    warn_about_lost_rows(lost, summary.n_rows, quantum, summary.largest, stacklevel=4)
    known = edges, totals.bounds, summary.has_missing, totals.counts, quantum
    return Binned(schema.names, *known, shards), totals


def check_options(options: FitOptions) -> None:
    """Raise ``ParameterError`` for options that need the rows in memory."""
    if options.ranking == "soft":
        raise ParameterError(
            parameter="ranking",
            value="soft",
            reason="needs the rows in memory: fit with another ranking, then give a sample of the "
            "rows to ranked('soft', X=..., y=...)",
        )
    if options.splits != "binned":
        raise ParameterError(
            reason="data larger than memory, or on a cluster, are fitted from bins: use "
            "{splits='binned'}."
        )
    if need(options.pruning) != "counts":
        raise ParameterError(
            reason="{pruner!r} needs the rows in memory: fit without it, then prune with "
            "{X_val and y_val}.",
            pruner=options.pruning,
        )
    if len(choices(options.smoothing)) > 1:
        raise ParameterError(
            reason="{smoother!r} needs the rows in memory: give a number, or use "
            "smoothed(..., X=..., y=...) after the fit.",
            smoother=options.smoothing,
        )
    if options.geometric_probability:
        raise ParameterError(
            parameter="geometric_probability", reason="needs the rows in memory: leave it off"
        )


def _divides_missing(tree: Tree, has_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each node sends missing values, which its column has, to all branches."""
    to_all = ~tree.is_leaf & (tree.missing_branch == NO_BRANCH)
    return np.asarray(to_all & has_missing[tree.feature])
