"""What another outcome pays, compared with what was settled."""

import pytest

from controller.rules.settlement.payout import SettledWager, payout_differences
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.wagers import WagerKind
from controller.system.messages.catalogue import to_words


@pytest.mark.parametrize(
    ("hands", "texts"),
    [
        ("P 3 in 3, B 6 in 2", []),
        (
            "P 6 in 2, B 3 in 3",
            [
                "seat 5: take 195.00 for Banker (settled 95.00, due -100.00)",
                "seat 1: pay 20.00 for Player (settled -10.00, due 10.00)",
            ],
        ),
        (
            "P 6 in 2, B 6 in 2",
            [
                "seat 5: take 95.00 for Banker (settled 95.00, due 0.00)",
                "seat 3: pay 45.00 for Tie (settled -5.00, due 40.00)",
                "seat 1: pay 10.00 for Player (settled -10.00, due 0.00)",
            ],
        ),
    ],
)
def test_the_wagers_that_pay_otherwise(table, coup, layout, hands, texts) -> None:
    terms, wagers = table("s42-mini"), layout("5 banker 100.00, 3 tie 5.00, 1 player 10.00")
    paid = settle(terms, wager_results(terms, coup("P 3 in 3, B 6 in 2")), wagers)
    settled = tuple(SettledWager(one.seat, one.kind, one.stake, one.gain) for one in paid.lines)

    found = payout_differences(terms, wager_results(terms, coup(hands)), settled)

    assert [to_words(one.text) for one in found] == texts


def test_a_kind_without_a_result_is_left_out(table, coup) -> None:
    terms = table("s42-mini")
    results = wager_results(terms, coup("P 6 in 2, B 3 in 3"))[:1]
    settled = (
        SettledWager(5, WagerKind.TIE, 100, -100),
        SettledWager(5, results[0].kind, 100, 95),
    )

    assert [one.kind for one in payout_differences(terms, results, settled)] == [results[0].kind]
