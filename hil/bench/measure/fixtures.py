"""What every measurement needs: a table's core, a journal, a dealt shoe as bytes, one processor."""

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

from controller.core.build import build_core
from controller.core.core import Core
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import Started
from controller.journal.encoding import GENESIS, link
from controller.journal.store import Journal
from controller.journal.values import Head, SavedState
from controller.rules.profiles.load import load_clauses, profile_text
from controller.table.loop import Loop
from controller.version import software_identifier
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.reports import Report
from hil.rig.in_process import RigSettings, utc_zone
from hil.rig.shoe_runner import perform
from hil.run_guard import memory_folder, run_folder

PORT = "bench"
CARD = "D"


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure, and where. `disk` is a folder on a real disk."""

    quick: bool
    disk: Path | None = None

    def count(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def repeats(self) -> int:
        return self.count(7, 2)


@contextmanager
def folder_on_disk(plan: Plan) -> Iterator[Path]:
    """A temporary folder on the plan's disk."""
    parent = None if plan.disk is None else run_folder(plan.disk)
    with tempfile.TemporaryDirectory(prefix="smartshoe-bench-", dir=parent) as name:
        yield Path(name)


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A temporary folder, in memory if there is such a file system."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-bench-", dir=memory_folder()) as name:
        yield Path(name)


@contextmanager
def one_processor() -> Iterator[None]:
    """Pin this process, and threads it starts meanwhile, to one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def modules_compiled() -> Iterator[None]:
    """Let programs that are started meanwhile cache compiled modules, as installed ones do.

    Otherwise a source tree without compiled modules would be compiled at every start.
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


def preemptions() -> int:
    """How often this thread has been preempted so far."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def deal_reports(seed: int, shoes: int = 1, coups_max: int = 0) -> tuple[Report, ...]:
    """The reports of shoes dealt without a mistake; `coups_max` 0: of all coups."""
    device = AngelEye()
    reports: list[Report] = []
    dealer = Dealer(DealerSettings(seed=seed, shoes=shoes))
    for action in dealer.actions():
        reports.extend(perform(device, action))
        if coups_max and len(dealer.truth.coups) >= coups_max:
            break
    return tuple(reports)


def started_input(port: str = PORT, boot_id: str = "bench") -> Started:
    """The first input of a run with the bench's settings and its shoe at that port."""
    settings = RigSettings()
    return Started(
        at=now(),
        boot_id=boot_id,
        software=software_identifier(),
        configuration=SETTINGS.encode(settings.settings(port)),
        profile=profile_text(settings.profile).encode(),
        zone=utc_zone(),
        replaced="",
    )


def bench_core() -> Core:
    """The core of the bench's table; as in a run, what is loaded by now is frozen for the GC."""
    core = build_core(started_input(), load_clauses())
    gc.freeze()
    return core


class ChainOnlyJournal:
    """A journal that computes the chain and stores nothing, for measuring without the disk."""

    def __init__(self) -> None:
        self.head = Head(0, GENESIS)

    @classmethod
    def as_journal(cls) -> Journal:
        return cast("Journal", cls())

    def append(self, records: Sequence[bytes], saved_state: SavedState | None = None) -> None:
        seq, chain = self.head.seq, self.head.chain
        for record in records:
            seq, chain = seq + 1, link(chain, record)
        self.head = Head(seq, chain)


def running_loop(journal: Journal | None = None, core: Core | None = None) -> Loop:
    """A started loop whose shoe's port is open; without a journal it stores nothing."""
    core = core or bench_core()
    journal = ChainOnlyJournal.as_journal() if journal is None else journal
    loop = Loop(journal, core, core.initial(), now)
    loop.begin(started_input())
    loop.take(PortOpened(PORT, now(), bytes(32)))
    loop.store_if_due(force=True)
    return loop


def feed_chunk(loop: Loop, data: bytes) -> bool:
    """Give the loop one read of the port, as the table does; whether it was stored."""
    loop.take(Chunk(PORT, now(), data))
    return loop.store_if_due() is not None


def seconds_since(began_ns: int) -> float:
    return (time.perf_counter_ns() - began_ns) / 1e9
