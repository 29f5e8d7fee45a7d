"""A table of customers of whom few leave, with a column of cities that says nothing."""

import numpy as np
import pandas as pd

N_ROWS = 3500


def customers(n_rows=N_ROWS, seed=0, n_cities=300):
    """Rows and whether each customer left: 6 to 7 % did, whatever the city."""
    random = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "tenure": random.integers(1, 72, n_rows),
            "charges": random.normal(70, 25, n_rows).round(1),
            "calls": random.poisson(1.5, n_rows),
            "contract": random.choice(
                ["monthly", "yearly", "two years"], n_rows, p=[0.5, 0.3, 0.2]
            ),
            "city": [f"city {code:03d}" for code in random.integers(0, n_cities, n_rows)],
        }
    )
    risk = 0.6 * rows["calls"] - 0.04 * rows["tenure"] + 0.02 * (rows["charges"] - 70)
    risk += np.where(rows["contract"] == "monthly", 1.5, 0.0)
    left = random.random(n_rows) < 1 / (1 + np.exp(3.6 - risk))
    return rows, np.where(left, "left", "stayed")
