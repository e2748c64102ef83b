"""The order of payment as the dealer reads it."""

from collections.abc import Callable

import pytest

from controller.rules.setting_values import PayProcedure, VigorishCollection, VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.payment_order import PaymentAct
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.settle import Settlement, settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
BANKER_WINS = CoupFacts(3, 6, 3, 2)
TIE = CoupFacts(6, 6, 2, 2)
WAGERS = "2 banker 20.00, 5 banker 100.00, 5 tie 1.00, 3 player 40.00"
TIE25 = {"vig_mode": VigorishMode.TIE25}


def paid(terms: Terms, facts: CoupFacts, wagers: tuple[Wager, ...]) -> Settlement:
    return settle(terms, wager_results(terms, facts), wagers)


def texts(settled: Settlement) -> list[str]:
    return [to_words(step.text) for step in settled.steps]


LOSERS = ["seat 5: take 1.00 from Tie", "seat 3: take 40.00 from Player"]
PAY_5, PAY_2 = "seat 5: pay 100.00 on Banker", "seat 2: pay 20.00 on Banker"
VIG_5, VIG_2 = "seat 5: collect vigorish 5.00", "seat 2: collect vigorish 1.00"


ORDERS = {
    "i": [PAY_5, PAY_2, VIG_5, VIG_2],
    "ii": [VIG_5, VIG_2, PAY_5, PAY_2],
    "iii": [PAY_5, VIG_5, PAY_2, VIG_2],
    "iv": [VIG_5, PAY_5, VIG_2, PAY_2],
}


def cited(settled: Settlement, act: PaymentAct) -> set[str]:
    return {name for step in settled.steps if step.act is act for name in step.clauses}


def marked(profile: str, procedure: str) -> object:
    rule = "NY-i" if profile == "ny-mini" else "S42-j"
    own, elect = f"{rule}-2-{procedure}", f"{rule}-3-elect"
    marks = [pytest.mark.clause(name) for name in (own, elect, f"{rule}-2-lose")]
    return pytest.param(profile, PayProcedure(procedure), own, elect, rule, marks=marks)


@pytest.mark.parametrize(
    ("profile", "procedure", "own", "elect", "rule"),
    [marked(p, n) for p in ("ny-mini", "s42-mini") for n in ("i", "ii", "iii", "iv")],
)
def test_every_step_cites_the_procedure_it_follows(
    table: Table,
    layout: Layout,
    profile: str,
    procedure: PayProcedure,
    own: str,
    elect: str,
    rule: str,
) -> None:
    settled = paid(table(profile, pay_procedure=procedure), BANKER_WINS, layout(WAGERS))

    assert texts(settled) == LOSERS + ORDERS[procedure.value]
    assert {own, elect} <= cited(settled, PaymentAct.PAY)
    assert {own, elect} <= cited(settled, PaymentAct.COLLECT_VIGORISH)
    assert f"{rule}-2-lose" in cited(settled, PaymentAct.TAKE)


@pytest.mark.clause("NJ-sum-reconcile")
def test_new_jersey_settles_seat_by_seat(table: Table, layout: Layout) -> None:
    settled = paid(table("nj-minibaccarat"), BANKER_WINS, layout(WAGERS))

    assert texts(settled) == [LOSERS[0], PAY_5, VIG_5, LOSERS[1], PAY_2, VIG_2]
    assert all("NJ-sum-reconcile" in step.clauses for step in settled.steps)


@pytest.mark.clause("WA-pr-7-take")
@pytest.mark.clause("WA-pr-8-pay")
@pytest.mark.clause("WA-pr-8-comm")
@pytest.mark.clause("WA-ov-6-rate")
@pytest.mark.clause("WA-pay-bank")
@pytest.mark.clause("WA-ov-6-when")
def test_washington_collects_commission_with_each_payment(table: Table, layout: Layout) -> None:
    settled = paid(table("wa-mini"), BANKER_WINS, layout(WAGERS))

    assert texts(settled) == [*LOSERS, PAY_5, VIG_5, PAY_2, VIG_2]
    assert "WA-pr-7-take" in cited(settled, PaymentAct.TAKE)
    assert "WA-pr-8-pay" in cited(settled, PaymentAct.PAY)
    assert {"WA-pr-8-comm", "WA-ov-6-rate", "WA-pay-bank", "WA-ov-6-when"} <= cited(
        settled, PaymentAct.COLLECT_VIGORISH
    )


def test_commission_after_all_payments_does_not_cite_collection_with_payment(
    table: Table, layout: Layout
) -> None:
    settled = paid(table("wa-mini", pay_procedure=PayProcedure.I), BANKER_WINS, layout(WAGERS))

    assert "WA-pr-8-comm" not in cited(settled, PaymentAct.COLLECT_VIGORISH)


@pytest.mark.clause("NY-i-2-lose")
@pytest.mark.clause("NY-i-2-ez")
def test_ez_pays_only(table: Table, layout: Layout) -> None:
    settled = paid(table("ny-ez"), BANKER_WINS, layout(WAGERS))

    assert texts(settled) == [*LOSERS, PAY_5, PAY_2]
    assert "NY-i-2-lose" in cited(settled, PaymentAct.TAKE)
    assert "NY-i-2-ez" in cited(settled, PaymentAct.PAY)


@pytest.mark.parametrize(
    ("procedure", "order"),
    [
        (PayProcedure.I, ["return 75", "pay tie", "return 15", "collect 25", "collect 5"]),
        (PayProcedure.II, ["collect 25", "collect 5", "return 75", "pay tie", "return 15"]),
        (PayProcedure.III, ["return 75", "pay tie", "collect 25", "return 15", "collect 5"]),
        (PayProcedure.IV, ["collect 25", "return 75", "pay tie", "collect 5", "return 15"]),
    ],
)
def test_a_seat_that_owes_without_winning_has_its_turn(
    table: Table, layout: Layout, procedure: PayProcedure, order: list[str]
) -> None:
    words = {
        "return 75": "seat 5: return 75.00 of 100.00 on Banker",
        "pay tie": "seat 5: pay 8.00 on Tie",
        "collect 25": "seat 5: collect vigorish 25.00",
        "return 15": "seat 2: return 15.00 of 20.00 on Banker",
        "collect 5": "seat 2: collect vigorish 5.00",
    }
    wagers = layout("2 banker 20.00, 5 banker 100.00, 5 tie 1.00")
    settled = paid(table("s42-mini", **TIE25, pay_procedure=procedure), TIE, wagers)

    assert texts(settled) == [words[one] for one in order]


@pytest.mark.clause("NY-b-1-i-c-vig")
@pytest.mark.clause("NY-c-4-charge")
@pytest.mark.clause("NY-c-4-time")
@pytest.mark.clause("NY-c-5-uniform")
def test_vigorish_on_a_tie_cites_its_clauses(table: Table, layout: Layout) -> None:
    terms = table("ny-mini", **TIE25, vig_collection=VigorishCollection.DEFERRED)
    settled = paid(terms, TIE, layout("5 banker 100.00"))

    assert texts(settled) == [
        "seat 5: return 75.00 of 100.00 on Banker",
        "seat 5: collect vigorish 25.00",
    ]
    assert {"NY-b-1-i-c-vig", "NY-c-4-charge", "NY-c-4-time", "NY-c-5-uniform"} <= cited(
        settled, PaymentAct.COLLECT_VIGORISH
    )


@pytest.mark.clause("S42-c-4-time")
@pytest.mark.clause("S42-c-5-uniform")
def test_vigorish_on_a_tie_is_never_deferred(table: Table, layout: Layout) -> None:
    terms = table("s42-mini", **TIE25, vig_collection=VigorishCollection.DEFERRED)
    settled = paid(terms, TIE, layout("5 banker 100.00"))

    assert [step.act for step in settled.steps] == [PaymentAct.RETURN, PaymentAct.COLLECT_VIGORISH]
    assert {"S42-c-4-time", "S42-c-5-uniform"} <= cited(settled, PaymentAct.COLLECT_VIGORISH)


def deferral(profile: str, clauses: str) -> object:
    names = tuple(clauses.split())
    marks = [pytest.mark.clause(name) for name in names]
    return pytest.param(profile, names, marks=marks)


@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        deferral("ny-mini",
                 "NY-c-3-rate NY-c-3-i NY-c-5-uniform NY-c-3-ii-when NY-c-3-ii-mark"),
        deferral("s42-mini",
                 "S42-c-3-rate S42-c-3-i S42-c-5-uniform S42-c-3-ii-when S42-c-3-ii-mark"),
    ],
)  # fmt: skip
def test_deferred_vigorish_is_marked(
    table: Table, layout: Layout, profile: str, clauses: tuple[str, ...]
) -> None:
    terms = table(profile, vig_collection=VigorishCollection.DEFERRED)
    settled = paid(terms, BANKER_WINS, layout("5 banker 100.00"))

    assert texts(settled) == [PAY_5, "seat 5: mark vigorish 5.00 in box 5"]
    assert set(clauses) <= cited(settled, PaymentAct.MARK_VIGORISH)


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (("house-baccarat", "HG-bac-comm"), ("house-mini", "HG-mini-comm"))
    ],
)
def test_the_guides_charge_five_percent(
    table: Table, layout: Layout, profile: str, clause: str
) -> None:
    settled = paid(table(profile), BANKER_WINS, layout("5 banker 100.00"))

    assert texts(settled) == [PAY_5, VIG_5]
    assert clause in cited(settled, PaymentAct.COLLECT_VIGORISH)


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param(name, marks=pytest.mark.clause(clause))
        for name, clause in (("ny-mini", "NY-c-3-i"), ("s42-mini", "S42-c-3-i"))
    ],
)
@pytest.mark.parametrize(
    ("staked", "charged"),
    [
        ("0.20", "0.05"),  # one cent
        ("1.00", "0.05"),  # five cents, a multiple: it stays
        ("1.20", "0.10"),  # six cents
        ("10.10", "0.55"),  # fifty cents and a half
        ("100.00", "5.00"),
        ("100.20", "5.05"),
        ("101.00", "5.05"),
        ("101.20", "5.10"),
    ],
)
def test_vigorish_is_rounded_to_five_cents_or_the_next_multiple(
    table: Table, layout: Layout, profile: str, staked: str, charged: str
) -> None:
    settled = paid(table(profile), BANKER_WINS, layout(f"5 banker {staked}"))

    assert texts(settled)[1:] == [f"seat 5: collect vigorish {charged}"]
    rounding = {"ny-mini": "NY-c-3-i", "s42-mini": "S42-c-3-i"}[profile]
    assert rounding in cited(settled, PaymentAct.COLLECT_VIGORISH)


def test_rounding_is_cited_only_where_the_table_rounds(table: Table, layout: Layout) -> None:
    exact = paid(table("house-mini"), BANKER_WINS, layout("5 banker 100.00"))

    assert "S42-c-3-i" not in cited(exact, PaymentAct.COLLECT_VIGORISH)


def test_returned_stakes_are_returned_at_their_seats_turn(table: Table, layout: Layout) -> None:
    wagers = layout("2 player 20.00, 5 banker 100.00, 3 tie 1.00")
    settled = paid(table("ny-mini"), TIE, wagers)

    assert texts(settled) == [
        "seat 5: return 100.00 on Banker",
        "seat 3: pay 8.00 on Tie",
        "seat 2: return 20.00 on Player",
    ]
