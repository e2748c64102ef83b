"""USB ports and hot-plug on emulated devices in a process of its own.

The cases are in usb_cases.py. They run once, in a pytest that preloads umockdev; here each of them
is one test again.
"""

import errno
from pathlib import Path

import pytest
import usb.core
from in_words import raises_in_words

from firmware_bridge.transport.port import PortGone, PortUnavailable
from firmware_bridge.transport.usb_port import UsbPort, _Endpoint, _Opened
from hil.usb.cases import case_names, run_cases

CASES = Path(__file__).with_name("usb_cases.py")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The failure text of each case, empty if it passed."""
    return run_cases(CASES, tmp_path_factory.mktemp("usb") / "report.xml")


@pytest.mark.needs("umockdev")
@pytest.mark.parametrize("name", case_names(CASES))
def test_on_emulated_devices(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.get(name, "it did not run") == ""


def test_without_libusb_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.transport.usb_port.find_device", lambda *_args: None)
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)

    with raises_in_words(PortUnavailable, r"libusb-1\.0-0"):
        UsbPort("usb://0ab1:0002").open()


def test_libusb_is_loaded_by_the_thread_that_creates_the_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads: list[str] = []
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: loads.append("libusb"))

    UsbPort("usb://0ab1:0002")

    assert loads == ["libusb"]


class StallingDevice:
    """In place of the library's device: `outcomes` are those of its next transfers, in order."""

    def __init__(self, *outcomes: str) -> None:
        self.outcomes = list(outcomes)
        self.cleared: list[int] = []

    def read(self, _address: int, _length: int, _timeout_ms: int) -> bytes:
        self._transfer()
        return b"answer"

    def write(self, _address: int, data: bytes, _timeout_ms: int) -> int:
        self._transfer()
        return len(data)

    def clear_halt(self, address: int) -> None:
        self.cleared.append(address)

    def _transfer(self) -> None:
        if self.outcomes.pop(0) == "stall":
            raise usb.core.USBError("Pipe error", -9, errno.EPIPE)


def port_over(device: StallingDevice) -> UsbPort:
    port = UsbPort("usb://0ab1:0002")
    port._opened = _Opened(device, 0, _Endpoint(0x81, 64), _Endpoint(0x02, 64), None)
    return port


def test_a_second_stall_weeks_after_the_first_one_is_cleared_as_well() -> None:
    """A transfer that succeeds in between takes the mark of the first one back."""
    device = StallingDevice("stall", "data", "stall", "data")
    port = port_over(device)

    assert [port.read() for _ in range(4)] == [b"", b"answer", b"", b"answer"]
    assert device.cleared == [0x81, 0x81]

    device.outcomes = ["stall", "data", "stall", "data"]
    port.write(b"one")
    port.write(b"two")
    assert device.cleared[2:] == [0x02, 0x02]


def test_a_second_stall_in_a_row_is_a_lost_port() -> None:
    port = port_over(StallingDevice("stall", "stall"))
    assert port.read() == b""
    with pytest.raises(PortGone):
        port.read()
