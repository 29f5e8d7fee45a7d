"""Cross-validated areas under the curve of our Naive Bayes trees and of Weka's, on the same folds.

Weka prints probabilities with three decimals. Rounding makes ties, and ties change an area: so ours
are compared as they are, and rounded likewise.

Run from the repository, with Java and Weka (Debian's package ``weka``, or WEKA_JAR=PATH) and the
data sets of the oracle: ``python -m docs.decisions.measured.nbtree_weka [NAME...]``.
"""

import csv
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.nbtree import weka_command
from roctree import NaiveBayesTreeClassifier
from roctree.roc import mauc
from tests.shared_data import load, oracle

N_FOLDS = 10


def main() -> None:
    trees = oracle("weka")["trees"]
    names = sys.argv[1:] or [name for name in trees if "nbtree" in trees[name]]
    print("| data | cases | ours | ours, rounded | Weka | largest difference of a probability |")
    print("|---|---|---|---|---|---|")
    for name in names:
        frame, labels = load(name).frame, np.array(load(name).labels)
        areas, apart = compared(frame, labels)
        cells = " | ".join(f"{each.mean():.4f} ± {each.std(ddof=1):.4f}" for each in areas)
        print(f"| {name} | {len(labels)} | {cells} | {apart:.4f} |", flush=True)


def compared(frame: pd.DataFrame, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """Return areas on every fold, and how far probabilities are apart."""
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(frame, labels)
    areas, apart = [], 0.0
    for train, test in folds:
        tree = NaiveBayesTreeClassifier().fit(frame.iloc[train], labels[train])
        said = weka(frame, labels, train, test)
        own = np.zeros_like(said)
        own[:, np.isin(np.unique(labels), tree.classes_)] = tree.predict_proba(frame.iloc[test])
        apart = max(apart, float(np.abs(own - said).max()))
        present = np.unique(labels[test])
        columns = np.isin(np.unique(labels), present)
        areas.append(
            [
                mauc(scores[:, columns], labels[test], classes=present)
                for scores in (own, own.round(3), said)
            ]
        )
    return np.array(areas).T, apart


def weka(
    frame: pd.DataFrame, labels: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Return the probabilities that Weka gives the test cases."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / "train.arff", Path(folder) / "test.arff"]
        for file, rows in zip(files, (train, test), strict=True):
            file.write_text(arff(frame, labels, rows))
        line = [
            *weka_command(),
            "-t",
            files[0],
            "-T",
            files[1],
            "-no-cv",
            "-p",
            "0",
            "-distribution",
        ]
        done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True)
    rows = [each.split()[-1] for each in done.stdout.splitlines() if ":" in each and "," in each]
    return np.array([[float(part.strip("*")) for part in row.split(",")] for row in rows])


def arff(frame: pd.DataFrame, labels: np.ndarray, rows: np.ndarray) -> str:
    """Return some rows in the format of Weka; nominal columns declare every category."""
    lines = ["@relation data"]
    for number, column in enumerate(frame):
        values = frame[column]
        nominal = isinstance(values.dtype, pd.CategoricalDtype)
        kind = f"{{{','.join(f'v{code}' for code in range(len(values.cat.categories)))}}}" if (
            nominal) else "numeric"  # fmt: skip
        lines.append(f"@attribute x{number} {kind}")
    classes = np.unique(labels)
    lines += [f"@attribute class {{{','.join(f'c{i}' for i in range(len(classes)))}}}", "@data"]
    codes = [
        values.cat.codes.map(lambda code: "?" if code < 0 else f"v{code}")
        if isinstance(values.dtype, pd.CategoricalDtype)
        else values.map(lambda value: "?" if value != value else repr(float(value)))
        for _, values in frame.items()
    ]
    table = pd.concat([part.reset_index(drop=True) for part in codes], axis=1).iloc[rows]
    labelled = table.assign(label=[f"c{i}" for i in np.searchsorted(classes, labels[rows])])
    return (
        "\n".join(lines) + "\n" + labelled.to_csv(index=False, header=False, quoting=csv.QUOTE_NONE)
    )


if __name__ == "__main__":
    main()
