"""Names bar code symbologies from AIM identifiers (ISO/IEC 15424) and SSI code types.

The maker's own numbers in a HID POS report differ between makers and are not used.

Source: firmware_bridge README, "Scanners".
"""

from types import MappingProxyType

from foundation.recorded_text import Identifier

# Code letter and modifier, where the modifier selects another symbology.
_BY_AIM_IDENTIFIER = MappingProxyType(
    {
        "]C1": "gs1-128",
        "]E4": "ean-8",
        "]d2": "gs1-data-matrix",
        "]Q3": "gs1-qr-code",
    }
)
_BY_AIM_LETTER = MappingProxyType(
    {
        "A": "code-39",
        "B": "telepen",
        "C": "code-128",
        "D": "code-one",
        "E": "ean-upc",
        "F": "codabar",
        "G": "code-93",
        "H": "code-11",
        "I": "interleaved-2-of-5",
        "K": "code-16k",
        "L": "pdf417",
        "M": "msi",
        "N": "anker",
        "O": "codablock",
        "P": "plessey",
        "Q": "qr-code",
        "R": "straight-2-of-5",
        "S": "straight-2-of-5",
        "U": "maxicode",
        "d": "data-matrix",
        "e": "gs1-databar",
        "h": "han-xin",
        "z": "aztec",
    }
)
_BY_SSI_TYPE = MappingProxyType(
    {
        0x01: "code-39",
        0x02: "codabar",
        0x03: "code-128",
        0x04: "straight-2-of-5",
        0x06: "interleaved-2-of-5",
        0x07: "code-93",
        0x08: "upc-a",
        0x09: "upc-e",
        0x0A: "ean-8",
        0x0B: "ean-13",
        0x0C: "code-11",
        0x0E: "msi",
        0x0F: "gs1-128",
        0x11: "pdf417",
        0x1A: "micro-pdf417",
        0x1B: "data-matrix",
        0x1C: "qr-code",
        0x25: "maxicode",
        0x2C: "micro-qr-code",
        0x2D: "aztec",
        0x30: "gs1-databar",
        0xB7: "han-xin",
    }
)


def aim_symbology(aim: str) -> Identifier:
    """Name the symbology of an AIM identifier such as `]C0`; an unknown one is shown as it is."""
    return _BY_AIM_IDENTIFIER.get(aim) or _BY_AIM_LETTER.get(aim[1:2]) or f"aim-{aim}"


def ssi_symbology(code_type: int) -> Identifier:
    """Name the symbology of an SSI code type; an unknown one is shown as a number."""
    return _BY_SSI_TYPE.get(code_type) or f"ssi-{code_type:02X}"
