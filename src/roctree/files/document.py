"""A document as bytes: JSON that begins with its format and version and ends with a checksum.

The checksum is that of all bytes before its own line. It is there for accidents, not for
forgers: whatever comes with a right one is checked as well.
"""

import json
import re
from collections import Counter
from hashlib import sha256
from typing import Any

from roctree.errors import ModelFileError

FORMAT, VERSION = "roctree", 1

# Format and version are within so many bytes, with all the blanks that they may have.
HEAD_SIZE = 2048
_HEAD = re.compile(rb'\s{0,99}\{\s{0,99}"format"\s{0,99}:\s{0,99}"roctree"\s{0,99},')
_VERSION = re.compile(rb'\s{0,99}"version"\s{0,99}:\s{0,99}(\d{1,9})\s{0,99}[,}]')
_CHECKSUM = b'"checksum"'
_TAIL = re.compile(rb'"checksum"\s{0,99}:\s{0,99}"([0-9a-f]{64})"\s{0,99}\}\s{0,99}')


def encode(sections: dict[str, Any]) -> bytes:
    """Return the bytes of plain values: each section, and each field of one, has its own line."""
    document = {"format": FORMAT, "version": VERSION, **sections}
    # Strings of other languages stay readable; a lone surrogate becomes its escape of JSON.
    head = _lines(document).removesuffix("\n}").encode("utf-8", "backslashreplace") + b",\n  "
    return head + f'"checksum": "{sha256(head).hexdigest()}"\n}}\n'.encode()


def decode(data: bytes) -> dict[str, Any]:
    """Return the sections of a document, or say in a ``ModelFileError`` why it is none."""
    check_version(data)
    _check_sum(data)
    try:
        document = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError as error:
        raise ModelFileError(f"The file is not UTF-8 text: see byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise ModelFileError(f"The file is no JSON: {error.msg}, line {error.lineno}.") from None
    except RecursionError:
        raise ModelFileError("The file nests its values too deeply.") from None
    except ValueError as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError("The file holds a number of too many digits.") from None
    return {name: document[name] for name in document if name not in _OWN}


_OWN = ("format", "version", "checksum")


def check_version(data: bytes) -> None:
    """Refuse what does not begin as a document of a version that is known."""
    head = _HEAD.match(data)
    if head is None:
        raise ModelFileError(
            'The file is no model of roctree: it does not begin with "format": "roctree".'
        )
    version = _VERSION.match(data, head.end())
    if version is None:
        raise ModelFileError('The file is no model of roctree: it lacks its "version".')
    if int(version[1]) > VERSION:
        raise ModelFileError(
            f"The file has version {int(version[1])} of the format, and this release of roctree "
            f"reads up to version {VERSION}: upgrade roctree to read it."
        )
    if int(version[1]) < 1:
        raise ModelFileError(f"The file has version {int(version[1])}, which never was.")


def _check_sum(data: bytes) -> None:
    place = data.rfind(_CHECKSUM)
    tail = _TAIL.fullmatch(data, place) if place >= 0 else None
    if tail is None:
        raise ModelFileError("The file does not end with its checksum: part of it is missing.")
    if sha256(data[:place]).hexdigest().encode() != tail[1]:
        raise ModelFileError(
            "The file does not have the checksum it says: it was changed or damaged."
        )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ModelFileError(f"The file says {twice[:40]!r} twice in one place.")
    return found


def _refuse_constant(name: str) -> Any:
    raise ModelFileError(f"The file holds {name}, which is no number of JSON.")


def _lines(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each field, and for each object of a list."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        fields = [f"{deeper}{_compact(name)}: {_lines(value[name], deeper)}" for name in value]
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(deeper + _compact(item) for item in value) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
