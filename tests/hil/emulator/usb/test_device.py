"""Tests emulated USB devices without a bus: descriptors, requests, transfers, orders."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from hil.emulator.usb.descriptors import UsbIdentity, configuration_descriptor
from hil.emulator.usb.device import Handshake, UsbDevice
from hil.emulator.usb.functions import AcmControl, BulkFunction, HidFunction, ScriptedDevice
from hil.emulator.usb.orders import Orders
from hil.emulator.usb.transfers import Completion, Transfer, TransferOutcome, Transfers

IDENTITY = UsbIdentity(0x0AB1, 0x0002, "SN-1", "reader", "")
GET_STRING = "8006 0303 0904 FF00"


def bulk_device(**settings: object) -> UsbDevice:
    return UsbDevice(IDENTITY, [BulkFunction(ScriptedDevice(**settings))])  # type: ignore[arg-type]


def request(device: UsbDevice, setup: str, data: str = "") -> bytes | Handshake:
    return device.control(bytes.fromhex(setup), bytes.fromhex(data), 0)


# --- identity ---------------------------------------------------------------------------


def test_the_descriptors_of_a_bulk_device() -> None:
    assert bulk_device().descriptors == bytes.fromhex(
        "12 01 0002 00 00 00 40 B10A 0200 0001 00 02 03 01"
        "09 02 2000 01 01 00 80 32"
        "09 04 00 00 02 FF 00 00 00"
        "07 05 81 02 4000 00"
        "07 05 02 02 4000 00"
    )


def test_the_descriptors_of_a_scanner() -> None:
    scanner = HidFunction(ScriptedDevice())

    assert configuration_descriptor((scanner.interface,)) == bytes.fromhex(
        "09 02 2200 01 01 00 80 32"
        "09 04 00 00 01 03 00 00 00"
        "09 21 1101 00 01 22 6300"
        "07 05 81 03 4000 04"
    )


@pytest.mark.parametrize(
    ("setup", "answer"),
    [
        ("8006 0001 0000 1200", "12 01 0002 00 00 00 40 B10A 0200 0001 00 02 03 01"),
        ("8006 0001 0000 0800", "12 01 0002 00 00 00 40"),  # no more than the host has room for
        ("8006 0003 0000 FF00", "04 03 0904"),
        (GET_STRING, "0A 03 5300 4E00 2D00 3100"),
        ("8000 0000 0000 0200", "0000"),
        ("8008 0000 0000 0100", "00"),
    ],
)
def test_standard_requests_are_answered(setup: str, answer: str) -> None:
    assert request(bulk_device(), setup) == bytes.fromhex(answer)


@pytest.mark.parametrize(
    "setup", ["8006 0103 0904 FF00", "8006 0006 0000 0A00", "C001 0000 0000 0100"]
)
def test_unknown_requests_stall(setup: str) -> None:
    assert request(bulk_device(), setup) is Handshake.STALL


def test_the_configuration_set_is_reported() -> None:
    device = bulk_device()
    request(device, "0009 0100 0000 0000")

    assert request(device, "8008 0000 0000 0100") == b"\x01"


@pytest.mark.parametrize(
    ("coding", "words"),
    [
        ("80250000 00 00 08", "9600 8N1"),
        ("00960000 00 02 08", "38400 8E1"),
        ("00960000 02 01 07", "38400 7O2"),
    ],
)
def test_a_serial_port_keeps_the_line_coding_that_the_host_sets(coding: str, words: str) -> None:
    port = AcmControl()
    set_coding, get_coding = bytes.fromhex("2120 0000 0000 0700"), bytes.fromhex("A121" + 6 * "00")

    assert port.control(set_coding, bytes.fromhex(coding), 0) is Handshake.ACK
    assert port.device.line_coding() == words
    assert port.control(get_coding, b"", 0) == bytes.fromhex(coding)


def test_a_serial_port_refuses_a_line_coding_of_another_length() -> None:
    port = AcmControl()

    assert port.control(bytes.fromhex("2120 0000 0000 0600"), bytes(6), 0) is Handshake.STALL
    assert port.control(bytes.fromhex("2124 0000 0000 0700"), bytes(7), 0) is Handshake.STALL
    assert port.device.line_coding() == "9600 8N1"


def test_the_report_descriptor_is_read_from_the_interface() -> None:
    scanner = UsbDevice(IDENTITY, [HidFunction(ScriptedDevice())])

    answer = request(scanner, "8106 0022 0000 0010")

    assert isinstance(answer, bytes)
    assert answer[:6] == bytes.fromhex("05 8C 09 02 A1 01")


@pytest.mark.parametrize(
    ("setup", "data", "expected"),
    [
        ("2109 FE03 0000 0200", "FE01", Handshake.ACK),
        ("2109 FD02 0000 0200", "FD01", Handshake.ACK),
        ("2109 FE02 0000 0200", "FE01", Handshake.STALL),  # a feature report, set as an output one
        ("2109 FE03 0000 0200", "FD01", Handshake.STALL),  # not the id it was announced with
        ("2109 0203 0000 0200", "0201", Handshake.STALL),  # an input report
    ],
)
def test_only_settable_reports_are_accepted(setup: str, data: str, expected: Handshake) -> None:
    scanner = UsbDevice(IDENTITY, [HidFunction(ScriptedDevice())])

    assert request(scanner, setup, data) is expected


# --- transfers ------------------------------------------------------------------------------------


def into(key: int = 1, length: int = 64) -> Transfer:
    return Transfer(key, 0x81, b"", b"", length)


def out(data: bytes, key: int = 2) -> Transfer:
    return Transfer(key, 0x02, b"", data, len(data))


def test_a_read_waits_for_bytes() -> None:
    transfers = Transfers(bulk_device(echo=True))
    transfers.submit(into())
    assert transfers.settle(0) == ()
    transfers.submit(out(b"ab"))

    assert transfers.settle(1) == (
        Completion(2, TransferOutcome.DONE, b"", 2),
        Completion(1, TransferOutcome.DONE, b"ab", 2),
    )


def test_bytes_are_split_into_packets() -> None:
    device = bulk_device(sends="00" * 100)
    device.tick(0)

    assert [device.take(0x81), device.take(0x81)] == [bytes(64), bytes(36)]
    assert device.take(0x81) is Handshake.NAK


@pytest.mark.parametrize(("cut", "sizes"), [((64, 0), [64, 0, 36]), ((0, 63), [0, 63, 0, 37])])
def test_bytes_are_split_into_packets_of_the_given_sizes(
    cut: tuple[int, ...], sizes: list[int]
) -> None:
    function = BulkFunction(ScriptedDevice(sends="00" * 100), cut=cut)

    assert [len(packet) for _, packet in function.tick(0)] == sizes


@pytest.mark.parametrize("cut", [(), (0,), (65,), (-1, 64)])
def test_invalid_packet_sizes_are_refused(cut: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="packets hold 0 to 64 bytes"):
        BulkFunction(ScriptedDevice(), cut=cut)


def test_a_script_answers_only_whole_requests() -> None:
    device = bulk_device(answers={"01": "02"})
    device.out(0x02, b"\x03", 0)
    assert device.take(0x81) is Handshake.NAK
    device.out(0x02, b"\x01", 0)

    assert device.take(0x81) == b"\x02"


def test_a_stalled_endpoint_stalls_until_it_is_cleared_as_often_as_ordered() -> None:
    device = bulk_device()
    device.stall(0x81, 2)
    seen = []
    for _ in range(3):
        seen.append(device.take(0x81))
        request(device, "0201 0000 8100 0000")

    assert seen == [Handshake.STALL, Handshake.STALL, Handshake.NAK]


def test_a_device_that_hangs_answers_nothing_at_all() -> None:
    device = bulk_device(echo=True)
    device.hung = True

    assert request(device, GET_STRING) is Handshake.NAK
    assert device.out(0x02, b"a", 0) is Handshake.NAK
    assert device.take(0x81) is Handshake.NAK


def test_a_cancelled_transfer_moves_nothing() -> None:
    transfers = Transfers(bulk_device())
    transfers.submit(into(7))

    assert transfers.cancel(7) == Completion(7, TransferOutcome.CANCELLED, b"", 0)
    assert transfers.cancel(7) is None


def test_unplugging_ends_all_transfers() -> None:
    transfers = Transfers(bulk_device())
    transfers.submit(into(1))
    transfers.submit(into(2))

    assert [(one.key, one.outcome) for one in transfers.unplug()] == [
        (1, TransferOutcome.UNPLUGGED),
        (2, TransferOutcome.UNPLUGGED),
    ]


def test_replugging_clears_queues_and_halts() -> None:
    device = bulk_device(echo=True)
    device.out(0x02, b"old", 0)
    device.stall(0x02, 5)
    device.plugged(0)

    assert device.take(0x81) is Handshake.NAK
    assert device.out(0x02, b"new", 0) is Handshake.ACK


# --- orders ---------------------------------------------------------------------------------------


class RecordingBus:
    """Records what is plugged in and out."""

    def __init__(self) -> None:
        self.plugged: dict[str, UsbDevice] = {}

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None:
        self.plugged[f"{name} at {place}"] = device

    def unplug(self, name: str) -> None:
        self.plugged.clear()

    def hold(self, name: str, *, held: bool) -> None:
        self.plugged[name].hung = held

    def counts(self, name: str) -> dict[str, int]:
        return dict(Counter(plugged=1))


Execute = Callable[..., object]
READER = {"identity": {"vendor_id": 1, "product_id": 2, "serial_number": "S"}, "place": "1-2"}


@pytest.fixture
def bus() -> RecordingBus:
    return RecordingBus()


@pytest.fixture
def execute(bus: RecordingBus) -> Execute:
    orders = Orders(bus)

    def give(order: str, **facts: object) -> object:
        answer = json.loads(orders.execute(json.dumps({"order": order, "name": "reader", **facts})))
        return answer["result"] if answer["event"] == "done" else answer["reason"]

    return give


def test_a_device_is_made_plugged_in_and_called(bus: RecordingBus, execute: Execute) -> None:
    kind = {"kind": "bulk", "device": "hil.emulator.usb.functions:ScriptedDevice"}
    execute("plug", functions=[{**kind, "settings": {"echo": True}}], **READER)
    device = bus.plugged["reader at 1-2"]
    device.out(0x02, b"\x01\x02", 0)

    assert execute("call", method="all_received") == ["0102"]
    assert device.take(0x81) == b"\x01\x02"


def test_a_device_plugged_in_again_is_the_same_one(bus: RecordingBus, execute: Execute) -> None:
    execute("plug", functions=[{"kind": "bulk"}], **READER)
    device = bus.plugged["reader at 1-2"]
    execute("unplug")
    execute("plug")

    assert bus.plugged["reader at 1-2"] is device


def test_a_device_is_stalled_and_made_to_hang(bus: RecordingBus, execute: Execute) -> None:
    execute("plug", functions=[{"kind": "bulk"}], **READER)
    device = bus.plugged["reader at 1-2"]
    execute("stall", endpoint=0x81)
    assert device.take(0x81) is Handshake.STALL
    execute("hang")
    assert device.take(0x81) is Handshake.NAK
    execute("resume")

    assert device.take(0x81) is Handshake.STALL


@pytest.mark.parametrize("kind", ["bulk", "serial"])
def test_a_device_with_packet_sizes_is_made(bus: RecordingBus, execute: Execute, kind: str) -> None:
    execute("plug", functions=[{"kind": kind, "cut": [1, 0], "settings": {"echo": True}}], **READER)
    device = bus.plugged["reader at 1-2"]
    device.out(0x02, b"\x01\x02", 0)

    assert [device.take(0x81) for _ in range(3)] == [b"\x01", b"", b"\x02"]


def test_an_emulated_reader_is_made_from_settings_and_called(
    bus: RecordingBus, execute: Execute
) -> None:
    settings = {"delivery": "unacknowledged", "address": 7}
    kind = {"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader", "settings": settings}
    execute("plug", functions=[kind], **READER)
    execute(
        "call",
        method="tag_read",
        arguments={"identity": "E0040150A05F02B7", "kind": 3, "antenna": 1},
    )
    device = bus.plugged["reader at 1-2"]
    device.tick(0)

    packet = device.take(0x81)

    assert isinstance(packet, bytes)
    assert packet[:1] == b"\x02"
    assert packet[3] == 7
    assert bytes.fromhex("E0040150A05F02B7") in packet


@pytest.mark.parametrize(
    ("order", "facts", "reason"),
    [
        ("unplug", {}, "no device is called 'reader'"),
        ("plug", {}, "no device is called 'reader'"),
        ("dance", {}, "no order is called 'dance'"),
        ("plug", {"functions": [{"kind": "modem"}], **READER}, "'modem'"),
        ("plug", {"functions": [{"kind": "bulk", "device": "hil:no_such"}], **READER}, "no_such"),
    ],
)
def test_an_order_that_cannot_be_executed_is_refused(
    execute: Execute, order: str, facts: dict[str, object], reason: str
) -> None:
    assert reason in str(execute(order, **facts))
