"""Domain events of statements: numbered cards, cards without a claim, and times."""

import pytest

from controller.core.script.parser import parse
from controller.core.script.player import (
    BEGINS_AT_NS,
    PlayedStatement,
    ShoeCount,
    play,
    step_inputs,
)
from controller.procedure.events import CardDrawn, CutCardDrawn, DomainEvent, ResultDeclared
from controller.procedure.rulebook import RuleBook
from controller.rules.actions.actions import OperatorAction
from controller.rules.coup import Place
from controller.rules.profiles.load import load_profile


def played(text: str) -> tuple[PlayedStatement, ...]:
    return play(RuleBook.of(load_profile("s42-mini"), 8, ()), parse(text))


def events(text: str) -> list[DomainEvent]:
    return [event for one in played(text) for event in one.events]


def claims(text: str) -> list[str]:
    return [one.claimed.value for one in events(text) if isinstance(one, CardDrawn)]


def test_a_shoe_numbers_the_cards_of_each_hand() -> None:
    assert claims("P 7h; B 2c; P 9s; B Kd; P 2d; P 3d; B 4d") == [
        *("player_1", "banker_1", "player_2", "banker_2", "player_3", "player_more", "banker_3"),
    ]


@pytest.mark.parametrize("end", ["result tie", "forced exit", "stand-by", "start"])
def test_the_count_starts_again_after(end: str) -> None:
    assert claims(f"P 7h; B 2c; {end}; P 9s; B Kd")[2:] == ["player_1", "banker_1"]


def test_a_statement_that_does_not_end_the_coup_keeps_the_count() -> None:
    assert claims("P 7h; cut; no more bets; B 2c; P 9s")[1:] == ["banker_1", "player_2"]


def test_a_number_sets_the_count() -> None:
    assert claims("P2 7h; P 2c; P1 9s; B Kd") == ["player_2", "player_3", "player_1", "banker_1"]


def test_a_burn_is_a_first_burn_card_and_counted_burn_cards() -> None:
    assert claims("burn 2h + 2") == ["burn_first", "burn", "burn"]


def test_cards_without_a_claim_take_the_place_that_is_due() -> None:
    text = "burn Ah; card 2c; card 7h; card 5c; card Kd; card Qh; card 3c; card 9h"

    assert claims(text) == [
        *("burn_first", "burn", "player_1", "banker_1", "player_2", "banker_2", "banker_3"),
        "player_1",
    ]


def test_the_shoe_counts_cards_without_a_claim_too() -> None:
    assert claims("burn Ah + 1; card 2h; card 2c; card Kd; card Kh; card Qc; P 9s")[-1] == (
        "player_more"
    )
    assert claims("burn Ah + 1; card 2h; card 2c; P Kd; B Kh")[-2:] == ["player_2", "banker_2"]


def test_while_suspended_a_card_takes_the_place_where_play_would_resume() -> None:
    assert claims("burn Ah + 1; P 9h; P2 Kc; card Qd")[-1] == "player_2"


def test_a_script_that_begins_with_a_burn_starts_the_shoe() -> None:
    (first,) = played("burn Ah")

    assert first.state.shoe_number == 1
    assert first.state.shoe is not None
    assert not first.state.shoe.joined


def test_a_script_that_does_not_burn_joins_a_shoe() -> None:
    (first,) = played("card 7h")

    assert first.state.shoe is not None
    assert first.state.shoe.joined


def test_times_count_from_the_beginning_of_the_script() -> None:
    (notice,) = events("notice vig_rate 4 to players at +2s")

    assert isinstance(notice, OperatorAction)
    assert notice.at.utc_ns == BEGINS_AT_NS + 2_000_000_000


def test_a_statement_that_is_an_event_gives_that_event() -> None:
    (statement,) = parse("cut")

    assert step_inputs(statement.body, ShoeCount(2, 1), Place.PLAYER_1) == (
        (CutCardDrawn(),),
        ShoeCount(2, 1),
    )


def test_a_result_resets_the_count() -> None:
    (statement,) = parse("result tie")
    (declared,), count = step_inputs(statement.body, ShoeCount(2, 1), Place.PLAYER_1)

    assert isinstance(declared, ResultDeclared)
    assert count == ShoeCount()


def test_the_same_script_gives_the_same_verdicts() -> None:
    text = "burn Ac + 1; P 9h; B Kc; P Qd; B Jh; P 3c; resolve void-coup; lost 1; day 2026-11-22"

    assert played(text) == played(text)
