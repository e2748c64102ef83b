"""Odds such as 8:1: parsing, text, comparison, and the exact win of a stake.

Source: NY-c-1, NY-c-2, NJ-7.3-g-4, WA-pay-tie, S42-c-6-six: odds in the rule documents.
"""

import re
from fractions import Fraction
from typing import Final

from msgspec import Struct

_WRITTEN: Final = re.compile(r"([1-9][0-9]{0,3}):([1-9][0-9]{0,3})")


class Odds(Struct, frozen=True):
    """Odds that pay `pays` for every `to` staked, in addition to the stake; both at least 1."""

    pays: int
    to: int

    @classmethod
    def parse(cls, text: str) -> "Odds":
        """Read `8:1`. Raises ValueError for anything else."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError(f"{text!r} is not odds such as 8:1")
        return cls(int(written[1]), int(written[2]))

    @property
    def fraction(self) -> Fraction:
        """The win for a stake of one, by which odds are compared: 2:1 equals 4:2."""
        return Fraction(self.pays, self.to)

    def win_cents(self, stake_cents: int) -> Fraction:
        """The exact win of a stake in cents, without the stake itself."""
        return self.fraction * stake_cents

    def __str__(self) -> str:
        return f"{self.pays}:{self.to}"


class OddsLimit(Struct, frozen=True):
    """The odds a clause allows: at least `odds`, or exactly `odds`."""

    odds: Odds
    exactly: bool

    @classmethod
    def parse(cls, text: str) -> "OddsLimit":
        """Read `at_least 8:1` or `exactly 8:1`. Raises ValueError for anything else."""
        word, _, odds = text.partition(" ")
        if word not in ("at_least", "exactly"):
            raise ValueError(f"{text!r} is not a limit such as at_least 8:1 or exactly 8:1")
        return cls(Odds.parse(odds), word == "exactly")

    def allows(self, odds: Odds) -> bool:
        if self.exactly:
            return odds.fraction == self.odds.fraction
        return odds.fraction >= self.odds.fraction

    def __str__(self) -> str:
        return f"exactly {self.odds}" if self.exactly else f"at_least {self.odds}"
