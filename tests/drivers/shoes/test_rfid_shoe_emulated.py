"""Tests the RFID shoe driver against the emulated RFID shoe in simulated time.

The emulator is an independent reading of the wire document. The cable is unplugged and plugged in
at any time.
"""

from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.events import (
    CardPassed,
    DeviceEvent,
    OtherTransponder,
    ReportsLost,
    SlowCard,
    StageChanged,
    TagPulledBack,
    TagReadAgain,
    TagsTogether,
)
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.feig.settings import Delivery as Sent
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.cards import card_named
from hil.dealing.shoe import Loading
from hil.dealing.tags import FOREIGN_TAG, batch
from hil.emulator.feig.device import Delivery, FeigSettings
from hil.emulator.feig.rfid_shoe import GATE_INPUT, ExitFault, RfidShoe

UNPLUGGED = message("usb_unplugged")

MS = 1_000_000
RED = batch("RED-0001", "red", 1)
CARDS = tuple(map(card_named, ("AS", "2H", "3C")))
ACE, TWO = RED.of(CARDS[0]).tag, RED.of(CARDS[1]).tag
WAYS = ((Delivery.ACKNOWLEDGED, "notify"), (Delivery.POLLED, "poll"))
FIRST_AT_MS, SECOND_AT_MS, END_MS = 200, 3_500, 7_000

EXPECTED: dict[ExitFault | None, tuple[DeviceEvent, ...]] = {
    None: (CardPassed(ACE),),
    ExitFault.DOUBLE_READ: (CardPassed(ACE), TagReadAgain(ACE)),
    ExitFault.TWO_TAGS: (
        TagsTogether((ACE, TWO)),
        CardPassed(ACE, sure=False),
        TagPulledBack(TWO),
    ),
    ExitFault.PULLED_BACK: (TagPulledBack(ACE), CardPassed(ACE)),
    ExitFault.NO_TAG: (CardPassed(None),),
    ExitFault.SLOW_CARD: (CardPassed(ACE), SlowCard(1_000)),
    ExitFault.FOREIGN_TAG: (CardPassed(FOREIGN_TAG),),
    ExitFault.OTHER_TRANSPONDER: (OtherTransponder("ISO 14443 A (04)"), CardPassed(ACE)),
}


class Bench:
    """A shoe on a line, the driver at its other end."""

    def __init__(self, way: Delivery, delivery: str) -> None:
        self.shoe = RfidShoe(FeigSettings(delivery=way), by_hand=True)
        self.shoe.load(RED, Loading(CARDS, 1).slots())
        settings = RfidSettings(gate_input=GATE_INPUT, delivery=Sent(delivery))
        self.driver = FEIG_RFID.build(FEIG_RFID.to_store(settings))
        self.state = self.driver.initial()
        self.events: list[DeviceEvent] = []
        self.writes: list[bytes] = []
        self.plugged = False
        self.ms = 0

    def plug(self) -> None:
        self.plugged = True
        self.shoe.host_appeared(self.ms * MS)
        opened = PortOpened("shoe", moment(self.ms), bytes(32))
        self.state, output = self.driver.receive(self.state, opened)
        self.takes(output)

    def unplug(self) -> None:
        self.plugged = False
        lost = PortLost("shoe", moment(self.ms), UNPLUGGED)
        self.state, output = self.driver.receive(self.state, lost)
        self.takes(output)
        self.writes.clear()

    def draw(self, place: int, fault: ExitFault | None = None) -> None:
        if fault is not None:
            self.shoe.order(fault)
        self.shoe.draw(CARDS[place])

    def takes(self, output: DriverOutput) -> None:
        self.events.extend(output.events)
        self.writes.extend((*output.to_write, *output.at_once))

    def until(self, end_ms: int) -> None:
        """Advance time: deliver written bytes, send due bytes, process due deadlines."""
        while (at_ms := self.next_ms()) < end_ms:
            self.ms = at_ms
            written, self.writes = b"".join(self.writes), []
            data = self.shoe.receive(written, at_ms * MS) if written else b""
            data += b"".join(copy.report.frame for copy in self.shoe.due(at_ms * MS))
            if data and self.plugged:
                chunk = Chunk("shoe", moment(at_ms), data)
                self.state, output = self.driver.receive(self.state, chunk)
                self.takes(output)
            due_ns = self.driver.next_deadline_ns(self.state)
            if due_ns is not None and due_ns <= at_ms * MS:
                self.state, output = self.driver.tick(self.state, moment(at_ms))
                self.takes(output)
        self.ms = end_ms

    def next_ms(self) -> int:
        """The next time with something to do; a line takes a millisecond."""
        dues = (self.shoe.next_due_ns, self.driver.next_deadline_ns(self.state))
        written_ns = self.ms * MS if self.writes else None
        known = [due_ns for due_ns in (*dues, written_ns) if due_ns is not None]
        next_ns = min(known, default=END_MS * MS)
        return max(self.ms + 1, -(-next_ns // MS))

    def cards(self) -> tuple[DeviceEvent, ...]:
        return tuple(
            event for event in self.events if not isinstance(event, StageChanged | DeviceFault)
        )


def moment(at_ms: int) -> Timestamp:
    return Timestamp(at_ms * MS, at_ms * MS + 1_700_000_000_000 * MS)


def dealt(
    way: Delivery,
    delivery: str,
    fault: ExitFault | None = None,
    away_ms: tuple[int, int] | None = None,
) -> Bench:
    """Two cards, the first one with the fault, while the cable is out between two times."""
    bench = Bench(way, delivery)
    bench.plug()
    happenings = [
        (FIRST_AT_MS, lambda: bench.draw(0, fault)),
        (SECOND_AT_MS, lambda: bench.draw(1)),
    ]
    if away_ms is not None:
        happenings += [(away_ms[0], bench.unplug), (away_ms[1], bench.plug)]
    for at_ms, happens in sorted(happenings, key=itemgetter(0)):
        bench.until(at_ms)
        happens()
    bench.until(END_MS)
    return bench


@pytest.mark.parametrize(("way", "delivery"), WAYS)
@pytest.mark.parametrize("fault", [None, *ExitFault])
def test_every_exit_fault_is_reported(
    fault: ExitFault | None, way: Delivery, delivery: str
) -> None:
    assert dealt(way, delivery, fault).cards() == (*EXPECTED[fault], CardPassed(TWO))


@settings(max_examples=100)
@given(
    way=st.sampled_from(WAYS),
    fault=st.sampled_from((None, *ExitFault)),
    out_ms=st.integers(1, 5_500),
    away_ms=st.one_of(st.integers(1, 50), st.integers(1, 5_000)),
)
def test_with_the_cable_out_the_same_events_come_in_the_same_order(
    way: tuple[Delivery, str], fault: ExitFault | None, out_ms: int, away_ms: int
) -> None:
    back_ms = min(out_ms + away_ms, END_MS - 1_000)
    bench = dealt(*way, fault, (out_ms, back_ms))

    assert bench.cards() == (*EXPECTED[fault], CardPassed(TWO))


@pytest.mark.parametrize(("way", "delivery"), WAYS)
def test_power_lost_with_the_cable_out_reports_possible_losses(
    way: Delivery, delivery: str
) -> None:
    bench = Bench(way, delivery)
    bench.plug()
    bench.until(FIRST_AT_MS)
    bench.draw(0)
    bench.until(2_000)
    bench.unplug()
    bench.until(2_500)
    bench.shoe.power_off()
    bench.shoe.power_on()
    bench.until(3_000)
    bench.plug()
    bench.until(END_MS)

    passed, *lost = bench.cards()
    assert passed == CardPassed(ACE)
    assert [type(event) for event in lost] == [ReportsLost]
