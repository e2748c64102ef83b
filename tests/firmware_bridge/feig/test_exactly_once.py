"""Every record is delivered once despite faults of the line, port, program and reader.

Cards pass a model of a reader while bytes are lost, doubled and cut, the port is lost, the program
crashes before or after its store, and the reader loses power. Output waits for the store; a crash
forgets what was not stored.
Source: firmware_bridge README, "FEIG OBID", delivery and continuity.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.feig.items import BufferOverflow, BufferRecord
from firmware_bridge.feig.link import FeigLink, FeigOutput
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import ContinuityUnproven
from foundation.timestamp import Timestamp

MS = 1_000_000
BUFFER_RECORDS = 6
SETS_PER_ANSWER = 2
RESEND_NS = 1_000 * MS


def checked(body: bytes) -> bytes:
    frame = b"\x02" + (len(body) + 5).to_bytes(2, "big") + body
    register = 0xFFFF
    for value in frame:
        register ^= value
        for _ in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1
    return frame + register.to_bytes(2, "little")


def timer_bytes(ns: int) -> bytes:
    minutes, ms = divmod(ns // MS, 60_000)
    return bytes((minutes // 60 % 24, minutes % 60)) + ms.to_bytes(2, "big")


@dataclass
class Reader:
    """Keeps records until they are cleared; sends them unasked where `notifies`."""

    notifies: bool
    since_ns: int = 0
    buffered: list[bytes] = field(default_factory=list)
    lost: list[bytes] = field(default_factory=list)
    overflow: bool = False
    returned: int = 0
    resend_ns: int | None = None

    def card(self, identity: bytes, now_ns: int) -> None:
        if len(self.buffered) >= BUFFER_RECORDS:
            self.overflow = True
            self.lost.append(identity)
            return
        body = bytes((3, 0, len(identity))) + identity + timer_bytes(now_ns - self.since_ns)
        self.buffered.append((2 + len(body)).to_bytes(2, "big") + body)

    def power_cycle(self, now_ns: int) -> None:
        self.lost += [record[5:13] for record in self.buffered]
        self.buffered, self.returned, self.resend_ns, self.overflow = [], 0, None, False
        self.since_ns = now_ns

    def records(self, count: int = SETS_PER_ANSWER) -> bytes:
        first = self.buffered[: min(count, SETS_PER_ANSWER)]
        self.returned = len(first)
        more = len(first) < len(self.buffered)
        status = 0x93 if self.overflow else 0x94 if more else 0x00 if first else 0x92
        if not first and not self.overflow:
            return checked(bytes((0, 0x22, status)))
        sets = b"\x21" + len(first).to_bytes(2, "big") + b"".join(first)
        return checked(bytes((0, 0x22, status)) + sets)

    def answer(self, request: bytes, now_ns: int) -> bytes:
        if len(request) < 7 or checked(request[3:-2]) != request:
            return b""
        match request[4]:
            case 0x65:
                return checked(bytes.fromhex("00 65 00 03 03 00"))
            case 0x86:
                return checked(bytes((0, 0x86, 0)) + timer_bytes(now_ns - self.since_ns))
            case 0x22:
                return self.records(int.from_bytes(request[5:7], "big"))
            case 0x32:
                if self.returned:
                    self.overflow = False
                del self.buffered[: self.returned]
                self.returned, self.resend_ns = 0, None
                return checked(bytes((0, 0x32, 0)))
            case _:
                return checked(bytes((0, request[4], 0x80)))

    def unsolicited(self, now_ns: int) -> bytes:
        if not self.notifies or not self.buffered:
            return b""
        if self.resend_ns is not None and now_ns < self.resend_ns:
            return b""
        self.resend_ns = now_ns + RESEND_NS
        return self.records()


class Event(StrEnum):
    CARD = "card"
    WAIT = "wait"
    LONG_WAIT = "long wait"
    TO_HOST_LOST = "bytes to the host are lost"
    TO_HOST_DOUBLED = "bytes to the host come twice"
    TO_HOST_CUT = "bytes to the host are cut"
    TO_READER_LOST = "bytes to the reader are lost"
    PORT_LOST = "port lost"
    CRASH_BEFORE = "crash before the store"
    CRASH_AFTER = "crash after the store, before the writing"
    POWER = "reader loses power"


HARMLESS = tuple(event for event in Event if event is not Event.POWER)


class Table:
    """A program on one side of the line, a reader on the other, and a clock."""

    def __init__(self, delivery: Delivery) -> None:
        self.link = FeigLink(FeigLinkSettings(delivery=delivery))
        self.reader = Reader(notifies=delivery is Delivery.NOTIFY)
        self.now_ns = 5_000 * MS
        self.state = self.stored = self.link.initial()
        self.items: list[object] = []
        self.cards = 0
        self.fault: Event | None = None
        self.open()

    def at(self) -> Timestamp:
        return Timestamp(self.now_ns, 10**18 + self.now_ns)

    def open(self) -> None:
        self.state, output = self.link.opened(self.state, self.at())
        self.store(output)

    def store(self, output: FeigOutput) -> None:
        """Write `at_once`, store, write the rest; a crash loses what was not stored."""
        fault = self.fault if output.items or output.to_write else None
        for request in output.at_once:
            self.to_reader(request)
        if fault is Event.CRASH_BEFORE:
            self.fault = None
            self.state = self.stored
            self.open()
            return
        self.stored = self.state
        self.items.extend(output.items)
        if fault is Event.CRASH_AFTER:
            self.fault = None
            self.open()
            return
        for request in output.to_write:
            self.to_reader(request)

    def to_reader(self, request: bytes) -> None:
        if self.fault is Event.TO_READER_LOST:
            self.fault = None
            return
        self.to_host(self.reader.answer(request, self.now_ns))

    def to_host(self, data: bytes) -> None:
        self.line = [*getattr(self, "line", []), data]

    def carry(self) -> None:
        """What is on the line arrives."""
        while getattr(self, "line", []):
            data, *self.line = self.line
            if self.fault is Event.TO_HOST_LOST and data:
                self.fault = None
                continue
            if self.fault is Event.TO_HOST_CUT and data:
                self.fault = None
                data = data[: len(data) // 2]
            if self.fault is Event.TO_HOST_DOUBLED and data:
                self.fault = None
                self.line = [data, *self.line]
            if data:
                self.state, output = self.link.receive(self.state, data, self.at())
                self.store(output)

    def step(self) -> None:
        self.to_host(self.reader.unsolicited(self.now_ns))
        self.carry()
        deadline_ns = self.link.next_deadline_ns(self.state)
        if deadline_ns is not None and self.now_ns >= deadline_ns:
            self.state, output = self.link.tick(self.state, self.at())
            self.store(output)
            self.carry()

    def wait(self, ms: int) -> None:
        for _ in range(ms // 50):
            self.now_ns += 50 * MS
            self.step()

    def apply(self, event: Event) -> None:
        match event:
            case Event.CARD:
                self.cards += 1
                self.reader.card(self.cards.to_bytes(8, "big"), self.now_ns)
                self.step()
            case Event.WAIT:
                self.wait(100)
            case Event.LONG_WAIT:
                self.wait(1500)
            case Event.PORT_LOST:
                self.line = []
                self.state, output = self.link.closed(self.state, self.at())
                self.store(output)
                self.now_ns += 200 * MS
                self.open()
                self.step()
            case Event.POWER:
                self.reader.power_cycle(self.now_ns)
                self.step()
            case _:
                self.fault = event

    def delivered(self) -> list[bytes]:
        return [one.identity for one in self.items if isinstance(one, BufferRecord)]

    def has_item(self, kind: type) -> bool:
        return any(isinstance(one, kind) for one in self.items)


def run(delivery: Delivery, events: list[Event]) -> Table:
    table = Table(delivery)
    table.wait(1000)
    for event in events:
        table.apply(event)
    table.fault = None
    table.wait(40_000)
    return table


def cards_passed(table: Table) -> list[bytes]:
    return [number.to_bytes(8, "big") for number in range(1, table.cards + 1)]


DELIVERIES = pytest.mark.parametrize("delivery", list(Delivery))


@DELIVERIES
@given(st.lists(st.sampled_from(HARMLESS), max_size=25))
def test_each_card_is_delivered_once_in_order(delivery: Delivery, events: list[Event]) -> None:
    table = run(delivery, events)
    lost = table.reader.lost

    assert table.delivered() == [card for card in cards_passed(table) if card not in lost]


@DELIVERIES
@given(st.lists(st.sampled_from(HARMLESS), max_size=25))
def test_an_overflow_is_reported_exactly_when_cards_are_lost(
    delivery: Delivery, events: list[Event]
) -> None:
    table = run(delivery, events)

    assert table.has_item(BufferOverflow) is bool(table.reader.lost)


@DELIVERIES
@given(st.lists(st.sampled_from(HARMLESS), max_size=25))
def test_a_reader_without_interruption_proves_continuity(
    delivery: Delivery, events: list[Event]
) -> None:
    assert not run(delivery, events).has_item(ContinuityUnproven)


@DELIVERIES
@settings(max_examples=60)
@given(st.lists(st.sampled_from(list(Event)), max_size=25))
def test_no_loss_goes_unreported_and_nothing_is_delivered_twice(
    delivery: Delivery, events: list[Event]
) -> None:
    table = run(delivery, events)
    missing = [card for card in cards_passed(table) if card not in table.delivered()]

    assert len(set(table.delivered())) == len(table.delivered())
    assert not missing or table.has_item(ContinuityUnproven) or table.has_item(BufferOverflow)
    assert set(missing) <= set(table.reader.lost)


@DELIVERIES
def test_one_fault_after_any_of_the_first_cards(delivery: Delivery) -> None:
    after = [Event.CARD, Event.CARD, Event.WAIT]
    for fault in HARMLESS:
        for cards_before in range(4):
            table = run(delivery, [*[Event.CARD, Event.WAIT] * cards_before, fault, *after])
            assert table.delivered() == cards_passed(table), f"{fault} after {cards_before} cards"


@DELIVERIES
def test_a_power_loss_of_the_reader_is_reported_once(delivery: Delivery) -> None:
    table = run(delivery, [Event.CARD, Event.LONG_WAIT, Event.POWER, Event.PORT_LOST, Event.CARD])

    assert [type(one) for one in table.items].count(ContinuityUnproven) == 1


@DELIVERIES
def test_a_power_loss_of_the_reader_under_an_open_port_is_detected(delivery: Delivery) -> None:
    table = run(delivery, [Event.CARD, Event.LONG_WAIT, Event.POWER])

    assert table.has_item(ContinuityUnproven)
