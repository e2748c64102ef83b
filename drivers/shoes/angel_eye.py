"""Driver of the Angel Eye II-EX dealing shoe: its link, and what its items and faults mean.

What the shoe claims is passed on unchecked.

Source: firmware_bridge README, "Angel Eye II-EX", codes.
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from drivers import events
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
    ClaimedUse,
    CommandAnswered,
    DeclaredWinner,
    DeviceEvent,
    Face,
    FaceSuit,
    OutsideReason,
    Stage,
)
from drivers.faults import DeviceFault
from drivers.shell import (
    UNDERSTOOD,
    LinkDriver,
    LinkedState,
    StageStep,
    is_closed,
    refused,
    unanswered,
)
from firmware_bridge.angel_eye import commands as wire
from firmware_bridge.angel_eye import frames, messages
from firmware_bridge.angel_eye.link import (
    PLAIN_PAYLOAD,
    AngelEyeItem,
    AngelEyeLink,
    AngelEyeLinkResult,
    AngelEyeLinkState,
    AngelEyeProgress,
    SequenceGap,
)
from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    CardFace,
    CardSuit,
    CardTarget,
    DeclaredResult,
    LockState,
    MalformedMessage,
    OutsideMode,
    StartMessage,
    UnknownMessage,
)
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortLost
from foundation.message import Message, message
from foundation.timestamp import Timestamp

ERROR_MEANINGS = MappingProxyType(
    {
        1: message("card_cannot_be_read"),
        2: message("card_was_overdrawn"),
        3: message("button_misused"),
        4: message("card_ran_backwards_at_exit"),
        5: message("card_ran_backwards_midway"),
        6: message("card_code_error"),
        7: message("drawing_took_too_long"),
    }
)
_UNKNOWN_ERROR = message("error_not_in_list")

_USES = MappingProxyType(
    {
        CardTarget.PLAYER: ClaimedUse.PLAYER,
        CardTarget.BANKER: ClaimedUse.BANKER,
        CardTarget.BURN: ClaimedUse.BURN_EXTRA,
        CardTarget.BURN_FIRST: ClaimedUse.BURN_FIRST,
        CardTarget.BURN_COUNTED: ClaimedUse.BURN_COUNTED,
    }
)
_SUITS = MappingProxyType(
    {
        CardSuit.DIAMOND: FaceSuit.DIAMOND,
        CardSuit.CLUB: FaceSuit.CLUB,
        CardSuit.SPADE: FaceSuit.SPADE,
        CardSuit.HEART: FaceSuit.HEART,
    }
)
_OUTSIDE_REASONS = MappingProxyType(
    {
        OutsideMode.LOCK: OutsideReason.LOCKED,
        OutsideMode.ERROR: OutsideReason.ERROR,
        OutsideMode.SETTING: OutsideReason.SETTING,
    }
)
_COMMAND_NAMES = MappingProxyType(
    {
        wire.LockCommand: "LockExit",
        wire.UnlockCommand: "UnlockExit",
        wire.ClearErrorCommand: "ClearError",
        wire.GameProcessQuery: "AskGameProcess",
    }
)

_ACKNOWLEDGED = message("acknowledged")

# A malformed report with one of these codes loses no card, no result and no new shoe.
_HARMLESS_CODES = frozenset("PEeLM")


def events_of(item: AngelEyeItem | LinkFault) -> tuple[DeviceEvent, ...]:
    """Map one item to device events, in order; none for answers that concern the link alone."""
    match item:
        case LinkFault(kind, detail):
            return (DeviceFault(kind, detail),)
        case SequenceGap(missing_min):
            return _gap(missing_min)
        case ContinuityUnproven():
            detail = message("nothing_proves_no_report_missed")
            return (
                DeviceFault(LinkFaultKind.CONTINUITY_UNPROVEN, detail),
                events.ReportsLost(events.LossReason.UNPROVEN, 0),
            )
        case wire.CommandDone(command):
            return _answered(command, events.CommandOutcome.DONE, _ACKNOWLEDGED)
        case wire.CommandRefused(command, detail):
            return _answered(command, events.CommandOutcome.REFUSED, detail)
        case wire.CommandTimedOut(command, detail):
            return _answered(command, events.CommandOutcome.NO_ANSWER, detail)
        case wire.ReadReply():
            return ()
        case _:
            return _message_events(item)


def error_meaning(code: int) -> Message:
    """The meaning of the shoe's error code according to its manual."""
    return ERROR_MEANINGS.get(code, _UNKNOWN_ERROR)


def _message_events(message: AngelEyeMessage) -> tuple[DeviceEvent, ...]:
    match message:
        case messages.CardInGame(target, index, face):
            return (events.CardRead(_USES[target], index, _face(face), repeated=False),)
        case messages.StartMessage():
            return (events.DeviceStarted(),)
        case messages.StandByMessage():
            return (events.StandByEntered(),)
        case messages.CardResent(target, index, face):
            return (events.CardRead(_USES[target], index, _face(face), repeated=True),)
        case messages.CardOutside(mode, face):
            return (events.CardOutsidePlay(_OUTSIDE_REASONS[mode], _face(face)),)
        case messages.CutCardMessage():
            return (events.CutCardSeen(),)
        case messages.ResultMessage():
            return (_result(message),)
        case messages.MalformedMessage() | messages.UnknownMessage():
            return _unreadable(message)
        case _:
            return (_status_event(message),)


def _status_event(
    message: messages.ErrorRaised | messages.ErrorCleared | messages.LockState | messages.Preset,
) -> DeviceEvent:
    match message:
        case messages.ErrorRaised(code, in_error_mode):
            return events.DeviceErrorRaised(code, error_meaning(code), blocking=in_error_mode)
        case messages.ErrorCleared(code):
            return events.DeviceErrorCleared(code, error_meaning(code))
        case messages.LockState(locked):
            return events.LockChanged(locked)
        case messages.Preset(address, value):
            return events.DeviceSettingChanged(address, value)
        case _:
            assert_never(message)


def _result(message: messages.ResultMessage) -> DeviceEvent:
    match message.result:
        case DeclaredResult.FORCED_EXIT:
            return events.ForcedExitUsed()
        case DeclaredResult.PLAYER:
            winner = DeclaredWinner.PLAYER
        case DeclaredResult.BANKER:
            winner = DeclaredWinner.BANKER
        case DeclaredResult.TIE:
            winner = DeclaredWinner.TIE
        case _:
            assert_never(message.result)
    return events.ResultButtonPressed(winner, message.player_pair, message.banker_pair)


def unread_fault(report: messages.MalformedMessage | messages.UnknownMessage) -> DeviceFault:
    """The fault of a report that came whole and was not understood; it shows no payload."""
    match report:
        case messages.MalformedMessage(code, why):
            detail = message("report_invalid", code=code, why=why)
            return DeviceFault(LinkFaultKind.MALFORMED, detail)
        case messages.UnknownMessage(code):
            # A byte above ASCII is not a code and may be anything, including a card's byte.
            detail = message("report_code_above_ascii")
            if code.isascii():
                detail = message("report_code_unknown", foreign=repr(code))
            return DeviceFault(LinkFaultKind.UNKNOWN_CODE, detail)
        case _:
            assert_never(report)


def _unreadable(
    report: messages.MalformedMessage | messages.UnknownMessage,
) -> tuple[DeviceEvent, ...]:
    fault = unread_fault(report)
    if report.code in _HARMLESS_CODES:
        return (fault,)
    return (fault, events.ReportsLost(events.LossReason.UNREADABLE, 1, fault.detail))


def _gap(missing_min: int) -> tuple[DeviceEvent, ...]:
    detail = message("shoe_reports_missing")
    if missing_min:
        detail = message("shoe_reports_missing_at_least", number=missing_min)
    return (
        DeviceFault(LinkFaultKind.SEQUENCE_GAP, detail),
        events.ReportsLost(events.LossReason.GAP, missing_min),
    )


def _answered(
    command: wire.AngelEyeCommand, outcome: events.CommandOutcome, detail: Message
) -> tuple[DeviceEvent, ...]:
    return (events.CommandAnswered(_COMMAND_NAMES[type(command)], outcome, detail),)


def _face(face: CardFace | None) -> Face | None:
    return None if face is None else Face(face.rank, _SUITS[face.suit])


_ERROR_CODE_MAX = 99

_STAGES_REACHED = MappingProxyType(
    {
        AngelEyeProgress.NOTHING: (),
        AngelEyeProgress.FRAME: UNDERSTOOD[:1],
        AngelEyeProgress.UNDERSTOOD: UNDERSTOOD,
    }
)


class AngelEyeShoeSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)
    allow_commands: bool = False


class UnreadReports(Struct, frozen=True):
    """How many reports came whole and were not understood, and why the last was not."""

    count: int
    last: Message


class AngelEyeShoeState(LinkedState[AngelEyeLinkState], frozen=True, tag="angel-eye-shoe-state"):
    """`locked` is the lock's state as last reported; None while it is unknown.

    After a restart, or after the port was not read for a while, the shoe has yet to report it.
    `unread`: the reports of this opening that were not understood; left out where there are none.
    """

    locked: bool | None = None
    unread: UnreadReports | UnsetType = UNSET

    @property
    def remarks(self) -> tuple[Message, ...]:
        """What was not understood since the port was opened, and a form that was learnt."""
        remarks = (PLAIN_PAYLOAD.detail,) if self.link.plain else ()
        if self.unread is UNSET:
            return remarks
        count, last = self.unread.count, self.unread.last
        return (message("reports_not_understood", count=count, last=last), *remarks)


class AngelEyeShoe(LinkDriver[AngelEyeShoeState, AngelEyeItem | LinkFault], frozen=True):
    settings: AngelEyeShoeSettings = field(default_factory=AngelEyeShoeSettings)

    @property
    def link(self) -> AngelEyeLink:
        return AngelEyeLink(self.settings.link)

    def initial(self) -> AngelEyeShoeState:
        """The state before the port was first opened."""
        return AngelEyeShoeState(Stage.CLOSED, self.link.initial())

    def received(self, state: AngelEyeShoeState, event: Chunk) -> AngelEyeLinkResult:
        """Let the link have received bytes, and know how long they may have waited."""
        return self.link.receive(state.link, event.data, event.at, event.waited_ns)

    def closed(self, state: AngelEyeShoeState, event: PortLost) -> AngelEyeLinkResult:
        """Let the link know that its port is lost, and up to when all it brought was read."""
        return self.link.closed(state.link, event.at, event.read_until)

    def split(self, state: AngelEyeShoeState, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each report."""
        plain = self.settings.link.payload is not PayloadForm.BIT_7
        return frames.split(state.link.unframed, data, plain=plain)

    def request(
        self, state: AngelEyeShoeState, command: DeviceCommand
    ) -> wire.AngelEyeCommand | CommandAnswered | None:
        """What to send for a command, or its answer; this shoe reports unasked."""
        match command:
            case SetPolling():
                return None
            case ListTags():
                return refused(command, message("shoe_reads_faces_not_tags"))
            case OrderShuffler():
                return refused(command, message("this_is_a_shoe"))
            case _ if not self.settings.allow_commands:
                return refused(command, message("commands_to_shoe_not_allowed"))
            case _ if is_closed(state):
                return unanswered(command, message("shoe_port_not_open"))
            case LockExit():
                return wire.LockCommand()
            case UnlockExit():
                return wire.UnlockCommand()
            case ClearError(code) if not 0 <= code <= _ERROR_CODE_MAX:
                return refused(command, message("error_code_has_two_digits", code=code))
            case ClearError(code):
                return wire.ClearErrorCommand(code)
            case _:
                assert_never(command)

    def reached(
        self, state: AngelEyeShoeState, link: AngelEyeLinkState, _items: object
    ) -> tuple[StageStep, ...]:
        """The stages that the link's progress proves."""
        return () if link.progress is state.link.progress else _STAGES_REACHED[link.progress]

    def advance(
        self,
        state: AngelEyeShoeState,
        link: AngelEyeLinkState,
        items: tuple[AngelEyeItem | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[AngelEyeShoeState, tuple[DeviceEvent, ...]]:
        """Take over the link's new state; a port that was opened or lost says nothing of a lock."""
        state, changed = super().advance(state, link, items, at, steps)
        if steps:
            state = replace(state, locked=None, unread=UNSET)
        return state, changed

    def item(
        self, state: AngelEyeShoeState, item: AngelEyeItem | LinkFault, at: Timestamp
    ) -> tuple[AngelEyeShoeState, tuple[DeviceEvent, ...]]:
        """Map one item of the link."""
        locked = state.locked
        if isinstance(item, LockState):
            locked = item.locked
        elif isinstance(item, StartMessage):
            locked = None
        elif isinstance(item, MalformedMessage | UnknownMessage):
            before = 0 if state.unread is UNSET else state.unread.count
            unread = UnreadReports(before + 1, unread_fault(item).detail)
            state = replace(state, unread=unread)
        if locked is not state.locked:
            state = replace(state, locked=locked)
        return state, events_of(item)
