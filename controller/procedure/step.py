"""The procedure: a table's state and one event or action give the next state.

Sends each kind of event and action to the function that judges it, states the shoe's end and
suspends the table where that is due. Total: no event raises.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from controller.custody.findings import FindingCode
from controller.procedure.dealing.coup_end import state_shoe_end
from controller.procedure.dealing.error_cards import error_card_turned
from controller.procedure.dealing.ghost_hand import ghost_hand_requested
from controller.procedure.dealing.repeats import card_repeated
from controller.procedure.dealing.reveal import cards_turned, reveal_given_up
from controller.procedure.dealing.shoe import shoe_closed_by_person
from controller.procedure.events import (
    AdvisoryRaised,
    CardDrawn,
    CardRepeated,
    ClockJumped,
    CustodyFindingRaised,
    GamingDayChanged,
    PlayItem,
    ShufflerDisconnected,
    ShufflerEventsLost,
    ShufflerReported,
    StepInput,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.gaming_day import begin_gaming_day, clock_jumped
from controller.procedure.people.acts import act_reported
from controller.procedure.people.boxed_cards import boxed_card_found
from controller.procedure.people.corrections import coup_correction_requested
from controller.procedure.people.permitted import name_permitted
from controller.procedure.people.setting_changes import notice_recorded, setting_change_requested
from controller.procedure.people.staff import (
    count_decision,
    dealer_signed_off,
    dealer_signed_on,
    hold_dealers_answerable,
)
from controller.procedure.people.suspension import irregularity_resolved, judge_provisionally
from controller.procedure.people.vigorish import (
    record_complimentary_vigorish,
    seat_vacated,
    vigorish_collected,
    vigorish_documented,
)
from controller.procedure.people.wager_statements import wagers_stated
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.events import apply_shuffler_event, clear_warning
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept, raise_irregularity, suspend_if_due
from controller.procedure.table.table import card_drawn, judge_happening
from controller.rules.actions.actions import (
    Action,
    CallNoMoreBets,
    ChangeSetting,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    DeclareResult,
    DocumentVigorish,
    GiveNotice,
    GiveUpReveal,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    SignDealerOff,
    SignDealerOn,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import LayoutPart
from foundation.message import message


def _judge_turned(book: RuleBook, step: Step, act: OperatorAction[ReportTurned]) -> Step:
    part = act.action.what
    if part is LayoutPart.ERROR_CARD:
        return error_card_turned(book, step)
    return cards_turned(book, step, part)


ActJudge: TypeAlias = Callable[[RuleBook, TableState, OperatorAction[Any]], Step]
PlayActJudge: TypeAlias = Callable[[RuleBook, Step, OperatorAction[Any]], Step]

# Acts that are applied as they arrive, whether the table is suspended or not.
ACT_JUDGES: Final = MappingProxyType[type[Action], ActJudge](
    {
        RecordAct: act_reported,
        Resolution: irregularity_resolved,
        CloseShoe: shoe_closed_by_person,
        GiveUpReveal: reveal_given_up,
        RequestGhostHand: ghost_hand_requested,
        StateWagers: wagers_stated,
        CollectVigorish: vigorish_collected,
        DocumentVigorish: vigorish_documented,
        SignDealerOn: dealer_signed_on,
        SignDealerOff: dealer_signed_off,
        VacateSeat: seat_vacated,
        GiveNotice: notice_recorded,
        ChangeSetting: setting_change_requested,
        CorrectCoup: coup_correction_requested,
        ClearWarning: clear_warning,
    }
)
# Acts that are judged like the cards: provisionally while the table is suspended.
PLAY_ACT_JUDGES: Final = MappingProxyType[type[Action], PlayActJudge](
    {
        CallNoMoreBets: lambda book, step, act: judge_happening(book, step, act.action),
        DeclareResult: lambda book, step, act: judge_happening(book, step, act.action),
        ReportTurned: _judge_turned,
        ReportFaceUp: boxed_card_found,
    }
)


def step(book: RuleBook, state: TableState, item: StepInput) -> Step:
    """Judge one event or action by the rule book in force at the table: that of its state."""
    judged = _judge_item(book, state, item)
    if isinstance(item, OperatorAction):
        judged = count_decision(judged, item)
    if judged.state.irregularities == state.irregularities:
        return judged
    return name_permitted(book, hold_dealers_answerable(state, judged))


def _judge_item(book: RuleBook, state: TableState, item: StepInput) -> Step:
    match item:
        case CardDrawn():  # by far the most frequent one
            return _judge_play(book, state, item)
        case OperatorAction(action=action):
            judge = ACT_JUDGES.get(type(action))
            if judge is None:
                return _judge_play(book, state, item)
            return suspend_if_due(book, judge(book, state, item))
        case GamingDayChanged():
            return begin_gaming_day(record_complimentary_vigorish(book, Step(state)), item.day)
        case ClockJumped():
            return clock_jumped(state, item)
        case ShufflerReported() | ShufflerEventsLost() | ShufflerDisconnected():
            return suspend_if_due(book, apply_shuffler_event(book, state, item))
        case AdvisoryRaised():
            return suspend_if_due(book, advisory_raised(book, Step(state), item))
        case _:
            return _judge_play(book, state, item)


def _judge_play(book: RuleBook, state: TableState, item: PlayItem) -> Step:
    if state.suspension is not None:
        return judge_provisionally(book, state, state.suspension, item, _judge)
    return suspend_if_due(book, state_shoe_end(book, _judge(book, Step(state), item)))


def _judge(book: RuleBook, step: Step, item: PlayItem) -> Step:
    match item:
        case CardDrawn():
            return card_drawn(book, step, item)
        case CardRepeated():
            return card_repeated(book, step, item)
        case CustodyFindingRaised():
            return custody_finding_raised(book, step, item)
        case OperatorAction():
            judge = PLAY_ACT_JUDGES.get(type(item.action))
            assert judge is not None, f"{item.action} is not for the procedure"
            return judge(book, step, item)
        case _:
            return judge_happening(book, step, item)


_LOADING_FINDINGS = (FindingCode.BATCH_REPEATED, FindingCode.BATCH_BLOCKED)


def custody_finding_raised(book: RuleBook, step: Step, event: CustodyFindingRaised) -> Step:
    """Raise what custody found."""
    found = event.finding
    code = IrregularityCode(found.code.value)
    known = any(one.code is code for one in step.state.open_irregularities)
    if found.code in _LOADING_FINDINGS and known:
        return accept(step, message("finding_already_raised", detail=found.detail))
    return raise_irregularity(
        book,
        step,
        code,
        message("found_at_step", step=found.step, detail=found.detail),
        finding=found,
    )


def advisory_raised(book: RuleBook, step: Step, event: AdvisoryRaised) -> Step:
    """Raise an advisory as an irregularity, where the profile lets its kind suspend the table."""
    if event.kind not in book.values.advisories_suspend:
        return accept(step, message("house_does_not_stop_for_advisory"))
    detail = message("advisory_of_monitor", detail=event.detail)
    return raise_irregularity(book, step, IrregularityCode.ADVISORY_GIVEN, detail)
