"""What a scenario needs of a bench: a table that is played at, and hands at its devices."""

from collections.abc import Callable, Sequence
from typing import Protocol

from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import Action
from controller.rules.actions.declaration import Role
from hil.dealing.actions import PressResult
from hil.dealing.cards import PhysicalCard
from hil.scenario.language.statements import CardFault, Disturb, HostFault, Interference, TablePart
from hil.scenario.play.disturbances import Disturbances
from hil.scenario.play.facts import FactReader


class RigBroken(Exception):
    """The rig cannot go on; the message says why. The program under test is not blamed for it."""


class NotPossible(Exception):
    """The scenario asks for what cannot be done now; the message says what and why."""


class TableSide(Protocol):
    """The program at its table."""

    @property
    def facts(self) -> FactReader:
        """What it has concluded so far."""
        ...

    @property
    def disturbances(self) -> Disturbances:
        """What the scenario has done to lines, cables, the host and power."""
        ...

    def snapshot(self) -> Snapshot:
        """What people may see now. Raises RigBroken."""
        ...

    def act(self, action: Action, role: Role, person: str, reason: str) -> None:
        """Act as a person; a refusal is a fact. Raises RigBroken."""
        ...

    def decide(self) -> None:
        """Take the first permitted decision on what is open, as a floorperson, until none is."""
        ...

    def metric(self, name: str) -> float | None:
        """The sum over all samples of that metric; None if there is none."""
        ...

    def wait(self, ns: int) -> None:
        """Let time pass."""
        ...

    def catch_up(self) -> None:
        """Wait until the program has judged the cards that were delivered to it.

        Raises RigBroken where one has no verdict, and the scenario has disturbed nothing.
        """
        ...

    def reaches(self, ready: Callable[[], bool]) -> bool:
        """Wait until `ready` is true of its facts; False if play stands still before."""
        ...

    def settle(self) -> None:
        """Wait until the program has taken in what the devices have sent."""
        ...

    def now_ns(self) -> int:
        """UTC by the program's clock."""
        ...

    def scan_to_verdict_ns(self) -> int:
        """The longest time so far from the last byte of a card to its stored verdict."""
        ...

    def power(self, *, on: bool) -> None:
        """Cut the computer's power, or give it back."""
        ...

    def befall(self, fault: HostFault, ns: int) -> None:
        """Do that to the program's computer."""
        ...


class ShoeHands(Protocol):
    """Somebody's hands at the dealing shoe."""

    def put_cards_in(self, cards: Sequence[PhysicalCard]) -> None:
        """Fill it, front first, and switch it on."""
        ...

    def take_cards_out(self) -> None:
        """Empty it: the next cards are of another shoe."""
        ...

    def draw(self, piece: PhysicalCard, *, burn_key: bool = False, readable: bool = True) -> None:
        """Draw that card, which is in front; a piece without a face is a cut card.

        `readable`: the shoe can read it.
        """
        ...

    def press_result(self, pressed: PressResult) -> bool:
        """Press the result; False at a shoe without keys."""
        ...

    def press_stand_by(self) -> None: ...

    def press_forced_exit(self) -> None: ...

    def clear_error(self, code: int) -> None: ...

    def turn_setting_key(self, *, on: bool) -> None: ...

    def plan(self, fault: CardFault) -> None:
        """Something goes wrong with the next card. Raises NotPossible at another shoe."""
        ...

    def stick_gate(self, *, stuck: bool) -> None:
        """The gate at the exit no longer moves. Raises NotPossible where there is none."""
        ...

    def power(self, *, on: bool) -> None: ...


class ShufflerHands(Protocol):
    """Somebody's hands at the shuffler."""

    def put_in(self, cards: Sequence[PhysicalCard]) -> None:
        """Lay cards into the tray."""
        ...

    def press(self, button: str, compartment: int, *, at_once: bool = False) -> None:
        """Press a button and wait until the work is over, unless `at_once`."""
        ...

    def take_out(self, compartment: int) -> tuple[PhysicalCard, ...]:
        """Take what was released, in its new order."""
        ...

    def reach_in(self, compartment: int) -> tuple[PhysicalCard, ...]:
        """Open the door, take all cards of the compartment and the tray out, and close it."""
        ...

    def move_door(self, compartment: int, *, is_open: bool) -> None: ...

    def stick_door(self, compartment: int, *, stuck: bool) -> None:
        """Once it is open, the sensor of that door never says again that it is closed."""
        ...

    def jam(self, compartment: int, *, jammed: bool) -> None: ...

    def leave_cards(self, count: int, compartment: int) -> None: ...

    def take_left_cards(self) -> tuple[PhysicalCard, ...]: ...

    def turn_mode_key(self, mode: str) -> None: ...

    def light(self, code: int, text: str, *, on: bool) -> None: ...

    def interfere(self, how: Interference) -> None: ...

    def power(self, *, on: bool) -> None: ...


class Bench(Protocol):
    """A table and its devices, ready to play one scenario."""

    @property
    def table(self) -> TableSide: ...

    @property
    def shoe(self) -> ShoeHands: ...

    @property
    def shuffler(self) -> ShufflerHands:
        """Raises NotPossible where the scenario has none."""
        ...

    def lay_in_rack(self, cards: Sequence[PhysicalCard]) -> None:
        """Lay dealt cards into the discard rack; nothing where no reader is there."""
        ...

    def move_plug(self, part: TablePart, *, plugged: bool) -> None:
        """Pull a device's cable, or plug it in."""
        ...

    def disturb(self, fault: Disturb) -> None:
        """Begin a fault of a line, or end all of them."""
        ...
