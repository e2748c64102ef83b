"""Tests what the reader at the emulated RFID shoe's exit records of each card."""

import pytest

from hil.dealing.cards import Card, PhysicalCard, card_named
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.dealing.shoe import Loading
from hil.dealing.tags import FOREIGN_TAG, PhysicalBatch, batch
from hil.emulator.feig.device import FeigReader
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.feig.table_reader import BANKER_ANTENNA, TableReader
from hil.rig.shoe_runner import perform

RED = batch("RED-0001", "red", 1)
CARDS = tuple(map(card_named, ("AS", "2H", "3C")))
MS = 1_000_000
CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")


def loaded(*, by_hand: bool = False) -> RfidShoe:
    shoe = RfidShoe(by_hand=by_hand)
    shoe.reader.timer_ms(0)
    shoe.load(RED, Loading(CARDS, 1).slots())
    return shoe


def pass_by(shoe: RfidShoe) -> None:
    """Run all movements, each at its time."""
    at_ns = 0
    while not shoe.idle:
        shoe.due(at_ns)
        at_ns = max(at_ns, shoe.next_due_ns or 0)


def noted(reader: FeigReader) -> list[tuple[str, int]]:
    """The records in the reader's buffer: tag, kind or gate, and the reader's time."""
    records = []
    for report in reader._buffer._records:
        body = report.frame[2:]
        identity, rest = body[3 : 3 + body[2]], body[3 + body[2] :]
        gate = "up" if rest[-1] else "down"
        name = identity.hex().upper() or gate
        kind = name if body[0] in (0, 3) else f"kind {body[0]:02X}"
        records.append((kind, int.from_bytes(rest[2:4], "big")))
    return records


def drawn(fault: ExitFault | None, *, by_hand: bool = True) -> list[tuple[str, int]]:
    shoe = loaded(by_hand=by_hand)
    if fault is not None:
        shoe.order(fault)
    shoe.draw(CARDS[0])
    pass_by(shoe)
    return noted(shoe.reader)


ACE, TWO = RED.of(CARDS[0]).tag, RED.of(CARDS[1]).tag
EXPECTED = {
    None: [(ACE, 1), ("up", 81), ("down", 201)],
    ExitFault.DOUBLE_READ: [(ACE, 1), ("up", 81), (ACE, 82), ("down", 202)],
    ExitFault.TWO_TAGS: [(ACE, 1), (TWO, 6), ("up", 86), ("down", 206)],
    ExitFault.PULLED_BACK: [(ACE, 1), (ACE, 2001), ("up", 2081), ("down", 2201)],
    ExitFault.NO_TAG: [("up", 50), ("down", 100)],
    ExitFault.SLOW_CARD: [(ACE, 1), ("up", 81), ("down", 2581)],
    ExitFault.FOREIGN_TAG: [(FOREIGN_TAG, 1), ("up", 81), ("down", 201)],
    ExitFault.OTHER_TRANSPONDER: [("kind 04", 1), (ACE, 2), ("up", 82), ("down", 202)],
}


@pytest.mark.parametrize("fault", [None, *ExitFault])
def test_a_card_leaves_by_the_exit(fault: ExitFault | None) -> None:
    assert drawn(fault) == EXPECTED[fault]


def test_a_fault_applies_to_one_playing_card() -> None:
    shoe = loaded()
    shoe.order(ExitFault.NO_TAG)
    shoe.draw_cut_card()
    shoe.draw(CARDS[0])
    shoe.draw(CARDS[1])
    pass_by(shoe)
    cut = RED.cut_cards[2].tag

    names = [name for name, _ in noted(shoe.reader)]
    assert names == [cut, "up", "down", "up", "down", TWO, "up", "down"]


def test_the_fastest_card_still_has_a_time_for_each_record() -> None:
    assert drawn(None, by_hand=False) == [(ACE, 1), ("up", 2), ("down", 3)]


def test_no_movement_happens_before_its_time() -> None:
    shoe = loaded(by_hand=True)
    shoe.draw(CARDS[0])
    moments = []
    at_ns = 0
    while not shoe.idle:
        shoe.due(at_ns)
        moments.append((at_ns // MS, shoe.reader.stored_records))
        at_ns = max(shoe.next_due_ns or 0, at_ns)

    assert moments == [(0, 0), (1, 1), (81, 2), (201, 3)]


def test_all_is_delivered_once_the_host_has_cleared_it() -> None:
    shoe = loaded()
    shoe.draw(CARDS[0])
    before = shoe.all_delivered
    pass_by(shoe)
    before_clearing = shoe.all_delivered
    for _ in range(2):
        shoe.receive(CLEAR, 10 * MS)
        shoe.due(10 * MS)

    assert (before, before_clearing, shoe.all_delivered) == (False, False, True)


def test_power_loss_loses_uncleared_records() -> None:
    shoe = loaded()
    shoe.draw(CARDS[0])
    pass_by(shoe)
    shoe.power_off()
    shoe.power_on()

    assert shoe.all_delivered
    assert [report.delivered for report in shoe.log.take()] == [False] * 3


def test_what_people_do_at_a_reader_sends_nothing_by_itself() -> None:
    """A reader stores records, and sends them when its host asks or its time has come."""
    shoe = loaded()
    shoe.draw(CARDS[0])
    acts = (shoe.power_off(), shoe.power_on(), shoe.lay_pile(()), shoe.move(()))

    assert acts == ((), (), (), ())


def test_a_card_of_another_batch_leaves_like_any_other() -> None:
    shoe = loaded()
    other = batch("BLUE-0001", "blue", 1).of(CARDS[0])
    shoe.draw_piece(other)
    pass_by(shoe)

    assert noted(shoe.reader)[0] == (other.tag, 1)


def passed(seed: int, *mistakes: PlannedMistake) -> tuple[list[PhysicalCard], Dealer]:
    """The physical cards that left two shoes dealt by that seed, and their dealer."""
    shoe = RfidShoe()
    pieces: list[PhysicalCard] = []
    dealer = Dealer(DealerSettings(seed=seed, shoes=2, mistakes=mistakes))
    draw = shoe.draw_piece

    def noting(piece: PhysicalCard) -> tuple[()]:
        pieces.append(piece)
        draw(piece)
        return ()

    shoe.draw_piece = noting  # type: ignore[method-assign]
    for action in dealer.actions():
        perform(shoe, action)
    return pieces, dealer


def test_a_seed_deals_the_same_faces_from_alternating_batches() -> None:
    pieces, dealer = passed(7)
    truth = dealer.truth
    backs = list(dict.fromkeys(piece.back for piece in pieces))
    dealt: list[Card] = []
    for number in (1, 2):
        runs = [run.cards for run in (*truth.burns, *truth.coups) if run.shoe == number]
        dealt += [placed.card for cards in runs for placed in cards]

    assert [piece.card for piece in pieces if piece.card is not None] == dealt
    assert backs == ["red", "blue"]
    assert len({piece.tag for piece in pieces}) == len(pieces)


def test_three_cut_cards_are_three_physical_cards() -> None:
    pieces, _ = passed(7, PlannedMistake(Mistake.THIRD_CUT_CARD))
    red = [piece.tag for piece in pieces if piece.card is None and piece.back == "red"]

    assert len(set(red)) == 3


def test_a_layout_reader_reports_the_hands_antenna() -> None:
    layout = TableReader()
    layout.lay([RED.of(CARDS[0])], antenna=BANKER_ANTENNA)
    layout.due(0)
    layout.due(100 * MS)
    (report,) = layout.reader._buffer._records

    assert (noted(layout.reader)[0][0], report.frame[-3]) == (ACE, BANKER_ANTENNA)


def test_a_pile_answers_with_its_chip_memory() -> None:
    reader = TableReader()
    pile: PhysicalBatch = RED
    reader.lay_pile(pile.cards[:3])

    assert [tag.identity.hex().upper() for tag in reader.reader.field.tags] == [
        piece.tag for piece in pile.cards[:3]
    ]
    assert all(len(tag.memory) == 8 for tag in reader.reader.field.tags)
