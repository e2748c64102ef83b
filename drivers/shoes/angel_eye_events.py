"""Maps items and faults of an Angel Eye II-EX link to device events.

Source: firmware_bridge README, "Angel Eye II-EX", codes.
"""

from types import MappingProxyType
from typing import assert_never

from drivers import events
from drivers.events import ClaimedUse, DeclaredWinner, DeviceEvent, Face, FaceSuit, OutsideReason
from drivers.faults import DeviceFault
from firmware_bridge.angel_eye import commands as wire
from firmware_bridge.angel_eye import messages
from firmware_bridge.angel_eye.link import AngelEyeItem, SequenceGap
from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    CardFace,
    CardSuit,
    CardTarget,
    DeclaredResult,
    OutsideMode,
)
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from foundation.message import Message, message

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
