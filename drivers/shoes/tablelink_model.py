"""A dealing shoe that speaks TableLink, and what it can do."""

from typing import Any, Final

from drivers.interface import Driver
from drivers.model import CardReading, DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import Words
from drivers.shoes.tablelink_events import events_of, status_of
from drivers.shoes.tablelink_shoe import TableLinkShoe, TableLinkShoeSettings, TableLinkShoeState
from drivers.tablelink.monitor import FRAMING, UNGREETED, TableLinkMonitor
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings


def _shoe(_settings: NoSettings, installed: Installation) -> TableLinkShoe:
    link = TableLinkSettings(DeviceRole.SHOE, installed.trust)
    return TableLinkShoe(TableLinkShoeSettings(link, installed.allow_commands))


def _monitor(
    _settings: NoSettings, _driver: Driver[Any], words: Words, masked: bool
) -> TableLinkMonitor:
    return TableLinkMonitor(words, events_of, status_of, masked)


TABLELINK_SHOE: Final = DeviceModel(
    name="tablelink",
    title="TableLink shoe",
    kind=DeviceKind.SHOE,
    settings=NoSettings,
    driver=_shoe,
    state=TableLinkShoeState,
    monitor=_monitor,
    monitor_remark=UNGREETED,
    framing=FRAMING,
    baud=1_000_000,
    parity="N",
    emulator="hil.emulator.tablelink.shoe:TableLinkShoe",
    cards=CardReading.ANY,
    has_lock=True,
    states_continuity=True,
    proves_identity=True,
)
