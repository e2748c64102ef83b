"""Kill -9 at random moments of a running shoe: nothing lost, duplicated or invented.

Source: D-22; wire document, "Continuity".
"""

import contextlib
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.effects import CoupClosed, CoupRecord, Prompt, ShoeOpened
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import CoupFate
from firmware_bridge.transport.port import Chunk
from hil.dealing.actions import DealerAction, Pause
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import CoupTruth, Truth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServer, LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.progress import Patience
from hil.rig.in_process import TableRig
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace, ShoeRunner

NS_PER_MS = 1_000_000
REAL_BAUD = LineServerSettings(speed=1, baud=4800)


@dataclass(frozen=True)
class Rhythm:
    """The pace of dealing, the longest time until a kill, and what table.toml says of reports.

    A report takes the pause and 50 ms on the line. After half a cycle of sixteen reports nothing
    proves any more that none was missed; the program counts them by the time that passed.
    """

    pause_ms: int
    life_s_max: float
    report_interval_ms_min: int


# On a pty nothing is lost, and kills may come one upon the other: the dealer is held before half a
# cycle, so a restart may take a minute on a busy machine. On TCP every kill loses reports, and some
# coups are to come through whole.
ON_A_PTY = Rhythm(pause_ms=500, life_s_max=0.9, report_interval_ms_min=60_000)
ON_TCP = Rhythm(pause_ms=250, life_s_max=4.0, report_interval_ms_min=300)
LOOK_AHEAD_BYTES = 64
# Eight of sixteen numbers prove nothing any more, and one report may be on its way at the kill.
REPORTS_WITHOUT_READER_MAX = 6
# Longer than a report takes on the line, so that a kill meets one on its way, too.
LAST_MOMENT_S_MAX = 0.4
PLAYER_CARD_1 = bytes([ord("D"), 0x81])


class Enough(Exception):
    """Stops the dealer at the end of a coup."""


class Dealing(threading.Thread):
    """A careless dealer in a thread: he never waits for a table, and stops between coups.

    While no program runs he deals on, but only so far that the numbers of the reports still prove
    whether one was missed: however long the machine takes for a restart.
    """

    def __init__(self, server: LineServer, seed: int, pause_ms: int) -> None:
        super().__init__(name="dealing")
        self.enough = threading.Event()
        self.dealer = Dealer(DealerSettings(seed=seed))
        pace = Pace.uniform(pause_ms * NS_PER_MS)
        self.server = server
        self.started = threading.Event()
        self.made_at_kill = 0
        self.runner = ShoeRunner(
            self.dealer, server, pace=pace, may_deal=self.may_deal, on_action=self.look_up
        )

    @property
    def truth(self) -> Truth:
        return self.dealer.truth

    def may_deal(self) -> bool:
        made = self.server.emulator.reports_made - self.made_at_kill
        return self.started.is_set() or made < REPORTS_WITHOUT_READER_MAX

    def program_killed(self) -> None:
        self.made_at_kill = self.server.emulator.reports_made
        self.started.clear()

    def look_up(self, action: DealerAction) -> None:
        if self.enough.is_set() and isinstance(action, Pause):
            raise Enough

    def run(self) -> None:
        with contextlib.suppress(Enough):
            self.runner.run()


def resolve_if_over(program: Program) -> None:
    """Resolve as a floorperson once no partial coup is being dealt."""
    shown = program.snapshot()
    partial = shown.coup is not None and shown.coup.partial
    if shown.phase.value is not Phase.SUSPENDED or partial:
        return
    decisions = [one.decision.value for one in shown.remedy.decisions]
    wanted = ("void-coup", "continue", *decisions)
    decision = next(word for word in wanted if word in decisions)
    answer = program.ask(
        {
            "request": "act",
            "action": "resolve",
            "by": "scripted floorperson",
            "role": "floorperson",
            "reason": "kill test",
            "decision": decision,
            "provisional": "take-over",
        }
    )
    assert answer.ok, answer.error


def play_with_kills(
    program: Program,
    server: LineServer,
    rhythm: Rhythm,
    *,
    kills: int,
    seed: int,
    kill: Callable[[Truth], None],
) -> tuple[Truth, int]:
    """Deal while the program is killed and restarted; returns the number of kills."""
    moments = random.Random(seed)
    killed = 0
    program.start()
    if isinstance(server, TcpServer):
        server.wait_connected(1)
    dealing = Dealing(server, seed, rhythm.pause_ms)
    dealing.started.set()
    dealing.start()
    while killed < kills and dealing.is_alive():
        dealing.join(moments.uniform(0.1, rhythm.life_s_max))
        resolve_if_over(program)
        kill(dealing.truth)
        dealing.program_killed()
        killed += 1
        program.start()
        dealing.started.set()
    dealing.enough.set()
    dealing.join()
    settle(program)
    program.stop()
    return dealing.truth, killed


def settle(program: Program) -> None:
    """Let the program read all waiting bytes, and resolve what is open."""
    quiet_since = time.monotonic()
    last = None
    while time.monotonic() - quiet_since < 1.0:
        now = program.snapshot()
        if now != last:
            quiet_since, last = time.monotonic(), now
            resolve_if_over(program)
        threading.Event().wait(0.05)


def entries_of(folder: Path) -> list[Entry]:
    with open_read_only(folder) as journal:
        entries = [read_entry(stored.record) for stored in journal.records()]
    return [entry for entry in entries if entry is not None]


def concluded(entries: list[Entry]) -> list[Entry]:
    """All entries about the table, without those about devices and runs."""
    return [
        one for one in entries if isinstance(one, EventVerdicts | CoupClosed | ShoeOpened | Prompt)
    ]


def undisturbed(folder: Path, seed: int, coups: int) -> list[Entry]:
    with PtyServer(AngelEye()) as server, TableRig(folder, server.path) as rig:
        truth = ShoeRunner(Dealer(DealerSettings(seed=seed)), server, coups_max=coups).run()
        dealt = len(truth.coups)
        rig.wait_for(lambda s: s.shoe is not None and s.shoe.coups_begun == dealt)
        rig.wait_for(lambda s: s.shoe is not None and s.shoe.coup is None)
        # After its result the last coup has one more report, that the shoe stands by.
        wait_until_stored(folder, {one.ordinal for one in truth.reports}, truth)
    return concluded(rig.entries)


def irregularities(entries: list[Entry]) -> list[Irregularity]:
    events = [one for one in entries if isinstance(one, EventVerdicts)]
    return [v for one in events for v in one.verdicts if isinstance(v, Irregularity)]


def killed_on_a_pty(folder: Path, program_on, *, kills: int, seed: int) -> None:
    with (
        PtyServer(AngelEye(), REAL_BAUD, link=folder / "shoe") as server,
        program_on(folder, server.path, ON_A_PTY.report_interval_ms_min) as program,
    ):

        def kill(truth: Truth) -> None:
            """What a program has read and not stored is lost with it: nobody sends it again."""
            delivered = {one.ordinal for one in truth.reports if one.delivered}
            wait_until_stored(folder / "journal", delivered, truth)
            program.kill()

        truth, killed = play_with_kills(
            program, server, ON_A_PTY, kills=kills, seed=seed, kill=kill
        )
    assert verify(folder / "journal").intact
    entries = entries_of(folder / "journal")
    expected = undisturbed(folder / "undisturbed", seed, len(truth.coups))
    print(f"pty: {killed} kills, {len(truth.coups)} coups, {len(irregularities(entries))} held")
    assert killed == kills
    assert [(one.code.value, one.detail) for one in irregularities(entries)] == []
    assert concluded(entries) == expected


def received(folder: Path) -> bytes:
    """All bytes read according to the journal, in order."""
    with open_read_only(folder) as journal:
        recorded = [read_input(stored.record) for stored in journal.records()]
    inputs = [one for item in recorded if item is not None for one in inputs_in(item)]
    return b"".join(item.data for item in inputs if isinstance(item, Chunk))


def lost_reports(truth: Truth, stream: bytes) -> set[int]:
    """Ordinals of the reports of which no complete copy was stored.

    Before a report's first copy stand at most two more copies of the one before it and a few
    fragments; further ahead the same sequence character, sixteen reports on, would be mistaken.
    """
    lost: set[int] = set()
    at = 0
    for report in truth.reports:
        found = stream.find(report.frame, at, at + LOOK_AHEAD_BYTES)
        if found < 0:
            lost.add(report.ordinal)
        else:
            at = found + len(report.frame)
    return lost


def wait_until_stored(folder: Path, ordinals: set[int], truth: Truth) -> None:
    """Wait until those reports of `truth` stand in the journal in `folder`."""
    patience = Patience(progress=lambda: len(received(folder)))
    while missing := ordinals & lost_reports(truth, received(folder)):
        patience.check(f"delivered, but not stored: {sorted(missing)}")
        threading.Event().wait(0.05)


class KillAfterDeliveries:
    """Kills the program a moment after it has stored what the emulator's log calls delivered.

    `to_be_stored` are the ordinals of reports that no kill can have taken: only what is delivered
    in that last moment may be in no memory but the killed program's.
    """

    def __init__(
        self, program: Program, server: TcpServer[AngelEye], journal: Path, seed: int
    ) -> None:
        self._program = program
        self._server = server
        self._journal = journal
        self._moments = random.Random(seed)
        self._made_before_start = 0
        self.to_be_stored: set[int] = set()

    def delivered(self, truth: Truth) -> set[int]:
        """The reports that the log says were delivered to this run of the program."""
        made = self._made_before_start
        return {one.ordinal for one in truth.reports if one.delivered and one.ordinal > made}

    def __call__(self, truth: Truth) -> None:
        delivered = self.delivered(truth)
        wait_until_stored(self._journal, delivered, truth)
        self.to_be_stored |= delivered
        threading.Event().wait(self._moments.uniform(0, LAST_MOMENT_S_MAX))
        self._program.kill()
        assert self._server.wait_disconnected()
        self._made_before_start = self._server.emulator.reports_made


def coups_with_losses(truth: Truth, lost: set[int]) -> set[int]:
    """Numbers of the coups that lost a card, a cut card or the result."""
    hurt: set[int] = set()
    number = 0
    in_coup = False
    for report in truth.reports:
        if report.frame[2:4] == PLAYER_CARD_1:
            number, in_coup = number + 1, True
        if in_coup and report.ordinal in lost:
            hurt.add(number)
        if report.code == "G":
            in_coup = False
    return hurt


def killed_on_tcp(
    folder: Path, program_on, *, kills: int, seed: int, as_dealt, as_recorded
) -> None:
    with (
        TcpServer(AngelEye(), REAL_BAUD) as server,
        program_on(folder, server.url, ON_TCP.report_interval_ms_min) as program,
    ):
        kill = KillAfterDeliveries(program, server, folder / "journal", seed)
        truth, killed = play_with_kills(program, server, ON_TCP, kills=kills, seed=seed, kill=kill)
        to_be_stored = kill.to_be_stored | kill.delivered(truth)
    assert verify(folder / "journal").intact
    lost = lost_reports(truth, received(folder / "journal"))
    assert lost & to_be_stored == set()
    assert {one.ordinal for one in truth.reports if not one.delivered} <= lost
    hurt = coups_with_losses(truth, lost)
    entries = entries_of(folder / "journal")
    records = [one.record for one in entries if isinstance(one, CoupClosed)]
    print(
        f"tcp: {killed} kills, {len(truth.coups)} coups, {len(lost)} reports lost, {len(hurt)} hurt"
    )
    assert killed == kills
    compare(truth.coups, records, hurt, as_dealt, as_recorded)


def compare(
    dealt: tuple[CoupTruth, ...], records: list[CoupRecord], hurt: set[int], as_dealt, as_recorded
) -> None:
    """Exactly the coups that lost nothing are counted, each once, in order.

    A coup of which something was lost is held and void, or, where nothing of it came, absent.
    """
    assert [record.coup for record in records] == list(range(1, len(records) + 1))
    counted = [as_recorded(one) for one in records if one.fate is CoupFate.COUNTED]
    whole = [as_dealt(coup) for coup in dealt if coup.coup not in hurt]
    assert counted == whole
    assert whole, "no coup came through whole: nothing was shown"
    held = [one for one in records if one.fate is CoupFate.VOID]
    assert len(held) + len(counted) == len(records)
    assert len(held) <= len(hurt)


def test_twelve_kills_on_a_pty(fast_dir: Path, program_on) -> None:
    """`make full` kills two hundred times."""
    killed_on_a_pty(fast_dir, program_on, kills=12, seed=11)


@pytest.mark.full
def test_eight_kills_on_tcp(fast_dir: Path, program_on, as_dealt, as_recorded) -> None:
    """`make full` kills two hundred times in ten shoes."""
    killed_on_tcp(
        fast_dir,
        program_on,
        kills=8,
        seed=12,
        as_dealt=as_dealt,
        as_recorded=as_recorded,
    )


@pytest.mark.full
def test_two_hundred_kills_on_a_pty(fast_dir: Path, program_on) -> None:
    killed_on_a_pty(fast_dir, program_on, kills=200, seed=21)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(30, 40))
def test_two_hundred_kills_on_tcp_in_ten_shoes(
    fast_dir: Path, program_on, as_dealt, as_recorded, seed: int
) -> None:
    killed_on_tcp(
        fast_dir, program_on, kills=20, seed=seed, as_dealt=as_dealt, as_recorded=as_recorded
    )
