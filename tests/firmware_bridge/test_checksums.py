"""Checksums of the wire against published check values.

Source: firmware_bridge/feig/README.md, frames; catalogue entry CRC-16/MCRF4XX.
"""

from firmware_bridge.checksums import crc_mcrf4xx, xor_of


def test_the_check_value_of_the_catalogue() -> None:
    assert crc_mcrf4xx(b"123456789") == 0x6F91


def test_no_bytes_give_the_initial_value() -> None:
    assert crc_mcrf4xx(b"") == 0xFFFF


def test_an_exclusive_or_of_all_bytes() -> None:
    assert xor_of(b"\x05\x03", 0x10) == 0x16
