"""What a coup pays: one line a wager, in whole cents, and the house's gain.

Responsible for: stake, win, what is returned and vigorish of every wager, so that house and seats
together gain nothing.
Not responsible for: which wagers may stand (admission) and for the order of payment (order).
Source: NY-c-1 to NY-c-9, NJ-7.3-f-2, S42-c-1 to S42-c-6-six, WA-pay-even; D-15, D-24.
"""

from collections.abc import Iterable

from controller.rules.odds import Odds
from controller.settlement.results import Judgement, Verdict, VigorishOn
from controller.settlement.terms import Terms
from controller.settlement.vigorish import (
    charge_clauses,
    vigorish_cents,
    waived,
    waiver_clauses,
)
from controller.settlement.wagers import Wager, WagerKind
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """What becomes of one wager, in cents. `clauses` say whether it wins and at which odds.

    `returned` is what the patron keeps of the stake. Vigorish on a win is paid on top; on a tie
    it is kept back from the stake. `charged_by` are the clauses behind the vigorish, or behind
    its waiver.
    """

    seat: int
    kind: WagerKind
    stake: int
    verdict: Verdict
    odds: Odds | None
    paid: int
    returned: int
    vigorish: int
    vigorish_on: VigorishOn
    clauses: tuple[str, ...]
    charged_by: tuple[str, ...]

    @property
    def gain(self) -> int:
        """What the patron has more than before the coup, once vigorish is collected."""
        on_top = self.vigorish if self.vigorish_on is VigorishOn.WIN else 0
        return self.paid + self.returned - self.stake - on_top


def pay_lines(
    terms: Terms, judgements: Iterable[Judgement], wagers: tuple[Wager, ...]
) -> tuple[Line, ...]:
    """One line a wager, highest seat first; the wagers are ones that may stand (admission)."""
    by_kind = {judgement.kind: judgement for judgement in judgements}
    places = tuple(WagerKind)
    ordered = sorted(wagers, key=lambda wager: (-wager.seat, places.index(wager.kind)))
    return tuple(_line(terms, by_kind[wager.kind], wagers, wager) for wager in ordered)


def _line(terms: Terms, judgement: Judgement, wagers: tuple[Wager, ...], wager: Wager) -> Line:
    on, owed, charged_by = _vigorish(terms, judgement, wagers, wager)
    loses = judgement.verdict is Verdict.LOSES
    kept_back = owed if on is VigorishOn.STAKE else 0
    return Line(
        seat=wager.seat,
        kind=wager.kind,
        stake=wager.cents,
        verdict=judgement.verdict,
        odds=judgement.odds,
        paid=0 if judgement.odds is None else _won(judgement.odds, wager.cents),
        returned=0 if loses else wager.cents - kept_back,
        vigorish=owed,
        vigorish_on=on,
        clauses=judgement.clauses,
        charged_by=charged_by,
    )


def _vigorish(
    terms: Terms, judgement: Judgement, wagers: tuple[Wager, ...], wager: Wager
) -> tuple[VigorishOn, int, tuple[str, ...]]:
    """What it is reckoned on, how much, and by which clauses."""
    on = judgement.vigorish_on
    if on is VigorishOn.NOTHING:
        return on, 0, ()
    if waived(terms, wagers, wager.seat):
        return VigorishOn.NOTHING, 0, waiver_clauses(terms)
    return on, vigorish_cents(terms, judgement, wager.cents), charge_clauses(terms, on)


def _won(odds: Odds, stake_cents: int) -> int:
    won = odds.win_cents(stake_cents)
    assert won.denominator == 1, "a wager that would win a fraction of a cent is refused"
    return won.numerator
