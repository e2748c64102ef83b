"""What the monitors of a table know: one frozen value of bounded size with one encoding."""

import msgspec
from msgspec import Struct

from controller.monitors.across_shoes.state import AcrossShoes
from controller.monitors.past import NO_PAST, PastShoes
from controller.monitors.people import PeopleCounts
from controller.monitors.shoe_watch import ShoeSoFar
from controller.monitors.stall import CoupPause, StallLimits
from foundation.typed_reading import binary_decoder


class MonitorState(Struct, frozen=True):
    """All monitors of one table.

    `shoe` is None outside a shoe; `past` are the shoes before; `pause` is what a coup is awaited
    after; `limits` are the house's; `across` is what shows only over many shoes.
    """

    shoe: ShoeSoFar | None = None
    past: PastShoes = NO_PAST
    pause: CoupPause | None = None
    people: PeopleCounts = PeopleCounts()
    limits: StallLimits = StallLimits()
    across: AcrossShoes = AcrossShoes()


def encode_state(state: MonitorState) -> bytes:
    """The state as MessagePack."""
    return msgspec.msgpack.encode(state)


def decode_state(data: bytes) -> MonitorState:
    """The state from MessagePack; raises msgspec.ValidationError."""
    return binary_decoder(MonitorState).decode(data)
