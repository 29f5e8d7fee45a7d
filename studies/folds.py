"""Results fold by fold in a small text file, so that they can be kept in the repository.

``python -m studies.folds RESULTS.sqlite FOLDS.json`` writes the file, and with the names in the
other order makes a database of it, which ``python -m studies NAME --changed keep`` extends. Areas
keep five decimals; a line of the file is one configuration on one data set.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roctree.errors import DataError
from roctree.experiment.store import Outcome, Store
from roctree.files.atomic import write_whole

FORMAT = 1
KINDS = ("problem", "configuration", "design", "metrics", "code")
# By measure; those of times come last.
DECIMALS, OTHER_DECIMALS, TIME_DECIMALS = {"leaves": 0, "log_loss": 4, "brier": 4}, 5, 3


def pack(store: Store) -> str:
    """Return the results of a database as JSON; failed runs are left out."""
    outcomes = [each for each in store.outcomes() if each.error is None]
    measures = list(outcomes[0].measures) if outcomes else []
    head = {
        "format": FORMAT,
        "measures": measures,
        "decimals": [_decimals(name) for name in measures],
        "facts": {kind: store.facts(kind) for kind in KINDS},
    }
    groups: dict[tuple[str, str], list[list[Any]]] = {}
    for each in outcomes:
        own = [_number(each.measures[name], _decimals(name)) for name in measures]
        place = [each.repeat, each.fold, round(each.seconds, TIME_DECIMALS)]
        groups.setdefault(each[:2], []).append([*place, *own])
    lines = [_compact([*names, rows]) for names, rows in groups.items()]
    text = _compact(head)[:-1] + ',"results":[\n' + ",\n".join(lines) + "\n]}\n"
    return text


def unpack(text: str, store: Store) -> None:
    """Add the results of a file to a database."""
    content = json.loads(text)
    if content["format"] != FORMAT:
        raise DataError("The file was written in a format that this release cannot read.")
    for kind, facts in content["facts"].items():
        store.keep(kind, facts)
    names, decimals = content["measures"], content["decimals"]
    for problem, configuration, rows in content["results"]:
        store.add(
            Outcome(
                problem,
                configuration,
                repeat,
                fold,
                {
                    name: float("nan") if value is None else value / 10**places
                    for name, value, places in zip(names, own, decimals, strict=True)
                },
                seconds,
            )
            for repeat, fold, seconds, *own in rows
        )


def _decimals(measure: str) -> int:
    return DECIMALS.get(measure, OTHER_DECIMALS)


def _number(value: float, decimals: int) -> int | None:
    return None if value != value else round(value * 10**decimals)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def main(arguments: Sequence[str]) -> int:
    """Convert a file."""
    if len(arguments) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    source, target = map(Path, arguments)
    if target.suffix == ".json":
        write_whole(target, pack(Store(source)).encode())
    else:
        unpack(source.read_text("utf-8"), Store(target))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
