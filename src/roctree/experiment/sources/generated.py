"""Data sets that follow from their rules, so that they need no files.

``monks1``, ``monks2`` and ``monks3`` are all 432 robots with their true class (the files of the
competition are a sample of 124 or so with these 432 again, that of the third with some noise);
``tic-tac-toe`` all boards on which a game that x began can end; ``balance-scale`` all weights and
distances; ``waveform`` Breiman's three noisy mixtures of waves, 5000 cases of one seed.
"""

from collections.abc import Callable
from itertools import product

import numpy as np

from roctree.data import Rows
from roctree.experiment.sources.problem import Problem

ROBOT = {
    "head_shape": 3,
    "body_shape": 3,
    "is_smiling": 2,
    "holding": 3,
    "jacket_colour": 4,
    "has_tie": 2,
}
SQUARES = tuple(
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)
Board = tuple[int, ...]
WAVEFORM_SIZE, WAVEFORM_SEED, WAVE_WIDTH = 5000, 0, 21


def monks(number: int) -> Problem:
    """Return one of the three MONK's problems, every robot once, without noise."""
    concepts: dict[int, Callable[..., bool]] = {
        1: lambda a, b, c, d, e, f: a == b or e == 1,
        2: lambda *values: values.count(1) == 2,
        3: lambda a, b, c, d, e, f: (e == 3 and d == 1) or (e != 4 and b != 3),
    }
    robots = list(product(*(range(1, size + 1) for size in ROBOT.values())))
    labels = [int(concepts[number](*robot)) for robot in robots]
    categories = tuple(tuple(map(str, range(1, size + 1))) for size in ROBOT.values())
    rows = Rows(np.array(robots, np.float64) - 1.0, tuple(ROBOT), categories)
    return Problem(f"monks{number}", rows, np.array(labels, np.int32), ("0", "1"))


def tic_tac_toe() -> Problem:
    """Return the boards at the end of a game; positive where x has won."""
    ends: dict[Board, bool] = {}
    _play((0,) * 9, 1, ends, set())
    boards = sorted(ends)
    # 0 is a blank square, 1 has an x and 2 an o; categories are in sorted order.
    codes = np.array([0.0, 2.0, 1.0])[np.array(boards)]
    rows = Rows(codes, SQUARES, (("b", "o", "x"),) * 9)
    labels = np.array([ends[board] for board in boards], np.int32)
    return Problem("tic-tac-toe", rows, labels, ("negative", "positive"))


def balance_scale() -> Problem:
    """Return the sides to which a scale tips: left, right, or neither."""
    cases = np.array(list(product(range(1, 6), repeat=4)), np.float64)
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    torque = cases[:, 0] * cases[:, 1] - cases[:, 2] * cases[:, 3]
    labels = np.where(torque == 0, 0, np.where(torque > 0, 1, 2)).astype(np.int32)
    return Problem("balance-scale", Rows(cases, names, (None,) * 4), labels, ("B", "L", "R"))


def waveform() -> Problem:
    """Return Breiman's waves: mixtures of two of three triangles, with noise."""
    random = np.random.default_rng(WAVEFORM_SEED)
    places = np.arange(WAVE_WIDTH)
    waves = np.maximum(6.0 - np.abs(places - np.array([[6.0], [14.0], [10.0]])), 0.0)
    labels = random.integers(3, size=WAVEFORM_SIZE).astype(np.int32)
    first, second = np.array([[0, 0, 1], [1, 2, 2]])[:, labels]
    share = random.random((WAVEFORM_SIZE, 1))
    values = share * waves[first] + (1.0 - share) * waves[second]
    values += random.standard_normal(values.shape)
    names = tuple(f"x{place + 1}" for place in places)
    return Problem("waveform", Rows(values, names, (None,) * WAVE_WIDTH), labels, ("0", "1", "2"))


def _play(board: Board, player: int, ends: dict[Board, bool], seen: set[Board]) -> None:
    """Try every move; a game has at most nine, and a board one player to move."""
    if board in seen:
        return
    seen.add(board)
    for square in [square for square, taken in enumerate(board) if not taken]:
        after = (*board[:square], player, *board[square + 1 :])
        won = any(all(after[place] == player for place in line) for line in LINES)
        if won or 0 not in after:
            ends[after] = won and player == 1
        else:
            _play(after, 3 - player, ends, seen)


GENERATED: dict[str, Callable[[], Problem]] = {
    "monks1": lambda: monks(1),
    "monks2": lambda: monks(2),
    "monks3": lambda: monks(3),
    "tic-tac-toe": tic_tac_toe,
    "balance-scale": balance_scale,
    "waveform": waveform,
}
