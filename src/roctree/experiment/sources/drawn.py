"""Data sets drawn at random by published rules, each of one seed, so that they need no files.

``led24`` is Breiman's faulty display: seven segments of a digit, each wrong in one case of ten, and
17 that say nothing. ``ringnorm`` is Breiman's too: a narrow cloud of normal values within a wide
one. ``agrawal-4`` and ``agrawal-7`` are the fourth and seventh of Agrawal's functions of persons
who ask for a loan, with numbers shifted a little and one label of twenty wrong; in the seventh one
value of ten is missing.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roctree.data import Rows
from roctree.experiment.sources.problem import Problem

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Persons = dict[str, Floats]

SEED = 2003
# Which of the seven segments each digit lights: top, left and right above, middle, left and right
# below, bottom.
SEGMENTS = (
    *("1110111", "0010010", "1011101", "1011011", "0111010"),
    *("1101011", "1101111", "1010010", "1111111", "1111011"),
)
N_IRRELEVANT, WRONG_SEGMENT = 17, 0.1
RING_SIZE = 20
NOMINAL = {"education": 5, "car": 20, "zip": 9}
WRONG_LABEL, MISSING, SHIFT = 0.05, 0.1, 0.05


def led24(n: int = 1000) -> Problem:
    """Return digits as a faulty display shows them."""
    random = np.random.default_rng(SEED)
    digits = random.integers(10, size=n)
    lit = np.array([[segment == "1" for segment in digit] for digit in SEGMENTS])[digits]
    shown = lit ^ (random.random(lit.shape) < WRONG_SEGMENT)
    values = np.column_stack([shown, random.random((n, N_IRRELEVANT)) < 0.5]).astype(np.float64)
    names = tuple(f"segment{place + 1}" for place in range(values.shape[1]))
    rows = Rows(values, names, (("off", "on"),) * len(names))
    return Problem("led24", rows, digits.astype(np.int32), tuple("0123456789"))


def ringnorm(n: int = 1000) -> Problem:
    """Return a cloud of normal values within another that is four times as wide in variance."""
    random = np.random.default_rng(SEED)
    inner = random.random(n) < 0.5
    noise = random.standard_normal((n, RING_SIZE))
    values = np.where(inner[:, None], 2.0 / RING_SIZE**0.5 + noise, 2.0 * noise)
    names = tuple(f"x{place + 1}" for place in range(RING_SIZE))
    rows = Rows(values, names, (None,) * RING_SIZE)
    return Problem("ringnorm", rows, (~inner).astype(np.int32), ("inner", "outer"))


def agrawal(number: int, *, missing: float = 0.0, n: int = 2000) -> Problem:
    """Return persons who ask for a loan, in two groups by one of Agrawal's functions."""
    random = np.random.default_rng([SEED, number])
    persons = _persons(random, n)
    chosen = _FUNCTIONS[number](persons) ^ (random.random(n) < WRONG_LABEL)
    columns = []
    for name, column in persons.items():
        shift = SHIFT * (column.max() - column.min()) * random.uniform(-1.0, 1.0, n)
        shown = column if name in NOMINAL else column + shift
        columns.append(np.where(random.random(n) < missing, np.nan, shown))
    categories = tuple(
        tuple(f"{code:02}" for code in range(NOMINAL[name])) if name in NOMINAL else None
        for name in persons
    )
    rows = Rows(np.column_stack(columns), tuple(persons), categories)
    classes = "group A", "other"
    return Problem(f"agrawal-{number}", rows, (~chosen).astype(np.int32), classes, classes[0])


def _persons(random: np.random.Generator, n: int) -> Persons:
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


def _by_age_education_and_salary(persons: Persons) -> Flags:
    """Agrawal's fourth function: the salaries of group A, by age and education."""
    age, education, salary = (persons[name] for name in ("age", "education", "salary"))
    young, old = age < 40, age >= 60
    schooled = np.where(young, education <= 1, np.where(old, education >= 2, _within(education)))
    least = np.where(
        young,
        np.where(schooled, 25, 50),
        np.where(old, np.where(schooled, 50, 25), np.where(schooled, 50, 75)),
    )
    return np.asarray((salary >= 1000 * least) & (salary <= 1000 * (least + 50)))


def _within(education: Floats) -> Flags:
    return np.asarray((education >= 1) & (education <= 3))


def _by_what_is_left(persons: Persons) -> Flags:
    """Agrawal's seventh function: income less what the loan costs."""
    income = persons["salary"] + persons["commission"]
    return np.asarray(0.67 * income - 0.2 * persons["loan"] - 20_000 > 0)


_FUNCTIONS: dict[int, Callable[[Persons], Flags]] = {
    4: _by_age_education_and_salary,
    7: _by_what_is_left,
}

DRAWN: dict[str, Callable[[], Problem]] = {
    "led24": led24,
    "ringnorm": ringnorm,
    "agrawal-4": lambda: agrawal(4),
    "agrawal-7": lambda: agrawal(7, missing=MISSING),
}
