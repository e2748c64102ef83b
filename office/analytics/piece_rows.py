"""Rows of every table but the cards', from the records of consecutive shoes.

What `journal export --json` prints is built by the same builder; here it gets the columns that
analysts want beside it. A person is an id, and what people typed is left out.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from controller.archive.journal_rows import row_of
from controller.core.settings import Settings
from controller.core.state import state_of_base
from controller.journal.encoding import is_input
from controller.journal.values import Base, StoredRecord
from controller.record.audiences import DEALER_ON, Audience
from controller.record.disclose import JUDGED, TellingRecords
from controller.record.reader import RunRules, SeenReader, record_tag
from controller.record.seen import (
    ActSeen,
    CorrectionSeen,
    CoupSeen,
    DeviceSeen,
    IrregularitySeen,
    Seen,
    ShoeEndedSeen,
    ShoeOpenedSeen,
    ShuffleSeen,
    TableDeviceSeen,
)
from office.analytics.card_table import CoupCards
from office.analytics.device_rows import device_row, domain_row
from office.analytics.schema import TableName

Row: TypeAlias = dict[str, object]
Found: TypeAlias = tuple[TableName, Row]

_NS_PER_US: Final = 1_000
_NS_PER_MS: Final = 1_000_000
_TABLE_OF: Final = {
    "coup": TableName.COUPS,
    "irregularity": TableName.IRREGULARITIES,
    "decision": TableName.DECISIONS,
    "correction": TableName.CORRECTIONS,
    "shoe_ended": TableName.SHOES,
}
_TELLING: Final = TellingRecords.to(Audience.ANALYST)


class ShoeFacts(Struct, frozen=True):
    """What the rows of a shoe need beside its records; `clean` None: it is not sealed yet.

    `holds_rows` False: no judgement in them holds anything that a row is made of.
    """

    back: str = ""
    batch: str = ""
    decks: int = 0
    clean: bool | None = None
    coups: Mapping[int, CoupCards] = {}
    holds_rows: bool = True


def holds_rows(records: bytes) -> bool:
    """Whether a judgement in these records may hold something that a row is made of."""
    return _TELLING.holds_word(records)


class PieceRows(Struct):
    """Builds rows from records in order, shoe by shoe.

    `dealers` are signed on, None where that is not known. `shuffled` names for each back the device
    and the number of its last shuffle. Of the shoe: `shown` are the coups whose cards people have
    seen, `ended` is its gaming day and number once it ended, `opened_ns` and `coup_ended_ns` are
    times in UTC.
    """

    reader: SeenReader
    facts: ShoeFacts = ShoeFacts()
    dealers: tuple[str, ...] | None = ()
    shuffled: dict[str, tuple[str, int]] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    ended: tuple[str, int] | None = None
    opened_ns: int = 0
    shoe_ended_ns: int = 0
    coup_ended_ns: int = 0

    @staticmethod
    def of(rules: RunRules, base: Base) -> "PieceRows":
        """Begin after records that are not read here."""
        rows = PieceRows(SeenReader(Audience.ANALYST, rules))
        rows.reader.begin(base)
        state = state_of_base(base)
        if state is not None:
            rows.dealers = state.table.staff.dealers
            for life in state.table.lineage.lives:
                if life.proof is not None:
                    rows.shuffled[life.back] = (life.proof.device, life.proof.cycle)
        elif base.seq:
            rows.dealers = None
        return rows

    def begin_shoe(self, facts: ShoeFacts) -> None:
        """Records of the next shoe follow."""
        self.facts, self.shown, self.ended = facts, set(), None
        self.coup_ended_ns = 0

    @property
    def settings(self) -> Settings | None:
        return self.reader.settings

    @property
    def shoe(self) -> tuple[str, int]:
        """Gaming day and number: the input that ends a shoe may open the next one."""
        return self.ended or (self.reader.state.gaming_day, self.reader.state.shoe)

    def rows_of(self, stored: StoredRecord) -> Iterator[Found]:
        """The rows of this record. Raises EncodingError."""
        if is_input(stored.record):
            self.reader.take_input(stored.record)
            return
        name = record_tag(stored.record)
        if name == JUDGED and not self.facts.holds_rows:
            return
        for seen in self.reader.take_entry(stored.record, name):
            found = self._found(stored, seen)
            if found is not None:
                yield found

    def _found(self, stored: StoredRecord, seen: Seen) -> Found | None:
        row = row_of(self.reader, stored.seq, seen)
        if row is not None:
            return _TABLE_OF[str(row["kind"])], row | self._columns(seen)
        match seen:
            case ActSeen():
                self._sign(seen)
            case ShoeOpenedSeen():
                self.opened_ns = self.reader.at_ns
            case ShuffleSeen():
                return TableName.SHUFFLES, self._row(stored, self._shuffle(seen))
            case DeviceSeen():
                return self._device(stored, device_row(seen.port, seen.event))
            case TableDeviceSeen():
                return self._device(stored, domain_row(seen.event, self.settings))
            case _:
                pass
        return None

    # --- columns beside the journal's rows --------------------------------------------------------

    def _columns(self, seen: Seen) -> Row:
        more: Row = {"at_utc": self.reader.at_ns // _NS_PER_US}
        match seen:
            case CoupSeen():
                more |= self._of_coup(seen)
            case IrregularitySeen():
                more |= {"dealers": self.dealers, **self._of_run()}
            case CorrectionSeen(owed=owed):
                more |= {
                    "owed_seats": [wager.seat for wager in owed],
                    "owed_cents": [wager.cents for wager in owed],
                }
            case ShoeEndedSeen():
                more |= self._of_shoe(seen)
            case _:
                pass
        return more

    def _of_coup(self, seen: CoupSeen) -> Row:
        if seen.seen:
            self.shown.add(seen.coup)
        at_ns, before_ns = self.reader.at_ns, self.coup_ended_ns
        self.coup_ended_ns = at_ns
        cards = self.facts.coups.get(seen.coup)
        first_ns = cards.first_ns if cards is not None else None
        return {
            "clauses": seen.clauses,
            "first_card_utc": first_ns // _NS_PER_US if first_ns else None,
            "cards": cards.cards if cards is not None else 0,
            "play_ms": _ms(first_ns, at_ns),
            "pause_ms": _ms(before_ns, first_ns),
            "dealers": self.dealers,
            **self._of_batch(),
            **self._of_run(),
        }

    def _of_shoe(self, seen: ShoeEndedSeen) -> Row:
        self.ended = self.ended or (seen.gaming_day, seen.shoe)
        before_ns, self.shoe_ended_ns = self.shoe_ended_ns, self.reader.at_ns
        # The input that ends a shoe may open the next one.
        opened_ns, self.opened_ns = self.opened_ns or None, 0
        return {
            "opened_utc": opened_ns // _NS_PER_US if opened_ns else None,
            "idle_ms": _ms(before_ns, opened_ns),
            "player": seen.player,
            "banker": seen.banker,
            "tie": seen.tie,
            "void": seen.void,
            "irregularities": seen.irregularities,
            "closed_by": seen.by.person or None,
            "clean": self.facts.clean,
            "decks": self.facts.decks,
            "software": self.reader.software or None,
            **self._of_batch(),
            **self._of_run(),
        }

    def _of_batch(self) -> Row:
        device, cycle = self.shuffled.get(self.facts.back, (None, None))
        return {
            "back": self.facts.back or None,
            "batch": self.facts.batch or None,
            "shuffler": device,
            "shuffle_cycle": cycle,
        }

    def _of_run(self) -> Row:
        book, settings = self.reader.book, self.settings
        return {
            "device": settings.shoe.model if settings is not None else None,
            "profile": book.profile.name if book is not None else None,
        }

    # --- what has no row in the journal's export --------------------------------------------------

    def _sign(self, seen: ActSeen) -> None:
        """A dealer signed on or off."""
        on = seen.what == DEALER_ON
        if on or self.dealers is not None:
            others = tuple(one for one in self.dealers or () if one != seen.by.person)
            self.dealers = (*others, seen.by.person) if on else others

    def _device(self, stored: StoredRecord, row: Row | None) -> Found | None:
        if row is None:
            return None
        row["device"] = self._models().get(str(row["port"]))
        return TableName.DEVICES, self._row(stored, row)

    def _shuffle(self, seen: ShuffleSeen) -> Row:
        proof = seen.proof
        if seen.refused is None:
            self.shuffled[seen.back] = (proof.device, proof.cycle)
        return {
            "back": seen.back or None,
            "shuffler": proof.device,
            "version": proof.version or None,
            "cycle": proof.cycle,
            "compartment": proof.compartment,
            "cards": proof.count,
            "result": proof.result.value,
            "shuffle_ms": (proof.ended_us - proof.began_us) // 1_000,
            "signed": proof.signed,
            "genuine": proof.genuine,
            "refused": seen.refused.id if seen.refused is not None else None,
            "clauses": seen.clauses,
        }

    def _row(self, stored: StoredRecord, values: Row) -> Row:
        return {
            "table": self.reader.table,
            "gaming_day": self.reader.state.gaming_day,
            "shoe": self.reader.state.shoe,
            "record": stored.seq,
            "at_utc": self.reader.at_ns // _NS_PER_US,
            **values,
        }

    def _models(self) -> Mapping[str, str]:
        settings = self.settings
        return {one.port: one.model for _, one in settings.devices} if settings is not None else {}


def _ms(from_ns: int | None, until_ns: int | None) -> int | None:
    """Milliseconds between two times in nanoseconds; None where one of them is not known."""
    return (until_ns - from_ns) // _NS_PER_MS if from_ns and until_ns else None
