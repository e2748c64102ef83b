"""Too many new reports of a shoe: the port is closed for a time, and a burst is none."""

import pytest
from msgspec.structs import replace

from controller.core.settings import DeviceSettings
from controller.core.tape.inputs import NoiseDropped, ReportsExceeded
from controller.service.noise_limit import NoiseLimit, noise_limit_of
from controller.service.report_limit import ReportLimit
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX, AngelEyeSettings
from drivers.shoes.rfid_model import FEIG_RFID
from firmware_bridge.transport.port import Chunk, PortEvent, PortShut
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.emulator.angel_eye.wire import report_frame

PORT = "socket://shoe:4001"
S = 1_000_000_000
CARD = bytes((0x44, 0x81, 0xC9))
LIMIT = 10


class Port:
    """A port with a limit, what it passed on, and a clock."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.passed: list[PortEvent | NoiseDropped | ReportsExceeded] = []
        self.limit = NoiseLimit(ANGEL_EYE_II_EX.framing, self.put, reports=ReportLimit(limit))
        self.at_ns = S
        self.number = 0

    def put(self, item: PortEvent | NoiseDropped | ReportsExceeded) -> bool:
        self.passed.append(item)
        return True

    def read(self, new: int, copies: int = 3) -> None:
        """So many new reports, each with its copies, in one read."""
        frames = []
        for _ in range(new):
            self.number += 1
            frames += [report_frame(f"{self.number % 16:X}", CARD)] * copies
        self.limit.put(Chunk(PORT, Timestamp(self.at_ns, self.at_ns), b"".join(frames)))

    def deal(self, per_s: float, seconds: float) -> None:
        for _ in range(round(per_s * seconds)):
            self.at_ns += round(S / per_s)
            self.read(1)

    @property
    def exceeded(self) -> list[ReportsExceeded]:
        return [one for one in self.passed if isinstance(one, ReportsExceeded)]


def shut(port: Port, per_s: float = 1_000) -> PortShut:
    """What closed the port that is flooded; it is opened again after its pause."""
    with pytest.raises(PortShut) as caught:
        port.deal(per_s, 20)
    port.at_ns += int(caught.value.pause_s * S)
    return caught.value


@pytest.mark.parametrize("per_s", [0.3, 3, 10])
def test_what_is_not_beyond_the_limit_goes_on_for_ever(per_s: float) -> None:
    port = Port()
    port.deal(per_s, 600)
    assert not port.exceeded


@pytest.mark.parametrize("per_s", [12, 100, 400])
def test_beyond_it_for_ten_seconds_a_fault_is_recorded_and_the_port_closed(per_s: float) -> None:
    port = Port()
    closed = shut(port, per_s)

    assert closed.pause_s == 60.0
    assert closed.why == message("port_shut_for_reports", limit=LIMIT, seconds=60)
    (exceeded,) = port.exceeded
    assert port.passed[-1] is exceeded
    assert (exceeded.port, exceeded.seconds, exceeded.limit) == (PORT, 10, LIMIT)
    assert exceeded.count >= 10 * per_s - 10
    # What was read is stored: nothing that came before the fault is lost.
    assert len([one for one in port.passed if isinstance(one, Chunk)]) >= exceeded.count


def test_a_flood_at_tcp_speed_is_ended_before_it_costs_memory() -> None:
    port = Port()
    shut(port, 2_800)

    (exceeded,) = port.exceeded
    assert exceeded.count == ReportLimit.AHEAD_MAX
    assert exceeded.seconds == 1


def test_copies_are_no_new_reports() -> None:
    port = Port()
    for _ in range(1_200):
        port.at_ns += S // 10
        port.read(1, copies=8)
    assert not port.exceeded


def test_what_waited_for_a_stopped_host_comes_at_once_and_is_no_flood() -> None:
    port = Port()
    port.deal(1, 30)
    port.read(400)
    port.deal(1, 60)
    assert not port.exceeded


def test_the_pause_doubles_up_to_ten_minutes_and_begins_again_after_ten_sound_ones() -> None:
    port = Port()
    assert [shut(port).pause_s for _ in range(6)] == [60, 120, 240, 480, 600, 600]

    port.deal(1, 601)
    assert shut(port).pause_s == 60


def test_an_ended_table_closes_no_port() -> None:
    port = Port()
    port.put = lambda _item: False  # type: ignore[method-assign]
    port.limit = NoiseLimit(ANGEL_EYE_II_EX.framing, port.put, reports=ReportLimit(LIMIT))
    port.deal(100, 20)


def test_the_limit_is_a_setting_of_models_that_report_card_by_card() -> None:
    none = ANGEL_EYE_II_EX.to_store(AngelEyeSettings(reports_s_max=0))
    assert ANGEL_EYE_II_EX.reports_s_of(b"") == LIMIT
    assert ANGEL_EYE_II_EX.reports_s_of(none) == 0
    assert FEIG_RFID.reports_s_of(b"") is None


@pytest.mark.parametrize(("most", "closes"), [(10, True), (0, False)])
def test_zero_is_no_limit(script, most: int, closes: bool) -> None:
    port = Port()
    stored = ANGEL_EYE_II_EX.to_store(AngelEyeSettings(reports_s_max=most))
    shoe = DeviceSettings(PORT, ANGEL_EYE_II_EX.name, stored)
    found = noise_limit_of(replace(script().core.settings, shoe=shoe), PORT, port.put)
    assert found is not None
    port.limit = found
    if closes:
        shut(port, 100)
    else:
        port.deal(100, 30)
    assert bool(port.exceeded) is closes
