"""Settings of a link to a scanner that speaks Zebra's Simple Serial Interface.

Responsible for: the numbers, each with the reason for its default.
Not responsible for: reading them from a file.
Source: package README, "Scanners", SSI.
"""

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class SsiLinkSettings:
    """Times in nanoseconds.

    `answer_ns_max` is the scanner's own default for its serial response time-out, and so is the
    count of resends. `wake_ns` is the pause after the byte that wakes a sleeping scanner.
    `silence_ns_max` ends a packet whose rest does not come. `part_ns_max`: a part may be resent
    twice before the next one comes. `repeat_window_ns`: for so long a resent packet is known.
    `set_up_again_ns`: how soon a scanner that is silent, or talks another format, is set up again.
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
