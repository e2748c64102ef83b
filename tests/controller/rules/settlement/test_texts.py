"""Stored enum values, names of wagers, assertion messages, and clauses of charges."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure, VigorishRounding
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.payment_order import PaymentAct
from controller.rules.settlement.results import VigorishOn, wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import share_of_stake, vigorish_cents
from controller.rules.settlement.vigorish_ledger import (
    LedgerEntryResult,
    OwedVigorish,
    VigorishLedger,
    collect_vigorish,
)
from controller.rules.settlement.wagers import KIND_NAMES, Wager, WagerKind
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BANKER_WINS = CoupFacts(3, 6, 2, 2)


def test_stored_values_of_acts_and_vigorish_bases() -> None:
    assert [act.value for act in PaymentAct] == [
        *("take", "pay", "return", "collect_vigorish", "mark_vigorish")
    ]
    assert [on.value for on in VigorishOn] == ["nothing", "win", "stake"]


def test_names_of_wagers() -> None:
    assert {kind.value: to_words(name) for kind, name in KIND_NAMES.items()} == {
        "banker": "Banker",
        "player": "Player",
        "tie": "Tie",
        "bonus_player": "bonus on Player",
        "bonus_banker": "bonus on Banker",
        "dragon_7": "Dragon 7",
        "panda_8": "Panda 8",
        "total_4": "four cards",
        "total_5": "five cards",
        "total_6": "six cards",
    }


@pytest.mark.parametrize(
    ("procedure", "as_paid"),
    [
        (PayProcedure.I, False),
        (PayProcedure.II, False),
        (PayProcedure.III, True),
        (PayProcedure.IV, True),
        (PayProcedure.RECONCILIATION, True),
    ],
)
def test_vigorish_collected_with_each_payment_cites_it(
    table: Table, layout: Layout, procedure: PayProcedure, as_paid: bool
) -> None:
    """Each clause here has the name of its rule point."""
    named = {point: (f"at {point}",) for point in RulePoint}
    terms = replace(table("ny-mini", pay_procedure=procedure), citations=named)

    steps = settle(terms, wager_results(terms, BANKER_WINS), layout("5 banker 1.00")).steps

    (charge,) = (step for step in steps if step.act is PaymentAct.COLLECT_VIGORISH)
    assert ("at vigorish_as_paid" in charge.clauses) is as_paid


def test_an_entry_without_a_form_has_no_warnings(table: Table) -> None:
    found = collect_vigorish(
        table("s42-mini"), VigorishLedger((OwedVigorish(5, due=100, marked=0),)), 5
    )

    assert isinstance(found, LedgerEntryResult)
    assert found.warnings == ()


def test_missing_pay_tables_fail(table: Table) -> None:
    with pytest.raises(AssertionError, match=r"^a bonus is offered with a pay table"):
        table("nj-baccarat").bonus_odds(4)
    with pytest.raises(AssertionError, match=r"^the mode none_six comes with odds for a six"):
        table("nj-baccarat", none_six_odds=None).six_odds()


def test_vigorish_on_a_win_needs_odds_and_whole_cents(table: Table) -> None:
    terms = table("ny-mini", vig_rounding=VigorishRounding.EXACT)
    (banker,) = (one for one in wager_results(terms, BANKER_WINS) if one.kind is WagerKind.BANKER)

    with pytest.raises(AssertionError, match=r"^a wager that wins has odds"):
        share_of_stake(terms, replace(banker, odds=None))
    with pytest.raises(AssertionError, match=r"^a wager whose vigorish is a fraction of a cent is"):
        vigorish_cents(terms, banker, 1)
