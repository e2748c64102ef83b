"""Wagers as people or sensors state them: taken while bets are open, held against them later.

Responsible for: the statement of the layout, wagers by word of mouth, and what is wrong with them.
Not responsible for: paying them (wagering, paying) and which may stand (controller.settlement).
Source: NY (b)(1)-(4); S42 (b)(2)-(5); WA overview 1, 2; HG "Bets"; NJ 3.2(a)4, 7.2(a)4; D-28, D-29.

Decisions. A statement says what lies on the layout, in place of the one before. A wager that may
not stand is on the layout all the same: it is an irregularity, told once, and is returned. Once
bets stand another statement changes nothing but is an irregularity, told once. Where nothing
reports results, a statement that differs after the last card is of the next coup: the one before
is over.
"""

from controller.procedure.dealing.coup_end import ended_by_what_follows, is_over
from controller.procedure.effects import Call, Prompted, Recorded, Refused
from controller.procedure.events import ActRecorded, WagersStated
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import VerbalWager
from controller.procedure.step_result import Step, accept, irregular
from controller.procedure.wagering.payment import terms_of
from controller.procedure.wagering.wagers import bets_stand, standing_of, with_wagering
from controller.profiles.rule_points import RulePoint
from controller.settlement.admission import WagerRefusal, refusals
from controller.settlement.wagers import KIND_NAMES, Wager, WagerKind, money
from firmware_bridge.values import replace

# What the catalogue does not cite for every refusal, but one of them may rest on.
_REFUSED_BY = (
    RulePoint.BONUS_OFFERED,
    RulePoint.TOTAL_CARDS_OFFERED,
    RulePoint.TOTAL_CARDS_BASE,
    RulePoint.VIGORISH_RATE,
    RulePoint.TIE25_CHARGED,
    RulePoint.PAYS_BANKER_SIX,
    RulePoint.PAYS_PLAYER,
    RulePoint.PAYS_TIE,
    RulePoint.PAYS_TOTAL_4,
)
_KINDS = tuple(WagerKind)


def wagers_stated(book: RuleBook, state: TableState, event: WagersStated) -> Step:
    """The wagers on the layout as a person or a sensor states them."""
    if not book.observes(Fact.WAGERS):
        why = 'this table is not told of wagers: add "wagers" to observed in table.toml'
        return Step(state).with_effect(Refused("wagers", why))
    phase = state.suspension.resume_to if state.suspension is not None else state.phase
    if state.shoe is None or phase is Phase.SHOE_OVER:
        why = "no shoe is in play: state wagers once the next one is opened"
        return Step(state).with_effect(Refused("wagers", why))
    step = Step(state, provisional=state.suspension is not None)
    if bets_stand(book, state):
        stood = _stood(state)
        if _sorted(event.wagers) == _sorted(stood):
            return accept(step, f"wagers as they stand, said {event.person}")
        if not _next_coups(book, state):
            return _late(book, step, event, stood)
        step = ended_by_what_follows(book, step)
    return _taken(book, step, event)


def _stood(state: TableState) -> tuple[Wager, ...]:
    coup = state.shoe.coup if state.shoe is not None else None
    stood = standing_of(state.wagering, coup.number) if coup is not None else None
    return stood.wagers if stood is not None else state.wagering.wagers


def _next_coups(book: RuleBook, state: TableState) -> bool:
    """Whether other wagers than the ones that stand can only be of the next coup."""
    coup = state.shoe.coup if state.shoe is not None else None
    unreported = state.suspension is None and not book.observes(Fact.RESULT_BUTTON)
    return unreported and is_over(coup)


def _taken(book: RuleBook, step: Step, event: WagersStated) -> Step:
    """Bets are open: this is what lies on the layout."""
    terms, wagering = terms_of(book), step.state.wagering
    told = refusals(terms, wagering.wagers)
    untold = tuple(one for one in refusals(terms, event.wagers) if one not in told)
    seats = tuple(wager.seat for wager in event.wagers)
    # Chips on the layout: the cash was changed.
    verbal = tuple(one for one in wagering.verbal if one.seat not in seats)
    step = with_wagering(step, replace(wagering, wagers=event.wagers, verbal=verbal))
    staked = money(sum(wager.cents for wager in event.wagers))
    what = f"{len(event.wagers)} wagers, {staked} in all, said {event.person}"
    step = accept(step, what, book.clauses(RulePoint.WAGERS_LISTED, RulePoint.WAGER_MEDIUM))
    for refusal in untold:
        step = _refused(book, step, refusal)
    return step


def _refused(book: RuleBook, step: Step, refusal: WagerRefusal) -> Step:
    points = tuple(
        point
        for point in _REFUSED_BY
        if any(clause in refusal.clauses for clause in book.clauses(point))
    )
    detail = f"seat {refusal.seat}, {KIND_NAMES[refusal.kind]}: {refusal.why}. {refusal.remedy}"
    return irregular(book, step, IrregularityCode.WAGER_REFUSED, detail, *points)


def _late(book: RuleBook, step: Step, event: WagersStated, stood: tuple[Wager, ...]) -> Step:
    """Bets stand: what is different now is a breach, and the wagers stay what they were."""
    wagering = step.state.wagering
    if wagering.late is not None and _sorted(wagering.late) == _sorted(event.wagers):
        return accept(step, f"wagers as they were said late, said {event.person}")
    step = with_wagering(step, replace(wagering, late=event.wagers))
    dealt = step.shoe.coup is not None
    points = (RulePoint.WAGER_UNTOUCHED,) if dealt else ()
    detail = f"{_difference(stood, event.wagers)}; said {event.person}"
    return irregular(book, step, IrregularityCode.WAGER_CHANGED_LATE, detail, *points)


def _difference(stood: tuple[Wager, ...], now: tuple[Wager, ...]) -> str:
    spots = sorted(dict.fromkeys((one.seat, _KINDS.index(one.kind)) for one in (*stood, *now)))
    told = []
    for seat, index in spots:
        before, after = (_on_spot(wagers, seat, _KINDS[index]) for wagers in (stood, now))
        if before != after:
            name = KIND_NAMES[_KINDS[index]]
            told.append(f"seat {seat} {name} from {money(before)} to {money(after)}")
    return ", ".join(told)


def _on_spot(wagers: tuple[Wager, ...], seat: int, kind: WagerKind) -> int:
    return sum(one.cents for one in wagers if (one.seat, one.kind) == (seat, kind))


def _sorted(wagers: tuple[Wager, ...]) -> list[tuple[int, int, int]]:
    return sorted((one.seat, _KINDS.index(one.kind), one.cents) for one in wagers)


def verbal_wager(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """Cash bet by word of mouth: where the rule allows it, dealer and supervisor confirm it."""
    what = event.kind.value
    step = Step(state, provisional=state.suspension is not None)
    if not book.values.verbal_cash_wagers:
        why = "wagers are made with chips on the layout: change the cash first"
        return step.with_effect(Refused(what, why, book.clauses(RulePoint.WAGER_MEDIUM)))
    clauses = book.clauses(RulePoint.WAGER_VERBAL)
    if bets_stand(book, state):
        clauses = book.clauses(RulePoint.WAGER_VERBAL, RulePoint.WAGER_LOCKED)
        return step.with_effect(
            Refused(what, "betting is closed: not before the next coup", clauses)
        )
    if not event.second or event.second == event.person:
        why = "dealer and floorperson confirm it: name the second person"
        return step.with_effect(Refused(what, why, clauses))
    if event.seat < 1 or event.amount < 1:
        return step.with_effect(Refused(what, "name the seat and the amount in cents", clauses))
    wagering = state.wagering
    cash = VerbalWager(event.seat, event.amount)
    others = tuple(one for one in wagering.verbal if one.seat != event.seat)
    step = with_wagering(step, replace(wagering, verbal=(*others, cash)))
    detail = f"seat {event.seat}: {money(event.amount)}, confirmed by {event.second}"
    text = f"change {money(event.amount)} of seat {event.seat} into chips and place them"
    step = step.with_effect(Recorded(what, event.person, detail, clauses))
    return step.with_effect(Prompted(Call.PAY, text, clauses, observed=False))
