"""A table with a shuffler through the real program: orders, a warning, and kills between.

Source: NY (a)(4)(iv); S42 (a)(4), (e); D-22.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.cli.main import main
from controller.core.tape.entries import CommandGiven, Entry
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_entry, read_input
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.journal.people import PeopleFile
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.outlets.control.answer_schema import Answer
from controller.procedure.effects import Refusal, WarningClosed, WarningOpened
from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import ShufflerView
from controller.system.messages.catalogue import to_words
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.tableau import Winner
from hil.dealing.tags import batch
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
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
port = {shuffler}
allow_commands = true
"""
PAIRED = """\
identity = "shuffler.identity.json"
approved = "approved.json"
approved_keys = ["table.key.pub"]
"""
# The image of the emulated firmware: what is approved is its SHA-256.
FIRMWARE = b"emulated firmware 1.0.0"
# An ace and one card more are burned; then a natural nine of Player's against seven.
BURN = (Card(1, Suit.SPADE), Card(7, Suit.CLUB))
COUP = (Card(9, Suit.HEART), Card(2, Suit.DIAMOND), Card(13, Suit.CLUB), Card(5, Suit.SPADE))
HANDS = ("floorperson", "A. Floor")


def pieces(back: str) -> tuple[PhysicalCard, ...]:
    cards = batch(f"{back.upper()}-0001", back).cards
    return tuple(piece for piece in cards if piece.card is not None)


class Bench:
    """The two devices, the program, and the people at the table."""

    def __init__(
        self, folder: Path, shoe: PtyServer[AngelEye], shuffler: TcpServer[Shuffler]
    ) -> None:
        self.folder, self.shoe, self.shuffler = folder, shoe, shuffler
        self.journal = folder / "journal"
        self._prepare()
        self.program = Program(folder / "table.toml", folder / "program.log")

    def _prepare(self) -> None:
        """Make the files of a table with the commands."""
        key, image = self.folder / "table.key", self.folder / "firmware.bin"
        image.write_bytes(FIRMWARE)
        made = self.folder / "shuffler.identity.json"
        approved = ("--list", str(self.folder / "approved.json"), "--key", str(key))
        firmware = ("--version", "1.0.0", "--counter", "1", "--image", str(image))
        for words in (
            ("keys", "make", str(key)),
            ("identity", "pair", self.shuffler.url, "--out", str(made), "--person", "T. Tech"),
            ("firmware", "approve", *approved, *firmware),
        ):
            assert main(words) == 0, words
        ports = {"shoe": json.dumps(self.shoe.path), "shuffler": json.dumps(self.shuffler.url)}
        (self.folder / "table.toml").write_text((CONFIG + PAIRED).format(**ports))

    # People.

    def act(self, action: str, **values: object) -> Answer:
        """Take an action as a floorperson; returns the answer."""
        role, name = HANDS
        request = {"action": action, "by": name, "role": role, "reason": "seen by me", **values}
        return self.program.ask({"request": "act", **request})

    def order_shuffler(self, order: str, back: str = "", compartment: int = 0) -> None:
        """Give an order and wait until it is executed."""
        where = {"batch": back} if back else {"compartment": compartment}
        answer = self.act("order-shuffler", order=order, **where)
        assert answer.ok, answer.error

    def goes_in(self, back: str, compartment: int) -> None:
        """Load, count, shuffle and store a batch."""
        self.shuffler.perform(lambda device: device.put_in(pieces(back)))
        for order, stage in (("load", ""), ("count", "counted"), ("shuffle", "shuffled")):
            self.order_shuffler(order, compartment=compartment)
            wait_until(lambda stage=stage: not stage or self.stage(back) == stage)  # type: ignore[misc]
        self.order_shuffler("store", back)
        wait_until(lambda: self.stage(back) == "stored")

    def comes_out(self, back: str) -> None:
        """Release a batch and take it out, to be dealt."""
        self.order_shuffler("release", back)
        wait_until(lambda: self.stage(back) == "released")
        self.shuffler.perform(lambda device: (device.take(), ())[1])

    def deals(self, cards: tuple[Card, ...]) -> None:
        for card in cards:
            self.shoe.perform(lambda shoe, card=card: shoe.draw(card))  # type: ignore[misc]
        assert self.shoe.settle()

    def deals_a_coup(self) -> None:
        self.deals(COUP)
        self.shoe.perform(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
        assert self.shoe.settle()

    # What the program shows.

    @property
    def shown(self) -> Snapshot:
        return self.program.snapshot()

    @property
    def shuffler_shown(self) -> ShufflerView:
        shown = self.shown.shuffler
        assert shown is not None
        return shown

    def stage(self, back: str) -> str:
        return next((one.stage for one in self.shuffler_shown.batches if one.back == back), "")

    def coups(self) -> int:
        shoe = self.shown.shoe
        return shoe.player if shoe is not None else 0

    def killed(self) -> None:
        """Kill -9 and restart the program."""
        self.program.kill()
        self.program.start()
        wait_until(lambda: self.shuffler_shown.trusted)

    # What it stored.

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def runs(self) -> int:
        with open_read_only(self.journal) as journal:
            read = [read_input(stored.record) for stored in journal.records()]
        return sum(isinstance(item, Started) for item in read)


@pytest.fixture
def bench(fast_dir: Path) -> Iterator[Bench]:
    line = LineServerSettings(speed=0)
    with (
        PtyServer(AngelEye(), line, link=fast_dir / "shoe") as shoe,
        TcpServer(Shuffler(), line) as shuffler,
    ):
        bench = Bench(fast_dir, shoe, shuffler)
        with bench.program as program:
            program.start()
            wait_until(lambda: bench.shuffler_shown.trusted)
            yield bench


def of(entries: list[Entry], kind: type) -> list:
    return [one for one in entries if isinstance(one, kind)]


def warning_waits(bench: Bench) -> bool:
    return bool(bench.shuffler_shown.warnings)


def test_an_exchange_with_a_warning_and_kills(bench: Bench) -> None:
    bench.goes_in("red", 1)
    bench.killed()
    bench.goes_in("blue", 2)
    bench.comes_out("red")
    bench.shoe.perform(lambda shoe: shoe.power_on())
    bench.deals(BURN)
    bench.deals_a_coup()
    wait_until(lambda: bench.coups() == 1)
    assert (bench.stage("red"), bench.stage("blue")) == ("in_play", "stored")

    # Somebody opens the door over blue: the shoe is locked until a person clears the warning.
    bench.shuffler.perform(lambda device: device.open_door(2))
    wait_until(lambda: warning_waits(bench))
    assert bench.shoe.wait_for(lambda shoe: shoe.locked)
    bench.killed()
    assert warning_waits(bench)
    assert not bench.act("unlock-shoe").ok
    bench.shuffler.perform(lambda device: device.close_door(2))
    wait_until(lambda: not any(one.active for one in bench.shuffler_shown.warnings))
    for one in bench.shuffler_shown.warnings:
        assert bench.act("clear-warning", number=one.number).ok
    # Its report of the lock is the first since the kill, and nothing proves that none is missing.
    wait_until(lambda: bench.shown.irregularities)
    assert bench.shoe.wait_for(lambda shoe: shoe.locked)
    assert bench.act("resolve", decision="continue").ok
    assert bench.shoe.wait_for(lambda shoe: not shoe.locked)

    # Blue was touched: it is counted and shuffled again, and then it is blue's turn.
    assert bench.stage("blue") == "held"
    for order, stage in (("count", "counted"), ("shuffle", "shuffled"), ("store", "stored")):
        bench.order_shuffler(order, compartment=2)
        wait_until(lambda stage=stage: bench.stage("blue") == stage)  # type: ignore[misc]
    bench.deals_a_coup()
    wait_until(lambda: bench.coups() == 2)
    assert bench.act("close-shoe").ok
    bench.comes_out("blue")
    bench.killed()
    bench.goes_in("red", 1)
    refused = bench.act("order-shuffler", order="release", batch="red")
    assert "the last shoe was dealt from red" in refused.error
    bench.program.stop()

    entries = bench.entries()
    assert verify(bench.journal).intact
    assert replay(bench.journal).finding is ReplayFinding.SAME
    assert bench.runs() == 4
    assert [(one.batch, one.refused) for one in of(entries, ShuffleRecorded)] == [
        ("red", None),
        ("blue", None),
        ("blue", None),
        ("red", None),
    ]
    assert [one.batch for one in of(entries, StageChange) if one.after == "released"] == [
        "red",
        "blue",
    ]
    opened, closed = of(entries, WarningOpened), of(entries, WarningClosed)
    assert [one.number for one in opened] == [one.number for one in closed]
    names = PeopleFile(bench.journal).names()
    assert {(names[one.person], one.reason) for one in closed} == {("A. Floor", "seen by me")}
    commands = [to_words(one.command) for one in of(entries, CommandGiven)]
    locks = [one for one in commands if one.endswith("Exit")]
    assert (locks[0], locks[-1]) == ("LockExit", "UnlockExit")
    assert {one.what for one in of(entries, Refusal)} == {"unlock-shoe", "order-shuffler"}


def test_a_bare_shuffler_needs_the_configuration_and_is_logged(fast_dir: Path) -> None:
    line = LineServerSettings(speed=0)
    with (
        PtyServer(AngelEye(), line, link=fast_dir / "shoe") as shoe,
        TcpServer(Shuffler(ShufflerSettings(bare=True)), line) as shuffler,
    ):
        ports = {"shoe": json.dumps(shoe.path), "shuffler": json.dumps(shuffler.url)}
        (fast_dir / "table.toml").write_text((CONFIG + "bare = true\n").format(**ports))
        with Program(fast_dir / "table.toml", fast_dir / "program.log") as program:
            program.start()

            def bare() -> bool:
                shown = program.snapshot().shuffler
                return shown is not None and shown.bare

            wait_until(bare)
            program.stop()
            line = "shuffler: BARE: it proves no identity, and the configuration accepts it"
            assert line in program.log_text()
