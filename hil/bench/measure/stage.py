"""What every measurement needs: a table's core, a journal, a dealt shoe as bytes, one processor.

Responsible for: putting the program's own parts together as its composition root does, and for
real reports to feed them.
Not responsible for: measuring.
Source: package README, "What is measured".
"""

import gc
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from controller.core.build import SETTINGS, core_of
from controller.core.core import Core
from controller.journal.record import GENESIS, link
from controller.journal.store import Journal
from controller.journal.values import Checkpoint, Head
from controller.profiles.load import load_clauses, profile_text
from controller.table.loop import Loop
from controller.tape.inputs import Started
from controller.version import VERSION
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.reports import Report
from hil.rig.in_process import RigSettings, utc_zone
from hil.rig.shoe_runner import perform

PORT = "bench"
CARD = "D"
_MEMORY = Path("/dev/shm")  # noqa: S108 - the file system in memory, used through tempfile


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure, and where. `disk` must lie on a real disk."""

    quick: bool
    disk: Path | None = None

    def count(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def repeats(self) -> int:
        return self.count(7, 2)


@contextmanager
def folder_on_disk(plan: Plan) -> Iterator[Path]:
    """A folder that goes away, on the disk the plan names."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-bench-", dir=plan.disk) as name:
        yield Path(name)


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A folder that goes away, in memory where there is such a file system."""
    parent = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(prefix="smartshoe-bench-", dir=parent) as name:
        yield Path(name)


@contextmanager
def one_processor() -> Iterator[None]:
    """Keep this process, and threads it starts meanwhile, on one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def modules_compiled() -> Iterator[None]:
    """Have the programs that are started meanwhile keep their modules compiled, as installed ones.

    Otherwise a tree whose folders hold no compiled modules would be compiled at every start.
    """
    names = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    before = {name: os.environ.pop(name, None) for name in names}
    with tempfile.TemporaryDirectory(prefix="smartshoe-compiled-") as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        try:
            yield
        finally:
            os.environ.pop("PYTHONPYCACHEPREFIX")
            os.environ.update({name: value for name, value in before.items() if value is not None})


def taken_away() -> int:
    """How often other work has taken the processor from this thread so far."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def dealt(seed: int, shoes: int = 1, coups_max: int = 0) -> tuple[Report, ...]:
    """The reports of so many shoes dealt without a mistake; of the first coups if so wanted."""
    device = AngelEye()
    reports: list[Report] = []
    dealer = Dealer(DealerSettings(seed=seed, shoes=shoes))
    for action in dealer.actions():
        reports.extend(perform(device, action))
        if coups_max and len(dealer.truth.coups) >= coups_max:
            break
    return tuple(reports)


def started(port: str = PORT, boot_id: str = "bench") -> Started:
    """The first input of a run with the bench's settings and its shoe at that port."""
    settings = RigSettings()
    return Started(
        at=now(),
        boot_id=boot_id,
        software=VERSION,
        configuration=SETTINGS.encode(settings.settings(port)),
        profile=profile_text(settings.profile).encode(),
        zone=utc_zone(),
        replaced="",
    )


def bench_core() -> Core:
    """The core of the bench's table; what is loaded by now is garbage to nobody, as in a run."""
    core = core_of(started(), load_clauses())
    gc.freeze()
    return core


class ChainOnly:
    """Stands in for the journal where its disk is not to be measured: it chains and forgets."""

    def __init__(self) -> None:
        self.head = Head(0, GENESIS)

    @classmethod
    def as_journal(cls) -> Journal:
        return cast("Journal", cls())

    def append(self, records: Sequence[bytes], checkpoint: Checkpoint | None = None) -> None:
        seq, chain = self.head.seq, self.head.chain
        for record in records:
            seq, chain = seq + 1, link(chain, record)
        self.head = Head(seq, chain)


def running_loop(journal: Journal | None = None, core: Core | None = None) -> Loop:
    """A loop that has begun and whose shoe's port is open; without a journal it stores nothing."""
    core = core or bench_core()
    kept = ChainOnly.as_journal() if journal is None else journal
    loop = Loop(kept, core, core.initial(), now)
    loop.begin(started())
    loop.take(PortOpened(PORT, now(), bytes(32)))
    loop.store_if_due(force=True)
    return loop


def taken(loop: Loop, data: bytes) -> bool:
    """One read of the port through the loop, as the table does it; whether it was stored."""
    loop.take(Chunk(PORT, now(), data))
    return loop.store_if_due() is not None


def seconds_since(began_ns: int) -> float:
    return (time.perf_counter_ns() - began_ns) / 1e9
