"""A data set with numbers, categories, gaps and weights, and its copies on disk."""

import numpy as np
import pandas as pd

N_ROWS = 3000


def frame(n_rows=N_ROWS, seed=0):
    """Rows with a label, of which a few attributes say something, and a weight."""
    random = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "age": random.integers(20, 80, n_rows).astype(float),
            "dose": random.lognormal(size=n_rows),
            "ward": random.choice(["north", "south", "west"], n_rows),
            "smokes": random.random(n_rows) < 0.3,
        }
    )
    risk = rows["age"] / 20 + rows["dose"] + (rows["ward"] == "west") + rows["smokes"]
    rows["outcome"] = np.where(risk + random.normal(size=n_rows) > 4.5, "ill", "well")
    rows.loc[random.random(n_rows) < 0.1, "dose"] = np.nan
    rows.loc[random.random(n_rows) < 0.1, "ward"] = None
    rows["weight"] = random.integers(0, 4, n_rows) / 2
    rows["village"] = random.choice([f"village {number}" for number in range(40)], n_rows)
    return rows


def attributes(rows):
    return rows.drop(columns=["outcome", "weight"])
