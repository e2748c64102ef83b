"""USB devices plugged into a running table: opened by id or path, or refused.

Source: firmware_bridge/transport/README.md, "USB devices", "Allow-list"; field practice (an exposed
USB port).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controller.core.tape.entries import UsbDeviceRecorded
from controller.core.tape.inputs import DevicePlugged
from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.port import PortOpened
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.rfid_programs import RfidPrograms, console_dealer, wait_until
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe
from hil.usb.bed import READER, SCANNER, UsbTestBed

pytestmark = pytest.mark.needs("umockdev")

NS_PER_S = 1_000_000_000
OPENED_NS_MAX = 2 * NS_PER_S
EXIT_URL, RACK_URL = "usb://0ab1:0002/EXIT-1", "usb://0ab1:0002/@1-4.2"
SCANNER_URL = "usbhid://0c2e:0b81/SCAN-1"
BULK_READER = {"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader"}
HID_SCANNER = {"kind": "hid_pos"}
KEYBOARD = {"kind": "keyboard", "endpoint": 0x81}
BESIDE = f"""
[[reader]]
port = "{RACK_URL}"
seat = "discard_rack"

[[scanner]]
port = "{SCANNER_URL}"
model = "hid-pos"
"""
ALLOWED = """
[usb]
allow = ["0ab1:0002:EXIT-1", "1-7"]
"""


def reader(serial_number: str) -> dict[str, object]:
    return {**READER, "serial_number": serial_number}


def scanner(serial_number: str) -> dict[str, object]:
    return {**SCANNER, "serial_number": serial_number}


def device_events(programs: RfidPrograms, what: str) -> list[UsbDeviceRecorded]:
    """The entries about USB devices in the journal so far."""
    entries = programs.entries()
    return [one for one in entries if isinstance(one, UsbDeviceRecorded) and one.what == what]


def opened(programs: RfidPrograms) -> dict[str, PortOpened]:
    """The ports opened so far, with the newest state of each."""
    return {one.port: one for one in programs.inputs() if isinstance(one, PortOpened)}


def plugged(programs: RfidPrograms, path: str) -> list[DevicePlugged]:
    inputs = programs.inputs()
    return [one for one in inputs if isinstance(one, DevicePlugged) and one.path == path]


def without_batches(programs: RfidPrograms, bed: UsbTestBed, more: str = "") -> Program:
    """The program with the reader at the exit, without any card."""
    return programs.program(EXIT_URL, more, bound=(), environment=bed.environment)


@contextmanager
def running(program: Program) -> Iterator[None]:
    program.start()
    yield
    program.stop()


def test_devices_are_found_by_ids_or_path_and_opened_within_two_seconds(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed
) -> None:
    places = {EXIT_URL: "1-1", RACK_URL: "1-4.2", SCANNER_URL: "1-3"}
    usb_bed.plug("stranger", reader("OTHER-9"), [BULK_READER], "1-2")
    with (
        without_batches(rfid_programs, usb_bed, BESIDE) as program,
        running(program),
    ):
        assert opened(rfid_programs) == {}
        usb_bed.plug("exit", reader("EXIT-1"), [BULK_READER], places[EXIT_URL])
        usb_bed.plug("rack", reader("ANY-3"), [BULK_READER], places[RACK_URL])
        usb_bed.plug("scanner", scanner("SCAN-1"), [HID_SCANNER], places[SCANNER_URL])
        wait_until(lambda: len(opened(rfid_programs)) == len(places))

    for url, place in places.items():
        (appeared,) = plugged(rfid_programs, place)
        took_ns = opened(rfid_programs)[url].at.monotonic_ns - appeared.at.monotonic_ns
        assert took_ns < OPENED_NS_MAX, f"{url} took {took_ns / NS_PER_S:.2f} s"
    assert usb_bed.counts("stranger")["claimed"] == 0


def test_a_device_plugged_in_again_is_opened_again_within_two_seconds(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed
) -> None:
    usb_bed.plug("exit", reader("EXIT-1"), [BULK_READER], "1-1")
    with (
        without_batches(rfid_programs, usb_bed) as program,
        running(program),
    ):
        wait_until(lambda: EXIT_URL in opened(rfid_programs))
        first = opened(rfid_programs)[EXIT_URL]
        usb_bed.unplug("exit")
        wait_until(lambda: device_events(rfid_programs, "gone"))
        usb_bed.order("plug", "exit", place="1-5")
        wait_until(lambda: opened(rfid_programs)[EXIT_URL] != first)

    (appeared,) = plugged(rfid_programs, "1-5")
    took_ns = opened(rfid_programs)[EXIT_URL].at.monotonic_ns - appeared.at.monotonic_ns
    assert took_ns < OPENED_NS_MAX


def test_unlisted_devices_and_keyboards_are_refused_recorded_and_play_continues(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed, whole
) -> None:
    shoe = CountedShoe()
    with (
        TcpServer(shoe, line_settings(ShoeKind.RFID, speed=0)) as server,
        rfid_programs.program(EXIT_URL, ALLOWED, environment=usb_bed.environment) as program,
    ):
        relay = {
            "device": "hil.emulator.usb.relay:RelayedDevice",
            "settings": {"port": server.port},
        }
        usb_bed.plug("exit", reader("EXIT-1"), [{"kind": "bulk", **relay}], "1-1")
        with running(program):
            usb_bed.plug("unlisted", scanner("SCAN-1"), [HID_SCANNER], "1-3")
            usb_bed.plug("other", reader("OTHER-9"), [BULK_READER], "1-4")
            usb_bed.plug("typist", scanner("KEYS-1"), [KEYBOARD], "1-7")
            wait_until(lambda: len(device_events(rfid_programs, "refused")) == 3)
            hand = console_dealer(program, server)
            dealer = Dealer(DealerSettings(seed=91))
            truth = ShoeRunner(dealer, server, people=hand, coups_max=2).run()

    refused = {one.path: one for one in device_events(rfid_programs, "refused")}
    assert "not on the allow-list" in to_words(refused["1-3"].why)
    assert "another serial number" in to_words(refused["1-4"].why)
    assert "no keyboard is allowed" in to_words(refused["1-7"].why)
    assert [usb_bed.counts(name)["opened"] for name in ("unlisted", "other", "typist")] == [0, 0, 0]
    assert [one.path for one in device_events(rfid_programs, "appeared")] == ["1-1"]
    whole(rfid_programs.entries(), truth, shoe.drawn)


def test_without_a_list_a_keyboard_is_refused(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed
) -> None:
    with (
        without_batches(rfid_programs, usb_bed, BESIDE) as program,
        running(program),
    ):
        usb_bed.plug("typist", scanner("SCAN-1"), [KEYBOARD], "1-3")
        wait_until(lambda: device_events(rfid_programs, "refused"))

    (refused,) = device_events(rfid_programs, "refused")
    assert (refused.usb_id, refused.serial_number) == ("0c2e:0b81", "SCAN-1")
    assert SCANNER_URL not in opened(rfid_programs)
    assert usb_bed.counts("typist")["opened"] == 0
