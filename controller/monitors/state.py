"""What the monitors of a table know: one frozen value of bounded size with one encoding.

Source: controller/monitors/README.md, "State".
"""

import msgspec
from msgspec import Struct

from controller.monitors.advisory import Advisory
from controller.monitors.coup_bets import CoupBets
from controller.monitors.coup_paths import START
from controller.monitors.follow import StringFollower
from controller.monitors.order_bets import OPENING_CAPITAL
from controller.monitors.past import NO_PAST, PastShoes
from controller.monitors.people import PeopleCounts
from controller.monitors.stall import CoupPause, StallLimits
from firmware_bridge.recorded_text import Identifier


class Raised(Struct, frozen=True):
    """What was said of this shoe, and the same with the most evidence that came since."""

    said: Advisory
    strongest: Advisory


class ShoeSoFar(Struct, frozen=True):
    """The shoe in play.

    `cards` are the faces that left it, `GAP` for each unseen one; `seen` counts the others;
    `capital` is that of each rule of order, `deposit` what enters it with each card; `followers`
    are the places of earlier cards that it follows; `coup_ends` how many cards were out at the end
    of each coup; `raised` are the advisories on it; `place` is how far its coup has
    come, and `bets` are those on its coups.
    """

    number: int
    decks: int
    batch: Identifier
    deposit: int
    cards: bytes = b""
    seen: int = 0
    capital: tuple[int, ...] = OPENING_CAPITAL
    followers: tuple[StringFollower, ...] = ()
    coup_ends: tuple[int, ...] = ()
    raised: tuple[Raised, ...] = ()
    place: int = START
    bets: CoupBets = CoupBets(())


class MonitorState(Struct, frozen=True):
    """All monitors of one table.

    `shoe` is None outside a shoe; `past` are the shoes before; `pause` is what a coup is awaited
    after; `limits` are the house's.
    """

    shoe: ShoeSoFar | None = None
    past: PastShoes = NO_PAST
    pause: CoupPause | None = None
    people: PeopleCounts = PeopleCounts()
    limits: StallLimits = StallLimits()


def encode_state(state: MonitorState) -> bytes:
    """The state as MessagePack."""
    return msgspec.msgpack.encode(state)


def decode_state(data: bytes) -> MonitorState:
    """The state from MessagePack; raises msgspec.ValidationError."""
    return msgspec.msgpack.decode(data, type=MonitorState)
