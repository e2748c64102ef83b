"""The calls that are due: each is prompted once, when what it is about has happened.

Responsible for: the moments: before the first card, after a card, after cards were turned, before
the last hand.
Not responsible for: what is due at a moment (due_calls), what was called (nothing here hears it)
and for judging results (finishing).
Source: NY (f)(2), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2), (h)(1), (h)(5), (j)(1); WA calls.

Decisions. Of cards that are dealt while the table is suspended nothing is to be called.
"""

from controller.procedure.calls.announcements import DueCall
from controller.procedure.calls.due_calls import before_coup, due_calls
from controller.procedure.calls.face_down import turning
from controller.procedure.calls.reveal_seats import rights_given
from controller.procedure.calls.visibility import all_seen, is_seen
from controller.procedure.effects import Call
from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.step_result import Step, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Decision, Place

_THIRD = {Place.PLAYER_3: TurnedCards.PLAYER_THIRD, Place.BANKER_3: TurnedCards.BANKER_THIRD}


def before_first_card(book: RuleBook, step: Step, *, called: bool = False) -> Step:
    """What comes before a coup's first card; "no more bets" only where nobody here senses it.

    `called`: "no more bets" was, the first card is still to come.
    """
    coup = step.shoe.coup
    ghost = step.state.ghost_asked if coup is None else coup.ghost
    bets = not called and not book.observes(Fact.NO_MORE_BETS)
    return prompted(book, step, before_coup(book, ghost=ghost, bets=bets))


def after_card(book: RuleBook, step: Step, ruling: Decision) -> Step:
    """What is due once a due card is on the table and `ruling` is what the rules say."""
    if ruling is Decision.FIRST_FOUR:
        return step
    coup = step.coup
    four = len(coup.cards) == 4
    if four:
        step = rights_given(book, step)
    if step.provisional:
        return step
    if four or all_seen(book, coup):
        return prompted(book, step, due_calls(book, step.state))
    part = _THIRD[coup.cards[-1].place]
    if is_seen(book, coup, part):
        return step
    return prompted(book, step, (turning(book, step.state, coup, part),))


def after_turning(book: RuleBook, step: Step) -> Step:
    """What is due once cards were turned up."""
    if step.provisional:
        return step
    return prompted(book, step, due_calls(book, step.state))


def last_hand(book: RuleBook, step: Step) -> Step:
    """The next coup is the last one."""
    return prompt(book, step, Call.LAST_HAND, 'announce "last hand"', RulePoint.LAST_HAND_CALLED)


def prompted(book: RuleBook, step: Step, due: tuple[DueCall, ...]) -> Step:
    """Each of these as a prompt of its own."""
    for one in due:
        step = prompt(book, step, one.call, one.text, *one.points)
    return step
