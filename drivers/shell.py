"""The shell of every driver: port events to its link, the link's items to device events, commands.

It keeps the stage of the device's life and reports each change once. A driver adds what its device
means by an item, and what becomes of a command.
"""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from drivers.commands import DeviceCommand, SetPolling
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage, StageChanged
from drivers.interface import DriverOutput
from firmware_bridge.link import LinkFault, LinkOutput
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

# A port may be lost at any stage and opened again at any stage; in between the stage only advances.
FOLLOWERS = MappingProxyType(
    {
        Stage.CLOSED: (Stage.OPENED, Stage.LOST),
        Stage.OPENED: (Stage.IDENTIFIED, Stage.LOST),
        Stage.IDENTIFIED: (Stage.ONLINE, Stage.OPENED, Stage.LOST),
        Stage.ONLINE: (Stage.OPENED, Stage.LOST),
        Stage.LOST: (Stage.OPENED,),
    }
)

# A stage to move to, and why.
StageStep: TypeAlias = tuple[Stage, Message]
OPENED: Final[StageStep] = (Stage.OPENED, message("port_open"))


def advance(stage: Stage, to: Stage, detail: Message) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after moving to `to`, and the event if that is an allowed change."""
    if to not in FOLLOWERS[stage]:
        return stage, ()
    return to, (StageChanged(to, detail),)


def advance_through(
    stage: Stage, steps: Iterable[StageStep]
) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after each of these moves in turn, and an event for each allowed change."""
    events: list[StageChanged] = []
    for to, detail in steps:
        stage, changed = advance(stage, to, detail)
        events.extend(changed)
    return stage, tuple(events)


UNDERSTOOD: Final[tuple[StageStep, ...]] = (
    (Stage.IDENTIFIED, message("first_good_frame_received")),
    (Stage.ONLINE, message("first_report_understood")),
)
LinkT = TypeVar("LinkT")


class LinkedState(Struct, Generic[LinkT], frozen=True):
    """The least that a driver remembers: its stage, and the state of its link."""

    stage: Stage
    link: LinkT


class _Linked(Protocol):
    """What the shell knows of a driver's state; it is a struct."""

    @property
    def stage(self) -> Stage: ...

    @property
    def link(self) -> Any: ...


StateT = TypeVar("StateT", bound=_Linked)
ItemT = TypeVar("ItemT")
Linked: TypeAlias = tuple[Any, LinkOutput[Any]]
# The state after some items, the events, and what is to be requested of the device.
Applied: TypeAlias = tuple[StateT, tuple[DeviceEvent, ...], tuple[Any, ...]]


class LinkDriver(Struct, Generic[StateT, ItemT], frozen=True):
    """Implements drivers.interface.Driver for a device behind a link. Total: no input raises."""

    @property
    def link(self) -> Any:
        """The link (firmware_bridge.link.Link), with its settings."""
        raise NotImplementedError

    def initial(self) -> StateT:
        """The state before the port was first opened."""
        raise NotImplementedError

    def item(self, state: StateT, item: ItemT, at: Timestamp) -> tuple[StateT, Any]:
        """The state after one item of the link, and a tuple of its device events."""
        raise NotImplementedError

    def reached(self, state: StateT, link: Any, items: tuple[Any, ...]) -> tuple[StageStep, ...]:
        """The stages that the link's new state and its items prove."""
        understood = any(not isinstance(one, LinkFault) for one in items)
        return UNDERSTOOD if understood else ()

    def request(self, state: StateT, command: DeviceCommand) -> Any:
        """What to send for a command; else its answer, or None where it means nothing here."""
        if isinstance(command, SetPolling):
            return None
        return refused(command, message("device_takes_no_commands"))

    def opened(self, state: StateT, event: PortOpened) -> Linked:
        """Let the link know that its port is open."""
        linked: Linked = self.link.opened(state.link, event.at)
        return linked

    def received(self, state: StateT, event: Chunk) -> Linked:
        """Let the link have received bytes."""
        linked: Linked = self.link.receive(state.link, event.data, event.at)
        return linked

    def closed(self, state: StateT, event: PortLost) -> Linked:
        """Let the link know that its port is lost."""
        linked: Linked = self.link.closed(state.link, event.at)
        return linked

    def receive(self, state: StateT, event: PortEvent) -> tuple[StateT, DriverOutput]:
        """Process one event of the port."""
        match event:
            case Chunk():
                return self._conclude(state, self.received(state, event), event.at)
            case PortOpened():
                return self._conclude(state, self.opened(state, event), event.at, OPENED)
            case PortLost(at=at, reason=reason):
                return self._conclude(state, self.closed(state, event), at, (Stage.LOST, reason))
            case _:
                assert_never(event)

    def split(self, _state: StateT, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes so that each part completes at most one frame."""
        return (data,)

    def command(
        self, state: StateT, command: DeviceCommand, at: Timestamp
    ) -> tuple[StateT, DriverOutput]:
        """Send a command; answered at once where it is not allowed or not possible."""
        request = self.request(state, command)
        if request is None or isinstance(request, CommandAnswered):
            return state, DriverOutput(() if request is None else (request,))
        return self.send(state, request, at)

    def send(self, state: StateT, request: Any, at: Timestamp) -> tuple[StateT, DriverOutput]:
        """Send a request; its answer comes as an item."""
        return self._conclude(state, self.link.send(state.link, request, at), at)

    def tick(self, state: StateT, at: Timestamp) -> tuple[StateT, DriverOutput]:
        """Process deadlines that have passed."""
        return self._conclude(state, self.link.tick(state.link, at), at)

    def next_deadline_ns(self, state: StateT) -> int | None:
        """Monotonic time of the next deadline, or None."""
        due_ns: int | None = self.link.next_deadline_ns(state.link)
        return due_ns

    def apply(
        self,
        state: StateT,
        link: Any,
        items: tuple[Any, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> Applied[StateT]:
        """Apply the link's new state and items; `steps` are the stages of the port's event."""
        state, events = self.advance(state, link, items, at, steps)
        for item in items:
            state, found = self.item(state, item, at)
            events = (*events, *found)
        return state, events, ()

    def advance(
        self,
        state: StateT,
        link: Any,
        items: tuple[Any, ...],
        _at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[StateT, tuple[DeviceEvent, ...]]:
        """Take over the link's new state, with the stages that it brings."""
        steps = (*steps, *self.reached(state, link, items))
        stage, changed = advance_through(state.stage, steps)
        if link is not state.link or stage is not state.stage:
            state = replace(state, stage=stage, link=link)  # type: ignore[type-var]
        return state, changed

    def _conclude(
        self, state: StateT, linked: Linked, at: Timestamp, *steps: StageStep
    ) -> tuple[StateT, DriverOutput]:
        link, output = linked
        state, events, requests = self.apply(state, link, output.items, at, steps)
        concluded = DriverOutput(events, output.to_write, output.at_once)
        for request in requests:
            state, more = self.send(state, request, at)
            concluded = DriverOutput(
                (*concluded.events, *more.events),
                (*concluded.to_write, *more.to_write),
                (*concluded.at_once, *more.at_once),
            )
        return state, concluded


def refused(command: DeviceCommand, detail: Message) -> CommandAnswered:
    """The answer to a command that a device cannot execute; `detail` says what to do instead."""
    return CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, detail)


def unanswered(command: DeviceCommand, detail: Message) -> CommandAnswered:
    """The answer to a command that did not reach its device."""
    return CommandAnswered(type(command).__name__, CommandOutcome.NO_ANSWER, detail)


def is_closed(state: _Linked) -> bool:
    """Whether the port is not open."""
    return state.stage in (Stage.CLOSED, Stage.LOST)
