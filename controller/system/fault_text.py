"""Describes internal errors for the log without their messages, which may name an unseen card.

Source: controller.record.disclosure, LOG and FAULT.
"""

from pathlib import Path
from traceback import extract_tb, format_tb
from types import TracebackType


def describe_fault(error: BaseException) -> str:
    """Describe an unexpected exception by its type and place, as text without a full stop."""
    frames = extract_tb(error.__traceback__)
    if not frames:
        return f"internal error: {type(error).__name__}, place unknown"
    last = frames[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}, {last.name}"
    return f"internal error: {type(error).__name__} in {where}"


def traceback_text(trace: TracebackType | None) -> str:
    """The traceback line by line, without the error's message and any value."""
    return "".join(format_tb(trace))
