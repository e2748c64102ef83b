"""Models of FEIG readers: how their buffer is read, and what differs in its records.

Source: firmware_bridge/feig/README.md, models.
"""

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
