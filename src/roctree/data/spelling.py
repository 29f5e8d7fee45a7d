"""Former names, until all callers use the new ones."""

from typing import Any

from roctree.data.csv_file import CsvFormat


def Spelling(missing: tuple[str, ...] = (), **given: Any) -> CsvFormat:  # noqa: D103, N802
    return CsvFormat(missing_value=missing, **given)
