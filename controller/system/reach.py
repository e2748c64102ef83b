"""Whether an address answers to a connection; nothing is sent.

Source: controller/install/README.md, "Doctor".
"""

import socket


def why_unreachable(host: str, port: int, wait_s: float = 2.0) -> str:
    """Why nobody answers at this address, in the system's words; empty if somebody does."""
    try:
        with socket.create_connection((host, port), timeout=wait_s):
            return ""
    except OSError as error:
        return error.strerror or str(error)
