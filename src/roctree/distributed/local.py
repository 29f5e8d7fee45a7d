"""Out of core: two passes over batches, codes in a temporary file, growth from that file."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.distributed.batches import Batches, check_disk, open_batches, reserve
from roctree.distributed.parts import (
    Coded,
    Coding,
    Facts,
    Part,
    code,
    merged_tally,
    summarise,
    tally,
)
from roctree.distributed.summary import Summary, merged_summary
from roctree.progress import Callback, Progress
from roctree.tally import Tally
from roctree.tree.binned import SHARD_ROWS, divided
from roctree.tree.shards import LocalShards, Shard
from roctree.tree import Tree

# The bytes of a row besides its codes: the label, and the weight where there is one.
_LABEL, _WEIGHT = 4, 8


class OutOfCore:
    """Rows on disk, coded in a file that is gone when the work is done, or has failed."""

    def __init__(self, batches: Batches, folder: Path, report: Callback[Progress]) -> None:
        self.batches, self.folder, self.target = batches, folder, batches.target
        self.report, self.n_rows = report, batches.n_rows

    @classmethod
    @contextmanager
    def opened(
        cls, X: Any, y: Any, sample_weight: Any, report: Callback[Progress]
    ) -> Iterator["OutOfCore"]:
        """Open the data; temporary files last as long as the context."""
        with TemporaryDirectory(prefix="roctree-") as name:
            folder = Path(name)
            yield cls(open_batches(X, y, sample_weight, folder), folder, report)

    def summary(self, categorical_features: Any) -> Summary:
        """Look at all rows once, if the disk has room for what comes then."""
        weight = 0 if self.batches.weight is None else _WEIGHT
        n_bytes = len(self.batches.features) + _LABEL + weight
        check_disk(self.n_rows * n_bytes, self.folder)
        parts = self._parts("reading")
        return merged_summary(summarise(part, categorical_features) for part in parts)

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> Coded:
        """Look at all rows a second time, and write their codes down."""
        edges, n_rows = coding.edges, summary.n_rows
        codes = self._file("codes", (n_rows, edges.size.size), edges.code_type)
        labels = self._file("labels", (n_rows,), np.uint32)
        weights = self._file("weights", (0 if summary.all_ones else n_rows,), np.float64)
        facts, end = Facts.none(coding), 0
        for part in self._parts("coding"):
            rows, own = code(part, coding)
            begin, end = end, end + rows.size
            codes[begin:end], labels[begin:end] = rows.codes, rows.labels
            if weights.size > 0:
                weights[begin:end] = rows.weights if rows.weights.size else 1.0
            facts = facts.merged(own)
        whole = Shard(codes[:end], labels[:end], weights[:end])
        parts = divided(whole, max(n_threads, -(-end // SHARD_ROWS)))
        n_classes = coding.schema.n_classes
        return Coded(facts, lambda columns: LocalShards(parts, columns, n_classes, n_threads))

    def tally(self, tree: Tree, schema: Schema) -> Tally:
        """Count all rows in the leaves of a tree."""
        return merged_tally(tally(part, tree, schema) for part in self._parts("counting"))

    def _parts(self, step: str) -> Iterator[Part]:
        """Read all parts, and tell how far that is."""
        done = 0
        self.report(Progress(step, done, self.n_rows, "rows"))
        for part in self.batches:
            yield part
            done += part.X.num_rows
            self.report(Progress(step, done, self.n_rows, "rows"))

    def _file(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if 0 in shape:
            return np.empty(shape, dtype)
        reserve(self.folder / name, math.prod(shape) * np.dtype(dtype).itemsize)
        return np.memmap(self.folder / name, dtype, "r+", shape=shape).view(np.ndarray)
