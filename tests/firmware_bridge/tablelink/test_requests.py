"""Requests to a TableLink device: one in flight, the same id until answered, none executed twice.

Source: firmware_bridge README, "TableLink/1", requests.
"""

from typing import Any

import pytest
from in_words import in_words
from msgspec.structs import replace

from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.state import LinkPhase

MS = 1_000_000
RPC = 2
SHUFFLE = TableLinkRequest(RequestType.SHUFFLE, 1)
STATUS = TableLinkRequest(RequestType.STATUS)


def admitted(bench: Any, device: Any = None, **changes: Any) -> Any:
    world = bench.world(device, **changes)
    world.start()
    world.run(300)
    world.journal.clear()
    return world


def sent(bench: Any, world: Any, request: TableLinkRequest) -> Any:
    """The output of the link, without writing it."""
    world.state, output = world.link.send(world.state, request, world.at)
    return output


def ticked(bench: Any, world: Any, ms: int) -> list[Any]:
    world.now_ns += ms * MS
    world.state, output = world.link.tick(world.state, world.at)
    return [one for data in output.to_write for one in bench.unframed(data) if one.channel == RPC]


def received(world: Any, data: bytes) -> Any:
    world.state, output = world.link.receive(world.state, data, world.at)
    return output


def test_a_request_waits_for_the_store(bench: Any) -> None:
    world = admitted(bench)

    output = sent(bench, world, SHUFFLE)

    assert output.at_once == ()
    (frame,) = bench.unframed(output.to_write[0])
    assert (frame.channel, frame.type, frame.seq, frame.content) == (RPC, 3, 1, {1: 1})
    assert not frame.resent


@pytest.mark.parametrize(
    ("request_", "content"),
    [
        (STATUS, None),
        (TableLinkRequest(RequestType.SELF_TEST), None),
        (TableLinkRequest(RequestType.LOCK), None),
        (TableLinkRequest(RequestType.UNLOCK), None),
        (TableLinkRequest(RequestType.ABORT, 0), {1: 0}),
        (TableLinkRequest(RequestType.MODE, 2), {1: 2}),
        (TableLinkRequest(RequestType.RELEASE, 2), {1: 2}),
    ],
)
def test_a_request_carries_its_argument(
    bench: Any, request_: TableLinkRequest, content: Any
) -> None:
    world = admitted(bench)

    output = sent(bench, world, request_)

    assert bench.unframed(output.to_write[0])[0].content == content


def test_one_is_in_flight_and_the_next_follows_its_answer(bench: Any) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)

    second = sent(bench, world, STATUS)
    answered = received(world, bench.framed(RPC, 3, {1: 0}, seq=1))

    assert (second.items, second.to_write) == ((), ())
    assert answered.items == (RequestAnswer(SHUFFLE, RequestStatus.DONE, None, None),)
    assert [bench.unframed(data)[0].seq for data in answered.to_write] == [2]


def test_a_request_is_repeated_with_the_same_id_and_back_off(bench: Any) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)

    repeats = [ticked(bench, world, ms) for ms in (199, 1, 399, 1, 800, 1_600, 1_600)]

    assert [len(one) for one in repeats] == [0, 1, 0, 1, 1, 1, 1]
    assert {(one.seq, one.resent) for frames in repeats for one in frames} == {(1, True)}


def test_after_ten_seconds_it_is_unanswered(bench: Any) -> None:
    world = admitted(bench)
    world.device._answer_request = lambda _one: b""
    world.ask(SHUFFLE)
    world.run(11_000)

    (item,) = world.of(RequestAnswer)
    assert (item.request, item.status) == (SHUFFLE, None)


@pytest.mark.parametrize(("id_", "kind"), [(1, 4), (2, 3), (0, 3)])
def test_an_answer_to_something_else_is_dropped(bench: Any, id_: int, kind: int) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)

    output = received(world, bench.framed(RPC, kind, {1: 0}, seq=id_))

    assert (output.items, output.to_write) == ((), ())


def test_a_refusal_carries_its_detail(bench: Any) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)

    output = received(world, bench.framed(RPC, 3, {1: 1, 2: "door \x1bopen"}, seq=1))

    (answer,) = output.items
    assert in_words(answer) == RequestAnswer(SHUFFLE, RequestStatus.REFUSED, "door ?open", None)


def test_a_malformed_answer_is_reported_once_and_the_request_repeated(bench: Any) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)
    bad = bench.framed(RPC, 3, {1: 9}, seq=1)

    items = received(world, bad).items + received(world, bad).items

    assert [type(one) for one in items] == [LinkFault]
    assert len(ticked(bench, world, 200)) == 1


def test_a_request_in_flight_keeps_its_id_over_a_lost_port_and_a_restart(bench: Any) -> None:
    world = admitted(bench)
    world.device._answer_request = lambda _one: b""
    world.ask(SHUFFLE)
    world.run(50)
    del world.device._answer_request
    world.crash()
    world.run(500)

    assert [(id_, order) for id_, order, _said in world.device.executed] == [(1, 3)]
    assert [one.status for one in world.of(RequestAnswer)] == [RequestStatus.DONE]


def test_after_a_resume_it_is_repeated_at_the_first_pace_again(bench: Any) -> None:
    world = admitted(bench)
    world.device._answer_request = lambda _one: b""
    world.ask(SHUFFLE)
    world.run(3_000)
    world.crash()
    resumed = world.state.requests.in_flight
    while world.state.session.phase is not LinkPhase.ADMITTED:
        world.run(1)
        resumed = world.state.requests.in_flight
    at_ns = world.at.monotonic_ns

    assert (resumed.pause_ns, at_ns <= resumed.retry_due_ns <= at_ns + 200 * MS) == (200 * MS, True)
    due_in_ms = (resumed.retry_due_ns - at_ns) // MS
    repeats = [ticked(bench, world, ms) for ms in (due_in_ms - 1, 2, 399, 1)]
    assert [len(one) for one in repeats] == [0, 1, 0, 1]


def test_waiting_requests_fail_when_the_port_is_lost(bench: Any) -> None:
    world = admitted(bench)
    sent(bench, world, SHUFFLE)
    sent(bench, world, STATUS)

    _state, output = world.link.closed(world.state, world.at)

    assert [(one.request, one.status) for one in output.items] == [(STATUS, None)]


def test_a_late_restart_gives_up_the_request(bench: Any) -> None:
    world = admitted(bench)
    world.device._answer_request = lambda _one: b""
    world.ask(SHUFFLE)
    world.now_ns += 60_000 * MS
    world.crash()

    assert [(one.request, one.status) for one in world.of(RequestAnswer)] == [(SHUFFLE, None)]


def test_nothing_is_sent_to_a_closed_port(bench: Any) -> None:
    link = TableLink(bench.settings)
    world = bench.world()

    state, output = link.send(link.initial(), SHUFFLE, world.at)

    assert (state, output.to_write) == (link.initial(), ())
    assert [one.status for one in output.items] == [None]


def test_an_early_request_is_sent_after_admission(bench: Any) -> None:
    world = bench.world()
    world.start()
    world.ask(SHUFFLE)
    world.run(500)

    assert [order for _id, order, _said in world.device.executed] == [3]


def test_ids_continue_above_those_of_the_device(bench: Any) -> None:
    world = admitted(bench, bench.device(highest=17))
    world.ask(SHUFFLE)
    world.run(100)

    assert [id_ for id_, *_rest in world.device.executed] == [18]


def test_a_device_without_free_ids_gets_no_request(bench: Any) -> None:
    world = admitted(bench, bench.device(highest=2**32 - 1))

    output = sent(bench, world, SHUFFLE)

    assert (output.to_write, [one.status for one in output.items]) == ((), [None])


def test_another_device_does_not_get_the_request_of_the_previous_one(bench: Any) -> None:
    bare = Trust(bare=True)
    world = admitted(bench, bench.device(identity=None), trust=bare)
    world.device._answer_request = lambda _one: b""
    world.ask(SHUFFLE)
    world.run(50)
    world.device = bench.device(device=b"another device", identity=None)
    world.start()
    world.run(500)

    assert world.device.executed == []
    assert [(one.request, one.status) for one in world.of(RequestAnswer)] == [(SHUFFLE, None)]


def test_the_queue_is_bounded(bench: Any) -> None:
    world = admitted(bench)

    outputs = [sent(bench, world, STATUS) for _ in range(10)]

    assert [one.status for one in outputs[-1].items] == [RequestStatus.REFUSED]
    assert all(not one.items for one in outputs[:-1])
    assert len(world.state.requests.waiting) == 8


def test_an_argument_that_no_request_has_is_refused(bench: Any) -> None:
    world = admitted(bench)

    output = sent(bench, world, replace(SHUFFLE, argument=-1))

    assert [one.status for one in output.items] == [RequestStatus.REFUSED]
