"""Makes texts and ids written by a TableLink device safe to print.

Source: drivers/README.md, "TableLink devices".
"""

from typing import Final

TEXT_MAX: Final = 64
SENTENCE_MAX: Final = 300

_PRINTABLE = range(0x20, 0x7F)
_REPLACEMENT: Final = "?"


def printable_text(text: str, longest: int = TEXT_MAX) -> str:
    """Printable ASCII, at most `longest` characters; others are replaced by a question mark."""
    if text.isascii() and text.isprintable():
        return text[:longest]
    return "".join(
        character if ord(character) in _PRINTABLE else _REPLACEMENT for character in text[:longest]
    )


def device_id(device: bytes) -> str:
    """The device's id in hex, as in its pairing."""
    return device.hex()
