"""The emulated shuffler that shows only contacts: its levels, its readings, what stops it."""

import tomllib
from pathlib import Path

import pytest

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import batch
from hil.emulator.contacts.shuffler import NS_PER_S, ContactSettings, ContactShuffler

VECTORS = Path(__file__).resolve().parents[3] / "vectors" / "contacts.toml"
BYTES = {
    tuple(bool(level) for level in one["levels"]): bytes.fromhex(one["byte"])
    for one in tomllib.loads(VECTORS.read_text("utf-8"))["reading"]
}
IDLE = (True, False, False, True)
RED = tuple(one for one in batch("RED-0001", "red", 1).cards if one.card is not None)


@pytest.fixture
def shuffler() -> ContactShuffler:
    return ContactShuffler(ContactSettings(shuffle_ns=90 * NS_PER_S))


def sent(shuffler: ContactShuffler, at_ns: int = 0) -> bytes:
    return b"".join(copy.report.frame for copy in shuffler.due(at_ns))


def load(shuffler: ContactShuffler) -> tuple[PhysicalCard, ...]:
    shuffler.open_lid()
    shuffler.put_in(RED)
    shuffler.close_lid()
    sent(shuffler)
    return RED


def test_who_connects_gets_the_levels_as_they_are(shuffler: ContactShuffler) -> None:
    shuffler.open_lid()
    shuffler.close_lid()
    shuffler.cut_power()
    shuffler.host_appeared(0)

    assert shuffler.high == (False, False, False, False)
    assert sent(shuffler) == BYTES[shuffler.high]
    assert shuffler.idle


def test_a_shuffle_takes_its_time_and_lights_its_lamps(shuffler: ContactShuffler) -> None:
    load(shuffler)
    shuffler.press_start()
    sent(shuffler, 7)
    assert shuffler.high == (True, True, False, True)
    assert shuffler.next_due_ns == 7 + 90 * NS_PER_S
    assert not shuffler.shuffled

    sent(shuffler, 7 + 90 * NS_PER_S)
    assert shuffler.high == (True, False, True, True)
    assert shuffler.shuffled
    assert shuffler.next_due_ns is None


@pytest.mark.parametrize("stop", ["open_lid", "jam", "cut_power"])
def test_what_stops_a_shuffle(shuffler: ContactShuffler, stop: str) -> None:
    load(shuffler)
    shuffler.press_start()
    sent(shuffler, 7)
    getattr(shuffler, stop)()
    sent(shuffler, 7 + 90 * NS_PER_S)

    assert not shuffler.high[1]
    assert not shuffler.shuffled
    assert shuffler.shuffles == 0


def test_without_power_every_line_is_low(shuffler: ContactShuffler) -> None:
    shuffler.cut_power()
    assert sent(shuffler) == BYTES[False, False, False, False]
    shuffler.press_start()
    assert shuffler.high == (False, False, False, False)
    shuffler.restore_power()
    assert shuffler.high == IDLE


@pytest.mark.parametrize("blocked", ["open_lid", "jam", "cut_power"])
def test_it_does_not_start(shuffler: ContactShuffler, blocked: str) -> None:
    getattr(shuffler, blocked)()
    shuffler.press_start()
    sent(shuffler, 7)
    assert shuffler.next_due_ns is None


def test_cards_move_under_the_open_lid_only(shuffler: ContactShuffler) -> None:
    with pytest.raises(AssertionError, match="the lid is closed"):
        shuffler.put_in(RED)
    load(shuffler)
    with pytest.raises(AssertionError, match="the lid is closed"):
        shuffler.take()
    shuffler.open_lid()
    shuffler.touch()
    assert shuffler.take() == RED


def test_a_bridged_done_line_is_two_readings(shuffler: ContactShuffler) -> None:
    shuffler.host_appeared(0)
    sent(shuffler)
    shuffler.flash_done()

    assert sent(shuffler) == BYTES[True, False, True, True] + BYTES[IDLE]
