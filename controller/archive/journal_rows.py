"""Builds rows from records in order: coups, corrections, irregularities, decisions, ends of shoes.

Disclosure is applied. The rows that `journal export --json` prints and those of its tables are
these. A record that no row needs is not decoded.
Source: D-8.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import ClassVar, Final, TypeAlias

from msgspec import Struct, field

from controller.archive.finished_shoe import state_of_base
from controller.core.build import read_rules
from controller.core.settings import Settings
from controller.core.tape.entries import Entry, EventVerdicts, RunBegan
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.encoding import EncodingError, is_input, tag_of, unwrap
from controller.journal.values import Base, StoredRecord
from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.people.setting_changes import DECKS, changed_book, setting_text
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ChangedSetting
from controller.procedure.verdicts import Irregularity
from controller.record.coup import closed_coup_view
from controller.record.disclosure import irregularity_withheld, record_seen
from controller.record.snapshot import cards_words
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.profiles.borrowing import with_borrowed
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError
from controller.rules.setting_values import DealOption
from controller.system.messages.catalogue import to_words
from foundation.message import Message

JsonRow: TypeAlias = dict[str, object]

_NS_PER_S: Final = 1_000_000_000
# More than the mark of a record, the head of its map and its tag.
_LEADING_BYTES: Final = 64


def tag(kind: type[Struct]) -> str:
    """How records name an input or entry of that class."""
    return str(kind.__struct_config__.tag)


def record_tag(record: bytes) -> str:
    """The name of the input or entry in a record; only its first bytes are read."""
    return tag_of(unwrap(record[:_LEADING_BYTES])[1])


def time_text(at_ns: int) -> str:
    """A UTC time in nanoseconds as text."""
    moment = datetime.fromtimestamp(at_ns // _NS_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ns % _NS_PER_S:09}Z"


_STARTED: Final = tag(Started)
_JUDGED: Final = tag(EventVerdicts)
_IRREGULAR: Final = tag(Irregularity).encode()
_READ: Final = frozenset(
    (
        tag(RunBegan),
        tag(ShoeOpened),
        tag(CoupClosed),
        tag(ResolutionRecorded),
        tag(CoupCorrected),
        tag(ShoeEnded),
        tag(SettingChanged),
    )
)


class RunRules:
    """The settings and rules of runs, read once for runs that have the same."""

    CACHED_MAX: ClassVar[int] = 64

    def __init__(self, clauses: Mapping[str, Clause]) -> None:
        self._clauses = clauses
        self._read: dict[tuple[bytes, bytes, int], tuple[Settings, RuleBook]] = {}

    def of(self, started: Started) -> tuple[Settings, RuleBook]:
        """Of the run that begins so. Raises EncodingError, ProfileError, ValueError."""
        key = (started.configuration, started.profile, started.record_format)
        if key not in self._read:
            if len(self._read) >= self.CACHED_MAX:
                self._read.clear()
            self._read[key] = read_rules(started, self._clauses)
        return self._read[key]


class JournalRows(Struct):
    """Builds rows from records in order; keeps the rules, table, shoe, time and act they need.

    `settings_known`: whether `changed` are all settings that were changed at the table; where they
    are not, cards are shown as at a table that deals face down. `entry` is the newest entry that
    rows were built from, `software` the version of the newest run. `in_play`: the records are of a
    coup that is not finished.
    """

    rules: RunRules
    book: RuleBook | None = None
    settings: Settings | None = None
    table: str = ""
    gaming_day: str = ""
    shoe: int = 0
    changed: dict[str, ChangedSetting] = field(default_factory=dict)
    settings_known: bool = True
    software: str = ""
    entry: Entry | None = None
    in_play: bool = False
    _input: bytes = b""
    _item: Input | None = None

    def begin(self, base: Base) -> None:
        """Continue after records that may be archived: rules, shoe and table are in the base."""
        if base.started:
            self.take_input(base.started)
        state = state_of_base(base)
        self.settings_known = base.seq == 0 or state is not None
        if state is not None:
            self.gaming_day, self.shoe = state.table.shoe_day, state.table.shoe_number
            self.changed = {one.setting: one for one in state.table.settings}

    def rows_of(self, stored: StoredRecord) -> Iterator[JsonRow]:
        """The rows of this record; `at` is UTC in nanoseconds. Raises EncodingError."""
        if is_input(stored.record):
            self.take_input(stored.record)
        else:
            yield from self.rows_of_entry(stored, record_tag(stored.record))

    def rows_of_entry(self, stored: StoredRecord, name: str) -> Iterator[JsonRow]:
        """The rows of a record that holds the entry of that name. Raises EncodingError."""
        # One record in three is a judgement, and almost none of them holds an irregularity.
        if name not in _READ and not (name == _JUDGED and _IRREGULAR in stored.record):
            return
        self.entry = read_entry(stored.record)
        match self.entry:
            case EventVerdicts(verdicts=verdicts):
                for verdict in verdicts:
                    if isinstance(verdict, Irregularity):
                        yield self._row(stored, "irregularity", self._irregularity(verdict))
            case CoupClosed(record=record):
                self.gaming_day, self.shoe = record.gaming_day, record.shoe
                yield self._row(stored, "coup", self._coup(record))
            case ResolutionRecorded() as decision:
                yield self._row(stored, "decision", {**_decision(decision), **self._proofs()})
            case CoupCorrected() as corrected:
                yield self._row(stored, "correction", {**_correction(corrected), **self._proofs()})
            case ShoeEnded() as ended:
                counted: JsonRow = {"coups": ended.coups, "cards_drawn": ended.cards_drawn}
                yield self._row(stored, "shoe_ended", counted)
            case other:
                self._keep(other)

    def _keep(self, entry: Entry | None) -> None:
        """Keep what later rows need of an entry that has no row."""
        match entry:
            case RunBegan(table=table):
                self.table = table
            case ShoeOpened(gaming_day=day, shoe=shoe):
                self.gaming_day, self.shoe = day, shoe
            case SettingChanged() as changed:
                self._change(changed)
            case _:
                pass

    # --- what the rows need of the inputs ---------------------------------------------------------

    def take_input(self, record: bytes) -> None:
        """Keep an input; where it begins a run, read the rules in it."""
        self._input, self._item = record, None
        if record_tag(record) != _STARTED:
            return
        item = self.item
        assert isinstance(item, Started)
        self.software = item.software
        try:
            self.settings, self.book = self.rules.of(item)
            self.table = self.settings.table
        except (EncodingError, ProfileError, ValueError):
            self.settings = self.book = None

    @property
    def item(self) -> Input | None:
        """The newest input, of a run of chunks the last; None before the first."""
        if self._item is None and self._input:
            item = read_input(self._input)
            assert item is not None, "a record that is not an entry is an input"
            self._item = inputs_in(item)[-1]
        return self._item

    @property
    def at_ns(self) -> int:
        """The UTC time of the newest input in nanoseconds; 0 before the first."""
        item = self.item
        return item.at.utc_ns if item is not None else 0

    @property
    def act(self) -> OperatorAction[Action] | None:
        """The newest input if it is the action of a person."""
        return self.item if isinstance(self.item, OperatorAction) else None

    # --- what people have seen --------------------------------------------------------------------

    def _change(self, change: SettingChanged) -> None:
        """Note a setting that was changed at the table, as the table does."""
        if self.book is None:
            self.settings_known = False
            return
        known = self.changed.pop(change.setting, None)
        file_value = known.file_value if known else setting_text(self.book, change.setting)
        if change.new != file_value or change.setting == DECKS:
            self.changed[change.setting] = ChangedSetting(
                change.setting, change.new, file_value, ""
            )

    @property
    def rules_in_force(self) -> RuleBook | None:
        """The rules with the settings that were changed at the table; None if they are unknown."""
        if self.book is None or not self.settings_known:
            return None
        return changed_book(self.book, tuple(self.changed.values())) if self.changed else self.book

    def coup_shown(self, record: CoupRecord) -> bool:
        """Whether people have seen the cards of a finished coup."""
        rules = self.rules_in_force
        face_up = rules is not None and rules.values.deal_option is DealOption.FACE_UP
        return record_seen(record, face_up=face_up)

    # --- rows -------------------------------------------------------------------------------------

    def _proofs(self) -> JsonRow:
        """How it is known who took the action that the entry was concluded from."""
        act = self.act
        if act is None:
            return {}
        return {"proof": act.proof.value, "second_proof": act.second_proof.value}

    def _row(self, stored: StoredRecord, kind: str, values: JsonRow) -> JsonRow:
        return {
            "kind": kind,
            "record": stored.seq,
            "at": self.at_ns,
            "table": self.table,
            "gaming_day": self.gaming_day,
            "shoe": self.shoe,
            **values,
        }

    def _coup(self, record: CoupRecord) -> JsonRow:
        book = self.rules_in_force or (self.book if self.coup_shown(record) else None)
        seen = closed_coup_view(book, record) if book is not None else None
        return {
            "coup": record.coup,
            "fate": record.fate.value,
            "outcome": record.outcome.value if record.outcome is not None else None,
            "declared": record.declared.value if record.declared is not None else None,
            "player": seen and cards_words(seen.player.cards),
            "banker": seen and cards_words(seen.banker.cards),
            "player_count": seen and seen.player.count.value,
            "banker_count": seen and seen.banker.count.value,
            "natural": seen and bool(seen.natural.value),
            "player_pair": seen and bool(seen.player_pair.value),
            "banker_pair": seen and bool(seen.banker_pair.value),
            "irregularities": list(record.irregular),
            "ghost": record.ghost,
        }

    def _irregularity(self, one: Irregularity) -> JsonRow:
        kind = CATALOGUE[one.code]
        clauses: tuple[str, ...] = ()
        if self.book is not None:
            rules = self.rules_in_force
            hidden = (
                self.in_play
                or rules is None
                or irregularity_withheld(rules, None, provisional=one.provisional)
            )
            clauses = self.book.clauses(*kind.points) if hidden else one.clauses
        row: JsonRow = {
            "number": one.number,
            "coup": one.coup,
            "code": one.code.value,
            "title": to_words(Message(one.code.value)),
            "clauses": list(clauses),
            "suspends": one.suspends,
        }
        return with_borrowed(self.book.document, row) if self.book is not None else row


def _decision(one: ResolutionRecorded) -> JsonRow:
    return {
        "person": one.person,
        "second": one.second or None,
        "reason": one.reason,
        "decision": one.decision.value,
        "outcome": one.outcome,
        "closed": list(one.closed),
    }


def _correction(one: CoupCorrected) -> JsonRow:
    return {
        "gaming_day": one.gaming_day,
        "shoe": one.shoe,
        "coup": one.coup,
        "counted": one.counted.value,
        "before": one.before.value,
        "outcome": one.outcome.value,
        "person": one.person,
        "second": one.second,
        "reason": one.reason,
        "owed": [{"seat": each.seat, "cents": each.cents} for each in one.owed],
    }
