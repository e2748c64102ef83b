"""What a finished coup pays: its settlement, and the return of wagers that cannot be settled.

Source: NY-i-2-lose to NY-i-2-iv; S42-j-2-lose to S42-j-2-iv, S42-k-4-void; NJ-sum-reconcile;
WA-ov-9-nowager; D-15, D-23, D-24.

Decisions. A void coup returns every wager. A wager that may not stand is returned, never paid,
whatever the outcome. Where a floorperson stated the outcome of a coup whose cards are not whole, a
wager is paid if that outcome alone decides it; one that depends on point counts is returned.
"""

from controller.procedure.effects import CoupPayment, CoupRecord
from controller.procedure.places import HAND_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import StandingWagers
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.admission import admit_wagers
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.payment_order import PaymentAct, PayStep
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.results import (
    WagerResult,
    WagerVerdict,
    void_results,
    wager_results,
)
from controller.rules.settlement.settle import Settlement, settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerMedium, money, wager_name
from foundation.message import Message, message

_PLAYER = (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)


def terms_of(book: RuleBook) -> Terms:
    """The terms of payment in force at the table."""
    return Terms(book.values, book.citations)


def settle_coup(book: RuleBook, record: CoupRecord, stood: StandingWagers) -> CoupPayment:
    """Settle the wagers of a coup by its record."""
    terms = terms_of(book)
    if stood.ghost:
        clauses = terms.cite(RulePoint.GHOST_NO_WAGER)
        back = _return_steps(stood.wagers, message("ghost_hand_no_wagers"), clauses)
        return _coup_payment(
            record, Settlement((), ()), back, message("ghost_hand_return_every_wager")
        )
    standing, back = _admit_wagers(terms, stood.wagers)
    judged, note = _wager_results(terms, record)
    known = tuple(judgement.kind for judgement in judged)
    undecided = tuple(one for one in standing if one.kind not in known)
    clauses = terms.cite(RulePoint.VOID_RETURNED)
    back = _return_steps(undecided, message("stated_outcome_does_not_decide"), clauses) + back
    settled = settle(terms, judged, tuple(one for one in standing if one.kind in known))
    if note is None and any(_wins_by_coupon(line) for line in settled.lines):
        note = _coupon_note(book)
    return _coup_payment(record, settled, back, note)


def _coupon_note(book: RuleBook) -> Message:
    """How a coupon is paid: as chips, unless a reference of the house says otherwise."""
    reference = book.profile.value("coupon_reference").value
    if not reference:
        return message("coupon_is_paid_as_chips")
    return message("coupon_is_paid_by_reference", configured=str(reference))


def _wins_by_coupon(line: PayoutLine) -> bool:
    return line.medium is WagerMedium.COUPON and line.verdict is WagerVerdict.WINS


def _coup_payment(
    record: CoupRecord, settled: Settlement, back: tuple[PayStep, ...], note: Message | None
) -> CoupPayment:
    return CoupPayment(record.gaming_day, record.shoe, record.coup, settled, back, note)


def _admit_wagers(
    terms: Terms, wagers: tuple[Wager, ...]
) -> tuple[tuple[Wager, ...], tuple[PayStep, ...]]:
    """The wagers that may stand, and the return of the others."""
    admission = admit_wagers(terms, wagers)
    back: tuple[PayStep, ...] = ()
    for wager, refusal in admission.refused:
        clauses = refusal.clauses or terms.cite(RulePoint.WAGERS_LISTED)
        back += _return_steps((wager,), refusal.why, clauses)
    return admission.standing, back


def _return_steps(
    wagers: tuple[Wager, ...], why: Message, clauses: tuple[str, ...]
) -> tuple[PayStep, ...]:
    return tuple(
        PayStep(
            wager.seat,
            PaymentAct.RETURN,
            wager.kind,
            wager.cents,
            message(
                "return_wager_because",
                seat=wager.seat,
                amount=money(wager.cents),
                wager=wager_name(wager.kind, wager.medium),
                why=why,
            ),
            clauses,
        )
        for wager in wagers
        if wager.cents > 0
    )


def _wager_results(
    terms: Terms, record: CoupRecord
) -> tuple[tuple[WagerResult, ...], Message | None]:
    """The result of each kind of wager that the coup decides, and a note."""
    if record.fate is CoupFate.COUNTED:
        return wager_results(terms, coup_facts(record)), None
    if record.fate is CoupFate.FLOOR_DECIDED and record.outcome is not None:
        return results_by_outcome(terms, record.outcome), message(
            "outcome_was_stated", outcome=record.outcome.value
        )
    return void_results(terms, own_void=record.own_void), message("void_coup")


def coup_facts(record: CoupRecord) -> CoupFacts:
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


def results_by_outcome(terms: Terms, outcome: Outcome) -> tuple[WagerResult, ...]:
    """The results of the kinds of wager that are the same in every coup of this outcome."""
    judged = [wager_results(terms, facts) for facts in _all_coups_with(outcome)]
    return tuple(
        of_kind[0]
        for of_kind in zip(*judged, strict=True)
        if len(set(map(_payment_terms, of_kind))) == 1
    )


def _payment_terms(judgement: WagerResult) -> tuple[str, str, str]:
    return judgement.verdict.value, str(judgement.odds), judgement.vigorish_on.value


def _all_coups_with(outcome: Outcome) -> tuple[CoupFacts, ...]:
    """All combinations of counts and cards that an outcome can have."""
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
