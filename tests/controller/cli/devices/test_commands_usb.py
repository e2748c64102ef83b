"""`smartshoe devices` and its monitor on emulated USB devices, through real pyusb and libusb."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.system.command_line.errors import ExitCode
from hil.usb.bed import READER, SCANNER, UsbTestBed

pytestmark = pytest.mark.needs("umockdev")

Smartshoe = Callable[..., subprocess.Popen[str]]
KEYBOARD = {"vendor_id": 0x046D, "product_id": 0xC31C, "product": "Keyboard", "serial_number": ""}
PORT = "usb://0ab1:0002/SN-1"
CONFIG = f"""\
[table]
name = "M7"
[shoe]
port = "{PORT}"
model = "feig-rfid"
[usb]
allow = ["0ab1:0002:SN-1"]
"""


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbTestBed]:
    """A reader, a scanner and a keyboard."""
    reader = {"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader", "settings": {}}
    with UsbTestBed() as served:
        served.plug("reader", {**READER, "serial_number": "SN-1"}, [reader])
        served.plug("scanner", {**SCANNER, "serial_number": "S1"}, [{"kind": "hid_pos"}], "1-2")
        served.plug("keyboard", KEYBOARD, [{"kind": "keyboard"}], "1-3")
        yield served


@pytest.fixture
def config(fast_dir: Path) -> str:
    file = fast_dir / "table.toml"
    file.write_text(CONFIG)
    return str(file)


@pytest.fixture
def smartshoe(bed: UsbTestBed) -> Smartshoe:
    """The program, which sees these devices and no other."""

    def run(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "controller.cli.main", *words],
            env={**os.environ, **bed.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return run


def test_each_device_is_listed_with_its_url_and_whether_it_may_be_opened(
    smartshoe: Smartshoe, config: str
) -> None:
    out, _ = smartshoe("devices", "--config", config, "--json").communicate()

    shown = json.loads(out)
    assert [(one["url"], one["product"], one["may_be_opened"]) for one in shown["usb"]] == [
        (PORT, "OBID RFID-Reader", True),
        ("usbhid://0c2e:0b81/S1", "bar code scanner", False),
        ("", "Keyboard", False),
    ]
    assert [(one["part"], one["standing"]) for one in shown["table"]] == [("shoe", "there, at 1-1")]


def test_the_monitor_shows_a_reader_with_masked_tags(
    bed: UsbTestBed, smartshoe: Smartshoe, config: str
) -> None:
    watching = smartshoe("devices", "monitor", PORT, "--config", config, "--seconds", "5")
    assert watching.stdout is not None
    assert "stage=opened" in watching.stdout.readline()
    bed.call("reader", "tag_read", identity="E0040150A05F02B7", kind=3, antenna=1)
    lines = []
    while not lines or "event  card" not in lines[-1]:
        lines.append(watching.stdout.readline())
        assert lines[-1], "it ended without a card"
    watching.terminate()
    watching.communicate()

    assert lines[-1].endswith("event  card ??\n")
    assert not any(part in "".join(lines) for part in ("E0 04", "A0 5F", "02 B7"))


def test_the_monitor_does_not_open_a_keyboard(bed: UsbTestBed, smartshoe: Smartshoe) -> None:
    words = ("devices", "monitor", "usb://046d:c31c", "--model", "hid-pos", "--seconds", "1")
    before = bed.counts("keyboard")["opened"]
    refused = smartshoe(*words)
    _, err = refused.communicate()

    assert refused.returncode == ExitCode.UNUSABLE
    assert "no keyboard is allowed at a table" in err
    assert bed.counts("keyboard")["opened"] == before
