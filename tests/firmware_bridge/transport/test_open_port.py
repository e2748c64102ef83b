"""A port that is only listened to.

Source: firmware_bridge/transport/README.md, "Ports".
"""

import os
import tty

from firmware_bridge.transport.open_port import ListeningPort
from firmware_bridge.transport.serial_port import SerialPort


def test_bytes_come_in_and_none_go_out() -> None:
    device, host = os.openpty()
    tty.setraw(host)
    os.set_blocking(device, False)
    port = ListeningPort(SerialPort(os.ttyname(host), 4800, "N", None))
    port.open()
    try:
        port.write(b"\x05L1")
        os.write(device, b"card")
        assert port.read() == b"card"
        try:
            left = os.read(device, 16)
        except BlockingIOError:
            left = b""
    finally:
        port.close()
        os.close(device)
        os.close(host)
    assert left == b""
