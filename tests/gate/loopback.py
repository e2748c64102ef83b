"""Raises the loopback of a new network namespace, which is down (netdevice(7), SIOCSIFFLAGS)."""

import fcntl
import socket
import struct


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anything:
        fcntl.ioctl(anything, 0x8914, struct.pack("16sh14x", b"lo", 0x1))
