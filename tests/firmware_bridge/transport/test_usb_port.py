"""USB ports and hot-plug on emulated devices in a process of its own.

The cases are in usb_cases.py. They run once, in a pytest that preloads umockdev; here each of them
is one test again.
"""

from pathlib import Path

import pytest
from in_words import raises_in_words

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.usb_port import UsbPort
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
