"""Capital of a test over many shoes: it may begin with any shoe, and its alarm is spent once.

With shoe n enters 1/(n(n+1)) of the unit, so all that ever enters is one unit, and what the tests
hold reaches R units with a chance of at most 1 in R in the whole life of a shuffler or batch
(Ville's inequality). What a shoe makes of one unit is a *growth*, in whole 2^-`GROWTH_BITS`.
"""

from typing import Final

from controller.monitors.budget import CAPITAL_MAX, UNIT

GROWTH_BITS: Final = 48
ONE: Final = 1 << GROWTH_BITS


def entering(shoe: int, tests: int) -> int:
    """What enters each of so many tests with their shoe of that number, counted from one."""
    return UNIT // (tests * shoe * (shoe + 1))


def grown(capital: int, enters: int, growth: int) -> int:
    """The capital after a shoe."""
    return min((capital + enters) * growth >> GROWTH_BITS, CAPITAL_MAX >> 8)
