"""The experiments of five papers, ours beside theirs, and our own study of quality, by name."""

from collections.abc import Callable

from roctree.errors import ParameterError
from roctree.experiment.papers import ab05, bl95, ecml03, icml02, quality, sc17
from roctree.experiment.papers.openml_copies import source_of
from roctree.experiment.papers.report import Report
from roctree.experiment.papers.setting import MissingDataError, Setting
from roctree.strategy import nearest

PAPERS: dict[str, Callable[[Setting], Report]] = {
    **icml02.REPRODUCTIONS,
    **ecml03.REPRODUCTIONS,
    **bl95.REPRODUCTIONS,
    **ab05.REPRODUCTIONS,
    **sc17.REPRODUCTIONS,
}
# Forests, boosting and tuned peers take hours: our own study is run where it is named.
REPRODUCTIONS = PAPERS | quality.REPRODUCTIONS

__all__ = [
    "PAPERS",
    "REPRODUCTIONS",
    "MissingDataError",
    "Report",
    "Setting",
    "described",
    "named",
    "source_of",
]


def named(name: str) -> list[str]:
    """Return the reproductions that a name stands for: itself, a paper's, or all of the papers'.

    Examples
    --------
    >>> named("icml02")
    ['icml02-table2', 'icml02-table3', 'icml02-table4']
    """
    if name == "all":
        return list(PAPERS)
    known = list(REPRODUCTIONS)
    found = [each for each in known if f"{each}-".startswith(f"{name}-")]
    if not found:
        raise ParameterError(
            f"There is no reproduction {name!r}{nearest(name, known)}: choose 'all' or one of "
            f"{', '.join(known)}."
        )
    return found


def described() -> dict[str, str]:
    """Return one line about each reproduction."""
    return {
        name: (reproduction.__doc__ or "").partition("\n")[0]
        for name, reproduction in REPRODUCTIONS.items()
    }
