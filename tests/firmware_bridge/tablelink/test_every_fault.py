"""Every event exactly once and in order, no request twice: each fault at each frame, then several.

Frames are lost, doubled, cut, damaged and late; the program crashes before and after its store;
the port is reopened; the device reboots.
Source: firmware_bridge README, "TableLink/1".
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.tablelink.bodies import PowerUp
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)

SHUFFLE = TableLinkRequest(RequestType.SHUFFLE, 1)
FRAMES = 40
KINDS = (
    "lost",
    "twice",
    "cut",
    "damaged",
    "late",
    "crash before store",
    "crash after store",
    "reboot",
    "reopened",
)


def world_with_faults(bench: Any, faults: dict[int, str]) -> Any:
    """Six events, one shuffle and one status request, with faults at these frames."""
    world = bench.world()
    world.faults = dict(faults)
    world.record_event()
    world.record_event()
    world.start()
    for moment_ms in (200, 203, 206):
        world.later(moment_ms, world.record_event)
    world.later(204, lambda: world.ask(SHUFFLE))
    world.later(205, lambda: world.ask(TableLinkRequest(RequestType.STATUS)))
    world.later(3000, world.record_event)
    world.run(25_000)
    return world


def check(world: Any) -> None:
    assert world.numbers == [*range(1, world.device.following)]
    boots = [one for one in world.of(TableLinkEvent) if isinstance(one.body, PowerUp)]
    assert len(world.numbers) - len(boots) == 6
    assert world.missing == 0
    assert world.device.buffered == []
    orders = [order for _id, order, _said in world.device.executed]
    assert orders.count(RequestType.SHUFFLE) <= 1
    done = [
        one for one in world.of(RequestAnswer) if one.request == SHUFFLE and one.status is not None
    ]
    assert len(done) <= 1


def test_the_kinds_of_faults_are_those_of_the_world(bench: Any) -> None:
    assert bench.faults == KINDS


def test_without_faults_everything_happens_once(bench: Any) -> None:
    world = world_with_faults(bench, {})

    check(world)
    assert [order for _id, order, _said in world.device.executed] == [
        RequestType.SHUFFLE,
        RequestType.STATUS,
    ]
    assert [one.status for one in world.of(RequestAnswer)] == [0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_one_fault_at_any_frame(bench: Any, kind: str) -> None:
    for frame in range(FRAMES):
        check(world_with_faults(bench, {frame: kind}))


@settings(max_examples=150)
@given(st.dictionaries(st.integers(0, 70), st.sampled_from(KINDS), min_size=2, max_size=10))
def test_many_faults_at_any_frames(bench: Any, faults: dict[int, str]) -> None:
    check(world_with_faults(bench, faults))


@pytest.mark.full
@settings(max_examples=5_000)
@given(st.dictionaries(st.integers(0, 70), st.sampled_from(KINDS), min_size=2, max_size=12))
def test_many_faults_at_any_frames_at_length(bench: Any, faults: dict[int, str]) -> None:
    check(world_with_faults(bench, faults))


def test_a_late_hello_of_an_earlier_session_does_not_block_the_device(bench: Any) -> None:
    faults = {6: "cut", 16: "reopened", 21: "reopened", 22: "late", 24: "reboot", 38: "reboot"}

    check(world_with_faults(bench, faults | {47: "reboot", 62: "cut"}))
