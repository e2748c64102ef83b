"""The alarm budget: which share of it each card monitor has, its threshold, and capital over shoes.

A monitor holds capital: it begins with one unit and bets on the next card at fair odds, so a fair
shoe multiplies it by R or more with a chance of at most 1 in R, however long one looks (Ville).
Capital is counted in whole 2^-`UNIT_BITS` of that unit, and every product is rounded down.

A test over many shoes may begin with any of them, and its alarm is spent once. With shoe n enters
1/(n(n+1)) of the unit, so all that ever enters is one unit, and what the tests hold reaches R units
with a chance of at most 1 in R in the whole life of a shuffler or batch. What a shoe makes of one
unit is a *growth*, in whole 2^-`GROWTH_BITS`.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.advisory import AdvisoryKind

# At most so many fair shoes of `BUDGET_SHOES` have an advisory of a kind below; 12 in all.
BUDGET_SHOES: Final = 20_000
BUDGET: Final = 12
# In hundredths of such a shoe.
PARTS: Final = 100
SHARES: Final = MappingProxyType(
    {
        AdvisoryKind.ORDER: 160,
        AdvisoryKind.RUN: 140,
        AdvisoryKind.SHARED: 120,
        AdvisoryKind.REPEAT: 30,
        AdvisoryKind.NATURALS: 630,
        AdvisoryKind.OUTCOMES: 30,
        AdvisoryKind.PERSON: 45,
        AdvisoryKind.PERSON_MONTHS: 23,
        AdvisoryKind.SHUFFLER: 10,
        AdvisoryKind.MULTISET: 5,
        AdvisoryKind.ORIENTATION: 5,
        AdvisoryKind.CADENCE: 2,
    }
)

UNIT_BITS: Final = 36
UNIT: Final = 1 << UNIT_BITS
# Capital above this says nothing more, and stays within 64 bits of an encoded state.
CAPITAL_MAX: Final = 1 << 62


class Alarm(Struct, frozen=True):
    """A monitor over its threshold: the capital it held, and the threshold."""

    kind: AdvisoryKind
    held: int
    limit: int


def threshold(kind: AdvisoryKind, units: int = 1) -> int:
    """The capital at which a monitor of one shoe speaks that began with so many units."""
    return units * UNIT * BUDGET_SHOES * PARTS // SHARES[kind]


def threshold_of_life(kind: AdvisoryKind, lives: int) -> int:
    """The capital at which a monitor of many shoes speaks, of one unit for all its shoes.

    A table has so many of them at most. However many shoes there are, its share is spent once.
    """
    return lives * UNIT * PARTS // SHARES[kind]


FRACTION_BITS: Final = 20


def log2_of(number: int) -> int:
    """Binary logarithm of a whole number above zero in units of 2^-20, rounded down.

    By squaring: each square doubles the logarithm, and shows its next binary digit.
    """
    assert number > 0, "zero has no logarithm"
    digits = number.bit_length() - 1
    precision = 48
    part = number << precision >> digits
    for _ in range(FRACTION_BITS):
        part = part * part >> precision
        carry = part >> (precision + 1)
        part >>= carry
        digits = digits << 1 | carry
    return digits


def strength_millibits(capital: int, limit: int) -> int:
    """How far capital lies over a threshold: thousandths of a doubling, rounded down."""
    return (log2_of(capital) - log2_of(limit)) * 1_000 >> FRACTION_BITS


GROWTH_BITS: Final = 48
ONE: Final = 1 << GROWTH_BITS


def entering(shoe: int, tests: int) -> int:
    """What enters each of so many tests with their shoe of that number, counted from one."""
    return UNIT // (tests * shoe * (shoe + 1))


def grown(capital: int, enters: int, growth: int) -> int:
    """The capital after a shoe."""
    return min((capital + enters) * growth >> GROWTH_BITS, CAPITAL_MAX >> 8)
