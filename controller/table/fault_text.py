"""A fault of this program in words that anyone may read.

Responsible for: what kind of error came up and where. Its own message is left out: it may name a
card that nobody has seen.
Not responsible for: known errors, whose message is a sentence for a person (cli_errors), and for
what follows from a fault (table, app).
Source: controller.views.disclosure, LOG and FAULT; package README, "Failure has four kinds".
"""

from pathlib import Path
from traceback import extract_tb, format_tb
from types import TracebackType


def fault_words(error: BaseException) -> str:
    """One sentence without an end: kind and place."""
    frames = extract_tb(error.__traceback__)
    if not frames:
        return f"a fault of this program: {type(error).__name__}, place unknown"
    last = frames[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}, {last.name}"
    return f"a fault of this program: {type(error).__name__} in {where}"


def way_there(trace: TracebackType | None) -> str:
    """The calls that led there, line by line, without any value."""
    return "".join(format_tb(trace))
