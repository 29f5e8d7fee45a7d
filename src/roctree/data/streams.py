"""Files and standard input as streams of bytes, decompressed as they are read."""

import io
import os
import re
import select
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from roctree.data.lazy import arrow
from roctree.errors import DataError

STANDARD_INPUT = "-"
_HEAD_SIZE = 1 << 16
# The line with the names of the columns may be longer than the head, up to this.
LONGEST_LINE = 1 << 22
_MAX_AT_ONCE = 1 << 24
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDS_A_LINE = re.compile(rb"[\r\n]")
_ENDING_SIGNALS = {signal.SIGINT, signal.SIGTERM}


class Source:
    """A file or standard input; ``head`` has its first bytes after decompression.

    These are some 65,000, or more if the first line is longer.

    Parameters
    ----------
    path : str
        The file; "-" for standard input.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._file = _open(path)
        self._raw = _interruptible(self._file) if is_pipe(path) else self._file
        self._stream, self.head = self._open_stream()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        """Close what was opened here; standard input stays open."""
        if self._raw is not self._file:
            self._raw.close()
        if self.path != STANDARD_INPUT:
            self._file.close()

    def _open_stream(self) -> tuple[Any, bytes]:
        """Return the stream of decompressed bytes, and those at its beginning."""
        try:
            stream = _decompressed(_Rewound(self._raw))
            head = bytes(stream.read(_HEAD_SIZE))
            while not _ENDS_A_LINE.search(head) and len(head) < LONGEST_LINE:
                more = bytes(stream.read(_HEAD_SIZE))
                if not more:
                    break
                head += more
            return stream, head
        except BaseException as error:  # also if it is interrupted
            self._close()
            if not isinstance(error, OSError) or error.errno is not None:
                raise
            raise DataError(f"{self.name} cannot be decompressed: {error}.") from error

    def stream(self) -> Any:
        """Return all bytes as one stream, once."""
        if not self._must_be_read_in_order:
            # A file that pyarrow opens itself takes a quarter less time.
            return arrow.OSFile(self.path)
        return arrow.PythonFile(_Rewound(self._stream, self.head), "r")

    def seekable_file(self) -> Any:
        """Return the bytes as a file that can be read from any position."""
        if self._must_be_read_in_order:
            return arrow.BufferReader(_Rewound(self._stream, self.head).read())
        return arrow.memory_map(self.path)

    @property
    def _must_be_read_in_order(self) -> bool:
        return is_pipe(self.path) or isinstance(self._stream, arrow.CompressedInputStream)


def is_pipe(path: str) -> bool:
    """Return whether data can be read only once: standard input, or ``<(...)`` of a shell."""
    return path == STANDARD_INPUT or not Path(path).is_file()


class _Rewound(io.RawIOBase):
    """A stream rewound to its beginning after some bytes were read."""

    def __init__(self, rest: Any, head: bytes = b"") -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return ``size`` bytes, fewer only at the end."""
        if size is None or size < 0:
            size = sys.maxsize
        found: bytes = self._head[:size]
        self._head = self._head[size:]
        parts = [found]
        missing = size - len(found)
        while missing > 0 and (more := self._rest.read(min(missing, _MAX_AT_ONCE))):
            parts.append(more)
            missing -= len(more)
        return b"".join(parts)

    def unread(self, head: bytes) -> None:
        """Put bytes back."""
        self._head = head + self._head


class _InterruptiblePipe(io.RawIOBase):
    """A pipe whose reads are interrupted by signals, in any thread.

    pyarrow reads in a thread of its own, while signals are handled by the main thread, which waits
    for the other: without this, Ctrl-C would have no effect until the pipe is closed.

    Parameters
    ----------
    file : binary file
        Open for reading; nothing of it was read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._number = file.fileno()
        self._ended = False
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        self._before = signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        # pyarrow would catch signals itself, and check for them only between two blocks.
        arrow.enable_signal_handlers(False)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes; none at the end, or after a signal.

        The reading thread then ends normally, and the handler of the signal decides what is raised
        in the main thread.
        """
        while not self._ended:
            ready, _, _ = select.select([self._number, self._woken], [], [])
            if self._woken in ready and _ENDING_SIGNALS & set(os.read(self._woken, 64)):
                self._ended = True
            elif self._number in ready:
                return os.read(self._number, size if size >= 0 else io.DEFAULT_BUFFER_SIZE)
        return b""

    def close(self) -> None:
        """Restore signal handling and wake waiting threads; standard input stays open."""
        if self.closed:
            return
        super().close()
        signal.set_wakeup_fd(self._before)
        arrow.enable_signal_handlers(True)
        os.write(self._wakes, bytes([signal.SIGINT]))
        os.close(self._woken)
        os.close(self._wakes)


def _interruptible(file: BinaryIO) -> BinaryIO:
    """Return a pipe that can be interrupted, where there are signals; else the file itself."""
    has_signals = os.name == "posix" and threading.current_thread() is threading.main_thread()
    try:
        file.fileno()
    except OSError:  # bytes in memory
        return file
    return _InterruptiblePipe(file) if has_signals else file  # type: ignore[return-value]


def _open(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise DataError("Standard input is closed: send data to it, or give a file.")
        return sys.stdin.buffer
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder: give a file.")
    return Path(path).open("rb")


def _decompressed(raw: _Rewound) -> Any:
    magic = raw.read(max(map(len, _COMPRESSIONS)))
    raw.unread(magic)
    kind = next((kind for mark, kind in _COMPRESSIONS.items() if magic.startswith(mark)), None)
    return raw if kind is None else arrow.CompressedInputStream(arrow.PythonFile(raw, "r"), kind)
