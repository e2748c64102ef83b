"""USB ports and hot-plug, on emulated devices in a process of its own.

The cases stand in usb_cases.py. They run once, in a pytest that has umockdev before the system's
libraries; here each of them is one test again.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.usb_port import UsbPort
from hil.usb_bed import PRELOADED

ROOT = Path(__file__).resolve().parents[3]
CASES = Path(__file__).with_name("usb_cases.py")
NAMES = tuple(
    node.name
    for node in ast.parse(CASES.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What went wrong with each case; empty: nothing."""
    report = tmp_path_factory.mktemp("usb") / "report.xml"
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST")
    }
    environment["LD_PRELOAD"] = PRELOADED
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(CASES)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.is_file(), done.stdout + done.stderr
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):
        name = case.get("name", "").partition("[")[0]
        wrong = "\n".join(part.text or part.tag for part in case)
        found[name] = found.get(name, "") + wrong
    return found


@pytest.mark.debian("umockdev", program="umockdev-run")
@pytest.mark.parametrize("name", NAMES)
def test_on_emulated_devices(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.get(name, "it did not run") == ""


def test_without_libusb_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.transport.usb_port.the_device", lambda *_args: None)
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)

    with pytest.raises(PortUnavailable, match=r"libusb-1\.0-0"):
        UsbPort("usb://0ab1:0002").open()
