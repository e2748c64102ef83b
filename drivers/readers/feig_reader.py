"""Common part of the FEIG reader drivers: link, life cycle, faults and refused commands.

Not: what a tag means, which depends on where the reader is installed.

Source: drivers/README.md, "Readers".
"""

from typing import Final, TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    UnlockExit,
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
from drivers.lifecycle import OPENED, StageStep, advance_through
from firmware_bridge.feig.items import (
    BlocksRead,
    BufferOverflow,
    BufferRecord,
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
from firmware_bridge.feig.link import FeigLink, FeigLinkResult
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState, Question
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from firmware_bridge.message import Message, message
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

_IDENTIFIED: Final[StageStep] = (Stage.IDENTIFIED, message("reader_identified"))
_ONLINE: Final[StageStep] = (Stage.ONLINE, message("first_report_or_answer_understood"))
_FIRST_QUESTIONS = (Question.VERSION, Question.TIMER)
_UNDERSTOOD = (BufferRecord, BufferOverflow, RepeatsDropped, KeepAlive, ContinuityUnproven)

ReaderReport: TypeAlias = FeigItem | StageChanged | DeviceFault | CommandAnswered


class FeigReaderState(Struct, frozen=True):
    stage: Stage
    link: FeigLinkState


class ReaderOutput(Struct, frozen=True):
    """The result of one call: reports in the order they happened, bytes as in DriverOutput."""

    reports: tuple[ReaderReport, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


ReaderStep: TypeAlias = tuple[FeigReaderState, ReaderOutput]


class FeigReader(Struct, frozen=True):
    """One reader. Total: no input raises."""

    settings: FeigLinkSettings = field(default_factory=FeigLinkSettings)

    def initial(self) -> FeigReaderState:
        """The state before the port was first opened."""
        return FeigReaderState(Stage.CLOSED, self._link.initial())

    def receive(self, state: FeigReaderState, event: PortEvent) -> ReaderStep:
        """Process one event of the port."""
        match event:
            case PortOpened(at=at):
                return _map_output(state, self._link.opened(state.link, at), OPENED)
            case Chunk(at=at, data=data):
                return _map_output(state, self._link.receive(state.link, data, at))
            case PortLost(at=at, reason=reason):
                return _map_output(state, self._link.closed(state.link, at), (Stage.LOST, reason))
            case _:
                assert_never(event)

    def send_request(
        self, state: FeigReaderState, request: FeigRequest, at: Timestamp
    ) -> ReaderStep:
        """Send a request; its answer comes as a report."""
        return _map_output(state, self._link.send(state.link, request, at))

    def command(self, state: FeigReaderState, command: DeviceCommand, at: Timestamp) -> ReaderStep:
        """Process a command; a reader of cards in play accepts only SetPolling."""
        match command:
            case SetPolling(closely):
                return self.send_request(state, SetPace(closely), at)
            case LockExit() | UnlockExit():
                detail = message("device_has_no_lock")
            case ClearError():
                detail = message("reader_stores_no_error")
            case ListTags():
                detail = message("reader_reads_cards_in_play")
            case OrderShuffler():
                detail = message("this_is_a_reader")
            case _:
                assert_never(command)
        return state, ReaderOutput(reports=(refusal(command, detail),))

    def tick(self, state: FeigReaderState, at: Timestamp) -> ReaderStep:
        """Process deadlines that have passed."""
        return _map_output(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: FeigReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> FeigLink:
        return FeigLink(self.settings)


def refusal(command: DeviceCommand, detail: Message) -> CommandAnswered:
    """The answer to a command a device cannot execute; `detail` says what to do instead."""
    return CommandAnswered(type(command).__name__, CommandOutcome.REFUSED, detail)


def events_of(report: ReaderReport) -> tuple[DeviceEvent, ...]:
    """Map a report about the reader itself; reports of tags mean nothing without the place."""
    match report:
        case StageChanged() | DeviceFault() | CommandAnswered():
            return (report,)
        case BufferOverflow():
            return (
                DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, message("reader_could_not_record")),
                ReportsLost(LossReason.GAP, 0),
            )
        case ContinuityUnproven():
            detail = message("reader_may_have_lost_buffer")
            return (
                DeviceFault(LinkFaultKind.CONTINUITY_UNPROVEN, detail),
                ReportsLost(LossReason.UNPROVEN, 0),
            )
        case RequestFailed(request, status, detail):
            if status is None:
                failed = message("reader_request_failed", request=request, why=detail)
                return (DeviceFault(LinkFaultKind.NO_ANSWER, failed),)
            refused = message(
                "reader_request_refused", request=request, status=f"{status:02X}", why=detail
            )
            return (DeviceFault(LinkFaultKind.DEVICE_STATUS, refused),)
        case ReaderIdentified() | KeepAlive() | RepeatsDropped():
            return ()
        case BufferRecord() | TagInventoried() | InventoryDone() | BlocksRead():
            return ()
        case _:
            assert_never(report)


def _map_output(
    state: FeigReaderState, linked: FeigLinkResult, to: StageStep | None = None
) -> ReaderStep:
    """Map the link's output; `to` is the stage that the port's event brings."""
    link, output = linked
    stages = () if to is None else (to,)
    reached = _stages_reached(link, output.items)
    stage, changed = advance_through(state.stage, (*stages, *reached))
    reports: list[ReaderReport] = list(changed)
    for item in output.items:
        if not isinstance(item, LinkFault):
            reports.append(item)
        elif item.kind is not LinkFaultKind.BUFFER_OVERFLOW:
            # It comes with BufferOverflowed, which gives a fault and a loss.
            reports.append(DeviceFault(item.kind, item.detail))
    state = replace(state, stage=stage, link=link)
    return state, ReaderOutput(tuple(reports), output.to_write, output.at_once)


def _stages_reached(
    link: FeigLinkState, items: tuple[FeigItem | LinkFault, ...]
) -> tuple[StageStep, ...]:
    """The stages reached, judged by the link's state and items."""
    # A link that has gone on from version and timer had its answer to both.
    pending = None if link.outstanding is None else link.outstanding.question
    answered = link.identified and not link.silence_reported and pending not in _FIRST_QUESTIONS
    if answered or any(isinstance(item, _UNDERSTOOD) for item in items):
        return (_IDENTIFIED, _ONLINE)
    return (_IDENTIFIED,) if link.identified else ()
