"""The link to a TableLink device, step by step: opening, identity, events, time, heartbeat.

Source: firmware_bridge README, "TableLink/1".
"""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from in_words import in_words
from msgspec.structs import replace

from controller.system.messages.catalogue import to_words
from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceHello,
    DeviceNotAdmitted,
    DeviceSilence,
    EventsMissing,
    RequestType,
    RingFillLevel,
    SilenceEnded,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole
from foundation.timestamp import Timestamp

MS = 1_000_000
LINK, EVENT, RPC = 0, 1, 2
TIME_RSP = 8
HELLO, HELLO_ACK, ACK, NAK, PING, PONG, TIME_REQ, ATTEST_REQ = 1, 2, 3, 4, 5, 6, 7, 10
START = Timestamp(1_000 * MS, 1_790_000_000_000_000_000)
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


def after(ms: int) -> Timestamp:
    return Timestamp(START.monotonic_ns + ms * MS, START.utc_ns + ms * MS)


def types(bench: Any, written: tuple[bytes, ...]) -> list[tuple[int, int]]:
    return [(one.channel, one.type) for data in written for one in bench.unframed(data)]


def admitted(bench: Any, device: Any = None, **changes: Any) -> Any:
    world = bench.world(device, **changes)
    world.start()
    world.run(300)
    world.journal.clear()
    return world


def event(bench: Any, number: int, kind: int = 5, body: Any = None, **keys: Any) -> bytes:
    content = {1: 0xB0070001, 2: number, 3: 1000, 4: kind, 5: body or {}} | keys.get("more", {})
    return bench.framed(EVENT, kind, content, seq=number & 0xFFFFFFFF)


def received(world: Any, data: bytes) -> Any:
    """Feed bytes to the link, bypassing the device."""
    world.state, output = world.link.receive(world.state, data, world.at)
    return output


# --- opening --------------------------------------------------------------------------------------


def test_hello_is_sent_at_once_and_every_half_second(bench: Any) -> None:
    link = TableLink(bench.settings)

    state, first = link.opened(link.initial(), START, bytes(32))
    _state, second = link.tick(state, after(500))

    assert types(bench, first.at_once) == types(bench, second.at_once) == [(LINK, HELLO)]
    content = [bench.unframed(output.at_once[0])[0].content for output in (first, second)]
    assert content[0] == content[1]
    assert content[0][1] != 0
    assert link.next_deadline_ns(state) == after(500).monotonic_ns


def test_each_opening_has_a_session_of_its_own(bench: Any) -> None:
    link = TableLink(bench.settings)

    outputs = [link.opened(link.initial(), START, bytes([seed]) * 32)[1] for seed in range(20)]

    assert len({bench.unframed(one.at_once[0])[0].content[1] for one in outputs}) == 20


def test_a_device_that_proves_its_identity_is_admitted(bench: Any) -> None:
    world = bench.world()
    world.start()
    world.run(300)

    hello, let_in = world.journal
    assert hello == DeviceHello(
        bytes.fromhex("5eed0000c0ffee01"), 0xB0070001, 1, "1.0.0", debug=False
    )
    assert isinstance(let_in, DeviceAdmitted)
    assert let_in.attestation is not None
    assert let_in.attestation.security_counter == 3


def test_the_acknowledgement_of_a_hello_waits_for_the_store(bench: Any) -> None:
    device = bench.device()
    world = bench.world(device)
    link, at = world.link, START
    device.boot(at.monotonic_ns)
    state, output = link.opened(link.initial(), at, bytes(32))
    while not output.to_write:
        answers = b"".join(
            answer for data in output.at_once for answer in device.receive(data, at.monotonic_ns)
        )
        state, output = link.receive(state, answers, at)

    assert types(bench, output.to_write) == [(LINK, HELLO_ACK)]
    assert types(bench, output.at_once) == [(LINK, TIME_REQ)]


def test_an_answer_to_another_session_is_dropped(bench: Any) -> None:
    link = TableLink(bench.settings)
    device = bench.device()
    device.boot(0)
    state, _output = link.opened(link.initial(), START, bytes(32))
    stale = device.receive(bench.framed(LINK, HELLO, {1: 77}), 0)[0]

    _state, output = link.receive(state, stale, START)

    assert (output.items, output.to_write, output.at_once) == ((), (), ())


def test_a_rebooted_device_gets_a_new_session(bench: Any) -> None:
    world = admitted(bench)

    output = received(world, world.device.boot(world.now_ns)[0])

    assert types(bench, output.at_once) == [(LINK, HELLO)]


def test_an_unseen_reboot_is_detected_by_the_uptime(bench: Any) -> None:
    world = admitted(bench)
    world.run(2_000)
    world.device.boot(world.now_ns)
    world.device.session = 1  # and never sends HELLO by itself again
    world.record_event()
    world.run(3_000)

    assert [one.attestation.boot_count for one in world.of(DeviceAdmitted)] == [2]
    assert world.numbers == [1, 2]


def test_a_device_in_another_session_gets_a_new_one_after_five_seconds(
    bench: Any,
) -> None:
    world = admitted(bench)
    world.device.session, world.device.flowing = 1, False
    world.record_event()
    world.run(7_000)

    assert world.numbers == [1]


# --- refused devices ------------------------------------------------------------------------------


def refused(bench: Any, device: Any, **changes: Any) -> Any:
    world = bench.world(device, **changes)
    world.record_event()
    world.start()
    world.run(20_000)
    assert world.of(DeviceAdmitted, TableLinkEvent) == []
    assert world.device.freed == 0
    (notice,) = world.of(DeviceNotAdmitted)
    return notice


def test_a_device_with_another_key_is_not_admitted_and_reported_once(bench: Any) -> None:
    assert not refused(bench, bench.device(identity=OTHER_KEY)).rolled_back


def test_a_device_with_another_id_is_not_admitted(bench: Any) -> None:
    notice = refused(bench, bench.device(device=b"another device"))

    assert notice.device == b"another device"
    assert "not the one paired" in to_words(notice.reason)


@pytest.mark.parametrize(
    ("changed", "word"),
    [({"version": "0.9"}, "approved"), ({"debug": True}, "debug"), ({"role": 1}, "shuffler")],
)
def test_other_firmware_debugging_or_role_is_not_admitted(
    bench: Any, changed: dict[str, Any], word: str
) -> None:
    assert word in to_words(refused(bench, bench.device(**changed)).reason)


def test_no_device_is_admitted_without_trust(bench: Any) -> None:
    notice = refused(bench, bench.device(), trust=NO_TRUST)

    assert "pair" in to_words(notice.reason)


def test_a_paired_device_without_its_identity_is_not_admitted(bench: Any) -> None:
    assert "no identity" in to_words(refused(bench, bench.device(identity=None)).reason)


def test_a_bare_device_is_admitted_if_the_settings_allow_it(bench: Any) -> None:
    world = bench.world(bench.device(identity=None), trust=Trust(bare=True))
    world.record_event()
    world.start()
    world.run(1_000)

    assert [one.attestation for one in world.of(DeviceAdmitted)] == [None]
    assert world.numbers == [1]


def test_a_device_with_an_unpinned_key_is_not_admitted_as_a_bare_one(bench: Any) -> None:
    assert refused(bench, bench.device(), trust=Trust(bare=True)).reason


def test_a_missing_proof_of_identity_is_reported_after_five_seconds(bench: Any) -> None:
    world = bench.world()
    world.device._proof = lambda _nonce: {2: False}
    world.start()
    world.run(5_500)

    assert ["prove" in to_words(one.reason) for one in world.of(DeviceNotAdmitted)] == [True]


@pytest.mark.parametrize("changed", [{"boot_count": 0}, {"following": 1}, {"security_counter": 2}])
def test_a_rolled_back_device_is_not_admitted(bench: Any, changed: dict[str, int]) -> None:
    world = admitted(bench, bench.device(boot_count=5, following=3))
    world.record_event()
    world.run(500)
    for name, value in changed.items():
        setattr(world.device, name, value)
    world.link = TableLink(replace(world.link.settings, trust=trusting_older(bench)))
    world.journal.clear()
    world.device.freed = 0
    world.start()
    world.run(500)

    assert [one.rolled_back for one in world.of(DeviceNotAdmitted)] == [True]
    assert world.of(DeviceAdmitted) == []


def test_a_rolled_back_device_stays_refused_though_its_numbers_grow(bench: Any) -> None:
    world = admitted(bench, bench.device(following=3))
    world.record_event()
    world.run(500)
    world.device.following = 2
    world.open()
    world.run(500)
    for _ in range(20):
        world.record_event()
    world.run(8_000)

    assert [one.rolled_back for one in world.of(DeviceNotAdmitted)] == [True]
    assert world.numbers == [3]


def test_a_rollback_of_no_more_than_one_boot_is_detected(bench: Any) -> None:
    world = admitted(bench, bench.device(following=3))
    world.record_event()
    world.run(500)
    world.device.following = 3
    world.device.boot(world.now_ns)  # POWER_UP gets the number of a stored event
    world.open()
    world.run(1_000)

    assert [one.rolled_back for one in world.of(DeviceNotAdmitted)] == [True]
    assert "recorded no event of it" in to_words(world.of(DeviceNotAdmitted)[0].reason)
    assert world.numbers == [3]


def test_events_of_a_new_boot_without_its_beginning_are_missing(bench: Any) -> None:
    world = admitted(bench, bench.device(following=3))
    world.record_event()
    world.run(500)
    world.device.following = 3
    world.device.boot(world.now_ns)
    world.record_event()
    world.open()
    world.run(1_000)

    assert world.of(EventsMissing) == [EventsMissing(0)]
    assert world.numbers == [3, 4]


def test_after_an_overflow_a_boot_may_be_unrecorded(bench: Any) -> None:
    world = admitted(bench, bench.device(following=3))
    world.record_event(16)
    world.run(500)
    world.device.boot(world.now_ns)
    world.device.buffered.clear()
    world.device.following = 4
    world.open()
    world.run(1_000)
    world.record_event()
    world.run(2_000)

    assert world.of(DeviceNotAdmitted, EventsMissing) == []
    assert world.numbers == [3, 4]


def test_a_stranger_with_the_same_id_does_not_lock_out_the_device(bench: Any) -> None:
    world = admitted(bench, bench.device(following=3))
    world.record_event()
    world.run(500)
    true, world.device = world.device, bench.device(identity=OTHER_KEY)
    world.start()
    world.run(1_000)
    world.device = true
    world.record_event()
    world.open()
    world.run(1_000)

    assert [one.rolled_back for one in world.of(DeviceNotAdmitted)] == [False]
    assert world.numbers == [3, 4]


def test_newer_firmware_is_admitted_again_after_an_older_one(bench: Any) -> None:
    world = admitted(bench)
    world.link = TableLink(replace(world.link.settings, trust=trusting_older(bench)))
    world.device.security_counter = 2
    world.open()
    world.run(500)
    world.device.security_counter = 3
    world.run(6_000)

    assert [one.rolled_back for one in world.of(DeviceNotAdmitted)] == [True]
    assert len(world.of(DeviceAdmitted)) == 1


def trusting_older(bench: Any) -> Trust:
    trust = bench.settings.trust
    older = replace(trust.approved[0], security_counter=2)
    return replace(trust, approved=(*trust.approved, older))


def test_a_refused_device_is_queried_again_and_admitted_when_it_is_right(bench: Any) -> None:
    world = bench.world(bench.device(debug=True))
    world.record_event()
    world.start()
    world.run(1_000)
    world.device.debug = False
    world.run(6_000)

    assert world.numbers == [1]


def test_events_of_a_stranger_are_ignored(bench: Any) -> None:
    world = bench.world(bench.device(identity=OTHER_KEY))
    world.start()
    world.run(500)

    output = received(world, event(bench, 1) + bench.framed(LINK, 13, {1: 1, 2: "x"}))

    assert (output.items, output.to_write, output.at_once) == ((), (), ())


def test_a_new_pairing_counts_from_its_own_first_event(bench: Any) -> None:
    world = admitted(bench, bench.device(following=7))
    pin = replace(bench.settings.trust.pin, pairing="second", first_event=4)
    trust = replace(bench.settings.trust, pin=pin)
    world.link = TableLink(replace(bench.settings, trust=trust))
    world.device.following = 9
    world.open()
    world.run(500)

    assert world.missing == 5
    assert world.state.known.last == 8


# --- events ---------------------------------------------------------------------------------------


def test_an_event_is_acknowledged_after_the_store_and_once_for_many(bench: Any) -> None:
    world = admitted(bench)

    output = received(world, event(bench, 1) + event(bench, 2) + event(bench, 3))

    assert [one.number for one in output.items] == [1, 2, 3]
    assert output.at_once == ()
    assert [bench.unframed(data)[0].ack for data in output.to_write] == [3]


def test_a_known_event_is_only_acknowledged_again(bench: Any) -> None:
    world = admitted(bench)
    received(world, event(bench, 1))

    output = received(world, event(bench, 1))

    assert output.items == ()
    assert [bench.unframed(data)[0].ack for data in output.to_write] == [1]


def test_a_missing_event_is_requested_once_and_again_later(bench: Any) -> None:
    world = admitted(bench)

    first = received(world, event(bench, 2) + event(bench, 3))
    world.now_ns += 60 * MS
    second = received(world, event(bench, 4))
    third = received(world, event(bench, 1))

    assert types(bench, first.at_once) == types(bench, second.at_once) == [(LINK, NAK)]
    assert bench.unframed(first.at_once[0])[0].content == {1: 1}
    assert (first.items, first.to_write, third.at_once) == ((), (), ())
    assert [one.number for one in third.items] == [1]


def test_lost_events_are_reported_and_counting_continues(bench: Any) -> None:
    device = bench.device(following=42)
    world = bench.world(device)
    world.record_event()
    world.start()
    world.run(500)

    assert world.of(EventsMissing) == [EventsMissing(41)]
    assert world.numbers == [42]


def test_an_unknown_kind_is_reported_as_a_fault_and_acknowledged(bench: Any) -> None:
    world = admitted(bench)
    world.record_event(200)
    world.record_event(22, {1: 1})
    world.record_event()
    world.run(500)

    faults = world.of(LinkFault)
    assert [one.kind for one in faults] == [LinkFaultKind.MALFORMED] * 2
    assert world.numbers == [3]
    assert world.device.buffered == []


def test_a_malformed_event_is_reported_once_though_repeated(bench: Any) -> None:
    world = admitted(bench)
    bad = bench.framed(EVENT, 5, {1: 1, 2: 1, 3: 0, 4: 6, 5: {}}, seq=1)

    items = [item for _ in range(5) for item in received(world, bad).items]

    assert [type(one) for one in items] == [LinkFault]


def test_numbers_above_32_bits_are_counted(bench: Any) -> None:
    world = bench.world(bench.device(following=2**32 - 1))
    world.link = TableLink(pinned_from(bench, 2**32 - 1))
    for _ in range(4):
        world.record_event()
    world.start()
    world.run(500)

    assert world.numbers == [2**32 - 1, 2**32, 2**32 + 1, 2**32 + 2]


def pinned_from(bench: Any, first: int) -> Any:
    trust = bench.settings.trust
    pin = replace(trust.pin, first_event=first)
    return replace(bench.settings, trust=replace(trust, pin=pin))


# --- time and heartbeat ---------------------------------------------------------------------------


def test_an_event_of_this_boot_has_its_time_and_one_of_before_has_none(bench: Any) -> None:
    world = bench.world()
    world.record_event()
    world.start()
    world.later(5_000, world.record_event)
    world.run(6_000)

    before, now = world.of(TableLinkEvent)
    assert (before.utc_ns, before.uncertainty_ns) == (None, None)
    true_ns = START.utc_ns + START.monotonic_ns + 5_000 * MS
    assert abs(now.utc_ns - true_ns) <= now.uncertainty_ns
    assert now.uncertainty_ns < 3 * MS


def test_a_quiet_line_gets_pings_and_time_requests(bench: Any) -> None:
    world = admitted(bench)
    start_ns, observed = world.now_ns, []
    send = world._to_device
    world._to_device = lambda written: (observed.extend(types(bench, written)), send(written))[1]

    world.run(30_000)

    assert world.now_ns - start_ns == 30_000 * MS
    assert {*observed} == {(LINK, PING), (LINK, PONG), (LINK, TIME_REQ)} or {*observed} == {
        (LINK, PONG),
        (LINK, TIME_REQ),
    }
    assert observed.count((LINK, TIME_REQ)) == 3
    assert world.journal == []


def test_the_host_pings_a_device_to_which_nothing_else_was_sent(bench: Any) -> None:
    world = admitted(bench)

    _state, output = world.link.tick(world.state, after(2_500))

    assert (LINK, PING) in types(bench, output.at_once)


def test_silence_is_reported_after_three_and_five_seconds_and_ends(bench: Any) -> None:
    world = admitted(bench)
    hello = world.state.session.hello
    world.device.receive = lambda _data, _now_ns: []
    world.device.tick = lambda _now_ns: []
    world.device.due_ns = lambda: 10**18
    heard_ns = world.state.heartbeat.last_received_ns
    world.run(8_000)

    silent = world.of(DeviceSilence)
    assert [one.lost for one in silent] == [False, True]
    assert [one.silent_ms for one in silent] == [3_000, 5_000]
    assert heard_ns < world.now_ns
    assert world.state.session.phase == "asking"
    again = received(world, bench.framed(LINK, PING, {1: 9, 2: 0, 3: False}))
    assert again.items == (SilenceEnded(),)
    assert hello is not None


def test_a_filling_memory_is_reported_by_eighths(bench: Any) -> None:
    world = admitted(bench)

    notice = []
    for buffered, closed in (
        (31, False),
        (32, False),
        (33, False),
        (58, True),
        (58, True),
        (0, False),
    ):
        ping = {1: 2_000_000, 2: buffered, 3: closed}
        notice += received(world, bench.framed(LINK, PING, ping)).items

    assert notice == [
        RingFillLevel(32, 64, gate_closed=False),
        RingFillLevel(58, 64, gate_closed=True),
        RingFillLevel(0, 64, gate_closed=False),
    ]


def test_what_a_device_says_of_its_errors_is_a_fault(bench: Any) -> None:
    world = admitted(bench)

    output = received(world, bench.framed(LINK, 13, {1: 513, 2: "ring \x07memory"}))

    (fault,) = output.items
    assert in_words(fault) == LinkFault(
        LinkFaultKind.DEVICE_STATUS, "the device reports error 513: ring ?memory"
    )


# --- chain ----------------------------------------------------------------------------------------


def chained_world(bench: Any, vectors: Any) -> tuple[Any, list[bytes]]:
    frames = [
        bytes.fromhex(one["wire"]) for one in vectors["frame"] if one["name"].startswith("chained")
    ]
    return admitted(bench), frames


def test_a_valid_chain_is_not_a_fault(bench: Any, vectors: Any) -> None:
    world, frames = chained_world(bench, vectors)

    output = received(world, b"".join(frames))

    assert [type(one) for one in output.items] == [TableLinkEvent] * 4
    assert isinstance(output.items[3].body, bodies.Checkpoint)


def test_a_broken_chain_is_reported_and_the_event_accepted(bench: Any, vectors: Any) -> None:
    world, frames = chained_world(bench, vectors)
    received(world, frames[0])
    world.state = replace(world.state, known=replace(world.state.known, chain=bytes(15) + b"\x01"))

    output = received(world, frames[1] + frames[2])

    kinds = [LinkFault, EventsMissing, TableLinkEvent, TableLinkEvent]
    assert [type(one) for one in output.items] == kinds
    assert output.items[0].kind is LinkFaultKind.CONTINUITY_UNPROVEN


def test_a_checkpoint_with_another_key_is_reported(bench: Any, vectors: Any) -> None:
    world, frames = chained_world(bench, vectors)
    pin = replace(bench.settings.trust.pin, key=OTHER_KEY.public_key().public_bytes_raw())
    trust = replace(bench.settings.trust, pin=pin)
    world.link = TableLink(replace(bench.settings, trust=trust))

    output = received(world, b"".join(frames))

    assert [to_words(one.detail) for one in output.items if isinstance(one, LinkFault)] == [
        "checkpoint 4: its signature is not of the pinned key"
    ]


def test_a_device_that_stops_its_chain_is_reported(bench: Any, vectors: Any) -> None:
    world, frames = chained_world(bench, vectors)

    received(world, frames[0])
    output = received(world, event(bench, 2, more={1: world.state.known.boot_id}))

    assert [type(one) for one in output.items] == [LinkFault, EventsMissing, TableLinkEvent]


# --- nothing raises -------------------------------------------------------------------------------


def test_a_closed_port_receives_nothing(bench: Any) -> None:
    link = TableLink(bench.settings)

    state, output = link.receive(link.initial(), event(bench, 1), START)

    assert (state, output.items) == (link.initial(), ())
    assert link.next_deadline_ns(state) is None


SAID = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2**64 - 1) | st.binary(max_size=70) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers(0, 12), inner),
    max_leaves=8,
)
CALLS = st.lists(
    st.tuples(st.just("bytes"), st.binary(max_size=60), st.just(0), st.just(0))
    | st.tuples(
        st.just("frame"),
        st.dictionaries(st.integers(0, 12), SAID, max_size=12),
        st.sampled_from([0, 0, 1, 2, 4]),
        st.integers(0, 23),
    )
    | st.tuples(st.just("event"), SAID, st.integers(1, 4), st.integers(0, 24))
    | st.tuples(st.just("tick"), st.none(), st.integers(0, 9_000), st.just(0))
    | st.tuples(st.just("send"), st.sampled_from(RequestType), st.integers(-1, 2**65), st.just(0))
    | st.tuples(st.sampled_from(["open", "close"]), st.none(), st.just(0), st.just(0)),
    max_size=12,
)


@settings(max_examples=150)
@given(st.booleans(), CALLS)
def test_no_call_raises_and_every_state_can_be_stored(
    bench: Any, let_in: bool, calls: list[Any]
) -> None:
    world = admitted(bench) if let_in else bench.world()
    link, state = world.link, world.state
    for what, data, number, kind in calls:
        match what:
            case "bytes":
                state, output = link.receive(state, data, world.at)
            case "frame":
                sent = bench.framed(number, kind, data)
                state, output = link.receive(state, sent, world.at)
            case "event":
                content = {1: 1, 2: number, 3: 2**64 - 1, 4: kind, 5: data}
                sent = bench.framed(EVENT, kind, content, seq=number)
                state, output = link.receive(state, sent, world.at)
            case "tick":
                world.now_ns += number * MS
                state, output = link.tick(state, world.at)
            case "send":
                state, output = link.send(state, TableLinkRequest(data, number), world.at)
            case "open":
                state, output = link.opened(state, world.at, bytes(32))
            case _:
                state, output = link.closed(state, world.at)
        link.next_deadline_ns(state)
        state = bench.states.decode(bench.states.encode(state))
        assert all(len(data) <= 496 for data in (*output.to_write, *output.at_once))


def test_a_shoe_has_another_role(bench: Any) -> None:
    world = bench.world(bench.device(role=1), role=DeviceRole.SHOE)
    world.start()
    world.run(300)

    assert world.of(DeviceAdmitted)


@pytest.mark.parametrize("asked_us", ["older", "none of them"])
def test_an_answer_to_another_question_shifts_no_clock(bench: Any, asked_us: str) -> None:
    """Somebody on the line repeats an answer, or makes one up."""
    world = admitted(bench)
    clock = world.state.clock
    older = world.state.session.pending_time_request
    while (pending := world.state.session.pending_time_request) in (None, older):
        world.device.receive = lambda _data, _now_ns: []
        world.run(1)
    number = pending[0] - 1 if asked_us == "none of them" else (older or (pending[0] - 10,))[0]
    now_us = world.now_ns // 1000

    received(world, bench.framed(LINK, TIME_RSP, {1: number, 2: now_us, 3: now_us}))

    assert world.state.clock == clock
    assert world.state.session.pending_time_request == pending
