"""Maps event bodies and the status of a TableLink shoe to device events.

What the shoe claims is passed on unchecked.

Source: firmware_bridge README, "TableLink/1", "Events".
"""

from enum import IntEnum
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from drivers.events import (
    CardPassed,
    CardRead,
    ClaimedUse,
    CutCardSeen,
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceStarted,
    Face,
    FaceSuit,
    LossReason,
    ReportsLost,
    TagPulledBack,
)
from drivers.faults import DeviceFault
from drivers.tablelink import common_events as own_affairs
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import DeviceMode, DeviceStatus, EventBody
from foundation.message import message
from foundation.recorded_text import ForeignText, Identifier


class ShoeError(IntEnum):
    """The errors of a TableLink shoe by the numbers this driver gives them."""

    EMPTY = 1
    LID_OPEN = 2
    JAM = 3
    SELF_TEST = 4
    NOT_IN_PLAY = 5
    CARDS_LEFT = 6


ERROR_MEANINGS = MappingProxyType(
    {
        ShoeError.EMPTY: message("shoe_is_empty"),
        ShoeError.LID_OPEN: message("lid_is_open"),
        ShoeError.JAM: message("card_is_jammed"),
        ShoeError.SELF_TEST: message("self_test_failed"),
        ShoeError.NOT_IN_PLAY: message("shoe_not_in_play"),
        ShoeError.CARDS_LEFT: message("cards_left_in_shoe"),
    }
)
# Error number of a warning: this plus the device's own code.
WARNINGS_FROM: Final = 1000

# A larger number of cards at once is not credible.
CARDS_AT_ONCE: Final = range(1, 9)
_TAG_BYTES_MAX: Final = 32
_RANKS = range(1, 14)
_SUITS = MappingProxyType(
    {1: FaceSuit.DIAMOND, 2: FaceSuit.CLUB, 3: FaceSuit.SPADE, 4: FaceSuit.HEART}
)

_CardBody: TypeAlias = (
    bodies.CardOut | bodies.CardRetracted | bodies.ReadFail | bodies.DoubleFeed | bodies.CutCardOut
)
_ShoeBody: TypeAlias = (
    bodies.ShoeLoaded
    | bodies.ShoeEmpty
    | bodies.Lid
    | bodies.Jam
    | bodies.SelfTest
    | bodies.PowerUp
    | bodies.ModeReport
    | bodies.WarningReport
    | bodies.Residual
)


def events_of(body: EventBody) -> tuple[DeviceEvent, ...]:
    """Map one event body of the shoe to device events, in order."""
    match body:
        case (
            bodies.CardOut()
            | bodies.CardRetracted()
            | bodies.ReadFail()
            | bodies.DoubleFeed()
            | bodies.CutCardOut()
        ):
            return _map_card_event(body)
        case (
            bodies.ShoeLoaded()
            | bodies.ShoeEmpty()
            | bodies.Lid()
            | bodies.Jam()
            | bodies.SelfTest()
            | bodies.PowerUp()
            | bodies.ModeReport()
            | bodies.WarningReport()
            | bodies.Residual()
        ):
            return _map_shoe_event(body)
        case (
            bodies.CompartmentReport()
            | bodies.BatchStarted()
            | bodies.BatchDone()
            | bodies.BatchAborted()
        ):
            return (DeviceFault(LinkFaultKind.MALFORMED, message("shoe_sent_shuffler_event")),)
        case _:
            return own_affairs.events_of(body)


def status_of(status: DeviceStatus) -> tuple[DeviceEvent, ...]:
    """Map a status to the errors that prevent dealing."""
    errors = (
        (status.door_open, ShoeError.LID_OPEN),
        (status.mode is not DeviceMode.PLAY, ShoeError.NOT_IN_PLAY),
        (status.residual > 0, ShoeError.CARDS_LEFT),
    )
    return tuple(_raised(error) for active, error in errors if active)


def _map_card_event(body: _CardBody) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.CardOut():
            return _map_card(body)
        case bodies.CardRetracted(tag):
            if not 0 < len(tag) <= _TAG_BYTES_MAX:
                detail = message("unknown_card_went_back")
                return (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
            return (TagPulledBack(_hex(tag)),)
        case bodies.ReadFail():
            return (CardPassed(None),)
        case bodies.DoubleFeed(cards):
            return _map_double_feed(cards)
        case bodies.CutCardOut():
            return (CutCardSeen(),)
        case _:
            assert_never(body)


def _map_card(body: bodies.CardOut) -> tuple[DeviceEvent, ...]:
    if len(body.tag) > _TAG_BYTES_MAX:
        detail = message("tag_not_valid", length=len(body.tag))
        return (DeviceFault(LinkFaultKind.MALFORMED, detail), CardPassed(None))
    if body.tag:
        return (CardPassed(_hex(body.tag)),)
    if not body.rank and not body.suit:
        return (CardPassed(None),)
    suit = _SUITS.get(body.suit)
    if body.rank not in _RANKS or suit is None:
        detail = message("face_not_valid")
        return (DeviceFault(LinkFaultKind.MALFORMED, detail), CardPassed(None))
    return (CardRead(ClaimedUse.UNCLAIMED, 0, Face(body.rank, suit), repeated=False),)


def _map_double_feed(cards: int) -> tuple[DeviceEvent, ...]:
    if cards not in CARDS_AT_ONCE:
        detail = message("incredible_double_feed", cards=cards)
        return (
            DeviceFault(LinkFaultKind.MALFORMED, detail),
            ReportsLost(LossReason.UNREADABLE, 1),
        )
    detail = message("double_feed", cards=cards)
    fault = DeviceFault(LinkFaultKind.DEVICE_STATUS, detail)
    return (fault, *[CardPassed(None)] * cards)


def _map_shoe_event(body: _ShoeBody) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.ShoeLoaded():
            return (_cleared(ShoeError.EMPTY), DeviceStarted())
        case bodies.ShoeEmpty():
            return (_raised(ShoeError.EMPTY),)
        case bodies.Lid(open=is_open):
            return (_error_event(ShoeError.LID_OPEN, active=is_open),)
        case bodies.Jam(cleared=cleared):
            return (_error_event(ShoeError.JAM, active=not cleared),)
        case bodies.SelfTest(passed, _detail):
            return (_error_event(ShoeError.SELF_TEST, active=not passed),)
        case bodies.PowerUp(boot_count, _broken_off):
            detail = message("shoe_restarted", boot=boot_count)
            return (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
        case bodies.ModeReport(mode):
            return (_error_event(ShoeError.NOT_IN_PLAY, active=mode is not DeviceMode.PLAY),)
        case bodies.WarningReport(code, text, active):
            return (_warning(code, text, active=active),)
        case bodies.Residual(cards=left):
            return (_error_event(ShoeError.CARDS_LEFT, active=left > 0),)
        case _:
            assert_never(body)


def _error_event(error: ShoeError, *, active: bool) -> DeviceEvent:
    return _raised(error) if active else _cleared(error)


def _raised(error: ShoeError) -> DeviceErrorRaised:
    # An empty shoe deals nothing, but nothing is wrong with it.
    blocking = error is not ShoeError.EMPTY
    return DeviceErrorRaised(error.value, ERROR_MEANINGS[error], blocking)


def _cleared(error: ShoeError) -> DeviceErrorCleared:
    return DeviceErrorCleared(error.value, ERROR_MEANINGS[error])


def _warning(code: int, text: ForeignText, *, active: bool) -> DeviceEvent:
    number = WARNINGS_FROM + code
    meaning = message("warning_of_shoe", code=code, foreign=text)
    if active:
        return DeviceErrorRaised(number, meaning, blocking=False)
    return DeviceErrorCleared(number, meaning)


def _hex(tag: bytes) -> Identifier:
    return tag.hex().upper()
