"""Data sets that need no files: scikit-learn's own, and those that follow from a rule.

Complete enumerations: ``monks1``, ``monks2`` and ``monks3`` contain all 432 robots with their true
class (the files of the competition contain a training sample and these 432, with some noise in the
third); ``tic-tac-toe`` contains every final board of a game that x began, ``balance-scale`` all
weights and distances.

Random samples of published generators, each with a fixed seed: ``waveform`` (Breiman's three noisy
mixtures of waves), ``led24`` (Breiman's faulty display: seven segments of a digit, each inverted
with probability 0.1, and 17 irrelevant ones), ``ringnorm`` (Breiman's narrow normal distribution
inside a wide one), ``agrawal-4`` and ``agrawal-7`` (Agrawal's fourth and seventh function of loan
applicants, with perturbed numbers and 5 % label noise; a tenth of the values of the seventh is
missing).

From scikit-learn: ``iris``, ``wine``, ``breast-wdbc``, ``digits``, and ``diabetes`` with
progression above or below the median as its class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.utils import Bunch

from roctree.data import EncodedRows
from roctree.experiment.sources import Problem, unknown_data_set

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Board = tuple[int, ...]


@dataclass(frozen=True)
class BuiltIn:
    """Data sets that are always available.

    Examples
    --------
    >>> BuiltIn().load("iris")
    <Problem iris: 150 cases, 0 nominal + 4 numeric attributes, 3 classes>
    """

    def names(self) -> list[str]:
        """Return the names of the data sets."""
        return sorted([*_GENERATED, *_SCIKIT_LEARN])

    def load(self, name: str) -> Problem:
        """Generate or read a data set."""
        if name in _GENERATED:
            return _GENERATED[name]()
        if name not in _SCIKIT_LEARN:
            raise unknown_data_set(name, self.names(), "roctree itself")
        bunch = _SCIKIT_LEARN[name]()
        return Problem.from_data(name, bunch.data, bunch.target_names[bunch.target])


def _diabetes() -> Any:
    bunch = datasets.load_diabetes(scaled=False)
    advanced = (bunch.target > np.median(bunch.target)).astype(int)
    return Bunch(data=bunch.data, target=advanced, target_names=np.array(["less", "more"]))


_SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast-wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": _diabetes,
}


# Complete enumerations

ROBOT = {
    "head_shape": 3,
    "body_shape": 3,
    "is_smiling": 2,
    "holding": 3,
    "jacket_colour": 4,
    "has_tie": 2,
}


def monks(number: int) -> Problem:
    """Return one of the three MONK's problems, each robot once, without noise."""
    concepts: dict[int, Callable[..., bool]] = {
        1: lambda a, b, c, d, e, f: a == b or e == 1,
        2: lambda *values: values.count(1) == 2,
        3: lambda a, b, c, d, e, f: (e == 3 and d == 1) or (e != 4 and b != 3),
    }
    robots = list(product(*(range(1, size + 1) for size in ROBOT.values())))
    labels = [int(concepts[number](*robot)) for robot in robots]
    categories = tuple(tuple(map(str, range(1, size + 1))) for size in ROBOT.values())
    rows = EncodedRows(np.array(robots, np.float64) - 1.0, tuple(ROBOT), categories)
    return Problem(f"monks{number}", rows, np.array(labels, np.int32), ("0", "1"))


SQUARES = tuple(
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def tic_tac_toe() -> Problem:
    """Return the final boards of all games; positive where x has won."""
    ends: dict[Board, bool] = {}
    _play((0,) * 9, 1, ends, set())
    boards = sorted(ends)
    # On a board 0 is blank, 1 is x and 2 is o; the categories are sorted.
    codes = np.array([0.0, 2.0, 1.0])[np.array(boards)]
    rows = EncodedRows(codes, SQUARES, (("b", "o", "x"),) * 9)
    labels = np.array([ends[board] for board in boards], np.int32)
    return Problem("tic-tac-toe", rows, labels, ("negative", "positive"))


def _play(board: Board, player: int, ends: dict[Board, bool], seen: set[Board]) -> None:
    """Try every move: a game has at most nine, and a board determines who moves."""
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


def balance_scale() -> Problem:
    """Return the side to which a scale tips for all weights and distances: B for neither."""
    cases = np.array(list(product(range(1, 6), repeat=4)), np.float64)
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    torque = cases[:, 0] * cases[:, 1] - cases[:, 2] * cases[:, 3]
    labels = np.where(torque == 0, 0, np.where(torque > 0, 1, 2)).astype(np.int32)
    return Problem("balance-scale", EncodedRows(cases, names, (None,) * 4), labels, ("B", "L", "R"))


# Random samples

WAVEFORM_SIZE, WAVEFORM_SEED, WAVE_WIDTH = 5000, 0, 21
SEED = 2003


def waveform() -> Problem:
    """Return Breiman's waveforms: noisy mixtures of two of three triangles."""
    random = np.random.default_rng(WAVEFORM_SEED)
    places = np.arange(WAVE_WIDTH)
    waves = np.maximum(6.0 - np.abs(places - np.array([[6.0], [14.0], [10.0]])), 0.0)
    labels = random.integers(3, size=WAVEFORM_SIZE).astype(np.int32)
    first, second = np.array([[0, 0, 1], [1, 2, 2]])[:, labels]
    share = random.random((WAVEFORM_SIZE, 1))
    values = share * waves[first] + (1.0 - share) * waves[second]
    values += random.standard_normal(values.shape)
    names = tuple(f"x{place + 1}" for place in places)
    return Problem(
        "waveform", EncodedRows(values, names, (None,) * WAVE_WIDTH), labels, ("0", "1", "2")
    )


# The segments that each digit lights: top, upper left, upper right, middle, lower left, lower
# right, bottom.
SEGMENTS = (
    *("1110111", "0010010", "1011101", "1011011", "0111010"),
    *("1101011", "1101111", "1010010", "1111111", "1111011"),
)
N_IRRELEVANT, WRONG_SEGMENT = 17, 0.1


def led24(n: int = 1000) -> Problem:
    """Return digits as a faulty display shows them."""
    random = np.random.default_rng(SEED)
    digits = random.integers(10, size=n)
    lit = np.array([[segment == "1" for segment in digit] for digit in SEGMENTS])[digits]
    shown = lit ^ (random.random(lit.shape) < WRONG_SEGMENT)
    values = np.column_stack([shown, random.random((n, N_IRRELEVANT)) < 0.5]).astype(np.float64)
    names = tuple(f"segment{place + 1}" for place in range(values.shape[1]))
    rows = EncodedRows(values, names, (("off", "on"),) * len(names))
    return Problem("led24", rows, digits.astype(np.int32), tuple("0123456789"))


RING_SIZE = 20


def ringnorm(n: int = 1000) -> Problem:
    """Return a normal distribution inside another one with four times its variance."""
    random = np.random.default_rng(SEED)
    inner = random.random(n) < 0.5
    noise = random.standard_normal((n, RING_SIZE))
    values = np.where(inner[:, None], 2.0 / RING_SIZE**0.5 + noise, 2.0 * noise)
    names = tuple(f"x{place + 1}" for place in range(RING_SIZE))
    rows = EncodedRows(values, names, (None,) * RING_SIZE)
    return Problem("ringnorm", rows, (~inner).astype(np.int32), ("inner", "outer"))


# Number of categories of the nominal attributes.
NOMINAL = {"education": 5, "car": 20, "zip": 9}
WRONG_LABEL, MISSING, SHIFT = 0.05, 0.1, 0.05
Applicants = dict[str, Floats]


def agrawal(number: int, *, missing: float = 0.0, n: int = 2000) -> Problem:
    """Return loan applicants in two groups, by one of Agrawal's functions."""
    random = np.random.default_rng([SEED, number])
    applicants = _applicants(random, n)
    chosen = _AGRAWAL[number](applicants) ^ (random.random(n) < WRONG_LABEL)
    columns = []
    for name, column in applicants.items():
        shift = SHIFT * (column.max() - column.min()) * random.uniform(-1.0, 1.0, n)
        shown = column if name in NOMINAL else column + shift
        columns.append(np.where(random.random(n) < missing, np.nan, shown))
    categories = tuple(
        tuple(f"{code:02}" for code in range(NOMINAL[name])) if name in NOMINAL else None
        for name in applicants
    )
    rows = EncodedRows(np.column_stack(columns), tuple(applicants), categories)
    classes = "group A", "other"
    return Problem(f"agrawal-{number}", rows, (~chosen).astype(np.int32), classes, classes[0])


def _applicants(random: np.random.Generator, n: int) -> Applicants:
    salary = random.uniform(20_000, 150_000, n)
    code = random.integers(NOMINAL["zip"], size=n)
    return {
        "salary": salary,
        "commission": np.where(salary >= 75_000, 0.0, random.uniform(10_000, 75_000, n)),
        "age": random.integers(20, 81, n).astype(np.float64),
        "education": random.integers(NOMINAL["education"], size=n).astype(np.float64),
        "car": random.integers(NOMINAL["car"], size=n).astype(np.float64),
        "zip": code.astype(np.float64),
        "house": random.uniform(0.5, 1.5, n) * 100_000 * (NOMINAL["zip"] - code),
        "years": random.integers(1, 31, n).astype(np.float64),
        "loan": random.uniform(0, 500_000, n),
    }


def _by_age_education_and_salary(applicants: Applicants) -> Flags:
    """Agrawal's fourth function: group A has a range of salaries for each age and education."""
    age, education, salary = (applicants[name] for name in ("age", "education", "salary"))
    young, old = age < 40, age >= 60
    middle = (education >= 1) & (education <= 3)
    schooled = np.where(young, education <= 1, np.where(old, education >= 2, middle))
    least = np.where(
        young,
        np.where(schooled, 25, 50),
        np.where(old, np.where(schooled, 50, 25), np.where(schooled, 50, 75)),
    )
    return np.asarray((salary >= 1000 * least) & (salary <= 1000 * (least + 50)))


def _by_disposable_income(applicants: Applicants) -> Flags:
    """Agrawal's seventh function: income minus the cost of the loan."""
    income = applicants["salary"] + applicants["commission"]
    return np.asarray(0.67 * income - 0.2 * applicants["loan"] - 20_000 > 0)


_AGRAWAL: dict[int, Callable[[Applicants], Flags]] = {
    4: _by_age_education_and_salary,
    7: _by_disposable_income,
}
_GENERATED: dict[str, Callable[[], Problem]] = {
    "monks1": lambda: monks(1),
    "monks2": lambda: monks(2),
    "monks3": lambda: monks(3),
    "tic-tac-toe": tic_tac_toe,
    "balance-scale": balance_scale,
    "waveform": waveform,
    "led24": led24,
    "ringnorm": ringnorm,
    "agrawal-4": lambda: agrawal(4),
    "agrawal-7": lambda: agrawal(7, missing=MISSING),
}
