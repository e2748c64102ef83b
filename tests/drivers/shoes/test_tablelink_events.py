"""Tests the mapping of a TableLink shoe's events and status to device events."""

from itertools import product
from typing import get_args

import pytest
from in_words import in_words

from drivers.events import (
    CardPassed,
    CardRead,
    ClaimedUse,
    CutCardSeen,
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceStarted,
    Face,
    FaceSuit,
    LossReason,
    ReportsLost,
    TagPulledBack,
)
from drivers.faults import DeviceFault
from drivers.shoes.tablelink_events import ERROR_MEANINGS, ShoeError, events_of, status_of
from drivers.shuffler_events import DeviceTampered
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import (
    AbortCode,
    CompartmentPhase,
    DeviceMode,
    DeviceStatus,
    ShuffleCheckResult,
    ShuffleReceipt,
)

TAG = bytes.fromhex("e0 04 01 50 a0 5f 02 b7")
IMAGE = bytes(range(32))


def fault(detail: str, kind: LinkFaultKind = LinkFaultKind.MALFORMED) -> DeviceFault:
    return DeviceFault(kind, detail)


def raised(code: int, meaning: str, *, blocking: bool = True) -> DeviceErrorRaised:
    return DeviceErrorRaised(code, meaning, blocking)


LID_OPEN = raised(2, "the lid is open")
NOT_IN_PLAY = raised(5, "the shoe is in service, sorting or under test")
CARDS_LEFT = raised(6, "cards are left where none may be")

MEANINGS: tuple[tuple[bodies.EventBody, tuple[DeviceEvent, ...]], ...] = (
    (bodies.CardOut(TAG, 0, 0), (CardPassed("E0040150A05F02B7"),)),
    (bodies.CardOut(TAG, 12, 3), (CardPassed("E0040150A05F02B7"),)),
    (
        bodies.CardOut(b"", 12, 3),
        (CardRead(ClaimedUse.UNCLAIMED, 0, Face(12, FaceSuit.SPADE), repeated=False),),
    ),
    (bodies.CardOut(b"", 0, 0), (CardPassed(None),)),
    (bodies.ReadFail(), (CardPassed(None),)),
    (bodies.CardRetracted(TAG), (TagPulledBack("E0040150A05F02B7"),)),
    (
        bodies.CardRetracted(b""),
        (
            fault(
                "a card came to the exit and went back, and its tag is not known",
                LinkFaultKind.DEVICE_STATUS,
            ),
        ),
    ),
    (
        bodies.DoubleFeed(2),
        (
            fault(
                "a double feed: 2 left the shoe at once, and none of them was read",
                LinkFaultKind.DEVICE_STATUS,
            ),
            CardPassed(None),
            CardPassed(None),
        ),
    ),
    (bodies.CutCardOut(), (CutCardSeen(),)),
    (
        bodies.ShoeLoaded("pack 7"),
        (DeviceErrorCleared(1, "the shoe is empty"), DeviceStarted()),
    ),
    (bodies.ShoeEmpty(), (raised(1, "the shoe is empty", blocking=False),)),
    (bodies.Lid(True, 0), (LID_OPEN,)),
    (bodies.Lid(False, 0), (DeviceErrorCleared(2, "the lid is open"),)),
    (bodies.Jam(0, False), (raised(3, "a card is jammed"),)),
    (bodies.Jam(0, True), (DeviceErrorCleared(3, "a card is jammed"),)),
    (bodies.SelfTest(False, "sensor 2"), (raised(4, "the self-test failed"),)),
    (bodies.SelfTest(True, ""), (DeviceErrorCleared(4, "the self-test failed"),)),
    (bodies.ModeReport(DeviceMode.SERVICE), (NOT_IN_PLAY,)),
    (
        bodies.ModeReport(DeviceMode.PLAY),
        (DeviceErrorCleared(5, "the shoe is in service, sorting or under test"),),
    ),
    (bodies.Residual(0, 2), (CARDS_LEFT,)),
    (bodies.Residual(0, 0), (DeviceErrorCleared(6, "cards are left where none may be"),)),
    (
        bodies.WarningReport(9, "fan", True),
        (raised(1009, "warning 9 of the shoe: fan", blocking=False),),
    ),
    (
        bodies.WarningReport(9, "fan", False),
        (DeviceErrorCleared(1009, "warning 9 of the shoe: fan"),),
    ),
    (
        bodies.PowerUp(4, ()),
        (fault("the shoe restarted: boot 4", LinkFaultKind.DEVICE_STATUS),),
    ),
    (bodies.Tamper("housing"), (DeviceTampered("housing"),)),
    (
        bodies.ConfigChanged("gate"),
        (DeviceTampered("its settings were changed: gate"),),
    ),
    (
        bodies.FirmwareChanged(IMAGE, "2.0.0"),
        (DeviceTampered("it was given other firmware: 2.0.0"),),
    ),
    (
        bodies.Overflow(),
        (
            fault(
                "the device's event memory is full: it does nothing more until it is read",
                LinkFaultKind.BUFFER_OVERFLOW,
            ),
        ),
    ),
    (bodies.Checkpoint(64, bytes(16), bytes(64)), ()),
)

RECEIPT = ShuffleReceipt(
    bytes(8), 1, 1, 1, 1, 416, ShuffleCheckResult.GOOD, "red", b"", 0, 1, IMAGE, "1.0.0"
)
OF_A_SHUFFLER: tuple[bodies.EventBody, ...] = (
    bodies.CompartmentReport(1, CompartmentPhase.EMPTY, None, "", b""),
    bodies.BatchStarted(1, 1),
    bodies.BatchDone(RECEIPT, b"", False, False),
    bodies.BatchAborted(1, 1, AbortCode.JAM),
)


@pytest.mark.parametrize(("body", "meaning"), MEANINGS)
def test_each_body_maps_to_its_device_events(
    body: bodies.EventBody, meaning: tuple[DeviceEvent, ...]
) -> None:
    assert in_words(events_of(body)) == meaning


@pytest.mark.parametrize("body", OF_A_SHUFFLER)
def test_shuffler_events_from_a_shoe_give_a_fault(body: bodies.EventBody) -> None:
    detail = "a shoe sent an event of a shuffler: check which device is connected"

    assert in_words(events_of(body)) == (fault(detail),)


def test_every_body_type_is_tested_here() -> None:
    tried = {type(body) for body, _meaning in MEANINGS} | {type(body) for body in OF_A_SHUFFLER}

    assert tried == set(get_args(bodies.EventBody))


def test_every_error_has_a_meaning() -> None:
    assert set(ERROR_MEANINGS) == set(ShoeError)


def test_a_card_with_only_a_face_is_read_without_a_claim() -> None:
    suits = {1: FaceSuit.DIAMOND, 2: FaceSuit.CLUB, 3: FaceSuit.SPADE, 4: FaceSuit.HEART}
    for rank, (code, suit) in product(range(1, 14), suits.items()):
        card = CardRead(ClaimedUse.UNCLAIMED, 0, Face(rank, suit), repeated=False)

        assert events_of(bodies.CardOut(b"", rank, code)) == (card,), (rank, suit)


@pytest.mark.parametrize(("rank", "suit"), [(14, 1), (1, 5), (0, 1), (1, 0), (255, 255)])
def test_an_invalid_face_counts_as_unread_and_is_not_shown(rank: int, suit: int) -> None:
    detail = "the face of a card is invalid: it counts as unread"

    events = in_words(events_of(bodies.CardOut(b"", rank, suit)))

    assert events == (fault(detail), CardPassed(None))


def test_an_invalid_tag_counts_as_unread_and_is_not_shown() -> None:
    detail = "a tag of 33 bytes is not valid: its card counts as unread"

    events = in_words(events_of(bodies.CardOut(bytes(33), 0, 0)))

    assert events == (fault(detail), CardPassed(None))


@pytest.mark.parametrize("cards", range(1, 9))
def test_a_double_feed_gives_one_unread_card_each(cards: int) -> None:
    fault_event, *passed = events_of(bodies.DoubleFeed(cards))

    assert isinstance(fault_event, DeviceFault)
    assert passed == [CardPassed(None)] * cards


@pytest.mark.parametrize("cards", [0, 9, 2**32])
def test_an_implausible_number_of_cards_is_a_loss(cards: int) -> None:
    detail = f"the shoe reported that {cards} cards left at once: the true number is not known"

    assert in_words(events_of(bodies.DoubleFeed(cards))) == (
        fault(detail),
        ReportsLost(LossReason.UNREADABLE, 1),
    )


@pytest.mark.parametrize("mode", [mode for mode in DeviceMode if mode is not DeviceMode.PLAY])
def test_every_mode_but_play_is_an_error(mode: DeviceMode) -> None:
    assert in_words(events_of(bodies.ModeReport(mode))) == (NOT_IN_PLAY,)


@pytest.mark.parametrize(
    ("status", "events"),
    [
        (DeviceStatus(DeviceMode.PLAY, False, (), 0, (), False), ()),
        (DeviceStatus(DeviceMode.PLAY, True, (), 0, (), False), (LID_OPEN,)),
        (DeviceStatus(DeviceMode.TEST, False, (), 0, (), True), (NOT_IN_PLAY,)),
        (DeviceStatus(DeviceMode.PLAY, False, (), 3, (), True), (CARDS_LEFT,)),
    ],
)
def test_a_status_gives_the_errors_that_prevent_dealing(
    status: DeviceStatus, events: tuple[DeviceEvent, ...]
) -> None:
    assert in_words(status_of(status)) == events
