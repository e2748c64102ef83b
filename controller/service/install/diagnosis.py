"""One finding of `smartshoe doctor`: what is so, why it matters, exactly what to do."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct


class Grade(StrEnum):
    """What a finding means for the table."""

    GOOD = "good"
    REMARK = "remark"  # it works; people should know it
    PROBLEM = "problem"


class Diagnosis(Struct, frozen=True):
    """One finding about an area, such as "clock". `why` and `remedy` may be empty."""

    area: str
    grade: Grade
    what: str
    why: str = ""
    remedy: str = ""


def good(area: str, what: str) -> Diagnosis:
    """All is well there."""
    return Diagnosis(area, Grade.GOOD, what)


def remark(area: str, what: str, why: str, remedy: str) -> Diagnosis:
    """It works, and people should know it."""
    return Diagnosis(area, Grade.REMARK, what, why, remedy)


def problem(area: str, what: str, why: str, remedy: str) -> Diagnosis:
    """The table does not work, or loses something, until it is mended."""
    return Diagnosis(area, Grade.PROBLEM, what, why, remedy)


def found_by(area: str, check: Callable[[], Iterable[Diagnosis]]) -> Iterator[Diagnosis]:
    """The findings of a check; one that fails itself is a finding, and the others go on."""
    try:
        yield from tuple(check())
    except Exception as error:  # noqa: BLE001 - half of the machine may be broken
        yield problem(
            area,
            f"it could not be checked: {error}",
            "what cannot be looked at may be broken",
            "run it as root, and correct what the message names",
        )
