"""Tests the Angel Eye II-EX driver: meaning of its reports, life cycle, commands."""

import tomllib
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_words import in_words
from msgspec import UNSET, Struct

from controller.system.messages.catalogue import to_words
from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
)
from drivers.events import (
    CardOutsidePlay,
    CardRead,
    ClaimedUse,
    CommandAnswered,
    CommandOutcome,
    CutCardSeen,
    DeclaredWinner,
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceSettingChanged,
    DeviceStarted,
    Face,
    FaceSuit,
    ForcedExitUsed,
    LockChanged,
    LossReason,
    OutsideReason,
    ReportsLost,
    ResultButtonPressed,
    Stage,
    StageChanged,
    StandByEntered,
)
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput, remarks_of
from drivers.shoes.angel_eye import (
    ERROR_MEANINGS,
    AngelEyeShoe,
    AngelEyeShoeSettings,
    AngelEyeShoeState,
)
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")
ABSENT = message("port_does_not_exist", port="/dev/ttyUSB0")

PORT = "shoe"
ENTROPY = bytes(32)
SECOND = 1_000_000_000
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "angel_eye.toml").read_text(encoding="utf-8")
)
GOLDEN = {v["name"]: bytes.fromhex(v["hex"]) for v in VECTORS["report"]}


class Table:
    """A shoe driver with its state and a clock that moves a second from one event to the next."""

    def __init__(self, *, allow_commands: bool = False, opened: bool = True) -> None:
        self.driver: Driver[AngelEyeShoeState] = AngelEyeShoe(
            AngelEyeShoeSettings(allow_commands=allow_commands)
        )
        self.state = self.driver.initial()
        self.seconds = 0
        if opened:
            self.open_port()

    def at(self) -> Timestamp:
        self.seconds += 1
        return Timestamp(self.seconds * SECOND, self.seconds * SECOND)

    def process(self, event: PortEvent) -> tuple[DeviceEvent, ...]:
        self.state, output = self.driver.receive(self.state, event)
        return output.events

    def open_port(self) -> tuple[DeviceEvent, ...]:
        return self.process(PortOpened(PORT, self.at(), ENTROPY))

    def lose_port(self, reason: Message = UNPLUGGED) -> tuple[DeviceEvent, ...]:
        return self.process(PortLost(PORT, self.at(), reason))

    def receive(self, *data: bytes) -> tuple[DeviceEvent, ...]:
        return self.process(Chunk(PORT, self.at(), b"".join(data)))

    def report(self, data: bytes) -> tuple[DeviceEvent, ...]:
        """The events of a first report on an online shoe, without its stages."""
        self.state = self.driver.initial()
        self.open_port()
        events = self.receive(data)
        return tuple(event for event in events if not isinstance(event, StageChanged))

    def send_command(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, self.at())
        return output


def card(use: ClaimedUse, index: int, rank: int, suit: FaceSuit) -> CardRead:
    return CardRead(use, index, Face(rank, suit), repeated=False)


D, C, S, H = FaceSuit.DIAMOND, FaceSuit.CLUB, FaceSuit.SPADE, FaceSuit.HEART

MEANINGS: dict[str, DeviceEvent] = {
    "start of communication": DeviceStarted(),
    "stand-by": StandByEntered(),
    "first burn card, ten of clubs": card(ClaimedUse.BURN_FIRST, 0, 10, C),
    "counted burn card 1, seven of hearts": card(ClaimedUse.BURN_COUNTED, 1, 7, H),
    "counted burn card, index 0, two of spades": card(ClaimedUse.BURN_COUNTED, 0, 2, S),
    "burn outside the count, king of diamonds": card(ClaimedUse.BURN_EXTRA, 0, 13, D),
    "Player card 1, ace of spades": card(ClaimedUse.PLAYER, 1, 1, S),
    "Banker card 1, nine of diamonds": card(ClaimedUse.BANKER, 1, 9, D),
    "Player card 3, three of clubs": card(ClaimedUse.PLAYER, 3, 3, C),
    "card drawn, unreadable": CardRead(ClaimedUse.PLAYER, 1, None, repeated=False),
    "retransmission of Player card 1": CardRead(ClaimedUse.PLAYER, 1, Face(1, S), repeated=True),
    "retransmission of Banker card 2, unreadable": CardRead(
        ClaimedUse.BANKER, 2, None, repeated=True
    ),
    "card outside the game, lock mode, four of hearts": CardOutsidePlay(
        OutsideReason.LOCKED, Face(4, H)
    ),
    "card outside the game, error mode, five of diamonds": CardOutsidePlay(
        OutsideReason.ERROR, Face(5, D)
    ),
    "card outside the game, setting mode, six of clubs": CardOutsidePlay(
        OutsideReason.SETTING, Face(6, C)
    ),
    "cut card": CutCardSeen(),
    "result Player, no pair": ResultButtonPressed(DeclaredWinner.PLAYER, False, False),
    "result Tie, Player pair": ResultButtonPressed(DeclaredWinner.TIE, True, False),
    "result Banker, Banker pair": ResultButtonPressed(DeclaredWinner.BANKER, False, True),
    "result Banker, both pairs": ResultButtonPressed(DeclaredWinner.BANKER, True, True),
    "forced exit": ForcedExitUsed(),
    "error 1 raised, in error mode": DeviceErrorRaised(1, ERROR_MEANINGS[1], blocking=True),
    "error 7 raised, not in error mode": DeviceErrorRaised(7, ERROR_MEANINGS[7], blocking=False),
    "error 2 cleared": DeviceErrorCleared(2, ERROR_MEANINGS[2]),
    "locked": LockChanged(locked=True),
    "unlocked": LockChanged(locked=False),
    "preset 07 is now 0123": DeviceSettingChanged(7, 123),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_each_report_maps_to_its_device_events(name: str) -> None:
    assert Table().report(GOLDEN[name]) == (MEANINGS[name],)


def test_every_golden_report_maps_to_events_without_fault() -> None:
    for name, report in GOLDEN.items():
        events = Table().report(report)

        assert len(events) == 1, name
        assert not isinstance(events[0], DeviceFault | ReportsLost), name


def test_an_error_code_not_in_the_list() -> None:
    (event,) = Table().report(bytes.fromhex("05 30 45 BF 03 43 39"))

    assert in_words(event) == DeviceErrorRaised(
        63, "not in the list of known errors", blocking=False
    )


# --- reports that are lost ------------------------------------------------------------------------


def test_a_sequence_gap_gives_a_fault_and_lost_reports() -> None:
    table = Table()
    table.receive(GOLDEN["start of communication"])

    events = table.receive(GOLDEN["cut card"])  # SEQ 2 after SEQ 0

    assert isinstance(events[0], DeviceFault)
    assert events[0].kind is LinkFaultKind.SEQUENCE_GAP
    assert events[1:] == (ReportsLost(LossReason.GAP, 1), CutCardSeen())


def test_unproven_continuity_gives_a_fault_and_possibly_lost_reports() -> None:
    table = Table()
    table.receive(GOLDEN["start of communication"])
    table.lose_port()
    table.seconds += 60
    table.open_port()

    events = table.receive(GOLDEN["stand-by"])[2:]  # after identified and online

    assert isinstance(events[0], DeviceFault)
    assert events[0].kind is LinkFaultKind.CONTINUITY_UNPROVEN
    assert events[1:] == (ReportsLost(LossReason.UNPROVEN, 0), StandByEntered())


@pytest.mark.parametrize(
    "data",
    ["05 30 44 81 03 46 36", "05 30 52 03 36 31", "05 30 64 03 35 37", "05 30 47 03 37 34",
     "05 30 43 80 03 46 30", "05 30 53 80 03 45 30", "05 30 58 03 36 42"],
    ids=["D", "R", "d", "G", "C", "S", "unknown code"],
)  # fmt: skip
def test_an_invalid_report_about_cards_counts_as_lost(data: str) -> None:
    events = Table().report(bytes.fromhex(data))

    assert isinstance(events[0], DeviceFault)
    assert events[1:] == (ReportsLost(LossReason.UNREADABLE, 1, events[0].detail),)
    assert to_words(events[0].detail).startswith("a report was not understood: ")


@pytest.mark.parametrize(
    "data",
    ["05 30 4C 03 37 46", "05 30 45 03 37 36", "05 30 4D 03 37 45", "05 30 50 80 03 45 33"],
    ids=["L", "E", "M", "P"],
)
def test_any_other_invalid_report_is_a_fault_only(data: str) -> None:
    (event,) = Table().report(bytes.fromhex(data))

    assert isinstance(event, DeviceFault)
    assert event.kind is LinkFaultKind.MALFORMED


@pytest.mark.parametrize("data", ["05 30 4C 03 37 46", "05 30 44 81 03 46 36", "05 30 58 03 36 42"])
def test_what_was_not_understood_is_a_remark_until_the_port_is_opened_again(data: str) -> None:
    table = Table()
    assert remarks_of(table.state) == ()
    (fault, *_) = table.report(bytes.fromhex(data))

    assert isinstance(fault, DeviceFault)
    assert [to_words(one) for one in remarks_of(table.state)] == [
        f"1 report was not understood since the port was opened. {to_words(fault.detail)}"
    ]
    table.lose_port()
    table.open_port()
    assert remarks_of(table.state) == ()


def test_no_fault_names_a_card() -> None:
    rank_14 = Table().report(bytes.fromhex("05 30 44 81 BE 03 34 38"))
    rank_15 = Table().report(bytes.fromhex("05 30 44 81 CF 03 33 39"))

    assert isinstance(rank_14[0], DeviceFault)
    assert rank_14[0].kind is LinkFaultKind.MALFORMED
    assert rank_14 == rank_15


def test_noise_gives_a_fault() -> None:
    assert [type(event) for event in Table().report(b"\xff\xff")] == [DeviceFault]


# --- life cycle -----------------------------------------------------------------------------------


def stages(events: tuple[DeviceEvent, ...]) -> list[Stage]:
    return [event.stage for event in events if isinstance(event, StageChanged)]


def test_life_cycle_from_opened_to_lost() -> None:
    table = Table(opened=False)

    assert stages(table.open_port()) == [Stage.OPENED]
    assert stages(table.receive(b"\x05\x30")) == []
    assert stages(table.receive(bytes.fromhex("05 30 58 03 36 42"))) == [Stage.IDENTIFIED]
    assert stages(table.receive(GOLDEN["stand-by"])) == [Stage.ONLINE]
    assert stages(table.receive(GOLDEN["cut card"])) == []
    assert stages(table.lose_port()) == [Stage.LOST]
    assert stages(table.lose_port(ABSENT)) == []
    assert stages(table.open_port()) == [Stage.OPENED]
    assert stages(table.receive(GOLDEN["result Player, no pair"])) == [
        Stage.IDENTIFIED,
        Stage.ONLINE,
    ]


def test_stage_changes_precede_the_events_of_the_same_bytes() -> None:
    events = Table().receive(GOLDEN["stand-by"])

    assert [type(event) for event in events] == [StageChanged, StageChanged, StandByEntered]


def test_a_port_that_cannot_be_opened_gives_stage_lost() -> None:
    assert Table(opened=False).lose_port(ABSENT) == (StageChanged(Stage.LOST, ABSENT),)


def test_the_lock_is_known_from_its_report_until_the_shoe_starts_or_is_lost() -> None:
    table = Table()
    assert table.state.locked is None
    table.receive(GOLDEN["locked"])
    assert table.state.locked is True
    table.receive(GOLDEN["unlocked"])
    assert table.state.locked is False
    table.receive(GOLDEN["start of communication"])
    assert table.state.locked is None
    table.receive(GOLDEN["locked, and a BCC of two letters"])
    table.lose_port()
    assert table.state.locked is None


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        (ListTags(), "this shoe reads faces, not tags: use a reader"),
        (
            OrderShuffler(ShufflerOrder.SHUFFLE, 1),
            "this is a shoe: order the shuffler at its own port",
        ),
    ],
)
def test_what_an_optical_shoe_cannot_do_is_refused(command: DeviceCommand, detail: str) -> None:
    assert in_words(Table(allow_commands=True).send_command(command)) == DriverOutput(
        events=(CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, detail),)
    )


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1)])
def test_no_command_is_written_unless_allowed(command: DeviceCommand) -> None:
    output = Table().send_command(command)

    assert output.to_write == ()
    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.command == type(command).__name__
    assert answer.outcome is CommandOutcome.REFUSED
    assert "allow_commands = true" in to_words(answer.detail)


def test_an_allowed_command_is_written_and_answered() -> None:
    table = Table(allow_commands=True)
    assert table.send_command(LockExit()).to_write == (LOCK,)

    assert table.receive(b"\x06")[-1] == CommandAnswered(
        "LockExit", CommandOutcome.DONE, message("acknowledged")
    )


def test_a_command_without_an_open_port_gives_no_answer() -> None:
    table = Table(allow_commands=True)
    table.lose_port()
    output = table.send_command(LockExit())

    assert output.to_write == ()
    assert isinstance(output.events[0], CommandAnswered)
    assert output.events[0].outcome is CommandOutcome.NO_ANSWER


def test_a_lost_port_answers_pending_commands() -> None:
    table = Table(allow_commands=True)
    table.send_command(UnlockExit())

    answers = [event for event in table.lose_port() if isinstance(event, CommandAnswered)]

    assert [answer.outcome for answer in answers] == [CommandOutcome.NO_ANSWER]


@pytest.mark.parametrize("code", [-1, 100])
def test_an_error_code_above_99_is_refused(code: int) -> None:
    output = Table(allow_commands=True).send_command(ClearError(code))

    assert output.to_write == ()
    assert isinstance(output.events[0], CommandAnswered)
    assert output.events[0].outcome is CommandOutcome.REFUSED


def test_a_tick_at_the_deadline_repeats_the_command() -> None:
    table = Table(allow_commands=True)
    table.send_command(LockExit())
    deadline_ns = table.driver.next_deadline_ns(table.state)
    assert deadline_ns is not None

    _state, output = table.driver.tick(table.state, Timestamp(deadline_ns, deadline_ns))

    assert output.to_write == (LOCK,)


# --- state and totality ---------------------------------------------------------------------------


def assert_encodable(value: object) -> None:
    """Frozen structs, enums, tuples, int, str, bytes, bool, None, UNSET, all the way down."""
    if isinstance(value, Struct):
        assert value.__struct_config__.frozen
        for field in value.__struct_fields__:
            assert_encodable(getattr(value, field))
    elif isinstance(value, tuple):
        for one in value:
            assert_encodable(one)
    else:
        assert value in (None, UNSET) or isinstance(value, Enum | int | str | bytes)


def test_the_state_can_be_stored() -> None:
    table = Table(allow_commands=True)
    table.receive(GOLDEN["start of communication"], b"\x05\x31")
    table.send_command(LockExit())
    table.send_command(ClearError(1))

    assert_encodable(table.state)


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(list(GOLDEN.values())))))
def test_no_bytes_raise(chunks: list[bytes]) -> None:
    table = Table(allow_commands=True)
    for chunk in chunks:
        table.receive(chunk)
        table.send_command(LockExit())

    assert_encodable(table.state)
