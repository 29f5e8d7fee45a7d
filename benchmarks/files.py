"""The results of runs, one file each, and the generated part of the README."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.race import RowResult
from benchmarks.tables import tables

FOLDER = Path(__file__).parent
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def write(path: Path, text: str) -> None:
    """Write a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def result_path(folder: Path, machine: dict[str, Any]) -> Path:
    """Return a new name, in chronological order; a run never changes the file of another."""
    stem = re.sub(r"\D", "", str(machine["date"]))
    path = folder / "results" / f"{stem}.json"
    number = 2
    while path.exists():
        path, number = path.with_name(f"{stem}-{number}.json"), number + 1
    return path


def save(path: Path, machine: dict[str, Any], command: str, outcomes: Sequence[RowResult]) -> None:
    """Write the outcomes so far."""
    rows = [outcome.as_json() for outcome in outcomes]
    content = {"command": command, "machine": machine, "outcomes": rows}
    write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def load_outcomes(path: Path) -> list[RowResult]:
    return [RowResult.from_json(outcome) for outcome in _stored(path)["outcomes"]]


def load_machine(path: Path) -> dict[str, Any]:
    machine: dict[str, Any] = _stored(path)["machine"]
    return machine


def _stored(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def rewrite_readme(
    folder: Path,
    machine: dict[str, Any],
    command: str,
    outcomes: Sequence[RowResult],
    missing: Sequence[str] = (),
) -> None:
    """Replace the text between the two marks; ``missing`` are rows that were not measured."""
    path = folder / "README.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    targets, *others = [table.markdown() for table in tables(outcomes)]
    parts = [targets, circumstances(machine, command), *measured_separately(machine, outcomes)]
    if missing:
        parts.append(f"Not measured in this run: {', '.join(missing)}.")
    generated = "\n\n".join([BEGIN, *parts, *others, END])
    write(path, before + generated + after)


def measured_separately(machine: dict[str, Any], outcomes: Sequence[RowResult]) -> list[str]:
    """Return a paragraph for each other occasion on which some of the rows were measured."""
    rows: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.measured and f" commit {machine['commit']}," not in outcome.measured:
            rows.setdefault(outcome.measured, []).append(outcome.row)
    return [f"Measured on {when}: {', '.join(names)}." for when, names in rows.items()]


def circumstances(machine: dict[str, Any], command: str) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    return (
        f"Made by `{command}` on {machine['date']} at commit {machine['commit']}: "
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, "
        f"{machine['system']}, load {machine['load']} before the run; "
        f"Python {machine['python']}, {versions}."
    )
