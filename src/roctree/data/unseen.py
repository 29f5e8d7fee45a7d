"""Categories that training did not see: where, how often, and for example which."""

from collections.abc import Iterable, Mapping
from reprlib import repr as shortened
from typing import Any, NamedTuple

from roctree.table import amount


class Unseen(NamedTuple):
    """In how many rows of a column categories are unseen, and one of them."""

    n_rows: int
    example: Any


class UnseenCategoriesWarning(UserWarning):
    """Rows have categories that training did not see, which are treated as missing.

    Parameters
    ----------
    columns : what is unseen, by name
    """

    def __init__(self, columns: Mapping[str, Unseen]) -> None:
        self.columns = dict(columns)
        # Whoever copies a warning, or sends it elsewhere, makes it anew from its arguments.
        super().__init__(self.columns)

    def __str__(self) -> str:
        counts = [
            f"{name!r} in {amount(n_rows, 'row')} (such as {shortened(example)})"
            for name, (n_rows, example) in self.columns.items()
        ]
        return f"Categories not seen in training are treated as missing: {', '.join(counts)}."

    @classmethod
    def of_all(cls, found: Iterable["UnseenCategoriesWarning"]) -> "UnseenCategoriesWarning | None":
        """Return one warning for parts of the data; None if there was none.

        >>> parts = [UnseenCategoriesWarning({"sky": Unseen(n, "hail")}) for n in (2, 3)]
        >>> UnseenCategoriesWarning.of_all(parts).columns
        {'sky': Unseen(n_rows=5, example='hail')}
        """
        columns: dict[str, Unseen] = {}
        for warning in found:
            for name, (n_rows, example) in warning.columns.items():
                before = columns.get(name, Unseen(0, example))
                columns[name] = Unseen(before.n_rows + n_rows, before.example)
        return cls(columns) if columns else None
