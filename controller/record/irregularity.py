"""An irregularity in words: the title of its code, what was found, and what may be done."""

from controller.procedure.irregularities import CATALOGUE
from controller.procedure.people.permitted import permitted_texts
from controller.procedure.verdicts import Irregularity
from controller.system.messages.catalogue import to_words
from foundation.message import Message, message


def irregularity_words(found: Irregularity) -> str:
    """What is wrong in general, and here; it may name cards."""
    title = Message(found.code.value)
    return to_words(message("irregularity_found", title=title, detail=found.detail))


def permitted_words(found: Irregularity) -> list[str]:
    """What its decisions permit."""
    decisions = tuple(one.decision for one in found.decisions)
    return [to_words(text) for text in permitted_texts(found.code, decisions)]


def forbidden_words(found: Irregularity) -> list[str]:
    """What its code forbids."""
    return [to_words(text) for text in CATALOGUE[found.code].forbidden]
