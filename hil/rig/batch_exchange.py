"""What people do with two batches at a shuffler: one goes in, the other comes out.

Responsible for: the order of the handgrips (put in, the buttons, take out) and which compartment a
batch goes into, on whatever the shuffler is served.
Not responsible for: the shuffler (hil.emulator.tablelink.shuffler), time, and telling the table
(demo_batches and whoever deals).
Source: S42-e-8-ii-load, S42-e-8-ii-swap; NY-a-4-iv-c; package README, "The exchange".
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS, PhysicalBatch, usual_batches
from hil.emulator.tablelink.compartment import Holding
from hil.emulator.tablelink.shuffler import Shuffler

Ready: TypeAlias = Callable[[Shuffler], bool]

# In this order, each button once what the one before began has come to its end.
BUTTONS: Final = (
    ("load", Holding.LOADING),
    ("count", Holding.COUNTED),
    ("shuffle", Holding.SHUFFLED),
    ("store", Holding.STORED),
)


class Reach(Protocol):
    """How hands get at a served shuffler."""

    def do(self, act: Callable[[Shuffler], object]) -> None:
        """Do something to it."""
        ...

    def until(self, what: str, ready: Ready) -> None:
        """Wait until it is so."""
        ...


def compartment_of(back: str) -> int:
    """Where that batch always goes: the first one's place is the first compartment."""
    return BACKS.index(back) + 1


def batch_of_shoe(number: int, decks: int) -> PhysicalBatch:
    """The batch a shoe is dealt from: batches take turns, the red one first."""
    return usual_batches(decks)[(number - 1) % len(BACKS)]


def playing_cards(batch: PhysicalBatch) -> tuple[PhysicalCard, ...]:
    """What is shuffled of a batch: its cut cards are not."""
    return tuple(one for one in batch.cards if one.card is not None)


def put_away(reach: Reach, back: str, cards: Sequence[PhysicalCard]) -> None:
    """Lay a batch into the shuffler and press on until it is stored, shuffled."""
    reach.do(lambda shuffler: shuffler.put_in(cards))
    for button, holding in BUTTONS:
        _press(reach, button, back, holding)


def bring_out(reach: Reach, back: str) -> tuple[PhysicalCard, ...]:
    """Have a stored batch released, and take it out."""
    _press(reach, "release", back, Holding.RELEASED)
    taken: list[PhysicalCard] = []
    reach.do(lambda shuffler: taken.extend(shuffler.take(compartment_of(back))))
    return tuple(taken)


def _press(reach: Reach, button: str, back: str, holding: Holding) -> None:
    """Press, and wait until what it began has come to its end."""
    compartment = compartment_of(back)

    def done(shuffler: Shuffler) -> bool:
        return shuffler.standing(compartment).holding is holding and not shuffler.busy

    reach.do(lambda shuffler: shuffler.press(button, compartment))
    reach.until(f"{button} the {back} batch", done)
