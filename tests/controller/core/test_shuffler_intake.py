"""What comes from the shuffler's port is heard as the batches' own, and of nothing else.

Responsible for: which events reach the procedure and as what, at which time.
Not responsible for: what follows for a batch (tests/controller/custody/lineage) and for whole
tables (test_core_with_shuffler).
Source: package README, "The core", "The shuffler at the table".
"""

import pytest

from controller.core.device_intake import shuffler_gone, shuffler_told
from controller.procedure.events import ShufflerEventsLost, ShufflerGone, ShufflerTold
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
    DeviceHeardAgain,
    DeviceMemoryFilling,
    DeviceSilent,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    ShuffleBegan,
    ShufflerMode,
    ShufflerStatus,
    ShufflerWarning,
)
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

AT = Timestamp(7, 1_763_715_600_000_000_000)


@pytest.mark.parametrize(
    "event",
    [
        CompartmentChanged(1, CompartmentState.COUNTED, 416, "red", b""),
        ShuffleBegan(1, 12),
        DoorMoved(open=True, compartment=0),
        ShufflerWarning(7, "belt worn", active=True),
        IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False),
        IdentityRefused("5A01", "unknown key", rolled_back=False),
        DeviceSilent(1500, lost=False),
        DeviceHeardAgain(),
        ShufflerStatus(ShufflerMode.PLAY, False, (), 0, ()),
    ],
)
def test_what_concerns_the_batches_is_told_to_the_table(event) -> None:
    assert shuffler_told(event, AT) == ShufflerTold(event, AT.utc_ns)


@pytest.mark.parametrize("missing", [0, 3])
def test_missing_events_are_no_missing_reports_of_the_shoe(missing) -> None:
    lost = ReportsLost(LossReason.GAP, missing)
    assert shuffler_told(lost, AT) == ShufflerEventsLost(missing, AT.utc_ns)


@pytest.mark.parametrize(
    "event",
    [
        StageChanged(Stage.ONLINE, ""),
        CommandAnswered("OrderShuffler", CommandOutcome.DONE, ""),
        DeviceMemoryFilling(200, 256, stopped=False),
        DeviceFault(LinkFaultKind.COMMAND_TIMEOUT, ""),
        CardPassed("E004"),
        CardRead(ClaimedUse.UNCLAIMED, 0, None, repeated=False),
    ],
)
def test_the_rest_concerns_the_device_alone_and_no_card_comes_from_it(event) -> None:
    assert shuffler_told(event, AT) is None


def test_a_lost_port_is_a_shuffler_that_is_gone() -> None:
    assert shuffler_gone(PortLost("p", AT, "unplugged")) == ShufflerGone(AT.utc_ns)
    assert shuffler_gone(PortOpened("p", AT, bytes(32))) is None
    assert shuffler_gone(Chunk("p", AT, b"")) is None
