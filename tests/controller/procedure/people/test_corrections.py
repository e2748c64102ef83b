"""Corrections of a counted coup: what they change, what is owed, and with what they are refused.

Source: D-42.
"""

import pytest
from msgspec.structs import replace

from controller.journal.encoding import Codec
from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    Prompt,
    Refusal,
    ShoeEnded,
)
from controller.procedure.finished_coups import (
    EARLIER_SHOES_MAX,
    FINISHED_COUPS_MAX,
    EarlierShoe,
    FinishedCoup,
    packed_wagers,
)
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import TableState, shoes_to_correct
from controller.rules.odds import Odds
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import ShuffleMode, VigorishMode, VigorishRounding
from controller.rules.settlement.admission import admit_wagers
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.payout import SettledWager
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

TABLES: Codec[TableState] = Codec(TableState)
OPENED = "start; burn Ac: 2c"
PLAYER_WINS = "P 9h; B Kc; P Qd; B Jh; result player"
BANKER_WINS = "P 7h; B 5c; P Kd; B Qh; B 3c; result banker"
TIE = "P 7h; B 7c; P Kd; B Kh; result tie"
RESULTS = (ObservableFact.RESULT_BUTTON,)
WAGERS = (*RESULTS, ObservableFact.WAGERS)


def corrected(table, words: str) -> CoupCorrected:
    """The correction that these statements end with."""
    before = len(table.effects)
    table.deal(words)
    found = [one for one in table.effects[before:] if isinstance(one, CoupCorrected)]
    assert found, table.effects[before:]
    return found[-1]


def refused(table, words: str) -> str:
    """Why a correction is refused; nothing changes."""
    before = table.state
    table.deal(words)
    assert table.state == before
    refusal = table.effects[-1]
    assert isinstance(refusal, Refusal)
    assert (refusal.what, refusal.clauses) == ("correct-coup", ())
    return to_words(refusal.why)


def owed(correction: CoupCorrected) -> list[str]:
    return [to_words(one.text) for one in correction.owed]


# --- what it changes ------------------------------------------------------------------------------


def test_a_correction_is_a_fact_beside_the_coups_record(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; {TIE}", observed=RESULTS)
    records = table.of(CoupClosed)

    correction = corrected(table, 'correct coup 1 to banker second "Bo Ray" because "the film"')

    assert correction == CoupCorrected(
        gaming_day="2026-11-21",
        shoe=1,
        coup=1,
        counted=Outcome.PLAYER,
        before=Outcome.PLAYER,
        outcome=Outcome.BANKER,
        person="Ann Lee",
        second="Bo Ray",
        reason="the film",
        owed=(),
        undecided=(),
        wagers_known=False,
    )
    assert table.of(CoupClosed) == records
    assert table.tally == (0, 1, 1, 0)
    assert table.shoe.last_coup.outcome is Outcome.TIE


def test_the_last_of_two_corrections_counts(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}", observed=RESULTS)
    corrected(table, "correct coup 1 to banker")

    second = corrected(table, "correct coup 1 to tie")

    assert (second.counted, second.before, second.outcome) == ("player", "banker", "tie")
    assert table.tally == (0, 0, 1, 0)
    assert table.shoe.finished_coup(1).outcome is Outcome.TIE


def test_a_correction_can_be_taken_back(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; correct coup 1 to tie", observed=RESULTS)

    corrected(table, "correct coup 1 to player")

    assert table.tally == (1, 0, 0, 0)


@pytest.mark.parametrize(
    "then",
    ["no more bets", "P 2h; B 3c", "cut", f"{TIE}; P 2h", "P 9h; B Kc; P Qd; B Jh; P3 3c"],
    ids=["bets closed", "in mid-coup", "after the cut card", "two coups later", "suspended"],
)
def test_a_coup_is_corrected_whatever_play_does_meanwhile(new_table, then):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; {then}", observed=RESULTS)
    phase = table.phase

    corrected(table, "correct coup 1 to banker")

    assert table.phase is phase
    assert table.shoe.finished_coup(1).outcome is Outcome.BANKER


def test_an_outcome_that_a_floorperson_stated_is_corrected_too(new_table):
    table = new_table(f"{OPENED}; P1 2h; B Kc; lost 1", observed=RESULTS)
    table.deal("resolve state-outcome player")

    assert corrected(table, "correct coup 1 to tie").counted is Outcome.PLAYER


def test_the_last_coup_of_a_shoe_that_is_over_is_corrected(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; close shoe", observed=RESULTS)

    corrected(table, "correct coup 1 of shoe 1 to banker")

    assert table.tally == (0, 1, 0, 0)


def test_the_end_of_the_shoe_counts_coups_as_corrected(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; correct coup 1 to tie; close shoe")

    (ended,) = table.of(ShoeEnded)

    assert (ended.player, ended.banker, ended.tie) == (0, 0, 1)


def test_a_coup_whose_result_nobody_reports_is_corrected_once_it_has_ended(new_table):
    table = new_table(f"{OPENED}; P 9h; B Kc; P Qd; B Jh")
    assert "is still on the table" in refused(table, "correct coup 1 to tie")

    corrected(table, "no more bets; correct coup 1 to tie")

    assert table.tally == (0, 0, 1, 0)


# --- what is owed ---------------------------------------------------------------------------------


def wagered(new_table, words: str, wagers: str, profile: str = "s42-mini", **settings):
    table = new_table(OPENED, observed=WAGERS, profile=profile, **settings)
    table.deal(f"wagers {wagers}; {words}")
    return table


def test_what_is_owed_is_listed_and_nothing_is_settled_again(new_table):
    table = wagered(new_table, BANKER_WINS, "5 banker 100.00, 3 player 25, 1 tie 10")
    ledger = table.state.wagering

    correction = corrected(table, "correct coup 1 to player")

    assert owed(correction) == [
        "seat 5: take 195.00 for Banker (settled 95.00, due -100.00)",
        "seat 3: pay 50.00 for Player (settled -25.00, due 25.00)",
    ]
    assert correction.wagers_known
    assert len(table.of(CoupPayment)) == 1
    assert table.state.wagering == ledger
    prompt = table.effects[-1]
    assert isinstance(prompt, Prompt)
    assert to_words(prompt.text) == (
        "coup 1 counts as player, its settlement stays: " + "; ".join(owed(correction))
    )


def test_a_second_correction_lists_what_is_owed_against_the_settlement(new_table):
    table = wagered(new_table, BANKER_WINS, "5 banker 100.00")
    corrected(table, "correct coup 1 to player")

    assert owed(corrected(table, "correct coup 1 to tie")) == [
        "seat 5: take 95.00 for Banker (settled 95.00, due 0.00)"
    ]
    assert owed(corrected(table, "correct coup 1 to banker")) == []
    assert to_words(table.effects[-1].text).endswith("its settlement stays: nothing is owed")


def test_what_is_owed_follows_the_settings_of_the_coup(new_table):
    table = new_table(OPENED, observed=WAGERS)
    table.deal("notice vig_rate 4 to players; set vig_rate 4 at +31min")
    table.deal(f"wagers 5 banker 100.00; {PLAYER_WINS}")
    table.deal("notice vig_rate 5 to players; notice vig_rate 5 to commission; set vig_rate 5")
    assert table.state.settings == ()

    assert owed(corrected(table, "correct coup 1 to banker")) == [
        "seat 5: pay 196.00 for Banker (settled -100.00, due 96.00)"
    ]


def test_a_wager_that_the_outcome_alone_does_not_decide_is_left_to_people(new_table):
    table = wagered(
        new_table, PLAYER_WINS, "5 banker 100.00, 3 player 25", vig_mode=VigorishMode.NONE_SIX
    )

    correction = corrected(table, "correct coup 1 to banker")

    assert [(one.seat, one.kind) for one in correction.undecided] == [(5, "banker")]
    assert owed(correction) == ["seat 3: take 50.00 for Player (settled 25.00, due -25.00)"]
    assert to_words(table.effects[-1].text).endswith(
        "; seat 5: 100.00 on Banker depends on more than the outcome, decide it by hand"
    )


def test_back_to_the_outcome_that_was_settled_nothing_is_owed_and_nothing_undecided(new_table):
    table = wagered(new_table, BANKER_WINS, "5 banker 100.00", vig_mode=VigorishMode.NONE_SIX)
    corrected(table, "correct coup 1 to player")

    correction = corrected(table, "correct coup 1 to banker")

    assert (correction.owed, correction.undecided) == ((), ())


def test_total_card_wagers_stay_and_still_waive_the_vigorish(new_table):
    table = wagered(
        new_table,
        PLAYER_WINS,
        "5 banker 100.00, 5 total_4 100.00",
        "nj-minibaccarat",
        vig_mode=VigorishMode.NONE_TOTAL_CARDS,
    )

    correction = corrected(table, "correct coup 1 to banker")

    assert owed(correction) == ["seat 5: pay 200.00 for Banker (settled -100.00, due 100.00)"]
    assert [one.kind for one in correction.undecided] == ["total_4"]


def test_returned_wagers_of_a_ghost_hand_owe_nothing(new_table):
    table = new_table(OPENED, observed=WAGERS, profile="wa-mini", ghost_hands_max=2)
    table.deal(f"ghost hand; wagers 5 banker 100.00; {PLAYER_WINS}")

    assert owed(corrected(table, "correct coup 1 to banker")) == []


def test_without_observed_wagers_people_work_out_what_is_owed(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}", observed=RESULTS)

    corrected(table, "correct coup 1 to banker")

    assert to_words(table.effects[-1].text) == (
        "coup 1 counts as banker, its settlement stays: this table does not observe wagers; work"
        " out by hand what is owed"
    )


def test_wagers_that_were_settled_are_known_also_where_they_are_no_longer_observed(new_table):
    table = wagered(new_table, BANKER_WINS, "5 banker 100.00")
    table.book = replace(table.book, observed=RESULTS)

    correction = corrected(table, "correct coup 1 to player")

    assert correction.wagers_known
    assert to_words(table.effects[-1].text).endswith("(settled 95.00, due -100.00)")


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["Ann Lee", "ann  lee", " ", ""])
def test_one_person_alone_corrects_nothing(new_table, second):
    table = new_table(f"{OPENED}; {PLAYER_WINS}", observed=RESULTS)

    why = refused(table, f'correct coup 1 to tie by "Ann Lee" second "{second}"')

    assert "name another person as second" in why


def test_a_correction_needs_a_reason(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}", observed=RESULTS)

    assert "needs a reason" in refused(table, 'correct coup 1 to tie because " "')


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("correct coup 3 to tie", "there is no coup 3 in shoe 1: its latest is coup 2"),
        ("correct coup 1 to player", "coup 1 counts as player already"),
        (
            "correct coup 1 of shoe 2 to tie",
            "no coup of shoe 2 ended on this gaming day; there is shoe 1 at the table. Put the",
        ),
        ("P 2h; correct coup 3 to tie", "coup 3 is still on the table"),
        ("P 2h; B Kc; lost 1; correct coup 3 to tie", "coup 3 is still on the table"),
        ("P 9h; B Kc; lost 1; resolve void-coup; correct coup 3 to tie", "coup 3 is void"),
        ("day 2026-11-22; correct coup 2 to player", "coup 2 ended on another gaming day"),
    ],
)
def test_a_coup_that_cannot_be_corrected_is_refused_with_the_reason(new_table, words, why):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; {TIE}", observed=RESULTS)
    *before, last = words.split("; ")
    table.deal("; ".join(before))

    assert refused(table, last).startswith(why)


def test_a_coup_that_waits_for_a_decision_is_not_corrected_yet(new_table):
    error = "P 9h; B Kc; P Qd; B Jh; P3 3c; result player"
    table = new_table(f"{OPENED}; {error}", observed=RESULTS)

    why = refused(table, "correct coup 1 to tie")
    assert why == "coup 1 waits for a floorperson's decision: resolve first, then correct it"


def test_without_a_coup_or_a_shoe_there_is_nothing_to_correct(new_table):
    assert refused(new_table(), "correct coup 1 to tie").startswith("no shoe is at the table")
    of_shoe = refused(new_table(), "correct coup 1 of shoe 2 to tie")
    assert of_shoe.startswith("no coup of shoe 2 ended on this gaming day. ")
    assert refused(new_table(OPENED), "correct coup 1 to tie").endswith("it has none yet")


def test_a_coup_that_another_version_saw_is_not_corrected(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}", observed=RESULTS)
    table.state = replace(table.state, shoe=replace(table.shoe, finished=()))

    assert "under another version of this program" in refused(table, "correct coup 1 to tie")


# --- the gaming day -------------------------------------------------------------------------------


def test_a_coup_that_ends_after_the_day_turned_is_corrected_on_the_new_day(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; P1 7h; day 2026-11-22", observed=RESULTS)
    table.deal("B 7c; P Kd; B Kh; result tie")

    assert corrected(table, "correct coup 2 to player").gaming_day == "2026-11-21"
    assert "another gaming day" in refused(table, "correct coup 1 to tie")


def test_the_same_day_again_closes_nothing(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; day 2026-11-21", observed=RESULTS)

    corrected(table, "correct coup 1 to tie")


# --- earlier shoes of the gaming day --------------------------------------------------------------

THREE_SHOES = (
    f"{OPENED}; {PLAYER_WINS}; {TIE}; close shoe; {OPENED}; {BANKER_WINS}; close shoe;"
    f" {OPENED}; {TIE}"
)


def test_a_coup_of_an_earlier_shoe_of_the_day_is_corrected(new_table):
    table = new_table(THREE_SHOES, observed=RESULTS)
    shoe, records = table.shoe, table.of(CoupClosed)

    correction = corrected(table, 'correct coup 2 of shoe 1 to banker because "the film"')

    assert (correction.gaming_day, correction.shoe, correction.coup) == ("2026-11-21", 1, 2)
    assert (correction.counted, correction.before, correction.outcome) == ("tie", "tie", "banker")
    assert to_words(table.effects[-1].text).startswith(
        "coup 2 of shoe 1 counts as banker, its settlement"
    )
    assert (table.shoe, table.of(CoupClosed)) == (shoe, records)


def test_the_last_correction_of_a_coup_of_an_earlier_shoe_counts(new_table):
    table = new_table(THREE_SHOES, observed=RESULTS)
    corrected(table, "correct coup 1 of shoe 2 to tie")

    second = corrected(table, "correct coup 1 of shoe 2 to player")

    assert (second.counted, second.before) == ("banker", "tie")
    assert corrected(table, "correct coup 1 of shoe 1 to tie").before == "player"


def test_a_coup_corrected_at_the_table_stays_corrected_after_its_shoe(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; correct coup 1 to tie; close shoe; {OPENED}")

    assert corrected(table, "correct coup 1 of shoe 1 to banker").before == "tie"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("correct coup 3 of shoe 1 to tie", "coup 3 of shoe 1 did not end on this gaming day, or"),
        ("correct coup 1 of shoe 1 to player", "coup 1 of shoe 1 counts as player already"),
        (
            "correct coup 1 of shoe 9 to tie",
            "no coup of shoe 9 ended on this gaming day; there is shoe 1, 2, shoe 3 at the table.",
        ),
        ("day 2026-11-22; correct coup 1 of shoe 2 to tie", "no coup of shoe 2 ended on this gam"),
    ],
)
def test_a_coup_of_an_earlier_shoe_that_cannot_be_corrected_is_refused(new_table, words, why):
    table = new_table(THREE_SHOES, observed=RESULTS)
    *before, last = words.split("; ")
    table.deal("; ".join(before))

    assert refused(table, last).startswith(why)


def test_where_no_shoe_is_at_the_table_the_shoe_is_named(new_table):
    table = new_table(f"{OPENED}; {PLAYER_WINS}; close shoe", observed=RESULTS)
    earlier = shoes_to_correct(table.state)
    table.state = replace(table.state, phase=Phase.CLOSED, shoe=None, earlier_shoes=earlier)

    why = refused(table, "correct coup 1 to tie")
    assert why == "no shoe is at the table: name the shoe, one of 1"
    corrected(table, "correct coup 1 of shoe 1 to tie")
    assert refused(table, "correct coup 1 of shoe 4 to tie").startswith(
        "no coup of shoe 4 ended on this gaming day; there is shoe 1. Put"
    )


def test_a_shoe_that_went_on_over_the_day_keeps_the_coups_of_the_new_day(new_table):
    table = new_table(f"{THREE_SHOES}; day 2026-11-22; {TIE}; close shoe; {OPENED}")

    assert corrected(table, "correct coup 2 of shoe 3 to player").gaming_day == "2026-11-21"
    assert "did not end on this gaming day" in refused(table, "correct coup 1 of shoe 3 to player")


def test_what_is_owed_in_an_earlier_shoe_follows_the_odds_at_the_coup(new_table):
    table = wagered(new_table, PLAYER_WINS, "1 tie 10.00")
    table.deal("close shoe")
    table.book = new_table(observed=WAGERS, odds_tie=Odds(9, 1)).book
    table.deal(f"{OPENED}; wagers 1 tie 10.00; {PLAYER_WINS}")

    assert owed(corrected(table, "correct coup 1 of shoe 1 to tie")) == [
        "seat 1: pay 90.00 for Tie (settled -10.00, due 80.00)"
    ]
    assert owed(corrected(table, "correct coup 1 to tie")) == [
        "seat 1: pay 100.00 for Tie (settled -10.00, due 90.00)"
    ]


def test_a_restart_with_other_odds_after_the_shoes_end_changes_nothing_that_is_owed(new_table):
    table = wagered(new_table, PLAYER_WINS, "1 tie 10.00")
    table.deal("close shoe")
    table.book = new_table(observed=WAGERS, odds_tie=Odds(9, 1)).book

    assert owed(corrected(table, "correct coup 1 to tie")) == [
        "seat 1: pay 90.00 for Tie (settled -10.00, due 80.00)"
    ]


def test_the_rules_of_payment_are_kept_once_and_for_the_day(new_table):
    table = wagered(new_table, f"{PLAYER_WINS}; wagers 1 tie 10.00; {TIE}", "1 tie 10.00")
    assert len(table.state.payment_rules) == 1

    table.deal("day 2026-11-22")

    assert (table.state.payment_rules, table.state.earlier_shoes) == ((), ())


# --- bounds ---------------------------------------------------------------------------------------


def test_a_day_of_1200_coups_costs_at_most_2_bytes_a_coup_without_wagers(new_table):
    coups = tuple(FinishedCoup(number, Outcome.BANKER) for number in range(1, 81))
    table = new_table(OPENED)
    before = len(TABLES.encode(table.state))
    shoes = tuple(EarlierShoe.of("2026-11-21", number, coups) for number in range(1, 16))
    day = replace(table.state, earlier_shoes=shoes)

    assert len(TABLES.encode(day)) - before <= 2 * 1200


def test_a_coup_with_eight_wagers_costs_at_most_90_bytes(new_table):
    settled = tuple(SettledWager(seat, WagerKind.BANKER, 10**6, 950_000) for seat in range(1, 9))
    coup = FinishedCoup(80, Outcome.PLAYER, Outcome.BANKER, packed_wagers(settled))

    assert len(EarlierShoe.of("2026-11-21", 1, (coup,)).settled) <= 90


@pytest.mark.parametrize("kind", list(WagerKind))
@pytest.mark.parametrize("cents", [1, 99, 500, 12_700, 12_800, 777_755, 10**9, 10**9 + 1])
def test_packed_a_settled_wager_is_the_same(kind, cents):
    gains = (-cents, 0, cents, 8 * cents, -(cents // 4), cents - cents // 20, 1 - cents, 10**12)
    settled = tuple(SettledWager(seat, kind, cents, gain) for seat, gain in enumerate(gains, 1))

    assert FinishedCoup(1, None, settled=packed_wagers(settled)).wagers == settled
    assert FinishedCoup(1, None, settled=packed_wagers(())).wagers == ()


@pytest.mark.parametrize("rounding", list(VigorishRounding))
@pytest.mark.parametrize("rate", range(6))
def test_packed_every_stake_up_to_a_unit_is_what_it_was_at_each_vigorish(rate, rounding):
    """Vigorish rounded up to 0.05 takes more than stake and win of a wager of 0.01 or 0.02."""
    rules = replace(load_profile("s42-mini").rules, vig_rate=rate, vig_rounding=rounding)
    terms = replace(Terms.of(load_profile("s42-mini")), rules=rules)
    layout = tuple(Wager(seat, WagerKind.BANKER, seat) for seat in range(1, 100))
    layout += (Wager(99, WagerKind.TIE, 100), Wager(99, WagerKind.PLAYER, 100))
    stood = admit_wagers(terms, layout).standing
    lines = settle(terms, wager_results(terms, CoupFacts(1, 2, 2, 2)), stood).lines
    settled = tuple(SettledWager(one.seat, one.kind, one.stake, one.gain) for one in lines)
    coup = FinishedCoup(1, Outcome.BANKER, settled=packed_wagers(settled))

    assert coup.wagers == settled
    assert EarlierShoe.of("2026-11-21", 1, (coup,)).finished() == (coup,)


@pytest.mark.parametrize(("cents", "gain"), [(1, -4), (2, -3), (3, -2)])
def test_a_wager_smaller_than_its_vigorish_is_settled_and_corrected(new_table, cents, gain):
    table = wagered(new_table, BANKER_WINS, f"5 banker 0.0{cents}")
    (coup,) = TABLES.decode(TABLES.encode(table.state)).shoe.finished
    assert coup.wagers == (SettledWager(5, WagerKind.BANKER, cents, gain),)

    due, less = f"-0.0{cents}", gain + cents
    act = f"pay 0.0{-less}" if less < 0 else f"take 0.0{less}"
    assert owed(corrected(table, "correct coup 1 to player")) == [
        f"seat 5: {act} for Banker (settled -0.0{-gain}, due {due})"
    ]


@pytest.mark.parametrize("corrected", [None, *Outcome])
@pytest.mark.parametrize("counted", [None, *Outcome])
def test_an_earlier_shoe_gives_its_coups_back(counted, corrected):
    wager = SettledWager(3, WagerKind.TIE, 500, -500)
    coups = (
        FinishedCoup(7, Outcome.TIE),
        FinishedCoup(8, counted, corrected, packed_wagers((wager,)), 2),
        FinishedCoup(9, counted, corrected),
    )

    assert EarlierShoe.of("2026-11-21", 1, coups).finished() == coups


def test_only_the_newest_earlier_shoes_are_kept(new_table):
    table = new_table("; ".join([f"{OPENED}; {PLAYER_WINS}; close shoe"] * (EARLIER_SHOES_MAX + 2)))
    table.deal(OPENED)

    assert table.state.earlier_shoes[0].number == 3
    assert len(table.state.earlier_shoes) == EARLIER_SHOES_MAX


def test_a_shoe_without_an_end_keeps_its_latest_coups(new_table):
    table = new_table("start", shuffle_mode=ShuffleMode.CONTINUOUS)
    table.encoded = False
    table.deal("; ".join(["P1 9h; B Kc; P Qd; B Jh; stand-by"] * (FINISHED_COUPS_MAX + 1)))

    assert "ended too long ago" in refused(table, "correct coup 1 to tie")
    assert len(table.shoe.finished) == FINISHED_COUPS_MAX
    corrected(table, "correct coup 2 to tie")
