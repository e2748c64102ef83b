"""Settles a coup: payouts, payment steps, and the gain of house and seats.

Source: NY-i-2-lose, S42-j-2-lose, S42-k-4-void.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.settlement.payment_order import PaymentAct, PayStep, payment_steps
from controller.rules.settlement.payout import PayoutLine, payout_lines
from controller.rules.settlement.results import WagerResult
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager

# Sign of each act for the house; a returned stake was never the house's.
_TO_HOUSE: Final = MappingProxyType(
    {
        PaymentAct.TAKE: 1,
        PaymentAct.PAY: -1,
        PaymentAct.RETURN: 0,
        PaymentAct.COLLECT_VIGORISH: 1,
        PaymentAct.MARK_VIGORISH: 1,
    }
)


class Settlement(Struct, frozen=True):
    """The settlement of a coup. The gains of house and seats add up to zero."""

    lines: tuple[PayoutLine, ...]
    steps: tuple[PayStep, ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """Seats that bet, highest first."""
        return tuple(dict.fromkeys(line.seat for line in self.lines))

    def seat_gain(self, seat: int) -> int:
        """The seat's gain in cents, once vigorish is collected."""
        return sum(line.gain for line in self.lines if line.seat == seat)

    @property
    def house_gain(self) -> int:
        """The house's gain in cents, computed from the dealer's acts."""
        return sum(step.cents * _TO_HOUSE[step.act] for step in self.steps)


def settle(terms: Terms, results: tuple[WagerResult, ...], wagers: tuple[Wager, ...]) -> Settlement:
    """Settle admitted wagers (admission) by the results of a coup or a void coup (results)."""
    lines = payout_lines(terms, results, wagers)
    return Settlement(lines, payment_steps(terms, lines))
