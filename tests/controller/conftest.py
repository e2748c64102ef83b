"""Journals for the tests of the command line and of replay.

Responsible for: dealing a few coups into a real journal through the real loop, from reports
encoded here by the wire document (a second reading, not the program's own encoder).
Not responsible for: whole tables with ports (tests/end_to_end).
Source: firmware_bridge/README.md, "Angel Eye II-EX".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from importlib.resources import files
from pathlib import Path

import pytest

from controller.actions import Resolve, Role
from controller.control import ControlServer
from controller.inputs import OperatorAction, Started
from controller.journal.store import Journal
from controller.loop import Loop
from controller.procedure.decisions import Decision, Resolution
from controller.procedure.rulebook import Fact
from controller.rule_data import load_clauses, profile_text
from controller.run import SETTINGS, core_of
from controller.settings import Settings, ShoeDeviceSettings
from controller.snapshot import snapshot
from controller.table import Beginning, Health, Table
from controller.version import VERSION
from firmware_bridge.timestamp import Timestamp, now
from firmware_bridge.transport.port import Chunk, PortOpened

PORT = "/dev/ttyUSB0"
NINE_O_CLOCK_NS = 1_763_715_600 * 1_000_000_000  # 2025-11-21 09:00:00 UTC
REPORT_NS = 300 * 1_000_000

# Player 9h Kc, Banker 2d 5s: a natural against seven.
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
# The first burn card is an ace, so one more is burned.
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
# A third card for Player after a natural.
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def report(number: int, data_hex: str) -> bytes:
    """A whole report: ENQ, SEQ 0 to F, data, ETX, the XOR from SEQ to ETX as two hex digits."""
    body = f"{number % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
    return b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()


def start_of_run(at: Timestamp, software: str = VERSION) -> Started:
    """The first input of a run of table M7 in pit 3."""
    shoe = ShoeDeviceSettings(PORT, "angel-eye-ii-ex", False, "0-9A-F", "stx_counted", 250)
    settings = Settings("M7", "3", 8, 6 * 3600, (Fact.RESULT_BUTTON,), shoe)
    return Started(
        at=at,
        boot_id="boot-1",
        software=software,
        configuration=SETTINGS.encode(settings),
        profile=profile_text("s42-mini").encode(),
        zone=(files("tzdata") / "zoneinfo" / "UTC").read_bytes(),
        replaced="",
    )


class Dealing:
    """A table's journal while it is written, input by input, under a clock of its own."""

    def __init__(self, folder: Path, software: str = VERSION) -> None:
        self.at = Timestamp(1_000_000_000, NINE_O_CLOCK_NS)
        self.reports = 0
        started = start_of_run(self.at, software)
        self.journal = Journal.open(folder)
        core = core_of(started, load_clauses())
        self.loop = Loop(self.journal, core, core.initial(), lambda: self.at)
        self.loop.begin(started)
        self.loop.take(PortOpened(PORT, self.at, bytes(32)))

    def reported(self, *data: str) -> None:
        """The shoe reports these, one after the other."""
        for data_hex in data:
            self._later()
            self.loop.take(Chunk(PORT, self.at, report(self.reports, data_hex)))
            self.loop.store_if_due()
            self.reports += 1

    def resolved(self, decision: Decision) -> None:
        """A floorperson decides."""
        self._later()
        action = Resolve(Resolution(decision))
        role = Role.FLOORPERSON
        self.loop.take(OperatorAction(self.at, "A. Floor", role, "test", action, "seen by me"))
        self.loop.store_if_due(force=True)

    def end(self) -> None:
        self.loop.store_if_due(force=True)
        self.journal.close()

    def _later(self) -> None:
        self.at = Timestamp(self.at.monotonic_ns + REPORT_NS, self.at.utc_ns + REPORT_NS)


@pytest.fixture
def deal(fast_dir: Path) -> Callable[..., Path]:
    """Deal what is given, shoe open at the end; the journal's folder."""

    def dealt(*data: str, name: str = "journal", software: str = VERSION) -> Path:
        folder = fast_dir / name
        dealing = Dealing(folder, software)
        dealing.reported(*data)
        dealing.end()
        return folder

    return dealt


@pytest.fixture
def three_coups(deal: Callable[..., Path]) -> Path:
    """A journal with an opening and three counted coups."""
    return deal(*OPENING, *PLAYER_WINS * 3)


@pytest.fixture
def suspended(deal: Callable[..., Path]) -> Path:
    """A journal whose table waits for a floorperson after an overdraw."""
    return deal(*OPENING, *PLAYER_WINS, *OVERDRAW)


@pytest.fixture
def opening_and_coups() -> Callable[[int], tuple[str, ...]]:
    """The reports of an opening and as many coups."""
    return lambda coups: (*OPENING, *PLAYER_WINS * coups)


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Path]]:
    """Let a table go on from a journal and serve its control socket; the socket's path."""
    running: list[tuple[Table, ControlServer]] = []

    def started(journal: Path) -> Path:
        beginning = Beginning(journal, load_clauses(), lambda _replaced: start_of_run(now()))
        table = Table("M7", beginning, now)
        table.start()
        assert table.health is Health.RUNNING, table.failure

        def shown() -> Mapping[str, object]:
            assert table.published is not None
            return snapshot(*table.published, table.health.value, table.failure)

        path = journal.parent / "control.sock"
        server = ControlServer(path, table, shown)
        server.start()
        running.append((table, server))
        return path

    yield started
    for table, server in running:
        server.stop()
        table.stop()
        table.join()
