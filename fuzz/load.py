"""Fuzz the reader of model files: for any bytes it returns a model or raises ModelFileError.

Usage: ``python fuzz/load.py -max_total_time=60 fuzz/corpus`` (dependency group ``fuzz``).
Each input is also tried with a correct checksum, so that it gets past that check.
"""

import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import atheris

# Modules with kernels come first, because Numba cannot compile instrumented functions.
import roctree.models.cells
import roctree.models.naive_bayes  # noqa: F401

with atheris.instrument_imports(include=["roctree.files", "json"]):
    from roctree.errors import ModelFileError
    from roctree.files import from_bytes

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"


def try_to_load(data: bytes) -> None:
    """Load bytes as they are, and as a document with a correct checksum, and print the model."""
    head = data[: data.rfind(b'"checksum"')] if b'"checksum"' in data else data
    sealed = head + f'"checksum": "{sha256(head).hexdigest()}"\n}}\n'.encode()
    for tried in (data, sealed):
        with suppress(ModelFileError):
            from_bytes(tried).to_text()


def main() -> None:
    """Fuzz, starting from the golden files."""
    atheris.Setup([*sys.argv, str(GOLDEN)], try_to_load)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
