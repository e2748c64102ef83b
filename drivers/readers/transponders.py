"""Names transponder kinds by FEIG's numbers, and says which kinds the cards carry.

Source: firmware_bridge README, "FEIG OBID".
"""

from types import MappingProxyType

from foundation.recorded_text import ForeignText

# ISO 15693 and ISO 18000-3 mode 3.
CARD_KINDS = (0x03, 0x09)

_NAMES = MappingProxyType(
    {
        0x00: "I-Code 1",
        0x01: "Tag-it",
        0x03: "ISO 15693",
        0x04: "ISO 14443 A",
        0x05: "ISO 14443 B",
        0x06: "I-Code EPC",
        0x07: "I-Code UID",
        0x09: "ISO 18000-3 mode 3",
        0x80: "ISO 18000-6 A",
        0x81: "ISO 18000-6 B",
        0x83: "EM4222",
        0x84: "EPC class 1 gen 2",
    }
)


def kind_name(kind: int) -> ForeignText:
    """The kind's name, with its number in hex."""
    return f"{_NAMES.get(kind, 'unknown')} ({kind:02X})"
