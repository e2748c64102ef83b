"""What another outcome of a settled coup pays, wager by wager, compared with what was settled.

Not: settling again; people pay or take the difference.
Source: D-42 (a correction does not reopen the settlement, what is owed is listed), D-24.
"""

from msgspec import Struct

from controller.rules.settlement.payout import payout_lines
from controller.rules.settlement.results import WagerResult
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import KIND_NAMES, KIND_NUMBERS, Wager, WagerKind, money
from foundation.message import Message, message


class SettledWager(Struct, frozen=True, array_like=True):
    """A wager that was settled, and what its patron gained by it, in cents."""

    seat: int
    kind: WagerKind
    cents: int
    gain: int


class PayoutDifference(Struct, frozen=True):
    """A wager whose patron gains `due` cents where `settled` were settled."""

    seat: int
    kind: WagerKind
    settled: int
    due: int

    @property
    def cents(self) -> int:
        """What the house owes the patron; below zero: the patron owes the house."""
        return self.due - self.settled

    @property
    def text(self) -> Message:
        """Such as: seat 5: take 195.00 for Banker (settled 95.00, due -100.00)."""
        act = message("pay_difference") if self.cents > 0 else message("take_difference")
        return message(
            "payout_difference",
            seat=self.seat,
            act=act,
            amount=money(abs(self.cents)),
            wager=KIND_NAMES[self.kind],
            settled=money(self.settled),
            due=money(self.due),
        )


def payout_differences(
    terms: Terms, results: tuple[WagerResult, ...], settled: tuple[SettledWager, ...]
) -> tuple[PayoutDifference, ...]:
    """The wagers that pay otherwise by these results; kinds without a result are left out.

    A vigorish that was marked at the coup is still collected: the gains contain it.
    """
    known = {result.kind for result in results}
    # A spot may hold chips and a coupon: two wagers of one kind, in the order of their lines.
    before = sorted(
        (one for one in settled if one.kind in known),
        key=lambda one: (-one.seat, KIND_NUMBERS[one.kind]),
    )
    wagers = tuple(Wager(one.seat, one.kind, one.cents) for one in settled)
    return tuple(
        PayoutDifference(line.seat, line.kind, one.gain, line.gain)
        for one, line in zip(before, payout_lines(terms, results, wagers), strict=True)
        if line.gain != one.gain
    )
