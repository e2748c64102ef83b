"""Half a frame and then silence is a fault, and joined frames are cut, over every wire protocol.

Source: firmware_bridge/README.md, the framing of each protocol.
"""

from itertools import accumulate

import pytest

from drivers.events import StandByEntered
from drivers.faults import DeviceFault
from drivers.scanners.hid_pos_model import HID_POS
from drivers.scanners.ssi_model import ZEBRA_SSI
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from drivers.shoes.rfid_model import FEIG_RFID
from drivers.shoes.tablelink_model import TABLELINK_SHOE
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

PORT = "/dev/ttyUSB0"
NS_PER_S = 1_000_000_000
ANGEL_EYE_STAND_BY = bytes.fromhex("05 31 50 03 36 32")
TABLELINK_PING = bytes.fromhex("000201010305070101010101010101010104a1011a0812d687ea8e46b700")
FEIG_KEEP_ALIVE = bytes.fromhex("02 00 0A 00 6E 00 00 00 4B 69")
SSI_EVENT = bytes.fromhex("05 F6 00 00 20 FE E5")
HID_REPORT = bytes.fromhex("02 08 5D 5A 36 52 45 56 49 4E 46 06 2E") + bytes(51)

DEVICES = [
    pytest.param(ANGEL_EYE_II_EX.build, ANGEL_EYE_STAND_BY, 1.0, id="angel eye"),
    pytest.param(TABLELINK_SHOE.build, TABLELINK_PING, 1.0, id="tablelink"),
    pytest.param(FEIG_RFID.build, FEIG_KEEP_ALIVE, 0.3, id="feig"),
    pytest.param(ZEBRA_SSI.build, SSI_EVENT, 0.1, id="ssi"),
    pytest.param(HID_POS.build, HID_REPORT, 0.25, id="hid pos"),
]


class Line:
    """A driver with a clock: ticks come at its own deadlines, as the loop gives them."""

    def __init__(self, driver) -> None:
        self.driver = driver
        self.state = driver.initial()
        self.now_ns = 100 * NS_PER_S
        self.faults: list[tuple[int, DeviceFault]] = []
        self.events: list[object] = []
        self._apply(driver.receive(self.state, PortOpened(PORT, self.at, bytes(32))))

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.now_ns, self.now_ns)

    def receive(self, data: bytes) -> None:
        self._apply(self.driver.receive(self.state, Chunk(PORT, self.at, data)))

    def wait(self, seconds: float) -> None:
        until_ns = self.now_ns + int(seconds * NS_PER_S)
        while (due_ns := self.driver.next_deadline_ns(self.state)) is not None:
            if due_ns > until_ns:
                break
            self.now_ns = max(self.now_ns, due_ns)
            self._apply(self.driver.tick(self.state, self.at))
        self.now_ns = until_ns

    def _apply(self, result) -> None:
        self.state, output = result
        self.events.extend(output.events)
        found = [one for one in output.events if isinstance(one, DeviceFault)]
        self.faults.extend((self.now_ns, one) for one in found)


@pytest.mark.parametrize(("build", "frame", "deadline_s"), DEVICES)
def test_half_a_frame_and_then_silence_is_a_fault_within_the_deadline(
    build, frame: bytes, deadline_s: float
) -> None:
    for half in (len(frame) // 2, len(frame) - 1):
        line = Line(build())
        line.receive(frame[:half])
        begun_ns = line.now_ns
        line.wait(20.0)

        truncated = [at_ns for at_ns, one in line.faults if one.kind == "truncated"]
        assert [at_ns - begun_ns for at_ns in truncated] == [int(deadline_s * NS_PER_S)]


@pytest.mark.parametrize(("build", "frame", "deadline_s"), DEVICES)
def test_bytes_that_still_come_are_no_silence(build, frame: bytes, deadline_s: float) -> None:
    line = Line(build())
    for byte in frame:
        line.receive(bytes((byte,)))
        line.wait(0.9 * deadline_s)
    line.wait(2.0)

    assert [one.kind for _, one in line.faults if one.kind == "truncated"] == []


def truncated(line: Line) -> int:
    return sum(one.kind == "truncated" for _, one in line.faults)


def test_the_rest_of_a_report_completes_it_after_the_silence_of_a_held_line() -> None:
    line = Line(ANGEL_EYE_II_EX.build())
    line.receive(ANGEL_EYE_STAND_BY[:3])
    line.wait(5.0)
    line.receive(ANGEL_EYE_STAND_BY[3:])
    line.wait(5.0)

    assert truncated(line) == 1
    assert line.events[-1] == StandByEntered()


def test_a_lost_port_ends_the_wait_for_the_rest() -> None:
    line = Line(ANGEL_EYE_II_EX.build())
    line.receive(ANGEL_EYE_STAND_BY[:3])
    line._apply(line.driver.receive(line.state, PortLost(PORT, line.at, UNPLUGGED)))
    line.wait(5.0)

    assert truncated(line) == 0


def test_silence_within_tablelink_frames_is_reported_once_until_a_whole_one() -> None:
    line = Line(TABLELINK_SHOE.build())
    for part in (TABLELINK_PING[:5], TABLELINK_PING[5:9]):
        line.receive(part)
        line.wait(2.0)
    assert truncated(line) == 1

    line.receive(TABLELINK_PING[9:] + TABLELINK_PING[:5])
    line.wait(2.0)
    assert truncated(line) == 2


# --- reads that hold several frames ---------------------------------------------------------------


@pytest.mark.parametrize(("build", "frame", "deadline_s"), DEVICES[:3])
def test_joined_frames_are_cut_after_each_wherever_the_read_begins(
    build, frame: bytes, deadline_s: float
) -> None:
    for begun in range(len(frame)):
        line = Line(build())
        line.receive(frame[:begun])
        joined = (3 * frame)[begun:]
        parts = line.driver.split(line.state, joined)

        assert b"".join(parts) == joined
        ends = [begun + end for end in accumulate(map(len, parts))]
        assert ends == [len(frame), 2 * len(frame), 3 * len(frame)]
