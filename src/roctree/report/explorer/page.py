"""The page: a data document, a style and a script in one file that asks nothing of the network.

Names from data reach the page as JSON only, in which no character can end the element, and the
script only ever makes text of them. A content security policy names the style and the script by
their hashes, so that nothing else could run even if it were there.
"""

import html
import json
from base64 import b64encode
from hashlib import sha256
from string import Template
from typing import Any

from roctree._version import __version__
from roctree.report.explorer.script import joined, source, style

# What could end a script element, open a comment in it, or end a line in old scripts.
_UNSAFE = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def page_of(document: dict[str, Any]) -> str:
    """Return the page of a data document as text."""
    looks = source("page.css") + style()
    script = "\n" + joined("page")
    return Template(source("page.html")).substitute(
        policy=_policy(looks, script),
        generator=html.escape(f"roctree {__version__}"),
        title=html.escape(str(document["title"])),
        fallback="This page draws a decision tree by JavaScript, which is switched off here.",
        style=looks,
        data=as_json(document),
        script=script,
    )


def as_json(document: dict[str, Any]) -> str:
    """Return a document as JSON that may stand inside a script element."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"
