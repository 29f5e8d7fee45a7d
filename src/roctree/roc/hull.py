"""The upper convex hull of points that rise to the right."""

import numpy as np
from numpy.typing import NDArray


def convex(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which of some points, none falling in x or y, are corners of their upper hull.

    Points on a line between corners are none. The first and the last always are.
    """
    corners: list[int] = []
    for point in range(len(x)):
        while len(corners) > 1 and not _turns_right(x, y, corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return np.array(corners)


def _turns_right(
    x: NDArray[np.float64], y: NDArray[np.float64], first: int, second: int, third: int
) -> bool:
    rise = (y[second] - y[first]) * (x[third] - x[first])
    run = (y[third] - y[first]) * (x[second] - x[first])
    return bool(rise > run)
