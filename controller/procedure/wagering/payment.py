"""What a finished coup pays: its settlement, and what comes back because it cannot be settled.

Responsible for: from a coup's record and its wagers to the acts of the dealer.
Not responsible for: what wins and what it pays (controller.settlement), when a coup is paid
(wagering).
Source: NY-i-2-lose to NY-i-2-iv; S42-j-2-lose to S42-j-2-iv, S42-k-4-void; NJ-sum-reconcile;
WA-ov-9-nowager; D-15, D-23, D-24.

Decisions. A coup that is void returns every wager. A wager that may not stand is returned, never
paid, whatever the outcome. Where a floorperson stated the outcome of a coup whose cards are not
whole, a wager is paid if that outcome alone decides it; one that asks for counts is returned.
"""

from controller.procedure.effects import CoupFate, CoupPaid, CoupRecord
from controller.procedure.places import HAND_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.states.wagering import StandingWagers
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.settlement.admission import refusals
from controller.settlement.coup_facts import CoupFacts
from controller.settlement.payment_order import Act, PayStep
from controller.settlement.results import Judgement, what_is_void, what_wins
from controller.settlement.settle import Settlement, settle
from controller.settlement.terms import Terms
from controller.settlement.wagers import KIND_NAMES, Wager, money

_PLAYER = (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)


def terms_of(book: RuleBook) -> Terms:
    """The terms of payment as they stand at the table."""
    return Terms(book.values, book.citations)


def payment(book: RuleBook, record: CoupRecord, stood: StandingWagers) -> CoupPaid:
    """What the wagers that stood come to."""
    terms = terms_of(book)
    if stood.ghost:
        clauses = terms.cite(RulePoint.GHOST_NO_WAGER)
        back = _returned(stood.wagers, "no wager stands on a ghost hand", clauses)
        return _paid(record, Settlement((), ()), back, "ghost hand: return every wager")
    standing, back = _admitted(terms, stood.wagers)
    judged, note = _judged(terms, record)
    known = tuple(judgement.kind for judgement in judged)
    untold = tuple(one for one in standing if one.kind not in known)
    clauses = terms.cite(RulePoint.VOID_RETURNED)
    back = _returned(untold, "the stated outcome does not decide it", clauses) + back
    settled = settle(terms, judged, tuple(one for one in standing if one.kind in known))
    return _paid(record, settled, back, note)


def _paid(
    record: CoupRecord, settled: Settlement, back: tuple[PayStep, ...], note: str
) -> CoupPaid:
    return CoupPaid(record.gaming_day, record.shoe, record.coup, settled, back, note)


def _admitted(
    terms: Terms, wagers: tuple[Wager, ...]
) -> tuple[tuple[Wager, ...], tuple[PayStep, ...]]:
    """The wagers that may stand, and the return of the others.

    A wager may stand only beside another that is returned: so it is asked until nothing changes.
    """
    back: tuple[PayStep, ...] = ()
    while refused := refusals(terms, wagers):
        first = refused[0]
        # Of two wagers on one spot the later one is refused.
        spot = (first.seat, first.kind)
        place = max(i for i, one in enumerate(wagers) if (one.seat, one.kind) == spot)
        clauses = first.clauses or terms.cite(RulePoint.WAGERS_LISTED)
        back += _returned(wagers[place : place + 1], first.why, clauses)
        wagers = wagers[:place] + wagers[place + 1 :]
    return wagers, back


def _returned(wagers: tuple[Wager, ...], why: str, clauses: tuple[str, ...]) -> tuple[PayStep, ...]:
    return tuple(
        PayStep(
            wager.seat,
            Act.RETURN,
            wager.kind,
            wager.cents,
            f"seat {wager.seat}: return {money(wager.cents)} on {KIND_NAMES[wager.kind]}, {why}",
            clauses,
        )
        for wager in wagers
        if wager.cents > 0
    )


def _judged(terms: Terms, record: CoupRecord) -> tuple[tuple[Judgement, ...], str]:
    """What becomes of each kind of wager; kinds that nothing decides are not there."""
    if record.fate is CoupFate.COUNTED:
        return what_wins(terms, facts_of_record(record)), ""
    if record.fate is CoupFate.FLOOR_DECIDED and record.outcome is not None:
        return by_outcome(terms, record.outcome), f"{record.outcome.value} was stated"
    return what_is_void(terms), "void coup"


def facts_of_record(record: CoupRecord) -> CoupFacts:
    """The facts of a coup that counts by its cards."""
    assert record.result is not None, "a coup that counts by its cards has a result"
    places = [card.place for card in record.cards if card.place in HAND_PLACES]
    player = sum(place in _PLAYER for place in places)
    return CoupFacts(
        player_count=record.result.player_count,
        banker_count=record.result.banker_count,
        player_cards=player,
        banker_cards=len(places) - player,
    )


def by_outcome(terms: Terms, outcome: Outcome) -> tuple[Judgement, ...]:
    """The kinds of wager that come to the same end in every coup of this outcome."""
    judged = [what_wins(terms, facts) for facts in _coups_of(outcome)]
    return tuple(
        of_kind[0] for of_kind in zip(*judged, strict=True) if len(set(map(_end, of_kind))) == 1
    )


def _end(judgement: Judgement) -> tuple[str, str, str]:
    return judgement.verdict.value, str(judgement.odds), judgement.vigorish_on.value


def _coups_of(outcome: Outcome) -> tuple[CoupFacts, ...]:
    """All counts that an outcome can have, on two and on three cards each."""
    return tuple(
        CoupFacts(player, banker, player_cards, banker_cards)
        for player in range(10)
        for banker in range(10)
        if _outcome(player, banker) is outcome
        for player_cards in (2, 3)
        for banker_cards in (2, 3)
    )


def _outcome(player: int, banker: int) -> Outcome:
    if player == banker:
        return Outcome.TIE
    return Outcome.PLAYER if player > banker else Outcome.BANKER
