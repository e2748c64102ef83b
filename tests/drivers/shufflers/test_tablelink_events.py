"""Tests the mapping of a TableLink shuffler's events and status to device events."""

from typing import get_args

import pytest
from in_words import in_words

from drivers import shuffler_events as events
from drivers.events import DeviceEvent
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    AbortReason,
    CompartmentState,
    ShuffleResult,
    ShufflerMode,
)
from drivers.shufflers.tablelink_events import events_of, status_of
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import (
    AbortCode,
    CompartmentPhase,
    CompartmentStatus,
    DeviceMode,
    DeviceStatus,
    ShuffleCheckResult,
)

DEVICE = bytes.fromhex("00 11 22 33 44 55 66 77")
IMAGE = bytes(range(32))
FACES = bytes([8] * 52)
RECEIPT = bodies.ShuffleReceipt(
    device=DEVICE,
    boot_id=7,
    boot_count=3,
    cycle=41,
    compartment=2,
    count=416,
    result=ShuffleCheckResult.GOOD,
    back="red",
    faces=FACES,
    began_us=1_000_000,
    ended_us=301_000_000,
    image=IMAGE,
    version="1.2.0",
)
PROOF = events.ShuffleProof(
    device="0011223344556677",
    boot_id=7,
    boot_count=3,
    cycle=41,
    compartment=2,
    count=416,
    result=ShuffleResult.GOOD,
    back="red",
    faces=FACES,
    began_us=1_000_000,
    ended_us=301_000_000,
    image=IMAGE,
    version="1.2.0",
    sealed=b"\xd2\x84",
    signed=True,
    genuine=True,
)

MEANINGS: tuple[tuple[bodies.EventBody, tuple[DeviceEvent, ...]], ...] = (
    (
        bodies.CompartmentReport(1, CompartmentPhase.STORED, 416, "blue", FACES),
        (events.CompartmentChanged(1, CompartmentState.STORED, 416, "blue", FACES),),
    ),
    (
        bodies.CompartmentReport(2, CompartmentPhase.LOADING, None, "", b""),
        (events.CompartmentChanged(2, CompartmentState.LOADING, None, "", b""),),
    ),
    (bodies.BatchStarted(1, 41), (events.ShuffleStarted(1, 41),)),
    (bodies.BatchDone(RECEIPT, b"\xd2\x84", True, True), (events.ShuffleDone(PROOF),)),
    (bodies.BatchAborted(1, 41, AbortCode.JAM), (events.ShuffleAborted(1, 41, AbortReason.JAM),)),
    (bodies.Lid(True, 0), (events.DoorMoved(True, 0),)),
    (bodies.Lid(False, 2), (events.DoorMoved(False, 2),)),
    (bodies.Jam(1, False), (events.JamReported(1, cleared=False),)),
    (bodies.Jam(0, True), (events.JamReported(0, cleared=True),)),
    (bodies.Residual(2, 3), (events.ResidualCards(2, 3),)),
    (bodies.ModeReport(DeviceMode.SORT), (events.ModeChanged(ShufflerMode.SORT),)),
    (
        bodies.WarningReport(9, "door sensor", True),
        (events.ShufflerWarning(9, "door sensor", True),),
    ),
    (bodies.SelfTest(False, "sensor 3"), (events.SelfTested(False, "sensor 3"),)),
    (bodies.PowerUp(3, (2,)), (events.ShufflerStarted(3, (2,)),)),
    (bodies.Tamper("housing"), (events.DeviceTampered("housing"),)),
    (
        bodies.ConfigChanged("decks"),
        (events.DeviceTampered("its settings were changed: decks"),),
    ),
    (
        bodies.FirmwareChanged(IMAGE, "1.3.0"),
        (events.DeviceTampered("it was given other firmware: 1.3.0"),),
    ),
    (bodies.Checkpoint(64, bytes(16), bytes(64)), ()),
)

OF_A_SHOE: tuple[bodies.EventBody, ...] = (
    bodies.CardOut(b"\xe0\x04", 12, 3),
    bodies.CardRetracted(b"\xe0\x04"),
    bodies.ReadFail(),
    bodies.DoubleFeed(2),
    bodies.CutCardOut(),
    bodies.ShoeLoaded("pack"),
    bodies.ShoeEmpty(),
)


@pytest.mark.parametrize(("body", "meaning"), MEANINGS)
def test_each_body_maps_to_its_device_events(
    body: bodies.EventBody, meaning: tuple[DeviceEvent, ...]
) -> None:
    assert in_words(events_of(body)) == meaning


def test_a_full_memory_gives_a_fault() -> None:
    (event,) = events_of(bodies.Overflow())

    assert isinstance(event, DeviceFault)
    assert event.kind is LinkFaultKind.BUFFER_OVERFLOW


@pytest.mark.parametrize("body", OF_A_SHOE)
def test_shoe_events_from_a_shuffler_give_a_fault_without_cards(
    body: bodies.EventBody,
) -> None:
    (event,) = events_of(body)

    assert in_words(event) == DeviceFault(
        LinkFaultKind.MALFORMED,
        "a shuffler sent an event of a dealing shoe: check which device is connected",
    )


def test_every_body_type_is_tested_here() -> None:
    tried = {type(body) for body, _meaning in MEANINGS} | {type(body) for body in OF_A_SHOE}

    assert tried | {bodies.Overflow} == set(get_args(bodies.EventBody))


@pytest.mark.parametrize("holding", CompartmentPhase)
def test_every_compartment_state_is_mapped(holding: CompartmentPhase) -> None:
    (event,) = events_of(bodies.CompartmentReport(1, holding, None, "", b""))

    assert isinstance(event, events.CompartmentChanged)
    assert event.state == holding.name.lower()


@pytest.mark.parametrize("reason", AbortCode)
def test_every_abort_reason_is_mapped(reason: AbortCode) -> None:
    (event,) = events_of(bodies.BatchAborted(1, 1, reason))

    assert isinstance(event, events.ShuffleAborted)
    assert event.reason == reason.name.lower()


@pytest.mark.parametrize("mode", DeviceMode)
def test_every_mode_is_mapped(mode: DeviceMode) -> None:
    (event,) = events_of(bodies.ModeReport(mode))

    assert isinstance(event, events.ModeChanged)
    assert event.mode == mode.name.lower()


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (bodies.CompartmentReport(0, CompartmentPhase.EMPTY, None, "", b""), 0),
        (bodies.CompartmentReport(3, CompartmentPhase.EMPTY, None, "", b""), 3),
        (bodies.BatchStarted(0, 1), 0),
        (bodies.BatchAborted(3, 1, AbortCode.FAULT), 3),
        (bodies.Lid(True, 3), 3),
        (bodies.Jam(4, False), 4),
        (bodies.Residual(5, 1), 5),
    ],
)
def test_an_unknown_compartment_gives_a_fault(body: bodies.EventBody, number: int) -> None:
    detail = f"the shuffler reported compartment {number}: it has 1 and 2"

    assert in_words(events_of(body)) == (DeviceFault(LinkFaultKind.MALFORMED, detail),)


def test_an_unknown_interrupted_compartment_is_left_out_with_a_fault() -> None:
    assert in_words(events_of(bodies.PowerUp(4, (1, 7)))) == (
        DeviceFault(LinkFaultKind.MALFORMED, "the shuffler reported compartment 7: it has 1 and 2"),
        events.ShufflerStarted(4, (1,)),
    )


def test_a_status_is_mapped_whole() -> None:
    status = DeviceStatus(
        mode=DeviceMode.PLAY,
        door_open=True,
        compartments=(
            CompartmentStatus(1, CompartmentPhase.SHUFFLING, 416, "red", 41),
            CompartmentStatus(2, CompartmentPhase.EMPTY, None, "", 0),
        ),
        residual=1,
        warnings=(9, 12),
        gate_closed=False,
    )

    assert status_of(status) == (
        events.ShufflerStatus(
            ShufflerMode.PLAY,
            True,
            (
                (1, CompartmentState.SHUFFLING, 416, "red", 41),
                (2, CompartmentState.EMPTY, None, "", 0),
            ),
            1,
            (9, 12),
        ),
    )


def test_an_unknown_compartment_in_a_status_is_left_out_with_a_fault() -> None:
    status = DeviceStatus(
        DeviceMode.PLAY,
        False,
        (CompartmentStatus(3, CompartmentPhase.EMPTY, None, "", 0),),
        0,
        (),
        False,
    )

    assert in_words(status_of(status)) == (
        DeviceFault(LinkFaultKind.MALFORMED, "the shuffler reported compartment 3: it has 1 and 2"),
        events.ShufflerStatus(ShufflerMode.PLAY, False, (), 0, ()),
    )
