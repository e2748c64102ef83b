"""Names what happens at the table: which trigger of the table of play it is.

A card is named by the shoe's claim for it alone, never by the cards on the table or the phase;
where it was placed, the rules' answer on the hands with that card is a second trigger.
Source: NY (h); S42 (e)(6), (h); D-16.
"""

from types import MappingProxyType
from typing import Final, TypeAlias

from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.procedure.phases import Trigger
from controller.rules.actions.actions import CallNoMoreBets, DeclareResult
from controller.rules.coup import DrawDecision, Place

Happening: TypeAlias = (
    CardDrawn
    | CutCardDrawn
    | CallNoMoreBets
    | ResultDeclared
    | DeclareResult
    | CoupForcedOut
    | ShoeStandsBy
    | ShoeDeviceStarted
    | ReportsMissing
    | ProgramReplaced
)

_CLAIMS: Final = MappingProxyType(
    {
        Place.BURN_FIRST: Trigger.CLAIMED_BURN_FIRST,
        Place.BURN: Trigger.CLAIMED_BURN,
        Place.BURN_EXTRA: Trigger.CLAIMED_BURN_EXTRA,
        Place.PLAYER_1: Trigger.CLAIMED_PLAYER_1,
        Place.BANKER_1: Trigger.CLAIMED_BANKER_1,
        Place.PLAYER_2: Trigger.CLAIMED_PLAYER_2,
        Place.BANKER_2: Trigger.CLAIMED_BANKER_2,
        Place.PLAYER_3: Trigger.CLAIMED_PLAYER_3,
        Place.BANKER_3: Trigger.CLAIMED_BANKER_3,
        Place.PLAYER_MORE: Trigger.CLAIMED_FURTHER,
        Place.BANKER_MORE: Trigger.CLAIMED_FURTHER,
        Place.OUTSIDE: Trigger.CLAIMED_OUTSIDE,
        Place.UNCLAIMED: Trigger.UNCLAIMED_CARD,
    }
)
RULINGS: Final = MappingProxyType(
    {
        DrawDecision.FIRST_FOUR: Trigger.CARD,
        DrawDecision.NATURAL: Trigger.NATURAL,
        DrawDecision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
        DrawDecision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
        DrawDecision.BOTH_STAND: Trigger.BOTH_STAND,
        DrawDecision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
        DrawDecision.BANKER_STANDS: Trigger.BANKER_STANDS,
        DrawDecision.COMPLETE: Trigger.CARD,
    }
)
_OTHERS: Final = MappingProxyType(
    {
        CutCardDrawn: Trigger.CUT_CARD,
        CallNoMoreBets: Trigger.NO_MORE_BETS,
        ResultDeclared: Trigger.RESULT_DECLARED,
        DeclareResult: Trigger.RESULT_DECLARED,
        CoupForcedOut: Trigger.FORCED_EXIT,
        ShoeStandsBy: Trigger.STAND_BY,
        ShoeDeviceStarted: Trigger.DEVICE_STARTED,
        ReportsMissing: Trigger.REPORTS_MISSING,
        ProgramReplaced: Trigger.PROGRAM_REPLACED,
    }
)


def trigger_of(happening: Happening) -> Trigger:
    """The trigger of this happening."""
    if isinstance(happening, CardDrawn):
        return _CLAIMS[happening.claimed]
    trigger = _OTHERS.get(type(happening))
    assert trigger is not None, f"{happening} is nothing that can happen"
    return trigger
