"""Models of FEIG readers: how the buffer is asked for, and what differs in its records.

Responsible for: one row per model, by the maker's public manuals.
Not responsible for: parsing (records) and for what a configuration may name (settings).
Source: package README, "FEIG OBID", models.
"""

from types import MappingProxyType

from firmware_bridge.feig.frames import Command, Form
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """One model.

    `sets_max` is how many data sets are asked for at once, so that the answer stays far below the
    longest frame. `levels_at` is which of the two bytes of IN holds the levels of the inputs.
    `block_bytes` is the size of a data block where the record does not give it.
    """

    read: Command = Command.READ_BUFFER
    form: Form = Form.ADVANCED
    sets_max: int = 32
    levels_at: int = 1
    block_bytes: int = 4


LAYOUTS = MappingProxyType(
    {
        "isc.mr102": Layout(),
        "isc.mr200": Layout(form=Form.STANDARD, sets_max=8),
        "isc.lr1002": Layout(),
        "isc.lr200": Layout(read=Command.READ_BUFFER_OLD, form=Form.STANDARD, sets_max=8),
        "isc.lru3000": Layout(),
        # The second byte of IN is reserved.
        "u500": Layout(levels_at=0),
    }
)
LAYOUT_NAMES = tuple(LAYOUTS)
