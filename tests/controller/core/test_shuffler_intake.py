"""Each event of the shuffler's port becomes its domain event, or none."""

import pytest

from controller.core.device_intake import event_from_shuffler
from controller.procedure.events import ShufflerEventsLost, ShufflerReported
from drivers.events import (
    CardPassed,
    CardRead,
    ClaimedUse,
    CommandAnswered,
    CommandOutcome,
    LossReason,
    ReportsLost,
    Stage,
    StageChanged,
)
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    CompartmentChanged,
    CompartmentState,
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    ShufflerMode,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleStarted,
)
from firmware_bridge.link import LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

AT = Timestamp(7, 1_763_715_600_000_000_000)


@pytest.mark.parametrize(
    "event",
    [
        CompartmentChanged(1, CompartmentState.COUNTED, 416, "red", b""),
        ShuffleStarted(1, 12),
        DoorMoved(open=True, compartment=0),
        ShufflerWarning(7, "belt worn", active=True),
        IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False),
        IdentityRefused("5A01", message("device_has_no_identity"), rolled_back=False),
        DeviceSilent(1500, lost=False),
        ContactRestored(),
        ShufflerStatus(ShufflerMode.PLAY, False, (), 0, ()),
    ],
)
def test_shuffler_events_become_domain_events(event) -> None:
    assert event_from_shuffler(event, AT) == ShufflerReported(event, AT.utc_ns)


@pytest.mark.parametrize("missing", [0, 3])
def test_lost_shuffler_events_are_not_lost_shoe_reports(missing) -> None:
    lost = ReportsLost(LossReason.GAP, missing)
    assert event_from_shuffler(lost, AT) == ShufflerEventsLost(missing, AT.utc_ns)


@pytest.mark.parametrize(
    "event",
    [
        StageChanged(Stage.ONLINE, message("identity_proved")),
        CommandAnswered("OrderShuffler", CommandOutcome.DONE, message("shuffler_did_order")),
        DeviceMemoryFilling(200, 256, stopped=False),
        DeviceFault(LinkFaultKind.COMMAND_TIMEOUT, message("bytes_outside_any_frame")),
        CardPassed("E004"),
        CardRead(ClaimedUse.UNCLAIMED, 0, None, repeated=False),
    ],
)
def test_other_events_of_the_shuffler_port_become_no_domain_event(event) -> None:
    assert event_from_shuffler(event, AT) is None
