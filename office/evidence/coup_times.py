"""Finds the coup that was dealt at a time of the table's clock, and the coups around it.

Of a coup its number, times, outcome and seats are read, and no card.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from controller.core.gaming_day import NS_PER_S, GamingCalendar, build_calendar
from controller.core.settings import Settings
from controller.core.stored_settings import read_settings
from controller.core.tape.inputs import Started
from controller.journal.database import FILE_NAME
from controller.journal.folder import read_heading_of_file, sealed_files
from controller.journal.shoe_file import SHOE_BYTES_MAX
from controller.journal.store import open_read_only
from controller.journal.values import StoredRecord
from controller.procedure.effects import CoupClosed, CoupPayment, CoupRecord, ShoeOpened
from controller.procedure.rulebook import ObservableFact
from controller.system.named_file import read_file
from office.evidence.card_owners import coups_of_cards
from office.evidence.lookup import CoupReference, NoSuchCoup, read_named, reason_if_live
from office.evidence.sealed_shoe import ShoeEntry, read_entries

AT_FORMATS: Final = (
    "14:32 or 14:32:10 on the newest gaming day, or 2026-11-21 14:32 for that gaming day, by the"
    " table's clock"
)
# People remember a time about so well; farther away another coup is meant, or another day.
NEAR_MIN: Final = 15
_NEAR_NS: Final = NEAR_MIN * 60 * NS_PER_S
_AT: Final = re.compile(r"(?:(2\d{3}-\d\d-\d\d)[ T])?(\d\d?):(\d\d)(?::(\d\d))?", re.ASCII)
_DAY: Final = timedelta(days=1)


class ClockTime(Struct, frozen=True):
    """A time as a person says it: a minute, or a second; `day` None: the newest gaming day."""

    day: date | None
    clock: time
    length_ns: int

    @property
    def clock_text(self) -> str:
        """As it was said, with seconds or without."""
        return self.clock.isoformat("seconds" if self.length_ns == NS_PER_S else "minutes")

    @staticmethod
    def parse(text: str) -> "ClockTime":
        """Raises NoSuchCoup."""
        found = _AT.fullmatch(text.strip())
        day, hour, minute, second = found.groups() if found is not None else ("", "", "", "")
        try:
            clock = time(int(hour), int(minute), int(second or 0))
            length_s = 60 if second is None else 1
            return ClockTime(date.fromisoformat(day) if day else None, clock, length_s * NS_PER_S)
        except ValueError as error:
            raise NoSuchCoup(
                f"--at: {text!r} does not name a time. Allowed: {AT_FORMATS}. Remedy: correct it"
            ) from error


class DealtCoup(Struct, frozen=True):
    """A coup with the times of its first card and its result, or of what there is of them.

    `record` is None while it is dealt. `seats` had wagers, as far as wagers are observed.
    """

    gaming_day: str
    shoe: int
    coup: int
    from_ns: int
    until_ns: int
    record: CoupRecord | None
    seats: tuple[int, ...]
    sealed: bool

    @property
    def reference(self) -> CoupReference:
        return CoupReference(self.gaming_day, self.shoe, self.coup)

    @property
    def name(self) -> str:
        """Such as 2026-11-21/7/34."""
        return f"{self.gaming_day}/{self.shoe}/{self.coup}"

    def shared_ns(self, from_ns: int, until_ns: int) -> int:
        """How long it was dealt between these times; below zero: how far away it was."""
        return min(self.until_ns, until_ns) - max(self.from_ns, from_ns)


class CoupAt(Struct, frozen=True):
    """The chosen coup, and with it the ones before and after, in order of time.

    `moments` is when the table's clock, in `zone`, showed the time: twice if it was set back then.
    """

    zone: ZoneInfo
    moments: tuple[int, ...]
    chosen: DealtCoup
    listed: tuple[DealtCoup, ...]


def find_coup_at(journal: Path, wanted: ClockTime, seat: int | None = None) -> CoupAt:
    """The sealed coup nearest to a time, with a wager of that seat if one is named.

    Raises NoSuchCoup, JournalError, OSError.
    """
    folder = journal.parent if journal.is_file() else journal
    paths, live = sealed_files(folder), _shoes_in_live(folder)
    if not paths:
        raise NoSuchCoup(
            f"{folder}: there is no sealed shoe here. Remedy: name the journal or its archive;"
            " an open shoe has no bundle before its end"
        )
    newest = live[-1].gaming_day if live else paths[-1].parent.name
    day = wanted.day or date.fromisoformat(newest)
    calendar = _calendar_of(day, paths, live)
    moments = _moments(wanted.clock, day, calendar)
    asked = f"{wanted.clock_text} on gaming day {day}"
    if not moments:
        raise NoSuchCoup(
            f"--at: the table's clock did not show {asked}: it was set forward then. Allowed:"
            f" {AT_FORMATS}. Remedy: give a time before or after"
        )
    shoes = [*_sealed_shoes_near(_files_around(day, paths), moments)]
    shoes += [one for one in live if _is_near(moments, one.from_ns, one.until_ns)]
    dealt = sorted((coup for one in shoes for coup in one.coups()), key=_begin)
    if seat is not None:
        if shoes and not any(one.observes_wagers for one in shoes):
            raise NoSuchCoup(_NOT_OBSERVED.format(asked=asked))
        dealt = [one for one in dealt if seat in one.seats]
    chosen, listed = _nearest(dealt, moments, wanted.length_ns)
    if chosen is None:
        raise NoSuchCoup(_reason_none_near(asked, seat, paths))
    if not chosen.sealed:
        sealed_meanwhile = "its shoe has been sealed just now. Remedy: try again"
        reason = reason_if_live(folder, chosen.reference) or sealed_meanwhile
        raise NoSuchCoup(f"{folder}: coup {chosen.name} is nearest to {asked}, and {reason}")
    return CoupAt(calendar.zone, moments, chosen, listed)


_NOT_OBSERVED: Final = (
    "--seat: this table did not observe wagers at {asked}, so the record has no seat. Allowed:"
    " without --seat. Remedy: leave it out and choose by the times that are listed; with `wagers`"
    " in `observed` of table.toml later records have seats"
)


def _reason_none_near(asked: str, seat: int | None, paths: Sequence[Path]) -> str:
    of_seat = "" if seat is None else f" with a wager of seat {seat}"
    first, last = paths[0].parent.name, paths[-1].parent.name
    return (
        f"--at: no coup{of_seat} was dealt within {NEAR_MIN} minutes of {asked}. Allowed: a time at"
        f" which a coup was dealt, on a gaming day from {first} to {last}. Remedy: give the gaming"
        f" day with the time, another time{'' if seat is None else ' or seat'}, or the coup itself"
        " (`smartshoe journal list`)"
    )


# --- the moments of a time ------------------------------------------------------------------------


def _moments(clock: time, day: date, calendar: GamingCalendar) -> tuple[int, ...]:
    """When the table's clock showed that time on a gaming day: once, twice, or never."""
    found = set()
    for calendar_day in (day, day + _DAY):
        for fold in (0, 1):
            local = datetime.combine(calendar_day, clock, calendar.zone).replace(fold=fold)
            utc_ns = int(local.timestamp()) * NS_PER_S
            shown = datetime.fromtimestamp(utc_ns // NS_PER_S, UTC).astimezone(calendar.zone)
            in_day = calendar.day_of(utc_ns).name == day.isoformat()
            if in_day and shown.replace(tzinfo=None, fold=0) == local.replace(tzinfo=None, fold=0):
                found.add(utc_ns)
    return tuple(sorted(found))


def _calendar_of(day: date, paths: Sequence[Path], live: "Sequence[_DealtShoe]") -> GamingCalendar:
    """The calendar of that gaming day's last shoe; without one, of the nearest earlier or first."""
    name = day.isoformat()
    begun = [one for one in live if one.gaming_day <= name]
    if not begun:
        path = next((one for one in reversed(paths) if one.parent.name <= name), paths[0])
        begun = _shoes_in_file(path)
    return begun[-1].calendar


# --- the nearest coup -----------------------------------------------------------------------------


def _nearest(
    dealt: Sequence[DealtCoup], moments: Sequence[int], length_ns: int
) -> tuple[DealtCoup | None, tuple[DealtCoup, ...]]:
    """The coup nearest to a moment, or the longest dealt in it, and those around each moment."""
    best: list[tuple[int, DealtCoup]] = []
    listed: set[int] = set()
    for moment in moments:
        shared = [one.shared_ns(moment, moment + length_ns) for one in dealt]
        most = max(shared, default=-_NEAR_NS - 1)
        if most >= -_NEAR_NS:
            at = shared.index(most)
            best.append((most, dealt[at]))
            listed.update(range(max(0, at - 1), min(at + 2, len(dealt))))
    # Of two that are equally near, the earlier.
    chosen = max(best, key=lambda one: one[0])[1] if best else None
    return chosen, tuple(dealt[at] for at in sorted(listed))


def _begin(one: DealtCoup) -> int:
    return one.from_ns


# --- the coups of a shoe --------------------------------------------------------------------------


class _DealtShoe(Struct, frozen=True):
    """A shoe's entries from its opening on; `started` began the run in which it was opened."""

    gaming_day: str
    shoe: int
    sealed: bool
    started: Started
    entries: tuple[ShoeEntry, ...]

    @property
    def from_ns(self) -> int:
        return self.entries[0].utc_ns

    @property
    def until_ns(self) -> int:
        return self.entries[-1].utc_ns

    @property
    def settings(self) -> Settings:
        return read_settings(self.started.configuration)

    @property
    def calendar(self) -> GamingCalendar:
        return build_calendar(self.started.zone, self.settings.gaming_day_start_s)

    @property
    def observes_wagers(self) -> bool:
        return ObservableFact.WAGERS in self.settings.observed

    def coups(self) -> Iterator[DealtCoup]:
        """Its coups, also the one that is dealt."""
        coup_of = coups_of_cards(self.entries, self.shoe)
        times: dict[int, list[int]] = {}
        records: dict[int, CoupRecord] = {}
        seats: dict[int, tuple[int, ...]] = {}
        for one in self.entries:
            coup = coup_of.get(one.seq, 0)
            match one.entry:
                case CoupClosed(record=record) if record.shoe == self.shoe:
                    coup, records[record.coup] = record.coup, record
                case CoupPayment(coup=paid, shoe=self.shoe) as payment:
                    seats[paid] = _seats_in(payment)
                case _:
                    pass
            if coup:
                times.setdefault(coup, []).append(one.utc_ns)
        for coup, seen in times.items():
            yield DealtCoup(
                self.gaming_day,
                self.shoe,
                coup,
                min(seen),
                max(seen),
                records.get(coup),
                seats.get(coup, ()),
                self.sealed,
            )


def _seats_in(payment: CoupPayment) -> tuple[int, ...]:
    """Every seat with a wager on the coup, also one that was returned."""
    settled = {one.seat for one in payment.settlement.lines}
    return tuple(sorted(settled | {one.seat for one in payment.returned}))


def _files_around(day: date, paths: Sequence[Path]) -> list[Path]:
    """A shoe may be dealt beyond the end of its gaming day."""
    first, last = (day - _DAY).isoformat(), (day + _DAY).isoformat()
    return [one for one in paths if first <= one.parent.name <= last]


def _is_near(moments: Sequence[int], from_ns: int, until_ns: int) -> bool:
    return any(from_ns - _NEAR_NS <= one <= until_ns + _NEAR_NS for one in moments)


def _sealed_shoes_near(paths: Sequence[Path], moments: Sequence[int]) -> Iterator[_DealtShoe]:
    """The shoes whose records are near a moment."""
    for path in paths:
        heading = read_heading_of_file(path)
        if _is_near(moments, heading.from_ns, heading.until_ns):
            yield from _shoes_in_file(path)


def _shoes_in_file(path: Path) -> list[_DealtShoe]:
    file = read_named(path, read_file(path, SHOE_BYTES_MAX))
    return _dealt_shoes(file.records(), file.parts().started, sealed=True)


def _shoes_in_live(folder: Path) -> list[_DealtShoe]:
    """The shoes that are not sealed yet."""
    if not (folder / FILE_NAME).is_file():
        return []
    with open_read_only(folder) as live:
        return _dealt_shoes(live.records(live.base.seq), live.base.started, sealed=False)


def _dealt_shoes(
    records: Iterable[StoredRecord], started: bytes, *, sealed: bool
) -> list[_DealtShoe]:
    """Every shoe that is opened in these records."""
    found: list[tuple[ShoeOpened, Started, list[ShoeEntry]]] = []
    for one, begun in read_entries(records, started):
        if isinstance(one.entry, ShoeOpened) and begun is not None:
            found.append((one.entry, begun, []))
        if found:
            found[-1][2].append(one)
    return [
        _DealtShoe(opened.gaming_day, opened.shoe, sealed, begun, tuple(entries))
        for opened, begun, entries in found
    ]
