"""Listing tags at a port, with a port and a driver of the test."""

import queue
from dataclasses import dataclass

import pytest

from controller.service.commissioning.pile_reader import (
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
from firmware_bridge.transport.port import Chunk, PortEvent, PortGone, PortUnavailable
from foundation.message import Message, message
from foundation.timestamp import Timestamp

ASK, END, REFUSE, FOREIGN, NOISE = b"?", b".", b"!", b"*", b"~"
FAILED = CommandAnswered("ListTags", CommandOutcome.NO_ANSWER, message("reader_does_not_answer"))
HUMS = message("in_its_own_words", foreign="the reader hums")


class Line:
    """A port with scripted answers to each write; b"" is a lost port."""

    def __init__(self, *answers: bytes, refused: Message | None = None) -> None:
        self._answers = list(answers)
        self._waiting: queue.Queue[bytes | None] = queue.Queue()
        self._refused = refused
        self.written: list[bytes] = []

    def open(self) -> None:
        if self._refused is not None:
            raise PortUnavailable(self._refused)
        self._waiting = queue.Queue()

    def read(self) -> bytes:
        data = self._waiting.get()
        if data is None:
            raise PortGone(message("usb_unplugged"))
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
    """A driver of a reader that sends each tag as a letter, some only at its deadline."""

    patience_ns: int | None = None

    def initial(self) -> int | None:
        return None

    def receive(self, state: int | None, event: PortEvent) -> tuple[int | None, DriverOutput]:
        if not isinstance(event, Chunk):
            return None, DriverOutput()
        events = tuple(event_of(bytes((value,))) for value in event.data)
        return state, DriverOutput(events)

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
            return DeviceFault(LinkFaultKind.DEVICE_STATUS, HUMS)
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


def test_each_listing_starts_empty() -> None:
    assert listings(Line(b"ab.", b"ba."), 2) == [PileListing((A, B)), PileListing((B, A))]


def test_the_progress_callback_gets_the_number_of_tags() -> None:
    progress: list[int] = []
    with PileReader("reader", Line(b"ab."), Letters()) as reader:
        reader.list_pile(progress.append)

    assert progress == [1, 2]


def test_remarks_are_reported_once() -> None:
    assert listings(Line(b"a**~b.")) == [
        PileListing(
            (A, B),
            ("a transponder of another kind is on the reader: EM4222", "the reader hums"),
        )
    ]


def test_a_refused_listing_fails_and_the_next_may_succeed() -> None:
    assert listings(Line(b"a!", b"ab."), 2) == [
        ListingFailed("the reader does not answer"),
        PileListing((A, B)),
    ]


def test_a_listing_with_a_wrong_count_fails() -> None:
    assert listings(Line(b"a.")) == [ListingFailed("2 tags answered, 1 were reported")]


def test_the_drivers_deadline_is_met() -> None:
    driver = Letters(patience_ns=1_000_000)

    assert listings(Line(b"a"), driver=driver) == [ListingFailed("the reader does not answer")]


def test_a_port_that_never_opens_is_reported() -> None:
    with pytest.raises(ReaderUnreachable, match="/dev/reader: it is no serial port"):
        listings(Line(refused=message("port_is_no_serial_port", port="/dev/reader")))


def test_the_pile_is_listed_again_after_a_lost_port() -> None:
    assert listings(Line(b"", b"ab."), 2) == [
        ListingFailed("unplugged"),
        PileListing((A, B)),
    ]
