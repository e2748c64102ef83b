"""RFC 2217 at ser2net, a serial server of Debian that leaves SET-CONTROL unanswered."""

import os
import pty
import socket
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.serial_port import SerialPort

REPORT = b"\x05\x30S\x03\x36\x30"


class Known:
    """What a table remembers of serial servers."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def knows(self, url: str) -> bool:
        return url in self.urls

    def add(self, url: str) -> None:
        self.urls.append(url)


@pytest.fixture(name="line")
def line_fixture(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A shoe's end of a serial line, and the URL at which ser2net serves the other."""
    shoe, served = pty.openpty()
    tty.setraw(shoe)
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
    settings = tmp_path / "ser2net.yaml"
    settings.write_text(
        "connection: &shoe\n"
        f"  accepter: telnet(rfc2217),tcp,127.0.0.1,{number}\n"
        f"  connector: serialdev,{os.ttyname(served)},4800n81,local\n"
        "  options:\n    kickolduser: true\n",
        encoding="utf-8",
    )
    with subprocess.Popen(["ser2net", "-n", "-c", settings]) as server:
        yield shoe, f"rfc2217://127.0.0.1:{number}"
        server.terminate()
    os.close(shoe)
    os.close(served)


def opened(port: SerialPort) -> None:
    """Open a port, as the pump does: again and again until the server is there."""
    while True:
        try:
            port.open()
        except PortUnavailable:
            continue
        return


@pytest.mark.full
@pytest.mark.needs("ser2net")
@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
def test_a_shoe_behind_ser2net_is_read_as_documented(line: tuple[int, str]) -> None:
    shoe, url = line
    known = Known()
    for _start in range(2):
        port = SerialPort(url, 4800, silent=known)
        for _opening in range(2):
            opened(port)
            os.write(shoe, REPORT)
            received = b""
            while len(received) < len(REPORT):
                received += port.read()
            port.close()
            assert received == REPORT

    assert known.urls == [url]
