"""The people's part of a batch exchange at a shuffler: put one in, take the other out.

Source: S42-e-8-ii-load, S42-e-8-ii-swap; NY-a-4-iv-c.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS, PhysicalBatch, usual_batches
from hil.emulator.tablelink.compartment import CompartmentPhase
from hil.emulator.tablelink.shuffler import Shuffler

ShufflerCondition: TypeAlias = Callable[[Shuffler], bool]

# The buttons in order, each with the holding that it leads to.
BUTTONS: Final = (
    ("load", CompartmentPhase.LOADING),
    ("count", CompartmentPhase.COUNTED),
    ("shuffle", CompartmentPhase.SHUFFLED),
    ("store", CompartmentPhase.STORED),
)


class ShufflerAccess(Protocol):
    """Access to a served shuffler."""

    def do(self, act: Callable[[Shuffler], object]) -> None:
        """Do something to the shuffler."""
        ...

    def until(self, what: str, ready: ShufflerCondition) -> None:
        """Wait until the shuffler is `ready`; `what` names it in an error."""
        ...


def compartment_of(back: str) -> int:
    """The compartment of that batch: the first batch always goes into the first one."""
    return BACKS.index(back) + 1


def batch_of_shoe(number: int, decks: int) -> PhysicalBatch:
    """The batch a shoe is dealt from: batches take turns, the red one first."""
    return usual_batches(decks)[(number - 1) % len(BACKS)]


def playing_cards(batch: PhysicalBatch) -> tuple[PhysicalCard, ...]:
    """The cards of a batch that are shuffled: all but its cut cards."""
    return tuple(one for one in batch.cards if one.card is not None)


def shuffle_and_store(access: ShufflerAccess, back: str, cards: Sequence[PhysicalCard]) -> None:
    """Put a batch into the shuffler and press its buttons until it is shuffled and stored."""
    access.do(lambda shuffler: shuffler.put_in(cards))
    for button, holding in BUTTONS:
        _press(access, button, back, holding)


def release_and_take(access: ShufflerAccess, back: str) -> tuple[PhysicalCard, ...]:
    """Release a stored batch and take it out."""
    _press(access, "release", back, CompartmentPhase.RELEASED)
    taken: list[PhysicalCard] = []
    access.do(lambda shuffler: taken.extend(shuffler.take(compartment_of(back))))
    return tuple(taken)


def _press(access: ShufflerAccess, button: str, back: str, holding: CompartmentPhase) -> None:
    """Press a button and wait until the operation has ended."""
    compartment = compartment_of(back)

    def done(shuffler: Shuffler) -> bool:
        return shuffler.compartment_record(compartment).phase is holding and not shuffler.busy

    access.do(lambda shuffler: shuffler.press(button, compartment))
    access.until(f"{button} the {back} batch", done)
