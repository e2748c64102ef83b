"""What each event, status and answer of a TableLink shuffler means in any maker's shuffler."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import shuffler_events as told
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
    Abort,
    CompartmentStatus,
    Holding,
    Mode,
    Status,
    Verified,
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
    result=Verified.GOOD,
    back="red",
    faces=FACES,
    began_us=1_000_000,
    ended_us=301_000_000,
    image=IMAGE,
    version="1.2.0",
)
PROOF = told.ShuffleProof(
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

MEANINGS: tuple[tuple[bodies.Body, tuple[DeviceEvent, ...]], ...] = (
    (
        bodies.CompartmentTold(1, Holding.STORED, 416, "blue", FACES),
        (told.CompartmentChanged(1, CompartmentState.STORED, 416, "blue", FACES),),
    ),
    (
        bodies.CompartmentTold(2, Holding.LOADING, None, "", b""),
        (told.CompartmentChanged(2, CompartmentState.LOADING, None, "", b""),),
    ),
    (bodies.BatchStarted(1, 41), (told.ShuffleBegan(1, 41),)),
    (bodies.BatchDone(RECEIPT, b"\xd2\x84", True, True), (told.ShuffleDone(PROOF),)),
    (bodies.BatchAborted(1, 41, Abort.JAM), (told.ShuffleAborted(1, 41, AbortReason.JAM),)),
    (bodies.Lid(True, 0), (told.DoorMoved(True, 0),)),
    (bodies.Lid(False, 2), (told.DoorMoved(False, 2),)),
    (bodies.Jam(1, False), (told.JamReported(1, cleared=False),)),
    (bodies.Jam(0, True), (told.JamReported(0, cleared=True),)),
    (bodies.Residual(2, 3), (told.ResidualCards(2, 3),)),
    (bodies.ModeTold(Mode.SORT), (told.ModeChanged(ShufflerMode.SORT),)),
    (bodies.WarningTold(9, "door sensor", True), (told.ShufflerWarning(9, "door sensor", True),)),
    (bodies.SelfTest(False, "sensor 3"), (told.SelfTested(False, "sensor 3"),)),
    (bodies.PowerUp(3, (2,)), (told.ShufflerStarted(3, (2,)),)),
    (bodies.Tamper("housing"), (told.DeviceTampered("housing"),)),
    (
        bodies.ConfigChanged("decks"),
        (told.DeviceTampered("its settings were changed: decks"),),
    ),
    (
        bodies.FirmwareChanged(IMAGE, "1.3.0"),
        (told.DeviceTampered("it was given other firmware: 1.3.0"),),
    ),
    (bodies.Checkpoint(64, bytes(16), bytes(64)), ()),
)

OF_A_SHOE: tuple[bodies.Body, ...] = (
    bodies.CardOut(b"\xe0\x04", 12, 3),
    bodies.CardRetracted(b"\xe0\x04"),
    bodies.ReadFail(),
    bodies.DoubleFeed(2),
    bodies.CutCard(),
    bodies.ShoeLoaded("pack"),
    bodies.ShoeEmpty(),
)


@pytest.mark.parametrize(("body", "meaning"), MEANINGS)
def test_what_a_shuffler_tells(body: bodies.Body, meaning: tuple[DeviceEvent, ...]) -> None:
    assert events_of(body) == meaning


def test_a_full_memory_is_a_fault() -> None:
    (event,) = events_of(bodies.Overflow())

    assert isinstance(event, DeviceFault)
    assert event.kind is LinkFaultKind.BUFFER_OVERFLOW


@pytest.mark.parametrize("body", OF_A_SHOE)
def test_what_only_a_dealing_shoe_can_tell_is_a_fault_that_names_no_card(
    body: bodies.Body,
) -> None:
    (event,) = events_of(body)

    assert event == DeviceFault(
        LinkFaultKind.MALFORMED,
        "a shuffler told what only a dealing shoe can: check which device is connected",
    )


def test_nothing_a_device_may_tell_is_forgotten_here() -> None:
    tried = {type(body) for body, _meaning in MEANINGS} | {type(body) for body in OF_A_SHOE}

    assert tried | {bodies.Overflow} == set(get_args(bodies.Body))


@pytest.mark.parametrize("holding", Holding)
def test_every_state_of_a_compartment_has_its_word(holding: Holding) -> None:
    (event,) = events_of(bodies.CompartmentTold(1, holding, None, "", b""))

    assert isinstance(event, told.CompartmentChanged)
    assert event.state == holding.name.lower()


@pytest.mark.parametrize("reason", Abort)
def test_every_reason_to_break_off_has_its_word(reason: Abort) -> None:
    (event,) = events_of(bodies.BatchAborted(1, 1, reason))

    assert isinstance(event, told.ShuffleAborted)
    assert event.reason == reason.name.lower()


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_has_its_word(mode: Mode) -> None:
    (event,) = events_of(bodies.ModeTold(mode))

    assert isinstance(event, told.ModeChanged)
    assert event.mode == mode.name.lower()


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (bodies.CompartmentTold(0, Holding.EMPTY, None, "", b""), 0),
        (bodies.CompartmentTold(3, Holding.EMPTY, None, "", b""), 3),
        (bodies.BatchStarted(0, 1), 0),
        (bodies.BatchAborted(3, 1, Abort.FAULT), 3),
        (bodies.Lid(True, 3), 3),
        (bodies.Jam(4, False), 4),
        (bodies.Residual(5, 1), 5),
    ],
)
def test_a_compartment_that_cannot_be_is_a_fault(body: bodies.Body, number: int) -> None:
    detail = f"the shuffler named compartment {number}: it has 1 and 2"

    assert events_of(body) == (DeviceFault(LinkFaultKind.MALFORMED, detail),)


def test_a_compartment_that_cannot_have_been_shuffling_is_left_out_and_told() -> None:
    assert events_of(bodies.PowerUp(4, (1, 7))) == (
        DeviceFault(LinkFaultKind.MALFORMED, "the shuffler named compartment 7: it has 1 and 2"),
        told.ShufflerStarted(4, (1,)),
    )


def test_a_status_is_told_whole() -> None:
    status = Status(
        mode=Mode.PLAY,
        door_open=True,
        compartments=(
            CompartmentStatus(1, Holding.SHUFFLING, 416, "red", 41),
            CompartmentStatus(2, Holding.EMPTY, None, "", 0),
        ),
        residual=1,
        warnings=(9, 12),
        gate_closed=False,
    )

    assert status_of(status) == (
        told.ShufflerStatus(
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


def test_a_status_of_a_compartment_that_cannot_be_is_left_out_and_told() -> None:
    status = Status(
        Mode.PLAY, False, (CompartmentStatus(3, Holding.EMPTY, None, "", 0),), 0, (), False
    )

    assert status_of(status) == (
        DeviceFault(LinkFaultKind.MALFORMED, "the shuffler named compartment 3: it has 1 and 2"),
        told.ShufflerStatus(ShufflerMode.PLAY, False, (), 0, ()),
    )


@given(st.text(max_size=200))
def test_a_devices_text_is_printable_and_bounded(text: str) -> None:
    (event,) = events_of(bodies.WarningTold(1, text, True))

    assert isinstance(event, told.ShufflerWarning)
    assert len(event.text) <= 64
    assert all(" " <= character <= "~" for character in event.text)


def test_what_is_not_printable_shows_as_a_question_mark() -> None:
    assert events_of(bodies.Tamper("lid\x1b[2J \u00fc")) == (told.DeviceTampered("lid?[2J ?"),)
