"""Who owes vigorish, and what may not happen until it is closed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.journal.encoding.codec import Codec
from controller.rules.setting_values import VigorishCollection, VigorishMode
from controller.settlement.coup_facts import CoupFacts
from controller.settlement.results import what_wins
from controller.settlement.settle import settle
from controller.settlement.terms import Terms
from controller.settlement.vigorish_ledger import (
    EMPTY_LEDGER,
    Entered,
    Form,
    Ledger,
    LedgerRefusal,
    Owed,
    Waived,
    blocks_next_card,
    blocks_reshuffle,
    collect,
    complimentary,
    day_ended,
    document,
    owe,
    patron_leaves,
    void_form,
)
from controller.settlement.wagers import Wager

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BANKER_WINS = CoupFacts(3, 6, 3, 2)
TIE = CoupFacts(6, 6, 2, 2)
DEFERRED = {"vig_collection": VigorishCollection.DEFERRED}
TIE25 = {"vig_mode": VigorishMode.TIE25}

MARKED = Ledger((Owed(3, due=0, marked=100), Owed(5, due=0, marked=500)))
DUE = Ledger((Owed(5, due=2500, marked=0),))
FORM = Form(101, "patron 17", "Ann Lee", "Bo Roe", "Cy Day", patron_signed=True, reason="")


def after(terms: Terms, ledger: Ledger, facts: CoupFacts, wagers: tuple[Wager, ...]) -> Ledger:
    return owe(terms, ledger, settle(terms, what_wins(terms, facts), wagers).lines)


def entered(found: Entered | LedgerRefusal) -> Entered:
    assert isinstance(found, Entered), found
    return found


def refused(found: Entered | LedgerRefusal | None) -> LedgerRefusal:
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


def test_what_cannot_wait_is_due_at_once(table: Table, layout: Layout) -> None:
    wagers = layout("5 banker 100.00")
    at_once = after(table("ny-mini"), EMPTY_LEDGER, BANKER_WINS, wagers)
    on_tie = after(table("ny-mini", **DEFERRED, **TIE25), EMPTY_LEDGER, TIE, wagers)

    assert at_once == Ledger((Owed(5, due=500, marked=0),))
    assert on_tie == DUE


def test_a_seat_that_owes_nothing_has_no_entry(table: Table, layout: Layout) -> None:
    terms = table("wa-mini", vig_rate=0)

    assert after(terms, EMPTY_LEDGER, BANKER_WINS, layout("5 banker 1.00")) == EMPTY_LEDGER


def test_the_ledger_is_stored_as_it_is() -> None:
    ledger = replace(MARKED, waived=(Waived(101, "patron 17", 500),), last_form=101)
    codec: Codec[Ledger] = Codec(Ledger)

    assert codec.decode(codec.encode(ledger)) == ledger


@pytest.mark.clause("NY-c-3-ii-when")
@pytest.mark.clause("NY-c-3-ii-hold")
def test_collected_vigorish_leaves_the_ledger(table: Table) -> None:
    found = entered(collect(table("ny-mini"), MARKED, 5))

    assert found.ledger == Ledger((Owed(3, due=0, marked=100),))
    assert found.statement.text == "seat 5: vigorish 5.00 collected"
    assert found.statement.clauses == ("NY-c-3-ii-when", "NY-c-3-ii-hold")


def test_nothing_is_collected_where_nothing_is_owed(table: Table) -> None:
    found = refused(collect(table("ny-mini"), MARKED, 4))

    assert str(found) == "seat 4 owes no vigorish. Name a seat that does"


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.clause("S42-c-3-iii")
@pytest.mark.clause("S42-c-3-iii-A-form")
@pytest.mark.clause("S42-c-3-iii-A-sign")
@pytest.mark.clause("S42-c-3-ii-hold")
def test_vigorish_that_is_not_collected_is_documented(table: Table) -> None:
    found = entered(document(table("s42-mini"), MARKED, 5, FORM))

    assert found.ledger.owed == (Owed(3, due=0, marked=100),)
    assert found.ledger.waived == (Waived(101, "patron 17", 500),)
    assert found.statement.text == (
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

    found = entered(document(table("s42-mini"), MARKED, 5, unsigned))

    assert found.statement.text.endswith("not signed: left the premises")


def test_what_is_due_at_once_stays_when_the_rest_is_documented(table: Table) -> None:
    both = Ledger((Owed(5, due=200, marked=300),))

    found = entered(document(table("s42-mini"), both, 5, FORM))

    assert found.ledger.owed == (Owed(5, due=200, marked=0),)


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
def test_an_unsigned_form_is_refused(table: Table, form: Form, why: str) -> None:
    found = refused(document(table("s42-mini"), MARKED, 5, form))

    assert found.why == why
    assert found.clauses == ("S42-c-3-iii-A-sign",)


@pytest.mark.clause("S42-c-3-iii-A-form")
@pytest.mark.parametrize("form", [replace(FORM, number=0), replace(FORM, patron="")])
def test_a_form_has_a_number_and_a_patron(table: Table, form: Form) -> None:
    found = refused(document(table("s42-mini"), MARKED, 5, form))

    assert found.clauses == ("S42-c-3-iii", "S42-c-3-iii-A-form")


def test_a_seat_that_owes_nothing_needs_no_form(table: Table) -> None:
    assert "owes no vigorish" in refused(document(table("s42-mini"), MARKED, 4, FORM)).why


@pytest.mark.clause("NY-c-3-ii-hold")
def test_new_york_knows_no_form(table: Table) -> None:
    found = refused(document(table("ny-mini"), MARKED, 5, FORM))

    assert str(found) == (
        "this table's rule knows no form for vigorish that stays uncollected (NY-c-3-ii-hold)."
        " Collect it; the marker stays until then"
    )


@pytest.mark.clause("S42-c-4-time")
def test_vigorish_on_a_tie_cannot_be_documented(table: Table) -> None:
    found = refused(document(table("s42-mini", **TIE25), DUE, 5, FORM))

    assert "only vigorish that was deferred" in found.why
    assert found.clauses == ("S42-c-4-time", "S42-c-3-iii", "S42-c-3-iii-A-form")


@pytest.mark.clause("S42-c-3-iii-B")
@pytest.mark.parametrize("number", [100, 101, 103])
def test_a_form_out_of_order_is_remarked(table: Table, number: int) -> None:
    before = replace(MARKED, last_form=101)
    found = entered(document(table("s42-mini"), before, 5, replace(FORM, number=number)))

    (warning,) = found.warnings
    assert warning.text == f"form {number} follows form 101: forms are used in order"
    assert warning.clauses == ("S42-c-3-iii-B",)


def test_the_first_form_has_the_number_one(table: Table) -> None:
    terms = table("s42-mini")

    assert entered(document(terms, MARKED, 5, replace(FORM, number=1))).ledger.last_form == 1
    assert entered(void_form(terms, MARKED, 1, "Bo", "Cy")).ledger.last_form == 1


def test_the_next_form_in_order_is_not(table: Table) -> None:
    before = replace(MARKED, last_form=100)

    assert entered(document(table("s42-mini"), before, 5, FORM)).warnings == ()


@pytest.mark.clause("S42-c-3-iii-E")
@pytest.mark.clause("S42-c-3-iii-B")
def test_a_void_form_uses_its_number_and_waives_nothing(table: Table) -> None:
    before = replace(MARKED, last_form=100)

    found = entered(void_form(table("s42-mini"), before, 102, "Bo Roe", "Cy Day"))

    assert found.ledger == replace(MARKED, last_form=102)
    assert found.statement.text == "form 102 void; signed by Bo Roe and Cy Day"
    assert found.statement.clauses == ("S42-c-3-iii-E",)
    assert [one.clauses for one in found.warnings] == [("S42-c-3-iii-B",)]


@pytest.mark.clause("S42-c-3-iii-E")
@pytest.mark.parametrize("form", [(0, "Bo", "Cy"), (5, "", "Cy"), (5, "Bo", "")])
def test_a_void_form_is_signed_too(table: Table, form: tuple[int, str, str]) -> None:
    assert refused(void_form(table("s42-mini"), MARKED, *form)).clauses == ("S42-c-3-iii-E",)


def test_where_there_is_no_form_none_is_void(table: Table) -> None:
    assert "knows no form" in refused(void_form(table("ny-mini"), MARKED, 5, "Bo", "Cy")).why


@pytest.mark.clause("S42-c-3-iii-F")
def test_the_day_ends_with_a_list_by_patron(table: Table) -> None:
    waived = (Waived(1, "patron 17", 500), Waived(2, "patron 4", 100), Waived(3, "patron 17", 50))
    ledger = replace(MARKED, waived=waived, last_form=3)

    found = complimentary(table("s42-mini"), ledger)

    assert [one.text for one in found] == [
        "patron 17: cash complimentary 5.50, vigorish by form 1, 3",
        "patron 4: cash complimentary 1.00, vigorish by form 2",
    ]
    assert {one.clauses for one in found} == {("S42-c-3-iii-F",)}
    assert day_ended(ledger) == replace(MARKED, last_form=3)


# --- what an open entry forbids -----------------------------------------------------------------


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
def test_nothing_is_reshuffled_while_vigorish_is_owed(
    table: Table, profile: str, clauses: tuple[str, ...], remedy: str
) -> None:
    found = refused(blocks_reshuffle(table(profile, **DEFERRED), MARKED))

    assert found.why == (
        "vigorish is owed and the cards may not be reshuffled: seat 3 1.00, seat 5 5.00"
    )
    assert (found.clauses, found.remedy) == (clauses, remedy)


def test_nothing_owed_blocks_nothing(table: Table) -> None:
    terms = table("s42-mini")

    assert blocks_reshuffle(terms, EMPTY_LEDGER) is None
    assert blocks_next_card(terms, EMPTY_LEDGER) is None


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
def test_no_card_while_something_is_due_at_once(
    table: Table, profile: str, settings: dict[str, object], clauses: tuple[str, ...]
) -> None:
    found = refused(blocks_next_card(table(profile, **settings), DUE))

    assert found.why == "vigorish is due before the next card: seat 5 25.00"
    assert found.clauses == clauses


def test_marked_vigorish_blocks_no_card(table: Table) -> None:
    assert blocks_next_card(table("s42-mini", **DEFERRED), MARKED) is None


@pytest.mark.clause("S42-c-3-iv")
def test_a_patron_who_leaves_settles_first(table: Table) -> None:
    found = refused(patron_leaves(table("s42-mini"), MARKED, 5))

    assert str(found) == (
        "the patron of seat 5 leaves and owes vigorish 5.00 (S42-c-3-iv). Collect it or document it"
    )


@pytest.mark.parametrize(("profile", "seat"), [("s42-mini", 4), ("ny-mini", 5)])
def test_a_patron_may_leave(table: Table, profile: str, seat: int) -> None:
    assert patron_leaves(table(profile), MARKED, seat) is None
