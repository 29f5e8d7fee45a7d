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
from roctree.large.batches import Batches, check_disk, open_batches, reserve
from roctree.large.parts import (
    CodedRows,
    Coding,
    Part,
    Totals,
    code_part,
    merged_tally,
    summarise_part,
    tally_part,
)
from roctree.large.summary import Summary, merged_summary
from roctree.progress import Callback, Progress
from roctree.tally import Tally
from roctree.tree import Tree
from roctree.tree.shards import SHARD_ROWS, LocalShards, Shard

# Bytes of a row besides its codes: the label, and the weight if there is one.
_LABEL_BYTES, _WEIGHT_BYTES = 4, 8


class OutOfCore:
    """Rows on disk; their codes are in temporary files that exist as long as the context."""

    def __init__(self, batches: Batches, folder: Path, report: Callback[Progress]) -> None:
        self.batches, self.folder, self.target = batches, folder, batches.target
        self.report, self.n_rows = report, batches.n_rows

    @classmethod
    @contextmanager
    def open(
        cls, X: Any, y: Any, sample_weight: Any, report: Callback[Progress]
    ) -> Iterator["OutOfCore"]:
        """Open the data; temporary files are removed at the end of the context."""
        with TemporaryDirectory(prefix="roctree-") as name:
            folder = Path(name)
            yield cls(open_batches(X, y, sample_weight, folder), folder, report)

    def summary(self, categorical_features: Any) -> Summary:
        """Summarise all rows, provided that the disk has space for their codes."""
        weight_bytes = 0 if self.batches.weight is None else _WEIGHT_BYTES
        row_bytes = len(self.batches.features) + _LABEL_BYTES + weight_bytes
        check_disk(self.n_rows * row_bytes, self.folder)
        parts = self._parts("reading")
        return merged_summary(summarise_part(part, categorical_features) for part in parts)

    def coded(self, summary: Summary, coding: Coding, n_threads: int) -> CodedRows:
        """Read all rows again, and write their codes to files."""
        edges, n_rows = coding.edges, summary.n_rows
        codes = self._file("codes", (n_rows, edges.size.size), edges.code_type)
        labels = self._file("labels", (n_rows,), np.uint32)
        weights = self._file("weights", (0 if summary.all_ones else n_rows,), np.float64)
        totals, end = Totals.empty(coding), 0
        for part in self._parts("coding"):
            rows, own = code_part(part, coding)
            begin, end = end, end + rows.size
            codes[begin:end], labels[begin:end] = rows.codes, rows.labels
            if weights.size > 0:
                weights[begin:end] = rows.weights if rows.weights.size else 1.0
            totals = totals.merged(own)
        whole = Shard(codes[:end], labels[:end], weights[:end])
        parts = whole.divided(max(n_threads, -(-end // SHARD_ROWS)))
        n_classes = coding.schema.n_classes
        return CodedRows(totals, lambda columns: LocalShards(parts, columns, n_classes, n_threads))

    def tally(self, tree: Tree, schema: Schema) -> Tally:
        """Count all rows in the leaves of a tree."""
        return merged_tally(tally_part(part, tree, schema) for part in self._parts("counting"))

    def _parts(self, step: str) -> Iterator[Part]:
        """Read all parts, and report the progress."""
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
