"""The shell of every driver: what it collects of a link, and in which order."""

from itertools import product

from msgspec import Struct

from drivers.commands import ClearError, LockExit, SetPolling
from drivers.events import CommandOutcome, DeviceEvent, ForcedExitUsed, Stage, StageChanged
from drivers.interface import DriverOutput
from drivers.shell import FOLLOWERS, LinkDriver, LinkedState, StageStep, advance
from firmware_bridge.link import LinkOutput
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

WHY = message("device_answered")


def test_a_change_is_reported_exactly_when_it_is_allowed() -> None:
    for stage, to in product(Stage, repeat=2):
        allowed = to in FOLLOWERS[stage]
        expected = (to, (StageChanged(to, WHY),)) if allowed else (stage, ())

        assert advance(stage, to, WHY) == expected, (stage, to)


def test_no_stage_follows_itself_and_none_returns_to_closed() -> None:
    for stage in Stage:
        assert stage not in FOLLOWERS[stage]
        assert Stage.CLOSED not in FOLLOWERS[stage]


AT = Timestamp(1, 1)
State = LinkedState[int]


class EchoLink(Struct, frozen=True):
    """Every call is an item; its state counts them."""

    def opened(self, state: int, _at: Timestamp) -> tuple[int, LinkOutput[str]]:
        return state + 1, LinkOutput(("opened",), (b"w1",), (b"a1",))

    def receive(self, state: int, data: bytes, _at: Timestamp) -> tuple[int, LinkOutput[str]]:
        return state + 1, LinkOutput((data.decode(),), (b"w2",), (b"a2",))

    def send(self, state: int, request: str, _at: Timestamp) -> tuple[int, LinkOutput[str]]:
        return state + 1, LinkOutput((request,), (b"w3",), (b"a3",))


class EchoDriver(LinkDriver[State, str], frozen=True):
    """Asks once more for each item that ends with a question mark."""

    @property
    def link(self) -> EchoLink:
        return EchoLink()

    def initial(self) -> State:
        return State(Stage.CLOSED, 0)

    def apply(
        self,
        state: State,
        link: int,
        items: tuple[str, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[State, tuple[DeviceEvent, ...], tuple[str, ...]]:
        state, events, _none = super().apply(state, link, items, at, steps)
        return state, events, tuple(one.rstrip("?") for one in items if one.endswith("?"))

    def item(self, state: State, item: str, at: Timestamp) -> tuple[State, tuple[DeviceEvent, ...]]:
        return state, (ForcedExitUsed(),)


def after_opening() -> tuple[State, DriverOutput]:
    driver = EchoDriver()
    return driver.receive(driver.initial(), PortOpened("p", AT, bytes(32)))


def test_the_stages_of_a_port_come_before_its_items_and_in_order() -> None:
    state, output = after_opening()

    stages = [one.stage for one in output.events if isinstance(one, StageChanged)]
    assert stages == [Stage.OPENED, Stage.IDENTIFIED, Stage.ONLINE] == [*stages[:2], state.stage]
    assert isinstance(output.events[-1], ForcedExitUsed)


def test_what_a_request_brings_comes_after_what_asked_for_it() -> None:
    state, output = EchoDriver().receive(after_opening()[0], Chunk("p", AT, b"and?"))

    assert (output.to_write, output.at_once) == ((b"w2", b"w3"), (b"a2", b"a3"))
    assert output.events == (ForcedExitUsed(), ForcedExitUsed())
    assert state.link == 3


def test_a_device_that_says_nothing_of_commands_refuses_them() -> None:
    driver, (state, _output) = EchoDriver(), after_opening()

    for command in (LockExit(), ClearError(1)):
        after, output = driver.command(state, command, AT)
        (answer,) = output.events
        assert (answer.command, answer.outcome) == (type(command).__name__, CommandOutcome.REFUSED)
        assert (after, output.to_write, output.at_once) == (state, (), ())
    assert driver.command(state, SetPolling(closely=True), AT) == (state, DriverOutput())
