"""What a tape does not hold of a port's events is in the report, so that a replay judges alike."""

import pytest

from firmware_bridge.transport.port import PortEnd, PortLost
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.acceptance.wire.inputs import DriverInput, InputKind, _port_event, port_input
from hil.recording.capture import Direction, WireEvent

UNPLUGGED = message("port_failed", port="shoe", why=message("usb_unplugged"))
LOST = WireEvent(2_000, Direction.STATUS, b"", "lost")


@pytest.mark.parametrize(
    "loss",
    [
        PortLost("shoe", Timestamp(1_000, 2_000), UNPLUGGED),
        PortLost("shoe", Timestamp(1_000, 2_000), UNPLUGGED, PortEnd.READ_ERROR),
        PortLost("shoe", Timestamp(1_000, 2_000), UNPLUGGED, PortEnd.END_OF_STREAM, 7),
    ],
)
def test_a_loss_is_replayed_with_what_ended_the_port(loss: PortLost) -> None:
    given = port_input(0, loss)

    assert given is not None
    assert _port_event("shoe", LOST, given, 1_000) == loss


def test_a_loss_in_a_report_of_an_earlier_version_is_read() -> None:
    earlier = DriverInput(0, InputKind.LOST, {"id": "usb_unplugged"})

    loss = _port_event("shoe", LOST, earlier, 1_000)

    assert isinstance(loss, PortLost)
    assert loss.ended_by is PortEnd.OTHER
