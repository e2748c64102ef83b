"""Wagers at the table: stated, locked, changed too late, and what a coup pays for them.

Source: 9 NYCRR 5324.21 (b), (i)(2); Section 42 (b), (j)(2), (k)(4); Washington overview 1, 2, 9;
New Jersey 3.2(a)4, 7.2(a)4; D-15, D-23, D-24, D-28, D-29.
"""

import pytest
from acts_of_people import acted
from in_words import in_words
from msgspec.structs import replace

from controller.procedure.effects import (
    ActRecord,
    CoupCorrected,
    CoupPayment,
    Prompt,
    PromptKind,
    Refusal,
)
from controller.procedure.people.wager_statements import record_verbal_wager
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import StandingWagers, VerbalWager
from controller.procedure.step_result import Step
from controller.procedure.wagering.payment import results_by_outcome, settle_coup, terms_of
from controller.procedure.wagering.wagers import lock_wagers, pay_coup
from controller.rules.actions.actions import ChangeSetting, RecordAct, StateWagers
from controller.rules.actions.choices import ActKind
from controller.rules.outcome import Outcome
from controller.rules.setting_values import VigorishMode
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

OBSERVED = (ObservableFact.WAGERS, ObservableFact.RESULT_BUTTON)
CALLED = (*OBSERVED, ObservableFact.NO_MORE_BETS)
OPENED = "start; burn Ac: 2c"
BANKER_8 = "P 7h; B 5c; P Kd; B Qh; B 3c"
BANKER_6 = "P 2h; B 6c; P 3d; B Kh; P Kc"
DRAGON_7 = "P 2h; B 2c; P 4d; B Kh; B 5c"
PLAYER_9 = "P 9h; B Kc; P Qd; B Jh"
TIE_7 = "P 7h; B 7c; P Kd; B Kh"


def wagers_of(words):
    """seat 5 banker 100.00, seat 2 tie 10.00"""
    parts = (part.split() for part in words.split(", ") if part)
    return tuple(
        Wager(int(seat), WagerKind(kind), int(amount.replace(".", "")))
        for _, seat, kind, amount in parts
    )


def bet(table, words):
    """State the wagers; the irregularities it gave."""
    result = table.apply(acted(StateWagers(wagers_of(words)), "Ann Lee"))
    return [one for one in result.verdicts if hasattr(one, "code")]


def refused(table, words):
    result = table.apply(acted(StateWagers(wagers_of(words)), "Ann Lee"))
    return next(one for one in result.effects if isinstance(one, Refusal))


def acts(table):
    """What the dealer does for the coup paid last."""
    return [to_words(step.text) for step in table.of(CoupPayment)[-1].steps]


@pytest.fixture
def new_wager_table(new_table):
    """A factory of tables that observe wagers; the first shoe is opened and burned."""

    def make_table(words="", profile="s42-mini", observed=OBSERVED, **settings):
        opened = f"{OPENED}; {words}" if words else OPENED
        return new_table(opened, profile=profile, observed=observed, **settings)

    return make_table


def change(table, setting, value):
    """The house changes a setting in play that requires no notice."""
    table.apply(acted(ChangeSetting(setting, value), "Bo Ray", reason="trial"))


# --- stated -------------------------------------------------------------------------------------


@pytest.mark.clause("S42-b-2")
@pytest.mark.clause("S42-b-3-chips")
def test_wagers_are_stated_while_bets_are_open(new_wager_table):
    table = new_wager_table()

    assert bet(table, "seat 5 banker 100.00, seat 2 tie 10.00") == []
    assert to_words(table.last.what) == "2 wagers, 110.00 in all, stated by Ann Lee"
    assert table.last.clauses == ("S42-b-2", "S42-b-3-chips")


@pytest.mark.clause("NY-b-1-list")
@pytest.mark.clause("NY-b-2")
def test_new_york_lists_its_wagers_and_how_they_are_made(new_wager_table):
    table = new_wager_table(profile="ny-mini")
    bet(table, "seat 5 banker 100.00")

    assert table.last.clauses == ("NY-b-1-list", "NY-b-2")


@pytest.mark.clause("WA-ov-1")
def test_washington_lists_its_wagers(new_wager_table):
    table = new_wager_table(profile="wa-mini")
    bet(table, "seat 5 banker 100.00")

    assert "WA-ov-1" in table.last.clauses


def test_a_new_statement_takes_the_place_of_the_one_before(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00")
    bet(table, "seat 5 banker 50.00, seat 1 player 5.00")

    assert table.state.wagering.wagers == wagers_of("seat 5 banker 50.00, seat 1 player 5.00")


def test_a_table_that_does_not_observe_wagers_says_how_to_configure_it(new_wager_table):
    assert in_words(refused(new_wager_table(observed=()), "seat 5 banker 100.00")) == Refusal(
        "wagers",
        'this table does not observe wagers: add "wagers" to observed in table.toml, '
        "or for a script give --observed wagers",
    )


@pytest.mark.parametrize("words", ["", f"{OPENED}; close shoe"])
def test_without_a_shoe_in_play_there_is_nothing_to_bet_on(new_table, words):
    table = new_table(words, observed=OBSERVED)

    assert to_words(refused(table, "seat 5 banker 100.00").why) == (
        "no shoe is in play: state wagers once the next one is opened"
    )


# --- what may not stand -------------------------------------------------------------------------


@pytest.mark.clause("S42-b-2")
def test_a_wager_that_is_not_offered_is_an_irregularity_and_comes_back(new_wager_table):
    table = new_wager_table()

    (one,) = bet(table, "seat 5 banker 100.00, seat 5 dragon_7 5.00")
    table.deal(f"{BANKER_8}; result banker")

    assert one.code == "WAGER_REFUSED"
    assert one.clauses == ("S42-b-2",)
    assert not one.suspends
    assert to_words(one.detail).endswith(
        "seat 5, Dragon 7: this wager is not offered here. "
        "Return it; offered are Banker, Player, Tie"
    )
    assert acts(table) == [
        "seat 5: pay 100.00 on Banker",
        "seat 5: collect vigorish 5.00",
        "seat 5: return 5.00 on Dragon 7, this wager is not offered here",
    ]


@pytest.mark.clause("WA-ov-2-combo")
def test_washington_refuses_both_hands_from_one_seat(new_wager_table):
    table = new_wager_table(profile="wa-mini")

    (one,) = bet(table, "seat 5 banker 100.00, seat 5 player 40.00, seat 5 tie 5.00")
    table.deal(f"{PLAYER_9}; result player")

    assert "WA-ov-2-combo" in one.clauses
    assert acts(table) == [
        "seat 5: take 100.00 from Banker",
        "seat 5: take 5.00 from Tie",
        "seat 5: return 40.00 on Player, one seat may not bet on both hands",
    ]


def test_new_york_lets_one_seat_bet_on_both_hands(new_wager_table):
    assert (
        bet(new_wager_table(profile="ny-mini"), "seat 5 banker 100.00, seat 5 player 40.00") == []
    )


def test_a_refused_wager_is_raised_once(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00, seat 5 dragon_7 5.00")

    assert bet(table, "seat 5 banker 200.00, seat 5 dragon_7 5.00") == []
    assert bet(table, "seat 5 banker 200.00, seat 5 panda_8 5.00") != []


@pytest.mark.clause("NJ-sum-base")
def test_a_total_card_wager_needs_a_base_wager(new_wager_table):
    (one,) = bet(new_wager_table(profile="nj-minibaccarat"), "seat 5 total_4 10.00")

    assert "NJ-sum-base" in one.clauses


@pytest.mark.clause("NJ-sum-offer")
@pytest.mark.clause("NJ-7.2-a-4-offer")
def test_a_total_card_wager_is_refused_where_the_house_does_not_offer_it(new_wager_table):
    table = new_wager_table(profile="nj-minibaccarat")
    table.deal("close shoe")
    change(table, "total_card_wagers", "off")
    table.deal(OPENED)

    (one,) = bet(table, "seat 5 player 10.00, seat 5 total_4 10.00")

    assert {"NJ-sum-offer", "NJ-7.2-a-4-offer"} <= set(one.clauses)


@pytest.mark.parametrize("words", ["seat 1 banker 0.15, seat 1 total_5 2.00"])
def test_a_total_card_wager_whose_base_is_refused_is_refused_before_the_deal(
    new_wager_table, words
):
    table = new_wager_table(profile="nj-minibaccarat", vig_mode=VigorishMode.NONE_SIX)

    base, total = bet(table, words)

    assert "NJ-7.3-f-1" in base.clauses
    assert "NJ-sum-base" in total.clauses
    assert bet(table, words) == []


@pytest.mark.clause("NJ-7.2-a-4-offer")
def test_a_total_card_wager_is_offered_until_its_shoe_ends(new_wager_table):
    table = new_wager_table(profile="nj-minibaccarat")
    change(table, "total_card_wagers", "off")

    (refusal,) = table.of(Refusal)
    assert refusal.clauses == ("NJ-7.2-a-4-offer",)
    assert to_words(refusal.why) == (
        "total_card_wagers changes between shoes only: finish or close this shoe, then change it"
    )
    assert bet(table, "seat 5 player 10.00, seat 5 total_4 10.00") == []


@pytest.mark.clause("NY-b-1-iv-offer")
def test_the_bonus_is_refused_where_the_house_does_not_offer_it(new_wager_table):
    (one,) = bet(
        new_wager_table(profile="ny-mini"), "seat 5 player 10.00, seat 5 bonus_player 10.00"
    )

    assert one.clauses == ("NY-b-1-list", "NY-b-1-iv-offer", "NY-b-1-iv-dragon")


def test_a_wager_that_cannot_be_paid_to_the_cent_is_refused(new_wager_table):
    table = new_wager_table(profile="nj-minibaccarat")

    (one,) = bet(table, "seat 5 player 10.00, seat 5 total_4 10.01")

    assert to_words(one.detail).endswith(
        "10.01 at 3:2 would win a fraction of a cent. Bet a multiple of 0.02"
    )
    assert "NJ-7.3-g-4" in one.clauses


def test_the_same_spot_stated_twice_counts_once(new_wager_table):
    table = new_wager_table()
    assert len(bet(table, "seat 5 player 10.00, seat 5 player 10.00")) == 1

    table.deal(f"{PLAYER_9}; result player")

    assert acts(table) == [
        "seat 5: pay 10.00 on Player",
        "seat 5: return 10.00 on Player, this spot has two amounts",
    ]


def test_a_wager_of_nothing_is_refused_and_nothing_comes_back(new_wager_table):
    table = new_wager_table(encoded=False)
    assert len(bet(table, "seat 5 player 0.00, seat 5 tie 5.00")) == 1

    table.deal(f"{TIE_7}; result tie")

    assert acts(table) == ["seat 5: pay 40.00 on Tie"]


def test_a_wager_whose_base_is_returned_is_returned_too(new_wager_table):
    table = new_wager_table(profile="nj-minibaccarat", encoded=False)
    bet(table, "seat 5 player 0.00, seat 5 total_4 10.00")

    table.deal(f"{PLAYER_9}; result player")

    assert acts(table) == [
        "seat 5: return 10.00 on four cards, it needs a wager on Banker, Player or Tie"
    ]


# --- when they stand ----------------------------------------------------------------------------


@pytest.mark.clause("S42-b-4")
@pytest.mark.clause("S42-b-5")
@pytest.mark.parametrize("words", ["P 7h", "P 7h; B 5c; P Kd; B Qh"])
def test_after_the_first_card_a_change_is_an_irregularity(new_wager_table, words):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00, seat 2 tie 10.00, seat 1 tie 5.00")
    table.deal(words)

    (one,) = bet(table, "seat 5 banker 200.00, seat 3 player 5.00, seat 1 tie 5.00")

    assert one.code == "WAGER_CHANGED_LATE"
    assert one.clauses == ("S42-b-4", "S42-b-5")
    assert to_words(one.detail).endswith(
        "seat 2 Tie from 10.00 to 0.00, seat 3 Player from 0.00 to 5.00, "
        "seat 5 Banker from 100.00 to 200.00; stated by Ann Lee"
    )


@pytest.mark.clause("NY-b-3")
def test_after_no_more_bets_a_change_is_an_irregularity(new_wager_table):
    table = new_wager_table(profile="ny-mini", observed=CALLED)
    bet(table, "seat 5 banker 100.00")
    table.deal("no more bets")

    (one,) = bet(table, "seat 5 banker 200.00")

    assert (one.code, one.clauses) == ("WAGER_CHANGED_LATE", ("NY-b-3",))
    assert "seat 5 Banker from 100.00 to 200.00; stated by" in to_words(one.detail)
    assert [wager.cents for wager in table.state.wagering.wagers] == [10000], "they stay as bet"


@pytest.mark.clause("NY-b-3")
@pytest.mark.clause("NY-b-4")
def test_in_a_coup_a_change_breaks_both_rules_of_new_york(new_wager_table):
    table = new_wager_table("P 7h", profile="ny-mini")

    (one,) = bet(table, "seat 5 banker 200.00")

    assert one.clauses == ("NY-b-3", "NY-b-4")
    assert "seat 5 Banker from 0.00 to 200.00; stated by" in to_words(one.detail)
    assert table.state.wagering.wagers == (), "nothing was bet in time"


@pytest.mark.clause("HG-mini-before")
def test_the_house_guide_closes_bets_with_the_call(new_wager_table):
    table = new_wager_table("no more bets", profile="house-mini", observed=CALLED)

    (one,) = bet(table, "seat 5 banker 200.00")

    assert one.code == "WAGER_CHANGED_LATE"
    assert "seat 5 Banker from 0.00 to 200.00; stated by" in to_words(one.detail)
    assert "HG-mini-before" in one.clauses


def test_a_burn_after_the_call_does_not_open_betting_again(new_wager_table):
    """The card drawn in error is seen and burned for, then the called coup begins."""
    burn = "no more bets; out 4c; resolve burn-card; burned 2h"
    table = new_wager_table(burn, profile="house-mini", observed=CALLED)

    (one,) = bet(table, "seat 5 banker 200.00")

    assert one.code == "WAGER_CHANGED_LATE"


@pytest.mark.clause("HG-bac-before")
def test_the_house_guide_closes_bets_of_baccarat_with_the_call(new_wager_table):
    table = new_wager_table("no more bets", profile="house-baccarat", observed=CALLED)

    (one,) = bet(table, "seat 5 banker 200.00")

    assert one.code == "WAGER_CHANGED_LATE"
    assert "seat 5 Banker from 0.00 to 200.00; stated by" in to_words(one.detail)
    assert "HG-bac-before" in one.clauses


@pytest.mark.clause("WA-ov-2-before")
def test_washington_takes_wagers_until_the_first_card(new_wager_table):
    table = new_wager_table("no more bets", profile="wa-mini", observed=CALLED)

    assert bet(table, "seat 5 banker 100.00") == []
    table.deal("P 7h")
    (one,) = bet(table, "seat 5 banker 200.00")

    assert one.code == "WAGER_CHANGED_LATE"
    assert "seat 5 Banker from 100.00 to 200.00; stated by" in to_words(one.detail)
    assert "WA-ov-2-before" in one.clauses


def test_the_same_wagers_stated_again_are_not_a_change(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00, seat 2 tie 10.00")
    table.deal("P 7h")

    assert bet(table, "seat 2 tie 10.00, seat 5 banker 100.00") == []
    assert to_words(table.last.what) == "wagers unchanged, stated by Ann Lee"


def test_a_late_change_is_raised_once(new_wager_table):
    table = new_wager_table("P 7h")
    bet(table, "seat 5 banker 200.00")

    assert bet(table, "seat 5 banker 200.00") == []
    assert len(bet(table, "seat 5 banker 300.00")) == 1


@pytest.mark.clause("S42-b-4")
def test_a_late_change_is_not_paid(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal("P 9h")
    bet(table, "seat 5 player 500.00")
    table.deal("B Kc; P Qd; B Jh; result player")

    assert acts(table) == ["seat 5: pay 100.00 on Player"]


def test_where_nothing_reports_results_a_statement_after_the_last_card_is_the_next_coups(
    new_wager_table,
):
    table = new_wager_table(observed=(ObservableFact.WAGERS,))
    bet(table, "seat 5 player 100.00")
    table.deal(PLAYER_9)

    assert bet(table, "seat 5 player 100.00") == []
    assert table.records == []
    assert bet(table, "seat 5 banker 60.00") == []

    assert acts(table) == ["seat 5: pay 100.00 on Player"]
    assert table.state.wagering.wagers == wagers_of("seat 5 banker 60.00")


def test_where_results_are_reported_the_coup_is_not_over_before(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(PLAYER_9)

    assert [one.code for one in bet(table, "seat 5 banker 60.00")] == ["WAGER_CHANGED_LATE"]


def test_while_suspended_a_statement_is_held_against_the_open_coup(new_wager_table):
    table = new_wager_table(observed=(ObservableFact.WAGERS,))
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; P 4h")

    (one,) = bet(table, "seat 5 banker 60.00")

    assert (one.code, one.provisional) == ("WAGER_CHANGED_LATE", True)


def test_wagers_stand_once_and_from_the_first_card_on(new_wager_table):
    table = new_wager_table("no more bets", observed=CALLED)
    assert lock_wagers(table.book, Step(table.state)).state == table.state

    table.deal("P 7h")
    assert [one.coup for one in table.state.wagering.standing] == [1]
    assert lock_wagers(table.book, Step(table.state)).state == table.state


# --- paid ---------------------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-pay")
@pytest.mark.clause("S42-j-2-iii")
def test_a_coup_is_paid_seat_by_seat_from_the_highest(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 2 player 20.00, seat 7 banker 50.00, seat 5 banker 100.00, seat 5 tie 5.00")

    table.deal(f"{BANKER_8}; result banker")

    assert acts(table) == [
        "seat 5: take 5.00 from Tie",
        "seat 2: take 20.00 from Player",
        "seat 7: pay 50.00 on Banker",
        "seat 7: collect vigorish 2.50",
        "seat 5: pay 100.00 on Banker",
        "seat 5: collect vigorish 5.00",
    ]


@pytest.mark.clause("S42-j-2-lose")
def test_one_prompt_lists_all_acts_of_the_payment(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00, seat 2 player 20.00")

    table.deal(f"{BANKER_8}; result banker")

    (prompt,) = [one for one in table.of(Prompt) if one.kind is PromptKind.PAY]
    assert to_words(prompt.text) == (
        "seat 2: take 20.00 from Player; seat 5: pay 100.00 on Banker; "
        "seat 5: collect vigorish 5.00"
    )
    assert {"S42-j-2-lose", "S42-c-3-pay", "S42-c-3-rate"} <= set(prompt.clauses)


def test_house_and_seats_together_gain_nothing(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 2 player 20.00, seat 7 banker 50.00, seat 5 banker 100.00, seat 5 tie 5.00")

    table.deal(f"{BANKER_8}; result banker")

    settlement = table.of(CoupPayment)[-1].settlement
    gains = [settlement.seat_gain(seat) for seat in (7, 5, 2)]
    assert (gains, settlement.house_gain) == ([4750, 9000, -2000], -11750)


def test_the_wagers_of_a_paid_coup_are_gone(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; result player; {TIE_7}; result tie")

    assert len(table.of(CoupPayment)) == 1
    assert table.state.wagering.standing == ()
    assert table.state.wagering.last_payment is None


def test_a_coup_without_wagers_pays_nothing(new_wager_table):
    table = new_wager_table(f"{PLAYER_9}; result player")

    assert table.of(CoupPayment) == []


def test_a_coup_is_paid_once(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; result player")

    again = pay_coup(table.book, Step(table.state), table.records[0])

    assert again == Step(table.state)


@pytest.mark.clause("NY-b-1-i-c-ez")
@pytest.mark.clause("NY-c-8")
def test_ez_returns_banker_and_pays_the_dragon(new_wager_table):
    table = new_wager_table(profile="ny-ez")
    bet(table, "seat 5 banker 100.00, seat 5 dragon_7 5.00")

    table.deal(f"{DRAGON_7}; result banker")

    assert acts(table) == ["seat 5: return 100.00 on Banker", "seat 5: pay 200.00 on Dragon 7"]


# --- disputed, void, stated ---------------------------------------------------------------------


def test_nothing_is_paid_while_the_result_is_disputed(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; result banker")
    assert table.of(CoupPayment) == []

    table.decide("continue")

    assert acts(table) == ["seat 5: pay 100.00 on Player"]


@pytest.mark.clause("S42-k-4-void")
def test_a_void_coup_returns_every_wager(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00, seat 2 tie 10.00")
    table.deal(f"{BANKER_8}; result player")

    table.decide("void-coup")

    (paid,) = table.of(CoupPayment)
    assert acts(table) == ["seat 5: return 100.00 on Banker", "seat 2: return 10.00 on Tie"]
    assert to_words(paid.note) == "void coup"
    assert paid.steps[0].clauses == ("S42-k-4-void",)
    assert to_words(table.of(Prompt)[-1].text).startswith("void coup: seat 5: return 100.00")


def test_coups_held_while_suspended_are_each_paid_by_their_own_wagers(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; result banker")
    table.deal(f"result player; {TIE_7}; result tie")
    assert table.of(CoupPayment) == []

    table.decide("continue take-over")

    assert [(paid.coup, len(paid.steps)) for paid in table.of(CoupPayment)] == [(1, 1)]


def test_a_coup_begun_while_suspended_has_the_wagers_stated_for_it(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 player 100.00")
    table.deal(f"{PLAYER_9}; result banker; result player")
    bet(table, "seat 2 tie 10.00")
    table.deal(f"{TIE_7}; result tie")

    table.decide("continue take-over")

    assert [[to_words(step.text) for step in paid.steps] for paid in table.of(CoupPayment)] == [
        ["seat 5: pay 100.00 on Player"],
        ["seat 2: pay 80.00 on Tie"],
    ]


@pytest.mark.parametrize(
    ("profile", "words", "outcome", "paid"),
    [
        (
            "s42-mini",
            "seat 5 banker 100.00, seat 2 tie 10.00",
            "banker",
            [
                "seat 2: take 10.00 from Tie",
                "seat 5: pay 100.00 on Banker",
                "seat 5: collect vigorish 5.00",
            ],
        ),
        ("s42-mini", "seat 2 tie 10.00", "tie", ["seat 2: pay 80.00 on Tie"]),
        ("s42-mini", "seat 2 player 10.00", "player", ["seat 2: pay 10.00 on Player"]),
        (
            "nj-minibaccarat",
            "seat 2 player 10.00, seat 2 total_5 10.00",
            "player",
            [
                "seat 2: pay 10.00 on Player",
                "seat 2: return 10.00 on five cards, the stated outcome does not decide it",
            ],
        ),
        (
            "ny-ez",
            "seat 2 banker 10.00, seat 2 dragon_7 5.00, seat 2 panda_8 5.00",
            "banker",
            [
                "seat 2: take 5.00 from Panda 8",
                "seat 2: return 10.00 on Banker, the stated outcome does not decide it",
                "seat 2: return 5.00 on Dragon 7, the stated outcome does not decide it",
            ],
        ),
    ],
)
def test_a_stated_outcome_pays_what_it_decides_and_returns_the_rest(
    new_wager_table, profile, words, outcome, paid
):
    table = new_wager_table(profile=profile)
    bet(table, words)
    table.deal("P 7h; B ??")

    table.decide(f"state-outcome {outcome}")

    assert acts(table) == paid
    assert to_words(table.of(CoupPayment)[-1].note) == f"{outcome} was stated"


def test_a_stated_banker_does_not_decide_a_table_that_pays_a_six_less(new_wager_table):
    book = new_wager_table().book
    none_six = replace(book.values, vig_mode="none_six")
    terms = replace(terms_of(book), rules=none_six)

    kinds = [judged.kind for judged in results_by_outcome(terms, Outcome.BANKER)]

    assert kinds == [WagerKind.PLAYER, WagerKind.TIE]


@pytest.mark.clause("WA-ov-9-nowager")
def test_on_a_ghost_hand_every_wager_comes_back(new_wager_table):
    table = new_wager_table(profile="wa-mini")
    table.deal(f"{PLAYER_9}; result player")
    stood = StandingWagers(1, wagers_of("seat 5 player 100.00"), ghost=True)

    paid = settle_coup(table.book, table.records[0], stood)

    assert [to_words(step.text) for step in paid.steps] == [
        "seat 5: return 100.00 on Player, a ghost hand has no wagers"
    ]
    assert paid.steps[0].clauses == ("WA-ov-9-nowager",)


# --- by word of mouth ---------------------------------------------------------------------------


def verbal(seat=3, cents=5000, second="Bo Ray"):
    return acted(
        RecordAct(ActKind.VERBAL_WAGER, seat=seat, amount=cents, second=second),
        "Ann Lee",
        role="dealer",
    )


@pytest.mark.clause("S42-b-3-verbal")
def test_a_verbal_wager_is_confirmed_by_two_and_changed_into_chips(new_wager_table):
    table = new_wager_table()

    step = record_verbal_wager(table.book, table.state, verbal())

    recorded, prompt = step.effects
    assert in_words(recorded) == ActRecord(
        "verbal-wager", "Ann Lee", "seat 3: 50.00, confirmed by Bo Ray", ("S42-b-3-verbal",)
    )
    assert to_words(prompt.text) == "change 50.00 of seat 3 into chips and place them"
    assert step.state.wagering.verbal == (VerbalWager(3, 5000),)


@pytest.mark.clause("S42-b-3-verbal")
@pytest.mark.parametrize(
    ("event", "why"),
    [
        (verbal(second=""), "dealer and floorperson confirm it: name the second person"),
        (verbal(second="Ann Lee"), "dealer and floorperson confirm it: name the second person"),
        (verbal(seat=0), "name the seat and the amount in cents"),
        (verbal(cents=0), "name the seat and the amount in cents"),
    ],
)
def test_a_verbal_wager_needs_two_people_a_seat_and_an_amount(new_wager_table, event, why):
    table = new_wager_table()

    (effect,) = record_verbal_wager(table.book, table.state, event).effects

    assert in_words(effect) == Refusal("verbal-wager", why, ("S42-b-3-verbal",))


@pytest.mark.clause("S42-b-3-verbal")
@pytest.mark.parametrize("event", [verbal(seat=1), verbal(cents=1)])
def test_the_first_seat_and_one_cent_may_be_bet_verbally(new_wager_table, event):
    table = new_wager_table()

    step = record_verbal_wager(table.book, table.state, event)

    assert step.state.wagering.verbal == (VerbalWager(event.action.seat, event.action.amount),)
    assert not step.provisional


@pytest.mark.clause("S42-b-3-verbal")
def test_a_verbal_wager_is_for_one_coup_and_not_for_the_next(new_wager_table):
    table = new_wager_table()
    change_cash = "change the cash of seat 3 into chips: it was bet verbally"
    table.apply(verbal())

    table.deal(f"{PLAYER_9}; result player")
    assert [to_words(one.text) for one in table.of(Prompt)].count(change_cash) == 1
    assert table.state.wagering.verbal == ()

    table.deal(f"{PLAYER_9}; result player")
    assert [to_words(one.text) for one in table.of(Prompt)].count(change_cash) == 1


@pytest.mark.clause("S42-b-4")
def test_no_verbal_wager_once_betting_is_closed(new_wager_table):
    table = new_wager_table("P 7h")

    (effect,) = record_verbal_wager(table.book, table.state, verbal()).effects

    assert effect.clauses == ("S42-b-3-verbal", "S42-b-4")


@pytest.mark.clause("NY-b-2")
def test_new_york_takes_chips_only(new_wager_table):
    table = new_wager_table(profile="ny-mini")

    (effect,) = record_verbal_wager(table.book, table.state, verbal()).effects

    assert in_words(effect) == Refusal(
        "verbal-wager",
        "wagers are made with chips on the layout: change the cash first",
        ("NY-b-2",),
    )


def test_chips_on_the_seat_close_the_verbal_wager(new_wager_table):
    table = new_wager_table()
    table.state = record_verbal_wager(table.book, table.state, verbal()).state
    table.state = record_verbal_wager(table.book, table.state, verbal(seat=4)).state
    bet(table, "seat 3 banker 50.00")

    assert table.state.wagering.verbal == (VerbalWager(4, 5000),)
    table.deal("P 7h")
    assert "change the cash of seat 4 into chips: it was bet verbally" in [
        to_words(one.text) for one in table.of(Prompt)
    ]


# --- the medium -----------------------------------------------------------------------------------


def stated(table, words):
    """Wagers in the dealing language; the irregularities they gave."""
    before = len(table.irregularities)
    table.deal(f"wagers {words}")
    return table.irregularities[before:]


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param("ny-mini", marks=pytest.mark.clause("NY-b-2")),
        pytest.param("s42-mini", marks=pytest.mark.clause("S42-b-3-chips")),
    ],
)
def test_a_coupon_lies_beside_chips_and_is_paid_as_they_are(new_wager_table, profile):
    table = new_wager_table(profile=profile)

    assert stated(table, "5 player 25 coupon, 5 player 25, 3 tie 5 coupon") == []
    table.deal(f"{PLAYER_9}; result player")

    assert acts(table) == [
        "seat 3: take 5.00 from Tie (coupon)",
        "seat 5: pay 25.00 on Player (coupon)",
        "seat 5: pay 25.00 on Player",
    ]
    paid = table.of(CoupPayment)[-1]
    assert to_words(paid.note) == "a coupon is paid as chips of its value"
    assert [line.medium.value for line in paid.settlement.lines] == ["coupon", "chips", "coupon"]


@pytest.mark.parametrize("profile", ["wa-mini", "nj-baccarat", "house-mini", "house-baccarat"])
def test_a_coupon_is_refused_where_no_clause_allows_one(new_wager_table, profile):
    table = new_wager_table(profile=profile)

    (one,) = stated(table, "5 player 25 coupon, 3 player 25")
    table.deal(f"{PLAYER_9}; result player")

    assert one.code.value == "WAGER_REFUSED"
    assert to_words(one.detail) == (
        "seat 5, Player (coupon): by the rules of this table a coupon is no wager."
        " Return the coupon, or let the patron bet chips"
    )
    assert acts(table)[-1].startswith("seat 5: return 25.00 on Player (coupon), ")


def test_two_coupons_on_one_spot_are_two_amounts(new_wager_table):
    (one,) = stated(new_wager_table(), "5 player 25 coupon, 5 player 10 coupon")
    assert "this spot has two amounts" in to_words(one.detail)


def test_chips_that_become_a_coupon_after_no_more_bets_are_a_late_change(new_wager_table):
    table = new_wager_table(observed=CALLED)
    stated(table, "5 player 25")
    table.deal("no more bets")

    (one,) = stated(table, "5 player 25 coupon")

    assert one.code.value == "WAGER_CHANGED_LATE"
    assert "Player (coupon)" in to_words(one.detail)


def test_a_correction_lists_the_chips_and_the_coupon_of_a_spot(new_wager_table):
    table = new_wager_table()
    stated(table, "5 player 25 coupon, 5 player 100")
    table.deal(f"{PLAYER_9}; result player; correct coup 1 to banker")

    owed = [(one.settled, one.due) for one in table.of(CoupCorrected)[-1].owed]
    assert sorted(owed) == [(2500, -2500), (10000, -10000)]
