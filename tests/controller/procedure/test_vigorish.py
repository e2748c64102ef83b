"""Vigorish at the table: collected, marked, documented, and what unpaid vigorish forbids.

Source: 9 NYCRR 5324.21 (c)(3)(ii), (c)(4); Section 42 (c)(3)(ii)-(iv), (c)(4); Washington
overview 6; D-22, D-33.
"""

import pytest
from acts_of_people import acted
from in_words import in_words

from controller.procedure.effects import ActRecord, CoupPayment, Prompt, PromptKind, Refusal
from controller.procedure.events import GamingDayChanged
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.rules.actions.actions import (
    ChangeSetting,
    CollectVigorish,
    DocumentVigorish,
    GiveNotice,
    StateWagers,
    VacateSeat,
)
from controller.rules.settlement.vigorish_ledger import OwedVigorish
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

OBSERVED = (ObservableFact.WAGERS, ObservableFact.RESULT_BUTTON)
OPENED = "start; burn Ac: 2c"
BANKER_8 = "P 7h; B 5c; P Kd; B Qh; B 3c; result banker"
PLAYER_9 = "P 9h; B Kc; P Qd; B Jh; result player"
TIE_7 = "P 7h; B 7c; P Kd; B Kh; result tie"


def bet(table, words):
    """seat 5 banker 100.00, seat 2 tie 10.00"""
    parts = (part.split() for part in words.split(", "))
    wagers = tuple(
        Wager(int(seat), WagerKind(kind), int(amount.replace(".", "")))
        for _, seat, kind, amount in parts
    )
    table.apply(acted(StateWagers(wagers), "Ann Lee"))


def change(table, setting, value):
    """The house changes a setting, with every notice given long before."""
    for to in ("players", "commission", "surveillance"):
        table.apply(acted(GiveNotice(setting, value, to), "Bo Ray"))
    table.apply(acted(ChangeSetting(setting, value), "Bo Ray", reason="trial", at_ns=3600 * 10**9))


def collect(table, seat):
    return table.apply(acted(CollectVigorish(seat), "Ann Lee")).effects[-1]


def document(table, seat=5, form=17, signed=True, void=False, **more):
    values = {"patron": "Cy Fox", "dealer": "Ann Lee", "pit_clerk": "Di Orr", **more}
    pit_boss, reason = values.pop("pit_boss", "Bo Ray"), values.pop("reason", "")
    action = DocumentVigorish(seat, form, patron_signed=signed, void=void, **values)
    return table.apply(acted(action, pit_boss, reason=reason)).effects


def acts(table):
    return [to_words(step.text) for step in table.of(CoupPayment)[-1].steps]


@pytest.fixture
def new_wager_table(new_table):
    """A factory of tables that observe wagers; the first shoe is opened and burned."""

    def make_table(profile="s42-mini", **changes):
        table = new_table(OPENED, profile=profile, observed=OBSERVED)
        for setting, value in changes.items():
            change(table, setting, value)
        return table

    return make_table


@pytest.fixture
def owing(new_wager_table):
    """Seat 5 owes 5.00 that was deferred."""

    def make_table(profile="s42-mini"):
        table = new_wager_table(profile, vig_collection="deferred")
        bet(table, "seat 5 banker 100.00")
        table.deal(BANKER_8)
        return table

    return make_table


# --- at once, or marked -------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-ii-when")
def test_vigorish_collected_at_payout_is_a_step_and_leaves_no_debt(new_wager_table):
    table = new_wager_table()
    bet(table, "seat 5 banker 100.00")
    table.deal(BANKER_8)

    assert acts(table) == ["seat 5: pay 100.00 on Banker", "seat 5: collect vigorish 5.00"]
    assert table.state.wagering.ledger.owed == ()


@pytest.mark.clause("S42-c-3-ii-mark")
@pytest.mark.clause("S42-c-3-ii-when")
def test_deferred_vigorish_is_marked_in_the_box_of_the_seat(owing):
    table = owing()

    assert acts(table) == [
        "seat 5: pay 100.00 on Banker",
        "seat 5: mark vigorish 5.00 in box 5",
    ]
    assert table.state.wagering.ledger.owed == (OwedVigorish(5, 0, 500),)


@pytest.mark.clause("NY-c-3-ii-mark")
@pytest.mark.clause("NY-c-3-ii-when")
def test_new_york_marks_it_too(owing):
    table = owing("ny-mini")

    assert acts(table)[-1] == "seat 5: mark vigorish 5.00 in box 5"
    assert table.state.wagering.ledger.owed == (OwedVigorish(5, 0, 500),)


def test_marks_add_up_from_coup_to_coup_and_outlast_a_suspension(owing):
    table = owing()
    bet(table, "seat 5 banker 60.00, seat 2 banker 30.00")
    table.deal(BANKER_8.replace("result banker", "result tie"))
    table.decide("continue")

    assert table.state.wagering.ledger.owed == (OwedVigorish(2, 0, 150), OwedVigorish(5, 0, 800))


def test_marked_vigorish_does_not_block_the_next_coup(owing):
    assert owing().deal(PLAYER_9) == []


@pytest.mark.clause("S42-c-3-ii-hold")
def test_a_mark_goes_when_it_is_collected(owing):
    table = owing()

    assert in_words(collect(table, 5)) == ActRecord(
        "collect-vigorish",
        "Ann Lee",
        "seat 5: vigorish 5.00 collected",
        ("S42-c-3-ii-when", "S42-c-3-ii-hold"),
    )
    assert table.state.wagering.ledger.owed == ()


@pytest.mark.clause("NY-c-3-ii-hold")
def test_new_york_clears_a_mark_only_when_it_is_collected(owing):
    assert "NY-c-3-ii-hold" in collect(owing("ny-mini"), 5).clauses


def test_nothing_is_collected_from_a_seat_that_owes_nothing(owing):
    assert in_words(collect(owing(), 6)) == Refusal(
        "collect-vigorish", "seat 6 owes no vigorish. Name a seat that does"
    )


# --- before the next card -----------------------------------------------------------------------


@pytest.mark.clause("S42-c-4-time")
@pytest.mark.clause("S42-b-1-i-C-vig")
def test_the_vigorish_of_a_tie_is_collected_before_the_next_card(new_wager_table):
    table = new_wager_table(vig_mode="tie25")
    bet(table, "seat 5 banker 100.00, seat 2 player 10.00")
    table.deal(TIE_7)

    assert acts(table) == [
        "seat 5: return 75.00 of 100.00 on Banker",
        "seat 5: collect vigorish 25.00",
        "seat 2: return 10.00 on Player",
    ]
    assert table.deal("P 7h") == ["VIGORISH_NOT_COLLECTED"]
    assert to_words(table.irregularities[-1].detail).endswith(
        "vigorish is due before the next card: seat 5 25.00"
    )
    assert "S42-c-4-time" in table.irregularities[-1].clauses


@pytest.mark.clause("NY-c-4-time")
@pytest.mark.clause("NY-b-1-i-c-vig")
def test_new_york_collects_the_vigorish_of_a_tie_before_the_next_card_too(new_wager_table):
    table = new_wager_table("ny-mini", vig_mode="tie25")
    bet(table, "seat 5 banker 100.00")
    table.deal(TIE_7)

    assert acts(table) == [
        "seat 5: return 75.00 of 100.00 on Banker",
        "seat 5: collect vigorish 25.00",
    ]
    assert table.deal("P 7h") == ["VIGORISH_NOT_COLLECTED"]
    assert to_words(table.irregularities[-1].detail).endswith(
        "vigorish is due before the next card: seat 5 25.00"
    )
    assert "NY-c-4-time" in table.irregularities[-1].clauses


def test_vigorish_collected_in_time_blocks_nothing(new_wager_table):
    table = new_wager_table(vig_mode="tie25")
    bet(table, "seat 5 banker 100.00")
    table.deal(TIE_7)
    collect(table, 5)

    assert table.deal("P 7h") == []


@pytest.mark.clause("S42-c-4-excl")
def test_where_a_tie_is_charged_a_win_is_not(new_wager_table):
    table = new_wager_table(vig_mode="tie25")
    bet(table, "seat 5 banker 100.00")
    table.deal(BANKER_8)

    assert acts(table) == ["seat 5: pay 100.00 on Banker"]
    assert table.deal("P 7h") == []


@pytest.mark.clause("WA-ov-6-when")
def test_washington_collects_commission_at_the_end_of_each_coup(new_wager_table):
    table = new_wager_table("wa-mini")
    bet(table, "seat 5 banker 100.00")
    table.deal(BANKER_8)

    assert table.state.wagering.ledger.owed == (OwedVigorish(5, 500, 0),)
    assert table.deal("P 7h") == ["VIGORISH_NOT_COLLECTED"]
    assert "WA-ov-6-when" in table.irregularities[-1].clauses


@pytest.mark.clause("WA-ov-6-when")
def test_washington_does_not_defer(new_wager_table):
    table = new_wager_table("wa-mini")
    prompted = acted(ChangeSetting("vig_collection", "deferred"), "Bo Ray", reason="trial")

    (refused,) = table.apply(prompted).effects

    assert "WA-ov-6-when" in refused.clauses


# --- before the reshuffle -----------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-ii-deadline")
@pytest.mark.clause("S42-c-3-iv")
def test_open_vigorish_refuses_the_reshuffle(owing):
    table = owing()

    refused = refusal_to_reshuffle(table.book, table.state)

    assert in_words(refused) == Refusal(
        "reshuffle",
        "vigorish is owed and the cards may not be reshuffled: seat 5 5.00. "
        "Collect it or document it",
        ("S42-c-3-ii-deadline", "S42-c-3-iv", "S42-c-3-ii-hold"),
    )


@pytest.mark.clause("NY-c-3-ii-deadline")
@pytest.mark.clause("NY-c-3-ii-hold")
def test_in_new_york_only_collecting_it_opens_the_next_shoe(owing):
    table = owing("ny-mini")

    refused = refusal_to_reshuffle(table.book, table.state)
    assert to_words(refused.why).endswith("seat 5 5.00. Collect it")
    assert refused.clauses == ("NY-c-3-ii-deadline", "NY-c-3-ii-hold")

    collect(table, 5)
    assert refusal_to_reshuffle(table.book, table.state) is None


@pytest.mark.clause("NY-c-3-ii-hold")
@pytest.mark.clause("NY-c-3-ii-deadline")
def test_a_shoe_that_begins_while_vigorish_is_owed_does_not_go_on(owing):
    table = owing("ny-mini")
    table.deal("close shoe")

    assert table.deal("start") == ["VIGORISH_NOT_COLLECTED"]
    raised = table.irregularities[-1]
    assert {"NY-c-3-ii-hold", "NY-c-3-ii-deadline"} <= set(raised.clauses)
    assert "NY-c-4-time" not in raised.clauses
    assert table.state.phase is Phase.SUSPENDED

    collect(table, 5)
    table.decide("continue")
    assert table.state.phase is Phase.BURN_FIRST


@pytest.mark.clause("S42-c-3-iv")
def test_at_the_end_of_a_shoe_open_vigorish_is_called_in(new_wager_table):
    table = new_wager_table(vig_collection="deferred")
    bet(table, "seat 5 banker 100.00")
    table.deal("cut card")
    table.deal(BANKER_8)
    assert [one for one in table.of(Prompt) if one.kind is PromptKind.VIGORISH] == []

    table.deal(PLAYER_9)

    (prompt,) = [one for one in table.of(Prompt) if one.kind is PromptKind.VIGORISH]
    assert to_words(prompt.text) == (
        "vigorish is owed and the cards may not be reshuffled: seat 5 5.00. "
        "Collect it or document it"
    )


def test_at_the_end_of_a_shoe_nothing_is_called_in_where_nothing_is_owed(new_wager_table):
    table = new_wager_table()
    table.deal("cut card")
    table.deal(BANKER_8)
    table.deal(PLAYER_9)

    assert [one for one in table.of(Prompt) if one.kind is PromptKind.VIGORISH] == []


# --- the patron leaves --------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-iv")
def test_when_the_patron_leaves_the_seats_vigorish_is_due(owing):
    table = owing()

    prompt = table.apply(acted(VacateSeat(5), "Ann Lee")).effects[-1]

    assert in_words(prompt) == Prompt(
        PromptKind.VIGORISH,
        "the patron of seat 5 leaves and owes vigorish 5.00. Collect it or document it",
        ("S42-c-3-iv",),
        observed=False,
    )
    assert table.deal("P 7h") == ["VIGORISH_NOT_COLLECTED"]
    assert "S42-c-3-iv" in table.irregularities[-1].clauses


def test_a_patron_who_left_and_paid_blocks_nothing(owing):
    table = owing()
    table.apply(acted(VacateSeat(5), "Ann Lee"))
    table.apply(acted(VacateSeat(5), "Ann Lee"))
    assert table.state.wagering.vacated == (5,)

    collect(table, 5)

    assert table.state.wagering.vacated == ()
    assert table.deal("P 7h") == []


def test_in_new_york_the_mark_stays_until_the_reshuffle(owing):
    table = owing("ny-mini")
    table.apply(acted(VacateSeat(5), "Ann Lee"))

    assert (
        to_words(table.last.what)
        == "seat 5 is free, reported by Ann Lee; the vigorish it owes stays marked"
    )
    assert table.deal("P 7h") == []


def test_a_patron_who_owes_nothing_leaves(owing):
    table = owing()
    table.apply(acted(VacateSeat(3), "Ann Lee"))

    assert to_words(table.last.what) == "seat 3 is free, reported by Ann Lee"


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-iii")
@pytest.mark.clause("S42-c-3-iii-A-form")
@pytest.mark.clause("S42-c-3-iii-A-sign")
def test_vigorish_that_stays_uncollected_is_written_down(owing):
    table = owing()

    recorded, _copies = document(table)

    assert in_words(recorded) == ActRecord(
        "document-vigorish",
        "Di Orr",
        "seat 5: vigorish 5.00 of Cy Fox not collected; form 17 by Ann Lee, Bo Ray and Di Orr, "
        "signed by the patron",
        ("S42-c-3-iii", "S42-c-3-iii-A-form", "S42-c-3-iii-A-sign", "S42-c-3-ii-hold"),
    )
    assert refusal_to_reshuffle(table.book, table.state) is None


@pytest.mark.clause("S42-c-3-iii-A-sign")
@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ({"dealer": ""}, "dealer, pit boss and pit clerk sign the form. Name all three"),
        ({"pit_boss": ""}, "dealer, pit boss and pit clerk sign the form. Name all three"),
        ({"pit_clerk": ""}, "dealer, pit boss and pit clerk sign the form. Name all three"),
        ({"signed": False}, "the patron signs, or the form says why not. State the reason"),
    ],
)
def test_a_form_without_its_signatures_is_refused(owing, missing, why):
    table = owing()

    assert in_words(document(table, **missing)[-1]) == Refusal(
        "document-vigorish", why, ("S42-c-3-iii-A-sign",)
    )
    assert table.state.wagering.ledger.owed == (OwedVigorish(5, 0, 500),)


def test_a_patron_who_left_needs_no_signature_but_a_reason(owing):
    table = owing()

    recorded, _copies = document(table, signed=False, reason="left the house")

    assert to_words(recorded.detail).endswith("not signed: left the house")


def test_new_york_has_no_form(owing):
    refused = document(owing("ny-mini"))[-1]

    assert to_words(refused.why) == (
        "the rules of this table have no form for uncollected vigorish. "
        "Collect it; the marker stays until then"
    )
    assert refused.clauses == ("NY-c-3-ii-hold",)


@pytest.mark.clause("S42-c-3-iii-C")
@pytest.mark.clause("S42-c-3-iii-D")
def test_where_the_copies_of_a_form_go_is_prompted(owing):
    recorded, due = document(owing(), form=17)

    assert isinstance(recorded, ActRecord)
    assert (to_words(due.text), due.clauses) == (
        (
            "drop the original of form 17 in the drop box before the pit boss and the pit clerk;"
            " the pit clerk keeps the duplicate for accounting"
        ),
        ("S42-c-3-iii-C", "S42-c-3-iii-D"),
    )


@pytest.mark.clause("S42-c-3-iii-B")
def test_forms_are_used_in_order(owing):
    table = owing()
    document(table, form=17)
    bet(table, "seat 5 banker 100.00")
    table.deal(BANKER_8)

    warned = document(table, form=19)[-1]

    assert (to_words(warned.text), warned.clauses) == (
        "form 19 follows form 17: forms are used in order",
        ("S42-c-3-iii-B",),
    )


@pytest.mark.clause("S42-c-3-iii-E")
def test_a_void_form_uses_its_number_and_waives_nothing(owing):
    table = owing()

    (recorded,) = document(table, void=True)

    assert to_words(recorded.detail) == "form 17 void; signed by Bo Ray and Di Orr"
    assert recorded.clauses == ("S42-c-3-iii-E",)
    assert table.state.wagering.ledger.owed == (OwedVigorish(5, 0, 500),)
    assert len(document(table, form=18)) == 2, "recorded, and its copies prompted"


@pytest.mark.clause("S42-c-3-iii-E")
def test_a_void_form_is_signed_too(owing):
    assert document(owing(), void=True, pit_boss="")[-1].clauses == ("S42-c-3-iii-E",)


@pytest.mark.clause("S42-c-3-iii-F")
def test_at_the_end_of_a_gaming_day_complimentary_vigorish_is_recorded_by_patron(owing):
    table = owing()
    document(table)
    bet(table, "seat 5 banker 60.00, seat 2 banker 30.00")
    table.deal(BANKER_8)
    document(table, seat=5, form=18)
    document(table, seat=2, form=19, patron="Ed Poe")

    recorded = table.apply(GamingDayChanged("2026-11-22")).effects

    assert [(one.what, to_words(one.detail)) for one in recorded] == [
        ("complimentary-vigorish", "Cy Fox: cash complimentary 8.00, vigorish by form 17, 18"),
        ("complimentary-vigorish", "Ed Poe: cash complimentary 1.50, vigorish by form 19"),
    ]
    assert recorded[0].clauses == ("S42-c-3-iii-F",)
    assert table.apply(GamingDayChanged("2026-11-23")).effects == ()
    assert table.state.today == "2026-11-23"
