"""USB ports and hot-plug, on emulated devices in a process of its own.

The cases stand in usb_cases.py. They run once, in a pytest that has umockdev before the system's
libraries; here each of them is one test again.
"""

from pathlib import Path

import pytest

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.usb_port import UsbPort
from hil.usb.cases import names_of, outcomes_of

CASES = Path(__file__).with_name("usb_cases.py")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What went wrong with each case; empty: nothing."""
    return outcomes_of(CASES, tmp_path_factory.mktemp("usb") / "report.xml")


@pytest.mark.debian("umockdev", program="umockdev-run")
@pytest.mark.parametrize("name", names_of(CASES))
def test_on_emulated_devices(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.get(name, "it did not run") == ""


def test_without_libusb_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.transport.usb_port.the_device", lambda *_args: None)
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)

    with pytest.raises(PortUnavailable, match=r"libusb-1\.0-0"):
        UsbPort("usb://0ab1:0002").open()


def test_libusb_is_loaded_where_a_port_is_made_and_not_by_threads_that_open_ports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: asked.append("libusb"))

    UsbPort("usb://0ab1:0002")

    assert asked == ["libusb"]
