"""From device events to domain events: what a device says becomes what happened at our table.

Responsible for: the translation, and nothing else.
Not responsible for: judging (procedure) and for wire codes (firmware_bridge).
Source: package README, "Why message, device event and domain event are three things".
"""

from typing import Final

from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    DomainEvent,
    Loss,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerEventsLost,
    ShufflerGone,
    ShufflerTold,
)
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from drivers import events as device
from drivers import shuffler_events as shuffler
from drivers.events import DeviceEvent, ReportsLost
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

_RANKS: Final = {rank.value: rank for rank in Rank}
_SUITS: Final = {suit: Suit(suit.value) for suit in device.FaceSuit}
_HAND_PLACES: Final = {
    (device.ClaimedUse.PLAYER, 1): Place.PLAYER_1,
    (device.ClaimedUse.PLAYER, 2): Place.PLAYER_2,
    (device.ClaimedUse.PLAYER, 3): Place.PLAYER_3,
    (device.ClaimedUse.BANKER, 1): Place.BANKER_1,
    (device.ClaimedUse.BANKER, 2): Place.BANKER_2,
    (device.ClaimedUse.BANKER, 3): Place.BANKER_3,
}
_OTHER_PLACES: Final = {
    device.ClaimedUse.PLAYER: Place.PLAYER_MORE,
    device.ClaimedUse.BANKER: Place.BANKER_MORE,
    device.ClaimedUse.BURN_FIRST: Place.BURN_FIRST,
    device.ClaimedUse.BURN_COUNTED: Place.BURN,
    device.ClaimedUse.BURN_EXTRA: Place.BURN_EXTRA,
    device.ClaimedUse.UNCLAIMED: Place.UNCLAIMED,
}


def domain_event(event: device.DeviceEvent) -> DomainEvent | None:
    """The happening at the table, or None where the event concerns the device alone."""
    match event:
        case device.CardRead():
            kind = CardRepeated if event.repeated else CardDrawn
            return kind(_card(event.face), _place(event.use, event.index))
        case device.CardOutsidePlay():
            return CardDrawn(_card(event.face), Place.OUTSIDE)
        case device.CutCardSeen():
            return CutCardDrawn()
        case device.StandBy():
            return ShoeStandsBy()
        case device.DeviceStarted():
            return ShoeDeviceStarted()
        case device.ResultDeclared():
            outcome = Outcome(event.winner.value)
            return ResultDeclared(outcome, event.player_pair, event.banker_pair)
        case device.CoupForcedOut():
            return CoupForcedOut()
        case device.ReportsLost():
            return ReportsMissing(Loss(event.reason.value), event.missing_min)
        case (
            device.LockChanged()
            | device.DeviceErrorRaised()
            | device.DeviceErrorCleared()
            | device.DeviceSettingChanged()
            | device.StageChanged()
            | device.CommandAnswered()
            | device.TagReadAgain()
            | device.TagsTogether()
            | device.TagPulledBack()
            | device.SlowCard()
            | device.OtherTransponder()
            | device.TagListed()
            | device.ListingDone()
            | device.BarCodeRead()
            | shuffler.DeviceMemoryFilling()
            | DeviceFault()
        ):
            return None
        case (
            device.CardPassed()
            | device.TagSeen()
            | shuffler.CompartmentChanged()
            | shuffler.ShuffleBegan()
            | shuffler.ShuffleDone()
            | shuffler.ShuffleAborted()
            | shuffler.DoorMoved()
            | shuffler.JamReported()
            | shuffler.ResidualCards()
            | shuffler.ModeChanged()
            | shuffler.ShufflerWarning()
            | shuffler.SelfTested()
            | shuffler.ShufflerStarted()
            | shuffler.ShufflerStatus()
            | shuffler.DeviceTampered()
            | shuffler.IdentityProven()
            | shuffler.IdentityRefused()
            | shuffler.DeviceSilent()
            | shuffler.DeviceHeardAgain()
        ):
            # Whose card it is custody knows, and which batch the batches' own life; see core.
            return None


def _place(use: device.ClaimedUse, index: int) -> Place:
    return _HAND_PLACES.get((use, index), _OTHER_PLACES[use])


def _card(face: device.Face | None) -> Card | None:
    if face is None:
        return None
    return Card(_RANKS[face.rank], _SUITS[face.suit])


def shuffler_told(event: DeviceEvent, at: Timestamp) -> ShufflerTold | ShufflerEventsLost | None:
    """What the procedure hears of an event, or None where it concerns the device alone.

    Missing events are not missing reports of the shoe: no card of a coup was among them.
    """
    if isinstance(event, ReportsLost):
        return ShufflerEventsLost(event.missing_min, at.utc_ns)
    if isinstance(event, ShufflerEvent):
        return ShufflerTold(event, at.utc_ns)
    return None


def shuffler_gone(item: PortOpened | Chunk | PortLost) -> ShufflerGone | None:
    """Whether the port is lost; then nothing is known of what happens behind it."""
    return ShufflerGone(item.at.utc_ns) if isinstance(item, PortLost) else None
