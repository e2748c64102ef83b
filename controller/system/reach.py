"""Whether an address answers to a connection; nothing is sent.

Source: controller/install/README.md, "Doctor".
"""

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def why_unreachable(host: str, port: int, wait_s: float = 2.0) -> str:
    """Why nobody answers at this address, in the system's words; empty if somebody does."""
    try:
        with socket.create_connection((host, port), timeout=wait_s):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def addresses_of(host: str) -> tuple[Address, ...]:
    """The addresses that this machine knows for a host; none for a name that it does not know."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found)
