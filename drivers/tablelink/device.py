"""A TableLink device at its port, shoe or shuffler: from port events to what it said, in order.

Responsible for: bringing the port's events to the link and the link's items up, and asking for the
status of a device that was let in: what it holds is not known after a restart.
Not responsible for: the stages of its life (life), bytes and identity (firmware_bridge.tablelink),
and the meaning of what a shoe (shoes.tablelink_shoe) or a shuffler (shufflers.tablelink_shuffler)
tells.
Source: package README, "TableLink devices".
"""

from dataclasses import field
from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.tablelink import life as lives
from drivers.tablelink.life import Life
from drivers.tablelink.texts import harmless
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.tablelink.bodies import Status
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    Happened,
    Order,
    Request,
    TableLinkItem,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

# What is left for the shoe's or the shuffler's own mapping.
Said: TypeAlias = DeviceEvent | Happened | Answered | Status

_STATUS = Request(Order.STATUS)
# The link answers every request; should it owe more than this, who asked is not followed.
_STATUS_ASKED_MAX = 32


@dataclass(frozen=True, slots=True)
class TableLinkDeviceState:
    """`asked` are the questions for its status that wait for an answer: True where a person asked.

    They are answered in their order. `early` is what the device holds by an answer that overtook
    its events.
    """

    link: TableLinkState
    life: Life = field(default_factory=Life)
    asked: tuple[bool, ...] = ()
    early: Status | None = None

    @property
    def stage(self) -> Stage:
        return self.life.stage


@dataclass(frozen=True, slots=True)
class DeviceOutput:
    """What one call gave, in the order it happened, and bytes to write as in DriverOutput."""

    said: tuple[Said, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


Spoken: TypeAlias = tuple[TableLinkDeviceState, DeviceOutput]
Linked: TypeAlias = tuple[TableLinkState, LinkOutput[TableLinkItem]]


@dataclass(frozen=True, slots=True)
class TableLinkDevice:
    """One device. Total: no input raises."""

    settings: TableLinkSettings

    def initial(self) -> TableLinkDeviceState:
        """The state before the port was ever opened."""
        return TableLinkDeviceState(self._link.initial())

    def receive(self, state: TableLinkDeviceState, event: PortEvent) -> Spoken:
        """Take what the port tells."""
        match event:
            case PortOpened(at=at, entropy=entropy):
                life, events = lives.port_opened(state.life)
                linked = self._link.opened(state.link, at, entropy)
            case PortLost(at=at, reason=reason):
                life, events = lives.port_lost(state.life, reason)
                linked = self._link.closed(state.link, at)
            case Chunk(at=at, data=data):
                life, events = state.life, ()
                linked = self._link.receive(state.link, data, at)
            case _:
                assert_never(event)
        state, output = self._up(replace(state, life=life), linked, at)
        return state, replace(output, said=(*events, *output.said))

    def ask(self, state: TableLinkDeviceState, request: Request, at: Timestamp) -> Spoken:
        """A person or the table asks for something; it is answered by an item."""
        if request == _STATUS:
            state = _asking(state, by_person=True)
        return self._up(state, self._link.send(state.link, request, at), at)

    def tick(self, state: TableLinkDeviceState, at: Timestamp) -> Spoken:
        """A deadline may have passed."""
        return self._up(state, self._link.tick(state.link, at), at)

    def next_deadline_ns(self, state: TableLinkDeviceState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    def _up(self, state: TableLinkDeviceState, linked: Linked, at: Timestamp) -> Spoken:
        link, output = linked
        state, said = hear(state, link, output.items)
        let_in = any(isinstance(item, Admitted) for item in output.items)
        if not let_in or state.stage is not Stage.ONLINE:
            return state, DeviceOutput(said, output.to_write, output.at_once)
        link, asking = self._link.send(state.link, _STATUS, at)
        state, more = hear(_asking(state, by_person=False), link, asking.items)
        return state, DeviceOutput(
            (*said, *more),
            (*output.to_write, *asking.to_write),
            (*output.at_once, *asking.at_once),
        )

    @property
    def _link(self) -> TableLink:
        return TableLink(self.settings)


def hear(
    state: TableLinkDeviceState, link: TableLinkState, items: tuple[TableLinkItem | LinkFault, ...]
) -> tuple[TableLinkDeviceState, tuple[Said, ...]]:
    """What the link gave, one level up; `link` is its state after that."""
    last = _last(state.link)
    state = replace(state, link=link)
    heard: list[Said] = []
    for item in items:
        if isinstance(item, Admitted):
            last = None  # where counting goes on from, the link says with the device
            state = replace(state, early=None)
        elif isinstance(item, Happened):
            state, held = _held(state, item.number - 1)
            heard.extend(held)
            heard.extend(_unreadable(last, item.number - 1))
            last = item.number
        life, said = lives.hear(state.life, item)
        state = replace(state, life=life)
        for one in said:
            if isinstance(one, Answered) and one.request == _STATUS:
                state, told = _status_answered(state, one)
                heard.extend(told)
            else:
                heard.append(one)
    taken = _last(link)
    heard.extend(_unreadable(last, taken))
    state, held = _held(state, taken)
    return state, (*heard, *held)


def _held(
    state: TableLinkDeviceState, taken: int | None
) -> tuple[TableLinkDeviceState, tuple[Status, ...]]:
    """What the device holds, once all is taken that it had recorded when it said so."""
    early = state.early
    if early is None or (taken or 0) < early.recorded:
        return state, ()
    return replace(state, early=None), (early,)


def _last(link: TableLinkState) -> int | None:
    """The number of the last event that was taken."""
    return None if link.known is None else link.known.last


def _unreadable(last: int | None, taken: int | None) -> tuple[ReportsLost, ...]:
    """Events that were taken and gave none: they came whole, and their content made no sense."""
    if last is None or taken is None or taken <= last:
        return ()
    return (ReportsLost(LossReason.UNREADABLE, taken - last),)


def _status_answered(
    state: TableLinkDeviceState, answered: Answered
) -> tuple[TableLinkDeviceState, tuple[Said, ...]]:
    by_person, rest = (state.asked[0], state.asked[1:]) if state.asked else (False, ())
    state = replace(state, asked=rest)
    told = answered.told
    if by_person:
        return replace(state, early=told or state.early), (answered,)
    if False in rest:
        # Asked before the device was let in once more: it may be the answer it gave then.
        return state, ()
    if told is not None or state.stage is not Stage.ONLINE:
        return replace(state, early=told or state.early), ()
    detail = f"the device did not say what it holds: {harmless(answered.detail) or 'no answer'}"
    return state, (DeviceFault(LinkFaultKind.NO_ANSWER, detail),)


def _asking(state: TableLinkDeviceState, *, by_person: bool) -> TableLinkDeviceState:
    return replace(state, asked=(*state.asked, by_person)[:_STATUS_ASKED_MAX])
