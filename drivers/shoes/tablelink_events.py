"""What each thing a TableLink shoe tells means in any maker's shoe.

Responsible for: one total mapping from the bodies of its events and of its status to device events,
and the names of its errors.
Not responsible for: state (tablelink_shoe), identity and silence (drivers.tablelink), and for which
card a tag is (controller). What the shoe claims is passed on, never judged.
Source: package README, "TableLink shoe"; firmware_bridge README, "TableLink/1", "Events".
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
from drivers.tablelink import own_affairs
from drivers.tablelink.texts import harmless
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import Body, Mode, Status


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
        ShoeError.EMPTY: "the shoe is empty",
        ShoeError.LID_OPEN: "the lid is open",
        ShoeError.JAM: "a card is jammed",
        ShoeError.SELF_TEST: "the self-test failed",
        ShoeError.NOT_IN_PLAY: "the shoe is in service, sorting or under test",
        ShoeError.CARDS_LEFT: "cards are left where none may be",
    }
)
# A warning has the device's own number; it stands above these.
WARNINGS_FROM: Final = 1000

# More than these at once is no card exit any more, but a device that is not to be believed.
CARDS_AT_ONCE: Final = range(1, 9)
_TAG_BYTES_MAX: Final = 32
_RANKS = range(1, 14)
_SUITS = MappingProxyType(
    {1: FaceSuit.DIAMOND, 2: FaceSuit.CLUB, 3: FaceSuit.SPADE, 4: FaceSuit.HEART}
)

_OfCards: TypeAlias = (
    bodies.CardOut | bodies.CardRetracted | bodies.ReadFail | bodies.DoubleFeed | bodies.CutCard
)
_OfShoe: TypeAlias = (
    bodies.ShoeLoaded
    | bodies.ShoeEmpty
    | bodies.Lid
    | bodies.Jam
    | bodies.SelfTest
    | bodies.PowerUp
    | bodies.ModeTold
    | bodies.WarningTold
    | bodies.Residual
)


def events_of(body: Body) -> tuple[DeviceEvent, ...]:
    """The device events of one event of the shoe, in order."""
    match body:
        case (
            bodies.CardOut()
            | bodies.CardRetracted()
            | bodies.ReadFail()
            | bodies.DoubleFeed()
            | bodies.CutCard()
        ):
            return _of_cards(body)
        case (
            bodies.ShoeLoaded()
            | bodies.ShoeEmpty()
            | bodies.Lid()
            | bodies.Jam()
            | bodies.SelfTest()
            | bodies.PowerUp()
            | bodies.ModeTold()
            | bodies.WarningTold()
            | bodies.Residual()
        ):
            return _of_shoe(body)
        case (
            bodies.CompartmentTold()
            | bodies.BatchStarted()
            | bodies.BatchDone()
            | bodies.BatchAborted()
        ):
            detail = "a shoe told what only a shuffler can: check which device is connected"
            return (DeviceFault(LinkFaultKind.MALFORMED, detail),)
        case _:
            return own_affairs.events_of(body)


def status_of(told: Status) -> tuple[DeviceEvent, ...]:
    """What stands in the way of dealing, as far as the shoe's answer tells it."""
    standing = (
        (told.door_open, ShoeError.LID_OPEN),
        (told.mode is not Mode.PLAY, ShoeError.NOT_IN_PLAY),
        (told.residual > 0, ShoeError.CARDS_LEFT),
    )
    return tuple(_raised(error) for stands, error in standing if stands)


def _of_cards(body: _OfCards) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.CardOut():
            return _card(body)
        case bodies.CardRetracted(tag):
            if not 0 < len(tag) <= _TAG_BYTES_MAX:
                detail = "a card came to the exit and went back, and its tag is not known"
                return (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
            return (TagPulledBack(_hex(tag)),)
        case bodies.ReadFail():
            return (CardPassed(None),)
        case bodies.DoubleFeed(cards):
            return _at_once(cards)
        case bodies.CutCard():
            return (CutCardSeen(),)
        case _:
            assert_never(body)


def _card(body: bodies.CardOut) -> tuple[DeviceEvent, ...]:
    if len(body.tag) > _TAG_BYTES_MAX:
        detail = f"a tag of {len(body.tag)} bytes is none: its card passes as unread"
        return (DeviceFault(LinkFaultKind.MALFORMED, detail), CardPassed(None))
    if body.tag:
        return (CardPassed(_hex(body.tag)),)
    if not body.rank and not body.suit:
        return (CardPassed(None),)
    suit = _SUITS.get(body.suit)
    if body.rank not in _RANKS or suit is None:
        detail = "the face of a card made no sense: it passes as unread"
        return (DeviceFault(LinkFaultKind.MALFORMED, detail), CardPassed(None))
    return (CardRead(ClaimedUse.UNCLAIMED, 0, Face(body.rank, suit), repeated=False),)


def _at_once(cards: int) -> tuple[DeviceEvent, ...]:
    if cards not in CARDS_AT_ONCE:
        detail = f"the shoe said that {cards} cards left at once: how many left is not known"
        return (
            DeviceFault(LinkFaultKind.MALFORMED, detail),
            ReportsLost(LossReason.UNREADABLE, 1),
        )
    detail = f"a double feed: {cards} left the shoe at once, and none of them was read"
    fault = DeviceFault(LinkFaultKind.DEVICE_STATUS, detail)
    return (fault, *[CardPassed(None)] * cards)


def _of_shoe(body: _OfShoe) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.ShoeLoaded():
            return (_cleared(ShoeError.EMPTY), DeviceStarted())
        case bodies.ShoeEmpty():
            return (_raised(ShoeError.EMPTY),)
        case bodies.Lid(open=is_open):
            return (_either(ShoeError.LID_OPEN, stands=is_open),)
        case bodies.Jam(cleared=cleared):
            return (_either(ShoeError.JAM, stands=not cleared),)
        case bodies.SelfTest(passed, _detail):
            return (_either(ShoeError.SELF_TEST, stands=not passed),)
        case bodies.PowerUp(boot_count, _broken_off):
            detail = f"the shoe started anew: boot {boot_count}"
            return (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
        case bodies.ModeTold(mode):
            return (_either(ShoeError.NOT_IN_PLAY, stands=mode is not Mode.PLAY),)
        case bodies.WarningTold(code, text, active):
            return (_warning(code, text, active=active),)
        case bodies.Residual(cards=left):
            return (_either(ShoeError.CARDS_LEFT, stands=left > 0),)
        case _:
            assert_never(body)


def _either(error: ShoeError, *, stands: bool) -> DeviceEvent:
    return _raised(error) if stands else _cleared(error)


def _raised(error: ShoeError) -> DeviceErrorRaised:
    # An empty shoe deals nothing, and nothing is wrong with it.
    blocking = error is not ShoeError.EMPTY
    return DeviceErrorRaised(error.value, ERROR_MEANINGS[error], blocking)


def _cleared(error: ShoeError) -> DeviceErrorCleared:
    return DeviceErrorCleared(error.value, ERROR_MEANINGS[error])


def _warning(code: int, text: str, *, active: bool) -> DeviceEvent:
    number = WARNINGS_FROM + code
    meaning = f"warning {code} of the shoe: {harmless(text)}"
    if active:
        return DeviceErrorRaised(number, meaning, blocking=False)
    return DeviceErrorCleared(number, meaning)


def _hex(tag: bytes) -> str:
    return tag.hex().upper()
