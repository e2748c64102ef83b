"""The procedure: one table state and one domain event give the next state and its conclusions.

Sends each kind of event to the function that judges it, states the shoe's end and suspends the
table where that is due. Total: no event raises.
Source: controller/procedure/README.md, "The procedure".
"""

from typing import assert_never

from controller.custody.findings import FindingCode
from controller.procedure.dealing.coup_end import (
    coup_forced_out,
    result_declared,
    shoe_stands_by,
    state_shoe_end,
)
from controller.procedure.dealing.cut_card import cut_card_drawn
from controller.procedure.dealing.drawing import card_drawn, no_more_bets_called
from controller.procedure.dealing.error_cards import error_card_turned
from controller.procedure.dealing.ghost_hand import ghost_hand_requested
from controller.procedure.dealing.lost_reports import program_replaced, reports_missing
from controller.procedure.dealing.repeats import card_repeated
from controller.procedure.dealing.reveal import cards_turned, reveal_given_up
from controller.procedure.dealing.shoe import device_started, shoe_closed_by_person
from controller.procedure.events import (
    ActReported,
    BoxedCardFound,
    CardDrawn,
    CardRepeated,
    CardsTurned,
    CoupCorrectionRequested,
    CoupForcedOut,
    CustodyFindingRaised,
    CutCardDrawn,
    DomainEvent,
    GamingDayChanged,
    GhostHandRequested,
    IrregularityResolved,
    LayoutPart,
    NoMoreBetsCalled,
    NoticeRecorded,
    PersonEvent,
    PlayEvent,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    RevealGivenUp,
    SeatVacated,
    SettingChangeRequested,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerDisconnected,
    ShufflerEventsLost,
    ShufflerReported,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.people.acts import act_reported
from controller.procedure.people.boxed_cards import boxed_card_found
from controller.procedure.people.corrections import begin_gaming_day, coup_correction_requested
from controller.procedure.people.permitted import name_permitted
from controller.procedure.people.setting_changes import notice_recorded, setting_change_requested
from controller.procedure.people.suspension import irregularity_resolved, judge_provisionally
from controller.procedure.people.vigorish import (
    record_complimentary_vigorish,
    seat_vacated,
    vigorish_collected,
    vigorish_documented,
)
from controller.procedure.people.wager_statements import wagers_stated
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.events import apply_shuffler_event
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept, raise_irregularity, suspend_if_due


def step(book: RuleBook, state: TableState, event: DomainEvent) -> Step:
    """Judge one event by the rule book in force at the table: effective_book of its state."""
    judged = _judge_event(book, state, event)
    if judged.state.irregularities == state.irregularities:
        return judged
    return name_permitted(book, judged)


def _judge_event(book: RuleBook, state: TableState, event: DomainEvent) -> Step:
    match event:
        case CardDrawn():  # by far the most frequent one
            return _judge_play(book, state, event)
        case GamingDayChanged():
            turned = record_complimentary_vigorish(book, Step(state))
            return accept(begin_gaming_day(turned, event.day), f"gaming day {event.day}")
        case IrregularityResolved():
            return irregularity_resolved(book, state, event)
        case ShoeClosedByPerson():
            return shoe_closed_by_person(book, state, event)
        case (
            RevealGivenUp()
            | GhostHandRequested()
            | ActReported()
            | WagersStated()
            | VigorishCollected()
            | VigorishDocumented()
            | SeatVacated()
            | NoticeRecorded()
            | SettingChangeRequested()
            | CoupCorrectionRequested()
        ):
            return suspend_if_due(book, apply_person_event(book, state, event))
        case ShufflerReported() | ShufflerEventsLost() | ShufflerDisconnected() | WarningCleared():
            return suspend_if_due(book, apply_shuffler_event(book, state, event))
        case _:
            return _judge_play(book, state, event)


def _judge_play(book: RuleBook, state: TableState, event: PlayEvent) -> Step:
    if state.suspension is not None:
        return judge_provisionally(book, state, state.suspension, event, _judge)
    return suspend_if_due(book, state_shoe_end(book, _judge(book, Step(state), event)))


def apply_person_event(book: RuleBook, state: TableState, event: PersonEvent) -> Step:
    """Apply an act of a person other than dealing."""
    match event:
        case ActReported():
            return act_reported(book, state, event)
        case RevealGivenUp():
            return reveal_given_up(book, state, event)
        case GhostHandRequested():
            return ghost_hand_requested(book, state, event)
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
        case SettingChangeRequested():
            return setting_change_requested(book, state, event)
        case CoupCorrectionRequested():
            return coup_correction_requested(book, state, event)
        case _:
            assert_never(event)


def _judge_face_up(book: RuleBook, step: Step, event: BoxedCardFound | CardsTurned) -> Step:
    match event:
        case BoxedCardFound():
            return boxed_card_found(book, step, event)
        case CardsTurned(LayoutPart.ERROR_CARD):
            return error_card_turned(book, step)
        case CardsTurned():
            return cards_turned(book, step, event)
        case _:
            assert_never(event)


def _judge(book: RuleBook, step: Step, event: PlayEvent) -> Step:
    # One branch per kind of event: splitting it would hide that the set is closed.
    match event:
        case CardDrawn():
            return card_drawn(book, step, event)
        case CardRepeated():
            return card_repeated(book, step, event)
        case CutCardDrawn():
            return cut_card_drawn(book, step)
        case ResultDeclared():
            return result_declared(book, step, event)
        case CoupForcedOut():
            return coup_forced_out(book, step)
        case ShoeStandsBy():
            return shoe_stands_by(book, step)
        case ShoeDeviceStarted():
            return device_started(book, step)
        case ReportsMissing():
            return reports_missing(book, step, event)
        case NoMoreBetsCalled():
            return no_more_bets_called(book, step)
        case CustodyFindingRaised():
            return custody_finding_raised(book, step, event)
        case ProgramReplaced():
            return program_replaced(book, step, event.software)
        case _:
            return _judge_face_up(book, step, event)


_LOADING_FINDINGS = (FindingCode.BATCH_REPEATED, FindingCode.BATCH_BLOCKED)


def custody_finding_raised(book: RuleBook, step: Step, event: CustodyFindingRaised) -> Step:
    """Raise what custody found."""
    found = event.finding
    code = IrregularityCode(found.code.value)
    known = any(one.code is code for one in step.state.open_irregularities)
    if found.code in _LOADING_FINDINGS and known:
        return accept(step, f"{found.detail}: already raised")
    return raise_irregularity(book, step, code, f"{found.step}: {found.detail}", finding=found)
