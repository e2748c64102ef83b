"""Translates a person's action to the domain event that the procedure decides on.

Source: controller/tape/README.md, "Actions".
"""

from typing import assert_never

from controller.procedure.events import (
    ActReported,
    BoxedCardFound,
    CardsTurned,
    CoupCorrectionRequested,
    DomainEvent,
    GhostHandRequested,
    IrregularityResolved,
    NoMoreBetsCalled,
    NoticeRecorded,
    ResultDeclared,
    RevealGivenUp,
    SeatVacated,
    SettingChangeRequested,
    ShoeClosedByPerson,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.tape.actions import (
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
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolve,
    StateWagers,
    TableAction,
    VacateSeat,
)
from controller.tape.inputs import OperatorAction


def event_from_action(item: OperatorAction, action: TableAction) -> DomainEvent:
    """The domain event of a person's action that the procedure decides on."""
    match action:
        case Resolve():
            return IrregularityResolved(item.person, item.reason, action.resolution)
        case CloseShoe():
            return ShoeClosedByPerson(item.person, item.reason)
        case CallNoMoreBets():
            return NoMoreBetsCalled()
        case DeclareResult():
            return ResultDeclared(action.outcome, action.player_pair, action.banker_pair)
        case ReportTurned():
            return CardsTurned(action.what)
        case ReportFaceUp():
            return BoxedCardFound(item.person)
        case GiveUpReveal():
            return RevealGivenUp(action.hand, item.person, action.by_order, item.reason)
        case RequestGhostHand():
            return GhostHandRequested(item.person)
        case _:
            return _recorded_event(item, action)


def _recorded_event(
    item: OperatorAction,
    action: RecordAct
    | StateWagers
    | CollectVigorish
    | DocumentVigorish
    | VacateSeat
    | GiveNotice
    | ChangeSetting
    | CorrectCoup
    | ClearWarning,
) -> DomainEvent:
    match action:
        case RecordAct():
            return ActReported(
                kind=action.kind,
                person=item.person,
                role=item.role.value,
                reason=item.reason,
                batch=action.batch,
                seat=action.seat,
                amount=action.amount,
                reference=action.reference,
                second=action.second,
            )
        case StateWagers():
            return WagersStated(action.wagers, item.person)
        case CollectVigorish():
            return VigorishCollected(action.seat, item.person)
        case DocumentVigorish():
            return VigorishDocumented(
                seat=action.seat,
                form_number=action.form_number,
                patron=action.patron,
                dealer=action.dealer,
                pit_boss=item.person,
                pit_clerk=action.pit_clerk,
                patron_signed=action.patron_signed,
                reason=item.reason,
                void=action.void,
            )
        case VacateSeat():
            return SeatVacated(action.seat, item.person)
        case GiveNotice():
            at_ns = item.at.utc_ns
            return NoticeRecorded(action.setting, action.value, action.to, item.person, at_ns)
        case ChangeSetting():
            at_ns = item.at.utc_ns
            return SettingChangeRequested(
                action.setting, action.value, item.person, item.reason, at_ns
            )
        case CorrectCoup():
            return CoupCorrectionRequested(
                coup=action.coup,
                outcome=action.outcome,
                person=item.person,
                second=action.second,
                reason=item.reason,
                shoe=action.shoe,
            )
        case ClearWarning():
            return WarningCleared(action.number, item.person, item.reason, item.at.utc_ns)
        case _:
            assert_never(action)
