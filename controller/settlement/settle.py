"""Settling a coup: its wagers judged, paid, and put in the order of payment.

Responsible for: one value that holds what a coup pays, its invariant, and its clauses.
Not responsible for: the parts of it (results, payout, order) and for what stays owed (ledger).
Source: NY-i-2-lose, S42-j-2-lose, S42-k-4-void.
"""

from types import MappingProxyType
from typing import Final

from controller.settlement.payment_order import Act, PayStep, pay_steps
from controller.settlement.payout import Line, pay_lines
from controller.settlement.results import Judgement
from controller.settlement.terms import Terms
from controller.settlement.wagers import Wager
from firmware_bridge.values import dataclass

# A stake that is returned was never the house's.
_TO_HOUSE: Final = MappingProxyType(
    {Act.TAKE: 1, Act.PAY: -1, Act.RETURN: 0, Act.COLLECT_VIGORISH: 1, Act.MARK_VIGORISH: 1}
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a coup pays. House and seats together gain nothing."""

    lines: tuple[Line, ...]
    steps: tuple[PayStep, ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """Seats that bet, highest first."""
        return tuple(dict.fromkeys(line.seat for line in self.lines))

    def seat_gain(self, seat: int) -> int:
        """What the seat has more than before the coup, in cents, once vigorish is collected."""
        return sum(line.gain for line in self.lines if line.seat == seat)

    @property
    def house_gain(self) -> int:
        """What the house took and charged, less what it paid: reckoned by the dealer's acts."""
        return sum(step.cents * _TO_HOUSE[step.act] for step in self.steps)


def settle(
    terms: Terms, judgements: tuple[Judgement, ...], wagers: tuple[Wager, ...]
) -> Settlement:
    """Settle wagers that may stand (admission) by what wins, or by what is void (results)."""
    lines = pay_lines(terms, judgements, wagers)
    return Settlement(lines, pay_steps(terms, lines))
