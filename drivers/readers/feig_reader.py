"""What all FEIG readers of a table share, wherever they stand: link, life cycle, faults, commands.

Responsible for: from port events to what the reader said, in order, with the stages of its life;
the meaning of what any reader says of itself; and refusing what no reader of cards in play can do.
Not responsible for: bytes (firmware_bridge.feig) and for what a tag means at the place where the
reader stands (shoes.rfid_shoe, placed_reader, inventory_reader).
Source: package README, "Readers".
"""

from dataclasses import field
from typing import TypeAlias, assert_never

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    UnlockExit,
    Watch,
)
from drivers.events import (
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    LossReason,
    ReportsLost,
    Stage,
    StageChanged,
)
from drivers.faults import DeviceFault
from drivers.lifecycle import advance_through
from firmware_bridge.feig.items import (
    BlocksRead,
    BufferOverflowed,
    BufferRecord,
    ContinuityUnproven,
    FeigItem,
    FeigRequest,
    InventoryDone,
    KeepAlive,
    ReaderIdentified,
    RepeatsDropped,
    RequestFailed,
    SetPace,
    TagInventoried,
)
from firmware_bridge.feig.link import FeigLink, Linked
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState, Question
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

_IDENTIFIED = "the reader said who it is, or sent a good frame unasked"
_ONLINE = "the first report or answer was understood"
_FIRST_QUESTIONS = (Question.VERSION, Question.TIMER)
_UNDERSTOOD = (BufferRecord, BufferOverflowed, RepeatsDropped, KeepAlive, ContinuityUnproven)

Said: TypeAlias = FeigItem | StageChanged | DeviceFault | CommandAnswered


@dataclass(frozen=True, slots=True)
class FeigReaderState:
    stage: Stage
    link: FeigLinkState


@dataclass(frozen=True, slots=True)
class ReaderOutput:
    """What one call gave, in the order it happened, and bytes to write as in DriverOutput."""

    said: tuple[Said, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


Read: TypeAlias = tuple[FeigReaderState, ReaderOutput]


@dataclass(frozen=True, slots=True)
class FeigReader:
    """One reader. Total: no input raises."""

    settings: FeigLinkSettings = field(default_factory=FeigLinkSettings)

    def initial(self) -> FeigReaderState:
        """The state before the port was ever opened."""
        return FeigReaderState(Stage.CLOSED, self._link.initial())

    def receive(self, state: FeigReaderState, event: PortEvent) -> Read:
        """Take what the port tells."""
        match event:
            case PortOpened(at=at):
                return _up(state, self._link.opened(state.link, at), Stage.OPENED, "port open")
            case Chunk(at=at, data=data):
                return _up(state, self._link.receive(state.link, data, at))
            case PortLost(at=at, reason=reason):
                return _up(state, self._link.closed(state.link, at), Stage.LOST, reason)
            case _:
                assert_never(event)

    def ask(self, state: FeigReaderState, request: FeigRequest, at: Timestamp) -> Read:
        """Ask the reader for something; its answer comes as an item."""
        return _up(state, self._link.send(state.link, request, at))

    def command(self, state: FeigReaderState, command: DeviceCommand, at: Timestamp) -> Read:
        """What may be asked of a reader of cards in play: to be watched closely or idly."""
        match command:
            case Watch(closely):
                return self.ask(state, SetPace(closely), at)
            case LockExit() | UnlockExit():
                detail = "this device has no lock: the dealer is to be told to stop, or to go on"
            case ClearError():
                detail = "a reader holds no error to clear: what it reports is told as it comes"
            case ListTags():
                detail = "this reader watches cards in play: list a pile on an enrolment reader"
            case OrderShuffler():
                detail = "this is a reader: order the shuffler at its own port"
            case _:
                assert_never(command)
        return state, ReaderOutput(said=(refusal(command, detail),))

    def tick(self, state: FeigReaderState, at: Timestamp) -> Read:
        """A deadline may have passed."""
        return _up(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: FeigReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> FeigLink:
        return FeigLink(self.settings)


def refusal(command: DeviceCommand, detail: str) -> CommandAnswered:
    """The answer to what a device cannot do; `detail` says what to do instead."""
    return CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, detail)


def events_of(said: Said) -> tuple[DeviceEvent, ...]:
    """What any reader says of itself; of tags it is for the place to say what they mean."""
    match said:
        case StageChanged() | DeviceFault() | CommandAnswered():
            return (said,)
        case BufferOverflowed():
            detail = "the reader's buffer was full: cards passed that it could not keep"
            return (
                DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, detail),
                ReportsLost(LossReason.GAP, 0),
            )
        case ContinuityUnproven():
            detail = "the reader may have lost its buffer while its port was not read"
            return (
                DeviceFault(LinkFaultKind.CONTINUITY_UNPROVEN, detail),
                ReportsLost(LossReason.UNPROVEN, 0),
            )
        case RequestFailed(request, status, detail):
            if status is None:
                return (DeviceFault(LinkFaultKind.NO_ANSWER, f"{request}: {detail}"),)
            refused = f"{request} refused with status {status:02X}: {detail}"
            return (DeviceFault(LinkFaultKind.DEVICE_STATUS, refused),)
        case ReaderIdentified() | KeepAlive() | RepeatsDropped():
            return ()
        case BufferRecord() | TagInventoried() | InventoryDone() | BlocksRead():
            return ()
        case _:
            assert_never(said)


def _up(state: FeigReaderState, linked: Linked, to: Stage | None = None, detail: str = "") -> Read:
    """What the link gave, one level up; `to` is the stage that the port's event brought."""
    link, output = linked
    stages = () if to is None else ((to, detail),)
    heard = _stages_heard(link, output.items)
    stage, changed = advance_through(state.stage, (*stages, *heard))
    said: list[Said] = list(changed)
    for item in output.items:
        if not isinstance(item, LinkFault):
            said.append(item)
        elif item.kind is not LinkFaultKind.BUFFER_OVERFLOW:
            # That one comes with BufferOverflowed, which is told as a fault and a loss.
            said.append(DeviceFault(item.kind, item.detail))
    state = replace(state, stage=stage, link=link)
    return state, ReaderOutput(tuple(said), output.to_write, output.at_once)


def _stages_heard(
    link: FeigLinkState, items: tuple[FeigItem | LinkFault, ...]
) -> tuple[tuple[Stage, str], ...]:
    """The stages that are true by what was heard."""
    # A link that has asked on from version and timer had its answer to both.
    asked = None if link.asked is None else link.asked.question
    answered = link.identified and not link.silent and asked not in _FIRST_QUESTIONS
    if answered or any(isinstance(item, _UNDERSTOOD) for item in items):
        return ((Stage.IDENTIFIED, _IDENTIFIED), (Stage.ONLINE, _ONLINE))
    return ((Stage.IDENTIFIED, _IDENTIFIED),) if link.identified else ()
