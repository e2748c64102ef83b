"""Messages of the Angel Eye II-EX: the DATA of a report becomes one frozen message.

The `reason` of a malformed message never contains the bytes: they may show an unseen card.
Source: firmware_bridge/angel_eye/README.md, codes.
"""

from collections.abc import Callable
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from foundation.message import Message, MessageError, message


class CardTarget(IntEnum):
    """Where the shoe expects a card to go (bits 6-4 of the target byte)."""

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


class CardFace(Struct, frozen=True):
    """Rank 1 (ace) to 13 (king), and suit."""

    rank: int
    suit: CardSuit


class StartMessage(Struct, frozen=True):
    """`S`: the shoe booted or was reset; its sequence starts again."""


class StandByMessage(Struct, frozen=True):
    """`P`: between rounds."""


class CardInGame(Struct, frozen=True):
    """`D`: a card was drawn in the game. `face` is None when the shoe could not read it."""

    target: CardTarget
    index: int
    face: CardFace | None


class CardResent(Struct, frozen=True):
    """`R`: the shoe reports a drawn card again, of its own accord."""

    target: CardTarget
    index: int
    face: CardFace | None


class CardOutside(Struct, frozen=True):
    """`d`: a card was drawn outside the game."""

    mode: OutsideMode
    face: CardFace | None


class CutCardMessage(Struct, frozen=True):
    """`C`: the cut card was drawn."""


class ResultMessage(Struct, frozen=True):
    """`G`: the result of the round; the pair flags mean nothing on a forced exit."""

    result: DeclaredResult
    player_pair: bool
    banker_pair: bool


class ErrorRaised(Struct, frozen=True):
    """`E`: an error was raised; `in_error_mode`: it stops the shoe."""

    code: int
    in_error_mode: bool


class ErrorCleared(Struct, frozen=True):
    """`e`: an error was cleared."""

    code: int


class LockState(Struct, frozen=True):
    """`L`: the lock of the exit changed."""

    locked: bool


class Preset(Struct, frozen=True):
    """`M`: a preset value changed."""

    address: int
    value: int


class MalformedMessage(Struct, frozen=True):
    """A known code with an invalid payload."""

    code: str
    reason: Message


class UnknownMessage(Struct, frozen=True):
    """A code that is not in the table."""

    code: str


AngelEyeMessage: TypeAlias = (
    StartMessage
    | StandByMessage
    | CardInGame
    | CardResent
    | CardOutside
    | CutCardMessage
    | ResultMessage
    | ErrorRaised
    | ErrorCleared
    | LockState
    | Preset
    | MalformedMessage
    | UnknownMessage
)


class _PayloadError(MessageError):
    """An invalid payload, and the reason."""


_SUITS = {suit.value: suit for suit in CardSuit}
_TARGETS = {target.value: target for target in CardTarget}
_OUTSIDE_MODES = {mode.value: mode for mode in OutsideMode}
_RESULTS = {result.value: result for result in DeclaredResult}
_HANDS = (CardTarget.PLAYER, CardTarget.BANKER)
_RANK_MAX = 13


def parse(data: bytes, *, plain: bool = False, longer: bool = False) -> AngelEyeMessage:
    """Parse the DATA of a report (code and payload). Any bytes give a message; none raise.

    `plain`: payload bytes have no bit 7. `longer`: what follows the known bytes is ignored.
    """
    code = chr(data[0]) if data else ""
    row = _CODES.get(code)
    if row is None:
        return UnknownMessage(code)
    length, parser = row
    payload = data[1 : 1 + length] if longer else data[1:]
    if len(payload) != length:
        given = message("payload_length", length=len(payload), expected=length)
        return MalformedMessage(code, given)
    try:
        return parser(payload if code in _OF_DIGITS else _strip_bit_7(payload, plain=plain))
    except _PayloadError as error:
        return MalformedMessage(code, error.why)


def is_plain(data: bytes, *, longer: bool = False) -> bool | None:
    """Whether a report's payload lacks bit 7 and is understood without it.

    None where it says nothing of its form: without payload, of digits, or of an unknown code.
    """
    code = chr(data[0]) if data else ""
    if not _CODES.get(code, (0,))[0] or code in _OF_DIGITS:
        return None
    return not isinstance(parse(data, plain=True, longer=longer), MalformedMessage)


def _strip_bit_7(payload: bytes, *, plain: bool) -> bytes:
    """The payload bytes without bit 7, which each of them must have set, or none."""
    if plain and any(byte >= 0x80 for byte in payload):
        raise _PayloadError(message("payload_byte_has_bit_7"))
    if not plain and any(byte < 0x80 for byte in payload):
        raise _PayloadError(message("payload_byte_lacks_bit_7"))
    return bytes([byte & 0x7F for byte in payload])


def _parse_face(card: int) -> CardFace | None:
    suit, rank = _SUITS.get(card >> 4), card & 0x0F
    if card == 0:
        return None
    if suit is None:
        raise _PayloadError(message("card_byte_unknown_suit"))
    if not 1 <= rank <= _RANK_MAX:
        raise _PayloadError(message("card_byte_unknown_rank"))
    return CardFace(rank, suit)


def _parse_target(byte: int) -> tuple[CardTarget, int]:
    target, index = _TARGETS.get(byte >> 4), byte & 0x0F
    if target is None:
        raise _PayloadError(message("target_byte_unknown_target"))
    if target in _HANDS and index == 0:
        raise _PayloadError(message("card_of_hand_has_index_0"))
    return target, index


def _card_in_game(payload: bytes) -> AngelEyeMessage:
    place, card = payload
    return CardInGame(*_parse_target(place), _parse_face(card))


def _card_again(payload: bytes) -> AngelEyeMessage:
    place, card = payload
    return CardResent(*_parse_target(place), _parse_face(card))


def _card_outside(payload: bytes) -> AngelEyeMessage:
    mode_bits, card = payload
    mode = _OUTSIDE_MODES.get(mode_bits >> 4)
    if mode is None:
        raise _PayloadError(message("mode_byte_unknown_mode"))
    return CardOutside(mode, _parse_face(card))


def _result(payload: bytes) -> AngelEyeMessage:
    (byte,) = payload
    result = _RESULTS.get(byte >> 4)
    if result is None:
        raise _PayloadError(message("result_byte_unknown_result"))
    return ResultMessage(result, player_pair=bool(byte & 1), banker_pair=bool(byte & 2))


def _error_raised(payload: bytes) -> AngelEyeMessage:
    (byte,) = payload
    return ErrorRaised(code=byte & 0x3F, in_error_mode=bool(byte & 0x40))


def _error_cleared(payload: bytes) -> AngelEyeMessage:
    (byte,) = payload
    return ErrorCleared(code=byte)


def _lock_state(payload: bytes) -> AngelEyeMessage:
    (byte,) = payload
    return LockState(locked=bool(byte & 1))


def _preset(payload: bytes) -> AngelEyeMessage:
    if any(byte not in b"0123456789" for byte in payload):
        raise _PayloadError(message("payload_not_six_digits"))
    return Preset(address=int(payload[:2]), value=int(payload[2:]))


def _constant(message: AngelEyeMessage) -> Callable[[bytes], AngelEyeMessage]:
    """Return a parser for a code without payload."""
    return lambda _payload: message


# For each code the bytes of its payload, and what they are.
_CODES: MappingProxyType[str, tuple[int, Callable[[bytes], AngelEyeMessage]]] = MappingProxyType(
    {
        "S": (0, _constant(StartMessage())),
        "P": (0, _constant(StandByMessage())),
        "D": (2, _card_in_game),
        "R": (2, _card_again),
        "d": (2, _card_outside),
        "C": (0, _constant(CutCardMessage())),
        "G": (1, _result),
        "E": (1, _error_raised),
        "e": (1, _error_cleared),
        "L": (1, _lock_state),
        "M": (6, _preset),
    }
)
# ASCII digits, which never have bit 7.
_OF_DIGITS = frozenset("M")
