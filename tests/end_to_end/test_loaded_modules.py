"""A table with one shoe loads the drivers, protocols, outlets and libraries of what it has.

Source: performance goal P23.
"""

from pathlib import Path

import pytest

from hil.bench.process.loaded_lines import LINES_MAX, loaded_lines

# What a table with an Angel Eye shoe, its page and its metrics has not.
ABSENT = (
    "firmware_bridge.contacts.link",
    "firmware_bridge.feig",
    "firmware_bridge.gpio.chip",
    "firmware_bridge.hid_pos",
    "firmware_bridge.ssi",
    "firmware_bridge.tablelink",
    "firmware_bridge.transport.usb_port",
    "drivers.readers",
    "drivers.scanners",
    "drivers.shufflers",
    "drivers.tablelink",
    "controller.cli.declaration",
    "controller.outlets.feed",
    "controller.outlets.overlay",
    "controller.service.config.load",
    "controller.service.install.approval",
    "controller.service.signal_lines",
    "controller.journal.verify",
    "office",
)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    return dict(loaded_lines(Path(tmp_path_factory.mktemp("loaded"), "table"), coups=1))


def test_what_a_table_has_not_is_not_loaded(lines: dict[str, int]) -> None:
    assert "firmware_bridge.angel_eye.link" in lines
    assert [
        name for name in lines if f"{name}.".startswith(tuple(f"{one}." for one in ABSENT))
    ] == []


def test_a_table_loads_no_more_lines_than_its_goal(lines: dict[str, int]) -> None:
    assert sum(lines.values()) <= LINES_MAX
