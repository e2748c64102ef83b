"""Settings of a FEIG link: buffer layout, delivery and deadlines.

Source: firmware_bridge/feig/README.md, settings.
"""

from enum import StrEnum

from msgspec import Struct


class Delivery(StrEnum):
    """The reader sends records unsolicited, or its buffer is polled."""

    NOTIFY = "notify"
    POLL = "poll"


class FeigLinkSettings(Struct, frozen=True):
    """`layout` names a row of layouts.LAYOUTS. Times in nanoseconds.

    With polling, the buffer is read every `poll_closely_ns` while cards are being drawn, otherwise
    every `poll_idly_ns`. A request unanswered for `answer_ns_max` is lost (the reader does not
    answer broken frames); an inventory may take `inventory_ns_max`. `keep_alive_ns_max` 0: no
    keep-alive is expected. Half a frame is dropped after `gap_ns_max` of silence. The reader's
    timer is requested every `timer_ask_ns`; over more than `timer_gap_ns_max` it proves nothing.
    """

    layout: str = "isc.mr102"
    delivery: Delivery = Delivery.NOTIFY
    poll_closely_ns: int = 20_000_000
    poll_idly_ns: int = 1_000_000_000
    answer_ns_max: int = 500_000_000
    keep_alive_ns_max: int = 0
    inventory_ns_max: int = 3_000_000_000
    gap_ns_max: int = 300_000_000
    timer_ask_ns: int = 30_000_000_000
    timer_gap_ns_max: int = 3_600_000_000_000
    requests_waiting_max: int = 64

    def __post_init__(self) -> None:
        assert self.poll_closely_ns > 0
        assert self.poll_idly_ns > 0
        assert self.answer_ns_max > 0
        assert self.keep_alive_ns_max >= 0
        assert self.inventory_ns_max > 0
        assert self.gap_ns_max > 0
        assert self.timer_ask_ns > 0
        assert self.requests_waiting_max > 0
