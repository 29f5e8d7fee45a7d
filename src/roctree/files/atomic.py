"""Atomic writes: a file has its old or its new content, whatever happens while it is written.

Pipes and devices, such as ``/dev/null``, have no content to keep: they are written to directly.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, data: bytes) -> None:
    """Write a file; if the process is killed meanwhile, the old content stays."""
    with whole_file(path) as file:
        file.write(data)


def is_pipe_or_device(path: Path) -> bool:
    """Whether a path is something that exists and is neither a regular file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in errors of the system that do not, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written piece by piece, which replaces the old one when it is complete.

    The data go to a new file in the same folder and are flushed to disk before that file gets its
    name. If the process is killed, a file may remain whose name begins with a dot and ends in
    ``.tmp``. What is not a regular file stays what it is, and receives the data.
    """
    if is_pipe_or_device(path):
        with _naming(path), path.open("wb") as file:
            yield file
        return
    # Follow links, so that the file is replaced and not the link.
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder: create it", str(path.parent)
        )
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with _naming(path), beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            beside.chmod(path.stat().st_mode & 0o7777)
        os.replace(beside, path)  # noqa: PTH105 - the step that tests interrupt
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    # Flush the new name to disk as well, on systems where a folder can be opened for that.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
