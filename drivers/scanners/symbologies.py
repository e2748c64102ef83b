"""Names of kinds of bar code, the same for all scanners.

Responsible for: from an AIM identifier (ISO/IEC 15424) or an SSI code type to a name, total.
Not responsible for: the maker's own numbers in a HID POS report, which differ between makers.
Source: package README, "Scanners"; firmware_bridge README, "Scanners".
"""

from types import MappingProxyType

# Letter and modifier where the modifier makes another kind of code of it.
_OF_AIM_WHOLE = MappingProxyType(
    {
        "]C1": "gs1-128",
        "]E4": "ean-8",
        "]d2": "gs1-data-matrix",
        "]Q3": "gs1-qr-code",
    }
)
_OF_AIM_LETTER = MappingProxyType(
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
_OF_SSI = MappingProxyType(
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


def named_by_aim(aim: str) -> str:
    """The name for an identifier as `]C0`; one that is not in the table is shown as it is."""
    return _OF_AIM_WHOLE.get(aim) or _OF_AIM_LETTER.get(aim[1:2]) or f"aim {aim}"


def named_by_ssi(code_type: int) -> str:
    """The name for a code type of SSI; one that is not in the table is shown as a number."""
    return _OF_SSI.get(code_type) or f"ssi {code_type:02X}"
