"""Inputs that are not stored yet, after an internal error at one of them."""

import pytest

from controller.core.tape.inputs import NotJudged
from controller.table.unstored import TableInput, UnstoredInputs
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp

PORT = "/dev/ttyUSB0"


def at(second: int) -> Timestamp:
    return Timestamp(second * 1_000_000_000, second * 1_000_000_000)


def retried(culprit: TableInput, *others: TableInput) -> list[TableInput]:
    """What is retried after an error at the first of these inputs, at an open port."""
    inputs = UnstoredInputs()
    inputs.add([PortOpened(PORT, at(1), bytes(32))])
    inputs.mark_stored()
    inputs.add([culprit, *others])

    def judge() -> None:
        for item, _awaited in inputs.each([culprit, *others]):
            assert item is not culprit

    with pytest.raises(AssertionError):
        judge()
    inputs.retry_others()
    return inputs.take_retries()


def test_bytes_that_were_not_judged_are_noted_in_their_place() -> None:
    failed, after = Chunk(PORT, at(2), b"bytes"), Chunk(PORT, at(3), b"more")

    assert retried(failed, after) == [NotJudged(at(2), PORT, b"bytes"), after]


def test_in_the_place_of_dropped_bytes_their_port_is_opened_again() -> None:
    """A whole cycle of reports may be in them: the next number alone would not show it."""
    failed, after = NotJudged(at(2), PORT, b"bytes"), Chunk(PORT, at(3), b"more")

    assert retried(failed, after) == [PortOpened(PORT, at(2), bytes(32)), after]
