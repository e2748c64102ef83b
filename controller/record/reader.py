"""Reads stored records in order as what one audience may have: the same as when it happened.

A record that tells the audience nothing is not decoded.
Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec.structs import replace

from controller.core.build import read_rules
from controller.core.settings import Settings
from controller.core.state import state_of_base
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.encoding import EncodingError, is_input, tag_of, unwrap
from controller.journal.values import Base, StoredRecord
from controller.procedure.effects import SettingChanged, ShoeOpened
from controller.procedure.rulebook import RuleBook
from controller.record.audiences import Audience
from controller.record.disclose import Circumstances, TellingRecords, disclose, tag
from controller.record.disclosure_state import DisclosureState
from controller.record.seen import RunSeen, Seen
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError

# More than the mark of a record, the head of its map and its tag.
_LEADING_BYTES: Final = 64
_STARTED: Final = tag(Started)
# They change what people have seen, or where a shoe begins.
_CHANGE_STATE: Final = frozenset((tag(ShoeOpened), tag(SettingChanged)))


def record_tag(record: bytes) -> str:
    """The name of the input or entry in a record; only its first bytes are read."""
    return tag_of(unwrap(record[:_LEADING_BYTES])[1])


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


class SeenReader:
    """Follows records for an audience that is shown no card before the end of its coup.

    `book` and `settings` are those of the newest run, None where this version cannot read them;
    `software` is its version. `in_play`: the records are of a coup that is not finished.
    """

    def __init__(self, audience: Audience, rules: RunRules) -> None:
        self.rules = rules
        self.book: RuleBook | None = None
        self.settings: Settings | None = None
        self.table = self.software = ""
        self.state = DisclosureState()
        self.in_play = False
        self._audience = audience
        self._telling = TellingRecords.to(audience)
        self._input = b""
        self._item: Input | None = None

    def begin(self, base: Base) -> None:
        """Continue after records that may be archived: rules, shoe and table are in the base."""
        if base.started:
            self.take_input(base.started)
        state = state_of_base(base)
        if state is not None:
            day, shoe = state.table.shoe_day, state.table.shoe_number
            known = replace(self.state, gaming_day=day, shoe=shoe, changed=state.table.settings)
        else:
            known = replace(self.state, changed=() if base.seq == 0 else None)
        self.state = known.by_rules(self.book)

    def take(self, stored: StoredRecord) -> tuple[Seen, ...]:
        """What the audience may have of this record. Raises EncodingError."""
        if is_input(stored.record):
            self.take_input(stored.record)
            return ()
        return self.take_entry(stored.record, record_tag(stored.record))

    def take_entry(self, record: bytes, name: str) -> tuple[Seen, ...]:
        """Of the record of an entry of that name. Raises EncodingError."""
        if not (name in _CHANGE_STATE or self._telling.may_tell(name, record)):
            return ()
        entry = read_entry(record)
        assert entry is not None, "a record that is not an input is an entry"
        state = replace(self.state, face_up=False) if self.in_play else self.state
        given = Circumstances(book=self.book, act=self.act)
        told = disclose(entry, state, self._audience, given)
        if not isinstance(entry, EventVerdicts):
            self.state = self.state.after(entry, self.book)
        for seen in told:
            if isinstance(seen, RunSeen):
                self.table = seen.table
        return told

    def take_input(self, record: bytes) -> None:
        """Keep an input; where it begins a run, read the rules in it. Raises EncodingError."""
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
        self.state = self.state.by_rules(self.book)

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
