"""Tests each scanner driver against its emulated device in simulated time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from drivers.catalogue import find_model
from drivers.events import BarCodeRead, DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput
from drivers.model import DeviceKind
from firmware_bridge.transport.hid_descriptor import read_report_descriptor
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.emulator.scanners.hid_pos import REPORT_DESCRIPTOR, HidPosDevice, HidPosSettings
from hil.emulator.scanners.ssi import SsiDevice, SsiSettings

UNPLUGGED = message("usb_unplugged")

MS = 1_000_000
STEP_MS = 10
PORT = "scanner"

Damage = Callable[[bytes], bytes]


def whole(data: bytes) -> bytes:
    return data


@dataclass
class Bench:
    """A driver and a device, and a line between them that may damage what the device sends."""

    model: str
    device: Any
    damage: Damage = whole
    stores: bool = True  # False: output that waits for the store is never written
    now_ms: int = 0
    events: list[DeviceEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.driver = cast("Driver[Any]", find_model(DeviceKind.SCANNER, self.model).build())
        self.state = self.driver.initial()

    @property
    def at(self) -> Timestamp:
        ns = self.now_ms * MS
        return Timestamp(ns, 1_700_000_000_000_000_000 + ns)

    def plug(self) -> "Bench":
        self._collect(self.driver.receive(self.state, PortOpened(PORT, self.at, bytes(32))))
        return self.run(200)

    def unplug(self) -> "Bench":
        self._collect(self.driver.receive(self.state, PortLost(PORT, self.at, UNPLUGGED)))
        return self

    def run(self, ms: int) -> "Bench":
        for _ in range(ms // STEP_MS):
            self.now_ms += STEP_MS
            self._receive(self.device.tick(self.now_ms * MS))
            self._collect(self.driver.tick(self.state, self.at))
        return self

    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, BarCodeRead)]

    def faults(self) -> list[str]:
        return [str(event.kind) for event in self.events if isinstance(event, DeviceFault)]

    def _receive(self, data: bytes) -> None:
        if data:
            chunk = Chunk(PORT, self.at, self.damage(data))
            self._collect(self.driver.receive(self.state, chunk))

    def _collect(self, given: tuple[Any, DriverOutput]) -> None:
        self.state, output = given
        self.events.extend(output.events)
        written = (*output.at_once, *(output.to_write if self.stores else ()))
        for data in written:
            self._receive(self.device.receive(data, self.now_ms * MS))


class Once:
    """Damages the n-th chunk, and no other."""

    def __init__(self, which: int, how: Damage) -> None:
        self.left = which
        self.how = how

    def __call__(self, data: bytes) -> bytes:
        self.left -= 1
        return self.how(data) if self.left == -1 else data


def flipped(data: bytes) -> bytes:
    return data[:-3] + bytes((data[-3] ^ 0x10,)) + data[-2:]


def ssi(damage: Damage = whole, *, stores: bool = True, **settings: Any) -> Bench:
    return Bench("zebra-ssi", SsiDevice(SsiSettings(**settings)), damage, stores).plug()


# --- SSI ------------------------------------------------------------------------------------------


def test_a_scanner_from_the_factory_is_set_up_and_read() -> None:
    bench = ssi()
    bench.device.scan(b"PACK-0001")
    bench.run(100)

    assert [one.stage for one in bench.events if isinstance(one, StageChanged)] == [
        Stage.OPENED,
        Stage.IDENTIFIED,
        Stage.ONLINE,
    ]
    assert bench.texts() == ["PACK-0001"]
    assert bench.device.acknowledged == [b"\x03PACK-0001"]
    assert bench.faults() == []


def test_an_unstored_scan_is_not_acknowledged_and_is_given_once() -> None:
    bench = ssi(stores=False)
    bench.device.scan(b"PACK-0001")
    bench.run(7_000)

    assert bench.device.acknowledged == []
    assert bench.device.given_up == [b"\x03PACK-0001"]
    assert bench.texts() == ["PACK-0001"]


def test_a_slow_store_causes_resends_and_one_scan() -> None:
    bench = ssi(stores=False)
    bench.device.scan(b"PACK-0001")
    bench.run(2_500)
    bench.stores = True
    bench.run(3_000)

    assert bench.texts() == ["PACK-0001"]
    assert bench.device.acknowledged == [b"\x03PACK-0001"]


@pytest.mark.parametrize("how", [flipped, lambda data: data[:-1], lambda data: b""])
def test_a_damaged_scan_is_resent(how: Damage) -> None:
    bench = ssi()
    bench.damage = Once(0, how)
    bench.device.scan(b"PACK-0001")
    bench.run(3_000)

    assert bench.texts() == ["PACK-0001"]
    assert bench.device.given_up == []


@pytest.mark.parametrize("type_in_each_part", [True, False])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_long_text_arrives_whole_whichever_part_is_lost_and_is_refused(
    lost: int, type_in_each_part: bool
) -> None:
    bench = ssi(type_in_each_part=type_in_each_part)
    bench.damage = Once(lost, flipped)
    bench.device.scan(b"x" * 600, "qr-code")
    bench.run(3_000)

    (refusal,) = [one for one in bench.events if isinstance(one, DeviceFault)][-1:]
    assert to_words(refusal.detail).startswith("a scan of 600 characters was refused")
    assert bench.texts() == []


def test_a_scanner_unplugged_before_the_answer_gives_its_scan_once() -> None:
    bench = ssi(stores=False)
    bench.device.scan(b"PACK-0001")
    bench.run(20).unplug().run(100)
    bench.stores = True
    bench.plug().run(3_000)

    assert bench.texts() == ["PACK-0001"]
    assert bench.device.acknowledged == [b"\x03PACK-0001"]


def test_a_restarted_scanner_is_set_up_again_and_its_bare_text_ignored() -> None:
    bench = ssi().run(20_000)
    bench.device.power_on()
    bench.device.enabled = True  # some scanners are enabled from the start
    bench.device.scan(b"PACK-0001")
    bench.run(1_000)
    bench.device.scan(b"PACK-0002")
    bench.run(1_000)

    assert bench.texts() == ["PACK-0002"]
    assert "noise" in bench.faults()


def test_a_scanner_that_reports_its_boot_is_set_up_again() -> None:
    bench = ssi().run(1_000)
    bench.device.power_on(reports_boot=True)
    bench.run(500)
    bench.device.scan(b"PACK-0001")

    assert bench.run(100).texts() == ["PACK-0001"]


@settings(max_examples=40)  # each runs a minute of simulated time
@given(st.lists(st.sampled_from(["scan", "damage", "cut", "lose", "unplug", "wait"]), max_size=20))
def test_every_acknowledged_scan_was_read_once_and_in_order(steps: list[str]) -> None:
    bench = ssi(resends_max=None)
    scanned: list[str] = []
    for step in steps:
        match step:
            case "scan":
                scanned.append(f"PACK-{len(scanned):04}")
                assert bench.device.scan(scanned[-1].encode())
            case "damage":
                bench.damage = Once(0, flipped)
            case "cut":
                bench.damage = Once(0, lambda data: data[: len(data) // 2])
            case "lose":
                bench.damage = Once(0, lambda data: b"")
            case "unplug":
                bench.unplug().run(50).plug()
            case _:
                bench.run(500)
        bench.run(20)
    bench.run(4_000 * (len(scanned) + 2))

    assert bench.texts() == scanned
    assert [data[1:].decode() for data in bench.device.acknowledged] == scanned


# --- HID POS --------------------------------------------------------------------------------------


def hid_pos(**settings: Any) -> Bench:
    return Bench("hid-pos", HidPosDevice(HidPosSettings(**settings))).plug()


def test_opening_puts_the_scanner_into_pos_mode_and_scans_are_read() -> None:
    bench = hid_pos()
    bench.device.scan(b"PACK-0001")
    bench.device.scan(b"PACK-0002", "qr-code")
    bench.run(20)

    assert bench.texts() == ["PACK-0001", "PACK-0002"]
    assert bench.faults() == []


@pytest.mark.parametrize(
    "settings",
    [{"aim_late": True}, {"needs_mode": False}, {"suffix": b"\r"}, {"suffix": b"\r\n"}],
)
def test_report_layout_variants_are_read(settings: dict[str, Any]) -> None:
    bench = hid_pos(**settings)
    bench.device.scan(b"PACK-0001")

    assert bench.run(20).texts() == ["PACK-0001"]


@pytest.mark.parametrize("length", [1, 55, 56, 57, 63, 64])
@pytest.mark.parametrize("aim_late", [False, True])
def test_texts_of_every_length_arrive_whole(length: int, aim_late: bool) -> None:
    bench = hid_pos(aim_late=aim_late)
    bench.device.scan((b"0123456789" * 7)[:length])

    assert bench.run(20).texts() == [("0123456789" * 7)[:length]]


def test_replugging_sets_pos_mode_again() -> None:
    bench = hid_pos().unplug()
    bench.device.power_on()
    assert not bench.device.scan(b"PACK-0001")

    bench.plug()
    bench.device.scan(b"PACK-0002")
    assert bench.run(20).texts() == ["PACK-0002"]


def test_unread_hid_reports_are_lost_without_a_trace() -> None:
    bench = hid_pos()
    bench.device.scan(b"PACK-0001")
    bench.device.power_on()

    assert bench.run(1_000).texts() == []
    assert bench.faults() == []


def test_the_port_recognises_the_device_by_its_descriptor() -> None:
    reports = read_report_descriptor(REPORT_DESCRIPTOR)

    assert reports.is_bar_code_scanner
    assert not reports.is_keyboard
    assert (reports.output_ids, reports.feature_ids) == ((0xFD,), (0xFE,))
