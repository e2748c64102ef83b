"""Turning cards up: the order of it, who does it, and what follows.

Responsible for: what was turned, the right to turn a hand and where it passes.
Not responsible for: what any output shows (controller.disclosure) and for the calls (calls).
Source: NY (f)(3), (g); S42 (g)(3), (h), (k)(5); WA procedure 2, 3; D-8, D-37.
"""

from dataclasses import replace

from controller.procedure.effects import Refused
from controller.procedure.events import CardsTurned, GhostHandAsked, RevealGivenUp
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.steps import Step, accept


def cards_turned(book: RuleBook, step: Step, event: CardsTurned) -> Step:
    """Cards were turned up on the layout: from now on people have seen them."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return accept(step, "cards turned with no coup on the table: nothing to do")
    reveal = shoe.coup.reveal
    turned = (*reveal.turned, event.what.value)
    step = step.with_coup(replace(shoe.coup, reveal=replace(reveal, turned=turned)))
    return accept(step, f"{event.what.value} turned up")


def right_given_up(book: RuleBook, state: TableState, event: RevealGivenUp) -> Step:
    """A patron gave up turning a hand."""
    return Step(state).with_effect(Refused("give-up", "no patron turns cards at this table"))


def ghost_hand_asked(book: RuleBook, state: TableState, event: GhostHandAsked) -> Step:
    """The next coup as a ghost hand."""
    return Step(state).with_effect(Refused("ghost-hand", "ghost hands are off at this table"))
