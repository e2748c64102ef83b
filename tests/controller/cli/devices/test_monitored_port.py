"""Model, line settings and allow-list of a monitored port."""

from pathlib import Path

import pytest

from controller.cli.devices.monitored_port import (
    MonitorOptions,
    find_monitored_port,
    same_port,
)
from controller.system.command_line.errors import CommandError
from controller.system.messages.catalogue import to_words
from drivers.model import BadDeviceSettings
from drivers.scanners.models import HID_POS
from drivers.tablelink.monitor import UNGREETED
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.port import Chunk, LineSettings, Parity
from foundation.timestamp import Timestamp

TABLE = """\
[table]
name = "M7"
[shoe]
port = "/dev/ttyUSB0"
baud = 9600
[[reader]]
port = "usb://0ab1:0002/12"
seat = "layout"
[[scanner]]
port = "/dev/ttyUSB2"
model = "zebra-ssi"
[shuffler]
port = "/dev/ttyACM0"
bare = true
[usb]
allow = ["0ab1:0002"]
"""
# The reader's answer with one record, masked as the wire document says.
READ = bytes.fromhex("1100B000010300E0040150A05F02B7D7BE")


@pytest.fixture
def config(fast_dir: Path) -> Path:
    file = fast_dir / "table.toml"
    file.write_text(TABLE)
    return file


@pytest.mark.parametrize(
    ("model", "baud", "parity"),
    [
        ("", 4800, Parity.NONE),
        ("feig-rfid", 38400, Parity.EVEN),
        ("zebra-ssi", 9600, Parity.NONE),
        ("hid-pos", 0, Parity.NONE),
        ("tablelink", 1_000_000, Parity.NONE),
        ("tablelink-shuffler", 1_000_000, Parity.NONE),
    ],
)
def test_a_model_has_its_own_line(model: str, baud: int, parity: Parity) -> None:
    found = find_monitored_port(MonitorOptions("/dev/ttyUSB9", model), None, masked=True)

    assert (found.line, found.allowed) == (LineSettings(baud, parity), None)


@pytest.mark.parametrize(
    ("port", "model", "line"),
    [
        ("/dev/ttyUSB0", "angel-eye-ii-ex", LineSettings(9600, Parity.NONE)),
        ("usb://0ab1:0002/12", "feig-reader", LineSettings(38400, Parity.EVEN)),
        ("/dev/ttyUSB2", "zebra-ssi", LineSettings(9600, Parity.NONE)),
        ("/dev/ttyACM0", "tablelink-shuffler", LineSettings(1_000_000, Parity.NONE)),
    ],
)
def test_the_configuration_gives_the_model_of_each_port(
    config: Path, port: str, model: str, line: LineSettings
) -> None:
    found = find_monitored_port(MonitorOptions(port), config, masked=True)

    assert (found.model, found.line) == (model, line)
    assert found.allowed == AllowList((parse_allow_entry("0ab1:0002"),))


def test_an_unknown_port_lists_the_configured_ones(config: Path) -> None:
    with pytest.raises(
        CommandError, match=r"Allowed: /dev/ttyUSB0, usb://0ab1:0002/12, /dev/ttyUSB2"
    ):
        find_monitored_port(MonitorOptions("/dev/ttyUSB9"), config, masked=True)


def test_a_given_model_overrides_the_configuration_with_its_own_line(config: Path) -> None:
    found = find_monitored_port(MonitorOptions("/dev/ttyUSB2", "feig-rfid"), config, masked=True)

    assert (found.model, found.line.parity) == ("feig-rfid", Parity.EVEN)


def test_a_given_speed_overrides_the_configuration(config: Path) -> None:
    assert (
        find_monitored_port(
            MonitorOptions("/dev/ttyUSB0", baud=1200), config, masked=True
        ).line.baud
        == 1200
    )


def test_an_unknown_model_lists_the_known_ones() -> None:
    first = "angel-eye-ii-ex, feig-rfid, tablelink, tablelink-shuffler, "
    with pytest.raises(BadDeviceSettings, match=f"Allowed: {first}"):
        find_monitored_port(MonitorOptions("/dev/ttyUSB0", "x"), None, masked=True)


@pytest.mark.parametrize("model", ["tablelink", "tablelink-shuffler"])
def test_a_hint_is_given_for_a_device_that_may_be_silent(model: str) -> None:
    assert find_monitored_port(MonitorOptions("p", model), None, masked=True).remark == to_words(
        UNGREETED
    )


def test_a_hint_is_given_for_a_scanner_that_may_be_silent() -> None:
    assert find_monitored_port(
        MonitorOptions("p", "hid-pos"), None, masked=True
    ).remark == to_words(HID_POS.monitor_remark)


@pytest.mark.parametrize(("masked", "shown"), [(True, False), (False, True)])
def test_the_tags_at_a_reader_are_masked(config: Path, masked: bool, shown: bool) -> None:
    found = find_monitored_port(MonitorOptions("usb://0ab1:0002/12"), config, masked=masked)
    chunk = Chunk("usb://0ab1:0002/12", Timestamp(1, 2), READ)

    _, lines = found.monitor.watch(found.monitor.initial(), chunk)
    assert ("E0 04 01 50" in "\n".join(lines)) is shown


def test_links_to_one_device_are_one_port(fast_dir: Path) -> None:
    device, link = fast_dir / "ttyUSB0", fast_dir / "by-id"
    device.touch()
    link.symlink_to(device)

    assert same_port(str(link), str(device))
    assert not same_port("usb://0ab1:0002", "usb://0ab1:0002/12")
