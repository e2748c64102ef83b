"""One sealed shoe as its records tell it, read once.

Responsible for: the entries of a sealed file with the moment and the person behind each, its coups,
the clauses it cites and the time zone of the table.
Not responsible for: which coup is asked for (evidence_coup) and for what is shown of it (pages).
Source: package README, "Evidence bundle"; controller/journal/README.md, "Shoe file".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from controller.core.build import core_of
from controller.core.gaming_day import calendar
from controller.core.state import STATES
from controller.journal.encoding.codec import CanonicalError, plain_of
from controller.journal.record import RecordKind, unwrap
from controller.journal.shoe_file import ShoeFile, ShoeFileError, ShoeHeading
from controller.journal.values import StoredRecord
from controller.procedure.effects import (
    CoupClosed,
    SettingChanged,
    ShoeOpened,
)
from controller.procedure.people.setting_changes import effective
from controller.profiles.clauses import Clause
from controller.profiles.profile import ProfileError
from controller.rules.setting_values import DealOption
from controller.tape.entries import Entry
from controller.tape.inputs import Input, OperatorAction, Started
from controller.tape.records import (
    inputs_in,
    read_entry,
    read_input,
    read_older_entry,
    read_older_input,
)

EntryT = TypeVar("EntryT", bound=Entry)

_CITING: Final = ("clauses", "charged_by")
_DEAL_OPTION: Final = "deal_option"


@dataclass(frozen=True, slots=True)
class Told:
    """An entry: record `seq`, concluded from input number `cause`, which came at `utc_ns`.

    `by` is the person's action it was concluded from, where it was one. `entry` is None where
    another software version wrote something that this one has no word for; `record` is there.
    """

    seq: int
    cause: int
    utc_ns: int
    by: OperatorAction | None
    entry: Entry | None
    record: bytes

    def plain(self) -> object:
        """What the record says, as it would be written in JSON."""
        return _without_bytes(plain_of(unwrap(self.record)[1]))


@dataclass(frozen=True, slots=True)
class SealedShoe:
    """A sealed file and all it tells. `zone` is the table's; `face_up`: cards are dealt face up."""

    heading: ShoeHeading
    digest: bytes
    signature: bytes
    told: tuple[Told, ...]
    zone: ZoneInfo
    face_up: bool

    @property
    def coups(self) -> tuple[CoupClosed, ...]:
        """The coups of this shoe that are over, in order."""
        return tuple(one for one in self.entries(CoupClosed) if one.record.shoe == self.number)

    @property
    def number(self) -> int:
        return self.heading.shoe

    @property
    def name(self) -> str:
        """Gaming day and number, as people write them."""
        return f"{self.heading.gaming_day}/{self.number}"

    def entries(self, kind: type[EntryT]) -> Iterator[EntryT]:
        """Every entry of a kind, in order."""
        return (one.entry for one in self.told if isinstance(one.entry, kind))

    def cited(self) -> tuple[str, ...]:
        """Every clause that an entry of this shoe cites, in order of the first citation."""
        found: dict[str, None] = {}
        for one in self.told:
            found.update(dict.fromkeys(cited_in(one.plain())))
        return tuple(found)


def cited_in(plain: object) -> Iterator[str]:
    """The clauses that an entry in its plain form cites, at any depth."""
    match plain:
        case dict():
            for name, value in plain.items():
                if name in _CITING and isinstance(value, list):
                    yield from (one for one in value if isinstance(one, str))
                else:
                    yield from cited_in(value)
        case list():
            for value in plain:
                yield from cited_in(value)


def told_by(file: ShoeFile, clauses: Mapping[str, Clause]) -> SealedShoe:
    """Everything that a file tells. Raises ShoeFileError."""
    try:
        return _read(file, clauses)
    except CanonicalError as error:
        raise ShoeFileError(f"a record in it cannot be read: {error}") from error


def _read(file: ShoeFile, clauses: Mapping[str, Clause]) -> SealedShoe:
    parts = file.parts()
    begun = _started_in(parts.started)
    in_force = begun
    told: list[Told] = []
    heard: Input | None = None
    cause = 0
    for stored in file.records():
        kind, _ = unwrap(stored.record)
        if kind is RecordKind.INPUT:
            heard, cause = _newest(stored.record), cause + 1
            begun = heard if isinstance(heard, Started) else begun
            continue
        told.append(_told(stored, heard, cause))
        if isinstance(told[-1].entry, ShoeOpened):
            in_force = begun
    started = in_force or begun
    if started is None:
        raise ShoeFileError("the record that began its run is not in it")
    return SealedShoe(
        heading=file.heading,
        digest=file.digest,
        signature=file.signature,
        told=tuple(told),
        zone=calendar(started.zone, 0).zone,
        face_up=_deals_face_up(started, parts.state, told, clauses),
    )


def _started_in(record: bytes) -> Started | None:
    item = _newest(record) if record else None
    return item if isinstance(item, Started) else None


def _newest(record: bytes) -> Input | None:
    """The input, of a run of chunks the last: nothing was concluded from the others."""
    try:
        item = read_input(record)
    except CanonicalError:
        item = read_older_input(record)
    return inputs_in(item)[-1] if item is not None else None


def _told(stored: StoredRecord, heard: Input | None, cause: int) -> Told:
    try:
        entry = read_entry(stored.record)
    except CanonicalError:
        entry = read_older_entry(stored.record)
    return Told(
        seq=stored.seq,
        cause=cause,
        utc_ns=heard.at.utc_ns if heard is not None else 0,
        by=heard if isinstance(heard, OperatorAction) else None,
        entry=entry,
        record=stored.record,
    )


def _deals_face_up(
    started: Started, state: bytes, told: Sequence[Told], clauses: Mapping[str, Clause]
) -> bool:
    """Whether each card lay face up from its draw on; where that is not known, no."""
    for one in reversed(told):
        if isinstance(one.entry, SettingChanged) and one.entry.setting == _DEAL_OPTION:
            return one.entry.new == DealOption.FACE_UP.value
    try:
        book = core_of(started, clauses).book
        if state:
            book = effective(book, STATES.decode(state).table)
    except (CanonicalError, ProfileError, ValueError):
        return False
    return book.values.deal_option is DealOption.FACE_UP


def _without_bytes(plain: object) -> object:
    """The same with bytes as hex digits."""
    match plain:
        case bytes():
            return plain.hex()
        case dict():
            return {name: _without_bytes(value) for name, value in plain.items()}
        case list():
            return [_without_bytes(value) for value in plain]
        case _:
            return plain
