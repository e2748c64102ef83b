"""The log of a running table: what was stored, in words, and lines that keep nobody waiting.

No line names a card; clauses stand in it only as far as they are disclosed.

Not: the sentence of an irregularity and the reason of a person, which may name a card.
"""

import logging
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import ClassVar, Final, TypeAlias

from msgspec import UNSET, UnsetType

from controller.core.settings import DeviceSettings, Settings, installation
from controller.core.state import Conclusion, HostState, Stored
from controller.core.tape.entries import (
    BatchBound,
    ClockStepped,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
)
from controller.core.tape.inputs import (
    AccountChanged,
    ClockSync,
    DevicePlugged,
    DeviceUnplugged,
    DiskLevel,
    Input,
    ManifestGiven,
)
from controller.procedure.effects import (
    ActRecord,
    CoupCorrected,
    ResolutionRecorded,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import ClockJumped, ShufflerReported
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import Suspension, TableState
from controller.procedure.verdicts import Irregularity
from controller.record.disclosure import disclosed_clauses
from controller.record.host import describe_clock_step, describe_disk
from controller.record.people import proof_words
from controller.rules.actions.actions import OperatorAction
from controller.rules.profiles.borrowing import citation_words
from controller.service.manifest_lookup import BY_CONFIGURATION
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import cards_in_coups, counted
from controller.table.line_limit import LineLimit
from controller.table.subscribers import Behind
from drivers.catalogue import find_model
from drivers.faults import DeviceFault
from drivers.model import DeviceKind
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import Message, message

DEVICE_LOG: Final = logging.getLogger("smartshoe.devices")
HOST_LOG: Final = logging.getLogger("smartshoe.host")
IRREGULARITY_LOG: Final = logging.getLogger("smartshoe.irregularities")
# Each level includes the ones above it: events alone, then frames, then every byte.
LEVELS: Final = {
    "events": ("event",),
    "frames": ("event", "frame"),
    "bytes": ("event", "frame", "bytes"),
}

# Of a good frame: the line works, and the device speaks otherwise than it is expected to.
_NOT_UNDERSTOOD: Final = frozenset(
    {
        LinkFaultKind.MALFORMED,
        LinkFaultKind.UNKNOWN_CODE,
        LinkFaultKind.CONFIGURATION,
        LinkFaultKind.PAYLOAD_SETTING,
        LinkFaultKind.SEQUENCE_SETTING,
        LinkFaultKind.CHECKSUM_READING,
    }
)

_SUSPENDED: Final = (
    "the table is suspended: no further card until a floorperson decides; `smartshoe resolve`"
    " lists what is open"
)
_STILL_SUSPENDED: Final = "the table is still suspended: %s open, %s dealt while suspended"
_PLAYING_AGAIN: Final = "the table is no longer suspended"

_PutPort: TypeAlias = Callable[[PortEvent], object]
_PutDevice: TypeAlias = Callable[[DevicePlugged | DeviceUnplugged], object]


# --- devices and the machine ----------------------------------------------------------------------


def device_role(settings: Settings, port: str) -> str:
    """The role of the device at a port, such as "shoe" or "reader at the layout"."""
    readers = {one.port: one.seat.replace("_", " ") for one in settings.readers}
    roles = MappingProxyType(
        {
            **{port: f"reader at the {seat}" for port, seat in readers.items()},
            **{one.port: "scanner" for one in settings.scanners},
            **{one.port: "shuffler" for one in (settings.shuffler,) if one is not None},
            settings.shoe.port: "shoe",
        }
    )
    return roles[port]


def logging_port(role: str, put: _PutPort) -> _PutPort:
    """Wrap `put`: log the opening and loss of a port, then pass the event on."""

    def log_and_put(event: PortEvent) -> object:
        match event:
            case PortOpened():
                DEVICE_LOG.info("%s: %s is open", role, event.port)
            case PortLost(reason=reason):
                DEVICE_LOG.warning("%s: %s", role, to_words(reason))
            case _:
                pass
        return put(event)

    return log_and_put


def counting_port(count_bytes: Callable[[str, int], object], put: _PutPort) -> _PutPort:
    """Wrap `put`: count the bytes that came, then pass the event on."""

    def count_and_put(event: PortEvent) -> object:
        if isinstance(event, Chunk):
            count_bytes(event.port, len(event.data))
        return put(event)

    return count_and_put


def logging_refusals(put: _PutDevice) -> _PutDevice:
    """Wrap `put`: log a USB device that is refused, then pass it on."""

    def log_and_put(item: DevicePlugged | DeviceUnplugged) -> None:
        if isinstance(item, DevicePlugged) and item.refused is not None:
            DEVICE_LOG.warning("%s", to_words(item.refused))
        put(item)

    return log_and_put


def log_batches(stored: Stored) -> None:
    """Log whether a named batch was bound.

    A refused name that somebody scanned or typed is not logged: it may be the code of a card.
    """
    for conclusion in stored.conclusions:
        if not isinstance(conclusion.item, ManifestGiven):
            continue
        batch, by = f"batch {conclusion.item.batch}", to_words(conclusion.item.named_by)
        if any(isinstance(entry, BatchBound) for entry in conclusion.entries):
            DEVICE_LOG.info("%s is bound, named by %s", batch, by)
            continue
        by_configuration = conclusion.item.named_by == BY_CONFIGURATION
        name = batch if by_configuration else "the name given for a batch"
        DEVICE_LOG.warning("%s is not bound, named by %s; `smartshoe status` shows why", name, by)


def log_identities(settings: Settings, stored: Stored) -> None:
    """Log the identity that a device has proven, or that all its reports are rejected."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            _log_identity(settings, entry)


def _log_identity(settings: Settings, entry: Entry) -> None:
    match entry:
        case EventVerdicts(event=ShufflerReported(event=event)):
            role = "shuffler"
        case DeviceEventRecorded(port=port, event=event):
            role = device_role(settings, port)
        case _:
            return
    match event:
        case IdentityProven(bare=True):
            DEVICE_LOG.warning(
                "%s: BARE: it proves no identity, and the configuration accepts it", role
            )
        case IdentityProven(device=device, version=version):
            DEVICE_LOG.info("%s: device %s, firmware %s, is trusted", role, device, version)
        case IdentityRefused(device=device, why=why):
            name = f"device {device}" if device else "a device"
            words = to_words(why)
            DEVICE_LOG.warning(
                "%s: %s is refused: %s; all its reports are rejected", role, name, words
            )
        case _:
            pass


def log_faults(settings: Settings, stored: Stored) -> None:
    """Log what came whole from a device and is not understood, and settings that do not fit it."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            match entry:
                case DeviceEventRecorded(port=port, event=DeviceFault(kind=kind, detail=detail)):
                    if kind in _NOT_UNDERSTOOD:
                        DEVICE_LOG.warning("%s: %s", device_role(settings, port), to_words(detail))
                case _:
                    pass


def log_warnings(stored: Stored) -> None:
    """Log opened and cleared warnings of the shuffler, without their text: it may name a card."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            match entry:
                case WarningOpened(number=number, kind=kind):
                    message = "shuffler: warning %d (%s): no next card before it is cleared"
                    DEVICE_LOG.warning(message, number, kind)
                case WarningClosed(number=number, kind=kind, person=person):
                    DEVICE_LOG.info(
                        "shuffler: warning %d (%s) is cleared by %s", number, kind, person
                    )
                case _:
                    pass


class HostLog:
    """Logs clock steps and synchronisation, disk levels; the table logs why it stops at STOP."""

    def __init__(self) -> None:
        self._disk_logged = False
        self._sync: ClockSync | UnsetType = UNSET

    def stored(self, stored: Stored) -> None:
        self._log_sync(stored.state.host)
        for conclusion in stored.conclusions:
            for entry in conclusion.entries:
                if type(entry) is EventVerdicts and type(entry.event) is ClockJumped:
                    due = gaming_day_due(stored.state.table)
                    words = message("clock_is_right_again") if due is None else due
                    HOST_LOG.warning("%s", to_words(words))
                elif type(entry) is ClockStepped:
                    HOST_LOG.warning("%s", describe_clock_step(entry))
                elif type(entry) is DiskLevelRecorded and entry.level is not DiskLevel.STOP:
                    self._log_disk(entry)

    def _log_sync(self, host: HostState) -> None:
        """Log what the kernel says of the clock: what it says first, and each change."""
        if host.sync != self._sync and isinstance(host.sync, ClockSync):
            level = logging.INFO if host.sync is ClockSync.SYNCHRONISED else logging.WARNING
            HOST_LOG.log(level, "the machine's clock: %s (by the kernel)", host.sync.value)
        self._sync = host.sync

    def _log_disk(self, entry: DiskLevelRecorded) -> None:
        """Log a level that people have to know, and its end; enough space at a start is no news."""
        enough = entry.level is DiskLevel.ENOUGH
        if self._disk_logged or not enough:
            HOST_LOG.log(logging.INFO if enough else logging.WARNING, "%s", describe_disk(entry))
        self._disk_logged = not enough


class WireLogger:
    """Logs one port's traffic, then passes events on. Used by the port's reader thread."""

    def __init__(
        self, shoe: DeviceSettings, level: str, put: Callable[[PortEvent], object]
    ) -> None:
        model = find_model(DeviceKind.SHOE, shoe.model)
        self._monitor = model.build_monitor(to_words, shoe.driver, installation(shoe))
        self._state = self._monitor.initial()
        self._prefixes = LEVELS[level]
        self._put = put
        self._log = logging.getLogger(f"smartshoe.wire.{shoe.port}")

    def put(self, event: PortEvent) -> object:
        """Log an event at the configured levels, and pass it on."""
        self._state, lines = self._monitor.watch(self._state, event)
        for line in lines:
            if line.startswith(self._prefixes):
                self._log.info("%s", line)
        return self._put(event)


# --- irregularities and decisions -----------------------------------------------------------------


class IrregularityLog:
    """Logs one table's irregularities and decisions."""

    def __init__(self) -> None:
        self._suspended: bool | None = None

    def stored(self, stored: Stored) -> None:
        """Log what the transaction raised, what a person decided, and whether play stops."""
        book, table = stored.book, stored.state.table
        stopped = decided = False
        for conclusion in stored.conclusions:
            for decision in _decisions(conclusion):
                IRREGULARITY_LOG.warning("%s", describe_decision(decision, conclusion.item))
                decided = True
            for corrected in _corrections(conclusion):
                IRREGULARITY_LOG.warning("%s", describe_correction(corrected, conclusion.item))
            for changed in _account_changes(conclusion):
                IRREGULARITY_LOG.warning(
                    "account of %s: %s", changed.person, to_words(changed.detail)
                )
            for raised in _raised(conclusion):
                in_force = effective_book(book, table)
                IRREGULARITY_LOG.warning("%s", describe_irregularity(in_force, table, raised))
                stopped = stopped or raised.suspends
        self._log_suspension(table, stopped=stopped, decided=decided)

    def _log_suspension(self, table: TableState, *, stopped: bool, decided: bool) -> None:
        before, suspension = self._suspended, table.suspension
        self._suspended = suspension is not None
        if suspension is None:
            if before or (stopped and decided):
                IRREGULARITY_LOG.warning(_PLAYING_AGAIN)
        elif before is None and not stopped:
            _log_still_suspended(table, suspension)
        elif decided or not before:
            IRREGULARITY_LOG.warning(_SUSPENDED)


def _log_still_suspended(table: TableState, suspension: Suspension) -> None:
    """Log at a start that the table was left suspended."""
    many = counted(len(table.open_irregularities), "irregularity", "irregularities")
    cards = cards_in_coups(suspension.cards_dealt, suspension.coups_dealt)
    IRREGULARITY_LOG.warning(_STILL_SUSPENDED, many, cards)


def _decisions(conclusion: Conclusion) -> Iterator[ResolutionRecorded]:
    return (one for one in conclusion.entries if isinstance(one, ResolutionRecorded))


def _corrections(conclusion: Conclusion) -> Iterator[CoupCorrected]:
    return (one for one in conclusion.entries if isinstance(one, CoupCorrected))


def _account_changes(conclusion: Conclusion) -> Iterator[ActRecord]:
    if isinstance(conclusion.item, AccountChanged):
        yield from (one for one in conclusion.entries if isinstance(one, ActRecord))


def _raised(conclusion: Conclusion) -> Iterator[Irregularity]:
    for entry in conclusion.entries:
        if isinstance(entry, EventVerdicts):
            yield from (one for one in entry.verdicts if isinstance(one, Irregularity))


def describe_irregularity(book: RuleBook, table: TableState, one: Irregularity) -> str:
    """Number, code, coup and disclosed clauses of an irregularity, and whether play stops."""
    place = f"coup {one.coup}" if one.coup else "between coups"
    clauses = citation_words(book.document, disclosed_clauses(book, table, one)) or "none"
    effect = "suspends the table" if one.suspends else "does not suspend the table"
    if one.provisional:
        effect = "raised while the table is suspended"
    title = to_words(Message(one.code.value))
    return f"irregularity {one.number} {one.code}, {place}: {title}; clauses {clauses}; {effect}"


def describe_decision(decided: ResolutionRecorded, item: Input) -> str:
    """Who decided what, which irregularities it closes, and what was dealt while suspended."""
    words = " ".join(filter(None, (decided.decision, decided.outcome)))
    first, last = decided.closed[0], decided.closed[-1]
    closed = f"irregularity {first}" if first == last else f"irregularities {first} to {last}"
    cards = cards_in_coups(decided.cards_dealt, decided.coups_dealt)
    dealt = f"{cards} dealt while suspended"
    if decided.cards_dealt:
        dealt = f"{decided.provisional}: {dealt}"
    second = f" and {decided.second}{_second_proof(item)}" if decided.second else ""
    return f"{words} decided by {decided.person}{_role(item)}{second}, closes {closed}; {dealt}"


def describe_correction(corrected: CoupCorrected, item: Input) -> str:
    """Which coup counts as what from now on, and who decided it."""
    coup = f"coup {corrected.coup} of shoe {corrected.shoe} of {corrected.gaming_day}"
    people = f"{corrected.person}{_role(item)} and {corrected.second}{_second_proof(item)}"
    return f"{coup} corrected to {corrected.outcome} by {people}, was {corrected.before}"


def _role(item: Input) -> str:
    """The role of the person who acted, and how the person is known, in parentheses."""
    if not isinstance(item, OperatorAction):
        return ""
    return f" ({item.role.replace('_', ' ')}, {proof_words(item.proof)})"


def _second_proof(item: Input) -> str:
    return f" ({proof_words(item.second_proof)})" if isinstance(item, OperatorAction) else ""


# --- the whole ------------------------------------------------------------------------------------


class TableLog:
    """Logs what was stored of batches, devices, the machine and irregularities."""

    name: ClassVar[str] = "log"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._host = HostLog()
        self._irregularities = IrregularityLog()

    def stored(self, stored: Stored) -> None:
        log_batches(stored)
        log_identities(self._settings, stored)
        log_faults(self._settings, stored)
        log_warnings(stored)
        self._host.stored(stored)
        self._irregularities.stored(stored)


class LinesBehind(logging.Handler):
    """Passes lines on to another handler behind a limit and a bounded queue.

    A terminal or service manager that reads no more keeps no port and no table waiting.
    """

    END_S: ClassVar[float] = 0.25

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__()
        self._lines = Behind[logging.LogRecord]("log lines", handler.handle)
        self._lines.start()
        self._limit = LineLimit(self._lines.put)

    def emit(self, record: logging.LogRecord) -> None:
        self._limit.take(record)

    def flush(self) -> None:
        """Write what waits, for END_S at most."""
        self._lines.caught_up(self.END_S)

    def close(self) -> None:
        self._limit.close()
        self._lines.close(self.END_S)
        super().close()
