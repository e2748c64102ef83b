"""Prompts each due call once: before the first card, after a card, after cards were turned.

Source: NY (f)(2), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2), (h)(1), (h)(5), (j)(1); WA calls.

Decisions. Cards that are dealt while the table is suspended need no call.
"""

from controller.actions.choices import LayoutPart
from controller.procedure.calls.announcements import DueCall
from controller.procedure.calls.due_calls import calls_before_coup, due_calls, last_hand_call
from controller.procedure.calls.face_down import turn_call
from controller.procedure.calls.reveal_seats import assign_reveal_rights
from controller.procedure.calls.visibility import all_seen, is_seen
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.step_result import Step, prompt
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
    coup = step.coup
    four = len(coup.cards) == 4
    if four:
        step = assign_reveal_rights(book, step)
    if step.provisional:
        return step
    if four or all_seen(book, coup):
        return prompt_each(book, step, due_calls(book, step.state))
    part = _THIRD[coup.cards[-1].place]
    if is_seen(book, coup, part):
        return step
    return prompt_each(book, step, (turn_call(book, step.state, coup, part),))


def prompt_after_turning(book: RuleBook, step: Step) -> Step:
    """Prompt what is due after cards were turned up."""
    if step.provisional:
        return step
    return prompt_each(book, step, due_calls(book, step.state))


def prompt_last_hand(book: RuleBook, step: Step) -> Step:
    """Prompt the announcement of the last hand."""
    return prompt_each(book, step, (last_hand_call(book),))


def prompt_each(book: RuleBook, step: Step, due: tuple[DueCall, ...]) -> Step:
    """Prompt each of these calls."""
    for one in due:
        step = prompt(book, step, one.kind, one.text, *one.points)
    return step
