"""Check that local links of the built site lead to existing files and anchors.

Usage: ``python docs/check_links.py docs/_build/html``.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Pages that Sphinx writes after the others.
IGNORED = {"search.html", "genindex.html"}


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if value and (tag, name) in LINKS:
                self.links.append(value)


LINKS = {("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"), ("iframe", "src")}


def broken(home):
    """Yield page and target of every broken local link."""
    files = [path for path in sorted(home.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or Path(parts.path).name in IGNORED:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield path, link
            anchors = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if parts.fragment and unquote(parts.fragment) not in anchors:
                yield path, link


def main():
    home = Path(sys.argv[1]).resolve()
    found = list(broken(home))
    for path, link in found:
        print(f"{path.relative_to(home)}: {link}")
    print(f"{len(list(home.rglob('*.html')))} pages, {len(found)} broken links")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
