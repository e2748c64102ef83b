"""A played statement as text and as JSON values, for every effect."""

import json
from typing import get_args

import pytest

from controller.cli.rules.try_output import statement_json, statement_lines
from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement
from controller.custody.batch_life.state import WarningKind
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupCorrected,
    CoupPayment,
    Effect,
    Prompt,
    PromptKind,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningOpened,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.verdicts import Verdict
from controller.rules.cards import Card
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_profile
from controller.rules.settlement.coup_facts import derive_facts
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind
from foundation.message import message

BOOK = RuleBook.of(load_profile("ny-mini"), 8, ())
CARDS = tuple(map(Card.parse, ("7h", "5c", "Kd", "Qh", "3c")))  # Banker wins, 8 over 7


def paid() -> CoupPayment:
    terms = Terms.of(BOOK.profile)
    wagers = (Wager(5, WagerKind.BANKER, 10000), Wager(3, WagerKind.TIE, 2500))
    settlement = settle(terms, wager_results(terms, derive_facts(CARDS)), wagers)
    return CoupPayment(
        "2026-11-21", 1, 1, settlement, (), message("as_typed", typed="seat 9 was not there")
    )


def shown(effect: Effect) -> PlayedStatement:
    (statement,) = parse("cut")
    return PlayedStatement(statement, (), (), (effect,), TableState())


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (ShoeOpened("2026-11-21", 2, 8, joined=True), "shoe 2 of 2026-11-21, 8 decks, joined in"),
        (BurnDone(None, 3, proven=False), "burned: 3 cards, not proven"),
        (
            ShoeEnded("2026-11-21", 2, 70, 12, 5, 5, 2, 0, 0, "", ""),
            "shoe 2 ended: 12 coups, 70 cards",
        ),
        (
            ActRecord("cut", "Ann Lee", message("as_typed", typed="180"), ("S42-e-5",)),
            "on record: cut, Ann Lee, 180 [S42-e-5 (borrowed, X-6)]",
        ),
        (
            CoupCorrected(
                gaming_day="2026-11-21",
                shoe=2,
                coup=3,
                counted=Outcome.PLAYER,
                before=Outcome.PLAYER,
                outcome=Outcome.TIE,
                person="Ann Lee",
                second="Bo Ray",
                reason="the film",
                owed=(),
                undecided=(),
                wagers_known=True,
            ),
            "coup 3 of shoe 2 corrected: tie, was player, by Ann Lee and Bo Ray, the film",
        ),
        (
            SettingChanged("vig_rate", "5", "4", "Ann Lee", "agreed", ("NY-c-3-rate",)),
            "setting: vig_rate is 4, was 5 [NY-c-3-rate]",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_text_of_an_effect(effect: Effect, words: str) -> None:
    lines = statement_lines(BOOK, shown(effect))

    assert lines[1].strip().startswith(words)


def test_a_payment_is_shown_step_by_step() -> None:
    lines = [line.strip() for line in statement_lines(BOOK, shown(paid()))]

    assert lines[1] == "to pay for coup 1, in this order:"
    assert len(lines) == len(paid().steps) + 4
    assert all(line.endswith("]") for line in lines[2:-2])
    assert lines[-2:] == ["seat 9 was not there", "next: a shoe"]


def test_a_payment_as_plain_values() -> None:
    (effect,) = json.loads(json.dumps(statement_json(BOOK, shown(paid()))))["effects"]

    assert effect["kind"] == "coup-payment"
    lines = effect["settlement"]["lines"]
    assert [(one["seat"], one["wager"], one["verdict"]) for one in lines] == [
        (5, "banker", "wins"),
        (3, "tie", "loses"),
    ]
    assert (lines[0]["odds"], lines[0]["paid"]) == ("1:1", 10000)


@pytest.mark.parametrize(
    ("effect", "shown_kind"),
    [
        (Prompt(PromptKind.TURN, message("player_hand"), (), observed=False), {"prompt": "turn"}),
        (
            WarningOpened(1, WarningKind.JAM, 7, message("player_hand"), ()),
            {"warning": "jam"},
        ),
    ],
    ids=["prompt", "warning"],
)
def test_a_kind_goes_by_what_it_is_a_kind_of(effect: Effect, shown_kind: dict[str, str]) -> None:
    (plain,) = json.loads(json.dumps(statement_json(BOOK, shown(effect))))["effects"]

    assert plain.items() >= shown_kind.items()
    assert "wager" not in plain


def test_the_kinds_are_words_that_no_rename_changes() -> None:
    """A program reads them; they are the tags of the record."""
    kinds = {one.__struct_config__.tag for one in (*get_args(Effect), *get_args(Verdict))}

    assert kinds == {
        *("accepted", "act-record", "batch-moved", "burn-done", "coup-closed", "coup-payment"),
        "coup-corrected",
        *("irregularity", "prompt", "refusal", "resolution-recorded", "setting-changed"),
        *("shoe-ended", "shoe-opened", "shuffle-recorded", "warning-closed", "warning-opened"),
    }
