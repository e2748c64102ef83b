"""Messages of the Angel Eye II-EX: every code, and small payload spaces exhaustively."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    CardFace,
    CardInGame,
    CardOutside,
    CardResent,
    CardSuit,
    CardTarget,
    CutCardMessage,
    DeclaredResult,
    ErrorCleared,
    ErrorRaised,
    LockState,
    MalformedMessage,
    OutsideMode,
    Preset,
    ResultMessage,
    StandByMessage,
    StartMessage,
    UnknownMessage,
    parse,
)

ACE_OF_SPADES = CardFace(1, CardSuit.SPADE)

EXAMPLES: list[tuple[str, AngelEyeMessage]] = [
    ("53", StartMessage()),
    ("50", StandByMessage()),
    ("43", CutCardMessage()),
    ("44 81 B1", CardInGame(CardTarget.PLAYER, 1, ACE_OF_SPADES)),
    ("44 92 CD", CardInGame(CardTarget.BANKER, 2, CardFace(13, CardSuit.HEART))),
    ("44 A0 91", CardInGame(CardTarget.BURN, 0, CardFace(1, CardSuit.DIAMOND))),
    ("44 C0 AA", CardInGame(CardTarget.BURN_FIRST, 0, CardFace(10, CardSuit.CLUB))),
    ("44 D3 80", CardInGame(CardTarget.BURN_COUNTED, 3, None)),
    ("52 81 B1", CardResent(CardTarget.PLAYER, 1, ACE_OF_SPADES)),
    ("64 80 B1", CardOutside(OutsideMode.LOCK, ACE_OF_SPADES)),
    ("64 90 80", CardOutside(OutsideMode.ERROR, None)),
    ("64 A0 B1", CardOutside(OutsideMode.SETTING, ACE_OF_SPADES)),
    ("47 90", ResultMessage(DeclaredResult.PLAYER, player_pair=False, banker_pair=False)),
    ("47 A1", ResultMessage(DeclaredResult.TIE, player_pair=True, banker_pair=False)),
    ("47 C2", ResultMessage(DeclaredResult.BANKER, player_pair=False, banker_pair=True)),
    ("47 C3", ResultMessage(DeclaredResult.BANKER, player_pair=True, banker_pair=True)),
    ("47 F0", ResultMessage(DeclaredResult.FORCED_EXIT, player_pair=False, banker_pair=False)),
    ("45 C1", ErrorRaised(1, in_error_mode=True)),
    ("45 87", ErrorRaised(7, in_error_mode=False)),
    ("65 82", ErrorCleared(2)),
    ("65 FF", ErrorCleared(127)),
    ("4C 81", LockState(locked=True)),
    ("4C 80", LockState(locked=False)),
    ("4D 30 37 30 31 32 33", Preset(7, 123)),
    ("58 81", UnknownMessage("X")),
]


@pytest.mark.parametrize(("data", "message"), EXAMPLES, ids=[data for data, _ in EXAMPLES])
def test_each_code(data: str, message: AngelEyeMessage) -> None:
    assert parse(bytes.fromhex(data)) == message


MALFORMED = {
    "53 80": "S with a payload",
    "50 80": "P with a payload",
    "43 80": "C with a payload",
    "44 81": "D without a card",
    "44 81 B1 B1": "D with two cards",
    "44 01 B1": "D whose target lacks bit 7",
    "44 81 31": "D whose card lacks bit 7",
    "44 B1 B1": "D for target 3",
    "44 E1 B1": "D for target 6",
    "44 80 B1": "D for Player card 0",
    "44 90 B1": "D for Banker card 0",
    "44 81 B0": "a suit without a rank",
    "44 81 BE": "rank 14",
    "44 81 BF": "rank 15",
    "44 81 81": "a rank without a suit",
    "44 81 D1": "suit 5",
    "52 80 B1": "R for Player card 0",
    "64 B0 B1": "d in mode 3",
    "64 80": "d without a card",
    "47 80": "result 0",
    "47 B0": "result 3",
    "47 10": "G that lacks bit 7",
    "45 41": "E that lacks bit 7",
    "65 02": "e that lacks bit 7",
    "4C 01": "L that lacks bit 7",
    "4C": "L without a payload",
    "4D 30 37 30 31 32": "M with five digits",
    "4D 30 37 30 31 32 41": "M with a letter",
    "4D B0 B7 B0 B1 B2 B3": "M whose digits carry bit 7",
}


@pytest.mark.parametrize("data", MALFORMED, ids=MALFORMED.values())
def test_malformed_payloads(data: str) -> None:
    message = parse(bytes.fromhex(data))

    assert isinstance(message, MalformedMessage)
    assert message.code == chr(bytes.fromhex(data)[0])


def test_all_card_bytes() -> None:
    faces = set()
    for card in range(256):
        message = parse(bytes((0x44, 0x81, card)))
        if isinstance(message, CardInGame):
            faces.add(message.face)
        else:
            assert isinstance(message, MalformedMessage)

    assert len(faces) == 53  # 52 faces and the card that could not be read


def test_the_reason_never_shows_a_payload() -> None:
    # The reasons for two invalid cards must not distinguish the cards.
    assert parse(b"D\x81\xbe") == parse(b"D\x82\xce")


@given(st.binary(max_size=20))
def test_no_bytes_raise(data: bytes) -> None:
    assert parse(data) == parse(data)
