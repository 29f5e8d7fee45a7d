"""Compare SQL in SQLite and DuckDB, and ONNX in onnxruntime, with the tree on all rows.

Usage: ``python -m docs.decisions.measured.exports [name ...]``, by default for all data sets of
``studies/data``.
"""

import sys
from time import perf_counter

from roctree import ROCTreeClassifier, presets
from tests import shared_data
from tests.export.engines import check_onnx, check_sql

TREES = {"default": ROCTreeClassifier, "c45": presets.c45}


def main():
    failed = 0
    for name in sys.argv[1:] or shared_data.manifest():
        data = shared_data.load(name)
        for kind, make in TREES.items():
            tree = make().fit(data.frame, list(data.labels))
            times = []
            for check in (check_sql, check_onnx):
                begin = perf_counter()
                try:
                    check(tree, data.frame)
                    said = "same"
                except Exception as error:
                    said, failed = f"{type(error).__name__}: {str(error)[:200]}", failed + 1
                times.append(f"{said} in {perf_counter() - begin:.1f} s")
            size = f"{len(data.labels)} rows, {tree.get_n_leaves()} leaves"
            print(f"{name:24} {kind:8} {size:28} SQL {times[0]:20} ONNX {times[1]}", flush=True)
    print(f"{failed} differ")


if __name__ == "__main__":
    main()
