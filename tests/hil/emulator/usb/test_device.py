"""Emulated USB devices without a bus: descriptors, requests, transfers and orders."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from hil.emulator.usb.descriptors import Identity, configuration_descriptor
from hil.emulator.usb.device import Handshake, UsbDevice
from hil.emulator.usb.functions import BulkFunction, HidFunction, ScriptedDevice
from hil.emulator.usb.orders import Orders
from hil.emulator.usb.transfers import Completion, Outcome, Transfer, Transfers

IDENTITY = Identity(0x0AB1, 0x0002, "SN-1", "reader", "")
GET_STRING = "8006 0303 0904 FF00"


def bulk_device(**settings: object) -> UsbDevice:
    return UsbDevice(IDENTITY, [BulkFunction(ScriptedDevice(**settings))])  # type: ignore[arg-type]


def asked(device: UsbDevice, setup: str, data: str = "") -> bytes | Handshake:
    return device.control(bytes.fromhex(setup), bytes.fromhex(data), 0)


# --- what it says it is ---------------------------------------------------------------------------


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
    assert asked(bulk_device(), setup) == bytes.fromhex(answer)


@pytest.mark.parametrize(
    "setup", ["8006 0103 0904 FF00", "8006 0006 0000 0A00", "C001 0000 0000 0100"]
)
def test_what_it_does_not_have_stalls(setup: str) -> None:
    assert asked(bulk_device(), setup) is Handshake.STALL


def test_a_configuration_that_was_set_is_told() -> None:
    device = bulk_device()
    asked(device, "0009 0100 0000 0000")

    assert asked(device, "8008 0000 0000 0100") == b"\x01"


def test_the_report_descriptor_is_asked_of_the_interface() -> None:
    scanner = UsbDevice(IDENTITY, [HidFunction(ScriptedDevice())])

    answer = asked(scanner, "8106 0022 0000 0010")

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
def test_only_reports_that_may_be_set_are_taken(setup: str, data: str, expected: Handshake) -> None:
    scanner = UsbDevice(IDENTITY, [HidFunction(ScriptedDevice())])

    assert asked(scanner, setup, data) is expected


# --- transfers ------------------------------------------------------------------------------------


def into(key: int = 1, length: int = 64) -> Transfer:
    return Transfer(key, 0x81, b"", b"", length)


def out(data: bytes, key: int = 2) -> Transfer:
    return Transfer(key, 0x02, b"", data, len(data))


def test_a_read_waits_for_its_bytes() -> None:
    transfers = Transfers(bulk_device(echo=True))
    transfers.submit(into())
    assert transfers.settle(0) == ()
    transfers.submit(out(b"ab"))

    assert transfers.settle(1) == (
        Completion(2, Outcome.DONE, b"", 2),
        Completion(1, Outcome.DONE, b"ab", 2),
    )


def test_bytes_come_in_packets() -> None:
    device = bulk_device(sends="00" * 100)
    device.tick(0)

    assert [device.take(0x81), device.take(0x81)] == [bytes(64), bytes(36)]
    assert device.take(0x81) is Handshake.NAK


@pytest.mark.parametrize(("cut", "sizes"), [((64, 0), [64, 0, 36]), ((0, 63), [0, 63, 0, 37])])
def test_bytes_come_in_packets_of_the_sizes_it_was_told(
    cut: tuple[int, ...], sizes: list[int]
) -> None:
    function = BulkFunction(ScriptedDevice(sends="00" * 100), cut=cut)

    assert [len(packet) for _, packet in function.tick(0)] == sizes


@pytest.mark.parametrize("cut", [(), (0,), (65,), (-1, 64)])
def test_packets_that_cannot_be_are_refused(cut: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="packets hold 0 to 64 bytes"):
        BulkFunction(ScriptedDevice(), cut=cut)


def test_a_script_answers_whole_requests_and_nothing_else() -> None:
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
        asked(device, "0201 0000 8100 0000")

    assert seen == [Handshake.STALL, Handshake.STALL, Handshake.NAK]


def test_a_device_that_hangs_answers_nothing_at_all() -> None:
    device = bulk_device(echo=True)
    device.hung = True

    assert asked(device, GET_STRING) is Handshake.NAK
    assert device.out(0x02, b"a", 0) is Handshake.NAK
    assert device.take(0x81) is Handshake.NAK


def test_a_transfer_taken_back_moves_nothing() -> None:
    transfers = Transfers(bulk_device())
    transfers.submit(into(7))

    assert transfers.take_back(7) == Completion(7, Outcome.TAKEN_BACK, b"", 0)
    assert transfers.take_back(7) is None


def test_unplugging_ends_all_that_is_under_way() -> None:
    transfers = Transfers(bulk_device())
    transfers.submit(into(1))
    transfers.submit(into(2))

    assert [(one.key, one.outcome) for one in transfers.unplug()] == [
        (1, Outcome.UNPLUGGED),
        (2, Outcome.UNPLUGGED),
    ]


def test_plugged_in_again_nothing_waits_and_nothing_is_halted() -> None:
    device = bulk_device(echo=True)
    device.out(0x02, b"old", 0)
    device.stall(0x02, 5)
    device.plugged(0)

    assert device.take(0x81) is Handshake.NAK
    assert device.out(0x02, b"new", 0) is Handshake.ACK


# --- orders ---------------------------------------------------------------------------------------


class NotedBus:
    """Notes what is plugged in and out."""

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


Obey = Callable[..., object]
READER = {"identity": {"vendor_id": 1, "product_id": 2, "serial_number": "S"}, "place": "1-2"}


@pytest.fixture
def bus() -> NotedBus:
    return NotedBus()


@pytest.fixture
def obey(bus: NotedBus) -> Obey:
    orders = Orders(bus)

    def give(order: str, **facts: object) -> object:
        answer = json.loads(orders.obey(json.dumps({"order": order, "name": "reader", **facts})))
        return answer["result"] if answer["event"] == "done" else answer["reason"]

    return give


def test_a_device_is_made_plugged_in_and_called(bus: NotedBus, obey: Obey) -> None:
    kind = {"kind": "bulk", "device": "hil.emulator.usb.functions:ScriptedDevice"}
    obey("plug", functions=[{**kind, "settings": {"echo": True}}], **READER)
    device = bus.plugged["reader at 1-2"]
    device.out(0x02, b"\x01\x02", 0)

    assert obey("call", method="all_heard") == ["0102"]
    assert device.take(0x81) == b"\x01\x02"


def test_a_device_plugged_in_again_is_the_same_one(bus: NotedBus, obey: Obey) -> None:
    obey("plug", functions=[{"kind": "bulk"}], **READER)
    device = bus.plugged["reader at 1-2"]
    obey("unplug")
    obey("plug")

    assert bus.plugged["reader at 1-2"] is device


def test_a_device_is_stalled_and_made_to_hang(bus: NotedBus, obey: Obey) -> None:
    obey("plug", functions=[{"kind": "bulk"}], **READER)
    device = bus.plugged["reader at 1-2"]
    obey("stall", endpoint=0x81)
    assert device.take(0x81) is Handshake.STALL
    obey("hang")
    assert device.take(0x81) is Handshake.NAK
    obey("resume")

    assert device.take(0x81) is Handshake.STALL


@pytest.mark.parametrize("kind", ["bulk", "serial"])
def test_a_device_that_cuts_its_packets_is_made(bus: NotedBus, obey: Obey, kind: str) -> None:
    obey("plug", functions=[{"kind": kind, "cut": [1, 0], "settings": {"echo": True}}], **READER)
    device = bus.plugged["reader at 1-2"]
    device.out(0x02, b"\x01\x02", 0)

    assert [device.take(0x81) for _ in range(3)] == [b"\x01", b"", b"\x02"]


def test_an_emulated_reader_is_made_of_its_settings_and_told_of_tags(
    bus: NotedBus, obey: Obey
) -> None:
    settings = {"way": "unacknowledged", "address": 7}
    kind = {"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader", "settings": settings}
    obey("plug", functions=[kind], **READER)
    obey(
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
    ("order", "facts", "said"),
    [
        ("unplug", {}, "no device is called 'reader'"),
        ("plug", {}, "no device is called 'reader'"),
        ("dance", {}, "no order is called 'dance'"),
        ("plug", {"functions": [{"kind": "modem"}], **READER}, "'modem'"),
        ("plug", {"functions": [{"kind": "bulk", "device": "hil:no_such"}], **READER}, "no_such"),
    ],
)
def test_an_order_that_cannot_be_obeyed_is_refused(
    obey: Obey, order: str, facts: dict[str, object], said: str
) -> None:
    assert said in str(obey(order, **facts))
