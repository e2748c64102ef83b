"""The parts of a demo that need no running table: script, words, proof, plan.

Responsible for: decisions that every irregularity permits, plain lines, the comparison with the
truth, and the usual mistakes.
Not responsible for: the live view (test_demo_view) and a running demo (test_demo_run).
Source: hil/README.md, "The demo".
"""

from dataclasses import replace

import pytest

from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupFate,
    CoupRecord,
    RecordedCard,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.verdicts import Irregularity
from controller.profiles.load import load_clauses
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupResult, Outcome
from controller.views.snapshot_reader import Shown
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.demo.batches import whereabouts
from hil.demo.floorperson import SCRIPT, intention
from hil.demo.plain_lines import lines_of
from hil.demo.plan import usual_mistakes
from hil.demo.proof import Tally, as_dealt, difference
from hil.demo.report import where_line

CLAUSES = load_clauses()


def open_irregularity(code: str, *decisions: str, suspends: bool = True) -> Shown:
    one = {"number": 1, "code": code, "suspends": suspends}
    return Shown({"irregularities": [one], "decisions": list(decisions)})


@pytest.mark.parametrize("code", SCRIPT)
def test_the_script_decides_what_the_catalogue_permits(code: IrregularityCode) -> None:
    assert SCRIPT[code][0] in CATALOGUE[code].decisions


def test_with_nothing_open_nothing_is_decided() -> None:
    assert intention(Shown({"irregularities": [], "decisions": []})) == ("", "")


@pytest.mark.parametrize("code", ["OVERDRAW", "CARD_OUTSIDE_PLAY"])
def test_a_card_drawn_in_error_is_burned_with_its_amount(code: str) -> None:
    table = open_irregularity(code, "carry-card", "burn-card", "void-coup", "close-shoe")

    assert intention(table)[0] == "burn-card"


def test_the_script_takes_what_is_permitted_where_its_own_word_is_not() -> None:
    table = open_irregularity("RESULT_MISMATCH", "void-coup", "state-outcome")

    assert intention(table)[0] == "void-coup"


def test_an_irregularity_outside_the_script_is_decided_too() -> None:
    table = open_irregularity("REPORTS_LOST", "void-coup", "state-outcome", "close-shoe")

    assert intention(table)[0] == "void-coup"


@pytest.mark.parametrize("seed", range(20))
def test_every_usual_mistake_finds_its_occasion(seed: int) -> None:
    planned = usual_mistakes(3)
    dealer = Dealer(DealerSettings(seed=seed, shoes=3, mistakes=planned))
    for _ in dealer.actions():
        continue
    made = [mistake.mistake for mistake in dealer.truth.mistakes]

    assert sorted(made) == sorted(plan.mistake for plan in planned)


# --- lines ---------------------------------------------------------------------------------------


def record(outcome: Outcome | None = Outcome.BANKER) -> CoupRecord:
    cards = (
        (Place.PLAYER_1, "7h"),
        (Place.BANKER_1, "9s"),
        (Place.PLAYER_2, "10c"),
        (Place.BANKER_2, "Kd"),
    )
    return CoupRecord(
        gaming_day="2026-11-21",
        shoe=1,
        coup=12,
        cards=tuple(RecordedCard(place, Card.parse(card)) for place, card in cards),
        aside=(),
        result=CoupResult(Outcome.BANKER, 7, 9, True, False, False),
        declared=outcome,
        outcome=outcome,
        fate=CoupFate.VOID if outcome is None else CoupFate.COUNTED,
        suspended_cards=False,
        irregular=(),
    )


def test_a_coup_is_one_line() -> None:
    assert lines_of(CoupClosed(record()), CLAUSES) == (
        "coup  12  Player 7h 10c (7)      Banker 9s Kd (9)       banker, natural",
    )


def test_a_void_coup_calls_nothing_out() -> None:
    (line,) = lines_of(CoupClosed(record(None)), CLAUSES)

    assert line.endswith("  void")


def test_an_irregularity_is_said_with_the_text_of_its_clause() -> None:
    one = Irregularity(
        IrregularityCode.OVERDRAW, 2, 24, "one card too many", ("S42-h-4",), ("end it",),
        ("add it",), ("continue",), suspends=True,
    )  # fmt: skip

    assert lines_of(one, CLAUSES) == (
        "IRREGULARITY 2 OVERDRAW, coup 24: one card too many",
        "    S42-h-4: Neither hand gets more than one extra card.",
        "    permitted: end it",
        "    forbidden: add it",
    )


def test_a_shoe_and_a_decision_are_said() -> None:
    decided = ResolutionRecorded("A. Floor", "seen", "continue", "", "", (2, 3))
    ended = ShoeEnded("2026-11-21", 1, 405, 80, 39, 36, 4, 1, 3, "", "")
    opened = ShoeOpened("2026-11-21", 1, 8, joined=False)
    burned = BurnDone(Card.parse("7d"), 8, proven=True)
    said = [line for one in (opened, burned, decided, ended) for line in lines_of(one, CLAUSES)]

    assert said == [
        "shoe 1 of 2026-11-21: 8 decks",
        "burn: 8 cards, the first was 7d",
        "  A. Floor decides continue: seen (closes 2, 3)",
        "shoe 1 ended: 80 coups, Player 39, Banker 36, Tie 4, void 1; 405 cards, 3 irregularities",
    ]


# --- the proof -----------------------------------------------------------------------------------


@pytest.fixture(name="truth", scope="module")
def truth_fixture() -> Truth:
    dealer = Dealer(DealerSettings(seed=7))
    for _ in dealer.actions():
        continue
    return dealer.truth


def as_recorded(truth: Truth) -> Tally:
    coups = tuple(as_dealt(coup) for coup in truth.coups)
    cards = sum(len(coup.cards) for coup in truth.coups)
    cards += sum(len(burn.cards) for burn in truth.burns)
    return Tally(1, coups, cards, 0, 0, 0, 0, ())


def test_a_record_of_what_was_dealt_does_not_differ(truth: Truth) -> None:
    assert difference(truth, as_recorded(truth), complete=True) == ""


def test_one_wrong_outcome_differs(truth: Truth) -> None:
    tally = as_recorded(truth)
    player, banker, _ = tally.coups[4]
    wrong = (*tally.coups[:4], (player, banker, "void"), *tally.coups[5:])

    assert difference(truth, replace(tally, coups=wrong), complete=True).startswith("coup 5: dealt")


def test_a_coup_that_is_not_recorded_differs(truth: Truth) -> None:
    tally = as_recorded(truth)
    short = replace(tally, coups=tally.coups[:-1])

    assert difference(truth, short, complete=True).endswith("recorded nothing")


def test_a_coup_that_was_never_dealt_differs(truth: Truth) -> None:
    tally = as_recorded(truth)
    long = replace(tally, coups=(*tally.coups, tally.coups[0]))

    assert "dealt nothing" in difference(truth, long, complete=False)


def test_a_card_that_is_not_recorded_differs(truth: Truth) -> None:
    tally = as_recorded(truth)
    short = replace(tally, cards=tally.cards - 1)

    assert "cards were drawn" in difference(truth, short, complete=True)


def test_a_dealing_that_was_stopped_is_compared_as_far_as_it_went(truth: Truth) -> None:
    tally = as_recorded(truth)
    short = replace(tally, coups=tally.coups[:9], cards=50)

    assert difference(truth, short, complete=False) == ""


SNAPSHOT = Shown(
    {
        "custody": {
            "batches": [
                {"batch": "RED-0001", "back": "red", "cards": {"shoe": 11, "discard_rack": 405}},
                {"batch": "BLUE-0001", "back": "blue", "cards": {"carton": 416, "burn": 0}},
            ]
        }
    }
)


def test_where_every_card_is_stands_in_a_snapshot() -> None:
    assert [where_line(one) for one in whereabouts(SNAPSHOT)] == [
        "batch RED-0001 (red), 416 cards: 11 in the dealing shoe, 405 in the discard rack",
        "batch BLUE-0001 (blue), 416 cards: 416 in its carton",
    ]


def test_a_table_that_follows_no_cards_says_so_by_saying_nothing() -> None:
    assert whereabouts(Shown({})) == ()
