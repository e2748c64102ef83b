"""What another outcome of a settled coup pays, wager by wager, compared with what was settled.

Not: settling again; people pay or take the difference.
Source: D-42 (a correction does not reopen the settlement, what is owed is listed), D-24.
"""

from collections.abc import Iterable

from msgspec import Struct

from controller.settlement.payout import payout_lines
from controller.settlement.results import WagerResult
from controller.settlement.terms import Terms
from controller.settlement.wagers import KIND_NAMES, Wager, WagerKind, money
from firmware_bridge.message import Message, message


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
    terms: Terms, results: tuple[WagerResult, ...], settled: Iterable[SettledWager]
) -> tuple[PayoutDifference, ...]:
    """The wagers that pay otherwise by these results; kinds without a result are left out.

    A vigorish that was marked at the coup is still collected: the gains contain it.
    """
    gains = {(one.seat, one.kind): one for one in settled}
    wagers = tuple(Wager(one.seat, one.kind, one.cents) for one in gains.values())
    return tuple(
        PayoutDifference(line.seat, line.kind, gains[line.seat, line.kind].gain, line.gain)
        for line in payout_lines(terms, results, wagers)
        if line.gain != gains[line.seat, line.kind].gain
    )
