"""Compare the attributes of a node: plain improvement, or C4.5's ratio behind its average guard."""

import math

import numpy as np

from roctree._jit import inlined, kernel
from roctree.tree.kernels.layout import (
    CORRECTION,
    COUNTABLE,
    GAIN,
    GUARD,
    INFO,
    MIN_GAIN,
    N_BRANCHES,
    NO_CORRECTION,
    SPLIT_INFO,
    TOLERANCE,
)

# C4.5's tolerance: gains this close to the average pass, and smaller split infos do not divide.
EPSILON = 1e-3
ROUNDING = 1e-12


@inlined
def information(weight: float, total: float) -> float:
    """One term of an entropy in bits: -p log2 p of the share ``weight / total``."""
    if weight <= 0.0:
        return 0.0
    return -weight / total * math.log2(weight / total)


@inlined
def binary_info(left: float, known: float, node: float, limits: np.ndarray) -> float:
    """What a two-way split's improvement is divided by; missing cases are one more branch."""
    if limits[CORRECTION] != SPLIT_INFO:
        return 1.0
    right, missing = known - left, node - known
    return information(left, node) + information(right, node) + information(missing, node)


@kernel
def mean_gain(
    column: int, columns: np.ndarray, found_floats: np.ndarray, found_ints: np.ndarray
) -> float:
    """The mean of the possible gains, or of what bounds them; infinite where none is possible."""
    total, n = 0.0, 0
    for feature in range(found_ints.shape[0]):
        possible = found_ints[feature, N_BRANCHES] > 0 and found_floats[feature, GAIN] > -EPSILON
        if possible and columns[COUNTABLE, feature]:
            total += found_floats[feature, column]
            n += 1
    return total / n if n > 0 else np.inf


@kernel
def worth(
    feature: int, found_floats: np.ndarray, found_ints: np.ndarray, limits: np.ndarray
) -> float:
    """By what attributes are compared: the gain, or what it is divided to; -inf for no split."""
    if found_ints[feature, N_BRANCHES] == 0:
        return -np.inf
    if limits[CORRECTION] == NO_CORRECTION:
        return found_floats[feature, GAIN]
    info = found_floats[feature, INFO]
    return found_floats[feature, GAIN] / info if info > EPSILON else -np.inf


@kernel
def choose(
    columns: np.ndarray, found_floats: np.ndarray, found_ints: np.ndarray, limits: np.ndarray
) -> int:
    """The attribute to split on, the first on ties; -1 where none is worth it."""
    corrected = limits[CORRECTION] != NO_CORRECTION
    average = -np.inf
    if limits[GUARD]:
        average = mean_gain(GAIN, columns, found_floats, found_ints)
    best, best_value = -1, -np.inf
    if corrected:
        # C4.5 starts below zero, so that a split without gain is better than none; Weka, the
        # program with a tolerance, does not.
        best_value = -EPSILON if limits[TOLERANCE] == 0.0 else 0.0
    for feature in range(found_ints.shape[0]):
        value = found_floats[feature, GAIN]
        if found_ints[feature, N_BRANCHES] == 0:
            continue
        if corrected:
            if value < average - EPSILON or found_floats[feature, INFO] <= EPSILON:
                continue
            value /= found_floats[feature, INFO]
        if value > best_value + limits[TOLERANCE]:
            best, best_value = feature, value
    if best >= 0 and found_floats[best, GAIN] < limits[MIN_GAIN] - ROUNDING:
        return -1
    return best
