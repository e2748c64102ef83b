"""Tests the TableLink shoe driver: cards, lock and commands."""

import pytest
from in_words import in_words
from msgspec import structs

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    ShufflerOrder,
    UnlockExit,
)
from drivers.events import (
    CardPassed,
    CommandAnswered,
    CommandOutcome,
    DeviceErrorRaised,
    DeviceEvent,
    LockChanged,
    Stage,
    StageChanged,
)
from drivers.interface import Driver, DriverOutput
from drivers.shoes.tablelink_shoe import (
    TableLinkShoe,
    TableLinkShoeSettings,
    TableLinkShoeState,
    map_report,
)
from drivers.tablelink.device import TableLinkLifecycle, TableLinkReport
from firmware_bridge.tablelink.bodies import CardOut, DeviceMode, DeviceStatus
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.transport.port import PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")


def own_words(foreign: str) -> Message:
    return message("in_its_own_words", foreign=foreign)


AT = Timestamp(1, 1)
LATER = Timestamp(2, 2)
GATE_OPEN = DeviceStatus(DeviceMode.PLAY, False, (), 0, (), gate_closed=False)
GATE_CLOSED = DeviceStatus(DeviceMode.PLAY, False, (), 0, (), gate_closed=True)
LOCK, UNLOCK = TableLinkRequest(RequestType.LOCK), TableLinkRequest(RequestType.UNLOCK)
NOT_ALLOWED = "commands to this shoe are not allowed: set allow_commands = true in its settings"


class Table:
    """A shoe driver with its state."""

    def __init__(self, *, allow_commands: bool = True) -> None:
        settings = TableLinkShoeSettings(allow_commands=allow_commands)
        self.driver: Driver[TableLinkShoeState] = TableLinkShoe(settings)
        self.state = self.driver.initial()

    def opened(self) -> DriverOutput:
        self.state, output = self.driver.receive(self.state, PortOpened("p", AT, bytes(32)))
        return output

    def online(self, *, locked: bool | None = None) -> None:
        self.opened()
        life = TableLinkLifecycle(Stage.ONLINE)
        self.state = structs.replace(self.state, life=life, locked=locked)

    def send_command(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, LATER)
        return output


def done(request: TableLinkRequest) -> RequestAnswer:
    return RequestAnswer(request, RequestStatus.DONE, None, None)


def test_read_only_is_the_default() -> None:
    assert not TableLinkShoeSettings().allow_commands


def test_before_any_report_the_lock_is_unknown() -> None:
    state = Table().state

    assert (state.stage, state.locked) == (Stage.CLOSED, None)


def test_a_card_event_is_mapped() -> None:
    happened = TableLinkEvent(4, 7, 1_000, CardOut(b"\xe0\x04", 0, 0), None, None)

    assert map_report(None, happened) == (None, (CardPassed("E004"),))


@pytest.mark.parametrize(
    ("before", "report", "after", "events"),
    [
        (None, GATE_OPEN, False, (LockChanged(False),)),
        (None, GATE_CLOSED, True, (LockChanged(True),)),
        (True, GATE_CLOSED, True, ()),
        (
            False,
            done(LOCK),
            True,
            (CommandAnswered("LockExit", CommandOutcome.DONE, "done"), LockChanged(True)),
        ),
        (
            True,
            done(UNLOCK),
            False,
            (CommandAnswered("UnlockExit", CommandOutcome.DONE, "done"), LockChanged(False)),
        ),
        (True, done(LOCK), True, (CommandAnswered("LockExit", CommandOutcome.DONE, "done"),)),
        (
            False,
            RequestAnswer(LOCK, RequestStatus.REFUSED, own_words("card in exit"), None),
            False,
            (
                CommandAnswered(
                    "LockExit", CommandOutcome.REFUSED, "the shoe refused: card in exit"
                ),
            ),
        ),
        (
            False,
            RequestAnswer(LOCK, RequestStatus.UNKNOWN, None, None),
            False,
            (
                CommandAnswered(
                    "LockExit", CommandOutcome.REFUSED, "the shoe does not know this command"
                ),
            ),
        ),
        (
            True,
            RequestAnswer(UNLOCK, RequestStatus.FAILED, own_words("?"), None),
            True,
            (CommandAnswered("UnlockExit", CommandOutcome.REFUSED, "the shoe failed to do it: ?"),),
        ),
        (
            None,
            RequestAnswer(LOCK, None, None, None),
            None,
            (CommandAnswered("LockExit", CommandOutcome.NO_ANSWER, "no answer"),),
        ),
    ],
)
def test_the_lock_follows_the_shoes_answers(
    before: bool | None,
    report: TableLinkReport,
    after: bool | None,
    events: tuple[DeviceEvent, ...],
) -> None:
    assert in_words(map_report(before, report)) == (after, events)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage is not Stage.ONLINE])
def test_the_lock_is_unknown_unless_the_shoe_is_online(stage: Stage) -> None:
    changed = StageChanged(stage, UNPLUGGED)

    assert map_report(True, changed) == (None, (changed,))


def test_coming_online_leaves_the_lock_unknown() -> None:
    changed = StageChanged(Stage.ONLINE, UNPLUGGED)

    assert map_report(None, changed) == (None, (changed,))


def test_a_status_gives_errors_and_the_lock() -> None:
    status = DeviceStatus(DeviceMode.PLAY, True, (), 0, (), gate_closed=True)

    assert in_words(map_report(None, status)) == (
        True,
        (LockChanged(True), DeviceErrorRaised(2, "the lid is open", blocking=True)),
    )


def test_a_lost_port_makes_the_lock_unknown() -> None:
    table = Table()
    table.online(locked=True)

    table.state, _output = table.driver.receive(table.state, PortLost("p", LATER, UNPLUGGED))

    assert table.state.locked is None


@pytest.mark.parametrize("command", [LockExit(), UnlockExit()])
def test_without_allow_commands_no_byte_is_written(command: DeviceCommand) -> None:
    table = Table(allow_commands=False)
    table.online()

    assert in_words(table.send_command(command)) == DriverOutput(
        events=(CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, NOT_ALLOWED),)
    )


@pytest.mark.parametrize("command", [LockExit(), UnlockExit()])
def test_a_command_without_an_open_port_gives_no_answer(command: DeviceCommand) -> None:
    detail = "the shoe's port is not open"

    assert in_words(Table().send_command(command)) == DriverOutput(
        events=(CommandAnswered(type(command).__name__, CommandOutcome.NO_ANSWER, detail),)
    )


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        (ClearError(3), "this shoe clears its own errors once the cause has been removed"),
        (ListTags(), "this shoe reads cards in play: list a pile on an enrolment reader"),
        (
            OrderShuffler(ShufflerOrder.SHUFFLE, 1),
            "this is a shoe: order the shuffler at its own port",
        ),
    ],
)
def test_unsupported_commands_are_refused_with_advice(command: DeviceCommand, detail: str) -> None:
    table = Table()
    table.online()

    name = type(command).__name__
    assert in_words(table.send_command(command)) == DriverOutput(
        events=(CommandAnswered(name, CommandOutcome.REFUSED, detail),)
    )


def test_set_polling_is_ignored() -> None:
    assert Table().send_command(SetPolling(closely=True)) == DriverOutput()
