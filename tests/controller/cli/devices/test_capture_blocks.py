"""The blocks of a record, against golden bytes."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from controller.cli.devices.capture_blocks import (
    SerialEvent,
    interface_block,
    packet_block,
    section_block,
)

GOLDEN = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "capture.toml").read_text(encoding="utf-8")
)


def test_the_section_names_the_program() -> None:
    section = GOLDEN["section"]

    assert section_block(section["program"]) == bytes.fromhex(section["hex"])


def test_an_interface_states_port_model_speed_and_nanoseconds() -> None:
    one = GOLDEN["interface"]

    block = interface_block(one["name"], one["description"], one["baud"])
    assert block == bytes.fromhex(one["hex"])


@pytest.mark.parametrize("packet", GOLDEN["packet"], ids=lambda one: one["name"])
def test_an_event_at_a_port(packet: dict[str, Any]) -> None:
    data, event = bytes.fromhex(packet["data_hex"]), SerialEvent(packet["event"])

    block = packet_block(0, packet["utc_ns"], event, data, packet["comment"])
    assert block == bytes.fromhex(packet["hex"])
