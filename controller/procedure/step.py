"""The procedure: one table state and one domain event give the next state and its conclusions.

Responsible for: sending each kind of event to the function that judges it, and ending the step:
the shoe's end is stated, the table suspended where that is due. Total: no event raises.
Not responsible for: any single rule (see the modules it calls).
Source: package README, "The procedure".
"""

from typing import assert_never

from controller.custody.findings import FindingCode
from controller.procedure.dealing.coup_end import end_stated, forced_out, result_declared, stands_by
from controller.procedure.dealing.cut_card import cut_card
from controller.procedure.dealing.drawing import card_drawn, no_more_bets
from controller.procedure.dealing.error_cards import error_card_turned
from controller.procedure.dealing.ghost_hand import ghost_hand_asked
from controller.procedure.dealing.lost_reports import program_replaced, reports_missing
from controller.procedure.dealing.repeats import card_repeated
from controller.procedure.dealing.reveal import cards_turned, right_given_up
from controller.procedure.dealing.shoe import closed_by_person, device_started
from controller.procedure.events import (
    ActRecorded,
    CardDrawn,
    CardRepeated,
    CardsTurned,
    CoupForcedOut,
    CustodyFound,
    CutCardDrawn,
    DomainEvent,
    FollowedEvent,
    FoundFaceUp,
    GamingDayTurned,
    GhostHandAsked,
    IrregularityResolved,
    NoMoreBetsCalled,
    NoticeRecorded,
    PersonsEvent,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    RevealGivenUp,
    SeatVacated,
    SettingChangeAsked,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerEventsLost,
    ShufflerGone,
    ShufflerTold,
    TurnedCards,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.people.acts import act_recorded
from controller.procedure.people.boxed_cards import found_face_up
from controller.procedure.people.setting_changes import (
    effective,
    notice_recorded,
    setting_change_asked,
)
from controller.procedure.people.suspension import follow, resolve
from controller.procedure.people.vigorish import (
    seat_vacated,
    vigorish_collected,
    vigorish_documented,
    vigorish_of_day_ended,
)
from controller.procedure.people.wager_statements import wagers_stated
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.events import of_the_shuffler
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept, irregular, suspended_if_due
from firmware_bridge.values import replace


def step(book: RuleBook, state: TableState, event: DomainEvent) -> Step:
    """Judge one event."""
    book = effective(book, state)
    match event:
        case GamingDayTurned():
            turned = vigorish_of_day_ended(book, Step(state))
            turned = turned.on(replace(turned.state, today=event.day))
            return accept(turned, f"gaming day {event.day}")
        case IrregularityResolved():
            return resolve(book, state, event)
        case ShoeClosedByPerson():
            return closed_by_person(book, state, event)
        case (
            RevealGivenUp()
            | GhostHandAsked()
            | ActRecorded()
            | WagersStated()
            | VigorishCollected()
            | VigorishDocumented()
            | SeatVacated()
            | NoticeRecorded()
            | SettingChangeAsked()
        ):
            return suspended_if_due(book, of_a_person(book, state, event))
        case ShufflerTold() | ShufflerEventsLost() | ShufflerGone() | WarningCleared():
            return suspended_if_due(book, of_the_shuffler(book, state, event))
        case _:
            if state.suspension is not None:
                return follow(book, state, state.suspension, event, _judge)
            return suspended_if_due(book, end_stated(book, _judge(book, Step(state), event)))


def of_a_person(book: RuleBook, state: TableState, event: PersonsEvent) -> Step:
    """Take what a person did or said beside the cards."""
    match event:
        case ActRecorded():
            return act_recorded(book, state, event)
        case RevealGivenUp():
            return right_given_up(book, state, event)
        case GhostHandAsked():
            return ghost_hand_asked(book, state, event)
        case WagersStated():
            return wagers_stated(book, state, event)
        case VigorishCollected():
            return vigorish_collected(book, state, event)
        case VigorishDocumented():
            return vigorish_documented(book, state, event)
        case SeatVacated():
            return seat_vacated(book, state, event)
        case NoticeRecorded():
            return notice_recorded(book, state, event)
        case SettingChangeAsked():
            return setting_change_asked(book, state, event)
        case _:
            assert_never(event)


def _seen(book: RuleBook, step: Step, event: FoundFaceUp | CardsTurned) -> Step:
    match event:
        case FoundFaceUp():
            return found_face_up(book, step, event)
        case CardsTurned(TurnedCards.ERROR_CARD):
            return error_card_turned(book, step)
        case CardsTurned():
            return cards_turned(book, step, event)
        case _:
            assert_never(event)


def _judge(book: RuleBook, step: Step, event: FollowedEvent) -> Step:
    # One branch per kind of event: splitting it would hide that the set is closed.
    match event:
        case CardDrawn():
            return card_drawn(book, step, event)
        case CardRepeated():
            return card_repeated(book, step, event)
        case CutCardDrawn():
            return cut_card(book, step)
        case ResultDeclared():
            return result_declared(book, step, event)
        case CoupForcedOut():
            return forced_out(book, step)
        case ShoeStandsBy():
            return stands_by(book, step)
        case ShoeDeviceStarted():
            return device_started(book, step)
        case ReportsMissing():
            return reports_missing(book, step, event)
        case NoMoreBetsCalled():
            return no_more_bets(book, step)
        case CustodyFound():
            return custody_found(book, step, event)
        case ProgramReplaced():
            return program_replaced(book, step, event.software)
        case _:
            return _seen(book, step, event)


_OF_THE_LOADING = (FindingCode.BATCH_REPEATED, FindingCode.BATCH_BLOCKED)


def custody_found(book: RuleBook, step: Step, event: CustodyFound) -> Step:
    """Raise what custody found."""
    found = event.finding
    code = IrregularityCode(found.code.value)
    known = any(one.code is code for one in step.state.open_irregularities)
    if found.code in _OF_THE_LOADING and known:
        return accept(step, f"{found.detail}: raised already")
    return irregular(book, step, code, f"{found.step}: {found.detail}", finding=found)
