"""Custody follows the batches: places by stage, and the shuffler's counts.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d); D-17, D-19.
"""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from controller.custody import batch_actions as batches
from controller.custody import shoe as passing
from controller.custody import shoe as shoes
from controller.custody.batch_life.change import LineageUpdate, with_life
from controller.custody.batch_life.lifecycle import apply_batch_fact
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.custody.card_states import CardPlace
from controller.custody.findings import FindingCode
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.moves import PlayStep, follow_moves
from controller.custody.state import CustodyChange, CustodyState, batch_counts
from controller.rules.cards import Card, Rank, Suit
from drivers.shuffler_events import CompartmentChanged, CompartmentState, ShuffleStarted
from foundation.message import message

W, S = CardPlace, BatchStage
DECK = 52
ONE_DECK = [Card(rank, suit) for suit in Suit for rank in Rank]
PLAY = PlayStep(lambda: message("before_shoe"), 0, rack_read=False)


def one_deck(back: str, ending: str) -> Manifest:
    cards = [ManifestCard(f"E0{at:02X}{ending}", face, 1) for at, face in enumerate(ONE_DECK)]
    return build_manifest(f"{back}-1", back, 1, cards)


@pytest.fixture
def custody() -> CustodyState:
    """Both batches bound, in their cartons."""
    state = CustodyState()
    for back, ending in (("red", "01"), ("blue", "02")):
        state = batches.bind_batch(state, one_deck(back, ending)).state
    return state


def lives(red: BatchLife, blue: BatchStage = S.UNKNOWN) -> Lineage:
    return Lineage(lives=(red, BatchLife("blue", blue)))


IN_SHUFFLER = (S.COLLECTED, S.COUNTED, S.SHUFFLING, S.SHUFFLED, S.STORED)


def red_at(stage: BatchStage, **more: object) -> Lineage:
    more.setdefault("compartment", 1 if stage in IN_SHUFFLER else 0)
    return lives(BatchLife("red", stage, **more))


def where(state: CustodyState, back: str) -> dict[CardPlace, int]:
    batch = next(one for one in batch_counts(state) if one.back == back)
    return {place: count for place, count in batch.places if count}


def moved(state: CustodyState, *stages: BatchStage) -> CustodyState:
    """Move the red batch through these stages, without any count."""
    for before, after in pairwise(stages):
        state, found = followed(state, red_at(before), red_at(after))
        assert found == ()
    return state


def followed(state: CustodyState, before: Lineage, after: Lineage) -> CustodyChange:
    """Custody after the red batch got its life of the second lineage."""
    red = after.life("red")
    assert red is not None
    return follow_moves(state, with_life(LineageUpdate(before), red).placed, PLAY)


@pytest.mark.parametrize(
    ("stage", "place"),
    [
        *((stage, W.SHUFFLER) for stage in IN_SHUFFLER),
        (S.RELEASED, W.UNKNOWN),
        (S.CUT, W.UNKNOWN),
        (S.IN_SHOE, W.SHOE),
    ],
)
def test_a_batch_is_at_the_place_of_its_stage(custody, stage, place) -> None:
    after = moved(custody, S.UNKNOWN, stage)
    assert where(after, "red") == {place: DECK}
    assert where(after, "blue") == {W.CARTON: DECK}


@pytest.mark.parametrize("stage", [S.UNKNOWN, S.HELD, S.IN_PLAY, S.SPENT])
def test_some_stages_determine_no_place(custody, stage) -> None:
    assert moved(custody, S.STORED, stage) == custody


@pytest.mark.parametrize("stage", [S.COLLECTED, S.SHUFFLED])
def test_a_batch_without_a_compartment_is_not_in_the_shuffler(custody, stage) -> None:
    outside = red_at(stage, compartment=0)
    before = red_at(S.SPENT)
    assert followed(custody, before, outside) == (custody, ())


def test_a_held_batch_in_a_compartment_is_in_the_shuffler(custody) -> None:
    held = red_at(S.HELD, compartment=2)
    state, _ = followed(custody, red_at(S.SPENT), held)
    assert where(state, "red") == {W.SHUFFLER: DECK}


def test_a_full_cycle_ends_where_it_began(custody) -> None:
    stored = moved(custody, S.UNKNOWN, *IN_SHUFFLER)
    in_shoe = moved(stored, S.STORED, S.RELEASED, S.CUT, S.IN_SHOE)
    again = moved(in_shoe, S.IN_SHOE, S.IN_PLAY, S.SPENT, *IN_SHUFFLER)
    assert where(in_shoe, "red") == {W.SHOE: DECK}
    assert again == stored


def test_an_unchanged_lineage_moves_nothing(custody) -> None:
    stored = red_at(S.STORED)
    assert followed(custody, stored, stored) == (custody, ())


def test_a_table_without_batches_moves_nothing(custody) -> None:
    changed = applied(custody, count(DECK), Lineage(trusted=True), DECK)
    assert changed == (custody, ())


def test_a_card_set_apart_does_not_move_with_its_batch(custody) -> None:
    custody = batches.set_apart(custody, "red", "E00001", "bent").state
    assert where(moved(custody, S.SPENT, S.COLLECTED), "red") == {W.SHUFFLER: 51, W.QUARANTINE: 1}


def test_the_batch_in_play_is_never_moved_by_its_stage(custody) -> None:
    dealt = shoes.open_shoe(custody, "red", alternates=True)
    assert moved(dealt, S.SPENT, S.COLLECTED) == dealt


# --- counts ---------------------------------------------------------------------------------------


def count(
    cards: int | None, state: CompartmentState = CompartmentState.COUNTED
) -> CompartmentChanged:
    return CompartmentChanged(1, state, cards, "red", b"")


COLLECTED = red_at(S.COLLECTED, compartment=1)


def applied(
    state: CustodyState, event: CompartmentChanged | ShuffleStarted, before: Lineage, whole: int
) -> CustodyChange:
    """Custody after the shuffler's event, where a batch has `whole` cards by the settings."""
    trusted = replace(before, trusted=True)
    update = apply_batch_fact(trusted, event, cards=whole, decks=1, at_ns=0)
    return follow_moves(state, update.placed, PLAY)


def counted(state: CustodyState, cards: int, whole: int) -> CustodyChange:
    """The change after the shuffler counted this number of cards of the red batch."""
    return applied(state, count(cards), COLLECTED, whole)


@pytest.fixture
def after_a_shoe(custody) -> CustodyState:
    """The red batch was dealt; one card left unread, at an unknown place."""
    state = shoes.open_shoe(custody, "red", alternates=True)
    state = passing.apply_exit_read(state, "E00001", sure=True, step=message("before_shoe")).state
    state = passing.clear_hands(state, rack_is_read=False)
    state = shoes.open_shoe(shoes.end_shoe(state), "blue", alternates=True)
    return moved(state, S.SPENT, S.COLLECTED)


def test_a_correct_count_locates_the_unknown_card(after_a_shoe) -> None:
    assert where(after_a_shoe, "red") == {W.SHUFFLER: 51, W.UNKNOWN: 1}
    state, found = counted(after_a_shoe, DECK, DECK)
    assert (where(state, "red"), found) == ({W.SHUFFLER: DECK}, ())


@pytest.mark.parametrize(
    ("cards", "code"), [(51, FindingCode.CARD_ABSENT), (53, FindingCode.CARD_EXTRA)]
)
def test_a_wrong_count_gives_a_finding(after_a_shoe, cards, code) -> None:
    state, found = counted(after_a_shoe, cards, cards)
    assert [(one.code, one.back, one.step) for one in found] == [
        (code, "red", message("count_of_the_shuffler"))
    ]
    assert next(one for one in batch_counts(state) if one.back == "red").blocked


@pytest.mark.parametrize(("cards", "bar"), [(51, BlockReason.SHORT), (53, BlockReason.LONG)])
def test_a_count_that_blocks_the_batch_gives_no_finding(after_a_shoe, cards, bar) -> None:
    trusted = replace(COLLECTED, trusted=True)
    life = apply_batch_fact(trusted, count(cards), cards=DECK, decks=1, at_ns=0).lineage.life("red")
    assert life.block_reasons == (bar,)
    state, found = counted(after_a_shoe, cards, DECK)
    assert found == ()
    assert next(one for one in batch_counts(state) if one.back == "red").blocked


def test_a_repeated_count_changes_nothing(after_a_shoe) -> None:
    known = red_at(S.COUNTED, compartment=1, cards=51)
    assert applied(after_a_shoe, count(51), known, 51) == (after_a_shoe, ())


def test_a_count_of_the_batch_in_play_changes_nothing(custody) -> None:
    dealt = shoes.open_shoe(custody, "red", alternates=True)
    assert counted(dealt, 51, 51) == (dealt, ())


@pytest.mark.parametrize(
    "event",
    [count(None), ShuffleStarted(1, 7), count(None, CompartmentState.SHUFFLING)],
    ids=lambda one: str(one)[:40],
)
def test_other_events_check_no_count(after_a_shoe, event) -> None:
    assert applied(after_a_shoe, event, COLLECTED, DECK) == (after_a_shoe, ())


def test_a_count_of_another_compartment_changes_nothing(after_a_shoe) -> None:
    both = replace(COLLECTED, lives=(BatchLife("red", S.STORED, 2), BatchLife("blue", S.IN_PLAY)))
    change = applied(after_a_shoe, count(51), replace(both, last_dealt="blue", dealing=True), DECK)
    assert change == (after_a_shoe, ())
