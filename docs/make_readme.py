"""Write the measured numbers of the README from the results in the repository.

Usage: ``python docs/make_readme.py``. Ranking comes from docs/evidence/quality.md, which
``python -m studies quality`` writes; times come from the newest file in benchmarks/results, which
``make bench`` writes. A test fails if the README and the results differ.
"""

import sys
import textwrap
from pathlib import Path

HOME = Path(__file__).parents[1]
README = HOME / "README.md"
BEGIN, END = "<!-- measured:begin, written by docs/make_readme.py -->", "<!-- measured:end -->"
ROW = "1M-leaf20-full"
ALL, SIZES = "The 50 data sets", "Trees of equal size"


def main():
    README.write_text(page(README.read_text(encoding="utf-8")), encoding="utf-8")


def page(text):
    """Return the README with current numbers."""
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return before + "\n\n".join([BEGIN, table(), remark(), END]) + after


def table():
    """Return the table of ranking quality on all data sets, and of the time of a large fit."""
    quality, sizes, times = tables()[ALL], tables()[SIZES], seconds()

    def row(label, name, library=None):
        found = quality[name]
        return [
            label,
            f"{float(found['Hand-Till']):.1f}",
            f"{float(found['log-loss']):.2f}",
            found["leaves"].replace("–", ""),
            f"{times[library]:.1f}" if library else "",
        ]

    shrunk = sizes["imodels' HSTree"]
    auc, loss = float(shrunk["at most 32"]), float(shrunk["log-loss, at most 32"])
    rows = [
        row("scikit-learn's tree", "scikit-learn's tree", "scikit-learn"),
        row("scikit-learn's tree, tuned by cross-validation", "scikit-learn's tree, tuned"),
        ["imodels' HSTree, tuned by cross-validation", f"{auc:.1f}", f"{loss:.2f}", "≤ 32", ""],
        row("**roctree**, default", "default", "roctree"),
        row("**roctree**, `presets.readable()`", "readable"),
        *with_points(),
        row("**roctree**, soft thresholds, unlimited size", "soft"),
        row("**roctree**, distilled from gradient boosting", "distilled"),
        row("*random forest of 200 trees*", "forest of 200"),
        row("*gradient boosting*", "gradient boosting"),
    ]
    return markdown(["mean of 50 data sets", "AUC, %", "log-loss", "leaves", "1M rows, s"], rows)


def with_points():
    """Yield the presets with points, once the study has all data sets."""
    page = HOME / "docs" / "evidence" / "points.md"
    found = tables(page)[ALL] if page.exists() else {}
    for name, leaves in (("scorecard", "≤ 16"), ("best_ranking", "≤ 32")):
        row = found.get(name, {"sets": "0"})
        if row["sets"] == "50":
            auc, loss = float(row["Hand-Till"]), float(row["log-loss"])
            label = f"**roctree**, `presets.{name}()`, a tree and points"
            yield [label, f"{auc:.1f}", f"{loss:.2f}", leaves, ""]


def seconds():
    """Return the seconds of one fit on one thread, by library."""
    outcome = measured()
    found = {entry.library: entry for entry in outcome.entries if entry.threads == 1}
    return {name: outcome.summary(entry.seconds) for name, entry in found.items()}


def markdown(head, rows):
    """Return a table whose columns of numbers are aligned to the right."""
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("|".join(["", *map(padded, cells), ""]) for cells in [head, marks, *rows])


def remark():
    quality, times = tables()[ALL], seconds()
    lead = float(quality["readable"]["Hand-Till"]) - float(
        quality["scikit-learn's tree, tuned"]["Hand-Till"]
    )
    text = (
        "Ranking: four times five-fold cross-validation, the same folds for all; a readable tree "
        f"is {lead:.1f} points ahead of scikit-learn's tuned tree of the same size. Seconds: one "
        "tree of 1M rows × 20 columns on one thread with equal limits, by Gini's index. XGBoost "
        f"takes {times['XGBoost']:.1f} s and LightGBM {times['LightGBM']:.1f} s, by their own "
        "criteria and about 255 thresholds per column; roctree, scikit-learn and YDF "
        f"({times['YDF']:.1f} s) try every threshold "
        "([quality](docs/evidence/quality.md), [benchmarks](benchmarks/README.md))."
    )
    return "\n".join(textwrap.wrap(text, 125, break_long_words=False, break_on_hyphens=False))


def tables(page=HOME / "docs" / "evidence" / "quality.md"):
    """Return the tables of a page of the evidence by title, row and column."""
    found, title, head = {}, "", []
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("**"):
            title, head = line.strip("*").partition(",")[0], []
        elif line.startswith("|") and not line.startswith("|---"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not head:
                head = [*named(cells)]
            else:
                found.setdefault(title, {})[cells[0]] = dict(zip(head, cells, strict=True))
    return found


def named(cells):
    """Yield the names of columns; one that occurs twice is prefixed to the column before it."""
    for number, cell in enumerate(cells):
        yield f"{cell}, {cells[number - 1]}" if cells.count(cell) > 1 else cell


def measured():
    sys.path.insert(0, str(HOME))
    from benchmarks.files import load_outcomes

    newest = max((HOME / "benchmarks" / "results").glob("*.json"))
    return next(each for each in load_outcomes(newest) if each.row == ROW)


def padded(cell):
    return f" {cell} " if cell else " "


if __name__ == "__main__":
    main()
