"""A finished shoe from its records: where it ends, its heading, its rows, what is packed with them.

Responsible for: cutting the records at a shoe's end, and telling from them all that stands in the
shoe's sealed file, and where the live part begins after it.
Not responsible for: the bytes of the file (journal.shoe_file), the rows' contents (shoe_rows), who
signs (signer), and for when and where it is written (seal_desk).
Source: controller/journal/README.md, "Base", "Shoe file"; package README, "Evidence".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from controller.archive.card_rows import ShoeRows
from controller.core.state import CoreState
from controller.custody.batch_life.stages import BatchStage
from controller.journal.encoding.codec import CanonicalError, Codec, OlderCodec, plain_of
from controller.journal.record import RecordKind, unwrap
from controller.journal.shoe_file import ShoeHeading, ShoeParts
from controller.journal.values import Base, Checkpoint, Head, StoredRecord
from controller.procedure.act_kinds import ActKind
from controller.procedure.effects import BatchMoved, ShoeEnded, ShoeOpened
from controller.procedure.events import ActRecorded, CardDrawn
from controller.replay.upgrade import Ledger
from controller.tape.entries import BatchBound, Entry, Judged
from controller.tape.records import read_older_entry

LEDGERS: Final[Codec[Ledger]] = Codec(Ledger)


class NoShoe(ValueError):
    """These records do not hold the end of a shoe."""


@dataclass(frozen=True, slots=True)
class FinishedShoe:
    """All that goes into the file of a shoe, and what is known after its last record: the run in

    force there (number and record of its first input), and what another version takes over.
    """

    heading: ShoeHeading
    rows: bytes
    parts: ShoeParts
    started: tuple[int, bytes]
    ledger: bytes

    def base(self, digest: bytes, ended: Checkpoint | None) -> Base:
        """Where the live part begins once the file with that digest holds the shoe.

        `ended` is the state after a record; it is kept where that record is the shoe's last one.
        """
        heading = self.heading
        known = ended is not None and ended.seq == heading.last_seq
        state = (ended.software, ended.state) if ended is not None and known else ("", b"")
        head = Head(heading.last_seq, heading.chain_after)
        return Base.of(head, digest, self.started, state, self.ledger)


def shoe_records(records: Iterable[StoredRecord]) -> tuple[StoredRecord, ...]:
    """The records up to the end of the first shoe that ends in them; none where none does.

    The end is the last conclusion of the input that ended the shoe: what was concluded from one
    input is never taken apart.
    """
    taken: list[StoredRecord] = []
    ended = False
    for stored in records:
        kind, value = unwrap(stored.record)
        if ended and kind is RecordKind.INPUT:
            break
        taken.append(stored)
        ended = ended or (kind is RecordKind.ENTRY and _is_a("ShoeEnded", value))
    return tuple(taken) if ended else ()


def shoes_ended(records: Iterable[StoredRecord]) -> tuple[ShoeEnded, ...]:
    """The ends of shoes in these records, as this version reads them."""
    ends = []
    for stored in records:
        if b"ShoeEnded" in stored.record:
            entry = read_older_entry(stored.record)
            ends += [entry] if isinstance(entry, ShoeEnded) else []
    return tuple(ends)


def _is_a(name: str, value: bytes) -> bool:
    """Whether an entry is of that class; any text in it may hold the name, too."""
    if name.encode() not in value:
        return False
    plain = plain_of(value)
    return isinstance(plain, dict) and plain.get("type") == name


def finished_shoe(
    table: str, base: Base, records: Sequence[StoredRecord], signer: bytes = b""
) -> FinishedShoe:
    """What the sealed file of these records says. They come after `base` and end with the shoe.

    Raises CanonicalError where a record cannot be read, and NoShoe.
    """
    telling = _Telling(base)
    for stored in records:
        telling.take(stored)
    if telling.ended is None or not records:
        raise NoShoe(f"no shoe ends after record {base.seq}")
    ended, first, last = telling.ended, records[0], records[-1]
    begins = telling.first_run == first.seq
    known = bool(base.state)
    heading = ShoeHeading(
        table=table,
        software=telling.software,
        gaming_day=ended.gaming_day,
        shoe=ended.shoe,
        first_seq=first.seq,
        last_seq=last.seq,
        chain_before=base.chain,
        chain_after=last.chain,
        from_ns=telling.from_ns,
        until_ns=telling.until_ns,
        previous=base.seal,
        signer=signer,
        started_seq=0 if begins else base.started_seq,
        state_software=base.software if known else "",
        opened_seq=telling.opened_seq,
        clean=telling.rows.clean,
        batch=telling.batch,
        back=telling.back,
        decks=telling.decks,
        coups=ended.coups,
        irregularities=ended.irregularities,
    )
    parts = ShoeParts(
        started=b"" if begins else base.started,
        state=base.state,
        records=tuple(stored.record for stored in records),
    )
    ledger = LEDGERS.encode(telling.ledger) if telling.ledger is not None else b""
    return FinishedShoe(heading, telling.rows.packed, parts, telling.started, ledger)


class _Telling:
    """What the records of one shoe say, gathered in one pass."""

    def __init__(self, base: Base) -> None:
        state = state_at(base)
        self.ledger = ledger = _ledger_at(base)
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
        """The back of the shoe's cards: as a card of it told, else the shuffler, else a person."""
        return self._card_back or self._moved_back or self._loaded_back

    @property
    def batch(self) -> str:
        return self._backs.get(self.back, "")

    def take(self, stored: StoredRecord) -> None:
        kind, value = unwrap(stored.record)
        if kind is RecordKind.INPUT:
            self._input(stored, value)
            return
        if _is_a("Prompted", value):
            # One entry in four, and it says nothing that counts here.
            return
        entry = read_older_entry(stored.record)
        if entry is None:
            self.rows.not_whole()
            return
        if self.ledger is not None:
            self.ledger = self.ledger.after(entry)
        self.rows.take(stored, entry, self.until_ns)
        if self.ended is None or isinstance(entry, ShoeEnded):
            # What came after the end, from the same input, is of the next shoe.
            self._entry(entry)

    def _input(self, stored: StoredRecord, value: bytes) -> None:
        plain = plain_of(value)
        if not isinstance(plain, dict):
            raise CanonicalError(f"record {stored.seq} is no input")
        self.until_ns = _utc_ns(stored, plain)
        self.from_ns = self.from_ns or self.until_ns
        if plain.get("type") == "Started":
            self.started = (stored.seq, stored.record)
            self.first_run = self.first_run or stored.seq
            self.software = str(plain.get("software", ""))
            self.rows.began_run()

    def _entry(self, entry: Entry) -> None:
        match entry:
            case ShoeOpened(decks=decks):
                self.opened_seq, self.decks = self.started[0], decks
            case ShoeEnded():
                self.ended = entry
            case BatchBound(batch=batch, back=back):
                self._backs[back] = batch
            case BatchMoved(batch=back, after=BatchStage.IN_PLAY):
                self._moved_back = back
            case Judged(event=CardDrawn(back=back)):
                self._card_back = self._card_back or back
            case Judged(event=ActRecorded(kind=ActKind.LOADED, batch=back)):
                self._loaded_back = back
            case _:
                pass


def _utc_ns(stored: StoredRecord, plain: dict[object, object]) -> int:
    """When an input came: of chunks in one record the last, which alone can have concluded."""
    at, chunks = plain.get("at"), plain.get("chunks")
    first = at.get("utc_ns") if isinstance(at, dict) else None
    if not isinstance(first, int):
        raise CanonicalError(f"record {stored.seq} does not say when its input came")
    match chunks:
        case [*_, [int(), int(later), bytes()]]:
            return first + later
        case _:
            return first


def _software(started: bytes) -> str:
    """The version that the first input of a run names; empty where there is no run."""
    if not started:
        return ""
    plain = plain_of(unwrap(started)[1])
    return str(plain.get("software", "")) if isinstance(plain, dict) else ""


@cache
def _older_states() -> OlderCodec[CoreState]:
    return OlderCodec(CoreState)


@cache
def _older_ledgers() -> OlderCodec[Ledger]:
    return OlderCodec(Ledger)


def state_at(base: Base) -> CoreState | None:
    """The state at a base as this version understands it; None where it is not known."""
    if not base.state_holds:
        return None
    try:
        return _older_states().decode(base.state)
    except CanonicalError:
        return None


def _just_opened(ledger: Ledger) -> bool:
    """Whether the shoe was opened, from its beginning, and no card of it was drawn."""
    return ledger.open and ledger.burning and not (ledger.coups or ledger.cards)


def _ledger_at(base: Base) -> Ledger | None:
    if base.seq == 0:
        return Ledger()
    try:
        return _older_ledgers().decode(base.ledger) if base.ledger else None
    except CanonicalError:
        return None
