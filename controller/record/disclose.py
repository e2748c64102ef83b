"""Decides, once, what an audience may have of an entry: `disclose`.

`audiences.py` has the levels, `disclosure_state.py` what people have seen so far, `seen.py` what
comes of both.
Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.entries import (
    BatchBound,
    CardSetApart,
    ClockStepped,
    CommandGiven,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
    ManifestRequested,
    PowerFailRecorded,
    RunBegan,
    UsbDeviceRecorded,
)
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    CoupRecord,
    Prompt,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    ClockJumped,
    CutCardDrawn,
    GamingDayChanged,
    ReportsMissing,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    ShufflerEventsLost,
    ShufflerReported,
)
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Irregularity
from controller.record.audiences import (
    ACCOUNT,
    AUDIENCES,
    Audience,
    Cards,
    Clauses,
    Permitted,
    Persons,
)
from controller.record.coup import coup_faces
from controller.record.disclosure import irregularity_seen, record_seen, shown_card
from controller.record.disclosure_state import (
    NOTHING_ON_TABLE,
    DisclosureState,
    OnTable,
    hands_among,
)
from controller.record.seen import (
    NOBODY,
    AcceptedSeen,
    Actor,
    ActSeen,
    BoundSeen,
    BurnSeen,
    CardApartSeen,
    CardSeen,
    ClockJumpSeen,
    ClockSeen,
    CommandSeen,
    CorrectionSeen,
    CoupFaces,
    CoupPaidSeen,
    CoupSeen,
    CutSeen,
    DecisionSeen,
    DeviceSeen,
    DiskSeen,
    GamingDaySeen,
    IrregularitySeen,
    PowerSeen,
    PromptSeen,
    RefusalSeen,
    RevealedBy,
    RevealedSeen,
    RunSeen,
    Seen,
    SettingSeen,
    ShoeEndedSeen,
    ShoeOpenedSeen,
    ShuffleSeen,
    StageSeen,
    TableDeviceSeen,
    UsbSeen,
    WantedSeen,
    WarningClearedSeen,
    WarningSeen,
)
from controller.record.snapshot import ShownCard, Withheld
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.cards import Card
from foundation.message import Message

_PLAY_EVENTS: Final = (
    ShufflerReported,
    ShufflerEventsLost,
    ShufflerDisconnected,
    ReportsMissing,
    ShoeDeviceStarted,
    CardRepeated,
)


class Hindsight(Struct, frozen=True):
    """What people had seen in the end, for who reads the records of a finished shoe.

    `coup`: the cards of the hands; `card`: the card that this entry is about.
    """

    coup: bool
    card: bool


class Circumstances(Struct, frozen=True):
    """What an entry does not say itself.

    `book` says which clauses there are, None where the rules of the run cannot be read; `act` is
    the person's action that it was concluded from; `on_table` the coup that lies there now.
    `hindsight` is None for who reads as it happens.
    """

    book: RuleBook | None = None
    act: OperatorAction[Action] | None = None
    on_table: OnTable = NOTHING_ON_TABLE
    hindsight: Hindsight | None = None


def disclose(
    entry: Entry, state: DisclosureState, audience: Audience, given: Circumstances
) -> tuple[Seen, ...]:
    """What the audience may have of an entry; `state` is the one before it."""
    told, permitted = _TOLD.get(type(entry)), AUDIENCES[audience]
    if told is None or told.forms.isdisjoint(permitted.forms):
        return ()
    view = _View(permitted, state, given)
    return tuple(seen for seen in told.tell(view, entry) if type(seen) in permitted.forms)


class _View(Struct, frozen=True):
    """One audience's view of one entry."""

    may: Permitted
    state: DisclosureState
    given: Circumstances

    def by(self, person: str, second: str = "") -> Actor:
        """Who acted; role and proof are those of the action, if there is one."""
        if self.may.persons is Persons.NONE:
            return NOBODY
        act = self.given.act
        if act is None:
            return Actor(person=person, second=second)
        return Actor(person, act.role, act.proof, second, act.second_proof)

    def typed(self, text: str) -> str:
        return text if self.may.typed else ""

    def detail(self, text: Message) -> Message | None:
        return text if self.may.details else None

    # --- cards ------------------------------------------------------------------------------------

    def card(self, card: Card | None) -> ShownCard | None:
        """A card that was drawn now."""
        if self.may.cards is Cards.ALL:
            return shown_card(card, None)
        if self.given.hindsight is None:
            return None
        return shown_card(card, None if self.given.hindsight.card else Withheld.NEVER_TURNED)

    def coup_seen(self, record: CoupRecord) -> bool:
        """Whether people have seen the cards of a finished coup."""
        if self.given.hindsight is not None:
            return self.given.hindsight.coup
        return record_seen(record, face_up=self.state.face_up)

    def faces(self, record: CoupRecord) -> CoupFaces | None:
        """What lay in a finished coup, as far as the audience may have it; None for nothing."""
        match self.may.cards:
            case Cards.NONE:
                return None
            case Cards.ALL:
                return coup_faces(record, None)
            case Cards.COUNTED:
                # However it was dealt: of a coup that does not count, no card.
                shown = record_seen(record, face_up=False)
                return coup_faces(record, None) if shown else None
            case Cards.SEEN:
                seen = self.coup_seen(record)
                if self.given.book is None or (self.state.changed is None and not seen):
                    return None
                return coup_faces(record, None if seen else Withheld.NEVER_TURNED)

    def clauses(self, found: Irregularity) -> tuple[str, ...]:
        """Those of its kind come first; the others its cards made apply."""
        rule, book = self.may.clauses, self.given.book
        if rule is Clauses.NONE or (book is None and rule is not Clauses.SEEN_ALL):
            return ()
        if rule is not Clauses.KIND and self.irregularity_seen(found):
            return found.clauses
        if rule is Clauses.SEEN_ALL or book is None:
            return ()
        return book.clauses(*CATALOGUE[found.code].points)

    def irregularity_seen(self, found: Irregularity) -> bool:
        """Whether people have seen the cards that an irregularity follows from."""
        if self.may.cards is Cards.ALL:
            return True
        if self.given.hindsight is not None:
            return self.given.hindsight.coup
        if found.number in self.given.on_table.irregular:
            return self.given.on_table.withheld is None
        return irregularity_seen(face_up=self.state.face_up, provisional=found.provisional)


# --- what devices made happen, and the verdicts on it ---------------------------------------------


def _judged(view: _View, entry: EventVerdicts) -> Iterator[Seen]:
    event = entry.event
    match event:
        case CardDrawn(card=card, claimed=claimed, back=back, again=again):
            yield CardSeen(back=back, claimed=claimed, again=again, card=view.card(card))
        case CutCardDrawn():
            clauses = (clause for verdict in entry.verdicts for clause in verdict.clauses)
            yield CutSeen(tuple(dict.fromkeys(clauses)))
        case GamingDayChanged(day=day):
            yield GamingDaySeen(day)
        case ClockJumped():
            yield ClockJumpSeen()
        case ShufflerReported(event=reported) if isinstance(reported, view.may.device_events):
            yield TableDeviceSeen(event)
        case CardRepeated() if isinstance(event, view.may.device_events):
            yield TableDeviceSeen(replace(event, card=None))
        case None:
            pass
        case _ if isinstance(event, _PLAY_EVENTS) and isinstance(event, view.may.device_events):
            yield TableDeviceSeen(event)
        case _:
            pass
    own = _has_own_entry(view, entry)
    for verdict in entry.verdicts:
        if isinstance(verdict, Irregularity):
            yield _irregularity(view, verdict)
        else:
            yield AcceptedSeen(verdict.what, verdict.clauses, verdict.provisional, own)


def _has_own_entry(view: _View, entry: EventVerdicts) -> bool:
    """Whether it only accepts a person's act, which has an entry of its own."""
    act = view.given.act
    if entry.event is not None or act is None or len(entry.verdicts) != 1:
        return False
    return act.action.own_entry


def _irregularity(view: _View, found: Irregularity) -> Seen:
    seen = view.may.details and view.irregularity_seen(found)
    return IrregularitySeen(
        number=found.number,
        coup=found.coup,
        code=found.code,
        suspends=found.suspends,
        provisional=found.provisional,
        clauses=view.clauses(found),
        detail=found.detail if seen else None,
    )


def _device(view: _View, entry: DeviceEventRecorded) -> Iterator[Seen]:
    if isinstance(entry.event, view.may.device_events):
        yield DeviceSeen(entry.port, entry.event)


# --- coups and the burn ---------------------------------------------------------------------------


def _coup(view: _View, entry: CoupClosed) -> Iterator[Seen]:
    record, seen = entry.record, view.coup_seen(entry.record)
    faces, taken = hands_among(view.state.waiting, record)
    if taken:
        shown = tuple(None if card is None or not seen else str(card) for card in faces)
        by = RevealedBy.NEXT_CARD if record.declared is None else RevealedBy.RESULT
        yield RevealedSeen(shown, by)
    counts = view.may.outcome
    yield CoupSeen(
        gaming_day=record.gaming_day,
        shoe=record.shoe,
        coup=record.coup,
        fate=record.fate,
        outcome=record.outcome if counts else None,
        declared=record.declared if counts else None,
        cards=len(record.cards),
        aside=len(record.aside),
        ghost=record.ghost,
        irregularities=record.irregular,
        seen=seen,
        faces=view.faces(record),
        clauses=entry.clauses if seen and counts else (),
    )


def _burn(view: _View, entry: BurnDone) -> Iterator[Seen]:
    """The first burn card is shown, the others where the rules say so.

    A burn without a count ends with the first card of the first coup.
    """
    burned = view.state.waiting[: entry.removed]
    if burned:
        first = burned[0] if burned[0] == entry.first else None
        others = burned[1:] if view.state.burn_shown else (None,) * (len(burned) - 1)
        shown = tuple(None if card is None else str(card) for card in (first, *others))
        yield RevealedSeen(shown, RevealedBy.BURN)
    yield BurnSeen(entry.removed, entry.proven)


def _paid(view: _View, entry: CoupPayment) -> Iterator[Seen]:
    gain = entry.settlement.house_gain if view.may.outcome else None
    yield CoupPaidSeen(entry.coup, gain)


def _corrected(view: _View, entry: CoupCorrected) -> Iterator[Seen]:
    yield CorrectionSeen(
        gaming_day=entry.gaming_day,
        shoe=entry.shoe,
        coup=entry.coup,
        counted=entry.counted,
        before=entry.before,
        outcome=entry.outcome,
        owed=entry.owed,
        by=view.by(entry.person, entry.second),
        reason=view.typed(entry.reason),
    )


# --- people ---------------------------------------------------------------------------------------


def _decided(view: _View, entry: ResolutionRecorded) -> Iterator[Seen]:
    yield DecisionSeen(
        decision=entry.decision,
        provisional=entry.provisional,
        outcome=entry.outcome,
        closed=entry.closed,
        coups_dealt=entry.coups_dealt,
        cards_dealt=entry.cards_dealt,
        by=view.by(entry.person, entry.second),
        reason=view.typed(entry.reason),
    )


def _act(view: _View, entry: ActRecord) -> Iterator[Seen]:
    if view.may.acts is not None and entry.what not in view.may.acts:
        return
    # What was changed of an account names no card.
    detail = entry.detail if entry.what == ACCOUNT else view.detail(entry.detail)
    yield ActSeen(entry.what, entry.clauses, view.by(entry.person), detail)


def _refused(_view: _View, entry: Refusal) -> Iterator[Seen]:
    yield RefusalSeen(entry.what, entry.why, entry.clauses)


def _prompt(_view: _View, entry: Prompt) -> Iterator[Seen]:
    yield PromptSeen(entry.text, entry.clauses, entry.observed)


def _setting(view: _View, entry: SettingChanged) -> Iterator[Seen]:
    yield SettingSeen(
        setting=entry.setting,
        old=entry.old,
        new=entry.new,
        clauses=entry.clauses,
        by=view.by(entry.person),
        reason=view.typed(entry.reason),
    )


# --- shoes and batches ----------------------------------------------------------------------------


def _shoe_opened(_view: _View, entry: ShoeOpened) -> Iterator[Seen]:
    yield ShoeOpenedSeen(entry.gaming_day, entry.shoe, entry.decks, entry.joined)


def _shoe_ended(view: _View, entry: ShoeEnded) -> Iterator[Seen]:
    ended = ShoeEndedSeen(
        gaming_day=entry.gaming_day,
        shoe=entry.shoe,
        cards_drawn=entry.cards_drawn,
        coups=entry.coups,
        irregularities=entry.irregularities,
        by=view.by(entry.person),
    )
    if view.may.outcome:
        won = {"player": entry.player, "banker": entry.banker, "tie": entry.tie}
        ended = replace(ended, void=entry.void, **won)
    yield ended


def _stage(_view: _View, entry: StageChange) -> Iterator[Seen]:
    yield StageSeen(entry.batch, entry.before, entry.after, entry.why, entry.clauses)


def _bound(view: _View, entry: BatchBound) -> Iterator[Seen]:
    yield BoundSeen(entry.batch, entry.back, entry.decks, entry.cards, entry.signed_by)


def _wanted(_view: _View, entry: ManifestRequested) -> Iterator[Seen]:
    yield WantedSeen(entry.batch)


def _card_apart(view: _View, entry: CardSetApart) -> Iterator[Seen]:
    tag = entry.tag if view.may.tags else ""
    yield CardApartSeen(entry.back, entry.clauses, view.by(entry.person), tag)


def _shuffle(_view: _View, entry: ShuffleRecorded) -> Iterator[Seen]:
    yield ShuffleSeen(entry.batch, entry.proof, entry.refused, entry.clauses)


# --- devices and the machine ----------------------------------------------------------------------


def _warning(view: _View, entry: WarningOpened) -> Iterator[Seen]:
    text = entry.text if view.may.warning_texts else None
    yield WarningSeen(entry.number, entry.kind, entry.clauses, text)


def _cleared(view: _View, entry: WarningClosed) -> Iterator[Seen]:
    yield WarningClearedSeen(
        number=entry.number,
        warning=entry.kind,
        waited_ns=entry.waited_ns,
        by=view.by(entry.person),
        reason=view.typed(entry.reason),
    )


def _command(_view: _View, entry: CommandGiven) -> Iterator[Seen]:
    yield CommandSeen(entry.command, entry.why)


def _run(_view: _View, entry: RunBegan) -> Iterator[Seen]:
    yield RunSeen(entry.table, entry.software, entry.profile, entry.decks, entry.same_boot)


def _clock(_view: _View, entry: ClockStepped) -> Iterator[Seen]:
    yield ClockSeen(entry.by_ns, entry.utc_ns, entry.evidence)


def _disk(_view: _View, entry: DiskLevelRecorded) -> Iterator[Seen]:
    yield DiskSeen(entry.level, entry.free_bytes, entry.limit_bytes)


def _power(_view: _View, entry: PowerFailRecorded) -> Iterator[Seen]:
    yield PowerSeen(entry.sign)


def _usb(_view: _View, entry: UsbDeviceRecorded) -> Iterator[Seen]:
    yield UsbSeen(entry.what, entry.usb_id)


class _Told(Struct, frozen=True):
    """What tells an entry, and the forms in which it does."""

    tell: Callable[[_View, Any], Iterator[Seen]]
    forms: frozenset[type[Struct]]


def _told(tell: Callable[[_View, Any], Iterator[Seen]], *forms: type[Struct]) -> _Told:
    return _Told(tell, frozenset(forms))


_OF_EVENTS: Final = (CardSeen, CutSeen, GamingDaySeen, ClockJumpSeen, TableDeviceSeen)
# StateDigest tells nobody anything.
_TOLD: Final[Mapping[type[Struct], _Told]] = MappingProxyType(
    {
        EventVerdicts: _told(_judged, *_OF_EVENTS, AcceptedSeen, IrregularitySeen),
        DeviceEventRecorded: _told(_device, DeviceSeen),
        CoupClosed: _told(_coup, CoupSeen, RevealedSeen),
        BurnDone: _told(_burn, BurnSeen, RevealedSeen),
        CoupPayment: _told(_paid, CoupPaidSeen),
        CoupCorrected: _told(_corrected, CorrectionSeen),
        ResolutionRecorded: _told(_decided, DecisionSeen),
        ActRecord: _told(_act, ActSeen),
        Refusal: _told(_refused, RefusalSeen),
        Prompt: _told(_prompt, PromptSeen),
        SettingChanged: _told(_setting, SettingSeen),
        ShoeOpened: _told(_shoe_opened, ShoeOpenedSeen),
        ShoeEnded: _told(_shoe_ended, ShoeEndedSeen),
        StageChange: _told(_stage, StageSeen),
        BatchBound: _told(_bound, BoundSeen),
        ManifestRequested: _told(_wanted, WantedSeen),
        CardSetApart: _told(_card_apart, CardApartSeen),
        ShuffleRecorded: _told(_shuffle, ShuffleSeen),
        WarningOpened: _told(_warning, WarningSeen),
        WarningClosed: _told(_cleared, WarningClearedSeen),
        CommandGiven: _told(_command, CommandSeen),
        RunBegan: _told(_run, RunSeen),
        ClockStepped: _told(_clock, ClockSeen),
        DiskLevelRecorded: _told(_disk, DiskSeen),
        PowerFailRecorded: _told(_power, PowerSeen),
        UsbDeviceRecorded: _told(_usb, UsbSeen),
    }
)


class TellingRecords(Struct, frozen=True):
    """Which records tell an audience anything, by their first bytes; others need no decoding.

    Of judgements those with one of the words: one record in three is one, and almost none of them
    tells a reader anything. Without a word each of them does.
    """

    tags: frozenset[str]
    words: tuple[bytes, ...]

    @staticmethod
    def to(audience: Audience) -> "TellingRecords":
        """Those that tell this audience."""
        forms = AUDIENCES[audience].forms
        tags = (tag(kind) for kind, told in _TOLD.items() if not told.forms.isdisjoint(forms))
        each = not forms.isdisjoint((AcceptedSeen, CardSeen, CutSeen))
        kinds = (kind for form, kinds in _WORDS.items() if form in forms for kind in kinds)
        words = () if each else tuple(tag(kind).encode() for kind in kinds)
        return TellingRecords(frozenset(tags), words)

    def may_tell(self, name: str, record: bytes) -> bool:
        """Whether this record, of an entry of that name, may tell the audience something."""
        if name not in self.tags:
            return False
        return name != JUDGED or not self.words or self.holds_word(record)

    def holds_word(self, records: bytes) -> bool:
        """Whether a judgement in these bytes may tell something."""
        return any(word in records for word in self.words)


def tag(kind: type[Struct]) -> str:
    """How records name an input, an entry or a part of one of that class."""
    return str(kind.__struct_config__.tag)


JUDGED: Final = tag(EventVerdicts)
# What a judgement that tells a form holds.
_WORDS: Final[Mapping[type[Struct], tuple[type[Struct], ...]]] = MappingProxyType(
    {
        IrregularitySeen: (Irregularity,),
        TableDeviceSeen: _PLAY_EVENTS,
        GamingDaySeen: (GamingDayChanged,),
        ClockJumpSeen: (ClockJumped,),
    }
)
