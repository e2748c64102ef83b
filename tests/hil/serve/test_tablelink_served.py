"""TableLink devices on real lines: a pty and TCP under pyserial, a USB plug under libusb.

The other end is the program's own link behind the program's own ports.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.usb.bed import UsbTestBed

PLUG = {
    "vendor_id": 0x1209,
    "product_id": 0x5EED,
    "serial_number": "TL-1",
    "product": "shuffler",
}
# The program's end, in a process of its own: it prints the kinds of the first events it received.
PROGRAM = """
import json, os, sys
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.tablelink.items import TableLinkEvent
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings

url, wanted, pins = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
pin = Pin(bytes.fromhex(pins["device"]), bytes.fromhex(pins["key"]), "1", 1)
image = ApprovedImage(bytes.fromhex(pins["image"]), pins["version"], pins["security_counter"])
link = TableLink(TableLinkSettings(DeviceRole.SHUFFLER, Trust(pin, (image,))))
port = open_port(url, LineSettings(115200))
port.open()
state, output = link.opened(link.initial(), now(), os.urandom(32))
kinds = []
while True:
    for data in (*output.at_once, *output.to_write):
        port.write(data)
    kinds += [type(one.body).__name__ for one in output.items if isinstance(one, TableLinkEvent)]
    if len(kinds) >= wanted:
        break
    data = port.read()
    state, output = link.receive(state, data, now()) if data else link.tick(state, now())
for data in output.to_write:
    port.write(data)
port.close()
print(json.dumps(kinds))
"""
EXPECTED = ["PowerUp", "CompartmentReport", "CompartmentReport", "BatchStarted"]


def pins_of(device: Shuffler) -> str:
    pins = device.pins
    return json.dumps(asdict(pins))


def received_kinds(
    url: str, device: Shuffler, environment: dict[str, str] | None = None
) -> list[str]:
    """The kinds of the first events that the program receives."""
    command = [sys.executable, "-c", PROGRAM, url, str(len(EXPECTED)), pins_of(device)]
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kinds: list[str] = json.loads(done.stdout)
    return kinds[: len(EXPECTED)]


def begin(server: LineServer[Shuffler]) -> None:
    server.perform(lambda one: one.put_in_back("red", 52))
    for button in ("load", "count", "shuffle"):
        server.perform(lambda one, button=button: one.press(button))  # type: ignore[misc]


def test_over_a_pty(fast_dir: Path) -> None:
    with PtyServer(Shuffler(), link=fast_dir / "shuffler") as server:
        begin(server)

        assert received_kinds(server.path, server.emulator) == EXPECTED


def test_over_tcp() -> None:
    with TcpServer(Shuffler()) as server:
        begin(server)

        assert received_kinds(server.url, server.emulator) == EXPECTED


def test_the_device_frees_what_the_program_stored() -> None:
    with TcpServer(Shuffler()) as server:
        begin(server)
        received_kinds(server.url, server.emulator)

        assert server.wait_for(lambda one: one.memory.first_number > len(EXPECTED))


@pytest.mark.needs("umockdev")
def test_over_usb() -> None:
    with TcpServer(Shuffler(ShufflerSettings(chained=True))) as server, UsbTestBed() as bed:
        begin(server)
        relayed = {"kind": "bulk", "device": "hil.emulator.usb.relay:RelayedDevice"}
        bed.plug("shuffler", PLUG, [{**relayed, "settings": {"port": server.port}}])

        assert received_kinds("usb://1209:5eed/TL-1", server.emulator, bed.environment) == EXPECTED


@pytest.mark.needs("umockdev")
def test_a_separate_usb_device_is_operated_by_name() -> None:
    """Debian's Python serves it; one without a key needs no library there."""
    with UsbTestBed() as bed:
        function = {"kind": "bulk", "device": "hil.emulator.tablelink.shuffler:Shuffler"}
        bed.plug("shuffler", PLUG, [{**function, "settings": {"bare": True}}])
        bed.call("shuffler", "put_in_back", back="red", count=52)
        for button in ("load", "count", "shuffle", "store", "release"):
            bed.call("shuffler", "press", button=button)
            bed.call("shuffler", "tick")

        assert bed.call("shuffler", "take_away") == 52
