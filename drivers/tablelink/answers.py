"""States what a TableLink device answered to a request, with what it added."""

from typing import Final

from drivers.events import CommandOutcome
from foundation.message import Message, message

NOT_ANSWERED: Final = (CommandOutcome.NO_ANSWER, message("no_answer"))


def with_detail(said: Message, detail: Message | None) -> Message:
    """The answer, and what was added to it."""
    return said if detail is None else message("answer_with_detail", answer=said, detail=detail)
