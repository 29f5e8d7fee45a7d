"""Files that are there whole or not at all, whatever happens while they are written."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, data: bytes) -> None:
    """Write a file; who is killed meanwhile leaves the old one whole."""
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written bit by bit, which takes the place of the old one when it is whole.

    The data go to a new file in the same folder, to the disk, and only then to the name. What a
    kill may leave behind is a file whose name begins with a dot and ends in ``.tmp``.
    """
    # Through a link, lest the link be replaced and not the file.
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
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Bring the new name to the disk, where folders can be opened for that."""
    with suppress(OSError):
        entry = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
