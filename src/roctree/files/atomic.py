"""Atomic writes: a file has its old or its new content, whatever happens while it is written."""

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


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written piece by piece, which replaces the old one when it is complete.

    The data go to a new file in the same folder and are flushed to disk before that file gets its
    name. If the process is killed, a file may remain whose name begins with a dot and ends in
    ``.tmp``.
    """
    # Follow links, so that the file is replaced and not the link.
    path = path.resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
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
