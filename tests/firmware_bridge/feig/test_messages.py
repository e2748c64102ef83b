"""Answers of FEIG readers, status texts, and the bytes of requests.

Source: firmware_bridge README, "FEIG OBID", commands and status.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from firmware_bridge.feig import commands
from firmware_bridge.feig.frames import FrameForm
from firmware_bridge.feig.items import TagInventoried
from firmware_bridge.feig.messages import (
    MalformedContent,
    describe_status,
    parse_blocks,
    parse_inventory,
    parse_timer,
)
from firmware_bridge.feig.settings import LAYOUTS

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "feig.toml").read_text(encoding="utf-8")
)
TAG = bytes.fromhex("E0 04 01 50 A0 5F 02 B7")


def answers_with(key: str) -> list[Any]:
    return [pytest.param(one, id=one["name"]) for one in VECTORS["answer"] if key in one]


@pytest.mark.parametrize("vector", answers_with("tags"))
def test_an_inventory_gives_its_tags(vector: dict[str, Any]) -> None:
    tags = [bytes.fromhex(tag) for tag in vector["tags"]]
    due = tuple(TagInventoried(tag[0], tag[1:]) for tag in tags)

    assert parse_inventory(bytes.fromhex(vector["data_hex"])) == due


@pytest.mark.parametrize("vector", answers_with("blocks_hex"))
def test_blocks_are_read_without_their_security_bytes(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["data_hex"])

    assert parse_blocks(data, data[0]) == bytes.fromhex(vector["blocks_hex"])


def test_the_timer_is_hour_minute_and_milliseconds() -> None:
    assert parse_timer(bytes.fromhex("01 02 0B BC")) == 3_723_004


def test_identities_of_any_length_are_listed() -> None:
    data = bytes.fromhex("03 84 00 0C" + "11" * 12 + "03 00") + TAG + bytes.fromhex("84 00 00")

    assert parse_inventory(data) == (
        TagInventoried(0x84, b"\x11" * 12),
        TagInventoried(0x03, TAG),
        TagInventoried(0x84, b""),
    )


@pytest.mark.parametrize(
    "data",
    ["", "01", "01 03 00 E0 04", "00 00", "01 04 00 00 11 22 33 44", "01 84 00", "01 84 00 04 11"],
)
def test_a_malformed_inventory_is_refused(data: str) -> None:
    assert isinstance(parse_inventory(bytes.fromhex(data)), MalformedContent)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("02 04 00 41 53 2D 31", id="a block is missing"),
        pytest.param("01 04 00 41 53 2D 31", id="fewer blocks than asked for"),
        pytest.param("02 00", id="blocks without size"),
        pytest.param("02", id="no size"),
    ],
)
def test_malformed_blocks_are_refused(data: str) -> None:
    assert isinstance(parse_blocks(bytes.fromhex(data), 2), MalformedContent)


@pytest.mark.parametrize("data", ["", "01 02 0B", "01 02 0B BC 00"])
def test_a_timer_of_another_length_is_refused(data: str) -> None:
    assert isinstance(parse_timer(bytes.fromhex(data)), MalformedContent)


@given(st.binary(max_size=40), st.integers(0, 255))
def test_no_bytes_raise(data: bytes, count: int) -> None:
    for parsed in (parse_inventory(data), parse_blocks(data, count), parse_timer(data)):
        assert isinstance(parsed, tuple | bytes | int | MalformedContent)


@pytest.mark.parametrize(
    ("status", "text"),
    [(0x93, "93, data buffer overflow"), (0x77, "77, unknown to this program")],
)
def test_a_status_as_text(status: int, text: str) -> None:
    assert to_words(describe_status(status)) == text


# --- requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_bytes", "name"),
    [
        (commands.ask_version(), "software version, advanced"),
        (commands.ask_version(FrameForm.STANDARD), "software version, standard"),
        (commands.ask_info(0), "reader info, mode 0"),
        (commands.ask_timer(), "system timer"),
        (commands.ask_buffer_info(), "buffer info"),
        (commands.clear_buffer(), "clear the data sets read last"),
        (commands.read_buffer(LAYOUTS["isc.mr102"], 255), "read 255 data sets"),
        (commands.read_buffer(LAYOUTS["isc.lr200"]), "read 8 data sets, older command"),
        (commands.inventory(more=False), "inventory"),
        (commands.inventory(more=True), "inventory, more"),
        (commands.read_blocks(TAG, 0, 2), "read 2 blocks from block 0, addressed"),
    ],
)
def test_a_request_has_its_golden_bytes(request_bytes: bytes, name: str) -> None:
    (vector,) = [one for one in VECTORS["request"] if one["name"] == name]

    assert request_bytes == bytes.fromhex(vector["hex"])
