"""Data with nominal and numeric columns, missing values and two noisy classes."""

import numpy as np
import pandas as pd


def frame(n_rows=120, missing=0.1, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "warmth": rng.normal(20, 8, n_rows).round(),
            "sky": rng.choice(["sun", "rain", "fog"], n_rows),
            "wind": rng.integers(0, 9, n_rows).astype(float),
        }
    )
    clear = (data.sky == "sun") | (data.warmth > 24)
    noise = rng.random(n_rows) < 0.15
    labels = np.where(clear ^ noise, "play", "home")
    for column in ("warmth", "sky"):
        data.loc[rng.random(n_rows) < missing, column] = None
    return data, labels


def complete(n_rows=120, seed=0):
    return frame(n_rows, missing=0.0, seed=seed)
