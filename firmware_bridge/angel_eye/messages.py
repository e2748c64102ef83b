"""Messages of the Angel Eye II-EX: what the vendor says, as a table of codes.

Responsible for: DATA of a report to one frozen message, and for naming what is no message.
Not responsible for: framing (frames), order (link), and for what it means at a table (drivers).
`why` of a malformed message never contains the bytes themselves: they may show an unseen card.
Source: package README, "Angel Eye II-EX", codes.
"""

from collections.abc import Callable
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

from firmware_bridge.values import dataclass


class CardTarget(IntEnum):
    """Where the shoe believes a card goes (bits 6-4 of the target byte)."""

    PLAYER = 0
    BANKER = 1
    BURN = 2
    BURN_FIRST = 4
    BURN_COUNTED = 5


class CardSuit(IntEnum):
    """Bits 6-4 of the card byte; 0, no suit, is a card that could not be read."""

    DIAMOND = 1
    CLUB = 2
    SPADE = 3
    HEART = 4


class OutsideMode(IntEnum):
    """What the shoe was doing when a card left it outside the game."""

    LOCK = 0
    ERROR = 1
    SETTING = 2


class DeclaredResult(IntEnum):
    """Bits 6-4 of the result byte."""

    PLAYER = 1
    TIE = 2
    BANKER = 4
    FORCED_EXIT = 7


@dataclass(frozen=True, slots=True)
class CardFace:
    """Rank 1 (ace) to 13 (king), and suit."""

    rank: int
    suit: CardSuit


@dataclass(frozen=True, slots=True)
class Start:
    """`S`: the shoe booted or was reset; its sequence starts anew."""


@dataclass(frozen=True, slots=True)
class StandBy:
    """`P`: between rounds."""


@dataclass(frozen=True, slots=True)
class CardInGame:
    """`D`: a card was drawn in the game. `face` is None when the shoe could not read it."""

    target: CardTarget
    index: int
    face: CardFace | None


@dataclass(frozen=True, slots=True)
class CardAgain:
    """`R`: the shoe tells a drawn card again, on its own account."""

    target: CardTarget
    index: int
    face: CardFace | None


@dataclass(frozen=True, slots=True)
class CardOutside:
    """`d`: a card was drawn outside the game."""

    mode: OutsideMode
    face: CardFace | None


@dataclass(frozen=True, slots=True)
class CutCard:
    """`C`: the cut card was drawn."""


@dataclass(frozen=True, slots=True)
class Result:
    """`G`: the result of the round; the pair flags mean nothing on a forced exit."""

    result: DeclaredResult
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class ErrorRaised:
    """`E`: an error was raised; `in_error_mode` says that it stops the shoe."""

    code: int
    in_error_mode: bool


@dataclass(frozen=True, slots=True)
class ErrorCleared:
    """`e`: an error was cleared."""

    code: int


@dataclass(frozen=True, slots=True)
class LockState:
    """`L`: the lock of the exit changed."""

    locked: bool


@dataclass(frozen=True, slots=True)
class Preset:
    """`M`: a preset value changed."""

    address: int
    value: int


@dataclass(frozen=True, slots=True)
class Malformed:
    """A known code with a payload that makes no sense."""

    code: str
    why: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A code that is not in the table."""

    code: str


Message: TypeAlias = (
    Start
    | StandBy
    | CardInGame
    | CardAgain
    | CardOutside
    | CutCard
    | Result
    | ErrorRaised
    | ErrorCleared
    | LockState
    | Preset
    | Malformed
    | Unknown
)


class _NoSense(Exception):
    """A payload that makes no sense; the message says why."""


_SUITS = {suit.value: suit for suit in CardSuit}
_TARGETS = {target.value: target for target in CardTarget}
_OUTSIDE_MODES = {mode.value: mode for mode in OutsideMode}
_RESULTS = {result.value: result for result in DeclaredResult}
_HANDS = (CardTarget.PLAYER, CardTarget.BANKER)
_RANK_MAX = 13


def parse(data: bytes) -> Message:
    """The message in a report's DATA. Total: no bytes raise."""
    code = chr(data[0]) if data else ""
    parser = _PARSERS.get(code)
    if parser is None:
        return Unknown(code)
    try:
        return parser(data[1:])
    except _NoSense as no_sense:
        return Malformed(code, str(no_sense))


def _seven_bits(payload: bytes, length: int) -> tuple[int, ...]:
    """The payload bytes without bit 7, which each of them must carry."""
    if len(payload) != length:
        raise _NoSense(f"its payload has {len(payload)} bytes where {length} are due")
    if payload and min(payload) < 0x80:
        raise _NoSense("a payload byte does not carry bit 7")
    return tuple([byte & 0x7F for byte in payload])


def _face(card: int) -> CardFace | None:
    suit, rank = _SUITS.get(card >> 4), card & 0x0F
    if card == 0:
        return None
    if suit is None:
        raise _NoSense("the card byte names no suit that exists")
    if not 1 <= rank <= _RANK_MAX:
        raise _NoSense("the card byte names no rank that exists")
    return CardFace(rank, suit)


def _place(byte: int) -> tuple[CardTarget, int]:
    target, index = _TARGETS.get(byte >> 4), byte & 0x0F
    if target is None:
        raise _NoSense("the target byte names no target that exists")
    if target in _HANDS and index == 0:
        raise _NoSense("a card of a hand has index 0")
    return target, index


def _card_in_game(payload: bytes) -> Message:
    place, card = _seven_bits(payload, 2)
    return CardInGame(*_place(place), _face(card))


def _card_again(payload: bytes) -> Message:
    place, card = _seven_bits(payload, 2)
    return CardAgain(*_place(place), _face(card))


def _card_outside(payload: bytes) -> Message:
    why, card = _seven_bits(payload, 2)
    mode = _OUTSIDE_MODES.get(why >> 4)
    if mode is None:
        raise _NoSense("the mode byte names no mode that exists")
    return CardOutside(mode, _face(card))


def _result(payload: bytes) -> Message:
    (byte,) = _seven_bits(payload, 1)
    result = _RESULTS.get(byte >> 4)
    if result is None:
        raise _NoSense("the result byte names no result that exists")
    return Result(result, player_pair=bool(byte & 1), banker_pair=bool(byte & 2))


def _error_raised(payload: bytes) -> Message:
    (byte,) = _seven_bits(payload, 1)
    return ErrorRaised(code=byte & 0x3F, in_error_mode=bool(byte & 0x40))


def _error_cleared(payload: bytes) -> Message:
    (byte,) = _seven_bits(payload, 1)
    return ErrorCleared(code=byte)


def _lock_state(payload: bytes) -> Message:
    (byte,) = _seven_bits(payload, 1)
    return LockState(locked=bool(byte & 1))


def _preset(payload: bytes) -> Message:
    if len(payload) != 6 or any(byte not in b"0123456789" for byte in payload):
        raise _NoSense("its payload is not six ASCII digits")
    return Preset(address=int(payload[:2]), value=int(payload[2:]))


def _bare(message: Message) -> Callable[[bytes], Message]:
    """A parser for a code that has no payload."""

    def parser(payload: bytes) -> Message:
        _seven_bits(payload, 0)
        return message

    return parser


_PARSERS: MappingProxyType[str, Callable[[bytes], Message]] = MappingProxyType(
    {
        "S": _bare(Start()),
        "P": _bare(StandBy()),
        "D": _card_in_game,
        "R": _card_again,
        "d": _card_outside,
        "C": _bare(CutCard()),
        "G": _result,
        "E": _error_raised,
        "e": _error_cleared,
        "L": _lock_state,
        "M": _preset,
    }
)
