"""Commands to the Angel Eye II-EX: ACK, NAK, timeouts, retries, and both readings of the BCC."""

import pytest

from firmware_bridge.angel_eye.commands import (
    AngelEyeCommand,
    ClearErrorCommand,
    CommandDone,
    CommandRefused,
    CommandTimedOut,
    GameProcessQuery,
    LockCommand,
    ReadReply,
    UnlockCommand,
)
from firmware_bridge.angel_eye.frames import BccReading
from firmware_bridge.angel_eye.link import AngelEyeItem, AngelEyeLink, AngelEyeOutput
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.timestamp import Timestamp

LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
LOCK_STX_NOT_COUNTED = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")
ACK = b"\x06"
MILLISECOND = 1_000_000


class CommandSession:
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

    def _record(self, output: AngelEyeOutput) -> None:
        self.items.extend(output.items)
        self.written.extend(output.to_write)

    def send(self, command: AngelEyeCommand) -> None:
        self.state, output = self.link.send(self.state, command, self.at)
        self._record(output)

    def receive(self, data: bytes) -> None:
        self.state, output = self.link.receive(self.state, data, self.at)
        self._record(output)

    def advance(self, ms: int) -> None:
        self.ms += ms
        self.state, output = self.link.tick(self.state, self.at)
        self._record(output)

    def fault_kinds(self) -> list[LinkFaultKind]:
        return [item.kind for item in self.items if isinstance(item, LinkFault)]


@pytest.mark.parametrize(
    ("command", "frame"),
    [
        (LockCommand(), "02 4F 50 4C 4B 30 32 03 31 42"),
        (UnlockCommand(), "02 4F 50 4C 4B 30 31 03 31 38"),
        (ClearErrorCommand(1), "02 4F 50 45 43 30 31 03 31 39"),
        (GameProcessQuery(), "02 4F 50 47 50 30 30 03 30 39"),
    ],
)
def test_commands_are_encoded(command: AngelEyeCommand, frame: str) -> None:
    shoe = CommandSession()
    shoe.send(command)

    assert shoe.written == [bytes.fromhex(frame)]


def test_ack_completes_a_command() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(ACK)

    assert shoe.items == [CommandDone(LockCommand())]
    assert shoe.link.next_deadline_ns(shoe.state) is None


def test_one_is_outstanding_and_the_others_wait_their_turn() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.send(ClearErrorCommand(1))
    assert shoe.written == [LOCK]
    shoe.receive(ACK)
    assert len(shoe.written) == 2
    shoe.receive(ACK)

    assert shoe.items == [CommandDone(LockCommand()), CommandDone(ClearErrorCommand(1))]


def test_the_queue_is_bounded() -> None:
    shoe = CommandSession()
    for _ in range(10):
        shoe.send(LockCommand())

    assert len(shoe.items) == 1
    assert isinstance(shoe.items[0], CommandRefused)


@pytest.mark.parametrize("code", [0x01, 0x03, 0x11, 0x12, 0x13, 0x14, 0xFF])
def test_nak_is_refused(code: int) -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(bytes((0x15, code)))

    assert shoe.fault_kinds() == ["command_refused"]
    assert isinstance(shoe.items[-1], CommandRefused)
    assert shoe.written == [LOCK]


def test_without_an_answer_it_is_sent_three_times_and_abandoned() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.advance(499)
    assert shoe.written == [LOCK]
    shoe.advance(1)
    shoe.advance(500)
    assert shoe.written == [LOCK] * 3
    assert shoe.items == []
    shoe.advance(500)

    assert shoe.written == [LOCK] * 3
    assert shoe.fault_kinds() == ["command_timeout"]
    assert isinstance(shoe.items[-1], CommandTimedOut)


def test_the_next_deadline_is_that_of_the_outstanding_command() -> None:
    shoe = CommandSession()
    shoe.ms = 1000
    shoe.send(LockCommand())

    assert shoe.link.next_deadline_ns(shoe.state) == 1500 * MILLISECOND


def test_after_nak_02_the_other_reading_is_tried_and_remembered() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(b"\x15\x02")
    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED]
    shoe.receive(ACK)
    shoe.send(LockCommand())
    shoe.receive(ACK)

    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED, LOCK_STX_NOT_COUNTED]
    assert shoe.fault_kinds() == ["checksum_reading"]
    assert [item for item in shoe.items if not isinstance(item, LinkFault)] == [
        CommandDone(LockCommand()),
        CommandDone(LockCommand()),
    ]


def test_the_other_reading_is_also_tried_from_the_other_setting() -> None:
    shoe = CommandSession(AngelEyeLinkSettings(bcc_reading=BccReading.STX_NOT_COUNTED))
    shoe.send(LockCommand())
    shoe.receive(b"\x15\x02")

    assert shoe.written == [LOCK_STX_NOT_COUNTED, LOCK]


def test_nak_02_in_both_readings_is_a_fault_and_changes_nothing() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(b"\x15\x02")
    shoe.receive(b"\x15\x02")
    shoe.send(LockCommand())

    assert shoe.fault_kinds() == ["command_refused"]
    assert shoe.written == [LOCK, LOCK_STX_NOT_COUNTED, LOCK]


@pytest.mark.parametrize("busy", [b"\x15\x21", b"\x15\x22"])
def test_a_busy_shoe_gets_the_command_again_later(busy: bytes) -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(busy)
    shoe.advance(199)
    assert shoe.written == [LOCK]
    shoe.advance(1)
    shoe.receive(ACK)

    assert shoe.written == [LOCK, LOCK]
    assert shoe.items == [CommandDone(LockCommand())]


def test_a_command_to_a_shoe_that_stays_busy_is_refused() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    for _ in range(6):
        shoe.receive(b"\x15\x21")
        shoe.advance(200)

    assert shoe.written == [LOCK] * 6
    assert isinstance(shoe.items[-1], CommandRefused)


@pytest.mark.parametrize("answer", [ACK, b"\x15\x01", b"\x15\x21"])
def test_an_answer_without_a_command_is_a_fault(answer: bytes) -> None:
    shoe = CommandSession()
    shoe.receive(answer)

    assert shoe.fault_kinds() == ["unexpected_answer"]


def test_an_ack_while_held_back_is_a_fault_and_the_command_goes_on() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(b"\x15\x21")
    shoe.receive(ACK)
    shoe.advance(200)

    assert shoe.fault_kinds() == ["unexpected_answer"]
    assert shoe.written == [LOCK, LOCK]


def test_a_read_reply_completes_a_query() -> None:
    shoe = CommandSession()
    shoe.send(GameProcessQuery())
    shoe.receive(bytes.fromhex("02 47 50 30 31 03 31 37"))

    assert shoe.items == [ReadReply(b"GP01"), CommandDone(GameProcessQuery())]


def test_a_lost_port_times_out_all_commands() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.send(UnlockCommand())
    shoe.state, output = shoe.link.opened(shoe.state, shoe.at)

    assert [type(item) for item in output.items] == [CommandTimedOut, CommandTimedOut]
    assert output.to_write == ()
    assert shoe.link.next_deadline_ns(shoe.state) is None


def test_the_working_bcc_reading_survives_a_reopening() -> None:
    shoe = CommandSession()
    shoe.send(LockCommand())
    shoe.receive(b"\x15\x02")
    shoe.receive(ACK)
    shoe.state, _output = shoe.link.opened(shoe.state, shoe.at)
    shoe.send(LockCommand())

    assert shoe.written[-1] == LOCK_STX_NOT_COUNTED
