"""State of wagering: wagers of the coup, vigorish owed by seat, changed settings and notices.

Source: NY (b)(3), (c)(3)(ii), (c)(4)-(7); S42 (b)(4), (c)(3)(ii)-(iv), (j)(3); D-22, D-27.
"""

from typing import Final

from msgspec import Struct

from controller.procedure.effects import CoupPayment
from controller.rules.settlement.vigorish_ledger import EMPTY_LEDGER, VigorishLedger
from controller.rules.settlement.wagers import Wager


class StandingWagers(Struct, frozen=True):
    """Wagers of a coup that was begun and is not paid yet.

    `ghost`: the coup is a ghost hand, so they are returned.
    """

    coup: int
    wagers: tuple[Wager, ...]
    ghost: bool


class VerbalWager(Struct, frozen=True):
    """A verbal cash wager that still has to be changed into chips."""

    seat: int
    cents: int


class WageringState(Struct, frozen=True):
    """Wagers and vigorish: `wagers` as last stated for the next coup, `standing` of begun coups.

    More than one coup can wait: while the table is suspended none is paid. `late` is the last
    statement made after betting closed, None where there is none. `vacated` are seats that owe
    vigorish and whose patron left.
    """

    wagers: tuple[Wager, ...] = ()
    standing: tuple[StandingWagers, ...] = ()
    late: tuple[Wager, ...] | None = None
    verbal: tuple[VerbalWager, ...] = ()
    ledger: VigorishLedger = EMPTY_LEDGER
    vacated: tuple[int, ...] = ()
    last_payment: CoupPayment | None = None


NO_WAGERS: Final = WageringState()


class NoticeGiven(Struct, frozen=True):
    """Notice of a coming change: setting, new value, audience, person and time (UTC)."""

    setting: str
    value: str
    to: str
    person: str
    at_ns: int


class PitValue(Struct, frozen=True):
    """A value that the pit has by a person's word; `key` is that of [pit], `file_value` its value.

    Once the file has another value, the file has the last word.
    """

    key: str
    value: str
    file_value: str


class ChangedSetting(Struct, frozen=True):
    """A setting that has another value at this table than in the profile.

    `file_value` is the value in table.toml and its profile at that time: once they have another
    value, this change ends.
    """

    setting: str
    value: str
    file_value: str
    reason: str
