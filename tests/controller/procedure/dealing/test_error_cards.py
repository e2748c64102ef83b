"""Cards drawn in error: one burn card too many, and cards drawn while one of them waits.

Source: Section 42 (k)(1)-(3), (h)(5); 9 NYCRR 5324.21 (e)(2), (j); D-7, D-11, D-38.
"""

import pytest

from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.profiles.rule_points import RulePoint

OPENED = "start; burn Ac: 2c"
NATURAL = "P1 9h; B 7c; P Kd; B Kh"
STANDS = "P1 7h; B 7c; P Kd; B Kh"
TURNED = (ObservableFact.TURNED,)


def cards_of(record) -> list[str]:
    return [str(one.card) for one in record.cards]


# --- one burn card too many (D-38) --------------------------------------------------------------

BURNED_FOR_FOUND = "P 2h; found face up; resolve continue; burned 3c; burned 4c"


@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.parametrize(
    ("profile", "own"),
    [("s42-mini", "S42-e-6-burnn"), ("ny-mini", "NY-e-2"), ("nj-minibaccarat", "S42-e-6-burnn")],
)
def test_a_burn_card_too_many_is_the_first_card_of_the_next_hand(new_table, profile, own) -> None:
    table = new_table(f"{OPENED}; burned 9h", profile=profile)
    assert table.last.clauses == (own, *table.book.clauses(RulePoint.DRAWN_IN_ERROR))
    assert table.permitted == ["carry-card", "burn-card", "close-shoe"]
    assert table.decide("carry-card") == ""
    assert table.deal("P1 7c; B Kd; P Kh; result player") == []
    assert cards_of(table.records[-1]) == ["9h", "7c", "Kd", "Kh"]


@pytest.mark.clause("S42-k-2-burn")
def test_seen_it_goes_to_the_rack_and_as_many_more_as_its_amount(new_table) -> None:
    table = new_table(f"{OPENED}; burned 3h; resolve burn-card")
    assert [str(card) for card in table.shoe.aside] == ["3h"]
    assert (table.phase, table.shoe.burn_owed) == (Phase.BURN_REST, 3)
    assert table.deal("burned 4c; burned 5c; burned 6c") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.deal("burned 7c") == ["BURN_OVER"], "one too many of this burn"


@pytest.mark.parametrize(("turned", "permitted"), [("", "carry-card"), ("turn error", "burn-card")])
def test_whether_it_was_seen_is_observed_like_of_any_card(new_table, turned, permitted) -> None:
    table = new_table(f"{OPENED}; burned 9h", observed=TURNED)
    table.deal(turned or "stand-by")
    assert table.permitted == [permitted, "close-shoe"]


@pytest.mark.parametrize("profile", ["wa-mini", "house-mini", "house-baccarat"])
def test_only_a_floorperson_who_may_decide_may_simply_continue(new_table, profile) -> None:
    table = new_table(f"{OPENED}; burned 9h", profile=profile)
    assert table.permitted == ["continue", "carry-card", "burn-card", "close-shoe"]
    table.decide("continue")
    assert [str(card) for card in table.shoe.aside] == ["9h"]
    assert table.deal("P1 7h") == [], "nothing is owed"


@pytest.mark.clause("S42-k-2-carry")
def test_after_a_burn_in_mid_coup_it_waits_for_the_next_coup(table) -> None:
    """The coup on the table has no card: the next card is still its first."""
    table.deal(BURNED_FOR_FOUND)
    assert (table.phase, table.shoe.coup.cards) == (Phase.PLAYER_1, ())
    assert table.deal("burned 6s") == ["BURN_OVER"]
    assert table.shoe.coup.cards == ()
    assert table.decide("carry-card") == ""
    assert table.deal("P1 9h; B 7c; P Kd; B Kh; result player") == []
    assert cards_of(table.records[-1]) == ["9h", "7c", "Kd", "Kh"]
    table.deal("no more bets")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["6s"]
    assert table.shoe.coup.number == 2


@pytest.mark.parametrize("before", ["P 7h", "P 7h; B 7c", "P 7h; B 7c; P Kd", "P 2h; B 3c; P Kd"])
def test_in_mid_coup_no_hand_gets_it(table, before) -> None:
    table.deal(before)
    dealt, phase = table.shoe.coup.cards, table.phase
    assert table.deal("extra 6s") == ["BURN_OVER"]
    assert (table.shoe.coup.cards, table.resumes_to) == (dealt, phase)
    table.decide("carry-card")
    assert table.phase is phase


def test_in_the_last_hand_it_goes_to_the_rack(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; {BURNED_FOR_FOUND}; burned 6s")
    assert table.permitted == ["continue", "burn-card", "void-coup", "close-shoe"]
    table.decide("continue")
    assert table.deal(f"{NATURAL}; result player") == []
    assert table.phase is Phase.SHOE_OVER


def test_after_the_last_hand_it_is_a_card_after_it(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; {NATURAL}; result player")
    assert table.deal("burned 6s") == ["CARD_AFTER_LAST_COUP"]


def test_with_a_closed_shoe_it_goes_to_the_rack_with_it(new_table) -> None:
    table = new_table(f"{OPENED}; burned 9h; resolve close-shoe")
    assert [str(card) for card in table.shoe.aside] == ["9h"]
