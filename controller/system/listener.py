"""A TCP socket that listens on one address and port, for servers that accept by themselves.

Source: RFC 9293 (TCP).
"""

import socket
from typing import TypeAlias

Listener: TypeAlias = socket.socket


def tcp_listener(address: str, port: int) -> Listener:
    """Listen there; port 0 takes any free one. Raises OSError if it is not available."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def port_of(listener: Listener) -> int:
    """The port it listens on."""
    return int(listener.getsockname()[1])


def address_of(connection: Listener) -> str:
    """The address of the other end. Raises OSError where it has ended by now."""
    return str(connection.getpeername()[0])


def wake(connection: Listener) -> None:
    """End it for whoever waits at it; the owner still closes it. Raises OSError."""
    connection.shutdown(socket.SHUT_RDWR)
