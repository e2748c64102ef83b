"""Tests the emulated Angel Eye II-EX: repeats, numbering, locks, errors, commands."""

import pytest

from hil.dealing.cards import Card, Suit, card_named
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings

LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
CLEAR_1 = bytes.fromhex("02 4F 50 45 43 30 31 03 31 39")
ACK = b"\x06"
SECOND_NS = 1_000_000_000


def codes(device: AngelEye) -> str:
    return "".join(copy.report.code for copy in device.due(0))


def single() -> AngelEye:
    return AngelEye(AngelEyeSettings(repeats=1))


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_each_report_is_sent_as_often_as_set(repeats: int) -> None:
    device = AngelEye(AngelEyeSettings(repeats=repeats))
    device.power_on()

    assert device.tick(0) == bytes.fromhex("05 30 53 03 36 30") * repeats


def test_copies_are_sent_at_their_interval() -> None:
    device = AngelEye(AngelEyeSettings(repeats=3, repeat_gap_ns=100))
    device.power_on()
    device.stand_by()
    counts = [len(device.due(at_ns)) for at_ns in (0, 50, 100, 200, 300)]

    assert counts == [1, 0, 1, 2, 1], "P follows the last copy of S at once"


def test_the_sequence_wraps_and_restarts_at_power_on() -> None:
    device = AngelEye(AngelEyeSettings(repeats=1, seq_cycle="123"))
    for _ in range(4):
        device.stand_by()
    device.power_on()

    assert [copy.report.frame[1:2] for copy in device.due(0)] == [b"1", b"2", b"3", b"1", b"1"]


def test_an_overdraw_is_an_error_and_a_card_in_error_mode() -> None:
    device = single()
    device.stand_by()
    for name in ("9S", "2S", "KS", "3S"):
        device.draw(card_named(name))
    device.due(0)
    device.draw(card_named("4D"))

    assert [copy.report.frame[2:-3].hex(" ") for copy in device.due(0)] == ["45 c2", "64 90 94"]


def test_the_burn_is_counted_by_its_first_card() -> None:
    device = single()
    device.power_on()
    for name in ("3S", "KD", "KD", "KD", "8C"):
        device.draw(card_named(name))
    targets = [copy.report.frame[3] for copy in device.due(0)[1:]]

    assert targets == [0xC0, 0xD1, 0xD2, 0xD3, 0x81]


def test_a_new_shoe_begins_only_after_a_cut_card() -> None:
    device = single()
    device.stand_by()
    device.draw(card_named("8C"))
    device.power_on()
    device.draw(card_named("8D"))
    device.draw_cut_card()
    device.power_on()
    device.draw(card_named("8H"))
    cards = [copy.report.frame[3] for copy in device.due(0) if copy.report.code == "D"]

    assert cards == [0x81, 0x91, 0xC0]


def test_a_locked_shoe_reports_the_lock_and_a_card_drawn_anyway() -> None:
    device = single()
    assert device.receive(LOCK, 0) == ACK
    device.draw(card_named("4H"))

    assert codes(device) == "Ld"


def test_locking_twice_is_acknowledged_and_reported_once() -> None:
    device = single()

    assert device.receive(LOCK + LOCK, 0) == ACK * 2
    assert codes(device) == "L"


def test_an_error_is_cleared_by_command_once() -> None:
    device = single()
    device.raise_error(1)

    assert device.receive(CLEAR_1, 0) == ACK
    assert device.clear_error(1) == ()
    assert codes(device) == "Ee"


@pytest.mark.parametrize("cut", range(1, len(LOCK)))
def test_a_command_may_come_in_two_parts(cut: int) -> None:
    device = single()

    assert device.receive(LOCK[:cut], 0) + device.receive(LOCK[cut:], 1) == ACK


@pytest.mark.parametrize(
    ("what", "sent", "code"),
    [
        ("one digit wrong", "02 4F 50 4C 4B 30 32 03 31 43", "02"),
        ("digits in lower case", "02 4F 50 4C 4B 30 32 03 31 62", "02"),
        ("a letter too many", "02 4F 50 4C 4B 4B 30 32 03 35 30", "11"),
        ("not OP", "02 4F 51 4C 4B 30 32 03 31 41", "13"),
        ("no such type", "02 4F 50 4C 4C 30 32 03 31 43", "14"),
        ("no such lock state", "02 4F 50 4C 4B 30 33 03 31 41", "12"),
        ("no digits", "02 4F 50 4C 4B 41 41 03 31 39", "12"),
        ("no end", "02" + "41" * 40, "03"),
    ],
)
def test_a_wrong_command_is_refused_with_its_code(what: str, sent: str, code: str) -> None:
    device = single()

    assert device.receive(bytes.fromhex(sent), 0).hex() == "15" + code, what
    assert not device.locked


def test_a_busy_shoe_refuses_commands() -> None:
    device = single()
    device.busy = True

    assert device.receive(LOCK, 0) == b"\x15\x21"


@pytest.mark.parametrize(("part", "code"), [(LOCK[:4], 0x03), (LOCK[:9], 0x01)])
def test_an_incomplete_command_is_refused_after_a_timeout(part: bytes, code: int) -> None:
    device = single()
    device.receive(part, 0)

    assert device.tick(SECOND_NS // 10) == b""
    assert device.tick(SECOND_NS) == bytes((0x15, code))
    assert device.next_due_ns is None


def test_a_wrong_claim_names_the_other_hand_once() -> None:
    device = single()
    device.stand_by()
    device.claim_wrongly()
    device.draw(Card(5, Suit.CLUB))
    device.draw(Card(5, Suit.SPADE))

    assert [copy.report.frame[3] for copy in device.due(0)[1:]] == [0x91, 0x91]


def test_no_more_than_three_repeats_can_be_set() -> None:
    with pytest.raises(ValueError, match="1 to 3 times"):
        AngelEyeSettings(repeats=4)
