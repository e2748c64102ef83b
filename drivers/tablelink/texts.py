"""What a device wrote, made harmless before anybody reads it.

Responsible for: the one form in which texts and identities of a TableLink device are told on.
Not responsible for: what they mean.
Source: package README, "TableLink devices".
"""

from typing import Final

TEXT_MAX: Final = 64
SENTENCE_MAX: Final = 300

_PRINTABLE = range(0x20, 0x7F)
_UNPRINTABLE_SHOWN: Final = "?"


def harmless(text: str, longest: int = TEXT_MAX) -> str:
    """Printable ASCII, bounded; what is anything else shows as a question mark."""
    return "".join(
        character if ord(character) in _PRINTABLE else _UNPRINTABLE_SHOWN
        for character in text[:longest]
    )


def identity(device: bytes) -> str:
    """The device's id in hex, as its pairing names it."""
    return device.hex()
