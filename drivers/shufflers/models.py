"""The models of shufflers, and what each can do."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from drivers import framing
from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from drivers.shufflers.contacts_shuffler import (
    DONE,
    JAM,
    LID,
    NS_PER_MS,
    RUNNING,
    ContactsShuffler,
    ContactsShufflerSettings,
    ContactsShufflerState,
    RunLimits,
)
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.shufflers.tablelink_shuffler import (
    TableLinkShuffler,
    TableLinkShufflerSettings,
    TableLinkShufflerState,
)
from drivers.tablelink.monitor import UNGREETED, TableLinkMonitor
from firmware_bridge.attestation import Trust
from firmware_bridge.contacts.frames import LINES_MAX, feed
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings

_NS_PER_S: Final = 1_000_000_000
# A monitor shows what comes, whether or not the table would admit the device.
_ADMITTED: Final = Trust(bare=True)


def _shuffler(_settings: NoSettings, installed: Installation) -> TableLinkShuffler:
    link = TableLinkSettings(DeviceRole.SHUFFLER, installed.trust)
    return TableLinkShuffler(TableLinkShufflerSettings(link, installed.allow_commands))


def _monitor(
    _settings: NoSettings, _driver: Driver[Any], words: Words, masked: bool
) -> TableLinkMonitor:
    return TableLinkMonitor(words, events_of, status_of, masked)


class LineLevel(StrEnum):
    """The level of a line that says yes."""

    HIGH = "high"
    LOW = "low"


class JamLevel(StrEnum):
    """The level of the line that says that cards are jammed; none where no contact says it."""

    HIGH = "high"
    LOW = "low"
    NONE = "none"


class ContactsSettings(Struct, frozen=True):
    """How the contacts of a shuffler are wired, and how long it takes for a shuffle."""

    lid_open: Annotated[
        LineLevel, Meta(description="line 1, level while the lid is open; a cut wire is low")
    ] = LineLevel.LOW
    running: Annotated[
        LineLevel, Meta(description="line 2, level while the running lamp is on")
    ] = LineLevel.HIGH
    done: Annotated[LineLevel, Meta(description="line 3, level while the done lamp is on")] = (
        LineLevel.HIGH
    )
    jam: Annotated[
        JamLevel, Meta(description="line 4, level while cards are jammed; none: no such contact")
    ] = JamLevel.LOW
    shuffle_s_min: Annotated[
        int, Meta(ge=1, le=3600, description="a shorter run is no shuffle")
    ] = 60
    shuffle_s_max: Annotated[
        int, Meta(ge=1, le=7200, description="a run that is not over by then is broken off")
    ] = 900
    done_ms_max: Annotated[
        int,
        Meta(ge=1, le=60_000, description="between the end of a run and its done lamp, at most"),
    ] = 3000

    def __post_init__(self) -> None:
        if self.shuffle_s_min >= self.shuffle_s_max:
            raise ValueError(
                f"shuffle_s_min and shuffle_s_max are {self.shuffle_s_min} and"
                f" {self.shuffle_s_max}. Allowed: a least time below the longest. Remedy: measure"
                " a few shuffles, and correct them"
            )


def _contacts(settings: ContactsSettings, installed: Installation) -> ContactsShuffler:
    levels = {
        LID: settings.lid_open,
        RUNNING: settings.running,
        DONE: settings.done,
        JAM: settings.jam,
    }
    limits = RunLimits(
        settings.shuffle_s_min * _NS_PER_S,
        settings.shuffle_s_max * _NS_PER_S,
        settings.done_ms_max * NS_PER_MS,
    )
    low = tuple(line for line, level in levels.items() if level == LineLevel.LOW)
    jam_line = settings.jam is not JamLevel.NONE
    return ContactsShuffler(ContactsShufflerSettings(limits, low, jam_line, installed.trust.bare))


def _contact_lines(
    unframed: Unframed, data: bytes, words: Words, _masked: bool
) -> tuple[Unframed, tuple[str, ...]]:
    def texts() -> Iterator[str]:
        for one in found:
            if isinstance(one, LinkFault):
                yield fault_text(one, words)
            else:
                levels = (one.levels >> line & 1 for line in range(LINES_MAX))
                yield " ".join("high" if level else "low" for level in levels)

    unframed, found = feed(unframed, data)
    return unframed, wire_lines(hex_text(data), texts())


def _contacts_monitor(
    settings: ContactsSettings, _driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    driver = _contacts(settings, Installation(trust=_ADMITTED))
    return DeviceMonitor(words, driver, WireView(Unframed(), _contact_lines), masked)


TABLELINK_SHUFFLER: Final = DeviceModel(
    name="tablelink",
    title="TableLink shuffler",
    kind=DeviceKind.SHUFFLER,
    settings=NoSettings,
    driver=_shuffler,
    state=TableLinkShufflerState,
    monitor=_monitor,
    monitor_remark=UNGREETED,
    framing=framing.TABLELINK,
    baud=1_000_000,
    parity="N",
    emulator="hil.emulator.tablelink.shuffler:Shuffler",
    states_continuity=True,
    proves_identity=True,
)
CONTACTS_SHUFFLER: Final = DeviceModel(
    name="contacts",
    title="shuffler that shows only contacts",
    kind=DeviceKind.SHUFFLER,
    settings=ContactsSettings,
    driver=_contacts,
    state=ContactsShufflerState,
    monitor=_contacts_monitor,
    framing=framing.CONTACTS,
    baud=9600,
    parity="N",
    emulator="hil.emulator.contacts.shuffler:ContactShuffler",
    contacts_only=True,
    listens=True,
)
MODELS: Final = (TABLELINK_SHUFFLER, CONTACTS_SHUFFLER)
