"""Renders what the floor may have of an entry as events of the feed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from controller.archive.consumers import FeedContent
from controller.core.settings import Settings
from controller.outlets.feed.events import (
    BatchBoundEvent,
    BatchEvent,
    BurnEvent,
    ClockEvent,
    CorrectionEvent,
    CoupEvent,
    CoupFaces,
    CustodyEvent,
    DealerEvent,
    DecisionEvent,
    DeviceEventSent,
    DeviceTroubleEvent,
    DiskEvent,
    EventData,
    GamingDayEvent,
    IdentityEvent,
    IrregularityEvent,
    PowerEvent,
    RunEvent,
    SettingEvent,
    ShoeEndedEvent,
    ShoeOpenedEvent,
    ShuffleEvent,
    TableStateEvent,
    UsbEvent,
    WarningEvent,
)
from controller.outlets.feed.state import FeedState
from controller.procedure.events import ShufflerReported
from controller.record.audiences import DEALER_ON, Audience
from controller.record.seen import (
    ActSeen,
    BoundSeen,
    BurnSeen,
    CardApartSeen,
    ClockSeen,
    CorrectionSeen,
    CoupSeen,
    DecisionSeen,
    DeviceSeen,
    DiskSeen,
    GamingDaySeen,
    IrregularitySeen,
    PowerSeen,
    RunSeen,
    Seen,
    SettingSeen,
    ShoeEndedSeen,
    ShoeOpenedSeen,
    ShuffleSeen,
    StageSeen,
    TableDeviceSeen,
    UsbSeen,
    WarningClearedSeen,
    WarningSeen,
)
from controller.record.snapshot import ShownCard
from drivers.events import DeviceErrorCleared, DeviceErrorRaised, DeviceEvent, StageChanged
from drivers.shuffler_events import IdentityProven, IdentityRefused

DEALING_SHOE: Final = "dealing_shoe"
SHUFFLER: Final = "shuffler"
_NS_PER_MS: Final = 1_000_000


def audience_of(content: FeedContent) -> Audience:
    """The audience of a consumer: whether the faces of finished coups may leave the table."""
    faces = content is FeedContent.FINISHED_COUPS
    return Audience.FLOOR_COUPS if faces else Audience.FLOOR


def events_of(state: FeedState, told: Iterable[Seen]) -> Iterator[EventData]:
    """The events of one entry, in order, by what the floor may have of it."""
    suspended = state.suspended
    for seen in told:
        render = _RENDER.get(type(seen))
        if render is not None:
            yield from render(state, seen)
        if isinstance(seen, IrregularitySeen) and seen.suspends and not suspended:
            suspended = True
            yield TableStateEvent(suspended=True)
        elif isinstance(seen, DecisionSeen) and suspended:
            suspended = False
            yield TableStateEvent(suspended=False)


def _coup(_state: FeedState, seen: CoupSeen) -> Iterator[EventData]:
    yield CoupEvent(
        gaming_day=seen.gaming_day,
        shoe=seen.shoe,
        coup=seen.coup,
        fate=seen.fate,
        outcome=seen.outcome,
        declared=seen.declared,
        cards=seen.cards,
        aside=seen.aside,
        ghost=seen.ghost,
        irregularities=seen.irregularities,
        faces=_faces(seen),
    )


def _faces(seen: CoupSeen) -> CoupFaces | UnsetType:
    faces = seen.faces
    if faces is None:
        return UNSET
    return CoupFaces(
        player=_hand(faces.player.cards),
        banker=_hand(faces.banker.cards),
        player_count=faces.player.count.value,
        banker_count=faces.banker.count.value,
        natural=faces.natural.value,
        player_pair=faces.player_pair.value,
        banker_pair=faces.banker_pair.value,
    )


def _hand(cards: Iterable[ShownCard]) -> tuple[str | None, ...]:
    return tuple(card.value for card in cards)


def _irregularity(state: FeedState, seen: IrregularitySeen) -> Iterator[EventData]:
    yield IrregularityEvent(
        gaming_day=state.gaming_day,
        shoe=state.shoe,
        number=seen.number,
        coup=seen.coup,
        code=seen.code,
        clauses=seen.clauses,
        suspends=seen.suspends,
        provisional=seen.provisional,
    )


def _decision(state: FeedState, seen: DecisionSeen) -> Iterator[EventData]:
    yield DecisionEvent(
        gaming_day=state.gaming_day,
        shoe=state.shoe,
        decision=seen.decision,
        provisional=seen.provisional,
        outcome=seen.outcome,
        closed=seen.closed,
        coups_dealt=seen.coups_dealt,
        cards_dealt=seen.cards_dealt,
        person=seen.by.person,
        role=seen.by.role,
        proof=seen.by.proof,
        second=seen.by.second,
        second_proof=seen.by.second_proof,
    )


def _correction(_state: FeedState, seen: CorrectionSeen) -> Iterator[EventData]:
    yield CorrectionEvent(
        gaming_day=seen.gaming_day,
        shoe=seen.shoe,
        coup=seen.coup,
        counted=seen.counted,
        before=seen.before,
        outcome=seen.outcome,
        person=seen.by.person,
        second=seen.by.second,
        proof=seen.by.proof,
        second_proof=seen.by.second_proof,
        owed=len(seen.owed),
    )


# --- shoes, batches, devices, machine -------------------------------------------------------------


def _shoe_ended(_state: FeedState, seen: ShoeEndedSeen) -> Iterator[EventData]:
    yield ShoeEndedEvent(
        gaming_day=seen.gaming_day,
        shoe=seen.shoe,
        cards_drawn=seen.cards_drawn,
        coups=seen.coups,
        player=seen.player,
        banker=seen.banker,
        tie=seen.tie,
        void=seen.void,
        irregularities=seen.irregularities,
        person=seen.by.person,
    )


def _shuffle(_state: FeedState, seen: ShuffleSeen) -> Iterator[EventData]:
    proof = seen.proof
    yield ShuffleEvent(
        back=seen.back,
        device=proof.device,
        cycle=proof.cycle,
        count=proof.count,
        result=proof.result,
        signed=proof.signed,
        counts=seen.refused is None,
    )


def _device(state: FeedState, seen: DeviceSeen) -> Iterator[EventData]:
    yield from _of_device(_role(state.rules.settings, seen.port), seen.event)


def _table_device(_state: FeedState, seen: TableDeviceSeen) -> Iterator[EventData]:
    if isinstance(seen.event, ShufflerReported):
        yield from _of_device(SHUFFLER, seen.event.event)


def _of_device(role: str, event: DeviceEvent) -> Iterator[EventData]:
    match event:
        case StageChanged(stage=stage):
            yield DeviceEventSent(role, stage)
        case DeviceErrorRaised(code=code):
            yield DeviceTroubleEvent(role, code, active=True)
        case DeviceErrorCleared(code=code):
            yield DeviceTroubleEvent(role, code, active=False)
        case IdentityProven(device=device, bare=bare):
            yield IdentityEvent(role, device, trusted=True, bare=bare)
        case IdentityRefused(device=device):
            yield IdentityEvent(role, device, trusted=False, bare=False)
        case _:
            pass


def _role(settings: Settings | None, port: str) -> str:
    if settings is None:
        return ""
    roles = {
        **{one.port: f"reader_{number}" for number, one in enumerate(settings.readers, start=1)},
        **{one.port: f"scanner_{number}" for number, one in enumerate(settings.scanners, start=1)},
        settings.shoe.port: DEALING_SHOE,
    }
    if settings.shuffler is not None:
        roles[settings.shuffler.port] = SHUFFLER
    return roles.get(port, "")


def _dealer(_state: FeedState, seen: ActSeen) -> Iterator[EventData]:
    """Of acts the floor has only who deals."""
    yield DealerEvent(seen.by.person, on=seen.what == DEALER_ON)


def _burn(state: FeedState, seen: BurnSeen) -> Iterator[EventData]:
    yield BurnEvent(state.gaming_day, state.shoe, seen.removed, seen.proven)


def _run(_state: FeedState, seen: RunSeen) -> Iterator[EventData]:
    yield RunEvent(seen.software, seen.profile, seen.decks, seen.same_boot)


def _shoe_opened(_state: FeedState, seen: ShoeOpenedSeen) -> Iterator[EventData]:
    yield ShoeOpenedEvent(seen.gaming_day, seen.shoe, seen.decks, seen.joined)


def _stage(_state: FeedState, seen: StageSeen) -> Iterator[EventData]:
    yield BatchEvent(seen.back, seen.before, seen.after)


def _bound(_state: FeedState, seen: BoundSeen) -> Iterator[EventData]:
    yield BatchBoundEvent(seen.batch, seen.back, seen.decks, seen.cards)


def _apart(_state: FeedState, seen: CardApartSeen) -> Iterator[EventData]:
    yield CustodyEvent(seen.back, seen.by.person)


def _warning(_state: FeedState, seen: WarningSeen) -> Iterator[EventData]:
    yield WarningEvent(seen.number, seen.warning, open=True, person="", waited_ms=0)


def _cleared(_state: FeedState, seen: WarningClearedSeen) -> Iterator[EventData]:
    waited_ms = seen.waited_ns // _NS_PER_MS
    yield WarningEvent(
        seen.number, seen.warning, open=False, person=seen.by.person, waited_ms=waited_ms
    )


def _usb(_state: FeedState, seen: UsbSeen) -> Iterator[EventData]:
    yield UsbEvent(seen.fate, seen.usb_id)


def _disk(_state: FeedState, seen: DiskSeen) -> Iterator[EventData]:
    yield DiskEvent(seen.level, seen.free_bytes, seen.limit_bytes)


def _clock(_state: FeedState, seen: ClockSeen) -> Iterator[EventData]:
    yield ClockEvent(seen.by_ns, seen.evidence)


def _power(_state: FeedState, seen: PowerSeen) -> Iterator[EventData]:
    yield PowerEvent(seen.sign)


def _gaming_day(_state: FeedState, seen: GamingDaySeen) -> Iterator[EventData]:
    yield GamingDayEvent(seen.gaming_day)


def _setting(_state: FeedState, seen: SettingSeen) -> Iterator[EventData]:
    yield SettingEvent(seen.setting, seen.old, seen.new, seen.by.person)


_RENDER: Final[Mapping[type[Struct], Callable[[FeedState, Any], Iterator[EventData]]]] = (
    MappingProxyType(
        {
            CoupSeen: _coup,
            IrregularitySeen: _irregularity,
            DecisionSeen: _decision,
            CorrectionSeen: _correction,
            RunSeen: _run,
            ShoeOpenedSeen: _shoe_opened,
            BurnSeen: _burn,
            ShoeEndedSeen: _shoe_ended,
            StageSeen: _stage,
            BoundSeen: _bound,
            CardApartSeen: _apart,
            ShuffleSeen: _shuffle,
            WarningSeen: _warning,
            WarningClearedSeen: _cleared,
            DeviceSeen: _device,
            TableDeviceSeen: _table_device,
            UsbSeen: _usb,
            DiskSeen: _disk,
            ClockSeen: _clock,
            PowerSeen: _power,
            GamingDaySeen: _gaming_day,
            SettingSeen: _setting,
            ActSeen: _dealer,
        }
    )
)
