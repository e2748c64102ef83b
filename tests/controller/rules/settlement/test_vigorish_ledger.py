"""Owed vigorish: entries, forms, and refusals while it is owed."""

from collections.abc import Callable

import pytest
from in_words import ledger_refusal_words
from msgspec.structs import replace

from controller.journal.encoding import Codec
from controller.rules.setting_values import VigorishCollection, VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish_ledger import (
    EMPTY_LEDGER,
    LedgerEntryResult,
    LedgerRefusal,
    OwedVigorish,
    VigorishForm,
    VigorishLedger,
    WaivedVigorish,
    collect_vigorish,
    complimentary_totals,
    document_uncollected,
    end_gaming_day,
    enter_owed,
    next_card_refusal,
    patron_leaving_refusal,
    reshuffle_refusal,
    void_form,
)
from controller.rules.settlement.wagers import Wager
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BANKER_WINS = CoupFacts(3, 6, 3, 2)
TIE = CoupFacts(6, 6, 2, 2)
DEFERRED = {"vig_collection": VigorishCollection.DEFERRED}
TIE25 = {"vig_mode": VigorishMode.TIE25}

MARKED = VigorishLedger((OwedVigorish(3, due=0, marked=100), OwedVigorish(5, due=0, marked=500)))
DUE = VigorishLedger((OwedVigorish(5, due=2500, marked=0),))
FORM = VigorishForm(101, "patron 17", "Ann Lee", "Bo Roe", "Cy Day", patron_signed=True, reason="")


def after(
    terms: Terms, ledger: VigorishLedger, facts: CoupFacts, wagers: tuple[Wager, ...]
) -> VigorishLedger:
    return enter_owed(terms, ledger, settle(terms, wager_results(terms, facts), wagers).lines)


def entered(found: LedgerEntryResult | LedgerRefusal) -> LedgerEntryResult:
    assert isinstance(found, LedgerEntryResult), found
    return found


def refused(found: LedgerEntryResult | LedgerRefusal | None) -> LedgerRefusal:
    assert isinstance(found, LedgerRefusal), found
    return found


# --- entries ------------------------------------------------------------------------------------


def test_deferred_vigorish_adds_up_by_seat(table: Table, layout: Layout) -> None:
    terms = table("ny-mini", **DEFERRED)
    wagers = layout("5 banker 100.00, 3 banker 20.00, 2 player 10.00")

    once = after(terms, EMPTY_LEDGER, BANKER_WINS, wagers)
    twice = after(terms, once, BANKER_WINS, wagers)

    assert once == MARKED
    assert [(one.seat, one.cents) for one in twice.owed] == [(3, 200), (5, 1000)]


def test_undeferred_vigorish_is_due_at_once(table: Table, layout: Layout) -> None:
    wagers = layout("5 banker 100.00")
    at_once = after(table("ny-mini"), EMPTY_LEDGER, BANKER_WINS, wagers)
    on_tie = after(table("ny-mini", **DEFERRED, **TIE25), EMPTY_LEDGER, TIE, wagers)

    assert at_once == VigorishLedger((OwedVigorish(5, due=500, marked=0),))
    assert on_tie == DUE


def test_a_seat_that_owes_nothing_has_no_entry(table: Table, layout: Layout) -> None:
    terms = table("wa-mini", vig_rate=0)

    assert after(terms, EMPTY_LEDGER, BANKER_WINS, layout("5 banker 1.00")) == EMPTY_LEDGER


def test_the_ledger_is_encoded_and_decoded() -> None:
    ledger = replace(MARKED, waived=(WaivedVigorish(101, "patron 17", 500),), last_form=101)
    codec: Codec[VigorishLedger] = Codec(VigorishLedger)

    assert codec.decode(codec.encode(ledger)) == ledger


@pytest.mark.clause("NY-c-3-ii-when")
@pytest.mark.clause("NY-c-3-ii-hold")
def test_collected_vigorish_leaves_the_ledger(table: Table) -> None:
    found = entered(collect_vigorish(table("ny-mini"), MARKED, 5))

    assert found.ledger == VigorishLedger((OwedVigorish(3, due=0, marked=100),))
    assert to_words(found.statement.text) == "seat 5: vigorish 5.00 collected"
    assert found.statement.clauses == ("NY-c-3-ii-when", "NY-c-3-ii-hold")


def test_collecting_from_a_seat_that_owes_nothing_is_refused(table: Table) -> None:
    found = refused(collect_vigorish(table("ny-mini"), MARKED, 4))

    assert ledger_refusal_words(found) == "seat 4 owes no vigorish. Name a seat that does"


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-iii")
@pytest.mark.clause("S42-c-3-iii-A-form")
@pytest.mark.clause("S42-c-3-iii-A-sign")
@pytest.mark.clause("S42-c-3-ii-hold")
def test_uncollected_vigorish_is_documented(table: Table) -> None:
    found = entered(document_uncollected(table("s42-mini"), MARKED, 5, FORM))

    assert found.ledger.owed == (OwedVigorish(3, due=0, marked=100),)
    assert found.ledger.waived == (WaivedVigorish(101, "patron 17", 500),)
    assert to_words(found.statement.text) == (
        "seat 5: vigorish 5.00 of patron 17 not collected; form 101 by Ann Lee, Bo Roe and Cy Day,"
        " signed by the patron"
    )
    assert found.statement.clauses == (
        "S42-c-3-iii",
        "S42-c-3-iii-A-form",
        "S42-c-3-iii-A-sign",
        "S42-c-3-ii-hold",
    )
    assert found.warnings == ()


def test_a_patron_who_does_not_sign_needs_a_reason(table: Table) -> None:
    unsigned = replace(FORM, patron_signed=False, reason="left the premises")

    found = entered(document_uncollected(table("s42-mini"), MARKED, 5, unsigned))

    assert to_words(found.statement.text).endswith("not signed: left the premises")


def test_vigorish_due_at_once_remains_after_documenting_the_rest(table: Table) -> None:
    both = VigorishLedger((OwedVigorish(5, due=200, marked=300),))

    found = entered(document_uncollected(table("s42-mini"), both, 5, FORM))

    assert found.ledger.owed == (OwedVigorish(5, due=200, marked=0),)


@pytest.mark.clause("S42-c-3-iii-A-sign")
@pytest.mark.parametrize(
    ("form", "why"),
    [
        (replace(FORM, dealer=""), "dealer, pit boss and pit clerk sign the form"),
        (replace(FORM, pit_boss=""), "dealer, pit boss and pit clerk sign the form"),
        (replace(FORM, pit_clerk=""), "dealer, pit boss and pit clerk sign the form"),
        (replace(FORM, patron_signed=False), "the patron signs, or the form says why not"),
    ],
)
def test_an_unsigned_form_is_refused(table: Table, form: VigorishForm, why: str) -> None:
    found = refused(document_uncollected(table("s42-mini"), MARKED, 5, form))

    assert to_words(found.why) == why
    assert found.clauses == ("S42-c-3-iii-A-sign",)


@pytest.mark.clause("S42-c-3-iii-A-form")
@pytest.mark.parametrize("form", [replace(FORM, number=0), replace(FORM, patron="")])
def test_a_form_has_a_number_and_a_patron(table: Table, form: VigorishForm) -> None:
    found = refused(document_uncollected(table("s42-mini"), MARKED, 5, form))

    assert found.clauses == ("S42-c-3-iii", "S42-c-3-iii-A-form")


def test_a_seat_that_owes_nothing_needs_no_form(table: Table) -> None:
    assert "owes no vigorish" in to_words(
        refused(document_uncollected(table("s42-mini"), MARKED, 4, FORM)).why
    )


@pytest.mark.clause("NY-c-3-ii-hold")
def test_new_york_has_no_form(table: Table) -> None:
    found = refused(document_uncollected(table("ny-mini"), MARKED, 5, FORM))

    assert ledger_refusal_words(found) == (
        "the rules of this table have no form for uncollected vigorish (NY-c-3-ii-hold)."
        " Collect it; the marker stays until then"
    )


@pytest.mark.clause("S42-c-4-time")
def test_vigorish_on_a_tie_cannot_be_documented(table: Table) -> None:
    found = refused(document_uncollected(table("s42-mini", **TIE25), DUE, 5, FORM))

    assert "only vigorish that was deferred" in to_words(found.why)
    assert found.clauses == ("S42-c-4-time", "S42-c-3-iii", "S42-c-3-iii-A-form")


@pytest.mark.clause("S42-c-3-iii-B")
@pytest.mark.parametrize("number", [100, 101, 103])
def test_a_form_out_of_order_gives_a_warning(table: Table, number: int) -> None:
    before = replace(MARKED, last_form=101)
    found = entered(
        document_uncollected(table("s42-mini"), before, 5, replace(FORM, number=number))
    )

    (warning,) = found.warnings
    assert to_words(warning.text) == f"form {number} follows form 101: forms are used in order"
    assert warning.clauses == ("S42-c-3-iii-B",)


def test_the_first_form_may_have_number_1(table: Table) -> None:
    terms = table("s42-mini")

    assert (
        entered(document_uncollected(terms, MARKED, 5, replace(FORM, number=1))).ledger.last_form
        == 1
    )
    assert entered(void_form(terms, MARKED, 1, "Bo", "Cy")).ledger.last_form == 1


def test_the_next_form_in_order_gives_no_warning(table: Table) -> None:
    before = replace(MARKED, last_form=100)

    assert entered(document_uncollected(table("s42-mini"), before, 5, FORM)).warnings == ()


@pytest.mark.clause("S42-c-3-iii-E")
@pytest.mark.clause("S42-c-3-iii-B")
def test_a_void_form_uses_its_number_and_waives_nothing(table: Table) -> None:
    before = replace(MARKED, last_form=100)

    found = entered(void_form(table("s42-mini"), before, 102, "Bo Roe", "Cy Day"))

    assert found.ledger == replace(MARKED, last_form=102)
    assert to_words(found.statement.text) == "form 102 void; signed by Bo Roe and Cy Day"
    assert found.statement.clauses == ("S42-c-3-iii-E",)
    assert [one.clauses for one in found.warnings] == [("S42-c-3-iii-B",)]


@pytest.mark.clause("S42-c-3-iii-E")
@pytest.mark.parametrize("form", [(0, "Bo", "Cy"), (5, "", "Cy"), (5, "Bo", "")])
def test_a_void_form_must_be_signed(table: Table, form: tuple[int, str, str]) -> None:
    assert refused(void_form(table("s42-mini"), MARKED, *form)).clauses == ("S42-c-3-iii-E",)


def test_without_a_form_none_can_be_void(table: Table) -> None:
    assert "have no form" in to_words(
        refused(void_form(table("ny-mini"), MARKED, 5, "Bo", "Cy")).why
    )


@pytest.mark.clause("S42-c-3-iii-F")
def test_the_gaming_day_ends_with_totals_by_patron(table: Table) -> None:
    waived = (
        WaivedVigorish(1, "patron 17", 500),
        WaivedVigorish(2, "patron 4", 100),
        WaivedVigorish(3, "patron 17", 50),
    )
    ledger = replace(MARKED, waived=waived, last_form=3)

    found = complimentary_totals(table("s42-mini"), ledger)

    assert [to_words(one.text) for one in found] == [
        "patron 17: cash complimentary 5.50, vigorish by form 1, 3",
        "patron 4: cash complimentary 1.00, vigorish by form 2",
    ]
    assert {one.clauses for one in found} == {("S42-c-3-iii-F",)}
    assert end_gaming_day(ledger) == replace(MARKED, last_form=3)


# --- refusals because of open entries -----------------------------------------------------------


def blocking(profile: str, clauses: str, remedy: str) -> object:
    names = tuple(clauses.split())
    marks = [pytest.mark.clause(name) for name in names]
    return pytest.param(profile, names, remedy, marks=marks)


@pytest.mark.parametrize(
    ("profile", "clauses", "remedy"),
    [
        blocking("ny-mini", "NY-c-3-ii-deadline NY-c-3-ii-hold", "Collect it"),
        blocking(
            "s42-mini",
            "S42-c-3-ii-deadline S42-c-3-iv S42-c-3-ii-hold",
            "Collect it or document it",
        ),
    ],
)
def test_owed_vigorish_blocks_the_reshuffle(
    table: Table, profile: str, clauses: tuple[str, ...], remedy: str
) -> None:
    found = refused(reshuffle_refusal(table(profile, **DEFERRED), MARKED))

    assert to_words(found.why) == (
        "vigorish is owed and the cards may not be reshuffled: seat 3 1.00, seat 5 5.00"
    )
    assert (found.clauses, to_words(found.remedy)) == (clauses, remedy)


def test_an_empty_ledger_blocks_nothing(table: Table) -> None:
    terms = table("s42-mini")

    assert reshuffle_refusal(terms, EMPTY_LEDGER) is None
    assert next_card_refusal(terms, EMPTY_LEDGER) is None


def due_at_once(profile: str, settings: dict[str, object], clauses: str) -> object:
    names = tuple(clauses.split())
    marks = [pytest.mark.clause(name) for name in names]
    return pytest.param(profile, settings, names, marks=marks)


@pytest.mark.parametrize(
    ("profile", "settings", "clauses"),
    [
        due_at_once("ny-mini", TIE25, "NY-c-4-time"),
        due_at_once("s42-mini", TIE25, "S42-c-4-time"),
        due_at_once("wa-mini", {}, "WA-ov-6-when"),
    ],
)
def test_vigorish_due_at_once_blocks_the_next_card(
    table: Table, profile: str, settings: dict[str, object], clauses: tuple[str, ...]
) -> None:
    found = refused(next_card_refusal(table(profile, **settings), DUE))

    assert to_words(found.why) == "vigorish is due before the next card: seat 5 25.00"
    assert found.clauses == clauses


def test_marked_vigorish_does_not_block_the_next_card(table: Table) -> None:
    assert next_card_refusal(table("s42-mini", **DEFERRED), MARKED) is None


@pytest.mark.clause("S42-c-3-iv")
def test_a_patron_who_owes_may_not_leave(table: Table) -> None:
    found = refused(patron_leaving_refusal(table("s42-mini"), MARKED, 5))

    assert ledger_refusal_words(found) == (
        "the patron of seat 5 leaves and owes vigorish 5.00 (S42-c-3-iv). Collect it or document it"
    )


@pytest.mark.parametrize(("profile", "seat"), [("s42-mini", 4), ("ny-mini", 5)])
def test_a_patron_who_owes_nothing_may_leave(table: Table, profile: str, seat: int) -> None:
    assert patron_leaving_refusal(table(profile), MARKED, seat) is None
