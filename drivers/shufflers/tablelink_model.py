"""A shuffler that speaks TableLink, and what it can do."""

from typing import Any, Final

from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import Words
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.shufflers.tablelink_shuffler import (
    TableLinkShuffler,
    TableLinkShufflerSettings,
    TableLinkShufflerState,
)
from drivers.tablelink.monitor import FRAMING, UNGREETED, TableLinkMonitor
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings


def _shuffler(_settings: NoSettings, installed: Installation) -> TableLinkShuffler:
    link = TableLinkSettings(DeviceRole.SHUFFLER, installed.trust)
    return TableLinkShuffler(TableLinkShufflerSettings(link, installed.allow_commands))


def _monitor(
    _settings: NoSettings, _driver: Driver[Any], words: Words, masked: bool
) -> TableLinkMonitor:
    return TableLinkMonitor(words, events_of, status_of, masked)


TABLELINK_SHUFFLER: Final = DeviceModel(
    name="tablelink",
    title="TableLink shuffler",
    kind=DeviceKind.SHUFFLER,
    settings=NoSettings,
    driver=_shuffler,
    state=TableLinkShufflerState,
    monitor=_monitor,
    monitor_remark=UNGREETED,
    framing=FRAMING,
    baud=1_000_000,
    parity="N",
    emulator="hil.emulator.tablelink.shuffler:Shuffler",
    states_continuity=True,
    proves_identity=True,
)
