"""What is on the layout and what is owed: wagers of the coup, vigorish by seat, settings changed.

Responsible for: the shape of that part of the table's state.
Not responsible for: judging it (wagering, changes).
Source: NY (b)(3), (c)(3)(ii), (c)(4)-(7); S42 (b)(4), (c)(3)(ii)-(iv), (j)(3); D-22, D-27.
"""

from dataclasses import dataclass
from typing import Final

from controller.settlement.wagers import Wager


@dataclass(frozen=True, slots=True)
class WageringState:
    """`wagers` as last stated for the coup; `locked` once they stand."""

    wagers: tuple[Wager, ...] = ()
    locked: bool = False


NO_WAGERS: Final = WageringState()


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """Notice of a coming change: of which setting to what, to whom, when."""

    setting: str
    value: str
    to: str
    person: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A setting that holds another value at this table than in the profile."""

    setting: str
    value: str
