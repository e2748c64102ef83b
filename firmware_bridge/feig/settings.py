"""What may differ from one FEIG reader to the next: layout of its buffer, delivery, deadlines.

Responsible for: the settings of a link to such a reader as one value.
Not responsible for: the layouts themselves (layouts) and for reading a configuration.
Source: package README, "FEIG OBID".
"""

from dataclasses import dataclass
from enum import StrEnum


class Delivery(StrEnum):
    """How records come: the reader sends them unasked, or its buffer is asked for them."""

    NOTIFY = "notify"
    POLL = "poll"


@dataclass(frozen=True, slots=True)
class FeigLinkSettings:
    """`layout` names a row of layouts.LAYOUTS. Times in nanoseconds.

    Polled, the buffer is asked every `poll_closely_ns` while cards are being drawn, else every
    `poll_idly_ns`. A request unanswered for `answer_ns_max` is lost: the reader answers no broken
    frame. `keep_alive_ns_max` 0: the reader sends none, or none is expected.
    """

    layout: str = "isc.mr102"
    delivery: Delivery = Delivery.NOTIFY
    poll_closely_ns: int = 20_000_000
    poll_idly_ns: int = 1_000_000_000
    answer_ns_max: int = 500_000_000
    keep_alive_ns_max: int = 0
