"""Processor time for writing and reading a tree of 200,001 nodes.

Usage: ``python docs/decisions/measured/model_file.py``.
"""

import json
import tracemalloc
from dataclasses import replace
from time import process_time

import numpy as np

from roctree import ROCTreeClassifier
from roctree.files import as_bytes, from_bytes
from roctree.tree.tree import Tree

INNER = 100_000


def main():
    model = large()
    times = []
    for _ in range(3):
        begin = process_time()
        data = as_bytes(model)
        written = process_time()
        loaded = from_bytes(data)
        times.append((written - begin, process_time() - written))
    assert loaded.tree == model.tree
    begin = process_time()
    json.loads(data)
    parsed = process_time() - begin
    tracemalloc.start()
    from_bytes(data)
    peak = tracemalloc.get_traced_memory()[1] / len(data)
    write, read = (min(column) for column in zip(*times, strict=True))
    print(f"{model.tree.n_nodes} nodes, {len(data) / 1e6:.1f} MB")
    print(f"written in {write:.2f} s, read in {read:.2f} s, of which json.loads {parsed:.2f} s")
    print(f"peak memory {peak:.1f} times the file")


def large():
    """Return a fitted tree of many nodes, with numbers of full precision."""
    rng = np.random.default_rng(0)
    model = ROCTreeClassifier().fit([[1.0, 2.0], [2.0, 1.0], [3.0, 2.0]], [0, 0, 1]).fitted_
    n_nodes = 2 * INNER + 1
    inner = np.arange(n_nodes) < INNER
    counts = np.where(inner[:, None], 0.0, rng.integers(1, 50, (n_nodes, 2)))
    for node in range(n_nodes - 1, 0, -1):
        counts[(node - 1) // 2] += counts[node]
    tree = Tree(
        n_children=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, rng.integers(0, 2, n_nodes), -1).astype(np.int32),
        threshold=np.where(inner, rng.normal(size=n_nodes), np.nan),
        category_branch=np.empty(0, np.int16),
        category_offsets=np.zeros(n_nodes + 1, np.int32),
        missing_branch=np.full(n_nodes, -1, np.int16),
        counts=counts,
        softness=np.zeros(n_nodes),
        gain=np.where(inner, rng.random(n_nodes), 0.0),
    ).validate()
    shares = rng.random(n_nodes)
    return replace(model, tree=tree, probabilities=np.column_stack([shares, 1.0 - shares]))


if __name__ == "__main__":
    main()
