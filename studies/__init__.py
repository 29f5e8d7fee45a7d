"""Reproductions of five papers and a study of ranking quality, with the data they need.

Each reproduction puts our numbers beside the published ones. Run them from the root of the
repository: ``python -m studies list``, ``python -m studies ecml03 --quick``.
"""

from collections.abc import Callable

from roctree.errors import ParameterError
from roctree.text import did_you_mean
from studies import ab05, bl95, ecml03, icml02, points, quality, sc17
from studies.report import StudyReport
from studies.setting import Setting

PAPERS: dict[str, Callable[[Setting], StudyReport]] = {
    **icml02.REPRODUCTIONS,
    **ecml03.REPRODUCTIONS,
    **bl95.REPRODUCTIONS,
    **ab05.REPRODUCTIONS,
    **sc17.REPRODUCTIONS,
}
# Forests, boosting and tuned peers take hours, so that "all" does not include these studies.
REPRODUCTIONS = PAPERS | quality.REPRODUCTIONS | points.REPRODUCTIONS


def names_matching(name: str) -> list[str]:
    """Return the reproductions of a name: itself, all of a paper, or "all" papers.

    Examples
    --------
    >>> names_matching("icml02")
    ['icml02-figure1', 'icml02-table2', 'icml02-table3', 'icml02-table4', 'icml02-leaves']
    """
    if name == "all":
        return list(PAPERS)
    known = list(REPRODUCTIONS)
    found = [each for each in known if f"{each}-".startswith(f"{name}-")]
    if not found:
        raise ParameterError(
            f"There is no reproduction {name!r}{did_you_mean(name, known)}: choose 'all' or one of "
            f"{', '.join(known)}."
        )
    return found


def descriptions() -> dict[str, str]:
    """Return one line about each reproduction."""
    return {
        name: (reproduction.__doc__ or "").partition("\n")[0]
        for name, reproduction in REPRODUCTIONS.items()
    }
