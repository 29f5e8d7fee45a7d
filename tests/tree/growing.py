"""Grow trees from Hypothesis's data, in every way, and compare them byte for byte."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from unittest import mock

import numpy as np
from hypothesis import settings

from roctree._jit import JIT_DISABLED
from roctree.data import Dataset, Schema
from roctree.tree import columns, growth, subtrees
from roctree.tree.growth import GrowthRules, SortedKernels, grow
from roctree.tree.kernels.scan import scan_all, scan_bounded
from roctree.tree.subtrees import Workspace

MISSING = ("fractional", "category", "branch")
NOMINAL = ("binary", "multiway", "one_vs_rest")
# Growth takes a hundred times longer where it is interpreted.
patient = settings(max_examples=10 if JIT_DISABLED else 60)


def as_dataset(data):
    """The ``Dataset`` of a ``strategies.Data``, every category declared."""
    columns = range(len(data.columns))
    categories = [
        tuple(f"c{code}" for code in range(data.nominal[i])) if i in data.nominal else None
        for i in columns
    ]
    schema = Schema(tuple(f"x{i}" for i in columns), tuple(categories), np.arange(data.n_classes))
    labels = np.array(data.labels, np.int32)
    return Dataset(data.matrix, labels, np.array(data.weights, float), schema)


def numeric_dataset(values, labels, weights=None):
    """A ``Dataset`` of numbers."""
    values, labels = np.asarray(values, float), np.asarray(labels, np.int32)
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, float)
    names = tuple(f"x{i}" for i in range(values.shape[1]))
    schema = Schema(names, (None,) * len(names), np.arange(labels.max() + 1))
    return Dataset(values, labels, weights, schema)


def take(dataset, rows):
    """The data set of the rows in that order, repeats welcome."""
    return Dataset(
        dataset.values[rows], dataset.labels[rows], dataset.weights[rows], dataset.schema
    )


def grown(dataset, criterion, n_threads=1, **options):
    """The tree, checked."""
    how = GrowthRules(criterion, np.ones(dataset.schema.n_classes), **options)
    return grow(dataset, how, n_threads).validate(dataset.schema.n_features)


@dataclass(frozen=True)
class Found:
    """The best split of an attribute: what it gains, and what that is divided by."""

    gain: float
    info: float

    @property
    def ratio(self):
        return self.gain / self.info


def found_at_root(dataset, criterion, **options):
    """What growth finds for each attribute at the root, None where it cannot be split."""
    kept = []

    class Remembered(Workspace):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            kept.append(self)

    with mock.patch.object(growth, "Workspace", Remembered):
        grown(dataset, criterion, max_depth=1, **options)
    (space,) = kept
    found = space.found
    return [
        Found(gain, info) if n_branches else None
        for gain, info, n_branches in zip(found.gain, found.info, found.n_branches, strict=True)
    ]


def as_bytes(tree):
    return {name: array.tobytes() for name, array in tree._arrays().items()}


@contextmanager
def bins(narrow=4, most_bins=5, sample=16):
    """Let nodes of more than ``narrow`` cases be searched by few bins, from a small sample."""
    with (
        mock.patch.object(growth, "NARROW", narrow),
        mock.patch.object(subtrees, "NARROW", narrow),
        mock.patch.object(columns, "_MAX_BINS", most_bins),
        mock.patch.object(columns, "_SAMPLE", sample),
    ):
        yield


@contextmanager
def scans(bounded):
    """Let candidates be passed over on the strength of a bound, however few, or none at all."""
    choose, scan = SortedKernels.choose, scan_bounded if bounded else scan_all

    def with_scan(*arguments, **options):
        return replace(choose(*arguments, **options), scan=scan)

    with mock.patch.object(SortedKernels, "choose", with_scan):
        yield
