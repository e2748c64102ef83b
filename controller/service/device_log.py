"""The devices of a running table in the log: one line when one opens, is lost, absent or refused.

Responsible for: naming the part each device plays, and the reason as the port or the list of USB
devices gives it; whether a batch that was named is bound; who a device with an identity is, and
that a warning of the shuffler was given or cleared.
Not responsible for: recording (core), finding and judging devices (firmware_bridge), what bytes
mean. No line tells of a card.
Source: package README, "Devices of a table", "Disclosure".
"""

import logging
from collections.abc import Callable
from types import MappingProxyType
from typing import Final, TypeAlias

from controller.core.build import shoe_settings
from controller.core.settings import Settings, ShoeDeviceSettings
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.events import ShufflerTold
from controller.service.manifest_lookup import BY_CONFIGURATION
from controller.table.loop import Stored
from controller.tape.entries import BatchBound, ClockStepped, DeviceNoted, DiskNoted, Entry, Judged
from controller.tape.inputs import DevicePlugged, DeviceUnplugged, DiskLevel, ManifestGiven
from controller.views.host import clock_words, disk_words
from drivers.catalogue import build_monitor
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.transport.port import PortEvent, PortLost, PortOpened

LOG: Final = logging.getLogger("smartshoe.devices")
HOST_LOG: Final = logging.getLogger("smartshoe.host")
# Each level includes the ones above it: events alone, then frames, then every byte.
LEVELS: Final = {
    "events": ("event",),
    "frames": ("event", "frame"),
    "bytes": ("event", "frame", "bytes"),
}

_PutPort: TypeAlias = Callable[[PortEvent], None]
_PutDevice: TypeAlias = Callable[[DevicePlugged | DeviceUnplugged], None]


def part_of(settings: Settings, port: str) -> str:
    """What the device at a port is at the table."""
    readers = {one.port: one.seat.replace("_", " ") for one in settings.readers}
    parts = MappingProxyType(
        {
            **{port: f"reader at the {seat}" for port, seat in readers.items()},
            **{one.port: "scanner" for one in settings.scanners},
            **{one.port: "shuffler" for one in (settings.shuffler,) if one is not None},
            settings.shoe.port: "shoe",
        }
    )
    return parts[port]


def telling_port(part: str, put: _PutPort) -> _PutPort:
    """Log an opening and a loss, then pass the event on. A port tells a new reason once."""

    def told(event: PortEvent) -> None:
        match event:
            case PortOpened():
                LOG.info("%s: %s is open", part, event.port)
            case PortLost(reason=reason):
                LOG.warning("%s: %s", part, reason)
            case _:
                pass
        put(event)

    return told


def telling_refused(put: _PutDevice) -> _PutDevice:
    """Log a USB device that is not let in, then pass it on."""

    def told(item: DevicePlugged | DeviceUnplugged) -> None:
        if isinstance(item, DevicePlugged) and item.refused:
            LOG.warning("%s", item.refused)
        put(item)

    return told


def tell_batches(stored: Stored) -> None:
    """Log what came of a batch that was named.

    What somebody scanned or typed and was refused is not named: it may be the code of a card.
    """
    for conclusion in stored.conclusions:
        if not isinstance(conclusion.item, ManifestGiven):
            continue
        batch, by = f"batch {conclusion.item.batch}", conclusion.item.named_by
        if any(isinstance(entry, BatchBound) for entry in conclusion.entries):
            LOG.info("%s is bound, named by %s", batch, by)
            continue
        named = batch if by == BY_CONFIGURATION else "what was named as a batch"
        LOG.warning("%s is not bound, named by %s; `smartshoe status` tells why", named, by)


def tell_identities(settings: Settings, stored: Stored) -> None:
    """Log who a device has proven to be, or that nothing it tells is taken."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            _tell_identity(settings, entry)


def _tell_identity(settings: Settings, entry: Entry) -> None:
    match entry:
        case Judged(event=ShufflerTold(event=event)):
            part = "shuffler"
        case DeviceNoted(port=port, event=event):
            part = part_of(settings, port)
        case _:
            return
    match event:
        case IdentityProven(bare=True):
            LOG.warning(
                "%s: BARE: it proves nothing of itself, and the configuration lets it in", part
            )
        case IdentityProven(device=device, version=version):
            LOG.info("%s: device %s, firmware %s, is trusted", part, device, version)
        case IdentityRefused(device=device, why=why):
            named = f"device {device}" if device else "a device"
            LOG.warning("%s: %s is refused: %s; nothing it tells is taken", part, named, why)
        case _:
            pass


def tell_warnings(stored: Stored) -> None:
    """Log what stops the next card, and who let play go on. Its words may name a card's face."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            match entry:
                case WarningOpened(number=number, kind=kind):
                    words = "shuffler: warning %d (%s): no next card before it is cleared"
                    LOG.warning(words, number, kind)
                case WarningClosed(number=number, kind=kind, person=person):
                    LOG.info("shuffler: warning %d (%s) is cleared by %s", number, kind, person)
                case _:
                    pass


def tell_host(stored: Stored) -> None:
    """Log what was stored of clock and disk; the end of a table says itself why it ended."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            if type(entry) is ClockStepped:
                HOST_LOG.warning("%s", clock_words(entry))
            elif type(entry) is DiskNoted and entry.level is not DiskLevel.STOP:
                level = logging.INFO if entry.level is DiskLevel.ENOUGH else logging.WARNING
                HOST_LOG.log(level, "%s", disk_words(entry))


class WireWatch:
    """Writes lines for one port, then passes the event on. Used by the port's reader thread."""

    def __init__(
        self, shoe: ShoeDeviceSettings, level: str, put: Callable[[PortEvent], None]
    ) -> None:
        self._monitor = build_monitor(shoe.model, shoe_settings(shoe))
        self._state = self._monitor.initial()
        self._wanted = LEVELS[level]
        self._put = put
        self._log = logging.getLogger(f"smartshoe.wire.{shoe.port}")

    def put(self, event: PortEvent) -> None:
        """Log what this event shows at the wanted levels, and hand it on."""
        self._state, lines = self._monitor.watch(self._state, event)
        for line in lines:
            if line.startswith(self._wanted):
                self._log.info("%s", line)
        self._put(event)
