"""A single case, however it is given, as a table of one row."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from roctree.errors import DataError
from roctree.strategy import nearest


def as_one_row(case: Any, names: Sequence[str]) -> Any:
    """Return a case as a table of one row; what is a table already stays as it is.

    Parameters
    ----------
    case : a table; the values of all attributes in their order; or some of them by name, as a dict
        or as a row of a pandas frame, and the others are missing
    names : of the attributes

    Examples
    --------
    >>> as_one_row({"sky": "sun"}, ["warmth", "sky"])
    [[None, 'sun']]
    """
    if isinstance(case, Mapping) or (hasattr(case, "keys") and np.ndim(case) == 1):
        return [_in_order(dict(case), names)]
    if isinstance(case, np.ndarray) and case.ndim == 1:
        return case[None, :]
    if isinstance(case, list | tuple) and case and not any(map(np.ndim, case)):
        return [list(case)]
    return case


def _in_order(case: dict[Any, Any], names: Sequence[str]) -> list[Any]:
    for name in case:
        if name not in names:
            raise DataError(
                f"The case has {name!r}, which is no column{nearest(name, names)}; the columns are "
                f"{', '.join(map(repr, names))}."
            )
    return [case.get(name) for name in names]
