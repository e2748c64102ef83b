"""Every event exactly once and in order, no request twice, whatever happens to line and machines.

Responsible for: each fault at each frame, then several at once: frames lost, doubled, cut, damaged
and late, the program crashing before and after its store, the port reopened, the device rebooting.
Not responsible for: single steps (test_link, test_requests).
Source: firmware_bridge README, "TableLink/1".
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.tablelink.bodies import PowerUp
from firmware_bridge.tablelink.items import Answered, Happened, Order, Request

SHUFFLE = Request(Order.SHUFFLE, 1)
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


def walked(bench: Any, faults: dict[int, str]) -> Any:
    """Six events, one shuffle and one question, with trouble at these frames."""
    world = bench.world()
    world.faults = dict(faults)
    world.happen()
    world.happen()
    world.start()
    for moment_ms in (200, 203, 206):
        world.later(moment_ms, world.happen)
    world.later(204, lambda: world.ask(SHUFFLE))
    world.later(205, lambda: world.ask(Request(Order.STATUS)))
    world.later(3000, world.happen)
    world.run(25_000)
    return world


def check(world: Any) -> None:
    assert world.numbers == [*range(1, world.device.following)]
    boots = [one for one in world.of(Happened) if isinstance(one.body, PowerUp)]
    assert len(world.numbers) - len(boots) == 6
    assert world.missing == 0
    assert world.device.kept == []
    orders = [order for _id, order, _said in world.device.executed]
    assert orders.count(Order.SHUFFLE) <= 1
    done = [one for one in world.of(Answered) if one.request == SHUFFLE and one.status is not None]
    assert len(done) <= 1


def test_the_kinds_of_trouble_are_the_worlds(bench: Any) -> None:
    assert bench.faults == KINDS


def test_without_trouble_all_is_done_once(bench: Any) -> None:
    world = walked(bench, {})

    check(world)
    assert [order for _id, order, _said in world.device.executed] == [Order.SHUFFLE, Order.STATUS]
    assert [one.status for one in world.of(Answered)] == [0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_one_trouble_at_any_frame(bench: Any, kind: str) -> None:
    for frame in range(FRAMES):
        check(walked(bench, {frame: kind}))


@settings(max_examples=150)
@given(st.dictionaries(st.integers(0, 70), st.sampled_from(KINDS), min_size=2, max_size=10))
def test_many_troubles_anywhere(bench: Any, faults: dict[int, str]) -> None:
    check(walked(bench, faults))


@pytest.mark.full
@settings(max_examples=5_000)
@given(st.dictionaries(st.integers(0, 70), st.sampled_from(KINDS), min_size=2, max_size=12))
def test_many_troubles_anywhere_at_length(bench: Any, faults: dict[int, str]) -> None:
    check(walked(bench, faults))


def test_a_late_question_of_before_does_not_hold_up_the_device(bench: Any) -> None:
    faults = {6: "cut", 16: "reopened", 21: "reopened", 22: "late", 24: "reboot", 38: "reboot"}

    check(walked(bench, faults | {47: "reboot", 62: "cut"}))
