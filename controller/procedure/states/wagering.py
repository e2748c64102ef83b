"""What is on the layout and what is owed: wagers of the coup, vigorish by seat, settings changed.

Responsible for: the shape of that part of the table's state.
Not responsible for: judging it (wagering, owing, changes).
Source: NY (b)(3), (c)(3)(ii), (c)(4)-(7); S42 (b)(4), (c)(3)(ii)-(iv), (j)(3); D-22, D-27.
"""

from typing import Final

from controller.procedure.effects import CoupPaid
from controller.settlement.vigorish_ledger import EMPTY_LEDGER, Ledger
from controller.settlement.wagers import Wager
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class StandingWagers:
    """Wagers of a coup that was begun and is not paid yet.

    `ghost`: the coup is a ghost hand, so they come back.
    """

    coup: int
    wagers: tuple[Wager, ...]
    ghost: bool


@dataclass(frozen=True, slots=True)
class VerbalWager:
    """Cash bet by word of mouth that still has to be changed into chips."""

    seat: int
    cents: int


@dataclass(frozen=True, slots=True)
class WageringState:
    """`wagers` as last stated for the coming coup, `standing` of coups that were begun.

    More than one coup can wait: while the table is suspended none is paid. `late` is the last
    statement that came once bets stood, None for none. `vacated` are seats that owe vigorish and
    whose patron left.
    """

    wagers: tuple[Wager, ...] = ()
    standing: tuple[StandingWagers, ...] = ()
    late: tuple[Wager, ...] | None = None
    verbal: tuple[VerbalWager, ...] = ()
    ledger: Ledger = EMPTY_LEDGER
    vacated: tuple[int, ...] = ()
    last_paid: CoupPaid | None = None


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
    """A setting that holds another value at this table than in the profile.

    `file_value` is what table.toml and its profile said then: once they say something else, this
    change is over.
    """

    setting: str
    value: str
    file_value: str
    reason: str
