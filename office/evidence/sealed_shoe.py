"""Reads a sealed shoe file into its entries, each with its time and the action that caused it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from controller.core.build import read_rules
from controller.core.gaming_day import build_calendar
from controller.core.state import STORED_STATES
from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import (
    inputs_in,
    read_as,
    read_entry,
    read_input,
)
from controller.journal.encoding import EncodingError, RecordKind, plain_value, unwrap
from controller.journal.shoe_file import ShoeFile, ShoeFileError, ShoeHeading
from controller.journal.values import StoredRecord
from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.profiles.borrowing import CITING
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError
from controller.rules.setting_values import DealOption

EntryT = TypeVar("EntryT", bound=Entry)

_DEAL_OPTION: Final = "deal_option"


class ShoeEntry(Struct, frozen=True):
    """An entry: record `seq`, concluded from input number `cause`, which arrived at `utc_ns`.

    `action` is the person's action it was concluded from, if any; `record` has the bytes.
    """

    seq: int
    cause: int
    utc_ns: int
    action: OperatorAction[Action] | None
    entry: Entry | None
    record: bytes

    @property
    def judged_action(self) -> Action | None:
        """The person's action whose verdicts this entry holds, if any."""
        judged = isinstance(self.entry, EventVerdicts) and self.entry.event is None
        return self.action.action if judged and self.action is not None else None

    def plain(self) -> object:
        """The record as plain JSON values, bytes as hex digits."""
        return _without_bytes(plain_value(unwrap(self.record)[1]))


class ShoeAccount(Struct, frozen=True):
    """The contents of a sealed file. `zone` is the table's; `face_up`: cards are dealt face up.

    `document` is the rule document of its profile, "" where that cannot be read: a clause of any
    other one is borrowed. `later` are corrections of its coups that were made after the shoe's end.
    """

    heading: ShoeHeading
    digest: bytes
    signature: bytes
    entries: tuple[ShoeEntry, ...]
    zone: ZoneInfo
    face_up: bool
    document: str = ""
    later: tuple[ShoeEntry, ...] = ()

    @property
    def corrections(self) -> tuple[CoupCorrected, ...]:
        """The corrections of coups of this shoe, in order."""
        entries = (one.entry for one in (*self.entries, *self.later))
        return tuple(
            one
            for one in entries
            if isinstance(one, CoupCorrected) and self.is_named_by(one.gaming_day, one.shoe)
        )

    @property
    def opened_seq(self) -> int:
        """The record that opened the shoe; before it the shoe before was at the table. 0: none."""
        opened = (
            one.seq
            for one in self.entries
            if isinstance(one.entry, ShoeOpened)
            and self.is_named_by(one.entry.gaming_day, one.entry.shoe)
        )
        return next(opened, 0)

    @property
    def ended(self) -> ShoeEnded | None:
        """How it ended; None where the file does not hold that."""
        found = (one for one in self.entries_of(ShoeEnded) if one.shoe == self.number)
        return next(found, None)

    @property
    def irregularities(self) -> tuple[Irregularity, ...]:
        """Every irregularity of the file in order, also those raised before the shoe was opened."""
        return tuple(
            one
            for judged in self.entries_of(EventVerdicts)
            for one in judged.verdicts
            if isinstance(one, Irregularity)
        )

    def is_named_by(self, gaming_day: str, shoe: int) -> bool:
        """Whether these are this shoe's day and number."""
        return (gaming_day, shoe) == (self.heading.gaming_day, self.number)

    @property
    def coups(self) -> tuple[CoupClosed, ...]:
        """The finished coups of this shoe, in order."""
        return tuple(one for one in self.entries_of(CoupClosed) if one.record.shoe == self.number)

    @property
    def number(self) -> int:
        return self.heading.shoe

    @property
    def name(self) -> str:
        """Gaming day and shoe number, such as 2026-11-21/7."""
        return f"{self.heading.gaming_day}/{self.number}"

    def entries_of(self, kind: type[EntryT]) -> Iterator[EntryT]:
        """Every entry of one type, in order."""
        return (one.entry for one in self.entries if isinstance(one.entry, kind))

    def cited(self) -> tuple[str, ...]:
        """Every clause that an entry of this shoe cites, in order of the first citation."""
        found: dict[str, None] = {}
        for one in self.entries:
            found.update(dict.fromkeys(cited_in(one.plain())))
        return tuple(found)


def cited_in(plain: object) -> Iterator[str]:
    """The clauses that an entry's plain values cite, at any depth."""
    match plain:
        case dict():
            for name, value in plain.items():
                if name in CITING and isinstance(value, list):
                    yield from (one for one in value if isinstance(one, str))
                else:
                    yield from cited_in(value)
        case list():
            for value in plain:
                yield from cited_in(value)


def read_shoe_account(file: ShoeFile, clauses: Mapping[str, Clause]) -> ShoeAccount:
    """The contents of a sealed file. Raises ShoeFileError."""
    try:
        return _read(file, clauses)
    except EncodingError as error:
        raise ShoeFileError(f"a record in it cannot be read: {error}") from error


def _read(file: ShoeFile, clauses: Mapping[str, Clause]) -> ShoeAccount:
    parts = file.parts()
    begun = in_force = _started_in(parts.started)
    entries: list[ShoeEntry] = []
    for one, begun in read_entries(file.records(), parts.started):
        entries.append(one)
        if isinstance(one.entry, ShoeOpened):
            in_force = begun
    started = in_force or begun
    if started is None:
        raise ShoeFileError("the record that began its run is not in it")
    book = _book_in_force(started, parts.state, clauses)
    return ShoeAccount(
        heading=file.heading,
        digest=file.digest,
        signature=file.signature,
        entries=tuple(entries),
        zone=build_calendar(started.zone, 0).zone,
        face_up=_deals_face_up(book, entries),
        document=book.document if book is not None else "",
    )


def read_entries(
    records: Iterable[StoredRecord], started: bytes
) -> Iterator[tuple[ShoeEntry, Started | None]]:
    """Every entry in order, with the record that began its run.

    `started` is that record for the first of them, empty if it is among them.
    Raises EncodingError, ShoeFileError.
    """
    begun = _started_in(started)
    newest: Input | None = None
    cause = 0
    for stored in records:
        kind, _ = unwrap(stored.record)
        if kind is RecordKind.INPUT:
            newest, cause = _newest(stored.record), cause + 1
            begun = newest if isinstance(newest, Started) else begun
        else:
            yield _read_entry(stored, newest, cause), begun


def _started_in(record: bytes) -> Started | None:
    item = _newest(record) if record else None
    return item if isinstance(item, Started) else None


def _newest(record: bytes) -> Input | None:
    """The input; of a run of chunks the last, as nothing was concluded from the others."""
    item = read_input(record)
    return inputs_in(item)[-1] if item is not None else None


def later_acts_in(
    records: Iterable[StoredRecord], shoe: ShoeHeading, undecided: Set[int]
) -> tuple[ShoeEntry, ...]:
    """The corrections of that shoe's coups in these records, and the decisions on irregularities
    of these numbers. Raises EncodingError."""
    newest: Input | None = None
    found: list[ShoeEntry] = []
    for stored in records:
        kind, _ = unwrap(stored.record)
        if kind is RecordKind.INPUT:
            newest = _newest(stored.record)
            continue
        corrected = read_as(stored.record, CoupCorrected)
        decided = read_as(stored.record, ResolutionRecorded)
        if (
            corrected is not None
            and (corrected.gaming_day, corrected.shoe) == (shoe.gaming_day, shoe.shoe)
        ) or (decided is not None and not undecided.isdisjoint(decided.closed)):
            found.append(_read_entry(stored, newest, 0))
    return tuple(found)


def _read_entry(stored: StoredRecord, newest: Input | None, cause: int) -> ShoeEntry:
    return ShoeEntry(
        seq=stored.seq,
        cause=cause,
        utc_ns=newest.at.utc_ns if newest is not None else 0,
        action=newest if isinstance(newest, OperatorAction) else None,
        entry=read_entry(stored.record),
        record=stored.record,
    )


def _book_in_force(
    started: Started, state: bytes, clauses: Mapping[str, Clause]
) -> RuleBook | None:
    """The rules in force before the shoe; None if they cannot be read."""
    try:
        _settings, book = read_rules(started, clauses)
        return effective_book(book, STORED_STATES.decode(state).table) if state else book
    except (EncodingError, ProfileError, ValueError):
        return None


def _deals_face_up(book: RuleBook | None, entries: Sequence[ShoeEntry]) -> bool:
    """Whether each card lay face up from its draw on; False if unknown."""
    for one in reversed(entries):
        if isinstance(one.entry, SettingChanged) and one.entry.setting == _DEAL_OPTION:
            return one.entry.new == DealOption.FACE_UP.value
    return book is not None and book.values.deal_option is DealOption.FACE_UP


def _without_bytes(plain: object) -> object:
    """The same values with bytes as hex digits."""
    match plain:
        case bytes():
            return plain.hex()
        case dict():
            return {name: _without_bytes(value) for name, value in plain.items()}
        case list():
            return [_without_bytes(value) for value in plain]
        case _:
            return plain
