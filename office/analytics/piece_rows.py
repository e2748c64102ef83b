"""Rows of every table but the cards', from the records of consecutive shoes.

What `journal export --json` prints is built by the same builder; here it gets the columns that
analysts want beside it. A person is an id, and what people typed is left out.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from controller.archive.finished_shoe import state_of_base
from controller.archive.journal_rows import JournalRows, JsonRow, RunRules, record_tag, tag
from controller.core.settings import Settings
from controller.core.tape.entries import DeviceEventRecorded, EventVerdicts
from controller.core.tape.records import read_entry
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.encoding import is_input
from controller.journal.values import Base, StoredRecord
from controller.procedure.effects import ActRecord, CoupClosed, ShoeEnded, ShoeOpened
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import SignDealerOff, SignDealerOn
from controller.rules.setting_values import BurnDisclosure
from office.analytics.card_table import CoupCards
from office.analytics.device_rows import TOLD_BY_EVENTS, device_row, domain_row
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
_ON, _OFF = tag(SignDealerOn), tag(SignDealerOff)
_JUDGED: Final = tag(EventVerdicts)
_TOLD: Final = (tag(Irregularity).encode(), *TOLD_BY_EVENTS)
_OTHERS: Final = frozenset(
    (tag(ActRecord), tag(ShoeOpened), tag(ShuffleRecorded), tag(DeviceEventRecorded))
)


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
    return any(word in records for word in _TOLD)


class PieceRows(Struct):
    """Builds rows from records in order, shoe by shoe.

    `dealers` are signed on, None where that is not known. `shuffled` names for each back the device
    and the number of its last shuffle. Of the shoe: `shown` are the coups whose cards people have
    seen, `opened_ns` and `coup_ended_ns` times in UTC.
    """

    journal: JournalRows
    facts: ShoeFacts = ShoeFacts()
    dealers: tuple[str, ...] | None = ()
    shuffled: dict[str, tuple[str, int]] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    opened_ns: int = 0
    shoe_ended_ns: int = 0
    coup_ended_ns: int = 0

    @staticmethod
    def of(rules: RunRules, base: Base) -> "PieceRows":
        """Begin after records that are not read here."""
        rows = PieceRows(JournalRows(rules))
        rows.journal.begin(base)
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
        self.facts, self.shown = facts, set()
        self.coup_ended_ns = 0

    @property
    def settings(self) -> Settings | None:
        return self.journal.settings

    @property
    def burn_shown(self) -> bool:
        """Whether people have seen more of a burn than its first card."""
        rules = self.journal.rules_in_force
        return rules is not None and rules.values.burn_cards_disclosed is BurnDisclosure.ALL

    def rows_of(self, stored: StoredRecord) -> Iterator[Found]:
        """The rows of this record. Raises EncodingError."""
        if is_input(stored.record):
            self.journal.take_input(stored.record)
            return
        name = record_tag(stored.record)
        if name == _JUDGED and not self.facts.holds_rows:
            return
        yield from self._others(stored, name)
        for row in self.journal.rows_of_entry(stored, name):
            yield self._with_columns(row)

    # --- rows of the journal's export -------------------------------------------------------------

    def _with_columns(self, row: JsonRow) -> Found:
        kind = str(row["kind"])
        more: Row = {"at_utc": self.journal.at_ns // _NS_PER_US}
        match kind:
            case "coup":
                more |= self._of_coup(int(str(row["coup"])))
            case "irregularity":
                more |= {"dealers": self.dealers, **self._of_run()}
            case "correction":
                owed: list[dict[str, int]] = row["owed"]  # type: ignore[assignment]
                more |= {
                    "owed_seats": [one["seat"] for one in owed],
                    "owed_cents": [one["cents"] for one in owed],
                }
            case "shoe_ended":
                more |= self._of_shoe()
            case _:
                pass
        return _TABLE_OF[kind], row | more

    def _of_coup(self, coup: int) -> Row:
        closed = self.journal.entry
        assert isinstance(closed, CoupClosed)
        seen = self.journal.coup_shown(closed.record)
        if seen:
            self.shown.add(coup)
        at_ns, before_ns = self.journal.at_ns, self.coup_ended_ns
        self.coup_ended_ns = at_ns
        cards = self.facts.coups.get(coup)
        first_ns = cards.first_ns if cards is not None else None
        return {
            "clauses": closed.clauses if seen else (),
            "first_card_utc": first_ns // _NS_PER_US if first_ns else None,
            "cards": cards.cards if cards is not None else 0,
            "play_ms": _ms(first_ns, at_ns),
            "pause_ms": _ms(before_ns, first_ns),
            "dealers": self.dealers,
            **self._of_batch(),
            **self._of_run(),
        }

    def _of_shoe(self) -> Row:
        ended = self.journal.entry
        assert isinstance(ended, ShoeEnded)
        before_ns, self.shoe_ended_ns = self.shoe_ended_ns, self.journal.at_ns
        # The input that ends a shoe may open the next one.
        opened_ns, self.opened_ns = self.opened_ns or None, 0
        return {
            "opened_utc": opened_ns // _NS_PER_US if opened_ns else None,
            "idle_ms": _ms(before_ns, opened_ns),
            "player": ended.player,
            "banker": ended.banker,
            "tie": ended.tie,
            "void": ended.void,
            "irregularities": ended.irregularities,
            "closed_by": ended.person or None,
            "clean": self.facts.clean,
            "decks": self.facts.decks,
            "software": self.journal.software or None,
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
        book, settings = self.journal.book, self.settings
        return {
            "device": settings.shoe.model if settings is not None else None,
            "profile": book.profile.name if book is not None else None,
        }

    # --- rows of other records --------------------------------------------------------------------

    def _others(self, stored: StoredRecord, name: str) -> Iterator[Found]:
        if name not in _OTHERS and not (
            name == _JUDGED and any(word in stored.record for word in TOLD_BY_EVENTS)
        ):
            return
        row: Row | None = None
        match read_entry(stored.record):
            case ActRecord(what=what, person=person) if what in (_ON, _OFF):
                others = tuple(one for one in self.dealers or () if one != person)
                if what == _ON or self.dealers is not None:
                    self.dealers = (*others, person) if what == _ON else others
            case ShoeOpened():
                self.opened_ns = self.journal.at_ns
            case ShuffleRecorded() as shuffle:
                yield TableName.SHUFFLES, self._row(stored, self._shuffle(shuffle))
            case DeviceEventRecorded(port=port, event=event):
                row = device_row(port, event)
            case EventVerdicts(event=event):
                row = domain_row(event, self.settings)
            case _:
                pass
        if row is not None:
            row["device"] = self._models().get(str(row["port"]))
            yield TableName.DEVICES, self._row(stored, row)

    def _shuffle(self, shuffle: ShuffleRecorded) -> Row:
        proof = shuffle.proof
        if shuffle.refused is None:
            self.shuffled[shuffle.batch] = (proof.device, proof.cycle)
        return {
            "back": shuffle.batch or None,
            "shuffler": proof.device,
            "version": proof.version or None,
            "cycle": proof.cycle,
            "compartment": proof.compartment,
            "cards": proof.count,
            "result": proof.result.value,
            "shuffle_ms": (proof.ended_us - proof.began_us) // 1_000,
            "signed": proof.signed,
            "genuine": proof.genuine,
            "refused": shuffle.refused.id if shuffle.refused is not None else None,
            "clauses": shuffle.clauses,
        }

    def _row(self, stored: StoredRecord, values: Row) -> Row:
        return {
            "table": self.journal.table,
            "gaming_day": self.journal.gaming_day,
            "shoe": self.journal.shoe,
            "record": stored.seq,
            "at_utc": self.journal.at_ns // _NS_PER_US,
            **values,
        }

    def _models(self) -> Mapping[str, str]:
        settings = self.settings
        return {one.port: one.model for _, one in settings.devices} if settings is not None else {}


def _ms(from_ns: int | None, until_ns: int | None) -> int | None:
    """Milliseconds between two times in nanoseconds; None where one of them is not known."""
    return (until_ns - from_ns) // _NS_PER_MS if from_ns and until_ns else None
