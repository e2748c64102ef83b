"""Settings of a link to a USB HID POS scanner.

Source: firmware_bridge/hid_pos/README.md.
"""

from msgspec import Struct


class HidPosLinkSettings(Struct, frozen=True):
    """Times in nanoseconds.

    `pos_mode`: request POS mode when the port is opened, which Honeywell's scanners need and others
    may refuse. `continue_ns_max`: the reports of one scan follow each other within milliseconds,
    two scans do not. `text_bytes_max`: of one scan, over all its reports.
    """

    pos_mode: bool = True
    continue_ns_max: int = 250_000_000
    text_bytes_max: int = 1024

    def __post_init__(self) -> None:
        assert self.continue_ns_max > 0
        assert self.text_bytes_max > 0
