"""Tests USB/IP headers between an emulated device and the kernel, byte for byte."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.emulator.usb import vhci_bus
from hil.emulator.usb.descriptors import UsbIdentity
from hil.emulator.usb.device import UsbDevice
from hil.emulator.usb.functions import BulkFunction, ScriptedDevice
from hil.emulator.usb.orders import OrderRefused
from hil.emulator.usb.vhci_bus import VhciBus

# Command 1, number 7, device 0, to the host (1), endpoint 0; flags, 8 bytes, GET_DESCRIPTOR.
ASK_DEVICE = bytes.fromhex(
    "00000001 00000007 00000000 00000001 00000000"
    "00000200 00000008 00000000 00000000 00000000 8006000100000800"
)
READ = bytes.fromhex(
    "00000001 00000008 00000000 00000001 00000001"
    "00000200 00000040 00000000 00000000 00000000 0000000000000000"
)
WRITE_AB = bytes.fromhex(
    "00000001 00000009 00000000 00000000 00000002"
    "00000000 00000002 00000000 00000000 00000000 0000000000000000 6162"
)
TAKE_BACK_READ = bytes.fromhex("00000002 0000000A 00000000 00000001 00000001 00000008" + "00" * 24)


@pytest.fixture
def bus() -> VhciBus:
    return VhciBus()


@pytest.fixture
def kernel(
    bus: VhciBus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[socket.socket]:
    """The kernel's end of a device in the second port."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    monkeypatch.setattr(vhci_bus, "CONTROLLER", tmp_path)
    monkeypatch.setattr(socket, "socketpair", lambda *_: (ours, theirs.dup()))
    device = UsbDevice(UsbIdentity(1, 2, "S"), [BulkFunction(ScriptedDevice(echo=True))])
    bus.plug("reader", "1-2", device, held=False)
    with theirs:
        yield theirs
    for name in tuple(bus.connections.values()):
        bus.unplug(name)


def given(bus: VhciBus, kernel: socket.socket, request: bytes) -> None:
    kernel.sendall(request)
    bus.take("reader")


def test_a_device_is_attached_to_its_port_at_full_speed(
    kernel: socket.socket, tmp_path: Path
) -> None:
    port, _descriptor, number, speed = (tmp_path / "attach").read_text().split()

    assert (port, number, speed) == ("1", "2", "2")


def test_a_control_request_is_answered_with_data(bus: VhciBus, kernel: socket.socket) -> None:
    given(bus, kernel, ASK_DEVICE)

    assert kernel.recv(100) == bytes.fromhex(
        "00000003 00000007 00000000 00000000 00000000"
        "00000000 00000008 00000000 00000000 00000000 0000000000000000"
        "1201000200000040"
    )


def test_a_fragmented_request_is_joined(bus: VhciBus, kernel: socket.socket) -> None:
    for byte in ASK_DEVICE:
        given(bus, kernel, bytes([byte]))

    assert kernel.recv(100)[48:] == bytes.fromhex("1201000200000040")


def test_a_read_is_answered_when_data_is_ready(bus: VhciBus, kernel: socket.socket) -> None:
    given(bus, kernel, READ + WRITE_AB)

    written, read = kernel.recv(48), kernel.recv(100)

    assert written[:8] == bytes.fromhex("00000003 00000009")
    assert written[20:28] == bytes.fromhex("00000000 00000002")
    assert read[:8] == bytes.fromhex("00000003 00000008")
    assert read[48:] == b"ab"


def test_a_cancelled_read_is_confirmed_once(bus: VhciBus, kernel: socket.socket) -> None:
    given(bus, kernel, READ + TAKE_BACK_READ + TAKE_BACK_READ)

    first, second = kernel.recv(48), kernel.recv(48)

    assert first[:24] == bytes.fromhex("00000004 0000000A 00000000 00000000 00000000 FFFFFF98")
    assert second[20:24] == bytes(4)  # it was over already


def test_a_stall_is_reported_as_a_broken_pipe(bus: VhciBus, kernel: socket.socket) -> None:
    given(bus, kernel, ASK_DEVICE[:40] + bytes.fromhex("C001000000000800"))

    assert kernel.recv(100)[20:24] == bytes.fromhex("FFFFFFE0")


def test_unplugging_hangs_up(bus: VhciBus, kernel: socket.socket) -> None:
    bus.unplug("reader")

    assert kernel.recv(1) == b""
    assert bus.connections == {}


def test_a_device_the_kernel_releases_is_unplugged(bus: VhciBus, kernel: socket.socket) -> None:
    kernel.shutdown(socket.SHUT_RDWR)
    bus.take("reader")

    assert bus.connections == {}


def test_hold_is_refused_on_a_real_usb_stack(bus: VhciBus, kernel: socket.socket) -> None:
    with pytest.raises(OrderRefused, match="only a program can hold a device"):
        bus.hold("reader", held=True)
