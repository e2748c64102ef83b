"""What each entry of the journal tells the floor; nothing of a card that lies face down.

Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.consumers import FeedContent
from controller.core.settings import Settings
from controller.core.tape.entries import (
    BatchBound,
    CardSetApart,
    ClockStepped,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
    PowerFailRecorded,
    RunBegan,
    UsbDeviceRecorded,
)
from controller.core.tape.records import RecordedInput
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
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
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    RecordedCard,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import GamingDayChanged, ShufflerReported
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.verdicts import Irregularity
from controller.record.disclosure import record_seen
from controller.rules.actions.actions import OperatorAction
from controller.rules.actions.declaration import Proof
from controller.rules.coup import Place
from drivers.events import DeviceErrorCleared, DeviceErrorRaised, StageChanged
from drivers.shuffler_events import IdentityProven, IdentityRefused

DEALING_SHOE: Final = "dealing_shoe"
SHUFFLER: Final = "shuffler"
DEALER_ON: Final = "dealer-on"
DEALER_OFF: Final = "dealer-off"
_NS_PER_MS: Final = 1_000_000
_PLAYER: Final = (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)
_BANKER: Final = (Place.BANKER_1, Place.BANKER_2, Place.BANKER_3)
ItemT = TypeVar("ItemT")


def events_of(
    state: FeedState, item: RecordedInput | None, entry: Entry, content: FeedContent
) -> Iterator[EventData]:
    match entry:
        case CoupClosed(record=record):
            yield _coup(record, content)
        case EventVerdicts():
            yield from _of_verdicts(state, entry)
        case ResolutionRecorded():
            yield _decision(state, item, entry)
            if state.suspended:
                yield TableStateEvent(suspended=False)
        case CoupCorrected():
            yield _correction(item, entry)
        case _:
            tell = _BY_KIND.get(type(entry))
            if tell is not None:
                yield from tell(state, entry)


def _of_verdicts(state: FeedState, judged: EventVerdicts) -> Iterator[EventData]:
    match judged.event:
        case GamingDayChanged(day=day):
            yield GamingDayEvent(day)
        case ShufflerReported(event=IdentityProven() | IdentityRefused() as event):
            yield from _identity(SHUFFLER, event)
        case _:
            pass
    suspended = state.suspended
    for verdict in judged.verdicts:
        if isinstance(verdict, Irregularity):
            yield _irregularity(state, verdict)
            if verdict.suspends and not suspended:
                suspended = True
                yield TableStateEvent(suspended=True)


def _coup(record: CoupRecord, content: FeedContent) -> CoupEvent:
    ended = CoupEvent(
        gaming_day=record.gaming_day,
        shoe=record.shoe,
        coup=record.coup,
        fate=record.fate,
        outcome=record.outcome,
        declared=record.declared,
        cards=len(record.cards),
        aside=len(record.aside),
        ghost=record.ghost,
        irregularities=record.irregular,
    )
    # Stricter than a view: of a coup that does not count, no card, however it was dealt.
    seen = record_seen(record, face_up=False)
    return replace(ended, faces=_faces(record)) if content_shows(content) and seen else ended


def content_shows(content: FeedContent) -> bool:
    """Whether the faces of finished coups may leave the table."""
    return content is FeedContent.FINISHED_COUPS


def _faces(record: CoupRecord) -> CoupFaces:
    player, banker = _hand(record.cards, _PLAYER), _hand(record.cards, _BANKER)
    result = record.result
    if result is None:
        return CoupFaces(player, banker, None, None, None, None, None)
    return CoupFaces(
        player=player,
        banker=banker,
        player_count=result.player_count,
        banker_count=result.banker_count,
        natural=result.natural,
        player_pair=result.player_pair,
        banker_pair=result.banker_pair,
    )


def _hand(cards: Iterable[RecordedCard], places: tuple[Place, ...]) -> tuple[str | None, ...]:
    dealt = (one.card for one in cards if one.place in places)
    return tuple(None if card is None else str(card) for card in dealt)


def _irregularity(state: FeedState, one: Irregularity) -> IrregularityEvent:
    """Its clauses are those of its code: others may follow from cards that lie face down."""
    book = state.rules.book
    return IrregularityEvent(
        gaming_day=state.gaming_day,
        shoe=state.shoe,
        number=one.number,
        coup=one.coup,
        code=one.code,
        clauses=() if book is None else book.clauses(*CATALOGUE[one.code].points),
        suspends=one.suspends,
        provisional=one.provisional,
    )


def _decision(
    state: FeedState, item: RecordedInput | None, one: ResolutionRecorded
) -> DecisionEvent:
    act = item if isinstance(item, OperatorAction) else None
    return DecisionEvent(
        gaming_day=state.gaming_day,
        shoe=state.shoe,
        decision=one.decision,
        provisional=one.provisional,
        outcome=one.outcome,
        closed=one.closed,
        coups_dealt=one.coups_dealt,
        cards_dealt=one.cards_dealt,
        person=one.person,
        role=act.role if act is not None else None,
        proof=act.proof if act is not None else Proof.NONE,
        second=one.second,
        second_proof=act.second_proof if act is not None else Proof.NONE,
    )


def _correction(item: RecordedInput | None, one: CoupCorrected) -> CorrectionEvent:
    act = item if isinstance(item, OperatorAction) else None
    return CorrectionEvent(
        gaming_day=one.gaming_day,
        shoe=one.shoe,
        coup=one.coup,
        counted=one.counted,
        before=one.before,
        outcome=one.outcome,
        person=one.person,
        second=one.second,
        proof=act.proof if act is not None else Proof.NONE,
        second_proof=act.second_proof if act is not None else Proof.NONE,
        owed=len(one.owed),
    )


# --- shoes, batches, devices, machine -------------------------------------------------------------


def _shoe_ended(_state: FeedState, one: ShoeEnded) -> Iterator[EventData]:
    yield ShoeEndedEvent(
        gaming_day=one.gaming_day,
        shoe=one.shoe,
        cards_drawn=one.cards_drawn,
        coups=one.coups,
        player=one.player,
        banker=one.banker,
        tie=one.tie,
        void=one.void,
        irregularities=one.irregularities,
        person=one.person,
    )


def _shuffle(_state: FeedState, one: ShuffleRecorded) -> Iterator[EventData]:
    proof = one.proof
    yield ShuffleEvent(
        back=one.batch,
        device=proof.device,
        cycle=proof.cycle,
        count=proof.count,
        result=proof.result,
        signed=proof.signed,
        counts=one.refused is None,
    )


def _device(state: FeedState, one: DeviceEventRecorded) -> Iterator[EventData]:
    """Stages, errors and identities: a lock, say, may follow from cards that lie face down."""
    role = _role(state.rules.settings, one.port)
    match one.event:
        case StageChanged(stage=stage):
            yield DeviceEventSent(role, stage)
        case DeviceErrorRaised(code=code):
            yield DeviceTroubleEvent(role, code, active=True)
        case DeviceErrorCleared(code=code):
            yield DeviceTroubleEvent(role, code, active=False)
        case IdentityProven() | IdentityRefused() as event:
            yield from _identity(role, event)
        case _:
            pass


def _identity(role: str, event: IdentityProven | IdentityRefused) -> Iterator[EventData]:
    proven = isinstance(event, IdentityProven)
    bare = isinstance(event, IdentityProven) and event.bare
    yield IdentityEvent(role, event.device, trusted=proven, bare=bare)


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


def _act(_state: FeedState, one: ActRecord) -> Iterator[EventData]:
    """Of acts only who deals: others may tell what a person did about a card."""
    if one.what in (DEALER_ON, DEALER_OFF):
        yield DealerEvent(one.person, on=one.what == DEALER_ON)


def _one(make: Callable[[ItemT], EventData]) -> Callable[[FeedState, ItemT], Iterator[EventData]]:
    def tell(_state: FeedState, entry: ItemT) -> Iterator[EventData]:
        yield make(entry)

    return tell


def _burn(state: FeedState, one: BurnDone) -> Iterator[EventData]:
    yield BurnEvent(state.gaming_day, state.shoe, one.removed, one.proven)


def _run(one: RunBegan) -> EventData:
    return RunEvent(one.software, one.profile, one.decks, one.same_boot)


def _shoe_opened(one: ShoeOpened) -> EventData:
    return ShoeOpenedEvent(one.gaming_day, one.shoe, one.decks, one.joined)


def _stage(one: StageChange) -> EventData:
    return BatchEvent(one.batch, one.before, one.after)


def _bound(one: BatchBound) -> EventData:
    return BatchBoundEvent(one.batch, one.back, one.decks, one.cards)


def _apart(one: CardSetApart) -> EventData:
    return CustodyEvent(one.back, one.person)


def _warning(one: WarningOpened) -> EventData:
    return WarningEvent(one.number, one.kind, open=True, person="", waited_ms=0)


def _cleared(one: WarningClosed) -> EventData:
    waited_ms = one.waited_ns // _NS_PER_MS
    return WarningEvent(one.number, one.kind, open=False, person=one.person, waited_ms=waited_ms)


def _usb(one: UsbDeviceRecorded) -> EventData:
    return UsbEvent(one.what, one.usb_id)


def _disk(one: DiskLevelRecorded) -> EventData:
    return DiskEvent(one.level, one.free_bytes, one.limit_bytes)


def _clock(one: ClockStepped) -> EventData:
    return ClockEvent(one.by_ns, one.evidence)


def _power(one: PowerFailRecorded) -> EventData:
    return PowerEvent(one.sign)


def _setting(one: SettingChanged) -> EventData:
    return SettingEvent(one.setting, one.old, one.new, one.person)


_BY_KIND: Final[Mapping[type[Struct], Callable[..., Iterator[EventData]]]] = MappingProxyType(
    {
        RunBegan: _one(_run),
        ShoeOpened: _one(_shoe_opened),
        BurnDone: _burn,
        ShoeEnded: _shoe_ended,
        StageChange: _one(_stage),
        BatchBound: _one(_bound),
        CardSetApart: _one(_apart),
        ShuffleRecorded: _shuffle,
        WarningOpened: _one(_warning),
        WarningClosed: _one(_cleared),
        DeviceEventRecorded: _device,
        UsbDeviceRecorded: _one(_usb),
        DiskLevelRecorded: _one(_disk),
        ClockStepped: _one(_clock),
        PowerFailRecorded: _one(_power),
        SettingChanged: _one(_setting),
        ActRecord: _act,
    }
)
# Other entries tell nothing, and need not be decoded.
_KINDS: Final[tuple[type[Struct], ...]] = (
    *_BY_KIND,
    CoupClosed,
    EventVerdicts,
    ResolutionRecorded,
    CoupCorrected,
)
SENT_TAGS: Final = frozenset(str(kind.__struct_config__.tag) for kind in _KINDS)
