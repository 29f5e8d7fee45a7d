"""Lines through points that fall neither in x nor in y: heights on them, and their upper hull."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def heights(x: Floats, y: Floats, wanted: ArrayLike) -> Floats:
    """Return y at some x, the highest where the line is vertical; level beyond its ends."""
    at = np.asarray(wanted, dtype=np.float64)
    before = np.maximum(np.searchsorted(x, at, side="right") - 1, 0)
    after = np.minimum(before + 1, len(x) - 1)
    run = x[after] - x[before]
    part = np.divide(at - x[before], run, out=np.zeros_like(at), where=run > 0.0)
    return np.asarray(y[before] + np.maximum(part, 0.0) * (y[after] - y[before]))


def convex(x: Floats, y: Floats) -> NDArray[np.int64]:
    """Return which points are corners of the upper hull.

    Points on a line between corners are none. The first and the last always are.
    """
    # Elements of a list are several times quicker than those of an array.
    places = list(zip(x.tolist(), y.tolist(), strict=True))
    corners: list[int] = []
    for number, point in enumerate(places):
        while len(corners) > 1 and not _turns_right(
            places[corners[-2]], places[corners[-1]], point
        ):
            corners.pop()
        corners.append(number)
    return np.array(corners)


def _turns_right(
    first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]
) -> bool:
    rise = (second[1] - first[1]) * (third[0] - first[0])
    run = (third[1] - first[1]) * (second[0] - first[0])
    return rise > run
