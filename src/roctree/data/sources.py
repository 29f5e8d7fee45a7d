"""Files and standard input as streams of bytes: where they begin, how they are packed."""

import io
import sys
from pathlib import Path
from typing import Any, BinaryIO

from roctree.data.arrow import pa
from roctree.data.pipes import interruptible
from roctree.errors import DataError

STANDARD_INPUT = "-"
HEAD = 1 << 16
MOST_AT_ONCE = 1 << 24
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


class Source:
    """A file, or standard input, unpacked as it is read.

    Parameters
    ----------
    path : of the file; "-" for standard input
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._file = _opened(path)
        self._raw = interruptible(self._file) if is_pipe(path) else self._file
        self._stream = _unpacked(_Rewound(self._raw))
        self.head = self._head()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        """Close what was opened here, which standard input was not."""
        if self._raw is not self._file:
            self._raw.close()
        if self.path != STANDARD_INPUT:
            self._file.close()

    def _head(self) -> bytes:
        try:
            return bytes(self._stream.read(HEAD))
        except OSError as error:
            self._close()
            if error.errno is not None:
                raise
            raise DataError(f"{self.name} cannot be unpacked: {error}.") from error

    def stream(self) -> Any:
        """Return all bytes as one stream, once."""
        if not self._must_be_read_in_order:
            # A file that pyarrow opens itself takes a quarter less time.
            return pa.OSFile(self.path)
        return pa.PythonFile(_Rewound(self._stream, self.head), "r")

    def file(self) -> Any:
        """Return the bytes as a file that can be read from any place on."""
        if self._must_be_read_in_order:
            return pa.BufferReader(_Rewound(self._stream, self.head).read())
        return pa.memory_map(self.path)

    @property
    def _must_be_read_in_order(self) -> bool:
        return is_pipe(self.path) or isinstance(self._stream, pa.CompressedInputStream)


def is_pipe(path: str) -> bool:
    """Whether what is read is gone: standard input, or what a shell makes of ``<(...)``."""
    return path == STANDARD_INPUT or not Path(path).is_file()


class _Rewound(io.RawIOBase):
    """A stream put back to its beginning, of which some bytes were read already."""

    def __init__(self, rest: Any, head: bytes = b"") -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return so many bytes, fewer only at the end."""
        if size is None or size < 0:
            size = sys.maxsize
        found: bytes = self._head[:size]
        self._head = self._head[size:]
        parts = [found]
        missing = size - len(found)
        while missing > 0 and (more := self._rest.read(min(missing, MOST_AT_ONCE))):
            parts.append(more)
            missing -= len(more)
        return b"".join(parts)

    def unread(self, head: bytes) -> None:
        """Put bytes back."""
        self._head = head + self._head


def _opened(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        return sys.stdin.buffer
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder: name a file.")
    return Path(path).open("rb")


def _unpacked(raw: _Rewound) -> Any:
    magic = raw.read(max(map(len, PACKED)))
    raw.unread(magic)
    kind = next((kind for mark, kind in PACKED.items() if magic.startswith(mark)), None)
    return raw if kind is None else pa.CompressedInputStream(pa.PythonFile(raw, "r"), kind)
