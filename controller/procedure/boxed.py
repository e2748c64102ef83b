"""Cards found face up in the shoe (boxed cards).

Responsible for: taking such a card out of its hand, and the burn that it asks for.
Not responsible for: sensing that it lay face up: a person says so.
Source: S42-k-3-unused, S42-k-3-extra; D-13.
"""

from controller.procedure.events import FoundFaceUp
from controller.procedure.rulebook import RuleBook
from controller.procedure.steps import Step, accept


def found_face_up(book: RuleBook, step: Step, event: FoundFaceUp) -> Step:
    """The card drawn last lay face up."""
    return accept(step, f"found face up, said {event.person}; no card was drawn")
