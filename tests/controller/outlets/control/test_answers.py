"""The answer to a correction: what counts, who decided it, and what is owed by seat."""

from controller.outlets.control.answer_schema import CoupCorrectedAnswer, OwedAnswer
from controller.outlets.control.answers import answered_entries, refusal_text
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import CorrectCoup, StateWagers
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import Wager, WagerKind

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")


def test_a_correction_is_answered_with_what_is_owed_by_seat(script) -> None:
    table = script(observed=(ObservableFact.RESULT_BUTTON, ObservableFact.WAGERS)).begun()
    table.reported(*OPENING)
    table.acted(StateWagers((Wager(5, WagerKind.BANKER, 100_00),)))
    entries = table.reported(*PLAYER_WINS).acted(CorrectCoup(1, Outcome.BANKER, "S. Veil")).entries

    state = table.state.table
    answers = answered_entries(entries, effective_book(table.core.book, state), state)

    assert refusal_text(entries, table.core.book) == ""
    assert (
        CoupCorrectedAnswer(
            shoe=1,
            coup=1,
            before=Outcome.PLAYER,
            outcome=Outcome.BANKER,
            person="A. Floor",
            second="S. Veil",
            reason="seen by me",
            owed=(OwedAnswer(5, 195_00),),
        )
        in answers
    )


def test_a_refused_correction_is_answered_with_the_reason(script) -> None:
    table = script().begun().reported(*OPENING, *PLAYER_WINS)

    entries = table.acted(CorrectCoup(2, Outcome.TIE, "S. Veil")).entries
    refused = refusal_text(entries, table.core.book)

    assert refused == "there is no coup 2 in shoe 1: its latest is coup 1"
