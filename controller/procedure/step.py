"""The procedure: one table state and one domain event give the next state and its conclusions.

Responsible for: sending each kind of event to the function that judges it, and settling what the
step closed. Total: no event raises.
Not responsible for: any single rule (see the modules it calls).
Source: package README, "The procedure".
"""

from dataclasses import replace
from typing import assert_never

from controller.procedure.catalogue import IrregularityCode
from controller.procedure.drawing import card_drawn, known_card
from controller.procedure.effects import Refused
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    DomainEvent,
    GamingDayTurned,
    IrregularityResolved,
    NoMoreBetsCalled,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.procedure.finishing import forced_out, result_declared, settle, stands_by
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.shoe import (
    closed_by_person,
    cut_card,
    device_started,
    no_more_bets,
    program_replaced,
    reports_missing,
)
from controller.procedure.state import TableState
from controller.procedure.steps import Step, accept, irregular
from controller.procedure.suspension import follow, resolve
from controller.rules.coup import Place


def step(book: RuleBook, state: TableState, event: DomainEvent) -> Step:
    """Judge one event."""
    match event:
        case GamingDayTurned():
            return accept(Step(replace(state, today=event.day)), f"gaming day {event.day}")
        case IrregularityResolved():
            return resolve(book, state, event)
        case ShoeClosedByPerson():
            return _close_shoe(book, state, event)
        case _ if state.suspension is not None:
            return follow(book, state, event, _judge)
        case _:
            return settle(_judge(book, Step(state), event), "", "")


def _judge(book: RuleBook, step: Step, event: DomainEvent) -> Step:
    # One branch per kind of event: splitting it would hide that the set is closed.
    match event:
        case CardDrawn():
            return card_drawn(book, step, event)
        case CardRepeated():
            return _card_repeated(book, step, event)
        case CutCardDrawn():
            return cut_card(book, step)
        case ResultDeclared():
            return result_declared(book, step, event)
        case CoupForcedOut():
            return forced_out(book, step, event)
        case ShoeStandsBy():
            return stands_by(book, step)
        case ShoeDeviceStarted():
            return device_started(book, step)
        case ReportsMissing():
            return reports_missing(book, step, event)
        case NoMoreBetsCalled():
            return no_more_bets(book, step)
        case ProgramReplaced():
            return program_replaced(book, step, event.software)
        case GamingDayTurned() | IrregularityResolved() | ShoeClosedByPerson():
            raise AssertionError("handled before judging")
        case _:
            assert_never(event)


def _card_repeated(book: RuleBook, step: Step, event: CardRepeated) -> Step:
    """A retransmission never opens a coup and never overwrites a known card."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None or event.claimed is Place.OUTSIDE:
        return accept(step, "a repeated report outside a coup: set aside")
    known = known_card(shoe.coup, event.claimed)
    if known is not None and known == event.card:
        return accept(step, f"said again: {event.claimed.value}")
    if known is None:
        detail = f"a card the shoe repeats was never reported: {event.claimed.value}"
        coup = replace(shoe.coup, partial=True)
        step = step.with_coup(coup).at(Phase.RESULT)
        return irregular(book, step, IrregularityCode.REPORTS_LOST, detail)
    detail = f"for {event.claimed.value}"
    return irregular(book, step, IrregularityCode.RETRANSMISSION_CONFLICT, detail)


def _close_shoe(book: RuleBook, state: TableState, event: ShoeClosedByPerson) -> Step:
    """A shoe is closed by hand between coups only; a coup in progress is first resolved."""
    refusal = ""
    if state.shoe is None or state.phase in (Phase.CLOSED, Phase.SHOE_OVER):
        refusal = "no shoe is open"
    elif state.suspension is not None:
        refusal = "the table is suspended: resolve with the decision close-shoe"
    elif state.shoe.coup is not None:
        refusal = "a coup is being dealt: let it end, then close the shoe"
    if refusal:
        return Step(state).with_effect(Refused("close-shoe", refusal))
    return settle(closed_by_person(book, Step(state), event), event.person, event.reason)
