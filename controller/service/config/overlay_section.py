"""The section of table.toml for video recorders that show text lines over a camera's picture."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from controller.service.config.sections import Section
from controller.service.config.table_config import OverlaySettings
from controller.system.line_output import Address, LineOutputSettings

_ADDRESS: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})")
_RECORDERS_MAX: Final = 8
_PORT_MAX: Final = 65535


def _parse_address(text: str) -> Address:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[3]) > _PORT_MAX:
        raise ValueError(
            f'{text!r} is not an address and a port. Remedy: write it as "127.0.0.1:7001"'
        )
    return found[1] or found[2], int(found[3])


def _listening(text: str) -> str:
    host, _ = _parse_address(text)
    try:
        everywhere = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if everywhere:
        raise ValueError(
            f"{text!r} is every address of this machine. Allowed: 127.0.0.1, or the one address"
            " at which the recorder is. Remedy: name that address"
        )
    return text


def _called(text: str) -> str:
    if _parse_address(text)[1] == 0:
        raise ValueError(f"{text!r} has no port. Remedy: name the port at which it listens")
    return text


class OverlaySection(Section):
    listen: Annotated[str, AfterValidator(_listening)] | None = None
    connect: Annotated[
        list[Annotated[str, AfterValidator(_called)]], Field(max_length=_RECORDERS_MAX)
    ] = Field(default_factory=list)
    width: Annotated[int, Field(ge=20, le=200)] = 64
    encoding: Literal["ascii", "latin-1"] = "ascii"
    line_end: Literal["crlf", "lf"] = "crlf"

    @model_validator(mode="after")
    def _check_peers(self) -> Self:
        if self.listen is None and not self.connect:
            raise ValueError(
                "it names no recorder. Allowed: listen, connect, or both. Remedy: write"
                ' listen = "127.0.0.1:7001", or remove the section'
            )
        return self

    def settings(self) -> OverlaySettings:
        listen = _parse_address(self.listen) if self.listen is not None else None
        output = LineOutputSettings(listen, tuple(map(_parse_address, self.connect)))
        return OverlaySettings(output, self.width, self.encoding, self.line_end == "crlf")


def overlay_settings(sections: Mapping[str, Section]) -> OverlaySettings | None:
    """What [overlay] says; None without it."""
    overlay = sections.get("overlay")
    return overlay.settings() if isinstance(overlay, OverlaySection) else None
