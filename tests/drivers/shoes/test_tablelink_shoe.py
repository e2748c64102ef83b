"""The TableLink shoe as a device: its cards, its lock, and what it may be told."""

import dataclasses

import pytest

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
    Watch,
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
    hear,
)
from drivers.tablelink.device import Said
from drivers.tablelink.life import Life
from firmware_bridge.tablelink.bodies import CardOut, Mode, Status
from firmware_bridge.tablelink.items import Answered, Happened, Order, Request, RequestStatus
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortLost, PortOpened

AT = Timestamp(1, 1)
LATER = Timestamp(2, 2)
GATE_OPEN = Status(Mode.PLAY, False, (), 0, (), gate_closed=False)
GATE_CLOSED = Status(Mode.PLAY, False, (), 0, (), gate_closed=True)
LOCK, UNLOCK = Request(Order.LOCK), Request(Order.UNLOCK)
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
        device = dataclasses.replace(self.state.device, life=Life(Stage.ONLINE))
        self.state = TableLinkShoeState(device, locked)

    def asks(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, LATER)
        return output


def done(request: Request) -> Answered:
    return Answered(request, RequestStatus.DONE, "", None)


def test_read_only_is_the_default() -> None:
    assert not TableLinkShoeSettings().allow_commands


def test_of_a_shoe_that_was_never_heard_nobody_knows_the_lock() -> None:
    state = Table().state

    assert (state.stage, state.locked) == (Stage.CLOSED, None)


def test_a_card_is_told_by_its_meaning() -> None:
    happened = Happened(4, 7, 1_000, CardOut(b"\xe0\x04", 0, 0), None, None)

    assert hear(None, happened) == (None, (CardPassed("E004"),))


@pytest.mark.parametrize(
    ("before", "said", "after", "events"),
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
            Answered(LOCK, RequestStatus.REFUSED, "card in exit", None),
            False,
            (
                CommandAnswered(
                    "LockExit", CommandOutcome.REFUSED, "the shoe refused: card in exit"
                ),
            ),
        ),
        (
            False,
            Answered(LOCK, RequestStatus.UNKNOWN, "", None),
            False,
            (
                CommandAnswered(
                    "LockExit", CommandOutcome.REFUSED, "the shoe does not know this command"
                ),
            ),
        ),
        (
            True,
            Answered(UNLOCK, RequestStatus.FAILED, "\x1b", None),
            True,
            (CommandAnswered("UnlockExit", CommandOutcome.REFUSED, "the shoe failed to do it: ?"),),
        ),
        (
            None,
            Answered(LOCK, None, "", None),
            None,
            (CommandAnswered("LockExit", CommandOutcome.NO_ANSWER, "no answer came"),),
        ),
    ],
)
def test_the_lock_is_what_the_shoe_says(
    before: bool | None, said: Said, after: bool | None, events: tuple[DeviceEvent, ...]
) -> None:
    assert hear(before, said) == (after, events)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage is not Stage.ONLINE])
def test_nobody_knows_the_lock_of_a_shoe_that_is_not_online(stage: Stage) -> None:
    changed = StageChanged(stage, "why")

    assert hear(True, changed) == (None, (changed,))


def test_coming_online_tells_nothing_of_the_lock() -> None:
    changed = StageChanged(Stage.ONLINE, "why")

    assert hear(None, changed) == (None, (changed,))


def test_what_stands_in_the_way_of_dealing_comes_with_the_lock() -> None:
    status = Status(Mode.PLAY, True, (), 0, (), gate_closed=True)

    assert hear(None, status) == (
        True,
        (LockChanged(True), DeviceErrorRaised(2, "the lid is open", blocking=True)),
    )


def test_a_lost_port_takes_the_knowledge_of_the_lock_away() -> None:
    table = Table()
    table.online(locked=True)

    table.state, _output = table.driver.receive(table.state, PortLost("p", LATER, "unplugged"))

    assert table.state.locked is None


@pytest.mark.parametrize("command", [LockExit(), UnlockExit()])
def test_without_allow_commands_no_byte_is_written(command: DeviceCommand) -> None:
    table = Table(allow_commands=False)
    table.online()

    assert table.asks(command) == DriverOutput(
        events=(CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, NOT_ALLOWED),)
    )


@pytest.mark.parametrize("command", [LockExit(), UnlockExit()])
def test_with_no_port_no_answer_can_come(command: DeviceCommand) -> None:
    detail = "the shoe's port is not open"

    assert Table().asks(command) == DriverOutput(
        events=(CommandAnswered(type(command).__name__, CommandOutcome.NO_ANSWER, detail),)
    )


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        (ClearError(3), "this shoe clears its own errors once people have mended the cause"),
        (ListTags(), "this shoe reads cards in play: list a pile on an enrolment reader"),
        (
            OrderShuffler(ShufflerOrder.SHUFFLE, 1),
            "this is a shoe: order the shuffler at its own port",
        ),
    ],
)
def test_what_this_shoe_cannot_do_is_refused_with_what_to_do(
    command: DeviceCommand, detail: str
) -> None:
    table = Table()
    table.online()

    name = type(command).__name__
    assert table.asks(command) == DriverOutput(
        events=(CommandAnswered(name, CommandOutcome.REFUSED, detail),)
    )


def test_a_shoe_that_reports_unasked_need_not_be_watched() -> None:
    assert Table().asks(Watch(closely=True)) == DriverOutput()
