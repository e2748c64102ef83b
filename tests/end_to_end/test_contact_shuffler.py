"""A shuffler that shows only contacts through the real program: an exchange, incidents, a kill.

The emulated shuffler stands at the other end of a TCP line that carries the readings of its lines.

Source: NY (a)(4)(iv); S42 (a)(4), (e).
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import Entry
from controller.core.tape.records import read_entry
from controller.custody.batch_life.facts import StageChange
from controller.journal.people import PeopleFile
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.outlets.control.answer_schema import Answer
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.record.snapshot_devices import ShufflerView
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.tableau import Winner
from hil.dealing.tags import batch
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.contacts.shuffler import NS_PER_S, ContactSettings, ContactShuffler
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.device_programs import wait_until
from hil.rig.program import Program

CONFIG = """\
[table]
name = "BENCH-1"

[rules]
profile = "s42-mini"
decks = 8

[shoe]
port = {shoe}
allow_commands = true
# A shoe this quick could have reported anything while the program was away.
report_interval_ms_min = 1
reports_s_max = 0

[metrics]
enabled = false

[shuffler]
model = "contacts"
port = {shuffler}
bare = true
shuffle_s_min = 1
shuffle_s_max = 60
"""
# An ace and one card more are burned; then a natural nine of Player's against seven.
BURN = (Card(1, Suit.SPADE), Card(7, Suit.CLUB))
COUP = (Card(9, Suit.HEART), Card(2, Suit.DIAMOND), Card(13, Suit.CLUB), Card(5, Suit.SPADE))


def pieces(back: str) -> tuple[PhysicalCard, ...]:
    cards = batch(f"{back.upper()}-0001", back).cards
    return tuple(piece for piece in cards if piece.card is not None)


class Bench:
    """The two devices, the program, and the people at the table."""

    def __init__(
        self, folder: Path, shoe: PtyServer[AngelEye], shuffler: TcpServer[ContactShuffler]
    ) -> None:
        self.shoe, self.shuffler = shoe, shuffler
        self.journal = folder / "journal"
        ports = {"shoe": json.dumps(shoe.path), "shuffler": json.dumps(shuffler.url)}
        (folder / "table.toml").write_text(CONFIG.format(**ports))
        self.program = Program(folder / "table.toml", folder / "program.log")

    def act(self, action: str, **values: object) -> Answer:
        """Take an action as a floorperson; returns the answer."""
        who = {"by": "A. Floor", "role": "floorperson", "reason": "seen by me"}
        return self.program.ask({"request": "act", "action": action, **who, **values})

    def record(self, act: str, back: str, amount: int = 0) -> Answer:
        """Record a step as the dealer."""
        who = {"by": "D. Dealer", "role": "dealer", "reference": "D. Dealer"}
        values = {"act": act, "batch": back, "amount": amount}
        return self.program.ask({"request": "act", "action": "record", **who, **values})

    def changes_cards(self, back: str) -> None:
        """Take what lies in the shuffler out, put this batch in, and record it."""
        self.shuffler.perform(lambda one: one.open_lid())
        wait_until(lambda: self.shown.door_open)
        self.shuffler.perform(lambda one: (one.take(), one.put_in(pieces(back)))[1])
        self.shuffler.perform(lambda one: one.close_lid())
        wait_until(lambda: not self.shown.door_open)
        assert self.record("into-shuffler", back, 416).ok
        assert self.stage(back) == "counted"

    def starts(self, back: str) -> None:
        self.shuffler.perform(lambda one: one.press_start())
        wait_until(lambda: self.stage(back) == "shuffling")

    def shuffles(self, back: str) -> None:
        self.starts(back)
        wait_until(lambda: self.stage(back) == "shuffled")

    def deals(self, cards: tuple[Card, ...]) -> None:
        for card in cards:
            self.shoe.perform(lambda shoe, card=card: shoe.draw(card))  # type: ignore[misc]
        assert self.shoe.settle()

    def clears_warnings(self) -> None:
        wait_until(lambda: not any(one.active for one in self.shown.warnings))
        for one in self.shown.warnings:
            assert self.act("clear-warning", number=one.number).ok

    @property
    def shown(self) -> ShufflerView:
        shown = self.program.snapshot().shuffler
        assert shown is not None
        return shown

    def stage(self, back: str) -> str:
        return next((one.stage for one in self.shown.batches if one.back == back), "")

    def kinds(self) -> set[str]:
        return {one.kind for one in self.shown.warnings}

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]


@pytest.fixture
def bench(fast_dir: Path) -> Iterator[Bench]:
    line = LineServerSettings(speed=0)
    device = ContactShuffler(ContactSettings(shuffle_ns=5 * NS_PER_S // 4))
    with (
        PtyServer(AngelEye(), line, link=fast_dir / "shoe") as shoe,
        TcpServer(device, line) as shuffler,
    ):
        bench = Bench(fast_dir, shoe, shuffler)
        with bench.program as program:
            program.start()
            wait_until(lambda: bench.shown.trusted)
            yield bench


def test_an_exchange_with_incidents_and_a_kill(bench: Bench) -> None:
    assert bench.shown.bare
    assert bench.kinds() == set()
    bench.changes_cards("red")
    bench.shuffles("red")
    assert not bench.record("into-shuffler", "blue", 416).ok, "red lies in it"
    assert bench.record("released", "red").ok
    bench.changes_cards("blue")

    # Somebody opens the lid in the middle of the shuffle: it is repeated.
    bench.starts("blue")
    bench.shuffler.perform(lambda one: one.open_lid())
    wait_until(lambda: bench.kinds() == {"door", "broken_off"})
    assert bench.stage("blue") == "held"
    assert not bench.act("clear-warning", number=bench.shown.warnings[0].number).ok
    bench.shuffler.perform(lambda one: one.close_lid())
    bench.clears_warnings()
    assert bench.record("into-shuffler", "blue", 416).ok
    bench.shuffles("blue")

    bench.shoe.perform(lambda shoe: shoe.power_on())
    bench.deals((*BURN, *COUP))
    bench.shoe.perform(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
    assert bench.shoe.settle()
    wait_until(lambda: bench.stage("red") == "in_play")
    assert not bench.record("released", "blue").ok, "a shoe is open"

    # Nobody watched while the program was dead: what lies in the shuffler is in doubt.
    bench.program.kill()
    bench.program.start()
    wait_until(lambda: bench.shown.trusted and bench.kinds() == {"events_lost"})
    assert bench.stage("blue") == "held"
    bench.clears_warnings()
    assert bench.record("into-shuffler", "blue", 416).ok
    bench.shuffles("blue")
    # The shoe's report of the lock is its first since the kill, which proves no continuity.
    wait_until(lambda: bench.program.snapshot().irregularities)
    assert bench.act("resolve", decision="close-shoe").ok
    assert bench.record("released", "blue").ok
    assert bench.stage("blue") == "released"
    bench.program.stop()

    entries = bench.entries()
    assert verify(bench.journal).intact
    assert replay(bench.journal).finding is ReplayFinding.SAME
    moves = [one for one in entries if isinstance(one, StageChange)]
    assert [one.batch for one in moves if one.after == "shuffled"] == ["red", "blue", "blue"]
    assert [one.batch for one in moves if one.after == "in_play"] == ["red"]
    opened = [one.number for one in entries if isinstance(one, WarningOpened)]
    closed = [one for one in entries if isinstance(one, WarningClosed)]
    assert opened == [one.number for one in closed]
    names = PeopleFile(bench.journal).names()
    assert {names[one.person] for one in closed} == {"A. Floor"}


def test_a_pulled_cable_breaks_a_shuffle_off(bench: Bench) -> None:
    bench.changes_cards("red")
    bench.starts("red")
    bench.shuffler.drop()
    wait_until(lambda: "broken_off" in bench.kinds())

    assert bench.stage("red") == "held"
    wait_until(lambda: bench.shown.trusted)
    bench.clears_warnings()
    assert not bench.record("released", "red").ok
