"""Whether an address answers to a connection, and with a certificate that is taken.

Nothing is sent but what a connection needs.
"""

import ipaddress
import socket

from controller.system.tls import TlsContext, verify_error

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def why_unreachable(host: str, port: int, wait_s: float = 2.0) -> str:
    """Why nobody answers at this address, in the system's words; empty if somebody does."""
    try:
        with socket.create_connection((host, port), timeout=wait_s):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def why_not_trusted(host: str, port: int, context: TlsContext, wait_s: float = 2.0) -> str:
    """Why the certificate there is refused, in OpenSSL's words; empty if it is taken.

    Raises OSError for anything else that keeps the two from speaking.
    """
    try:
        with (
            socket.create_connection((host, port), timeout=wait_s) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return ""
    except OSError as error:
        words = verify_error(error)
        if not words:
            raise
        return words


def addresses_of(host: str) -> tuple[Address, ...]:
    """The addresses that this machine knows for a host; none for a name that it does not know."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found)
