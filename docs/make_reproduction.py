"""Write the stored results of ``python -m studies`` into docs/evidence/reproduction.md.

Usage: ``python -m studies all --out docs/evidence/reproduction``, which runs what is missing, and
then ``python docs/make_reproduction.py``. A test fails if the page and the results differ.

Between its two marks, each table has its summary, its figures and its rows. Numbers that differ by
more than a standard deviation, or in their sign, are listed with a reason from ``reasons.toml``. A
number without a reason is an error.
"""

import json
import re
import sys
import tomllib
from itertools import groupby
from pathlib import Path

from roctree.experiment import Table

HOME = Path(__file__).parent / "evidence"
PAGE = HOME / "reproduction.md"
RESULTS = HOME / "reproduction"
TO_EXPLAIN = ("Outside one SD", "Opposite sign")
LONGEST = 20
BEGIN = ":begin, written by docs/make_reproduction.py -->"


def main():
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text):
    """The page with current results."""
    for name in names(text):
        begin, end = f"<!-- {name}{BEGIN}", f"<!-- {name}:end -->"
        before, after = text.split(begin)[0], text.split(end)[1]
        text = before + "\n\n".join([begin, *parts(name), end]) + after
    return text


def names(text):
    """The tables and figures that the page has marks for."""
    return re.findall(f"<!-- ([a-z0-9-]+){re.escape(BEGIN)}", text)


def parts(name):
    """The paragraphs between the marks of a table or figure."""
    report = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    yield "\n".join(f"- {sentence}" for sentence in report["summary"])
    for figure in report["figures"]:
        yield f"![{report['title']}](reproduction/{name}-{figure}.svg)"
    for table in report["tables"]:
        if table["title"] in TO_EXPLAIN:
            yield from explained(table, reasons()[name.partition("-")[0]])
        else:
            yield rows(table)


def rows(table):
    """A table, folded if it is long."""
    text = Table(**{**table, "title": ""}).markdown().rstrip()
    if len(table["rows"]) <= LONGEST:
        return text
    return f"<details><summary>All {len(table['rows'])} rows</summary>\n\n{text}\n\n</details>"


def explained(table, known):
    """The rows that differ, each with its reason."""
    lines = []
    for (row, reason), group in groupby(table["rows"], lambda each: (each[0], why(each, known))):
        numbers = [
            f"{column} {paper} / {ours:.{table['digits']}f} ({sds})"
            for _, column, paper, ours, sds in group
        ]
        lines.append([row, ", ".join(numbers), reason])
    if lines:
        columns = ("row", "paper / ours (in printed SDs)", "why")
        text = Table(columns, lines).markdown().rstrip()
        # Text reads better when aligned to the left.
        yield f"{table['title']}:\n\n{text.replace('---:', '---')}"


def why(row, known):
    """The reason given for a number, for its row, or for its column."""
    label, column, *_ = row
    for key in (f"{label}, {column}", label, column):
        if key in known:
            return known[key]
    sys.exit(f"reasons.toml has no reason for {label}, {column}.")


def reasons():
    return tomllib.loads((RESULTS / "reasons.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
