"""Derives a sealed file's content from records: its end, heading, card rows, packed parts.

It decides whether the card rows are all of the shoe.

Not: checking the rules: roles and results are the ones the table recorded.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.replay.upgrade import LEDGERS, UpgradeLedger
from controller.core.state import state_of_base
from controller.core.tape.entries import BatchBound, DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import (
    ends_shoe,
    holds,
    read_as,
    read_entry,
    read_input,
    received_ns,
)
from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.journal.card_row_format import (
    CHAIN_BYTES,
    NOT_READ,
    TAG_BYTES,
    CardRow,
    RowEnd,
    RowFlag,
    RowRole,
    row_bytes,
)
from controller.journal.encoding import EncodingError, is_input
from controller.journal.shoe_file import ShoeHeading, ShoeParts
from controller.journal.values import Base, Head, SavedState, StoredRecord
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    Prompt,
    RecordedCard,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CustodyFindingRaised,
    CutCardDrawn,
    ProgramReplaced,
    ReportsMissing,
)
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import (
    Action,
    ChangeSetting,
    CloseShoe,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    RequestGhostHand,
    Resolution,
)
from controller.rules.actions.choices import ActKind
from controller.rules.cards import Card, face_number
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, Outcome
from drivers.events import CardPassed

_ROLES: Final = MappingProxyType(
    {
        Place.BURN_FIRST: RowRole.BURN_FIRST,
        Place.BURN: RowRole.BURN,
        Place.BURN_EXTRA: RowRole.BURN,
        Place.PLAYER_1: RowRole.PLAYER_1,
        Place.BANKER_1: RowRole.BANKER_1,
        Place.PLAYER_2: RowRole.PLAYER_2,
        Place.BANKER_2: RowRole.BANKER_2,
        Place.PLAYER_3: RowRole.PLAYER_3,
        Place.BANKER_3: RowRole.BANKER_3,
    }
)
_OUTCOMES: Final = MappingProxyType(
    {Outcome.PLAYER: RowEnd.PLAYER, Outcome.BANKER: RowEnd.BANKER, Outcome.TIE: RowEnd.TIE}
)
_FATES: Final = MappingProxyType(
    {
        CoupFate.VOID: RowEnd.VOID,
        CoupFate.PARTIAL: RowEnd.PARTIAL,
        CoupFate.FLOOR_DECIDED: RowEnd.FLOOR_DECIDED,
    }
)
# The orders in which the cards of a complete coup are drawn.
_FIRST_FOUR: Final = (RowRole.PLAYER_1, RowRole.BANKER_1, RowRole.PLAYER_2, RowRole.BANKER_2)
_COMPLETE_COUPS: Final = (
    _FIRST_FOUR,
    (*_FIRST_FOUR, RowRole.PLAYER_3),
    (*_FIRST_FOUR, RowRole.BANKER_3),
    (*_FIRST_FOUR, RowRole.PLAYER_3, RowRole.BANKER_3),
)
# Events and acts that rows cannot represent: a shoe with one of them is never clean.
_EVENTS_NOT_IN_ROWS: Final = (
    CoupForcedOut,
    CustodyFindingRaised,
    ProgramReplaced,
    ReportsMissing,
)
_ACTS_NOT_IN_ROWS: Final = (
    ReportFaceUp,
    RequestGhostHand,
    Resolution,
    ChangeSetting,
    CloseShoe,
)


class ShoeRows:
    """Builds the rows of one shoe from its entries, added in order; `clean` is valid at its end."""

    def __init__(self, *, as_profiled: bool, opened: bool = False) -> None:
        """Start with no rows.

        `as_profiled`: before the first entry every setting has the profile's value. `opened`:
        before the first entry the shoe is open with no card drawn, as the input that ended the
        previous shoe may open the next one.
        """
        self._rows: list[CardRow] = []
        # Indexes of the rows that belong to no burn and no coup yet.
        self._cards: list[int] = []
        self._cut_cards: list[int] = []
        self._tag = b""
        self._coups = 0
        # Whether the latest event was a card drawn.
        self._drew = False
        self._open = opened
        self._ended = False
        self._complete = as_profiled
        self.as_profiled = as_profiled

    @property
    def clean(self) -> bool:
        """Whether nothing irregular happened and the rows contain the whole shoe."""
        return self._complete and self._ended

    @property
    def packed(self) -> bytes:
        """All rows as the file stores them."""
        return b"".join(map(row_bytes, self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def _mark_incomplete(self) -> None:
        """Note that something happened that rows cannot represent."""
        self._complete = False

    def begin_run(self) -> None:
        """A run of the program began: within an open shoe, rows may miss what happened between."""
        if self._open:
            self._mark_incomplete()

    def add_action(self, action: Action) -> None:
        """Add what a person did; entries concluded from it follow."""
        if isinstance(action, _ACTS_NOT_IN_ROWS):
            self._mark_incomplete()

    def add_entry(self, stored: StoredRecord, entry: Entry, utc_ns: int) -> None:
        """Add one entry; `utc_ns` is the time of the input it was concluded from."""
        if self._ended and not isinstance(entry, EventVerdicts | ShoeEnded):
            # It belongs to the next shoe, concluded from the input that ended this one.
            return
        match entry:
            case DeviceEventRecorded(event=CardPassed(tag=tag, sure=sure)):
                known = tag is not None and sure
                self._tag = sha256((tag or "").encode()).digest()[:TAG_BYTES] if known else b""
            case EventVerdicts():
                self._add_event(stored, entry, utc_ns)
            case ShoeOpened(joined=joined):
                # The first card may open its shoe itself.
                stray = len(self._cards) - self._drew
                if joined or self._open or stray:
                    self._mark_incomplete()
                self._open = True
            case BurnDone():
                self._close_burn(entry)
            case CoupClosed(record=record):
                self._close_coup(record)
            case ShoeEnded():
                self._close_shoe(entry)
            case SettingChanged():
                self.as_profiled = False
                self._mark_incomplete()
            case Refusal() | ResolutionRecorded() | CoupCorrected():
                self._mark_incomplete()
            case _:
                pass

    # --- cards -----------------------------------------------------------------------------------

    def _add_event(self, stored: StoredRecord, entry: EventVerdicts, utc_ns: int) -> None:
        event = entry.event
        self._drew = isinstance(event, CardDrawn)
        flags = RowFlag.NONE
        for verdict in entry.verdicts:
            if isinstance(verdict, Irregularity):
                flags |= RowFlag.IRREGULAR
            if verdict.provisional:
                flags |= RowFlag.SUSPENDED
        if flags or isinstance(event, _EVENTS_NOT_IN_ROWS):
            self._mark_incomplete()
        if isinstance(event, CutCardDrawn):
            if self._cards:
                self._cut_cards.append(len(self._rows))
            self._draw(stored, utc_ns, RowRole.CUT_CARD, None, Place.UNCLAIMED, flags)
        elif isinstance(event, CardDrawn):
            if event.card is None or event.again or self._ended:
                self._mark_incomplete()
            self._cards.append(len(self._rows))
            self._draw(stored, utc_ns, RowRole.OTHER, event.card, event.claimed, flags)

    def _draw(
        self,
        stored: StoredRecord,
        utc_ns: int,
        role: RowRole,
        card: Card | None,
        claimed: Place,
        flags: RowFlag,
    ) -> None:
        tag, self._tag = self._tag or bytes(TAG_BYTES), b""
        self._rows.append(
            CardRow(
                seq=stored.seq,
                utc_ns=utc_ns,
                coup=0,
                role=role,
                card=card_number(card),
                claimed=_ROLES.get(claimed, RowRole.OTHER),
                flags=flags,
                ends=RowEnd.NOT_LAST,
                declared=RowEnd.NOT_LAST,
                tag=tag,
                chain=stored.chain[:CHAIN_BYTES],
            )
        )

    # --- roles of the cards ----------------------------------------------------------------------

    def _close_burn(self, burn: BurnDone) -> None:
        mine, self._cards = self._cards[: burn.removed], self._cards[burn.removed :]
        self._cut_cards = []
        first = self._rows[mine[0]].card if mine else NOT_READ
        if not burn.proven or len(mine) != burn.removed or first != card_number(burn.first):
            self._mark_incomplete()
        for place, number in enumerate(mine):
            role = RowRole.BURN if place else RowRole.BURN_FIRST
            self._rows[number] = replace(self._rows[number], role=role)

    def _close_coup(self, record: CoupRecord) -> None:
        self._coups += 1
        if record.coup != self._coups or not _in_order(record):
            self._mark_incomplete()
        mine = self._cards_of(record)
        for number, dealt in mine:
            role = _ROLES.get(dealt.place, RowRole.OTHER)
            self._rows[number] = replace(self._rows[number], role=role, coup=record.coup)
        if tuple(self._rows[number].role for number, _ in mine) not in _COMPLETE_COUPS:
            self._mark_incomplete()
        if not mine:
            return
        for number in self._cut_cards:
            if number > mine[0][0]:
                self._rows[number] = replace(self._rows[number], coup=record.coup)
        self._cut_cards = []
        last = mine[-1][0]
        self._rows[last] = replace(
            self._rows[last],
            ends=_end_of(record),
            declared=_OUTCOMES[record.declared] if record.declared else RowEnd.NOT_LAST,
        )

    def _cards_of(self, record: CoupRecord) -> list[tuple[int, RecordedCard]]:
        """The rows of a coup's cards, in the order drawn; other cards between them are set aside.

        A card after the last of them may be the next coup's first card: at a table that reports no
        results, that card ends a coup.
        """
        dealt = [one for one in record.cards if one.carried_from is None]
        faces = [card_number(one.card) for one in dealt]
        mine = self._cards[: len(dealt)]
        if [self._rows[number].card for number in mine] != faces or record.aside:
            mine = self._find_last_drawn(faces)
        last = mine[-1] if mine else -1
        others = [number for number in self._cards if number < last and number not in mine]
        for number in others:
            row = self._rows[number]
            coup = record.coup if number > mine[0] else row.coup
            self._rows[number] = replace(row, coup=coup, flags=row.flags | RowFlag.CARRIED)
        if others or len(mine) != len(record.cards):
            self._mark_incomplete()
        self._cards = [number for number in self._cards if number > last]
        return list(zip(mine, dealt[len(dealt) - len(mine) :], strict=True))

    def _find_last_drawn(self, faces: Sequence[int]) -> list[int]:
        """The rows of these faces, searched from the end: other cards may have been drawn first."""
        found: list[int] = []
        for number in reversed(self._cards):
            if len(found) < len(faces) and self._rows[number].card == faces[-1 - len(found)]:
                found.insert(0, number)
        return found

    def _close_shoe(self, ended: ShoeEnded) -> None:
        drawn = sum(row.role is not RowRole.CUT_CARD for row in self._rows)
        whole = (ended.coups, ended.cards_drawn) == (self._coups, drawn)
        by_itself = not (ended.person or ended.reason or ended.irregularities or ended.void)
        if not (self._open and whole and by_itself) or self._cards or self._ended:
            self._mark_incomplete()
        self._open, self._ended = False, True


def card_number(card: Card | None) -> int:
    """The number of a card in a row: its face number plus one, NOT_READ for none."""
    return NOT_READ if card is None else 1 + face_number(card)


def _in_order(record: CoupRecord) -> bool:
    """Whether a coup was dealt and counted without anything unusual."""
    unusual = record.aside or record.irregular or record.suspended_cards or record.ghost
    return record.fate is CoupFate.COUNTED and record.outcome is not None and not unusual


def _end_of(record: CoupRecord) -> RowEnd:
    if record.fate is CoupFate.COUNTED:
        return _OUTCOMES[record.outcome] if record.outcome is not None else RowEnd.NOT_LAST
    return _FATES[record.fate]


class NoFinishedShoe(ValueError):
    """The records do not contain the end of a shoe."""


class FinishedShoe(Struct, frozen=True):
    """The content of a shoe's sealed file, and what the base after it needs.

    `started` is the run in force after the last record (number and record of its first input),
    `ledger` the encoded UpgradeLedger there.
    """

    heading: ShoeHeading
    rows: bytes
    parts: ShoeParts
    started: tuple[int, bytes]
    ledger: bytes

    def base(self, digest: bytes, ended: SavedState | None) -> Base:
        """The base of the live part once the file with that digest holds the shoe.

        `ended` is a saved state; it is used if it is the state after the shoe's last record.
        """
        heading = self.heading
        known = ended is not None and ended.seq == heading.last_seq
        state = (ended.software, ended.state) if ended is not None and known else ("", b"")
        head = Head(heading.last_seq, heading.chain_after)
        return Base.of(head, digest, self.started, state, self.ledger)


def shoe_records(records: Iterable[StoredRecord]) -> tuple[StoredRecord, ...]:
    """The records up to the end of the first shoe that ends in them; none if no shoe ends.

    They include every entry concluded from the input that ended the shoe: entries of one input
    are never separated.
    """
    taken: list[StoredRecord] = []
    ended = False
    for stored in records:
        if ended and is_input(stored.record):
            break
        taken.append(stored)
        ended = ended or ends_shoe(stored.record)
    return tuple(taken) if ended else ()


def shoes_ended(records: Iterable[StoredRecord]) -> tuple[ShoeEnded, ...]:
    """The ShoeEnded entries in these records, as this version reads them."""
    ends = (read_as(stored.record, ShoeEnded) for stored in records)
    return tuple(one for one in ends if one is not None)


def finished_shoe(
    table: str, base: Base, records: Sequence[StoredRecord], signer: tuple[str, bytes] = ("", b"")
) -> FinishedShoe:
    """The content of the sealed file of these records, which follow `base` and end with the shoe.

    `signer` is the algorithm and the public key of who signs, empty where nobody does.

    Raises EncodingError where a record cannot be read, and NoFinishedShoe.
    """
    collector = ShoeCollector(base)
    for stored in records:
        collector.add_record(stored)
    if collector.ended is None or not records:
        raise NoFinishedShoe(f"no shoe ends after record {base.seq}")
    ended, first, last = collector.ended, records[0], records[-1]
    begins = collector.first_run == first.seq
    known = bool(base.state)
    heading = ShoeHeading(
        table=table,
        software=collector.software,
        gaming_day=ended.gaming_day,
        shoe=ended.shoe,
        first_seq=first.seq,
        last_seq=last.seq,
        chain_before=base.chain,
        chain_after=last.chain,
        from_ns=collector.from_ns,
        until_ns=collector.until_ns,
        algorithm=signer[0],
        signer=signer[1],
        started_seq=0 if begins else base.started_seq,
        state_software=base.software if known else "",
        opened_seq=collector.opened_seq,
        clean=collector.rows.clean,
        batch=collector.batch,
        back=collector.back,
        decks=collector.decks,
        coups=ended.coups,
        irregularities=ended.irregularities,
    )
    parts = ShoeParts(
        started=b"" if begins else base.started,
        state=base.state,
        records=tuple(stored.record for stored in records),
    )
    ledger = LEDGERS.encode(collector.ledger) if collector.ledger is not None else b""
    return FinishedShoe(heading, collector.rows.packed, parts, collector.started, ledger)


class ShoeCollector:
    """Collects heading fields, rows and ledger from the records of one shoe in one pass.

    They may end before the shoe does.
    """

    def __init__(self, base: Base) -> None:
        state = state_of_base(base)
        self.ledger = ledger = _ledger_of_base(base)
        self.rows = ShoeRows(
            as_profiled=base.seq == 0 or (state is not None and not state.table.settings),
            opened=ledger is not None and _just_opened(ledger),
        )
        self.started = (base.started_seq, base.started)
        self.software = _software(base.started)
        self.ended: ShoeEnded | None = None
        self.first_run = 0
        self.opened_seq = base.started_seq
        self.from_ns = 0
        self.until_ns = 0
        self.decks = ledger.decks if ledger is not None else 0
        self._backs: dict[str, str] = {}
        self._card_back = self._moved_back = self._loaded_back = ""
        if state is not None:
            manifests = (one.manifest for one in state.custody.batches)
            self._backs = {one.back: one.batch for one in manifests}

    @property
    def back(self) -> str:
        """The back colour by the first card that has one, else by the shuffler or a person."""
        return self._card_back or self._moved_back or self._loaded_back

    @property
    def batch(self) -> str:
        return self._backs.get(self.back, "")

    def add_record(self, stored: StoredRecord) -> None:
        if holds(stored.record, Prompt):
            # One entry in four, and nothing in it is needed here.
            return
        entry = read_entry(stored.record)
        if entry is None:
            self._add_input(stored)
            return
        if self.ledger is not None:
            self.ledger = self.ledger.after(entry)
        self.rows.add_entry(stored, entry, self.until_ns)
        if self.ended is None or isinstance(entry, ShoeEnded):
            # Entries after the end, from the same input, belong to the next shoe.
            self._add_entry(entry)

    def _add_input(self, stored: StoredRecord) -> None:
        item = read_input(stored.record)
        assert item is not None, "a record that is not an entry is an input"
        self.until_ns = received_ns(item)
        self.from_ns = self.from_ns or self.until_ns
        if isinstance(item, Started):
            self.started = (stored.seq, stored.record)
            self.first_run = self.first_run or stored.seq
            self.software = item.software
            self.rows.begin_run()
        elif isinstance(item, OperatorAction):
            self.rows.add_action(item.action)
            match item.action:
                case RecordAct(kind=ActKind.LOADED, batch=back):
                    self._loaded_back = back

    def _add_entry(self, entry: Entry) -> None:
        match entry:
            case ShoeOpened(decks=decks):
                self.opened_seq, self.decks = self.started[0], decks
            case ShoeEnded():
                self.ended = entry
            case BatchBound(batch=batch, back=back):
                self._backs[back] = batch
            case StageChange(batch=back, after=BatchStage.IN_PLAY):
                self._moved_back = back
            case EventVerdicts(event=CardDrawn(back=back)):
                self._card_back = self._card_back or back
            case _:
                pass


def _software(started: bytes) -> str:
    """The version in the first input of a run; empty where there is no run."""
    item = read_input(started) if started else None
    return item.software if isinstance(item, Started) else ""


def _just_opened(ledger: UpgradeLedger) -> bool:
    """Whether the shoe is open from its beginning with no card drawn."""
    return ledger.open and ledger.burning and not (ledger.coups or ledger.cards)


def _ledger_of_base(base: Base) -> UpgradeLedger | None:
    if base.seq == 0:
        return UpgradeLedger()
    try:
        return LEDGERS.decode(base.ledger) if base.ledger else None
    except EncodingError:
        return None
