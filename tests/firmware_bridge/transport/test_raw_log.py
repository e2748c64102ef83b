"""The log of the wire: three levels, and nothing of a card unless a mask lets it through."""

import logging

import pytest

from firmware_bridge.angel_eye.masking import MaskPlace, mask_raw
from firmware_bridge.transport.raw_log import WireLog


def test_three_levels_of_one_port(caplog: pytest.LogCaptureFixture) -> None:
    log = WireLog("shoe")
    with caplog.at_level(logging.DEBUG, logger="smartshoe.wire.shoe"):
        log.bytes_arrived(b"\x05\x31")
        log.frame_decoded("ACK")
        log.event_understood("card ??")

    assert {record.name for record in caplog.records} == {"smartshoe.wire.shoe"}
    assert caplog.messages == ["bytes  2: .. ..", "frame  ACK", "event  card ??"]


def test_a_mask_that_follows_the_stream_sees_every_byte(caplog: pytest.LogCaptureFixture) -> None:
    places = [MaskPlace.UNKNOWN]

    def mask(data: bytes) -> str:
        text, place = mask_raw(data, places[-1])
        places.append(place)
        return text

    log = WireLog("shoe", mask)
    log.bytes_arrived(b"\x05")  # not written: the level is higher
    with caplog.at_level(logging.DEBUG, logger="smartshoe.wire.shoe"):
        log.bytes_arrived(b"\x31\x50\x03\x36\x32")

    assert caplog.messages == ["bytes  5: 31 50 03 .. .."]
