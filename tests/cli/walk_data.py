"""The messy table of the walk: what people have in their files, and files that are wrong."""

HEAD = "customer,age,city,visits,joined,income,outcome"
CITIES = ("Rome", "Oslo", "Bonn")
N_CUSTOMERS = 120


def customers():
    """Rows with names, gaps, dates, thousands separators and an outcome that visits tell."""
    rows = []
    for number in range(N_CUSTOMERS):
        visits, age = 7 * number % 20, 18 + 11 * number % 60
        leaves = visits > 9 and (age > 30 or number % 5 == 0)
        cells = [
            f"C{number:04}",
            ("n/a", "-")[number % 2] if number % 17 == 0 else str(age),
            CITIES[number % 3],
            str(visits),
            f"2023-{1 + number % 12:02}-{1 + 5 * number % 28:02}",
            f'"{1 + number % 9},{37 * number % 1000:03}"',
            "churned" if leaves != (number % 13 == 0) else "stayed",
        ]
        rows.append(cells)
    return rows


def csv(rows, head=HEAD):
    """A file of these rows."""
    return "\n".join([head, *(",".join(cells) for cells in rows), ""])


def changed(place, text, rows=None):
    """All rows, with other text in one column of the tenth."""
    rows = [list(cells) for cells in rows or customers()]
    rows[9][place] = text
    return rows


FILES = {
    "messy.csv": csv(customers()),
    "empty.csv": "",
    "header.csv": f"{HEAD}\n",
    "ragged.csv": csv(changed(2, "Bonn,Cologne")),
    "untold.csv": csv(changed(6, "")),
    "new.csv": csv([cells[:-1] for cells in customers()], HEAD.removesuffix(",outcome")),
    "wordy.csv": csv(changed(3, "many")),
    "narrow.csv": csv([cells[:3] for cells in customers()], "customer,age,city"),
    "other.csv": csv(changed(6, "left")),
    "german.csv": csv([[*cells[:4], "31.12.2023", *cells[5:]] for cells in customers()]),
}
