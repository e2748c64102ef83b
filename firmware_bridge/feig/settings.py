"""What may differ from one FEIG reader to the next: layout of its buffer, delivery, deadlines.

Responsible for: the settings of a link to such a reader as one value.
Not responsible for: the layouts themselves (layouts) and for reading a configuration.
Source: package README, "FEIG OBID", settings.
"""

from enum import StrEnum

from firmware_bridge.values import dataclass


class Delivery(StrEnum):
    """How records come: the reader sends them unasked, or its buffer is asked for them."""

    NOTIFY = "notify"
    POLL = "poll"


@dataclass(frozen=True, slots=True)
class FeigLinkSettings:
    """`layout` names a row of layouts.LAYOUTS. Times in nanoseconds.

    Polled, the buffer is asked every `poll_closely_ns` while cards are being drawn, else every
    `poll_idly_ns`. A request unanswered for `answer_ns_max` is lost: the reader answers no broken
    frame; listing the tags in the field may take `inventory_ns_max`. `keep_alive_ns_max` 0: the
    reader sends none, or none is expected. Half a frame is given up after `gap_ns_max` of silence.
    The reader's timer is asked every `timer_ask_ns`; over a longer time than `timer_gap_ns_max`
    it proves nothing.
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
