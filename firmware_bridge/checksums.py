"""Checksums of the wire protocols.

Source: firmware_bridge/angel_eye/README.md, "Framing"; firmware_bridge/feig/README.md, "Frames";
firmware_bridge/ssi/README.md; firmware_bridge/tablelink/README.md, "Wire".
"""

from functools import reduce
from operator import xor

from fastcrc import crc16, crc32

# Each value 0..255 as two ASCII hex digits, upper case.
HEX_DIGITS = tuple(f"{value:02X}".encode("ascii") for value in range(256))


def xor_of(data: bytes, initial: int = 0) -> int:
    """XOR of all bytes and `initial` (0..255); the block check character of many serial devices."""
    return reduce(xor, data, initial)


def crc_mcrf4xx(data: bytes) -> int:
    """CRC-16/MCRF4XX: x^16+x^12+x^5+1 reflected, from 0xFFFF, no final XOR."""
    return crc16.mcrf4xx(data)


def crc_32c(data: bytes) -> int:
    """CRC-32C (Castagnoli): reflected, from 0xFFFFFFFF, inverted at the end."""
    return crc32.iscsi(data)
