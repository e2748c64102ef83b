"""What the wire documents state that an acceptance compares: sections, times, usual line settings.

Source: the README.md of each protocol below firmware_bridge.
"""

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from drivers import framing
from drivers.catalogue import AnyModel
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.ssi.settings import SsiLinkSettings
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.transport.port import LineSettings, Parity

ON_THE_WIRE: Final = (
    LinkFaultKind.NOISE,
    LinkFaultKind.BAD_CHECKSUM,
    LinkFaultKind.NO_END,
    LinkFaultKind.TRUNCATED,
    LinkFaultKind.LENGTH,
)
_RATES: Final = (4800, 9600, 19_200, 38_400, 57_600, 115_200, 1_000_000)


class WireDocument(Struct, frozen=True):
    """One protocol's document. A section is a heading of its README.md.

    `sections`: where it speaks of what a fault of that kind departs from; `framing` and `other` for
    the kinds that are not named. `pause_ns_max`: within a frame; `copies_ns_max`: between a report
    and its last copy; each 0 where the document has none. `delimiter` may stand between frames.
    """

    title: str
    framing: str
    other: str
    sections: Mapping[LinkFaultKind, str] = MappingProxyType({})
    pause_ns_max: int = 0
    pause_section: str = ""
    copies_ns_max: int = 0
    delimiter: bytes = b""

    def section_of(self, kind: LinkFaultKind) -> str:
        """The section that a fault of this kind departs from, after the protocol's name."""
        named = self.sections.get(kind, self.framing if kind in ON_THE_WIRE else self.other)
        return self.named(named)

    def named(self, section: str) -> str:
        """A section with its protocol."""
        return f"{self.title}, {section}" if section else self.title


ANGEL_EYE: Final = WireDocument(
    title="Angel Eye II-EX",
    framing="Framing",
    other="Sequence",
    sections=MappingProxyType(
        {
            LinkFaultKind.MALFORMED: "Codes",
            LinkFaultKind.UNKNOWN_CODE: "Codes",
            LinkFaultKind.PAYLOAD_SETTING: "Codes",
            LinkFaultKind.UNEXPECTED_ANSWER: "Commands",
            LinkFaultKind.COMMAND_REFUSED: "Commands",
            LinkFaultKind.COMMAND_TIMEOUT: "Commands",
            LinkFaultKind.CHECKSUM_READING: "Commands",
        }
    ),
    pause_ns_max=AngelEyeLinkSettings().silence_ns_max,
    pause_section="Framing",
    copies_ns_max=AngelEyeLinkSettings().repeat_ns_max,
)
FEIG: Final = WireDocument(
    title="FEIG OBID",
    framing="Frames",
    other="Delivery",
    sections=MappingProxyType(
        {
            LinkFaultKind.MALFORMED: "Records",
            LinkFaultKind.UNKNOWN_CODE: "Commands and status",
            LinkFaultKind.DEVICE_STATUS: "Commands and status",
            LinkFaultKind.CONTINUITY_UNPROVEN: "Continuity",
            LinkFaultKind.CONFIGURATION: "Records",
        }
    ),
    pause_ns_max=FeigLinkSettings().gap_ns_max,
    pause_section="Frames",
)
TABLELINK: Final = WireDocument(
    title="TableLink/1",
    framing="Wire",
    other="Events (channel 1)",
    sections=MappingProxyType(
        {
            LinkFaultKind.UNEXPECTED_ANSWER: "Requests (channel 2)",
            LinkFaultKind.COMMAND_REFUSED: "Requests (channel 2)",
            LinkFaultKind.COMMAND_TIMEOUT: "Requests (channel 2)",
            LinkFaultKind.NO_ANSWER: "Opening",
        }
    ),
    pause_ns_max=TableLinkSettings(DeviceRole.SHOE).silence_ns_max,
    pause_section="Settings",
    delimiter=b"\0",
)
SSI: Final = WireDocument(
    title="Scanners",
    framing="SSI",
    other="SSI",
    pause_ns_max=SsiLinkSettings().silence_ns_max,
    pause_section="SSI",
)
HID_POS: Final = WireDocument(title="Scanners", framing="USB HID POS", other="USB HID POS")

DOCUMENTS: Final = (ANGEL_EYE, FEIG, TABLELINK, SSI, HID_POS)
_BY_FRAMING: Final = (
    (framing.ANGEL_EYE, ANGEL_EYE),
    (framing.FEIG, FEIG),
    (framing.TABLELINK, TABLELINK),
    (framing.SSI, SSI),
)


def document_of(model: AnyModel) -> WireDocument:
    """The document of a model's protocol; of a plug-in's own protocol only its name."""
    for one, document in _BY_FRAMING:
        if model.framing is one:
            return document
    if model.plug_in:
        return WireDocument(title=f"the document of {model.plug_in}", framing="", other="")
    return HID_POS


def usual_lines(stated: LineSettings) -> tuple[LineSettings, ...]:
    """Other line settings to try, the likeliest first: another parity, then another rate."""
    parities = (stated.parity, *(one for one in Parity if one is not stated.parity))
    same_rate = (LineSettings(stated.baud, one) for one in parities)
    other_rates = (
        LineSettings(rate, one) for one in parities for rate in _RATES if rate != stated.baud
    )
    return tuple(one for one in chain(same_rate, other_rates) if one != stated)


def line_text(line: LineSettings) -> str:
    """Line settings as people write them, such as 4800 8N1."""
    return f"{line.baud} 8{line.parity.value}1"
