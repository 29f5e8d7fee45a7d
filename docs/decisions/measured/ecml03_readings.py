"""Readings of ECML03's trees beside its numbers: geometric means, and rows within a deviation.

Usage: ``python -m docs.decisions.measured.ecml03_readings [REPEATS]``
"""

import sys
from tempfile import TemporaryDirectory

from roctree.criteria import GainRatio
from roctree.experiment import CrossValidation, Folder, Plan, run
from roctree.presets import smiles_2003
from studies.ecml03 import AREA, SMOOTHINGS
from studies.report import PaperNumber, geometric_mean
from studies.setting import published
from studies.sources import DATA

READINGS = {
    "as reproduced": {"criterion": GainRatio()},
    "thresholds at observed values": {"criterion": GainRatio(), "threshold": "observed"},
    "and without the guard": {"criterion": GainRatio(guard="none"), "threshold": "observed"},
}
COLUMNS = {"none": "tables3_4", "laplace": "tables3_4", "m_branch": "tables5_6"}


def main(repeats=2):
    rows = published()["data_sets"]["ECML03"]
    problems = [Folder(DATA).load(name) for *_, name in rows]
    trees = {
        f"{reading} {column}": smiles_2003(smoothing=SMOOTHINGS[column], **options)
        for reading, options in READINGS.items()
        for column in COLUMNS
    }
    plan = Plan.of(problems, trees, CrossValidation(5, int(repeats), 1000), [AREA, "accuracy"])
    with TemporaryDirectory() as place:
        results = run(plan, f"{place}/study.sqlite")
    for reading in READINGS:
        print(reading)
        for column, table in COLUMNS.items():
            means = 100.0 * results.means(AREA)[:, list(trees).index(f"{reading} {column}")]
            printed = published()[f"ECML03_{table}"]["rows"]
            entries = [
                PaperNumber.beside(printed[str(number)][column], ours)
                for (number, *_), ours in zip(rows, means, strict=True)
            ]
            paper, ours = (
                geometric_mean([getattr(each, side) for each in entries])
                for side in ("paper", "ours")
            )
            within = sum(each.within for each in entries)
            print(f"   {column}: paper {paper:.2f}, ours {ours:.2f}, {within} rows within")


if __name__ == "__main__":
    main(*sys.argv[1:])
