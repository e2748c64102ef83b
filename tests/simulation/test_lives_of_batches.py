"""Two batches' lives through the real driver and the emulated shuffler.

Usual exchanges raise no doubt. Whatever people do to the shuffler and wherever power and cable
fail, a batch that may be dealt from is whole and was shuffled since it was last dealt.
"""

from collections.abc import Callable
from random import Random

import pytest

from controller.custody.batch_life.facts import (
    EventsLost,
    Fact,
    FirstCardOut,
    ShoeOver,
    ShufflerPortLost,
)
from controller.custody.batch_life.lifecycle import apply_batch_fact, new_lineage
from controller.custody.batch_life.permissions import batch_due_next, obstacles_to_dealing
from controller.custody.batch_life.stages import BatchStage
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from drivers.events import DeviceEvent, ReportsLost
from drivers.interface import DriverOutput
from drivers.model import Installation
from drivers.shuffler_events import ShufflerEvent
from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import batch
from hil.emulator.tablelink.compartment import CompartmentPhase, DeviceMode
from hil.emulator.tablelink.mechanism import ShufflerSettings as EmulatedSettings
from hil.emulator.tablelink.shuffler import Shuffler as EmulatedShuffler

UNPLUGGED = message("usb_unplugged")

MS = 1_000_000
SECOND_MS = 1_000
SHUFFLE_MS = 3 * SECOND_MS
CARDS = 52
BACKS = ("red", "blue")
WHOLE = {
    back: tuple(one for one in batch(f"{back}-1", back, 1).cards if one.card is not None)
    for back in BACKS
}


class Table:
    """People, a shuffler on a cable, and the lineage of both batches."""

    def __init__(self) -> None:
        self.shuffler = EmulatedShuffler(EmulatedSettings(decks=1, shuffle_ns=SHUFFLE_MS * MS))
        pins = self.shuffler.pins
        image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
        pin = Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1)
        self.driver = TABLELINK_SHUFFLER.build(installed=Installation(False, Trust(pin, (image,))))
        self.state = self.driver.initial()
        self.lineage = new_lineage(BACKS)
        self.writes: list[bytes] = []
        self.plugged = False
        self.ms = 0
        # Ground truth: the cards people hold, and whether people disturbed a compartment.
        self.rack: dict[str, list[PhysicalCard]] = {back: list(WHOLE[back]) for back in BACKS}
        self.out: list[PhysicalCard] = []
        self.out_clean = False
        self.spoilt = {1: True, 2: True}
        self.in_shoe = ""
        self.dealt: list[str] = []

    # The cable.

    def plug(self) -> None:
        self.plugged = True
        self.shuffler.host_appeared(self.ms * MS)
        opened = PortOpened("shuffler", self.at(), self.ms.to_bytes(32, "big"))
        self._apply(self.driver.receive(self.state, opened))
        self.advance(SECOND_MS)

    def unplug(self) -> None:
        self.plugged = False
        self._apply(self.driver.receive(self.state, PortLost("shuffler", self.at(), UNPLUGGED)))
        self.writes.clear()
        self.apply_fact(ShufflerPortLost())

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def advance(self, ms: int) -> None:
        end_ms = self.ms + ms
        while self.ms < end_ms:
            dues = (self.shuffler.next_due_ns, self.driver.next_deadline_ns(self.state))
            known = [due for due in dues if due is not None]
            next_ms = self.ms + 1 if self.writes else -(-min(known, default=end_ms * MS) // MS)
            self.ms = min(max(self.ms + 1, next_ms), end_ms)
            written, self.writes = b"".join(self.writes), []
            arrived = written if self.plugged else b""
            data = self.shuffler.receive(arrived, self.ms * MS) + self.shuffler.tick(self.ms * MS)
            if data and self.plugged:
                chunk = Chunk("shuffler", self.at(), data)
                self._apply(self.driver.receive(self.state, chunk))
            due = self.driver.next_deadline_ns(self.state)
            if due is not None and due <= self.ms * MS:
                self._apply(self.driver.tick(self.state, self.at()))

    def _apply(self, step: tuple[object, DriverOutput]) -> None:
        self.state, output = step
        self.writes.extend((*output.to_write, *output.at_once))
        for event in output.events:
            self._on_device_event(event)

    def _on_device_event(self, event: DeviceEvent) -> None:
        if isinstance(event, ShufflerEvent):
            self.apply_fact(event)
        elif isinstance(event, ReportsLost):
            self.apply_fact(EventsLost(event.missing_min))

    def apply_fact(self, fact: Fact) -> None:
        applied = apply_batch_fact(self.lineage, fact, cards=CARDS, decks=1, at_ns=self.ms * MS)
        self.lineage = applied.lineage

    # People who do their work correctly.

    def stage(self, back: str) -> BatchStage:
        life = self.lineage.life(back)
        assert life is not None
        return life.stage

    def answer_all_warnings(self) -> None:
        for one in self.lineage.warnings:
            self.apply_fact(ClearWarning(one.number))

    def load(self, back: str, compartment: int) -> None:
        """Put the batch into the tray and load it."""
        if not self.rack[back] or self.shuffler.bays[compartment].pieces:
            return
        if self.shuffler.tray or self.shuffler.busy:
            return
        self.apply_fact(RecordAct(ActKind.INTO_SHUFFLER, back))
        self.shuffler.put_in(self.rack[back])
        self.shuffler.press("load", compartment)
        self.advance(SECOND_MS)
        if self.shuffler.tray:  # refused
            self.shuffler.tray.clear()
        else:
            self.rack[back] = []
            self.spoilt[compartment] = True

    def press(self, button: str, compartment: int) -> None:
        before = self.shuffler.compartment_record(compartment).cycle
        self.shuffler.press(button, compartment)
        self.advance(SHUFFLE_MS + SECOND_MS if button == "shuffle" else SECOND_MS)
        after = self.shuffler.compartment_record(compartment)
        if (
            button == "shuffle"
            and after.cycle > before
            and after.phase is CompartmentPhase.SHUFFLED
        ):
            self.spoilt[compartment] = False

    def take_out(self, compartment: int) -> None:
        """Take what was released out and put it on the table."""
        if self.out:
            return
        clean = not self.spoilt[compartment]
        self.out = list(self.shuffler.take(compartment))
        self.out_clean = clean
        self.advance(SECOND_MS)

    def deal(self) -> None:
        """Deal a shoe from the cards on the table, if nothing prevents it."""
        due = batch_due_next(self.lineage)
        if not self.out or self.in_shoe or not due or self.lineage.interlocked:
            return
        if obstacles_to_dealing(self.lineage, due) or self.out[0].back != due:
            return
        assert sorted(map(str, self.out)) == sorted(map(str, WHOLE[due])), "the batch is not whole"
        assert self.out_clean, "the batch was not shuffled, or was disturbed since"
        assert self.dealt[-1:] != [due], "the batch was dealt last"
        self.apply_fact(FirstCardOut(""))
        assert self.stage(due) is BatchStage.IN_PLAY
        self.in_shoe = due
        self.dealt.append(due)

    def end_shoe(self) -> None:
        if self.in_shoe:
            self.apply_fact(ShoeOver(played=True))
            self.rack[self.in_shoe], self.out, self.in_shoe = self.out, [], ""

    def repair(self, number: int) -> None:
        """Take out cards that are held or cannot be used, and complete the batch by hand."""
        bay = self.shuffler.bays[number]
        if (
            self.shuffler.compartment_record(number).phase is CompartmentPhase.HELD
            and bay.operation is None
        ):
            self.shuffler.clear_jam()
            self.shuffler.open_door(number)
            self.advance(200)
            self._restore_batches([*self.shuffler.reach_in(number, out=CARDS), *self.shuffler.tray])
            self.shuffler.tray.clear()
            self.shuffler.close_door(number)
            self.advance(200)
        self.shuffler.take_residual()
        if self.out and not self.in_shoe:
            self._restore_batches(self.out)
            self.out = []

    def _restore_batches(self, cards: list[PhysicalCard]) -> None:
        for back in BACKS:
            if any(one.back == back for one in cards):
                self.rack[back] = list(WHOLE[back])

    def load_and_shuffle(self, back: str, compartment: int) -> None:
        self.load(back, compartment)
        for button in ("count", "shuffle", "store"):
            self.press(button, compartment)


@pytest.fixture
def table() -> Table:
    table = Table()
    table.plug()
    return table


def test_usual_exchanges_raise_no_doubt(table: Table) -> None:
    table.load_and_shuffle("red", 1)
    table.load_and_shuffle("blue", 2)
    for shoe in range(4):
        back, compartment = (("red", 1), ("blue", 2))[shoe % 2]
        table.press("release", compartment)
        table.take_out(compartment)
        table.deal()
        table.end_shoe()
        table.load_and_shuffle(back, compartment)

    assert table.dealt == ["red", "blue", "red", "blue"]
    assert not table.lineage.warnings


@pytest.mark.parametrize("cut", ["power", "cable"])
@pytest.mark.parametrize("after_ms", [500, 1_500, 2_500, 4_000, 6_000, 7_500])
def test_lost_power_or_cable_in_an_exchange_deals_no_wrong_batch(
    table: Table, cut: str, after_ms: int
) -> None:
    table.load_and_shuffle("blue", 2)
    table.load("red", 1)
    for button in ("count", "shuffle"):
        table.shuffler.press(button, 1)
        table.advance(after_ms // 2)
    if cut == "power":
        table.shuffler.power_off()
        table.spoilt[1] = True
        table.advance(SECOND_MS)
        table.shuffler.power_on()
    else:
        table.unplug()
        table.advance(2 * SECOND_MS)
        table.plug()
    table.advance(SHUFFLE_MS + 4 * SECOND_MS)
    table.answer_all_warnings()

    assert not table.lineage.interlocked
    assert table.stage("blue") is BatchStage.STORED
    shuffled = table.shuffler.compartment_record(1).phase in (
        CompartmentPhase.SHUFFLED,
        CompartmentPhase.STORED,
    )
    assert (table.stage("red") is BatchStage.SHUFFLED) is shuffled


BUTTONS = ("count", "shuffle", "store", "release")
NEXT = {
    CompartmentPhase.LOADING: "count",
    CompartmentPhase.COUNTED: "shuffle",
    CompartmentPhase.SHUFFLED: "store",
    CompartmentPhase.STORED: "release",
}


def incident(table: Table, source: Random) -> Callable[[], object]:
    """One thing that people or the world may do to the shuffler."""
    number = source.choice((1, 2))
    shuffler = table.shuffler

    def reach_in() -> None:
        if shuffler.compartment_record(number).phase is CompartmentPhase.RELEASED:
            return  # its door is open for taking the cards out, and people watch
        shuffler.open_door(number)
        table.advance(200)
        if shuffler.bays[number].operation is None:
            table.spoilt[number] = True
            taken = list(shuffler.reach_in(number, out=source.randrange(3)))
            source.shuffle(taken)
            shuffler.reach_in(number, cards=taken[: source.randrange(3)])
        table.advance(200)
        shuffler.close_door(number)

    def jam() -> None:
        shuffler.jam(number)
        table.advance(300)
        shuffler.clear_jam()

    def leave_cards() -> None:
        table.spoilt[number] = True
        shuffler.leave_residual(1, number)
        table.advance(300)
        if source.random() < 0.7:
            shuffler.take_residual()

    def power() -> None:
        shuffler.power_off()
        table.advance(source.randrange(6 * SECOND_MS))
        shuffler.power_on()
        table.advance(3 * SECOND_MS)

    def cable() -> None:
        if table.plugged:
            table.unplug()
            table.advance(source.randrange(6 * SECOND_MS))
        table.plug()

    def key() -> None:
        shuffler.set_mode(source.choice((DeviceMode.SORT, DeviceMode.SERVICE)))
        table.advance(200)
        if source.random() < 0.5:
            table.spoilt[number] = True
            table.press("shuffle", number)
            table.spoilt[number] = True
        shuffler.set_mode(DeviceMode.PLAY)
        table.advance(200)

    return source.choice((reach_in, jam, leave_cards, power, cable, key))


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_ready_to_deal_is_whole_and_shuffled_after_any_incident(
    table: Table, seed: int
) -> None:
    source = Random(seed)
    for _ in range(200):
        number = source.choice((1, 2))
        back = source.choice(BACKS)
        chance = source.random()
        if chance < 0.03:
            incident(table, source)()
        elif chance < 0.25:
            table.load(back, number)
        elif chance < 0.35:
            table.press(source.choice(BUTTONS), number)
        elif chance < 0.65:
            table.press(NEXT.get(table.shuffler.compartment_record(number).phase, "load"), number)
        elif chance < 0.75:
            table.take_out(number)
        elif chance < 0.87:
            table.deal()
        elif chance < 0.95:
            table.end_shoe()
        else:
            table.repair(number)
        table.advance(source.randrange(300))
        if source.random() < 0.3:
            table.answer_all_warnings()
