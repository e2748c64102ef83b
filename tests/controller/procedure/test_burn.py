"""The burn: every first card, every order, and what is owed when something goes wrong in it.

Source: 9 NYCRR 5324.21 (e); Section 42 (e)(6), (k)(1)-(2); D-1, D-2.
"""

from itertools import product

import pytest

from controller.procedure.effects import BurnDone, Prompt, PromptKind
from controller.procedure.phases import Phase
from controller.rules.cards import Card
from controller.rules.setting_values import BurnMode, ShuffleMode
from controller.system.messages.catalogue import to_words

# Ace one, ten and faces ten (NY-e-3, S42-e-6-value), written again.
OWED = {"A": 1, **{str(rank): rank for rank in range(2, 11)}, "J": 10, "Q": 10, "K": 10}
COMPLETE = "P1 7h; B 7c; P Kd; B Kh"


@pytest.mark.clause("NY-e-1")
@pytest.mark.clause("NY-e-2")
@pytest.mark.clause("NY-e-3")
@pytest.mark.clause("S42-e-6-burn1")
@pytest.mark.clause("S42-e-6-burnn")
@pytest.mark.clause("S42-e-6-value")
def test_one_more_than_its_amount_leaves_the_shoe(new_table, profile, naming) -> None:
    for rank, suit in product(OWED, "dcsh"):
        with naming(rank + suit):
            table = new_table(f"start; burn {rank}{suit}", profile=profile)
            for left in range(OWED[rank], 0, -1):
                assert table.phase is Phase.BURN_REST
                assert table.shoe.burn_owed == left
                assert table.deal("burned 4c") == []
            assert table.phase is Phase.BETWEEN_COUPS
            assert table.of(BurnDone) == [BurnDone(Card.parse(rank + suit), 1 + OWED[rank], True)]
            assert table.deal("P 7h") == []


def test_the_burn_is_cited(new_table) -> None:
    table = new_table("start; burn 2d")
    assert table.last.clauses == ("S42-e-6-burn1", "S42-e-6-value", "S42-e-6-burnn")
    table.deal("burned 5d")
    assert table.last.clauses == ("S42-e-6-burnn",)
    table.deal("burned 6d")
    assert table.last.clauses == ("S42-e-6-burnn", "S42-e-6-burn1")


@pytest.mark.clause("WA-burn")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("start; P1 2d", "BURN_SKIPPED"),
        ("start; burn 3d; P1 9d", "BURN_SHORT"),
        ("start; burn Ac: 2c; burned 3d", "BURN_OVER"),
    ],
)
def test_washington_cites_its_own_burn_procedure_first(new_table, words, code) -> None:
    """It leaves the burn to the internal controls; what they borrow is cited after it."""
    table = new_table(words, profile="wa-mini")
    assert table.irregularities[-1].code.value == code
    assert table.irregularities[-1].clauses[0] == "WA-burn"


@pytest.mark.parametrize("claimed", ["P1", "B1", "P2", "B2", "P3", "B3"])
def test_until_the_burn_is_complete_every_card_is_a_burn_card(new_table, claimed) -> None:
    table = new_table("start")
    first = "BURN_SKIPPED" if claimed == "P1" else "CLAIM_DIFFERS"
    assert table.deal(f"{claimed} 2d") == [first]
    assert table.decide("continue") == ""
    counted = "BURN_SHORT" if claimed == "P1" else "CLAIM_DIFFERS"
    assert table.deal(f"{claimed} 9d") == [counted]
    assert table.decide("continue") == ""
    assert table.deal("burned 9c") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.shoe.burn_cards == tuple(map(Card.parse, ("2d", "9d", "9c")))
    assert table.shoe.coups_begun == 0


def test_a_counted_card_may_be_burned_by_the_burn_key(new_table) -> None:
    table = new_table("start; burn 2d")
    assert table.deal("extra 9c; extra 9d") == []
    assert table.phase is Phase.BETWEEN_COUPS


def test_an_unread_burn_card_counts_like_any_other(new_table) -> None:
    table = new_table("start; burn 2d: ??")
    assert table.shoe.burn_owed == 1
    assert table.irregularities == []


def test_without_its_first_card_the_burn_has_no_count_and_ends_with_the_first_coup(
    new_table,
) -> None:
    table = new_table("start")
    assert table.deal("burn ??") == ["CARD_UNREADABLE"]
    table.decide("continue")
    assert table.deal("burned 4c; burned 5c; burned 6c") == []
    assert table.phase is Phase.BURN_UNCOUNTED
    assert table.deal("P 7h") == []
    assert table.phase is Phase.BANKER_1
    assert table.of(BurnDone) == [BurnDone(None, 4, False)]


def test_it_also_ends_when_betting_closes(new_table) -> None:
    table = new_table("start; burn ??")
    table.decide("continue")
    assert table.deal("no more bets; P 7h") == []
    assert table.phase is Phase.BANKER_1


def test_it_also_ends_with_a_coup_whose_beginning_was_not_seen(new_table) -> None:
    table = new_table("start; burn ??")
    table.decide("continue")
    assert table.deal("B1 7h") == ["COUP_JOINED"]


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_has_no_burn_and_no_end(new_table) -> None:
    table = new_table("start", shuffle_mode=ShuffleMode.CONTINUOUS, decks=1)
    assert table.phase is Phase.BETWEEN_COUPS
    for _ in range(14):
        assert table.deal(f"{COMPLETE}; result tie") == []
    assert table.state.shoe.cards_drawn > table.state.shoe.cards_total


@pytest.mark.clause("S42-l-1-use")
@pytest.mark.parametrize("words", ["start; burn 2c: 3c 4c", "burn 2c: 3c 4c"])
def test_a_shoe_may_announce_a_burn_although_continuous_shuffling_owes_none(
    new_table, words
) -> None:
    table = new_table(shuffle_mode=ShuffleMode.CONTINUOUS)
    assert table.deal(words) == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.deal(f"{COMPLETE}; result tie") == []
    assert [str(card) for card in table.shoe.burn_cards] == ["2c", "3c", "4c"]
    assert table.shoe.coups_begun == 1


def test_a_shoe_announces_its_burn_again_after_each_start(new_table) -> None:
    table = new_table("start; burn 2c: 3c 4c", shuffle_mode=ShuffleMode.CONTINUOUS)
    table.deal(f"{COMPLETE}; result tie")
    assert table.deal(f"start; burn Ac: 5c; {COMPLETE}; result tie") == []
    assert table.shoe.coups_begun == 2


def test_a_burn_by_the_shoes_key_stays_an_irregularity_of_a_continuous_shuffler(new_table) -> None:
    table = new_table("start", shuffle_mode=ShuffleMode.CONTINUOUS)
    assert table.deal("extra 2c") == ["BURN_OVER"]


def test_a_continuous_shuffler_keeps_the_cards_of_a_dead_table(new_table) -> None:
    table = new_table("start", shuffle_mode=ShuffleMode.CONTINUOUS)
    table.deal(f"{COMPLETE}; result tie; close shoe")
    assert table.phase is Phase.SHOE_OVER
    assert [one for one in table.of(Prompt) if one.kind is PromptKind.DEAD_TABLE] == []


@pytest.mark.parametrize("lost", ["lost 2", "lost unproven", "lost unreadable", "start"])
def test_reports_lost_in_the_burn_take_its_count_away(new_table, lost) -> None:
    table = new_table(f"start; burn 9c: 2c; {lost}")
    assert table.shoe.burn_owed == 0
    assert not table.shoe.burn_proven
    table.decide("continue")
    assert table.deal("burned 4c; P 7h") == []
    assert table.of(BurnDone) == [BurnDone(Card.parse("9c"), 3, False)]


def test_a_first_burn_card_after_the_loss_proves_that_nothing_of_the_burn_was_lost(
    new_table,
) -> None:
    table = new_table("start; lost 2")
    table.decide("continue")
    assert table.deal("burn 2c: 3c") == []
    assert table.shoe.burn_proven
    assert table.shoe.burn_owed == 1
    assert table.deal("burned 4c") == []
    assert table.of(BurnDone) == [BurnDone(Card.parse("2c"), 3, True)]


@pytest.mark.parametrize("after", ["", "burned 4c; "])
def test_no_other_card_proves_it(new_table, after) -> None:
    table = new_table(f"start; lost 2; {after}burn ??")
    assert not table.shoe.burn_proven
    assert table.phase is Phase.SUSPENDED


def test_nothing_seen_of_the_burn_at_all(new_table) -> None:
    table = new_table("start; lost unproven")
    table.decide("continue")
    table.deal("P 7h")
    assert table.of(BurnDone) == [BurnDone(None, 0, False)]


@pytest.mark.clause("S42-e-6-burnn")
def test_a_card_more_is_burned_than_owed(table) -> None:
    assert table.deal("extra 4c") == ["BURN_OVER"]
    assert table.last.clauses == ("S42-e-6-burnn", "S42-k-2-carry", "S42-k-2-burn")
    assert [str(card) for card in table.shoe.burn_cards] == ["Ac", "2c"]
    assert [str(one.card) for one in table.shoe.remedy.waiting] == ["4c"]


# --- what the house burns -----------------------------------------------------------------------


@pytest.mark.parametrize(("count", "owed"), [(1, 0), (2, 1), (5, 4)])
def test_a_fixed_burn_asks_nothing_of_the_first_card(new_table, count, owed) -> None:
    table = new_table("start", burn_mode=BurnMode.FIXED, burn_fixed_count=count)
    assert table.deal("burn Kc") == []
    assert table.shoe.burn_owed == owed
    assert table.deal("; ".join(["burned 4c"] * owed) or "stand-by") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.of(BurnDone) == [BurnDone(Card.parse("Kc"), count, True)]


def test_a_fixed_burn_of_one_card_begun_as_a_coup_is_irregular_and_done(new_table) -> None:
    table = new_table("start", burn_mode=BurnMode.FIXED, burn_fixed_count=1)
    assert table.deal("P1 7h") == ["BURN_SKIPPED"]
    assert table.resumes_to is Phase.BETWEEN_COUPS


def test_a_house_that_burns_nothing_goes_on_with_the_first_coup(new_table) -> None:
    table = new_table("start", burn_mode=BurnMode.NONE)
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.deal(f"{COMPLETE}; result tie") == []
    assert table.of(BurnDone) == []


def test_a_card_burned_where_the_house_burns_nothing_is_one_too_many(new_table) -> None:
    table = new_table("", burn_mode=BurnMode.NONE)
    assert table.deal("burn 7h") == ["BURN_OVER"]


@pytest.mark.parametrize("lost", ["lost 2", "lost unproven", "lost unreadable"])
def test_a_fixed_burn_with_missing_reports_is_proven_by_its_first_card(new_table, lost) -> None:
    table = new_table(f"start; {lost}", burn_mode=BurnMode.FIXED, burn_fixed_count=1)
    table.decide("continue")
    assert table.deal("burn 2c") == []
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.clause("WA-burn")
@pytest.mark.parametrize(
    ("mode", "count", "burned"),
    [
        (BurnMode.NONE, 0, 0),
        (BurnMode.FIXED, 1, 1),
        (BurnMode.FIXED, 3, 3),
        (BurnMode.FIRST_CARD_VALUE, 0, 6),
    ],
)
def test_washington_burns_as_the_internal_controls_say(new_table, mode, count, burned) -> None:
    """A five comes first: so many cards are burned, no card less, and then a coup begins."""
    table = new_table("", profile="wa-mini", burn_mode=mode, burn_fixed_count=count)
    before = len(table.verdicts)
    table.deal("start")
    documented = [to_words(one.what) for one in table.verdicts[before:] if "WA-burn" in one.clauses]
    assert documented == ["burn as in the internal controls: no reference is set in the profile"]
    for left in range(burned, 0, -1):
        assert table.phase in (Phase.BURN_FIRST, Phase.BURN_REST), left
        assert table.deal("burn 5c" if left == burned else "burned 4c") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert [one.removed for one in table.of(BurnDone)] == ([burned] if burned else [])
    assert table.deal(COMPLETE) == []


@pytest.mark.clause("WA-burn")
def test_washington_cites_the_internal_controls_at_the_first_burn_card(new_table) -> None:
    table = new_table("start", profile="wa-mini", burn_mode=BurnMode.FIXED, burn_fixed_count=2)
    table.deal("burn 5c")
    assert "WA-burn" in table.last.clauses
    assert table.deal("P1 7h") == ["BURN_SHORT"]


@pytest.mark.clause("S42-e-6-shown")
@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("s42-mini", "show every burn card, then put it into the discard rack"),
        ("ny-mini", "show the first burn card, then put it into the discard rack"),
    ],
)
def test_the_burn_cards_to_be_shown_are_prompted(new_table, profile, text) -> None:
    table = new_table("start; burn 2c", profile=profile)
    assert text in [to_words(effect.text) for effect in table.of(Prompt)]
