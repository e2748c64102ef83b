"""What a faulty line does to the bytes of a device, under simulated time."""

import pytest

from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.faults import Envelope
from hil.scenario.language.statements import WireFault
from hil.simulation.faulty_line import FLOOD_BYTES, OVERTAKEN_NS, FaultyLine

MS = 1_000_000
LATE_NS = 60_000 * MS


def frames(*names: str) -> list[bytes]:
    """The three copies of each card's report, as the shoe sends them."""
    shoe, found = AngelEye(), []
    for name in names:
        shoe.draw(card_named(name))
        found.append(shoe.tick(0))
    return found


SENT = frames("7H")[0]


def arrived(fault: WireFault, share: float = 1.0, ns: int = 0, seed: int = 1) -> bytes:
    line = FaultyLine(Envelope.ANGEL_EYE, f"line {seed}")
    line.begin(fault, share, ns, 0)
    line.send(SENT, 0)
    return line.arriving(LATE_NS)


def test_a_line_without_a_fault_brings_what_was_sent_at_once() -> None:
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.send(SENT, 5)

    assert (line.next_due_ns, line.arriving(5), line.lost) == (5, SENT, 0)


@pytest.mark.parametrize(
    ("fault", "is_right"),
    [
        (WireFault.DROP, lambda data: len(data) < len(SENT)),
        (WireFault.CORRUPT, lambda data: data != SENT),
        (WireFault.DUPLICATE, lambda data: len(data) == 2 * len(SENT)),
        (WireFault.SPLIT, lambda data: data == SENT),
        (WireFault.NOISE, lambda data: SENT[: len(SENT) // 3] in data and len(data) > len(SENT)),
        (WireFault.WRONG_BAUD, lambda data: data and SENT[:10] not in data),
        (WireFault.FLOOD, lambda data: len(data) == FLOOD_BYTES + len(SENT)),
        (WireFault.HALF_FRAMES, lambda data: 0 < len(data) < len(SENT)),
    ],
)
def test_each_fault_does_what_its_name_says(fault: WireFault, is_right) -> None:
    assert is_right(arrived(fault))


def test_equal_seeds_damage_equally() -> None:
    assert arrived(WireFault.NOISE) == arrived(WireFault.NOISE)
    assert arrived(WireFault.NOISE) != arrived(WireFault.NOISE, seed=2)


def test_a_delay_brings_all_bytes_later_and_in_their_order() -> None:
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.begin(WireFault.DELAY, 0, 300 * MS, 0)
    line.send(b"one", 0)
    line.begin(WireFault.NONE, 0, 0, 0)
    line.send(b"two", 10 * MS)

    assert line.next_due_ns == 300 * MS
    assert line.arriving(299 * MS) == b""
    assert line.arriving(300 * MS) == b"onetwo"


def test_a_stall_holds_everything_until_it_ends() -> None:
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.begin(WireFault.STALL, 0, 500 * MS, 0)
    line.send(b"one", 1)
    line.send(b"two", 2)

    assert line.next_due_ns == 500 * MS
    assert line.arriving(500 * MS) == b"onetwo"


def test_a_report_comes_after_the_one_behind_it() -> None:
    first, second = frames("7H", "KD")
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.begin(WireFault.REORDER, 1.0, 0, 0)
    line.send(first + second, 0)

    assert first[:10] in line.arriving(0)
    assert line.next_due_ns == OVERTAKEN_NS


def test_reports_of_which_no_copy_arrives_are_counted() -> None:
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.begin(WireFault.HALF_FRAMES, 1.0, 0, 0)
    line.send(SENT, 0)

    assert line.lost == 1


def test_a_pulled_cable_loses_what_is_under_way() -> None:
    line = FaultyLine(Envelope.ANGEL_EYE, "line")
    line.begin(WireFault.DELAY, 0, 300 * MS, 0)
    line.send(SENT, 0)
    line.clear()

    assert (line.next_due_ns, line.arriving(LATE_NS)) == (None, b"")
