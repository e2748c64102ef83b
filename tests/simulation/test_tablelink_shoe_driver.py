"""The driver of the TableLink shoe against the emulated shoe, an independent reading.

Time is simulated; cards are drawn well and badly, the exit is locked, the cable is pulled.
"""

from typing import TypeVar

import pytest
from in_words import in_words

from drivers.commands import DeviceCommand, LockExit, UnlockExit
from drivers.events import (
    CardPassed,
    CardRead,
    ClaimedUse,
    CommandAnswered,
    CommandOutcome,
    CutCardSeen,
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceStarted,
    Face,
    FaceSuit,
    LockChanged,
    ReportsLost,
    Stage,
    TagPulledBack,
)
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.model import Installation
from drivers.shoes.tablelink_model import TABLELINK_SHOE
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.cards import card_named
from hil.dealing.shoe import Loading
from hil.dealing.tags import batch
from hil.emulator.tablelink.shoe import CardFault, CardSensor, TableLinkShoe, TableLinkShoeSettings

UNPLUGGED = message("usb_unplugged")

MS = 1_000_000
SECOND_MS = 1_000
RED = batch("RED-0001", "red", 1)
CARDS = tuple(map(card_named, ("AS", "2H", "3C")))
ACE = RED.of(CARDS[0]).tag
ACE_FACE = CardRead(ClaimedUse.UNCLAIMED, 0, Face(1, FaceSuit.SPADE), repeated=False)
LOADED = (DeviceErrorCleared(1, "the shoe is empty"), DeviceStarted())

EventT = TypeVar("EventT", bound=DeviceEvent)


class Bench:
    """A shoe on one end of a cable, the driver on the other."""

    def __init__(
        self, sensor: CardSensor = CardSensor.TAGS, *, allow_commands: bool = True
    ) -> None:
        self.shoe = TableLinkShoe(TableLinkShoeSettings(sensor=sensor))
        reported = Installation(allow_commands=allow_commands, trust=_trust(self.shoe))
        self.driver = TABLELINK_SHOE.build(installed=reported)
        self.state = self.driver.initial()
        self.reported: list[DeviceEvent] = []
        self.writes: list[bytes] = []
        self.plugged = False
        self.ms = 0

    def plug(self) -> None:
        self.plugged = True
        self.shoe.host_appeared(self.ms * MS)
        entropy = self.ms.to_bytes(32, "big")
        self._apply(self.driver.receive(self.state, PortOpened("shoe", self.at(), entropy)))

    def unplug(self) -> None:
        self.plugged = False
        self._apply(self.driver.receive(self.state, PortLost("shoe", self.at(), UNPLUGGED)))
        self.writes.clear()

    def load(self) -> None:
        self.shoe.load(RED, Loading(CARDS, 1).slots())
        self.advance(SECOND_MS)

    def draw(self, place: int = 0, fault: CardFault | None = None) -> None:
        if fault is not None:
            self.shoe.order(fault)
        self.shoe.draw(CARDS[place])
        self.advance(SECOND_MS)

    def command(self, command: DeviceCommand) -> None:
        self._apply(self.driver.command(self.state, command, self.at()))
        self.advance(SECOND_MS)

    def take_events(self) -> tuple[DeviceEvent, ...]:
        """The events since the last call."""
        reported, self.reported = tuple(self.reported), []
        return reported

    def reported_of(self, kind: type[EventT]) -> list[EventT]:
        return [one for one in self.reported if isinstance(one, kind)]

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def advance(self, ms: int) -> None:
        end_ms = self.ms + ms
        while (at_ms := self._next_ms(end_ms)) < end_ms:
            self.ms = at_ms
            written, self.writes = b"".join(self.writes), []
            arrived = written if self.plugged else b""
            data = self.shoe.receive(arrived, at_ms * MS) + self.shoe.tick(at_ms * MS)
            if data and self.plugged:
                self._apply(self.driver.receive(self.state, Chunk("shoe", self.at(), data)))
            due_ns = self.driver.next_deadline_ns(self.state)
            if due_ns is not None and due_ns <= at_ms * MS:
                self._apply(self.driver.tick(self.state, self.at()))
        self.ms = end_ms

    def _next_ms(self, end_ms: int) -> int:
        """When something is due; the line takes a millisecond."""
        dues = (self.shoe.next_due_ns, self.driver.next_deadline_ns(self.state))
        written_ns = self.ms * MS if self.writes else None
        known = [due_ns for due_ns in (*dues, written_ns) if due_ns is not None]
        return max(self.ms + 1, -(-min(known, default=end_ms * MS) // MS))

    def _apply(self, reported: tuple[object, DriverOutput]) -> None:
        self.state, output = reported  # type: ignore[assignment]
        self.reported.extend(output.events)
        self.writes.extend((*output.to_write, *output.at_once))


def _trust(shoe: TableLinkShoe) -> Trust:
    pins = shoe.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


def loaded(sensor: CardSensor = CardSensor.TAGS) -> Bench:
    bench = Bench(sensor)
    bench.plug()
    bench.advance(SECOND_MS)
    bench.load()
    bench.take_events()
    return bench


def test_a_paired_shoe_comes_online_and_reports_its_gate() -> None:
    bench = Bench()
    bench.plug()
    bench.advance(SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.state.locked is False
    assert not bench.reported_of(IdentityProven)[0].bare
    assert bench.reported_of(LockChanged) == [LockChanged(False)]


def test_loading_is_reported() -> None:
    bench = Bench()
    bench.plug()
    bench.advance(SECOND_MS)
    bench.take_events()

    bench.load()

    assert in_words(bench.take_events()) == LOADED


@pytest.mark.parametrize(
    ("sensor", "card"),
    [
        (CardSensor.TAGS, CardPassed(ACE)),
        (CardSensor.BOTH, CardPassed(ACE)),
        (CardSensor.FACES, ACE_FACE),
    ],
)
def test_a_card_is_drawn(sensor: CardSensor, card: DeviceEvent) -> None:
    bench = loaded(sensor)

    bench.draw()

    assert bench.take_events() == (card,)


@pytest.mark.parametrize(
    ("fault", "cards"),
    [
        (CardFault.READ_FAIL, (CardPassed(None),)),
        (CardFault.RETRACTED, (TagPulledBack(ACE), CardPassed(ACE))),
        (
            CardFault.DOUBLE_FEED,
            (
                DeviceFault(
                    LinkFaultKind.DEVICE_STATUS,
                    "a double feed: 2 left the shoe at once, and none of them was read",
                ),
                CardPassed(None),
                CardPassed(None),
            ),
        ),
    ],
)
def test_a_card_is_drawn_badly(fault: CardFault, cards: tuple[DeviceEvent, ...]) -> None:
    bench = loaded()

    bench.draw(fault=fault)

    assert in_words(bench.take_events()) == cards


def test_the_cut_card() -> None:
    bench = loaded()

    bench.shoe.draw_cut_card()
    bench.advance(SECOND_MS)

    assert bench.take_events() == (CutCardSeen(),)


def test_the_last_card_empties_the_shoe() -> None:
    bench = loaded()
    bench.shoe.load_pieces((RED.of(CARDS[0]),))

    bench.shoe.draw_next()
    bench.advance(SECOND_MS)

    assert in_words(bench.take_events()) == (
        *LOADED,
        CardPassed(ACE),
        DeviceErrorRaised(1, "the shoe is empty", blocking=False),
    )


def test_the_lid() -> None:
    bench = loaded()

    bench.shoe.open_lid()
    bench.shoe.close_lid()
    bench.advance(SECOND_MS)

    assert in_words(bench.take_events()) == (
        DeviceErrorRaised(2, "the lid is open", blocking=True),
        DeviceErrorCleared(2, "the lid is open"),
    )


def test_no_card_leaves_a_locked_shoe() -> None:
    bench = loaded()

    bench.command(LockExit())
    assert in_words(bench.take_events()) == (
        CommandAnswered("LockExit", CommandOutcome.DONE, "done"),
        LockChanged(True),
    )
    bench.draw()
    assert (bench.take_events(), bench.shoe.blocked_draws) == ((), 1)

    bench.command(UnlockExit())
    assert in_words(bench.take_events()) == (
        CommandAnswered("UnlockExit", CommandOutcome.DONE, "done"),
        LockChanged(False),
    )
    bench.draw()
    assert bench.take_events() == (CardPassed(ACE),)


def test_a_lock_wanted_at_opening_is_sent_once_the_shoe_is_admitted() -> None:
    bench = Bench()
    bench.plug()

    bench.command(LockExit())

    assert [in_words(one) for one in bench.reported_of(CommandAnswered)] == [
        CommandAnswered("LockExit", CommandOutcome.DONE, "done")
    ]
    assert (bench.state.locked, bench.shoe.locked) == (True, True)


def test_a_restarted_program_knows_that_the_shoe_is_locked() -> None:
    bench = loaded()
    bench.command(LockExit())
    bench.unplug()
    assert bench.state.locked is None
    bench.take_events()

    bench.plug()
    bench.advance(SECOND_MS)

    assert bench.state.locked is True
    assert bench.reported_of(LockChanged) == [LockChanged(True)]


def test_without_allow_commands_the_shoe_is_never_locked() -> None:
    bench = Bench(allow_commands=False)
    bench.plug()

    bench.command(LockExit())

    (answer,) = bench.reported_of(CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED
    assert not bench.shoe.locked


def test_cards_drawn_while_unplugged_are_reported_once_after_replug() -> None:
    bench = loaded()

    bench.unplug()
    bench.draw(0)
    bench.draw(1)
    bench.plug()
    bench.advance(SECOND_MS)
    bench.unplug()
    bench.plug()
    bench.advance(SECOND_MS)

    assert bench.reported_of(CardPassed) == [CardPassed(ACE), CardPassed(RED.of(CARDS[1]).tag)]
    assert bench.reported_of(ReportsLost) == []


def test_a_power_failure_is_not_a_loading() -> None:
    bench = loaded()

    bench.shoe.power_off()
    bench.shoe.power_on()
    bench.advance(10 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.reported_of(DeviceStarted) == []
    assert bench.reported_of(ReportsLost) == []
    assert [one.boot_count for one in bench.reported_of(IdentityProven)] == [2]
    assert bench.reported_of(DeviceFault) == [
        DeviceFault(LinkFaultKind.DEVICE_STATUS, message("shoe_restarted", boot=2))
    ]


def test_the_cards_of_another_shoe_are_not_accepted() -> None:
    bench = loaded()

    bench.shoe.replace(bytes(range(8)), bytes(32))
    bench.advance(10 * SECOND_MS)
    bench.draw()

    assert bench.state.stage is not Stage.ONLINE
    assert len(bench.reported_of(IdentityRefused)) == 1
    assert bench.reported_of(CardPassed) == []


def test_repeated_lock_commands_are_one_lock() -> None:
    bench = loaded()

    bench.command(LockExit())
    bench.command(LockExit())

    assert bench.reported_of(LockChanged) == [LockChanged(True)]
    assert len(bench.reported_of(CommandAnswered)) == 2
