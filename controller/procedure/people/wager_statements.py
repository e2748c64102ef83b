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
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState, VerbalWager
from controller.procedure.step_result import Step, accept, ends_unreported, raise_irregularity
from controller.procedure.wagering.payment import terms_of
from controller.procedure.wagering.wagers import is_betting_closed, standing_wagers, with_wagering
from controller.rules.actions.actions import OperatorAction, RecordAct, StateWagers
from controller.rules.actions.declaration import name_of
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.admission import WagerRefusal, wager_refusals
from controller.rules.settlement.wagers import (
    KIND_NUMBERS,
    Wager,
    WagerKind,
    WagerMedium,
    money,
    wager_name,
)
from foundation.message import Message, message

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


def wagers_stated(book: RuleBook, state: TableState, act: OperatorAction[StateWagers]) -> Step:
    """Apply a statement of the wagers on the layout, from a person or a sensor."""
    if not book.observes(ObservableFact.WAGERS):
        why = message("this_table_does_not_observe_wagers_add")
        return Step(state).with_effect(Refusal(name_of(act.action), why))
    if state.shoe is None or state.shoe_over:
        why = message("no_shoe_in_play_state_wagers_once")
        return Step(state).with_effect(Refusal(name_of(act.action), why))
    step = Step(state, provisional=state.suspension is not None)
    if is_betting_closed(book, state):
        stood = _standing_wagers(state)
        if _sorted(act.action.wagers) == _sorted(stood):
            return accept(step, message("wagers_unchanged_stated_by", person=act.person))
        if not _are_for_next_coup(book, state):
            return _raise_late_change(book, step, act, stood)
        step = close_complete_coup(book, step)
    return _accept_wagers(book, step, act)


def _standing_wagers(state: TableState) -> tuple[Wager, ...]:
    coup = state.shoe.coup if state.shoe is not None else None
    stood = standing_wagers(state.wagering, coup.number) if coup is not None else None
    return stood.wagers if stood is not None else state.wagering.wagers


def _are_for_next_coup(book: RuleBook, state: TableState) -> bool:
    """Whether changed wagers can only belong to the next coup."""
    return ends_unreported(book, state.phase)


def _accept_wagers(book: RuleBook, step: Step, act: OperatorAction[StateWagers]) -> Step:
    """Accept the wagers while betting is open, and raise those that may not stand."""
    terms, wagering = terms_of(book), step.state.wagering
    raised = wager_refusals(terms, wagering.wagers)
    new = tuple(one for one in wager_refusals(terms, act.action.wagers) if one not in raised)
    seats = tuple(wager.seat for wager in act.action.wagers)
    # Chips on the layout: the cash was changed.
    verbal = tuple(one for one in wagering.verbal if one.seat not in seats)
    step = with_wagering(step, replace(wagering, wagers=act.action.wagers, verbal=verbal))
    staked = money(sum(wager.cents for wager in act.action.wagers))
    count = len(act.action.wagers)
    what = message("wagers_stated", count=count, staked=staked, person=act.person)
    step = accept(step, what, book.clauses(*act.action.points))
    for refusal in new:
        step = _raise_refused_wager(book, step, refusal)
    return step


def _raise_refused_wager(book: RuleBook, step: Step, refusal: WagerRefusal) -> Step:
    points = tuple(
        point
        for point in _REFUSED_BY
        if any(clause in refusal.clauses for clause in book.clauses(point))
    )
    detail = message(
        "wager_refused",
        seat=refusal.seat,
        wager=wager_name(refusal.kind, refusal.medium),
        why=refusal.why,
        remedy=refusal.remedy,
    )
    return raise_irregularity(book, step, IrregularityCode.WAGER_REFUSED, detail, *points)


def _raise_late_change(
    book: RuleBook, step: Step, act: OperatorAction[StateWagers], stood: tuple[Wager, ...]
) -> Step:
    """Raise a change after betting closed; the wagers stay as they were."""
    wagering = step.state.wagering
    if wagering.late is not None and _sorted(wagering.late) == _sorted(act.action.wagers):
        return accept(step, message("same_late_wagers_again_stated_by", person=act.person))
    step = with_wagering(step, replace(wagering, late=act.action.wagers))
    dealt = step.shoe.coup is not None
    points = (RulePoint.WAGER_UNTOUCHED,) if dealt else ()
    changes = _list_changes(stood, act.action.wagers)
    detail = message("wagers_changed_late", changes=changes, person=act.person)
    return raise_irregularity(book, step, IrregularityCode.WAGER_CHANGED_LATE, detail, *points)


def _list_changes(stood: tuple[Wager, ...], now: tuple[Wager, ...]) -> tuple[Message, ...]:
    spots = dict.fromkeys((one.seat, one.kind, one.medium) for one in (*stood, *now))
    changes = []
    for spot in sorted(spots, key=lambda spot: (spot[0], KIND_NUMBERS[spot[1]], spot[2])):
        before, after = (_cents_on(wagers, spot) for wagers in (stood, now))
        seat, kind, medium = spot
        if before != after:
            changes.append(
                message(
                    "wager_changed",
                    seat=seat,
                    wager=wager_name(kind, medium),
                    before=money(before),
                    after=money(after),
                )
            )
    return tuple(changes)


def _cents_on(wagers: tuple[Wager, ...], spot: tuple[int, WagerKind, WagerMedium]) -> int:
    return sum(one.cents for one in wagers if (one.seat, one.kind, one.medium) == spot)


def _sorted(wagers: tuple[Wager, ...]) -> list[tuple[int, int, WagerMedium, int]]:
    return sorted((one.seat, KIND_NUMBERS[one.kind], one.medium, one.cents) for one in wagers)


def record_verbal_wager(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a verbal cash wager that dealer and floorperson confirm, where the rule allows it."""
    what = act.action.kind.value
    step = Step(state, provisional=state.suspension is not None)
    if not book.values.verbal_cash_wagers:
        why = message("wagers_made_with_chips_on_layout_change")
        return step.with_effect(Refusal(what, why, book.clauses(RulePoint.WAGER_MEDIUM)))
    clauses = book.clauses(RulePoint.WAGER_VERBAL)
    if is_betting_closed(book, state):
        clauses = book.clauses(RulePoint.WAGER_VERBAL, RulePoint.WAGER_LOCKED)
        return step.with_effect(
            Refusal(what, message("betting_closed_not_before_next_coup"), clauses)
        )
    if not act.action.second or act.action.second == act.person:
        why = message("verbal_wager_needs_second_person")
        return step.with_effect(Refusal(what, why, clauses))
    if act.action.seat < 1 or act.action.amount < 1:
        return step.with_effect(Refusal(what, message("name_seat_and_amount_in_cents"), clauses))
    wagering = state.wagering
    cash = VerbalWager(act.action.seat, act.action.amount)
    others = tuple(one for one in wagering.verbal if one.seat != act.action.seat)
    step = with_wagering(step, replace(wagering, verbal=(*others, cash)))
    detail = message(
        "verbal_wager_confirmed",
        seat=act.action.seat,
        money=money(act.action.amount),
        second=act.action.second,
    )
    text = message(
        "change_seat_into_chips_and_place_them",
        money=money(act.action.amount),
        seat=act.action.seat,
    )
    step = step.with_effect(ActRecord(what, act.person, detail, clauses))
    return step.with_effect(Prompt(PromptKind.PAY, text, clauses, observed=False))
