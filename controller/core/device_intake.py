"""Translates device events to domain events."""

from typing import Final

from controller.core.tape.inputs import NoiseDropped, NotJudged, ReportsExceeded
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
    ShufflerReported,
)
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from drivers import events as device
from drivers import shuffler_events as shuffler
from drivers.events import DeviceEvent, ReportsLost
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.link import LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

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


def event_not_judged(
    item: NotJudged, shoe_port: str, shuffler_port: str | None
) -> ReportsMissing | ShufflerEventsLost | None:
    """What the table misses by an input that was not judged; None where it misses nothing."""
    if item.port == shoe_port:
        return ReportsMissing(Loss.NOT_JUDGED, 0)
    return ShufflerEventsLost(0, item.at.utc_ns) if item.port == shuffler_port else None


def event_from_device(event: device.DeviceEvent) -> DomainEvent | None:
    """The domain event of a device event, or None if it concerns the device alone."""
    match event:
        case device.CardRead():
            kind = CardRepeated if event.repeated else CardDrawn
            return kind(_card(event.face), _place(event.use, event.index))
        case device.CardOutsidePlay():
            return CardDrawn(_card(event.face), Place.OUTSIDE)
        case device.CutCardSeen():
            return CutCardDrawn()
        case device.StandByEntered():
            return ShoeStandsBy()
        case device.DeviceStarted():
            return ShoeDeviceStarted()
        case device.ResultButtonPressed():
            outcome = Outcome(event.winner.value)
            return ResultDeclared(outcome, event.player_pair, event.banker_pair)
        case device.ForcedExitUsed():
            return CoupForcedOut()
        case device.ReportsLost():
            return ReportsMissing(Loss(event.reason.value), event.missing_min, event.why)
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
            | shuffler.ShuffleStarted()
            | shuffler.ShuffleDone()
            | shuffler.ShuffleShown()
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
            | shuffler.ContactRestored()
        ):
            # Translated in core: these need custody or the batches' stages.
            return None


def _place(use: device.ClaimedUse, index: int) -> Place:
    return _HAND_PLACES.get((use, index), _OTHER_PLACES[use])


def _card(face: device.Face | None) -> Card | None:
    if face is None:
        return None
    return Card(_RANKS[face.rank], _SUITS[face.suit])


def noise_fault(item: NoiseDropped) -> DeviceFault:
    """The fault of a port whose noise is counted and no longer stored."""
    detail = message("noise_counted", number=item.count, limit=item.limit)
    return DeviceFault(LinkFaultKind.NOISE, detail)


def reports_fault(item: ReportsExceeded) -> DeviceFault:
    """The fault of a port that is closed, because no hand deals so fast."""
    detail = message("reports_exceeded", number=item.count, seconds=item.seconds, limit=item.limit)
    return DeviceFault(LinkFaultKind.TOO_MANY_REPORTS, detail)


def event_from_shuffler(
    event: DeviceEvent, at: Timestamp
) -> ShufflerReported | ShufflerEventsLost | None:
    """The domain event of a shuffler event, or None if it concerns the device alone.

    Lost shuffler events differ from lost shoe reports: no card of a coup was among them.
    """
    if isinstance(event, ReportsLost):
        return ShufflerEventsLost(event.missing_min, at.utc_ns)
    if isinstance(event, ShufflerEvent):
        return ShufflerReported(event, at.utc_ns)
    return None
