"""Plays many seeds: in this process, in several, or on the workers of a dask scheduler.

Nothing here distributes work itself: that is concurrent.futures and dask.distributed.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hil.soak.soak import Played, play_seed

# So many seeds go to a worker at once: to a process, which ends with them after Ctrl-C, and to one
# beyond a network.
SEEDS_A_PROCESS = 1
SEEDS_TOGETHER = 8


class CannotDistribute(Exception):
    """The scheduler cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The certificates of a scheduler and its workers, and the key of this end."""

    ca: Path
    cert: Path
    key: Path


def play_some(seeds: tuple[int, ...]) -> tuple[Played, ...]:
    """Play these seeds, one after the other."""
    return tuple(map(play_seed, seeds))


def played_here(seeds: Iterable[int], jobs: int) -> Iterator[Played]:
    """Each seed as it was played by one of `jobs` processes; 1: by this one."""
    if jobs == 1:
        yield from map(play_seed, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(play_seed, seeds, chunksize=SEEDS_A_PROCESS)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def is_loopback(address: str) -> bool:
    """Whether a scheduler's address, such as `tcp://127.0.0.1:8786`, is on this machine."""
    host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def played_by_workers(
    seeds: tuple[int, ...], address: str, tls: TlsFiles | None
) -> Iterator[Played]:
    """Each seed as it was played by a worker of the scheduler. Raises CannotDistribute.

    A scheduler runs whatever code it is sent, so one beyond this machine needs certificates.
    """
    if tls is None and not is_loopback(address):
        raise CannotDistribute(
            f"the scheduler {address} is on another machine, and runs any code it is sent: without"
            " certificates anyone on the network could run code at its workers. Allowed: loopback,"
            " or TLS. Remedy: give --tls-ca, --tls-cert and --tls-key"
        )
    try:
        # Untyped: whether it is installed, mypy knows no more of it.
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise CannotDistribute(
            "dask.distributed is not installed. Remedy: install smartshoe-hil[soak] here and on"
            " every machine with workers"
        ) from error
    try:
        security = None if tls is None else _security(distributed, tls)
        client = distributed.Client(address, security=security, timeout="10s")
    except (OSError, TimeoutError) as error:
        raise CannotDistribute(
            f"the scheduler {address} does not answer: {error}. Remedy: start `dask scheduler` and"
            " `dask worker` there first"
        ) from error
    with client:
        together = [seeds[at : at + SEEDS_TOGETHER] for at in range(0, len(seeds), SEEDS_TOGETHER)]
        futures = client.map(play_some, together, pure=False)
        for _, results in distributed.as_completed(futures, with_results=True):
            yield from results


def _security(distributed: Any, tls: TlsFiles) -> Any:
    """How this end proves itself, and whom it trusts. Raises CannotDistribute."""
    for path in (tls.ca, tls.cert, tls.key):
        try:
            path.read_bytes()
        except OSError as error:
            raise CannotDistribute(
                f"{path} cannot be read: {error.strerror}. Remedy: name a file in PEM that this"
                " user may read"
            ) from error
    return distributed.Security(
        tls_ca_file=str(tls.ca),
        tls_client_cert=str(tls.cert),
        tls_client_key=str(tls.key),
        require_encryption=True,
    )
