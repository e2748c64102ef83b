"""The payout of each wager in whole cents: win, returned stake, vigorish; and of another outcome.

Source: NY-c-1 to NY-c-9, NJ-7.3-f-2, S42-c-1 to S42-c-6-six, WA-pay-even; D-15, D-24, D-42 (a
correction does not reopen the settlement, what is owed is listed).

House and seats together gain nothing. What another outcome would have paid is compared wager by
wager with what was settled, never settled again: people pay or take the difference.
"""

from collections.abc import Iterable

from msgspec import Struct

from controller.rules.odds import Odds
from controller.rules.settlement.results import VigorishOn, WagerResult, WagerVerdict
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import (
    charge_clauses,
    is_waived,
    vigorish_cents,
    waiver_clauses,
)
from controller.rules.settlement.wagers import (
    KIND_NAMES,
    KIND_NUMBERS,
    Wager,
    WagerKind,
    WagerMedium,
    money,
)
from foundation.message import Message, message
from foundation.recorded_text import Identifier


class PayoutLine(Struct, frozen=True, omit_defaults=True):
    """The payout of one wager, in cents. `clauses` are those for its result and odds.

    `returned` is the part of the stake the patron keeps. Vigorish on a win is paid in addition; on
    a tie it is deducted from the stake. `charged_by` are the clauses for the vigorish or its
    waiver.
    """

    seat: int
    kind: WagerKind
    stake: int
    verdict: WagerVerdict
    odds: Odds | None
    paid: int
    returned: int
    vigorish: int
    vigorish_on: VigorishOn
    clauses: tuple[Identifier, ...]
    charged_by: tuple[Identifier, ...]
    medium: WagerMedium = WagerMedium.CHIPS

    @property
    def gain(self) -> int:
        """The patron's gain in cents, once vigorish is collected."""
        on_top = self.vigorish if self.vigorish_on is VigorishOn.WIN else 0
        return self.paid + self.returned - self.stake - on_top


def payout_lines(
    terms: Terms, results: Iterable[WagerResult], wagers: tuple[Wager, ...]
) -> tuple[PayoutLine, ...]:
    """One line for each wager, highest seat first; the wagers are admitted (admission).

    A wager of a kind without a result has no line, but counts for the waiver of vigorish.
    """
    by_kind = {result.kind: result for result in results}
    ordered = sorted(wagers, key=lambda wager: (-wager.seat, KIND_NUMBERS[wager.kind]))
    return tuple(
        _line(terms, by_kind[wager.kind], wagers, wager)
        for wager in ordered
        if wager.kind in by_kind
    )


def _line(terms: Terms, result: WagerResult, wagers: tuple[Wager, ...], wager: Wager) -> PayoutLine:
    on, owed, charged_by = _vigorish(terms, result, wagers, wager)
    loses = result.verdict is WagerVerdict.LOSES
    deducted = owed if on is VigorishOn.STAKE else 0
    return PayoutLine(
        seat=wager.seat,
        kind=wager.kind,
        stake=wager.cents,
        verdict=result.verdict,
        odds=result.odds,
        paid=0 if result.odds is None else _win_cents(result.odds, wager.cents),
        returned=0 if loses else wager.cents - deducted,
        vigorish=owed,
        vigorish_on=on,
        clauses=result.clauses,
        charged_by=charged_by,
        medium=wager.medium,
    )


def _vigorish(
    terms: Terms, result: WagerResult, wagers: tuple[Wager, ...], wager: Wager
) -> tuple[VigorishOn, int, tuple[str, ...]]:
    """The base of the vigorish, its amount in cents, and its clauses."""
    on = result.vigorish_on
    if on is VigorishOn.NOTHING:
        return on, 0, ()
    if is_waived(terms, wagers, wager.seat):
        return VigorishOn.NOTHING, 0, waiver_clauses(terms)
    return on, vigorish_cents(terms, result, wager.cents), charge_clauses(terms, on)


def _win_cents(odds: Odds, stake_cents: int) -> int:
    won = odds.win_cents(stake_cents)
    assert won.denominator == 1, "a wager that would win a fraction of a cent is refused"
    return won.numerator


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
