"""Derives a sealed file's content from records: its end, heading, rows, packed parts."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from controller.archive.card_rows import ShoeRows
from controller.archive.replay.upgrade import LEDGERS, UpgradeLedger
from controller.core.state import STORED_STATES, StoredState
from controller.core.tape.entries import BatchBound, Entry, EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import holds, read_as, read_entry, read_input, received_ns
from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.journal.encoding import EncodingError
from controller.journal.record import is_input
from controller.journal.shoe_file import ShoeHeading, ShoeParts
from controller.journal.values import Base, Head, SavedState, StoredRecord
from controller.procedure.effects import Prompt, ShoeEnded, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind


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
        ended = ended or holds(stored.record, ShoeEnded)
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


def state_of_base(base: Base) -> StoredState | None:
    """The state at a base as this version reads it; None where it is unknown or unreadable."""
    if not base.state_holds:
        return None
    try:
        return STORED_STATES.decode(base.state)
    except EncodingError:
        return None


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
