"""Inputs that are not stored yet, after an internal error at one of them.

Source: controller/core/README.md, "Failure has four kinds".
"""

import pytest

from controller.table.unstored import UnstoredInputs
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortOpened

PORT = "/dev/ttyUSB0"


def at(second: int) -> Timestamp:
    return Timestamp(second * 1_000_000_000, second * 1_000_000_000)


def test_in_the_place_of_dropped_bytes_their_port_is_opened_again() -> None:
    """A whole cycle of reports may be in them: the next number alone would not show it."""
    opened = PortOpened(PORT, at(1), bytes(32))
    before, dropped, after = (Chunk(PORT, at(second), b"bytes") for second in (2, 3, 4))
    inputs = UnstoredInputs()
    inputs.add([opened])
    inputs.mark_stored()
    inputs.add([before, dropped, after])

    def judge() -> None:
        for item, _awaited in inputs.each([before, dropped, after]):
            assert item is not dropped

    with pytest.raises(AssertionError):
        judge()
    inputs.retry_others()

    assert inputs.take_retries() == [before, PortOpened(PORT, at(3), bytes(32)), after]
