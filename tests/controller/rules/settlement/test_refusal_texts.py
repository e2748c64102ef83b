"""The full text of refusals of wagers, forms and tables, with clauses and remedies."""

from collections.abc import Callable

import pytest
from in_words import ledger_refusal_words
from msgspec.structs import replace

from controller.record.wagering import wager_refusal_words
from controller.rules.cards import Card
from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.setting_values import VigorishMode, VigorishRounding
from controller.rules.settlement.admission import WagerRefusal, wager_refusals
from controller.rules.settlement.coup_facts import CoupFacts, derive_facts
from controller.rules.settlement.payout import payout_lines
from controller.rules.settlement.results import VigorishOn, WagerResult, WagerVerdict, wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish_ledger import (
    EMPTY_LEDGER,
    LedgerEntryResult,
    LedgerRefusal,
    OwedVigorish,
    VigorishForm,
    VigorishLedger,
    collect_vigorish,
    document_uncollected,
    next_card_refusal,
    void_form,
)
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words
from foundation.message import message

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BASE = "Return it, or let the seat also bet on Banker, Player or Tie"
TOTALS_WAIVE = {"vig_mode": VigorishMode.NONE_TOTAL_CARDS}
BOTH_BONUSES = {"dragon_bonus": True, "dragon_bonus_sides": (HandName.PLAYER, HandName.BANKER)}

FORM = VigorishForm(1, "patron 17", "Ann Lee", "Bo Roe", "Cy Day", patron_signed=True, reason="")
NUMBERED = (
    "a form has its printed number and names the patron (S42-c-3-iii, S42-c-3-iii-A-form). "
    "State both"
)
MARKED = VigorishLedger((OwedVigorish(3, due=0, marked=100),))
DUE = VigorishLedger((OwedVigorish(5, due=2500, marked=0),))
LATE = message("as_typed", typed="it is late")
RETURN_IT = message("as_typed", typed="Return it")


# --- wagers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "settings", "wagers", "expected"),
    [
        (
            "ny-mini",
            {},
            "0 tie 1.00",
            "seat 0, Tie: seats are numbered from 1. Name the seat of the layout",
        ),
        (
            "ny-mini",
            {},
            "1 tie 0.00",
            "seat 1, Tie: 0.00 is not a wager. State an amount above zero",
        ),
        (
            "ny-mini",
            {},
            "5 tie 1.00, 5 dragon_7 1.00",
            (
                "seat 5, Dragon 7: this wager is not offered here (NY-b-1-list). "
                "Return it; offered are Banker, Player, Tie"
            ),
        ),
        (
            "ny-mini",
            {},
            "5 tie 1.00, 5 tie 2.00",
            "seat 5, Tie: this spot has two amounts. State one amount for the spot",
        ),
        (
            "wa-mini",
            {},
            "5 banker 1.00, 5 player 1.00",
            (
                "seat 5, Player: one seat may not bet on both hands (WA-ov-2-combo). "
                "Return this wager or the one on Banker"
            ),
        ),
        (
            "nj-baccarat",
            {},
            "5 total_5 1.00",
            f"seat 5, five cards: it needs a wager on Banker, Player or Tie (NJ-sum-base). {BASE}",
        ),
        (
            "ny-ez",
            {},
            "5 dragon_7 1.00",
            (
                "seat 5, Dragon 7: by rule of the house it needs a wager on Banker, Player or Tie. "
                f"{BASE}"
            ),
        ),
        (
            "s42-mini",
            {"vig_mode": VigorishMode.NONE_SIX},
            "5 banker 0.03",
            (
                "seat 5, Banker: 0.03 at 1:1 or 1:2 would win a fraction of a cent (S42-c-6-six). "
                "Bet a multiple of 0.02"
            ),
        ),
        (
            "s42-mini",
            {"vig_mode": VigorishMode.TIE25},
            "5 banker 0.03",
            (
                "seat 5, Banker: the vigorish on 0.03 would be a fraction of a cent "
                "(S42-c-4-charge). Bet a multiple of 0.04"
            ),
        ),
        (
            "ny-mini",
            {"vig_rounding": VigorishRounding.EXACT},
            "5 banker 0.30",
            (
                "seat 5, Banker: the vigorish on 0.30 would be a fraction of a cent (NY-c-3-rate). "
                "Bet a multiple of 0.20"
            ),
        ),
    ],
)
def test_texts_of_wager_refusals(
    table: Table,
    layout: Layout,
    profile: str,
    settings: dict[str, object],
    wagers: str,
    expected: str,
) -> None:
    (refusal,) = wager_refusals(table(profile, **settings), layout(wagers))

    assert wager_refusal_words("", refusal) == expected


def test_seat_1_and_one_cent_are_admitted(table: Table, layout: Layout) -> None:
    assert wager_refusals(table("ny-mini"), layout("1 tie 0.01")) == ()


def test_a_refusal_by_several_clauses_names_each() -> None:
    refusal = WagerRefusal(
        2,
        WagerKind.TIE,
        message("as_typed", typed="it is late"),
        ("NY-1", "NY-2"),
        message("as_typed", typed="Return it"),
    )

    assert wager_refusal_words("NY", refusal) == "seat 2, Tie: it is late (NY-1, NY-2). Return it"


def test_a_refusal_says_which_of_its_clauses_is_borrowed() -> None:
    refusal = WagerRefusal(
        2,
        WagerKind.TIE,
        message("as_typed", typed="it is late"),
        ("NY-1", "S42-b-4"),
        message("as_typed", typed="Return it"),
    )

    words = "seat 2, Tie: it is late (NY-1, S42-b-4 (borrowed, X-23)). Return it"
    assert wager_refusal_words("NY", refusal) == words


# --- vigorish owed ------------------------------------------------------------------------------


def refused(found: LedgerEntryResult | LedgerRefusal | None) -> str:
    assert isinstance(found, LedgerRefusal), found
    return ledger_refusal_words(found)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            replace(FORM, number=0),
            NUMBERED,
        ),
        (
            replace(FORM, patron=""),
            NUMBERED,
        ),
        (
            replace(FORM, pit_clerk=""),
            "dealer, pit boss and pit clerk sign the form (S42-c-3-iii-A-sign). Name all three",
        ),
        (
            replace(FORM, patron_signed=False),
            "the patron signs, or the form says why not (S42-c-3-iii-A-sign). State the reason",
        ),
    ],
)
def test_an_incomplete_form_is_refused(table: Table, form: VigorishForm, expected: str) -> None:
    assert refused(document_uncollected(table("s42-mini"), MARKED, 3, form)) == expected


def test_an_incomplete_void_form_is_refused(table: Table) -> None:
    expected = (
        "a void form has its number and is signed by pit boss and pit clerk (S42-c-3-iii-E). "
        "Name number, pit boss and pit clerk"
    )

    assert refused(void_form(table("s42-mini"), MARKED, 0, "Bo Roe", "Cy Day")) == expected
    assert refused(void_form(table("s42-mini"), MARKED, 1, "", "Cy Day")) == expected
    assert refused(void_form(table("s42-mini"), MARKED, 1, "Bo Roe", "")) == expected


def test_vigorish_due_at_once_cannot_be_documented(table: Table) -> None:
    terms = table("s42-mini")

    assert refused(document_uncollected(terms, DUE, 5, FORM)) == (
        "seat 5: only vigorish that was deferred can be documented "
        "(S42-c-3-ii-when, S42-c-3-iii, S42-c-3-iii-A-form). Collect it"
    )
    assert refused(next_card_refusal(terms, DUE)) == (
        "vigorish is due before the next card: seat 5 25.00 (S42-c-3-ii-when). Collect it"
    )


def test_a_seat_that_owes_nothing(table: Table) -> None:
    terms = table("s42-mini")
    expected = "seat 4 owes no vigorish. Name a seat that does"

    found = collect_vigorish(terms, MARKED, 4)
    assert isinstance(found, LedgerRefusal)
    assert ledger_refusal_words(found) == expected
    assert refused(document_uncollected(terms, MARKED, 4, FORM)) == expected


def test_a_refusal_of_the_ledger_by_several_clauses_names_each() -> None:
    owed = LedgerRefusal(
        message("as_typed", typed="it is owed"), ("A-1", "A-2"), message("collect")
    )
    assert ledger_refusal_words(owed) == ("it is owed (A-1, A-2). Collect it")


def test_the_first_form_may_have_the_number_one(table: Table) -> None:
    documented = document_uncollected(table("s42-mini"), MARKED, 3, FORM)
    void = void_form(table("s42-mini"), EMPTY_LEDGER, 1, "Bo Roe", "Cy Day")

    for found in (documented, void):
        assert isinstance(found, LedgerEntryResult)
        assert found.ledger.last_form == 1
        assert found.warnings == ()


def test_a_void_form_out_of_order_gives_a_warning(table: Table) -> None:
    used = replace(EMPTY_LEDGER, last_form=7)

    found = void_form(table("s42-mini"), used, 9, "Bo Roe", "Cy Day")

    assert isinstance(found, LedgerEntryResult)
    (warning,) = found.warnings
    assert to_words(warning.text) == "form 9 follows form 7: forms are used in order"


# --- results and payouts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "kind", "cites"),
    [
        (CoupFacts(5, 9, 2, 2), WagerKind.BONUS_BANKER, "NY-b-1-iv-a-nat"),
        (CoupFacts(8, 9, 2, 2), WagerKind.BONUS_BANKER, "NY-b-1-iv-a-98"),
        (CoupFacts(9, 5, 2, 2), WagerKind.BONUS_PLAYER, "NY-b-1-iv-a-nat"),
    ],
)
def test_a_bonus_on_a_natural_cites_the_opposing_hand(
    table: Table, facts: CoupFacts, kind: WagerKind, cites: str
) -> None:
    results = {one.kind: one for one in wager_results(table("ny-mini", **BOTH_BONUSES), facts)}

    assert results[kind].clauses[0] == cites


def test_a_returned_bonus_owes_no_vigorish(table: Table) -> None:
    results = wager_results(table("ny-mini", **BOTH_BONUSES), CoupFacts(8, 8, 2, 2))

    (bonus,) = (one for one in results if one.kind is WagerKind.BONUS_PLAYER)
    assert bonus.vigorish_on is VigorishOn.NOTHING


def test_a_wager_without_vigorish_cites_no_vigorish_clause(table: Table, layout: Layout) -> None:
    """Also where total card wagers would waive it."""
    terms = table("nj-baccarat", **TOTALS_WAIVE)

    (line,) = settle(
        terms, wager_results(terms, CoupFacts(6, 3, 2, 3)), layout("5 player 1.00")
    ).lines

    assert line.charged_by == ()
    assert line.vigorish_on is VigorishOn.NOTHING


def test_a_line_contains_its_odds(table: Table, layout: Layout) -> None:
    terms = table("ny-mini")

    lines = settle(
        terms, wager_results(terms, CoupFacts(3, 6, 2, 2)), layout("5 tie 1.00, 3 banker 1.00")
    )

    assert [line.odds for line in lines.lines] == [None, Odds(1, 1)]


def test_waived_vigorish_has_no_base(table: Table, layout: Layout) -> None:
    terms = table("nj-baccarat", **TOTALS_WAIVE)
    wagers = layout("5 banker 1.00, 5 total_5 1.00")

    lines = settle(terms, wager_results(terms, CoupFacts(3, 6, 2, 3)), wagers).lines

    (banker,) = (line for line in lines if line.kind is WagerKind.BANKER)
    assert (banker.vigorish_on, banker.vigorish) == (VigorishOn.NOTHING, 0)
    assert banker.charged_by


def test_vigorish_clauses_are_cited_with_the_charge(table: Table, layout: Layout) -> None:
    """The payment itself cites it only where nothing is charged."""
    terms = table("ny-mini", vig_mode=VigorishMode.COMMISSION)

    steps = settle(
        terms, wager_results(terms, CoupFacts(3, 6, 2, 2)), layout("5 banker 1.00")
    ).steps

    paid, charged = steps
    assert "NY-c-3-rate" not in paid.clauses
    assert "NY-c-3-rate" in charged.clauses


# --- internal errors ----------------------------------------------------------------------------


def test_an_incomplete_coup_fails() -> None:
    with pytest.raises(AssertionError, match=r"^a coup that still needs cards pays nothing"):
        derive_facts((Card.parse("2c"),))


def test_a_fractional_win_fails(table: Table, layout: Layout) -> None:
    result = WagerResult(
        WagerKind.BANKER, WagerVerdict.WINS, Odds(1, 2), VigorishOn.NOTHING, ("NY-c-1",)
    )

    with pytest.raises(AssertionError, match=r"^a wager that would win a fraction of a cent is"):
        payout_lines(table("ny-mini"), (result,), layout("5 banker 0.03"))
