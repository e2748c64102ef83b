"""Each action becomes its domain event, with the person's name and reason."""

import pytest

from controller.core.operator_intake import event_from_action
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import FloorDecision, Resolution
from controller.procedure.events import (
    ActReported,
    BoxedCardFound,
    CardsTurned,
    CoupCorrectionRequested,
    DomainEvent,
    GhostHandRequested,
    IrregularityResolved,
    LayoutPart,
    NoMoreBetsCalled,
    NoticeRecorded,
    RevealGivenUp,
    SeatVacated,
    SettingChangeRequested,
    ShoeClosedByPerson,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager, WagerKind
from controller.tape.actions import (
    CallNoMoreBets,
    ChangeSetting,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    DocumentVigorish,
    GiveNotice,
    GiveUpReveal,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolve,
    Role,
    StateWagers,
    TableAction,
    VacateSeat,
)
from controller.tape.inputs import OperatorAction
from firmware_bridge.timestamp import Timestamp

ANN, WHY = "Ann Lee", "seen by me"
UTC_NS = 1_763_715_600_000_000_000
WAGERS = (Wager(5, WagerKind.BANKER, 10000),)
CONTINUE = Resolution(FloorDecision.CONTINUE)


@pytest.mark.parametrize(
    ("action", "event"),
    [
        (Resolve(CONTINUE), IrregularityResolved(ANN, WHY, CONTINUE)),
        (ClearWarning(3), WarningCleared(3, ANN, WHY, UTC_NS)),
        (CloseShoe(), ShoeClosedByPerson(ANN, WHY)),
        (CallNoMoreBets(), NoMoreBetsCalled()),
        (ReportTurned(LayoutPart.PLAYER_HAND), CardsTurned(LayoutPart.PLAYER_HAND)),
        (ReportFaceUp(), BoxedCardFound(ANN)),
        (
            GiveUpReveal(HandName.BANKER, by_order=True),
            RevealGivenUp(HandName.BANKER, ANN, True, WHY),
        ),
        (RequestGhostHand(), GhostHandRequested(ANN)),
        (
            RecordAct(ActKind.RECUT, "red", 4, 180, "W 7", "Bo Ray"),
            ActReported(ActKind.RECUT, ANN, "floorperson", WHY, "red", 4, 180, "W 7", "Bo Ray"),
        ),
        (StateWagers(WAGERS), WagersStated(WAGERS, ANN)),
        (CollectVigorish(5), VigorishCollected(5, ANN)),
        (
            DocumentVigorish(5, 1001, "Pat Chen", "Dee Dealer", "Cy", False, True),
            VigorishDocumented(5, 1001, "Pat Chen", "Dee Dealer", ANN, "Cy", False, WHY, void=True),
        ),
        (VacateSeat(5), SeatVacated(5, ANN)),
        (
            GiveNotice("vig_rate", "4", "players"),
            NoticeRecorded("vig_rate", "4", "players", ANN, UTC_NS),
        ),
        (
            CorrectCoup(3, Outcome.TIE, "Bo Ray", 2),
            CoupCorrectionRequested(3, Outcome.TIE, ANN, "Bo Ray", WHY, 2),
        ),
        (
            ChangeSetting("vig_rate", "4"),
            SettingChangeRequested("vig_rate", "4", ANN, WHY, UTC_NS),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_action_becomes_its_domain_event(action: TableAction, event: DomainEvent) -> None:
    at = Timestamp(1_000, UTC_NS)
    item = OperatorAction(at, ANN, Role.FLOORPERSON, "uid 1000", action, WHY)

    assert event_from_action(item, action) == event
