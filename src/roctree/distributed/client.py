"""The client of a Dask cluster: one that is given, the active one, or one for an address."""

import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from queue import Empty, Queue
from threading import Thread
from typing import Any

import distributed

from roctree.distributed.batches import first_line
from roctree.errors import DataError, ParameterError

# A scheduler that is there answers within so many seconds.
_PATIENCE = 10


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """The client that is given, the one that is active, or one for a scheduler, for a while."""
    if isinstance(client, str):
        with _client_of(client) as own, connected(own):
            yield own
        return
    try:
        client = distributed.default_client() if client is None else client
    except ValueError:
        raise ParameterError(
            "there is no Dask client: make a dask.distributed.Client, and give it as client=..."
        ) from None
    usable = isinstance(client, distributed.Client) and client.status == "running"
    if not usable or client.asynchronous:
        raise ParameterError(
            f"client is {client!r}: give a dask.distributed.Client that is connected and not "
            "asynchronous, or the address of a scheduler."
        )
    _check_workers(client)
    with _failures():
        yield client


@contextmanager
def _failures() -> Iterator[None]:
    """Say what to do where the cluster, and not the data, is the reason of a failure."""
    try:
        yield
    except distributed.KilledWorker as error:
        raise DataError(
            "one worker after another died over the same partition, perhaps for want of memory: "
            "give them more, or make partitions smaller."
        ) from error
    except CancelledError as error:
        raise DataError("the Dask scheduler was lost or restarted: fit once more.") from error


def _client_of(address: str) -> Any:
    """Return a client of its own for the scheduler at an address."""
    found: Queue[Any] = Queue()

    def connect() -> None:
        try:
            found.put(distributed.Client(address, timeout=_PATIENCE, set_as_default=False))
        except Exception as error:
            found.put(error)

    if not address.strip():
        raise ParameterError(f"no Dask scheduler answers at {address!r}: give its address.")
    # Dask waits for ever for something that listens there and is no scheduler.
    Thread(target=connect, daemon=True).start()
    try:
        client = found.get(timeout=2 * _PATIENCE)
    except Empty:
        client = TimeoutError("something listens there, but does not speak to Dask")
    if isinstance(client, Exception):
        raise ParameterError(
            f"no Dask scheduler answers at {address!r} ({first_line(client)}): give an address "
            "such as tcp://127.0.0.1:8786."
        )
    return client


def _check_workers(client: Any) -> None:
    """Warn of a cluster without workers, and refuse one whose workers cannot do the work."""
    address = client.scheduler_info()["address"]
    if not client.scheduler_info()["workers"]:
        warnings.warn(
            f"the scheduler at {address!r} has no workers yet: work begins when there are some.",
            UserWarning,
            stacklevel=3,
        )
    elif client.submit(import_module, "roctree", pure=False).exception() is not None:
        raise ParameterError(f"the workers of {address!r} have no roctree: install it there.")
