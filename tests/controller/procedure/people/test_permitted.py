"""What a verdict names as permitted is what `resolve` accepts, and who may void against a remedy.

Source: S42 (k)(1)-(4); D-32, D-43.
"""

import pytest
from acts_of_people import acted

from controller.procedure.effects import CoupClosed, Prompt, Refusal, ResolutionRecorded
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.people.permitted import named_decisions
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact
from controller.procedure.step import step
from controller.procedure.verdicts import PermittedDecision
from controller.record.irregularity import permitted_words
from controller.rules.actions.actions import Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_names
from controller.system.messages.catalogue import to_words

NATURAL = "P 9h; B 7c; P Kd; B Kh"
OBSERVED = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
# A card that no hand is due, in every phase and with what people do before and after it.
SITUATIONS = (
    f"{NATURAL}; P 4h",
    f"{NATURAL}; P 4h; turn error",
    f"{NATURAL}; P 4h; result player; no more bets; P 5c",
    f"{NATURAL}; result player; P3 4c",
    "P 7h; out 2d",
    "out 2d",
    "P 7h; out 2d; found face up",
    "P 5h; B 6d; P 3h; B 4s; P 2c; found face up",
    "P 5h; B 6d; found face up; P 3h; lost 1",
    "P 2h; B 2d; P 5h; B 3s; P3 9c",
    "P 6h; B 2d; P Kh; B 3s; P3 9c",
    f"cut card; {NATURAL}; result player; {NATURAL}; P 4h",
    "P 7h; B ??",
    "P 7h; lost 1; P1 2c; B ??",
    "lost 1; P 7h; B 2c",
    "B 2c",
    f"{NATURAL}; result tie",
    f"{NATURAL}; P 4h; result tie",
    "P 7h; cut card; cut card",
    "P 7h; start",
    "result tie; P 7h; B 2c; result tie",
    "P 7h; forced exit; P 2c",
    "P 7h; B 2c; again P1 8h",
    # Only without the cards dealt while suspended may play go on.
    f"{NATURAL}; P 4h; result player; lost 1; P 5c; B ??",
    f"{NATURAL}; result tie; P 7h; B ??",
    "B 2c; result tie; P 7h; B 2c",
    "again P1 8h; P 7h; again P1 8h; B ??",
    "out 2d; P1 7h; lost 1",
    "out 2d; P1 7h; B ??; found face up",
)


def is_accepted(table, decision: FloorDecision, provisional: Provisional) -> bool:
    stated = Outcome.TIE if decision is FloorDecision.STATE_OUTCOME else None
    event = acted(Resolution(decision, provisional, stated), "Bo Ray", reason="seen")
    after = step(effective_book(table.book, table.state), table.state, event)
    return not any(isinstance(effect, Refusal) for effect in after.effects)


def in_full(named: tuple[PermittedDecision, ...]) -> set[str]:
    """Each named decision with each choice that it may be made with."""
    return {
        f"{one.decision.value} {provisional.value}"
        for one in named
        for provisional in Provisional
        if one.provisional in (None, provisional)
    }


@pytest.mark.parametrize("profile", profile_names())
def test_a_verdict_names_exactly_the_decisions_that_are_accepted(new_table, profile) -> None:
    for observed in ((), OBSERVED, (*OBSERVED, ObservableFact.TURNED)):
        for words in SITUATIONS:
            table = new_table(f"start; burn Ac: 2c; {words}", profile=profile, observed=observed)
            last = table.irregularities[-1]
            accepted = {
                f"{decision.value} {provisional.value}"
                for decision in FloorDecision
                for provisional in Provisional
                if is_accepted(table, decision, provisional)
            }
            if table.verdicts[-1] is last:
                assert in_full(last.decisions) == accepted, words
            assert in_full(named_decisions(table.book, table.state)) == accepted, words


def test_a_decision_permitted_with_one_choice_alone_is_named_with_it(table) -> None:
    """The next coup is partial: play goes on only without its cards."""
    table.deal(f"{NATURAL}; again P1 8h; result player; P1 7h; B1 ??")
    assert [one.as_accepted for one in table.irregularities[-1].decisions] == [
        *("continue void", "void-coup", "state-outcome take-over", "close-shoe"),
    ]
    assert "is not permitted here" in table.decide("continue take-over")
    assert table.decide("continue void") == ""


@pytest.mark.parametrize("profile", profile_names())
def test_between_coups_no_way_to_void_a_coup_is_named(new_table, profile) -> None:
    for words in ("out 2d", "out 2d; found face up", f"{NATURAL}; result player; P3 4c"):
        table = new_table(f"start; burn Ac: 2c; {words}", profile=profile, observed=OBSERVED)
        last = table.irregularities[-1]
        assert FloorDecision.VOID_COUP not in [one.decision for one in last.decisions]
        assert not any("void the coup" in text for text in permitted_words(last)), words


@pytest.mark.clause("S42-k-1-banker")
@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.clause("S42-k-2-burn")
@pytest.mark.clause("S42-k-3-unused")
@pytest.mark.parametrize(
    "words",
    [
        f"{NATURAL}; P 4h",
        "P 7h; out 2d",
        "P 6h; B 2d; P Kh; B 3s; P3 9c",
        "P 5h; B 6d; found face up",
    ],
)
def test_where_the_rule_prescribes_a_remedy_a_void_is_not_permitted(table, words) -> None:
    table.deal(words)
    assert table.irregularities[-1].coup == 1
    assert "void-coup" not in table.permitted
    assert "a second person" in table.decide("void-coup")


@pytest.mark.parametrize("words", [f"{NATURAL}; P 4h", "P 7h; out 2d", "P 5h; B 6d; found face up"])
@pytest.mark.parametrize("profile", ["wa-mini", "house-mini", "house-baccarat"])
def test_where_the_floorperson_decides_all_ways_stay(new_table, profile, words) -> None:
    table = new_table(f"start; burn Ac: 2c; {words}", profile=profile)
    assert {"continue", "void-coup", "close-shoe"} <= set(table.permitted)
    assert table.decide("void-coup") == ""


# --- a void by a person's own decision (D-43) ----------------------------------------------------


def test_a_floorperson_and_a_second_person_may_void_all_the_same(table) -> None:
    table.deal(f'{NATURAL}; P 4h; resolve void-coup second "Cy Lee" because "cards were mixed"')
    (recorded,) = table.of(ResolutionRecorded)
    assert (recorded.second, recorded.reason) == ("Cy Lee", "cards were mixed")
    (record,) = table.records
    assert (record.fate.value, record.own_void) == ("void", True)


@pytest.mark.parametrize(
    "who",
    [
        "",
        ' because "cards were mixed"',
        ' second "Cy Lee"',
        ' second "Cy Lee" because " "',
        ' second "Bo Ray" by "Bo Ray" because "cards were mixed"',
    ],
)
def test_it_needs_a_reason_and_another_person(table, who) -> None:
    table.deal(f"{NATURAL}; P 4h; resolve void-coup{who}")
    (refused,) = table.of(Refusal)
    assert "void-coup is not permitted here; permitted: carry-card, burn-card" in to_words(
        refused.why
    )
    assert refused.clauses[:1] == ("S42-h-4",)
    assert table.records == []


@pytest.mark.parametrize("profile", profile_names())
def test_it_is_cited_as_a_persons_decision_never_as_a_shortage(new_table, profile) -> None:
    wagers = (ObservableFact.WAGERS,)
    table = new_table(
        f"start; burn Ac: 2c; wagers 5 banker 100.00; {NATURAL}; P 4h",
        profile=profile,
        observed=wagers,
    )
    ordinary = "void-coup" in table.permitted
    table.decide("void-coup second")
    (closed,) = table.of(CoupClosed)
    prompts = [one for one in table.of(Prompt) if "void" in to_words(one.text)]
    cited = {*closed.clauses, *(clause for one in prompts for clause in one.clauses)}
    assert any("own decision" in to_words(one.text) for one in prompts) is not ordinary
    assert ("S42-k-4-void" in cited) is ordinary


def test_a_coup_that_ended_while_suspended_can_be_void_so_too(table) -> None:
    table.deal(f"{NATURAL}; P 4h; result player")
    assert table.decide("void-coup second") == ""
    assert [one.own_void for one in table.records] == [True]


@pytest.mark.parametrize("words", ["out 2d", "lost 1", "P 7h; cut card; cut card"])
def test_with_no_coup_that_may_be_void_a_second_person_changes_nothing(table, words) -> None:
    table.deal(words)
    refusal = table.decide("void-coup second")
    assert "is not permitted here" in refusal
    assert "second person" not in refusal


# --- the catalogue -------------------------------------------------------------------------------


def test_each_text_of_the_catalogue_belongs_to_a_decision_of_its_row() -> None:
    for kind in CATALOGUE.values():
        named = {remedy.decision for remedy in kind.permitted} - {None}
        assert named <= set(kind.decisions), kind.title
        assert kind.suspends or not named, "what does not suspend is acknowledged by any decision"
