"""Makes the items of the shoe monitors from what a table stored: seen cards alone, once seen.

A card comes to the monitors with the end of its coup, if that discloses it; else as an unseen one.
So nothing that they say follows from an undisclosed card, whatever they say and whenever.

Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.core.state import Conclusion
from controller.core.stored_settings import read_settings
from controller.core.tape.entries import Entry, EventVerdicts, RunBegan
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import read_input
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.monitors.items import (
    BatchInPlay,
    BurnEnds,
    CardSeen,
    CardsUnseen,
    CoupBegins,
    CoupEnds,
    CutCardCameOut,
    CutCardPutIn,
    MonitorItem,
    PersonAct,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
    TimePasses,
)
from controller.monitors.stall import StallLimits
from controller.monitors.state import MonitorState
from controller.monitors.take import Said, take
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn, CutCardDrawn, ReportsMissing
from controller.procedure.rulebook import RuleBook
from controller.record.disclosure import record_seen
from controller.record.disclosure_state import WAITING_MAX, hands_among, in_order
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind, FloorDecision, Provisional
from controller.rules.cards import Card
from controller.rules.setting_values import BurnDisclosure, DealOption
from foundation.recorded_text import Identifier

DEALER_ON: Final = "dealer-on"
DEALER_OFF: Final = "dealer-off"
SECOND_PERSON: Final = "second"
# What shuffled a batch where lamps show that it was, and no receipt says by which device.
LAMPS: Final = "lamps"
_BY_HAND: Final = "shuffled_by_hand"
_BATCHES_MAX: Final = 4


class Shown(Struct, frozen=True):
    """What the rules show: every card at its draw, every burn card.

    `endless`: a continuous shuffler feeds the shoe, so that it is no sample to monitor.
    """

    face_up: bool
    burn_cards: bool
    endless: bool

    @staticmethod
    def by(book: RuleBook) -> "Shown":
        values = book.values
        return Shown(
            face_up=values.deal_option is DealOption.FACE_UP,
            burn_cards=values.burn_cards_disclosed is BurnDisclosure.ALL,
            endless=book.continuous,
        )


class Shuffled(Struct, frozen=True):
    """The batch with that back was shuffled by a device, by its receipt, or as its lamps show."""

    back: Identifier
    device: Identifier


class Monitored(Struct, frozen=True):
    """What the monitors have had of a table so far.

    `shoe` is the shoe in play, 0 for none that is monitored; `coup` its newest coup that ended.
    `waiting` are the cards that left it and are of no ended coup yet, None where not read.
    `burning` until its burn is done, `dealing` from the first card of a coup to its end. `back` is
    that of the batch in it, `coming` that of the batch loaded for it, empty while unknown;
    `shuffled` are the batches that a device shuffled since they were dealt.
    """

    shoe: int = 0
    coup: int = 0
    waiting: tuple[Card | None, ...] = ()
    burning: bool = False
    dealing: bool = False
    dealers: tuple[str, ...] = ()
    back: Identifier = ""
    coming: Identifier = ""
    shuffled: tuple[Shuffled, ...] = ()


StateAndItems: TypeAlias = tuple[Monitored, tuple[MonitorItem, ...]]


def monitor_items(state: Monitored, shown: Shown, conclusion: Conclusion) -> StateAndItems:
    """What one input and its entries tell the monitors, in the order in which it happened."""
    at_ns = conclusion.item.at.monotonic_ns
    items: list[MonitorItem] = []
    state = _loaded(state, conclusion.item)
    for entry in in_order(conclusion.entries):
        state, found = _entry_items(state, shown, conclusion.item, entry)
        items += found
    return state, (*items, TimePasses(at_ns))


def _loaded(state: Monitored, item: Input) -> Monitored:
    """A person said which batch is in the shoe that comes."""
    match item:
        case OperatorAction(action=RecordAct(kind=ActKind.LOADED, batch=back)) if back:
            return replace(state, coming=back)
        case _:
            return state


def _entry_items(state: Monitored, shown: Shown, item: Input, entry: Entry) -> StateAndItems:
    at_ns = item.at.monotonic_ns
    match entry:
        case EventVerdicts(event=CardDrawn(card=card, back=back)):
            named, of_batch = _name_batch(state, back)
            state, items = _draw(named, card, at_ns)
            return state, (*of_batch, *items)
        case StageChange() | ShuffleRecorded():
            return _follow_batch(state, entry)
        case EventVerdicts(event=ReportsMissing(count_min=count)) if state.shoe:
            return _wait(state, (None,) * min(max(count, 1), WAITING_MAX)), ()
        case EventVerdicts(event=CutCardDrawn()):
            return state, (CutCardCameOut(at_ns),)
        case CoupClosed(record=record) if _is_new(state, record):
            return _end_coup(state, shown, record)
        case BurnDone() if state.burning:
            return _end_burn(state, shown, entry, at_ns)
        case ShoeOpened():
            return _open_shoe(state, shown, entry)
        case ShoeEnded() if state.shoe:
            unseen = tuple(_unseen(len(state.waiting)))
            return _no_shoe(state), (*unseen, ShoeEnds())
        case RunBegan(same_boot=False):
            return state, (TimePasses(0),)  # the monotonic clock began anew
        case ActRecord():
            return _take_act(state, entry, at_ns)
        case ResolutionRecorded() | CoupCorrected():
            return state, tuple(_acts_of_people(item, entry))
        case _:
            return state, ()


def _take_act(state: Monitored, act: ActRecord, at_ns: int) -> StateAndItems:
    others = tuple(one for one in state.dealers if one != act.person)
    if act.what == DEALER_ON:
        return replace(state, dealers=(*others, act.person)), ()
    if act.what == DEALER_OFF:
        return replace(state, dealers=others), ()
    placed = act.what == ActKind.CUT_CARDS_PLACED.value
    return state, (CutCardPutIn(at_ns),) if placed else ()


def _acts_of_people(item: Input, entry: ResolutionRecorded | CoupCorrected) -> Iterator[PersonActs]:
    """Who voided a coup, stated its outcome or corrected it: the person, and the second one."""
    act = PersonAct.CORRECT
    if isinstance(entry, ResolutionRecorded):
        voids = entry.decision is FloorDecision.VOID_COUP or entry.provisional is Provisional.VOID
        if not voids and entry.decision is not FloorDecision.STATE_OUTCOME:
            return
        act = PersonAct.VOID if voids else PersonAct.CORRECT
    role = item.role.value if isinstance(item, OperatorAction) else ""
    yield PersonActs(entry.person, role, act)
    if entry.second:
        yield PersonActs(entry.second, SECOND_PERSON, act)


# --- batches --------------------------------------------------------------------------------------


def _follow_batch(state: Monitored, entry: StageChange | ShuffleRecorded) -> StateAndItems:
    """Keep what shuffled a batch until that is dealt; a stage says which batch is dealt."""
    if isinstance(entry, ShuffleRecorded):
        return (
            (_with_shuffled(state, entry.batch, entry.proof.device), ())
            if (entry.refused is None)
            else (state, ())
        )
    match entry.after:
        case BatchStage.SHUFFLED:
            device = "" if entry.why.id == _BY_HAND else LAMPS
            return _with_shuffled(state, entry.batch, device), ()
        case BatchStage.IN_SHOE:
            return replace(state, coming=entry.batch), ()
        case BatchStage.IN_PLAY:
            state = replace(state, coming=entry.batch)
            return _name_batch(state, entry.batch)
        case _:
            return state, ()


def _with_shuffled(state: Monitored, back: str, device: str) -> Monitored:
    others = tuple(one for one in state.shuffled if one.back != back)
    return replace(state, shuffled=(*others, Shuffled(back, device))[-_BATCHES_MAX:])


def _name_batch(state: Monitored, back: str) -> StateAndItems:
    """Say which batch is in the shoe, once, and what shuffled it."""
    if not back or not state.shoe or state.back:
        return state, ()
    device = next((one.device for one in state.shuffled if one.back == back), "")
    shuffled = tuple(one for one in state.shuffled if one.back != back)
    state = replace(state, back=back, coming="", shuffled=shuffled)
    return state, (BatchInPlay(back, device),)


# --- cards ----------------------------------------------------------------------------------------


def _open_shoe(state: Monitored, shown: Shown, opened: ShoeOpened) -> StateAndItems:
    if shown.endless:
        return _no_shoe(state), ()
    burns = not opened.joined
    begun = replace(_no_shoe(state), shoe=opened.shoe, burning=burns)
    begun, of_batch = _name_batch(begun, state.coming)
    return begun, (ShoeOpens(opened.shoe, opened.decks, burns=burns), *of_batch)


def _no_shoe(state: Monitored) -> Monitored:
    """What is known outside a shoe: who deals, and which batches were shuffled."""
    return Monitored(dealers=state.dealers, shuffled=state.shuffled)


def _draw(state: Monitored, card: Card | None, at_ns: int) -> StateAndItems:
    if not state.shoe:
        return state, ()
    begins = not (state.burning or state.dealing)
    state = replace(_wait(state, (card,)), dealing=not state.burning)
    return state, (CoupBegins(at_ns),) if begins else ()


def _wait(state: Monitored, cards: tuple[Card | None, ...]) -> Monitored:
    waiting = (*state.waiting, *cards)
    if len(waiting) > WAITING_MAX:  # a device that reports without end
        waiting = (None,) * WAITING_MAX
    return replace(state, waiting=waiting)


def _end_burn(state: Monitored, shown: Shown, burn: BurnDone, at_ns: int) -> StateAndItems:
    """The first burn card is shown, the others where the rules say so.

    A burn without a count ends with the first card of the first coup.
    """
    burned, others = state.waiting[: burn.removed], state.waiting[burn.removed :]
    seen = len(burned) if shown.burn_cards else 1
    first = burned[0] if burned and burned[0] == burn.first else None
    faces = [first, *burned[1:seen], *(None for _ in burned[seen:])][: len(burned)]
    begun = (CoupBegins(at_ns),) if others else ()
    state = replace(state, burning=False, dealing=bool(others), waiting=others)
    return state, (*_cards(faces), BurnEnds(), *begun)


def _is_new(state: Monitored, record: CoupRecord) -> bool:
    return record.shoe == state.shoe and record.coup > state.coup


def _end_coup(state: Monitored, shown: Shown, record: CoupRecord) -> StateAndItems:
    """The cards up to the coup's last one; those in no hand of it, and after it, are not seen."""
    faces, taken = hands_among(state.waiting, record)
    if not record_seen(record, face_up=shown.face_up):
        faces = [None] * taken
    waiting = state.waiting[taken:]
    state = replace(state, coup=record.coup, waiting=waiting, burning=False, dealing=False)
    return state, (*_cards(faces), CoupEnds(state.dealers))


def _cards(faces: Iterable[Card | None]) -> Iterator[MonitorItem]:
    unseen = 0
    for face in faces:
        if face is None:
            unseen += 1
            continue
        yield from _unseen(unseen)
        unseen = 0
        yield CardSeen(face)
    yield from _unseen(unseen)


def _unseen(count: int) -> Iterator[MonitorItem]:
    if count:
        yield CardsUnseen(count)


class TableWatch(Struct, frozen=True):
    """The monitors of one table, and what they have had of it."""

    state: MonitorState = MonitorState()
    monitored: Monitored = Monitored()

    def take(
        self, shown: Shown, conclusion: Conclusion
    ) -> tuple["TableWatch", tuple[tuple[MonitorItem, Said], ...]]:
        """After one input; each of its happenings with what the monitors say of it."""
        before = self
        if isinstance(conclusion.item, Started):
            before = self.in_run(conclusion.item)
        monitored, items = monitor_items(self.monitored, shown, conclusion)
        watch, taken = replace(before, monitored=monitored), []
        for item in items:
            watch, said = watch.take_item(item)
            taken.append((item, said))
        return watch, tuple(taken)

    def in_run_of(self, record: bytes) -> "TableWatch":
        """In the run that a record begins, if it is one."""
        item = read_input(record) if record else None
        return self.in_run(item) if isinstance(item, Started) else self

    def in_run(self, started: Started) -> "TableWatch":
        """From the run on that this input begins: its settings say how long a pause may be."""
        minutes = read_settings(started.configuration).pause_minutes_max
        return replace(self, state=replace(self.state, limits=StallLimits.of_minutes(minutes)))

    def take_item(self, item: MonitorItem) -> tuple["TableWatch", Said]:
        """After one happening, and what the monitors say of it."""
        state, said = take(self.state, item)
        return replace(self, state=state), said
