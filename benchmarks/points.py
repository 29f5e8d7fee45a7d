"""Trees with points: processor time to fit and to predict, beside the same tree without points."""

import gc
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.data import numeric
from benchmarks.race import Entry, Race, Row

SHAPES = ((10_000, 20), (1_000_000, 20))
QUICK_SHAPES = ((10_000, 20),)
PRESETS = ("scorecard", "best_ranking")
PREDICTED = 200_000
ROUNDS = 3


def rows(quick: bool = False) -> list[Row]:
    return [
        Row(
            "points",
            f"points-{preset}-{n_rows // 1000}k",
            f"`{preset}`, {n_rows:,} × {n_columns}",
            partial(measure_all, preset, n_rows, n_columns),
        )
        for n_rows, n_columns in (QUICK_SHAPES if quick else SHAPES)
        for preset in PRESETS
    ]


def measure_all(preset: str, n_rows: int, n_columns: int, race: Race) -> list[Entry]:
    """Measure a fit and the prediction of 200,000 rows, with points and by the tree alone.

    Times are those of the processor on one thread, so that other work does not count.
    """
    from roctree import presets

    X, y = numeric(n_rows, n_columns)
    X = X.astype(np.float64)
    predicted = np.resize(X, (PREDICTED, n_columns))
    race.say("compiling")
    with_points = getattr(presets, preset)(n_jobs=1).fit(X[:2000], y[:2000])
    alone = getattr(presets, preset)(n_jobs=1, points=None)
    with_points.fit(X, y).predict_proba(predicted)
    alone.fit(X, y).predict_proba(predicted)
    steps: dict[str, Callable[[], Any]] = {
        "fit": lambda: with_points.fit(X, y),
        "fit, tree alone": lambda: alone.fit(X, y),
        "predict": lambda: with_points.predict_proba(predicted),
        "predict, tree alone": lambda: alone.predict_proba(predicted),
    }
    entries = [Entry("roctree", variant=step) for step in steps]
    card = with_points.points_.scorecard
    facts = {"attributes": len(card.attributes), "cases": card.n_cases}
    for number in range(ROUNDS):
        for entry in entries:
            entry.facts = facts
            race.say(f"{entry.variant}, round {number + 1}")
            gc.collect()
            begin = process_time()
            steps[entry.variant]()
            entry.seconds.append(process_time() - begin)
            entry.others.append(0.0)
    return entries
