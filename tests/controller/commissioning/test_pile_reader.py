"""A reader of piles at the rim, with a port and a driver of the test's own."""

import queue
from dataclasses import dataclass

import pytest

from controller.commissioning.pile_reader import (
    ListingFailed,
    PileListing,
    PileReader,
    ReaderUnreachable,
)
from drivers.commands import DeviceCommand, ListTags
from drivers.events import (
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    ListingDone,
    OtherTransponder,
    TagListed,
)
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortGone, PortUnavailable

ASK, END, REFUSE, FOREIGN, NOISE = b"?", b".", b"!", b"*", b"~"
FAILED = CommandAnswered("ListTags", CommandOutcome.NO_ANSWER, "the reader is tired")


class Line:
    """A port whose other end answers what is written, piece by piece; b"" is a lost port."""

    def __init__(self, *answers: bytes, refused: str = "") -> None:
        self._answers = list(answers)
        self._waiting: queue.Queue[bytes | None] = queue.Queue()
        self._refused = refused
        self.written: list[bytes] = []

    def open(self) -> None:
        if self._refused:
            raise PortUnavailable(self._refused)
        self._waiting = queue.Queue()

    def read(self) -> bytes:
        data = self._waiting.get()
        if data is None:
            raise PortGone("the cable is out")
        return data

    def write(self, data: bytes) -> None:
        self.written.append(data)
        if self._answers:
            for value in self._answers.pop(0) or (None,):
                self._waiting.put(None if value is None else bytes((value,)))

    def close(self) -> None:
        self._waiting.put(None)


@dataclass(frozen=True, slots=True)
class Letters:
    """A driver of a reader that says each tag as a letter; it answers late by its deadline."""

    patience_ns: int | None = None

    def initial(self) -> int | None:
        return None

    def receive(self, state: int | None, event: PortEvent) -> tuple[int | None, DriverOutput]:
        if not isinstance(event, Chunk):
            return None, DriverOutput()
        told = tuple(event_of(bytes((value,))) for value in event.data)
        return state, DriverOutput(told)

    def command(
        self, _state: int | None, command: DeviceCommand, at: Timestamp
    ) -> tuple[int | None, DriverOutput]:
        assert isinstance(command, ListTags)
        due = None if self.patience_ns is None else at.monotonic_ns + self.patience_ns
        return due, DriverOutput(to_write=(ASK,))

    def tick(self, state: int | None, at: Timestamp) -> tuple[int | None, DriverOutput]:
        if state is None or at.monotonic_ns < state:
            return state, DriverOutput()
        return None, DriverOutput((FAILED,))

    def next_deadline_ns(self, state: int | None) -> int | None:
        return state


def event_of(data: bytes) -> DeviceEvent:
    match data:
        case b".":
            return ListingDone(2)
        case b"!":
            return FAILED
        case b"*":
            return OtherTransponder("EM4222")
        case b"~":
            return DeviceFault(LinkFaultKind.DEVICE_STATUS, "the reader hums")
        case _:
            return TagListed(data.decode(), data)


A, B = TagListed("a", b"a"), TagListed("b", b"b")


def listings(line: Line, count: int = 1, driver: Letters | None = None) -> list[object]:
    with PileReader("reader", line, driver or Letters()) as reader:
        return [reader.list_pile(lambda _count: None) for _ in range(count)]


def test_a_pile_is_listed() -> None:
    line = Line(b"ab.")

    assert listings(line) == [PileListing((A, B))]
    assert line.written == [ASK]


def test_each_listing_begins_anew() -> None:
    assert listings(Line(b"ab.", b"ba."), 2) == [PileListing((A, B)), PileListing((B, A))]


def test_how_far_it_is_is_told() -> None:
    told: list[int] = []
    with PileReader("reader", Line(b"ab."), Letters()) as reader:
        reader.list_pile(told.append)

    assert told == [1, 2]


def test_what_else_is_there_is_told_once() -> None:
    assert listings(Line(b"a**~b.")) == [
        PileListing(
            (A, B),
            ("a transponder of another kind is there: EM4222", "the reader hums"),
        )
    ]


def test_a_listing_that_is_refused_has_failed_and_the_next_may_not() -> None:
    assert listings(Line(b"a!", b"ab."), 2) == [
        ListingFailed("the reader is tired"),
        PileListing((A, B)),
    ]


def test_a_listing_that_counts_otherwise_has_failed() -> None:
    assert listings(Line(b"a.")) == [ListingFailed("2 tags answered, 1 were told")]


def test_the_drivers_deadline_is_kept() -> None:
    driver = Letters(patience_ns=1_000_000)

    assert listings(Line(b"a"), driver=driver) == [ListingFailed("the reader is tired")]


def test_a_port_that_was_never_open_is_told() -> None:
    with pytest.raises(ReaderUnreachable, match="no such port; plug it in"):
        listings(Line(refused="no such port; plug it in"))


def test_a_lost_port_is_waited_for_and_the_pile_listed_anew() -> None:
    assert listings(Line(b"", b"ab."), 2) == [
        ListingFailed("the cable is out"),
        PileListing((A, B)),
    ]
