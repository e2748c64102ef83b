"""Settings of a link to a scanner that speaks Zebra's Simple Serial Interface.

Source: firmware_bridge/ssi/README.md.
"""

from msgspec import Struct


class SsiLinkSettings(Struct, frozen=True):
    """Times in nanoseconds.

    `answer_ns_max` and `resends_max` are the scanner's own defaults for serial response timeout
    and resends. `wake_ns` is the pause after the byte that wakes a sleeping scanner.
    `silence_ns_max` ends an incomplete packet. `part_ns_max`: a part may be resent twice before
    the next one comes. `repeat_window_ns`: a resent packet is recognised for this long.
    `set_up_again_ns`: a scanner that is silent or uses another format is set up again after this.
    """

    answer_ns_max: int = 2_000_000_000
    resends_max: int = 2
    wake_ns: int = 50_000_000
    silence_ns_max: int = 100_000_000
    part_ns_max: int = 7_000_000_000
    repeat_window_ns: int = 10_000_000_000
    set_up_again_ns: int = 10_000_000_000
    text_bytes_max: int = 4096

    def __post_init__(self) -> None:
        assert self.answer_ns_max > 0
        assert self.wake_ns > 0
        assert self.silence_ns_max > 0
        assert self.part_ns_max > 0
        assert self.set_up_again_ns > 0
        assert self.text_bytes_max > 0
