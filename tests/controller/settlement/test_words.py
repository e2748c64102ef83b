"""Words that settlement leaves in records and says at the table, and what it cites for a charge.

Responsible for: the values of its enumerations, which journals hold, names of wagers, and the
sentence of each fault of the program.
Not responsible for: refusals (test_refusals_in_full).
Source: controller/settlement/README.md.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure, VigorishRounding
from controller.settlement.coup_facts import CoupFacts
from controller.settlement.payment_order import Act
from controller.settlement.results import VigorishOn, what_wins
from controller.settlement.settle import settle
from controller.settlement.terms import Terms
from controller.settlement.vigorish import share_of_stake, vigorish_cents
from controller.settlement.vigorish_ledger import Entered, Ledger, Owed, collect
from controller.settlement.wagers import KIND_NAMES, Wager, WagerKind

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BANKER_WINS = CoupFacts(3, 6, 2, 2)


def test_acts_and_what_vigorish_is_reckoned_on_as_journals_hold_them() -> None:
    assert [act.value for act in Act] == [
        *("take", "pay", "return", "collect_vigorish", "mark_vigorish")
    ]
    assert [on.value for on in VigorishOn] == ["nothing", "win", "stake"]


def test_wagers_by_name() -> None:
    assert {kind.value: name for kind, name in KIND_NAMES.items()} == {
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
def test_vigorish_taken_with_each_payment_cites_so(
    table: Table, layout: Layout, procedure: PayProcedure, as_paid: bool
) -> None:
    """Clauses are named for the point they speak at."""
    named = {point: (f"at {point}",) for point in RulePoint}
    terms = replace(table("ny-mini", pay_procedure=procedure), citations=named)

    steps = settle(terms, what_wins(terms, BANKER_WINS), layout("5 banker 1.00")).steps

    (charge,) = (step for step in steps if step.act is Act.COLLECT_VIGORISH)
    assert ("at vigorish_as_paid" in charge.clauses) is as_paid


def test_an_entry_without_a_form_has_no_remarks(table: Table) -> None:
    found = collect(table("s42-mini"), Ledger((Owed(5, due=100, marked=0),)), 5)

    assert isinstance(found, Entered)
    assert found.warnings == ()


def test_pay_tables_that_a_profile_lacks(table: Table) -> None:
    with pytest.raises(AssertionError, match=r"^a bonus is offered with a pay table"):
        table("nj-baccarat").bonus_odds(4)
    with pytest.raises(AssertionError, match=r"^the mode none_six comes with odds for a six"):
        table("nj-baccarat", none_six_odds=None).six_odds()


def test_vigorish_on_a_win_has_odds_and_is_whole_cents(table: Table) -> None:
    terms = table("ny-mini", vig_rounding=VigorishRounding.EXACT)
    (banker,) = (one for one in what_wins(terms, BANKER_WINS) if one.kind is WagerKind.BANKER)

    with pytest.raises(AssertionError, match=r"^a wager that wins has odds"):
        share_of_stake(terms, replace(banker, odds=None))
    with pytest.raises(AssertionError, match=r"^a wager whose vigorish is a fraction of a cent is"):
        vigorish_cents(terms, banker, 1)
