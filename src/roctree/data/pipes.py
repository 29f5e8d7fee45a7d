"""Pipes on which a signal ends the waiting, whichever thread waits.

pyarrow reads in a thread of its own, while signals are obeyed by the main thread, which waits for
that one: Control-C would do nothing until the pipe is closed.
"""

import io
import os
import select
import signal
import threading
from typing import BinaryIO

from roctree.data.arrow import pa

_ENDING = {signal.SIGINT, signal.SIGTERM}


def interruptible(file: BinaryIO) -> BinaryIO:
    """Return a pipe that can be interrupted, where there are signals; else the file as it is."""
    has_signals = os.name == "posix" and threading.current_thread() is threading.main_thread()
    try:
        file.fileno()
    except OSError:  # no file of the system: bytes in memory
        return file
    return _Pipe(file) if has_signals else file  # type: ignore[return-value]


class _Pipe(io.RawIOBase):
    """A pipe that is read as long as no signal comes.

    Parameters
    ----------
    file : open for reading, of which nothing was read
    """

    def __init__(self, file: BinaryIO) -> None:
        self._number = file.fileno()
        self._ended = False
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        self._before = signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        # pyarrow would catch signals itself, and look for them between two blocks only.
        pa.enable_signal_handlers(False)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, at most so many; none at the end, which a signal is.

        A thread that ends in peace holds nothing up; what is raised in the main thread, when it
        goes on, is for the handler of the signal to say.
        """
        while not self._ended:
            ready, _, _ = select.select([self._number, self._woken], [], [])
            if self._woken in ready and _ENDING & set(os.read(self._woken, 64)):
                self._ended = True
            elif self._number in ready:
                return os.read(self._number, size if size >= 0 else io.DEFAULT_BUFFER_SIZE)
        return b""

    def close(self) -> None:
        """Leave signals as they were, and let no thread wait; standard input stays open."""
        if self.closed:
            return
        super().close()
        signal.set_wakeup_fd(self._before)
        pa.enable_signal_handlers(True)
        os.write(self._wakes, bytes([signal.SIGINT]))
        os.close(self._woken)
        os.close(self._wakes)
