"""Settings of a FEIG link (buffer layout, delivery, deadlines), and the layouts of each model.

Source: firmware_bridge/feig/README.md, models and settings.
"""

from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct

from firmware_bridge.feig.frames import FeigCommand, FrameForm


class BufferLayout(Struct, frozen=True):
    """How one model's buffer is read and its records are laid out.

    `sets_max`: how many data sets are requested at once, so that the answer stays far below the
    longest frame. `levels_at`: which of the two bytes of IN holds the levels of the inputs.
    `block_bytes`: the size of a data block if the record does not give it.
    """

    read: FeigCommand = FeigCommand.READ_BUFFER
    form: FrameForm = FrameForm.ADVANCED
    sets_max: int = 32
    levels_at: int = 1
    block_bytes: int = 4


LAYOUTS = MappingProxyType(
    {
        "isc.mr102": BufferLayout(),
        "isc.mr200": BufferLayout(form=FrameForm.STANDARD, sets_max=8),
        "isc.lr1002": BufferLayout(),
        "isc.lr200": BufferLayout(
            read=FeigCommand.READ_BUFFER_OLD, form=FrameForm.STANDARD, sets_max=8
        ),
        "isc.lru3000": BufferLayout(),
        # The second byte of IN is reserved.
        "u500": BufferLayout(levels_at=0),
    }
)
LAYOUT_NAMES = tuple(LAYOUTS)


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
