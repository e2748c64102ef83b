"""Prompts each due call once: before the first card, after a card, after cards were turned.

Source: NY (f)(2), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2), (h)(1), (h)(5), (j)(1); WA calls.

Decisions. While a floorperson decides, and at the card that makes it necessary, nothing is called:
the calls that are due then wait until play goes on.
"""

from collections.abc import Callable

from msgspec.structs import replace

from controller.procedure.calls.announcements import DueCall
from controller.procedure.calls.due_calls import calls_before_coup, due_calls, last_hand_call
from controller.procedure.calls.face_down import turn_call
from controller.procedure.calls.reveal_seats import assign_reveal_rights
from controller.procedure.calls.visibility import all_seen, is_seen
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, let_calls_wait, prompt
from controller.rules.actions.choices import LayoutPart
from controller.rules.coup import DrawDecision, Place

_THIRD = {Place.PLAYER_3: LayoutPart.PLAYER_THIRD, Place.BANKER_3: LayoutPart.BANKER_THIRD}


def prompt_before_first_card(book: RuleBook, step: Step, *, called: bool = False) -> Step:
    """Prompt what comes before a coup's first card; "no more bets" only where it is not observed.

    `called`: "no more bets" was called, the first card is still to come.
    """
    coup = step.shoe.coup
    ghost = step.state.ghost_hand_requested if coup is None else coup.ghost
    bets = not called and not book.observes(ObservableFact.NO_MORE_BETS)
    return prompt_each(book, step, calls_before_coup(book, ghost=ghost, bets=bets))


def prompt_after_card(book: RuleBook, step: Step, ruling: DrawDecision) -> Step:
    """Prompt what is due after a card of a hand; `ruling` is what the rules say then."""
    if ruling is DrawDecision.FIRST_FOUR:
        return step
    if len(step.coup.cards) == 4:
        step = assign_reveal_rights(book, step)
    return _prompt_calls(book, step, _calls_after_last_card)


def prompt_after_turning(book: RuleBook, step: Step) -> Step:
    """Prompt what is due after cards were turned up."""
    return _prompt_calls(book, step, due_calls)


def _prompt_calls(
    book: RuleBook, step: Step, calls: Callable[[RuleBook, TableState], tuple[DueCall, ...]]
) -> Step:
    if step.provisional:
        return let_calls_wait(step)
    before = len(step.effects)
    step = prompt_each(book, step, calls(book, step.state))
    return replace(step, calls=(*step.calls, *step.effects[before:]))


def prompt_what_waited(book: RuleBook, step: Step) -> Step:
    """Prompt what waited for the decision, where it lets the coup on the table go on."""
    coup = step.coup
    for one in coup.remedies:
        step = step.with_effect(one)
    step = step.with_coup(replace(coup, remedies=(), calls_wait=False))
    if not coup.calls_wait:
        return step
    return prompt_each(book, step, _calls_after_last_card(book, step.state))


def _calls_after_last_card(book: RuleBook, state: TableState) -> tuple[DueCall, ...]:
    coup = state.shoe.coup if state.shoe is not None else None
    assert coup is not None
    if len(coup.cards) <= 4 or all_seen(book, coup):
        return due_calls(book, state)
    part = _THIRD[coup.cards[-1].place]
    return () if is_seen(book, coup, part) else (turn_call(book, state, coup, part),)


def prompt_last_hand(book: RuleBook, step: Step) -> Step:
    """Prompt the announcement of the last hand."""
    return prompt_each(book, step, (last_hand_call(book),))


def prompt_each(book: RuleBook, step: Step, due: tuple[DueCall, ...]) -> Step:
    """Prompt each of these calls."""
    for one in due:
        step = prompt(book, step, one.kind, one.text, *one.points)
    return step
