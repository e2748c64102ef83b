"""The driver of the TableLink shoe against the emulated shoe, a second reading of the document.

Time is simulated; cards are drawn well and badly, the exit is locked, the cable is pulled.
"""

from typing import TypeVar

import pytest

from drivers.catalogue import TABLELINK, Shoe, ShoeSettings, build_shoe
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
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from hil.dealing.cards import card_named
from hil.dealing.shoe import Loading
from hil.dealing.tags import batch
from hil.emulator.tablelink.shoe import CardFault, Eye, TableLinkShoe, TableLinkShoeSettings

MS = 1_000_000
SECOND_MS = 1_000
RED = batch("RED-0001", "red", 1)
CARDS = tuple(map(card_named, ("AS", "2H", "3C")))
ACE = RED.of(CARDS[0]).tag
ACE_FACE = CardRead(ClaimedUse.UNCLAIMED, 0, Face(1, FaceSuit.SPADE), repeated=False)
LOADED = (DeviceErrorCleared(1, "the shoe is empty"), DeviceStarted())

Told = TypeVar("Told", bound=DeviceEvent)


class Bench:
    """A shoe at the end of a cable, the driver at the other."""

    def __init__(self, eye: Eye = Eye.TAGS, *, allow_commands: bool = True) -> None:
        self.shoe = TableLinkShoe(TableLinkShoeSettings(eye=eye))
        told = ShoeSettings(allow_commands=allow_commands, trust=_trust(self.shoe))
        self.driver: Shoe = build_shoe(TABLELINK, told)
        self.state = self.driver.initial()
        self.told: list[DeviceEvent] = []
        self.writes: list[bytes] = []
        self.plugged = False
        self.ms = 0

    def plug(self) -> None:
        self.plugged = True
        self.shoe.host_appeared(self.ms * MS)
        entropy = self.ms.to_bytes(32, "big")
        self._takes(self.driver.receive(self.state, PortOpened("shoe", self.at(), entropy)))

    def unplug(self) -> None:
        self.plugged = False
        self._takes(self.driver.receive(self.state, PortLost("shoe", self.at(), "unplugged")))
        self.writes.clear()

    def load(self) -> None:
        self.shoe.load(RED, Loading(CARDS, 1).slots())
        self.lets_pass(SECOND_MS)

    def draws(self, place: int = 0, fault: CardFault | None = None) -> None:
        if fault is not None:
            self.shoe.order(fault)
        self.shoe.draw(CARDS[place])
        self.lets_pass(SECOND_MS)

    def asks(self, command: DeviceCommand) -> None:
        self._takes(self.driver.command(self.state, command, self.at()))
        self.lets_pass(SECOND_MS)

    def tells(self) -> tuple[DeviceEvent, ...]:
        """What was told since the last time."""
        told, self.told = tuple(self.told), []
        return told

    def told_of(self, kind: type[Told]) -> list[Told]:
        return [one for one in self.told if isinstance(one, kind)]

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def lets_pass(self, ms: int) -> None:
        end_ms = self.ms + ms
        while (at_ms := self._next_ms(end_ms)) < end_ms:
            self.ms = at_ms
            written, self.writes = b"".join(self.writes), []
            heard = written if self.plugged else b""
            data = self.shoe.receive(heard, at_ms * MS) + self.shoe.tick(at_ms * MS)
            if data and self.plugged:
                self._takes(self.driver.receive(self.state, Chunk("shoe", self.at(), data)))
            due_ns = self.driver.next_deadline_ns(self.state)
            if due_ns is not None and due_ns <= at_ms * MS:
                self._takes(self.driver.tick(self.state, self.at()))
        self.ms = end_ms

    def _next_ms(self, end_ms: int) -> int:
        """When something is to be done; a line takes a millisecond."""
        dues = (self.shoe.next_due_ns, self.driver.next_deadline_ns(self.state))
        written_ns = self.ms * MS if self.writes else None
        known = [due_ns for due_ns in (*dues, written_ns) if due_ns is not None]
        return max(self.ms + 1, -(-min(known, default=end_ms * MS) // MS))

    def _takes(self, told: tuple[object, DriverOutput]) -> None:
        self.state, output = told  # type: ignore[assignment]
        self.told.extend(output.events)
        self.writes.extend((*output.to_write, *output.at_once))


def _trust(shoe: TableLinkShoe) -> Trust:
    pins = shoe.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


def loaded(eye: Eye = Eye.TAGS) -> Bench:
    bench = Bench(eye)
    bench.plug()
    bench.lets_pass(SECOND_MS)
    bench.load()
    bench.tells()
    return bench


def test_a_paired_shoe_comes_online_and_says_how_its_gate_stands() -> None:
    bench = Bench()
    bench.plug()
    bench.lets_pass(SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.state.locked is False
    assert not bench.told_of(IdentityProven)[0].bare
    assert bench.told_of(LockChanged) == [LockChanged(False)]


def test_a_shoe_that_was_loaded_says_so() -> None:
    bench = Bench()
    bench.plug()
    bench.lets_pass(SECOND_MS)
    bench.tells()

    bench.load()

    assert bench.tells() == LOADED


@pytest.mark.parametrize(
    ("eye", "card"),
    [
        (Eye.TAGS, CardPassed(ACE)),
        (Eye.BOTH, CardPassed(ACE)),
        (Eye.FACES, ACE_FACE),
    ],
)
def test_a_card_that_leaves(eye: Eye, card: DeviceEvent) -> None:
    bench = loaded(eye)

    bench.draws()

    assert bench.tells() == (card,)


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
def test_a_card_that_leaves_badly(fault: CardFault, cards: tuple[DeviceEvent, ...]) -> None:
    bench = loaded()

    bench.draws(fault=fault)

    assert bench.tells() == cards


def test_the_cut_card() -> None:
    bench = loaded()

    bench.shoe.draw_cut_card()
    bench.lets_pass(SECOND_MS)

    assert bench.tells() == (CutCardSeen(),)


def test_the_last_card_leaves_an_empty_shoe() -> None:
    bench = loaded()
    bench.shoe.load_pieces((RED.of(CARDS[0]),))

    bench.shoe.draw_next()
    bench.lets_pass(SECOND_MS)

    assert bench.tells() == (
        *LOADED,
        CardPassed(ACE),
        DeviceErrorRaised(1, "the shoe is empty", blocking=False),
    )


def test_the_lid() -> None:
    bench = loaded()

    bench.shoe.open_lid()
    bench.shoe.close_lid()
    bench.lets_pass(SECOND_MS)

    assert bench.tells() == (
        DeviceErrorRaised(2, "the lid is open", blocking=True),
        DeviceErrorCleared(2, "the lid is open"),
    )


def test_no_card_leaves_a_locked_shoe() -> None:
    bench = loaded()

    bench.asks(LockExit())
    assert bench.tells() == (
        CommandAnswered("LockExit", CommandOutcome.DONE, "done"),
        LockChanged(True),
    )
    bench.draws()
    assert (bench.tells(), bench.shoe.held_back) == ((), 1)

    bench.asks(UnlockExit())
    assert bench.tells() == (
        CommandAnswered("UnlockExit", CommandOutcome.DONE, "done"),
        LockChanged(False),
    )
    bench.draws()
    assert bench.tells() == (CardPassed(ACE),)


def test_a_lock_that_is_wanted_as_the_port_opens_is_given_once_the_shoe_is_known() -> None:
    bench = Bench()
    bench.plug()

    bench.asks(LockExit())

    assert bench.told_of(CommandAnswered) == [
        CommandAnswered("LockExit", CommandOutcome.DONE, "done")
    ]
    assert (bench.state.locked, bench.shoe.locked) == (True, True)


def test_a_restarted_program_knows_that_the_shoe_is_locked() -> None:
    bench = loaded()
    bench.asks(LockExit())
    bench.unplug()
    assert bench.state.locked is None
    bench.tells()

    bench.plug()
    bench.lets_pass(SECOND_MS)

    assert bench.state.locked is True
    assert bench.told_of(LockChanged) == [LockChanged(True)]


def test_without_allow_commands_the_shoe_is_never_locked() -> None:
    bench = Bench(allow_commands=False)
    bench.plug()

    bench.asks(LockExit())

    (answer,) = bench.told_of(CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED
    assert not bench.shoe.locked


def test_cards_drawn_within_the_shoes_patience_are_told_once_when_the_cable_is_back() -> None:
    bench = loaded()

    bench.unplug()
    bench.draws(0)
    bench.draws(1)
    bench.plug()
    bench.lets_pass(SECOND_MS)
    bench.unplug()
    bench.plug()
    bench.lets_pass(SECOND_MS)

    assert bench.told_of(CardPassed) == [CardPassed(ACE), CardPassed(RED.of(CARDS[1]).tag)]
    assert bench.told_of(ReportsLost) == []


def test_power_that_failed_is_no_loading() -> None:
    bench = loaded()

    bench.shoe.power_off()
    bench.shoe.power_on()
    bench.lets_pass(10 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.told_of(DeviceStarted) == []
    assert bench.told_of(ReportsLost) == []
    assert [one.boot_count for one in bench.told_of(IdentityProven)] == [2]
    assert bench.told_of(DeviceFault) == [
        DeviceFault(LinkFaultKind.DEVICE_STATUS, "the shoe started anew: boot 2")
    ]


def test_the_cards_of_another_shoe_are_not_taken() -> None:
    bench = loaded()

    bench.shoe.replace(bytes(range(8)), bytes(32))
    bench.lets_pass(10 * SECOND_MS)
    bench.draws()

    assert bench.state.stage is not Stage.ONLINE
    assert len(bench.told_of(IdentityRefused)) == 1
    assert bench.told_of(CardPassed) == []


def test_a_lock_is_the_same_lock_however_often_it_is_asked_for() -> None:
    bench = loaded()

    bench.asks(LockExit())
    bench.asks(LockExit())

    assert bench.told_of(LockChanged) == [LockChanged(True)]
    assert len(bench.told_of(CommandAnswered)) == 2
