"""Custody follows the life of the batches: each is where the shuffler and people put it.

Responsible for: the place of a batch at every stage of its life, and what a count of the shuffler
says of its cards.
Not responsible for: which stage comes when (tests/controller/custody/lineage) and for single cards
(test_custodian).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d); D-17, D-19.
"""

from dataclasses import replace
from itertools import pairwise

import pytest

from controller.core import custody_of_batches as custodian_batches
from controller.custody import batch_actions as batches
from controller.custody import exit_reads as passing
from controller.custody import shoe as shoes
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Bar, BatchLife, Lineage
from controller.custody.card_states import Whereabouts
from controller.custody.findings import FindingCode
from controller.custody.manifest import Manifest, ManifestCard, manifest_of
from controller.custody.state import CustodyState, counts
from controller.procedure.events import DomainEvent, ShoeStandsBy, ShufflerTold
from controller.rules.cards import Card, Rank, Suit
from drivers.shuffler_events import CompartmentChanged, CompartmentState, ShuffleBegan

W, S = Whereabouts, BatchStage
DECK = 52
ONE_DECK = [Card(rank, suit) for suit in Suit for rank in Rank]
TICK = ShoeStandsBy()


def one_deck(back: str, ending: str) -> Manifest:
    cards = [ManifestCard(f"E0{at:02X}{ending}", face, 1) for at, face in enumerate(ONE_DECK)]
    return manifest_of(f"{back}-1", back, 1, cards)


@pytest.fixture
def custody() -> CustodyState:
    """Both batches bound, in their cartons."""
    state = CustodyState()
    for back, ending in (("red", "01"), ("blue", "02")):
        state = batches.bind(state, one_deck(back, ending)).state
    return state


def lives(red: BatchLife, blue: BatchStage = S.UNKNOWN) -> Lineage:
    return Lineage(lives=(red, BatchLife("blue", blue)))


IN_SHUFFLER = (S.COLLECTED, S.COUNTED, S.SHUFFLING, S.SHUFFLED, S.STORED)


def red_at(stage: BatchStage, **more: object) -> Lineage:
    more.setdefault("compartment", 1 if stage in IN_SHUFFLER else 0)
    return lives(BatchLife("red", stage, **more))


def where(state: CustodyState, back: str) -> dict[Whereabouts, int]:
    batch = next(one for one in counts(state) if one.back == back)
    return {place: count for place, count in batch.places if count}


def moved(state: CustodyState, *stages: BatchStage) -> CustodyState:
    """The red batch goes through these stages, with nothing said of any count."""
    for before, after in pairwise(stages):
        state, found = custodian_batches.followed(state, TICK, red_at(before), red_at(after))
        assert found == ()
    return state


@pytest.mark.parametrize(
    ("stage", "place"),
    [
        *((stage, W.SHUFFLER) for stage in IN_SHUFFLER),
        (S.RELEASED, W.UNKNOWN),
        (S.CUT, W.UNKNOWN),
        (S.IN_SHOE, W.SHOE),
    ],
)
def test_a_batch_is_where_its_stage_says(custody, stage, place) -> None:
    after = moved(custody, S.UNKNOWN, stage)
    assert where(after, "red") == {place: DECK}
    assert where(after, "blue") == {W.CARTON: DECK}


@pytest.mark.parametrize("stage", [S.UNKNOWN, S.HELD, S.IN_PLAY, S.SPENT])
def test_some_stages_say_nothing_of_a_place(custody, stage) -> None:
    assert moved(custody, S.STORED, stage) == custody


@pytest.mark.parametrize("stage", [S.COLLECTED, S.SHUFFLED])
def test_a_batch_that_lies_in_no_compartment_is_not_in_the_shuffler(custody, stage) -> None:
    outside = red_at(stage, compartment=0)
    before = red_at(S.SPENT)
    assert custodian_batches.followed(custody, TICK, before, outside) == (custody, ())


def test_a_batch_held_in_the_shuffler_is_there(custody) -> None:
    held = red_at(S.HELD, compartment=2)
    state, _ = custodian_batches.followed(custody, TICK, red_at(S.SPENT), held)
    assert where(state, "red") == {W.SHUFFLER: DECK}


def test_one_way_round_ends_where_it_began(custody) -> None:
    stored = moved(custody, S.UNKNOWN, *IN_SHUFFLER)
    in_shoe = moved(stored, S.STORED, S.RELEASED, S.CUT, S.IN_SHOE)
    again = moved(in_shoe, S.IN_SHOE, S.IN_PLAY, S.SPENT, *IN_SHUFFLER)
    assert where(in_shoe, "red") == {W.SHOE: DECK}
    assert again == stored


def test_a_lineage_that_did_not_change_moves_nothing(custody) -> None:
    stored = red_at(S.STORED)
    assert custodian_batches.followed(custody, TICK, stored, stored) == (custody, ())


def test_a_table_without_a_shuffler_moves_nothing(custody) -> None:
    assert custodian_batches.followed(custody, TICK, NO_LINEAGE, NO_LINEAGE) == (custody, ())


def test_a_card_set_apart_does_not_go_along(custody) -> None:
    custody = batches.set_apart(custody, "red", "E00001", "bent").state
    assert where(moved(custody, S.SPENT, S.COLLECTED), "red") == {W.SHUFFLER: 51, W.QUARANTINE: 1}


def test_the_batch_that_is_dealt_goes_nowhere_whatever_is_told(custody) -> None:
    dealt = shoes.shoe_opened(custody, "red", alternates=True)
    assert moved(dealt, S.SPENT, S.COLLECTED) == dealt


# --- counts ---------------------------------------------------------------------------------------


def count(cards: int | None, state: CompartmentState = CompartmentState.COUNTED) -> DomainEvent:
    return ShufflerTold(CompartmentChanged(1, state, cards, "red", b""), 0)


COLLECTED = red_at(S.COLLECTED, compartment=1)


def counted(state: CustodyState, cards: int, *bars: Bar):
    """The shuffler counted so many cards of the red batch."""
    stage = S.HELD if bars else S.COUNTED
    after = red_at(stage, compartment=1, cards=cards, bars=bars)
    return custodian_batches.followed(state, count(cards), COLLECTED, after)


@pytest.fixture
def after_a_shoe(custody) -> CustodyState:
    """The red batch was dealt; one card left unseen, and nobody knows where it is."""
    state = shoes.shoe_opened(custody, "red", alternates=True)
    state = passing.card_passed(state, "E00001", sure=True, step="a coup").state
    state = passing.hands_cleared(state, rack_is_read=False)
    state = shoes.shoe_opened(shoes.shoe_ended(state), "blue", alternates=True)
    return moved(state, S.SPENT, S.COLLECTED)


def test_a_right_count_finds_what_nobody_could_place(after_a_shoe) -> None:
    assert where(after_a_shoe, "red") == {W.SHUFFLER: 51, W.UNKNOWN: 1}
    state, found = counted(after_a_shoe, DECK)
    assert (where(state, "red"), found) == ({W.SHUFFLER: DECK}, ())


@pytest.mark.parametrize(
    ("cards", "code"), [(51, FindingCode.CARD_ABSENT), (53, FindingCode.CARD_EXTRA)]
)
def test_a_wrong_count_is_found(after_a_shoe, cards, code) -> None:
    state, found = counted(after_a_shoe, cards)
    assert [(one.code, one.back, one.step) for one in found] == [
        (code, "red", "the count of the shuffler")
    ]
    assert next(one for one in counts(state) if one.back == "red").blocked


@pytest.mark.parametrize(("cards", "bar"), [(51, Bar.SHORT), (53, Bar.LONG)])
def test_a_count_that_bars_the_batch_by_itself_is_not_told_twice(after_a_shoe, cards, bar) -> None:
    state, found = counted(after_a_shoe, cards, bar)
    assert found == ()
    assert next(one for one in counts(state) if one.back == "red").blocked


def test_a_count_told_again_says_nothing_new(after_a_shoe) -> None:
    known = red_at(S.COUNTED, compartment=1, cards=51)
    elsewhere = replace(known, warnings_told=1)
    told = custodian_batches.followed(after_a_shoe, count(51), known, elsewhere)
    assert told == (after_a_shoe, ())


@pytest.mark.parametrize(
    "event", [count(None), ShufflerTold(ShuffleBegan(1, 7), 0), TICK], ids=lambda one: str(one)[:40]
)
def test_what_is_no_count_counts_nothing(after_a_shoe, event) -> None:
    after = red_at(S.COUNTED, compartment=1, cards=51)
    assert custodian_batches.followed(after_a_shoe, event, COLLECTED, after) == (after_a_shoe, ())


def test_a_count_of_an_empty_compartment_is_nobodys(after_a_shoe) -> None:
    after = red_at(S.COLLECTED, compartment=2)
    assert custodian_batches.followed(after_a_shoe, count(51), COLLECTED, after) == (
        after_a_shoe,
        (),
    )
