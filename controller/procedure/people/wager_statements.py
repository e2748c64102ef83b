"""Wagers as people or sensors state them: accepted while betting is open, late changes raised.

Source: NY (b)(1)-(4); S42 (b)(2)-(5); WA overview 1, 2; HG "Bets"; NJ 3.2(a)4, 7.2(a)4; D-28, D-29.

Decisions. A statement lists what lies on the layout and replaces the one before. A wager that may
not stand still lies on the layout: it is one irregularity, raised once, and is returned. Once
betting is closed another statement changes nothing and is one irregularity, raised once. Where
results are not reported, a statement that differs after the last card belongs to the next coup: the
one before is over.
"""

from msgspec.structs import replace

from controller.procedure.dealing.coup_end import close_complete_coup
from controller.procedure.effects import ActRecord, Prompt, PromptKind, Refusal
from controller.procedure.events import ActReported, WagersStated
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import HANDS_COMPLETE, Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import VerbalWager
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.procedure.wagering.payment import terms_of
from controller.procedure.wagering.wagers import is_betting_closed, standing_wagers, with_wagering
from controller.profiles.rule_points import RulePoint
from controller.settlement.admission import WagerRefusal, wager_refusals
from controller.settlement.wagers import KIND_NAMES, Wager, WagerKind, money

# Points that the catalogue does not cite, but a refusal may be based on.
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
    """Apply a statement of the wagers on the layout, from a person or a sensor."""
    if not book.observes(ObservableFact.WAGERS):
        why = (
            'this table does not observe wagers: add "wagers" to observed in table.toml, '
            "or for a script give --observed wagers"
        )
        return Step(state).with_effect(Refusal("wagers", why))
    phase = state.play_phase
    if state.shoe is None or phase is Phase.SHOE_OVER:
        why = "no shoe is in play: state wagers once the next one is opened"
        return Step(state).with_effect(Refusal("wagers", why))
    step = Step(state, provisional=state.suspension is not None)
    if is_betting_closed(book, state):
        stood = _standing_wagers(state)
        if _sorted(event.wagers) == _sorted(stood):
            return accept(step, f"wagers unchanged, stated by {event.person}")
        if not _are_for_next_coup(book, state):
            return _raise_late_change(book, step, event, stood)
        step = close_complete_coup(book, step)
    return _accept_wagers(book, step, event)


def _standing_wagers(state: TableState) -> tuple[Wager, ...]:
    coup = state.shoe.coup if state.shoe is not None else None
    stood = standing_wagers(state.wagering, coup.number) if coup is not None else None
    return stood.wagers if stood is not None else state.wagering.wagers


def _are_for_next_coup(book: RuleBook, state: TableState) -> bool:
    """Whether changed wagers can only belong to the next coup."""
    unreported = state.suspension is None and not book.observes(ObservableFact.RESULT_BUTTON)
    return unreported and state.phase in HANDS_COMPLETE


def _accept_wagers(book: RuleBook, step: Step, event: WagersStated) -> Step:
    """Accept the wagers while betting is open, and raise those that may not stand."""
    terms, wagering = terms_of(book), step.state.wagering
    raised = wager_refusals(terms, wagering.wagers)
    new = tuple(one for one in wager_refusals(terms, event.wagers) if one not in raised)
    seats = tuple(wager.seat for wager in event.wagers)
    # Chips on the layout: the cash was changed.
    verbal = tuple(one for one in wagering.verbal if one.seat not in seats)
    step = with_wagering(step, replace(wagering, wagers=event.wagers, verbal=verbal))
    staked = money(sum(wager.cents for wager in event.wagers))
    number = "1 wager" if len(event.wagers) == 1 else f"{len(event.wagers)} wagers"
    what = f"{number}, {staked} in all, stated by {event.person}"
    step = accept(step, what, book.clauses(RulePoint.WAGERS_LISTED, RulePoint.WAGER_MEDIUM))
    for refusal in new:
        step = _raise_refused_wager(book, step, refusal)
    return step


def _raise_refused_wager(book: RuleBook, step: Step, refusal: WagerRefusal) -> Step:
    points = tuple(
        point
        for point in _REFUSED_BY
        if any(clause in refusal.clauses for clause in book.clauses(point))
    )
    detail = f"seat {refusal.seat}, {KIND_NAMES[refusal.kind]}: {refusal.why}. {refusal.remedy}"
    return raise_irregularity(book, step, IrregularityCode.WAGER_REFUSED, detail, *points)


def _raise_late_change(
    book: RuleBook, step: Step, event: WagersStated, stood: tuple[Wager, ...]
) -> Step:
    """Raise a change after betting closed; the wagers stay as they were."""
    wagering = step.state.wagering
    if wagering.late is not None and _sorted(wagering.late) == _sorted(event.wagers):
        return accept(step, f"the same late wagers again, stated by {event.person}")
    step = with_wagering(step, replace(wagering, late=event.wagers))
    dealt = step.shoe.coup is not None
    points = (RulePoint.WAGER_UNTOUCHED,) if dealt else ()
    detail = f"{_describe_difference(stood, event.wagers)}; stated by {event.person}"
    return raise_irregularity(book, step, IrregularityCode.WAGER_CHANGED_LATE, detail, *points)


def _describe_difference(stood: tuple[Wager, ...], now: tuple[Wager, ...]) -> str:
    spots = sorted(dict.fromkeys((one.seat, _KINDS.index(one.kind)) for one in (*stood, *now)))
    changes = []
    for seat, index in spots:
        before, after = (_cents_on(wagers, seat, _KINDS[index]) for wagers in (stood, now))
        if before != after:
            name = KIND_NAMES[_KINDS[index]]
            changes.append(f"seat {seat} {name} from {money(before)} to {money(after)}")
    return ", ".join(changes)


def _cents_on(wagers: tuple[Wager, ...], seat: int, kind: WagerKind) -> int:
    return sum(one.cents for one in wagers if (one.seat, one.kind) == (seat, kind))


def _sorted(wagers: tuple[Wager, ...]) -> list[tuple[int, int, int]]:
    return sorted((one.seat, _KINDS.index(one.kind), one.cents) for one in wagers)


def record_verbal_wager(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record a verbal cash wager that dealer and floorperson confirm, where the rule allows it."""
    what = event.kind.value
    step = Step(state, provisional=state.suspension is not None)
    if not book.values.verbal_cash_wagers:
        why = "wagers are made with chips on the layout: change the cash first"
        return step.with_effect(Refusal(what, why, book.clauses(RulePoint.WAGER_MEDIUM)))
    clauses = book.clauses(RulePoint.WAGER_VERBAL)
    if is_betting_closed(book, state):
        clauses = book.clauses(RulePoint.WAGER_VERBAL, RulePoint.WAGER_LOCKED)
        return step.with_effect(
            Refusal(what, "betting is closed: not before the next coup", clauses)
        )
    if not event.second or event.second == event.person:
        why = "dealer and floorperson confirm it: name the second person"
        return step.with_effect(Refusal(what, why, clauses))
    if event.seat < 1 or event.amount < 1:
        return step.with_effect(Refusal(what, "name the seat and the amount in cents", clauses))
    wagering = state.wagering
    cash = VerbalWager(event.seat, event.amount)
    others = tuple(one for one in wagering.verbal if one.seat != event.seat)
    step = with_wagering(step, replace(wagering, verbal=(*others, cash)))
    detail = f"seat {event.seat}: {money(event.amount)}, confirmed by {event.second}"
    text = f"change {money(event.amount)} of seat {event.seat} into chips and place them"
    step = step.with_effect(ActRecord(what, event.person, detail, clauses))
    return step.with_effect(Prompt(PromptKind.PAY, text, clauses, observed=False))
