"""Odds: what a winning wager pays for what was staked.

Responsible for: reading and writing them as people do (8:1), comparing them, and the win of a
stake as an exact fraction of a cent.
Not responsible for: which odds a profile pays (rule_values) and for rounding (settlement).
Source: NY-c-1, NY-c-2, NJ-7.3-g-4, WA-pay-tie, S42-c-6-six: odds in the rule documents.
"""

import re
from fractions import Fraction
from typing import Final

from firmware_bridge.values import dataclass

_WRITTEN: Final = re.compile(r"([1-9][0-9]{0,3}):([1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class Odds:
    """Pays `pays` for every `to` staked, beside the stake itself; both at least 1."""

    pays: int
    to: int

    @classmethod
    def parse(cls, text: str) -> "Odds":
        """Read `8:1`. ValueError for anything else."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError(f"{text!r} are no odds, such as 8:1")
        return cls(int(written[1]), int(written[2]))

    @property
    def fraction(self) -> Fraction:
        """The win for a stake of one: what odds are compared by, as 2:1 and 4:2 pay the same."""
        return Fraction(self.pays, self.to)

    def win_cents(self, stake_cents: int) -> Fraction:
        """The win of a stake, exact; the stake itself is not in it."""
        return self.fraction * stake_cents

    def __str__(self) -> str:
        return f"{self.pays}:{self.to}"


@dataclass(frozen=True, slots=True)
class OddsLimit:
    """What odds a clause allows: these or better for the patron, or exactly these."""

    odds: Odds
    exactly: bool

    @classmethod
    def parse(cls, text: str) -> "OddsLimit":
        """Read `at_least 8:1` or `exactly 8:1`. ValueError for anything else."""
        word, _, odds = text.partition(" ")
        if word not in ("at_least", "exactly"):
            raise ValueError(f"{text!r} is no limit, such as at_least 8:1 or exactly 8:1")
        return cls(Odds.parse(odds), word == "exactly")

    def allows(self, odds: Odds) -> bool:
        if self.exactly:
            return odds.fraction == self.odds.fraction
        return odds.fraction >= self.odds.fraction

    def __str__(self) -> str:
        return f"exactly {self.odds}" if self.exactly else f"at_least {self.odds}"
