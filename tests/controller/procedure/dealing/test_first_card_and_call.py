"""A first card that the shoe claims for the Banker, and a call when no coup may begin.

Source: S42 (g)(2), (g)(3), (e)(6), (h)(5), (k)(1), (k)(3); D-7, D-16.
"""

import pytest

from controller.procedure.effects import Prompt
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.system.messages.catalogue import to_words

OBSERVED = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
BURNED = "start; burn Ac: 2c"
NATURAL = "no more bets; P 9h; B 7c; P Kd; B Kh"


@pytest.fixture
def called(new_table):
    return lambda words, **others: new_table(words, observed=OBSERVED, **others)


# --- the first card ------------------------------------------------------------------------------


@pytest.mark.clause("S42-g-3-player")
@pytest.mark.parametrize(
    "before", [BURNED, f"{BURNED}; {NATURAL}; result player", f"{BURNED}; P 7h; resolve continue"]
)
def test_with_no_report_missing_it_is_players_by_order(called, before) -> None:
    if before.endswith("resolve continue"):
        before = f"{BURNED}; lost 1; resolve continue; {NATURAL}; result player"
    table = called(before)
    raised = table.deal("no more bets; B1 2c")
    assert raised == ["CLAIM_DIFFERS"]
    assert table.permitted == ["continue", "void-coup", "close-shoe"]
    assert [one.place.value for one in table.shoe.coup.cards] == ["player_1"]
    looked = [one for one in table.of(Prompt) if "Player's area" in to_words(one.text)]
    assert [one.clauses for one in looked] == [("S42-g-3-four", "S42-g-3-player")]
    assert table.decide("continue") == ""
    assert table.phase.value == "banker_1"


@pytest.mark.parametrize(
    "words",
    [
        "lost 1; resolve continue; no more bets; B1 2c",
        "lost unproven; resolve continue; no more bets; B1 2c",
        "start; no more bets; B1 2c",
        "program 2.0; resolve continue; no more bets; B1 2c",
        "no more bets; P2 2c",
        "no more bets; B2 2c",
        "no more bets; P3 2c",
        "P 7h; lost 3; P1 2c; lost 9; B1 2c",
    ],
)
def test_where_a_report_may_be_missing_or_at_another_place_the_coup_is_joined(
    called, words
) -> None:
    table = called(BURNED)
    assert table.deal(words)[-1] in ("COUP_JOINED", "DEALT_WHILE_SUSPENDED")
    if not words.startswith("P 7h"):
        assert table.irregularities[-1].code.value == "COUP_JOINED"


def test_a_third_place_after_a_coup_is_a_card_too_many(called) -> None:
    table = called(f"{BURNED}; {NATURAL}; result player; no more bets")
    assert table.deal("B3 2c") == ["OVERDRAW"]


def test_an_unread_first_card_claimed_for_banker_is_players_first_too(called) -> None:
    table = called(f"{BURNED}; no more bets")
    assert table.deal("B1 ??") == ["CARD_UNREADABLE"]
    assert [one.place.value for one in table.shoe.coup.cards] == ["player_1"]


# --- a call that opens no coup -------------------------------------------------------------------


@pytest.mark.clause("S42-e-6-burnn")
@pytest.mark.parametrize(
    ("words", "said", "clause"),
    [
        ("start", "burn the first card, and as many more", "S42-e-6-burn1"),
        ("start; burn 7h: 2c", "burn 6 cards before", "S42-e-6-burnn"),
        ("start; burn 2h: 2c", "burn 1 card before", "S42-e-6-burnn"),
        (f"{BURNED}; P 9h; found face up; resolve continue", "burn 9 cards", "S42-k-3-extra"),
        (
            f"{BURNED}; {NATURAL}; P 4h; resolve burn-card; result player",
            "burn 4 cards",
            "S42-k-1-burn",
        ),
    ],
)
def test_while_burn_cards_are_owed_it_says_how_many(called, words, said, clause) -> None:
    table = called(words)
    table.deal("no more bets")
    assert said in to_words(table.last.what)
    assert clause in table.last.clauses
    assert to_words(table.of(Prompt)[-1].text) in to_words(table.last.what)


@pytest.mark.clause("S42-h-5-onemore")
def test_after_the_last_hand_it_says_that_the_cards_are_reshuffled(called) -> None:
    table = called(f"{BURNED}; cut card; {NATURAL}; result player; {NATURAL}; result player")
    table.deal("no more bets")
    assert "reshuffle: the last hand is dealt" in to_words(table.last.what)
    assert table.last.clauses == ("S42-h-5-onemore", "S42-e-1")


def test_after_a_shoe_that_a_person_closed_it_speaks_of_no_last_hand(called) -> None:
    table = called(f"{BURNED}; close shoe; no more bets")
    assert table.last.clauses == ("S42-e-1",)


# --- what obliges Banker -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "obliges"),
    [
        ("s42-mini", ("S42-i-3", "S42-i-3-5")),
        ("nj-baccarat", ("S42-i-3", "S42-i-3-5")),
        ("ny-mini", ("NY-h-3-draw",)),
        ("wa-mini", ("WA-bk-stand-draw",)),
        ("house-mini", ("S42-i-3",)),
    ],
)
def test_a_third_card_for_player_cites_what_obliges_banker(new_table, profile, obliges) -> None:
    table = new_table(f"{BURNED}; P 7h; B 5c; P Kd; B Kh; P3 4h", profile=profile)
    last = table.irregularities[-1]
    assert last.code.value == "PLAYER_THIRD_UNAUTHORISED"
    assert set(obliges) <= set(last.clauses)
    rows = ("NY-h-4-5", "WA-bk-5", "HG-mini-d5")
    assert not set(rows) & set(last.clauses), "that row is for a Player who drew"


@pytest.mark.parametrize("profile", ["s42-mini", "ny-mini", "wa-mini"])
def test_a_sixth_card_claimed_for_player_is_no_unlawful_third_one(new_table, profile) -> None:
    """Player drew lawfully: the card is Banker's third, and no rule on a Player who stands."""
    table = new_table(f"{BURNED}; P 5h; B 4s; P Kd; B Kh; B 2s", profile=profile)
    table.deal("resolve continue; P 6c")
    assert [one.code.value for one in table.irregularities] == ["CLAIM_DIFFERS"] * 2
    said = to_words(table.irregularities[-1].detail)
    assert said == "it is Banker's third card, the shoe reports Player's third card"
    assert not [one for one in table.irregularities[-1].clauses if one.startswith("S42-k-1")]
    table.deal("resolve continue")
    assert table.phase is Phase.RESULT


def test_a_card_drawn_in_error_after_players_third_is_no_unlawful_third_one(new_table) -> None:
    table = new_table(f"{BURNED}; P 4h; B 6s; P Kd; B Qc; P 8c; P3 2c")
    last = table.irregularities[-1]
    assert last.code.value == "OVERDRAW"
    assert not [one for one in last.clauses if one.startswith("S42-k-1")]
    table.deal("resolve carry-card")
    assert table.of(Prompt)[-1].clauses == ("S42-k-2-carry",)


@pytest.mark.parametrize("profile", ["s42-mini", "ny-mini", "wa-mini"])
def test_cards_dealt_on_are_not_cited_as_cards_drawn_in_error(new_table, profile) -> None:
    table = new_table(f"{BURNED}; P 7h; B ??; P 2c", profile=profile)
    (dealt,) = [one for one in table.irregularities if one.code.value == "DEALT_WHILE_SUSPENDED"]
    assert not [clause for clause in dealt.clauses if clause.startswith("S42-k-2")]
