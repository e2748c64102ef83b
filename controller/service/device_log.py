"""Logs a running table's devices, batches, warnings, clock and disk. No line names a card."""

import logging
from collections.abc import Callable
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import UNSET, UnsetType

from controller.core.settings import DeviceSettings, Settings, installation
from controller.core.state import HostState, Stored
from controller.core.tape.entries import (
    BatchBound,
    ClockStepped,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
)
from controller.core.tape.inputs import (
    ClockSync,
    DevicePlugged,
    DeviceUnplugged,
    DiskLevel,
    ManifestGiven,
)
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.events import ClockJumped, ShufflerReported
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.record.host import describe_clock_step, describe_disk
from controller.service.manifest_lookup import BY_CONFIGURATION
from controller.system.messages.catalogue import to_words
from drivers.catalogue import find_model
from drivers.faults import DeviceFault
from drivers.model import DeviceKind
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message

LOG: Final = logging.getLogger("smartshoe.devices")
HOST_LOG: Final = logging.getLogger("smartshoe.host")
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

_PutPort: TypeAlias = Callable[[PortEvent], object]
_PutDevice: TypeAlias = Callable[[DevicePlugged | DeviceUnplugged], object]


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
                LOG.info("%s: %s is open", role, event.port)
            case PortLost(reason=reason):
                LOG.warning("%s: %s", role, to_words(reason))
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
            LOG.warning("%s", to_words(item.refused))
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
            LOG.info("%s is bound, named by %s", batch, by)
            continue
        by_configuration = conclusion.item.named_by == BY_CONFIGURATION
        name = batch if by_configuration else "the name given for a batch"
        LOG.warning("%s is not bound, named by %s; `smartshoe status` shows why", name, by)


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
            LOG.warning("%s: BARE: it proves no identity, and the configuration accepts it", role)
        case IdentityProven(device=device, version=version):
            LOG.info("%s: device %s, firmware %s, is trusted", role, device, version)
        case IdentityRefused(device=device, why=why):
            name = f"device {device}" if device else "a device"
            words = to_words(why)
            LOG.warning("%s: %s is refused: %s; all its reports are rejected", role, name, words)
        case _:
            pass


def log_faults(settings: Settings, stored: Stored) -> None:
    """Log what came whole from a device and is not understood, and settings that do not fit it."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            match entry:
                case DeviceEventRecorded(port=port, event=DeviceFault(kind=kind, detail=detail)):
                    if kind in _NOT_UNDERSTOOD:
                        LOG.warning("%s: %s", device_role(settings, port), to_words(detail))
                case _:
                    pass


def log_warnings(stored: Stored) -> None:
    """Log opened and cleared warnings of the shuffler, without their text: it may name a card."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            match entry:
                case WarningOpened(number=number, kind=kind):
                    message = "shuffler: warning %d (%s): no next card before it is cleared"
                    LOG.warning(message, number, kind)
                case WarningClosed(number=number, kind=kind, person=person):
                    LOG.info("shuffler: warning %d (%s) is cleared by %s", number, kind, person)
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
