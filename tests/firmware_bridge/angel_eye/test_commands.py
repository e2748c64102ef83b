"""Commands to the Angel Eye II-EX: answered, refused, repeated, and in both readings of the BCC."""

import pytest

from firmware_bridge.angel_eye.commands import (
    AskGameProcess,
    ClearError,
    Command,
    CommandDone,
    CommandRefused,
    CommandTimedOut,
    Lock,
    ReadReply,
    Unlock,
)
from firmware_bridge.angel_eye.frames import BccReading
from firmware_bridge.angel_eye.link import AngelEyeItem, AngelEyeLink, AngelEyeOutput
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp

LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
LOCK_STX_NOT_COUNTED = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")
ACK = b"\x06"
MILLISECOND = 1_000_000


class Talking:
    """A link with its state and a clock in milliseconds."""

    def __init__(self, settings: AngelEyeLinkSettings | None = None) -> None:
        self.link = AngelEyeLink(settings or AngelEyeLinkSettings())
        self.state = self.link.initial()
        self.ms = 0
        self.written: list[bytes] = []
        self.items: list[AngelEyeItem | LinkFault] = []
        self.state, _output = self.link.opened(self.state, self.at)

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.ms * MILLISECOND, self.ms * MILLISECOND)

    def _took(self, output: AngelEyeOutput) -> None:
        self.items.extend(output.items)
        self.written.extend(output.to_write)

    def send(self, command: Command) -> None:
        self.state, output = self.link.send(self.state, command, self.at)
        self._took(output)

    def hears(self, data: bytes) -> None:
        self.state, output = self.link.receive(self.state, data, self.at)
        self._took(output)

    def waits(self, ms: int) -> None:
        self.ms += ms
        self.state, output = self.link.tick(self.state, self.at)
        self._took(output)

    def fault_kinds(self) -> list[LinkFaultKind]:
        return [item.kind for item in self.items if isinstance(item, LinkFault)]


@pytest.mark.parametrize(
    ("command", "frame"),
    [
        (Lock(), "02 4F 50 4C 4B 30 32 03 31 42"),
        (Unlock(), "02 4F 50 4C 4B 30 31 03 31 38"),
        (ClearError(1), "02 4F 50 45 43 30 31 03 31 39"),
        (AskGameProcess(), "02 4F 50 47 50 30 30 03 30 39"),
    ],
)
def test_what_is_written(command: Command, frame: str) -> None:
    shoe = Talking()
    shoe.send(command)

    assert shoe.written == [bytes.fromhex(frame)]


def test_ack_is_done() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(ACK)

    assert shoe.items == [CommandDone(Lock())]
    assert shoe.link.next_deadline_ns(shoe.state) is None


def test_one_is_outstanding_and_the_others_wait_their_turn() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.send(ClearError(1))
    assert shoe.written == [LOCK]
    shoe.hears(ACK)
    assert len(shoe.written) == 2
    shoe.hears(ACK)

    assert shoe.items == [CommandDone(Lock()), CommandDone(ClearError(1))]


def test_the_queue_is_bounded() -> None:
    shoe = Talking()
    for _ in range(10):
        shoe.send(Lock())

    assert len(shoe.items) == 1
    assert isinstance(shoe.items[0], CommandRefused)


@pytest.mark.parametrize("code", [0x01, 0x03, 0x11, 0x12, 0x13, 0x14, 0xFF])
def test_nak_is_refused(code: int) -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(bytes((0x15, code)))

    assert shoe.fault_kinds() == ["command_refused"]
    assert isinstance(shoe.items[-1], CommandRefused)
    assert shoe.written == [LOCK]


def test_without_an_answer_it_is_sent_three_times_and_given_up() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.waits(499)
    assert shoe.written == [LOCK]
    shoe.waits(1)
    shoe.waits(500)
    assert shoe.written == [LOCK] * 3
    assert shoe.items == []
    shoe.waits(500)

    assert shoe.written == [LOCK] * 3
    assert shoe.fault_kinds() == ["command_timeout"]
    assert isinstance(shoe.items[-1], CommandTimedOut)


def test_the_deadline_is_told() -> None:
    shoe = Talking()
    shoe.ms = 1000
    shoe.send(Lock())

    assert shoe.link.next_deadline_ns(shoe.state) == 1500 * MILLISECOND


def test_after_nak_02_the_other_reading_is_tried_and_remembered() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(b"\x15\x02")
    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED]
    shoe.hears(ACK)
    shoe.send(Lock())
    shoe.hears(ACK)

    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED, LOCK_STX_NOT_COUNTED]
    assert shoe.fault_kinds() == ["checksum_reading"]
    assert [item for item in shoe.items if not isinstance(item, LinkFault)] == [
        CommandDone(Lock()),
        CommandDone(Lock()),
    ]


def test_the_other_way_round_too() -> None:
    shoe = Talking(AngelEyeLinkSettings(bcc_reading=BccReading.STX_NOT_COUNTED))
    shoe.send(Lock())
    shoe.hears(b"\x15\x02")

    assert shoe.written == [LOCK_STX_NOT_COUNTED, LOCK]


def test_nak_02_in_both_readings_is_a_fault_and_changes_nothing() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(b"\x15\x02")
    shoe.hears(b"\x15\x02")
    shoe.send(Lock())

    assert shoe.fault_kinds() == ["command_refused"]
    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED, LOCK]


@pytest.mark.parametrize("busy", [b"\x15\x21", b"\x15\x22"])
def test_a_busy_shoe_is_asked_again_later(busy: bytes) -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(busy)
    shoe.waits(199)
    assert shoe.written == [LOCK]
    shoe.waits(1)
    shoe.hears(ACK)

    assert shoe.written == [LOCK, LOCK]
    assert shoe.items == [CommandDone(Lock())]


def test_a_shoe_that_stays_busy_is_given_up() -> None:
    shoe = Talking()
    shoe.send(Lock())
    for _ in range(6):
        shoe.hears(b"\x15\x21")
        shoe.waits(200)

    assert shoe.written == [LOCK] * 6
    assert isinstance(shoe.items[-1], CommandRefused)


@pytest.mark.parametrize("answer", [ACK, b"\x15\x01", b"\x15\x21"])
def test_an_answer_to_nothing_is_a_fault(answer: bytes) -> None:
    shoe = Talking()
    shoe.hears(answer)

    assert shoe.fault_kinds() == ["unexpected_answer"]


def test_an_ack_while_held_back_is_a_fault_and_the_command_goes_on() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(b"\x15\x21")
    shoe.hears(ACK)
    shoe.waits(200)

    assert shoe.fault_kinds() == ["unexpected_answer"]
    assert shoe.written == [LOCK, LOCK]


def test_a_read_reply_answers_the_question() -> None:
    shoe = Talking()
    shoe.send(AskGameProcess())
    shoe.hears(bytes.fromhex("02 47 50 30 31 03 31 37"))

    assert shoe.items == [ReadReply(b"GP01"), CommandDone(AskGameProcess())]


def test_a_lost_port_drops_what_was_asked() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.send(Unlock())
    shoe.state, output = shoe.link.opened(shoe.state, shoe.at)

    assert [type(item) for item in output.items] == [CommandTimedOut, CommandTimedOut]
    assert output.to_write == ()
    assert shoe.link.next_deadline_ns(shoe.state) is None


def test_the_reading_that_works_outlives_a_reopening() -> None:
    shoe = Talking()
    shoe.send(Lock())
    shoe.hears(b"\x15\x02")
    shoe.hears(ACK)
    shoe.state, _output = shoe.link.opened(shoe.state, shoe.at)
    shoe.send(Lock())

    assert shoe.written[-1] == LOCK_STX_NOT_COUNTED
