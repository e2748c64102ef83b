"""Each device event becomes its domain event, or none."""

from itertools import product
from typing import get_args

import pytest

from controller.core.device_intake import event_from_device
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    Loss,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from drivers import events as device
from drivers import shuffler_events as shuffler
from drivers.faults import DeviceFault
from firmware_bridge.link import LinkFaultKind
from foundation.message import message

SEVEN = device.Face(7, device.FaceSuit.HEART)
SEVEN_OF_HEARTS = Card(Rank.SEVEN, Suit.HEART)

PROOF = shuffler.ShuffleProof(
    *("5A01", 77, 12, 31, 1, 416, shuffler.ShuffleResult.GOOD, "red", b"", 0, 1, b"", "1.4.0", b""),
    signed=True,
    genuine=True,
)

DEVICE_ONLY = (
    device.LockChanged(locked=True),
    device.DeviceErrorRaised(2, message("card_was_overdrawn"), blocking=True),
    device.DeviceErrorCleared(2, message("card_was_overdrawn")),
    device.DeviceSettingChanged(7, 123),
    device.StageChanged(device.Stage.ONLINE, message("identity_proved")),
    device.CommandAnswered("LockExit", device.CommandOutcome.DONE, message("acknowledged")),
    DeviceFault(LinkFaultKind.NOISE, message("bytes_outside_any_frame")),
    device.TagReadAgain("E00401"),
    device.TagsTogether(("E00401", "E00402")),
    device.TagPulledBack("E00401"),
    device.SlowCard(1200),
    device.OtherTransponder("UHF"),
    device.TagListed("E00401", b""),
    device.ListingDone(52),
    device.BarCodeRead("RED-0042", "]C1"),
    # Whose card it is only custody knows.
    device.CardPassed("E00401"),
    device.TagSeen(device.Spot.DISCARD_RACK, "E00401"),
    # Events of a shuffler concern the batches, and are translated only from its own port.
    shuffler.CompartmentChanged(1, shuffler.CompartmentState.COUNTED, 416, "red", b""),
    shuffler.ShuffleStarted(1, 31),
    shuffler.ShuffleDone(PROOF),
    shuffler.ShuffleShown(1, 31, 90_000),
    shuffler.ShuffleAborted(1, 31, shuffler.AbortReason.JAM),
    shuffler.DoorMoved(open=True, compartment=0),
    shuffler.JamReported(1, cleared=False),
    shuffler.ResidualCards(0, 16),
    shuffler.ModeChanged(shuffler.ShufflerMode.SORT),
    shuffler.ShufflerWarning(7, "belt worn", active=True),
    shuffler.SelfTested(passed=False, detail="camera"),
    shuffler.ShufflerStarted(12, (1,)),
    shuffler.ShufflerStatus(shuffler.ShufflerMode.PLAY, False, (), 0, ()),
    shuffler.DeviceTampered(message("in_its_own_words", foreign="lid")),
    shuffler.IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False),
    shuffler.IdentityRefused("5A01", message("device_has_no_identity"), rolled_back=False),
    shuffler.DeviceSilent(1500, lost=False),
    shuffler.ContactRestored(),
    shuffler.DeviceMemoryFilling(200, 256, stopped=False),
)
DOMAIN_EVENTS = (
    (device.CutCardSeen(), CutCardDrawn()),
    (device.StandByEntered(), ShoeStandsBy()),
    (device.DeviceStarted(), ShoeDeviceStarted()),
    (device.ForcedExitUsed(), CoupForcedOut()),
    (
        device.ResultButtonPressed(
            device.DeclaredWinner.BANKER, player_pair=False, banker_pair=True
        ),
        ResultDeclared(Outcome.BANKER, player_pair=False, banker_pair=True),
    ),
    (device.ReportsLost(device.LossReason.GAP, 3), ReportsMissing(Loss.GAP, 3)),
    (
        device.CardOutsidePlay(device.OutsideReason.LOCKED, SEVEN),
        CardDrawn(SEVEN_OF_HEARTS, Place.OUTSIDE),
    ),
    (
        device.CardRead(device.ClaimedUse.PLAYER, 1, SEVEN, repeated=True),
        CardRepeated(SEVEN_OF_HEARTS, Place.PLAYER_1),
    ),
    (
        device.CardRead(device.ClaimedUse.BANKER, 2, None, repeated=False),
        CardDrawn(None, Place.BANKER_2),
    ),
)


def test_a_device_event_becomes_its_domain_event() -> None:
    for event, expected in DOMAIN_EVENTS:
        assert event_from_device(event) == expected, event


def test_events_of_the_device_alone_become_no_domain_event() -> None:
    for event in DEVICE_ONLY:
        assert event_from_device(event) is None, event


def test_every_kind_of_device_event_is_tested() -> None:
    tested = {type(event) for event, _ in DOMAIN_EVENTS} | {type(event) for event in DEVICE_ONLY}
    assert tested == set(get_args(device.DeviceEvent))


@pytest.mark.parametrize(
    ("use", "index", "place"),
    [
        (device.ClaimedUse.PLAYER, 1, Place.PLAYER_1),
        (device.ClaimedUse.PLAYER, 2, Place.PLAYER_2),
        (device.ClaimedUse.PLAYER, 3, Place.PLAYER_3),
        (device.ClaimedUse.PLAYER, 4, Place.PLAYER_MORE),
        (device.ClaimedUse.PLAYER, 0, Place.PLAYER_MORE),
        (device.ClaimedUse.BANKER, 1, Place.BANKER_1),
        (device.ClaimedUse.BANKER, 2, Place.BANKER_2),
        (device.ClaimedUse.BANKER, 3, Place.BANKER_3),
        (device.ClaimedUse.BANKER, 7, Place.BANKER_MORE),
        (device.ClaimedUse.BURN_FIRST, 0, Place.BURN_FIRST),
        (device.ClaimedUse.BURN_COUNTED, 5, Place.BURN),
        (device.ClaimedUse.BURN_EXTRA, 0, Place.BURN_EXTRA),
    ],
)
def test_the_claimed_use_becomes_a_place(use, index, place) -> None:
    read = device.CardRead(use, index, SEVEN, repeated=False)
    assert event_from_device(read) == CardDrawn(SEVEN_OF_HEARTS, place)


def test_every_face_becomes_its_card() -> None:
    faces = [device.Face(*face) for face in product(range(1, 14), device.FaceSuit)]
    read = [device.CardRead(device.ClaimedUse.PLAYER, 1, face, repeated=False) for face in faces]
    assert len({event_from_device(one) for one in read}) == 52


@pytest.mark.parametrize("winner", list(device.DeclaredWinner))
def test_every_winner_becomes_its_outcome(winner) -> None:
    happened = event_from_device(
        device.ResultButtonPressed(winner, player_pair=True, banker_pair=False)
    )
    assert happened == ResultDeclared(Outcome[winner.name], player_pair=True, banker_pair=False)


@pytest.mark.parametrize("reason", list(device.LossReason))
def test_every_reason_of_a_loss_is_kept(reason) -> None:
    assert event_from_device(device.ReportsLost(reason, 0)) == ReportsMissing(Loss[reason.name], 0)
