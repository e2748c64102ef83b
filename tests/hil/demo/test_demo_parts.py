"""The parts of a demo that need no running table: floorperson, lines, proof, plan."""

import signal
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_struct
from shown_tables import shown

from controller.core.tape.records import entry_record
from controller.journal.store import Journal
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    RecordedCard,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.verdicts import Irregularity, PermittedDecision
from controller.record.snapshot import Snapshot
from controller.rules.actions.choices import FloorDecision
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, CoupResult, Outcome
from controller.rules.profiles.load import load_clauses, load_profile
from foundation.message import message
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.demo.batches import batch_places
from hil.demo.demo import stop_request
from hil.demo.floor_view import shown_clauses
from hil.demo.floorperson import SCRIPT, choose_decision
from hil.demo.plain_lines import event_lines
from hil.demo.plan import usual_mistakes
from hil.demo.proof import JournalTally, count_journal, dealt_coup, find_difference
from hil.demo.report import batch_line

CLAUSES = shown_clauses(load_profile("s42-mini"), load_clauses())


def open_irregularity(code: str, *decisions: str, suspends: bool = True) -> Snapshot:
    one = {"number": 1, "code": code, "suspends": suspends}
    permitted = [{"decision": decision} for decision in decisions]
    return shown(irregularities=[one], remedy={"decisions": permitted})


@pytest.mark.parametrize("code", SCRIPT)
def test_the_floorperson_decides_what_the_catalogue_permits(code: IrregularityCode) -> None:
    assert SCRIPT[code][0] in CATALOGUE[code].decisions


def test_nothing_open_needs_no_decision() -> None:
    assert choose_decision(shown()) == ("", "")


@pytest.mark.parametrize(("suspends", "decision"), [(False, ""), (True, "close-shoe")])
def test_a_cut_card_in_the_burn_is_decided_when_the_burn_is_complete(
    suspends: bool, decision: str
) -> None:
    table = open_irregularity("CUT_CARD_IN_BURN", "continue", "close-shoe", suspends=suspends)

    assert choose_decision(table)[0] == decision


@pytest.mark.parametrize("code", ["BURN_OVER", "OVERDRAW", "CARD_OUTSIDE_PLAY"])
def test_a_card_drawn_in_error_is_burned_with_its_amount(code: str) -> None:
    table = open_irregularity(code, "carry-card", "burn-card", "void-coup", "close-shoe")

    assert choose_decision(table)[0] == "burn-card"


def test_a_permitted_decision_replaces_one_that_is_not() -> None:
    table = open_irregularity("RESULT_MISMATCH", "void-coup", "state-outcome")

    assert choose_decision(table)[0] == "void-coup"


def test_an_irregularity_outside_the_script_is_decided() -> None:
    table = open_irregularity("REPORTS_LOST", "void-coup", "state-outcome", "close-shoe")

    assert choose_decision(table)[0] == "void-coup"


def test_every_default_mistake_happens() -> None:
    planned = usual_mistakes(3)
    for seed in range(20):
        dealer = Dealer(DealerSettings(seed=seed, shoes=3, mistakes=planned))
        for _ in dealer.actions():
            continue
        made = [mistake.mistake for mistake in dealer.truth.mistakes]

        assert sorted(made) == sorted(plan.mistake for plan in planned), f"seed {seed}"


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
    assert event_lines(CoupClosed(record()), CLAUSES) == (
        "coup  12  Player 7h 10c (7)      Banker 9s Kd (9)       banker, natural",
    )


def test_a_void_coup_has_no_calls() -> None:
    (line,) = event_lines(CoupClosed(record(None)), CLAUSES)

    assert line.endswith("  void")


def test_an_irregularity_is_printed_with_the_text_of_its_clause() -> None:
    one = Irregularity(
        IrregularityCode.OVERDRAW, 2, 24, message("as_typed", typed="one card too many"),
        ("S42-h-4",), (PermittedDecision(FloorDecision.CLOSE_SHOE),), suspends=True,
    )  # fmt: skip

    assert event_lines(one, CLAUSES) == (
        "IRREGULARITY 2 OVERDRAW, coup 24: a card was drawn that no hand is due: one card too many",
        "    S42-h-4: Neither hand gets more than one extra card.",
        "    permitted: close the shoe: an open coup is void, and every card is reshuffled",
        "    forbidden: adding the card to either hand",
        "    forbidden: offering chips or favours in place of the rule",
        "    forbidden: paying or taking any wager of this coup before the decision",
    )


def test_lines_of_a_shoe_and_a_decision(corrected_coup: CoupCorrected) -> None:
    decided = ResolutionRecorded("A. Floor", "seen", FloorDecision.CONTINUE, None, None, (2, 3))
    ended = ShoeEnded("2026-11-21", 1, 405, 80, 39, 36, 4, 1, 3, "", "")
    opened = ShoeOpened("2026-11-21", 1, 8, joined=False)
    corrected = replace_struct(corrected_coup, coup=3)
    burned = BurnDone(Card.parse("7d"), 8, proven=True)
    lines = [
        line
        for one in (opened, burned, decided, corrected, ended)
        for line in event_lines(one, CLAUSES)
    ]

    assert lines == [
        "shoe 1 of 2026-11-21: 8 decks",
        "burn: 8 cards, the first was 7d",
        "  A. Floor decides continue: seen (closes 2, 3)",
        "  coup 3 corrected to tie by Ann Lee and Bo Ray: the film",
        "shoe 1 ended: 80 coups, Player 39, Banker 36, Tie 4, void 1; 405 cards, 3 irregularities",
    ]


# --- the proof -----------------------------------------------------------------------------------


@pytest.fixture(name="truth", scope="module")
def truth_fixture() -> Truth:
    dealer = Dealer(DealerSettings(seed=7))
    for _ in dealer.actions():
        continue
    return dealer.truth


def tally_of(truth: Truth) -> JournalTally:
    coups = tuple(dealt_coup(coup) for coup in truth.coups)
    cards = sum(len(coup.cards) for coup in truth.coups)
    cards += sum(len(burn.cards) for burn in truth.burns)
    return JournalTally(1, coups, cards, 0, 0, 0, 0, ())


def test_a_correct_record_does_not_differ(truth: Truth) -> None:
    assert find_difference(truth, tally_of(truth), complete=True) == ""


def test_one_wrong_outcome_differs(truth: Truth) -> None:
    tally = tally_of(truth)
    player, banker, _ = tally.coups[4]
    wrong = (*tally.coups[:4], (player, banker, "void"), *tally.coups[5:])

    assert find_difference(truth, replace(tally, coups=wrong), complete=True).startswith(
        "coup 5: dealt"
    )


def test_a_coup_that_is_not_recorded_differs(truth: Truth) -> None:
    tally = tally_of(truth)
    short = replace(tally, coups=tally.coups[:-1])

    assert find_difference(truth, short, complete=True).endswith("recorded nothing")


def test_a_coup_that_was_never_dealt_differs(truth: Truth) -> None:
    tally = tally_of(truth)
    long = replace(tally, coups=(*tally.coups, tally.coups[0]))

    assert "dealt nothing" in find_difference(truth, long, complete=False)


def test_a_card_that_is_not_recorded_differs(truth: Truth) -> None:
    tally = tally_of(truth)
    short = replace(tally, cards=tally.cards - 1)

    assert "cards were drawn" in find_difference(truth, short, complete=True)


def test_interrupted_dealing_is_compared_as_far_as_it_went(truth: Truth) -> None:
    tally = tally_of(truth)
    short = replace(tally, coups=tally.coups[:9], cards=50)

    assert find_difference(truth, short, complete=False) == ""


SNAPSHOT = shown(
    custody={
        "batches": [
            {"batch": "RED-0001", "back": "red", "cards": {"shoe": 11, "discard_rack": 405}},
            {"batch": "BLUE-0001", "back": "blue", "cards": {"carton": 416, "burn": 0}},
        ]
    }
)


def test_a_snapshot_shows_where_every_card_is() -> None:
    assert [batch_line(one) for one in batch_places(SNAPSHOT)] == [
        "batch RED-0001 (red), 416 cards: 11 in the dealing shoe, 405 in the discard rack",
        "batch BLUE-0001 (blue), 416 cards: 416 in its carton",
    ]


def test_a_table_that_tracks_no_cards_has_no_batch_places() -> None:
    assert batch_places(shown()) == ()


def test_a_corrected_coup_is_counted_by_the_outcome_that_counts(
    fast_dir: Path, corrected_coup: CoupCorrected
) -> None:
    correction = replace_struct(
        corrected_coup, shoe=1, coup=12, counted=Outcome.BANKER, before=Outcome.BANKER
    )
    with Journal.open(fast_dir / "journal") as journal:
        journal.append([entry_record(one) for one in (CoupClosed(record()), correction)], None)

    tally = count_journal(fast_dir / "journal")

    assert (tally.player, tally.banker, tally.tie) == (0, 0, 1)


@pytest.mark.parametrize("step", range(1, 10))
def test_ctrl_c_at_any_step_of_waiting_asks_the_demo_to_end(step: int) -> None:
    """Its handler then runs within the wait: it must not need a lock that the wait holds."""
    steps = count(1)

    def interrupt(_frame: object, _event: str, _argument: object) -> None:
        if next(steps) == step:
            signal.raise_signal(signal.SIGTERM)

    with stop_request() as stopping:
        sys.setprofile(interrupt)
        try:
            made = stopping.wait(60.0)
        finally:
            sys.setprofile(None)

    assert made


def test_a_second_ctrl_c_ends_the_demo_at_once() -> None:
    with stop_request() as stopping:
        signal.raise_signal(signal.SIGTERM)
        assert stopping.is_made

        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
