"""What a table's stack light and exit lock show: a function of what is stored, and of no card.

Source: glossary ("suspended"); D-8 (a scan is not disclosure).
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.core.device_commands import wants_lock
from controller.core.state import CoreState
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook


class Light(StrEnum):
    """The one lamp of the stack light that is on."""

    GREEN = "green"  # dealing
    AMBER = "amber"  # no card is due: the table waits for a person
    RED = "red"  # suspended, or the shuffler's interlock: no card may be drawn


class Signals(Struct, frozen=True):
    """The lamp that is on, and whether the exit is to be locked."""

    light: Light
    exit_locked: bool


# Phases of one coup have one lamp: which of them it is may follow from cards that nobody has seen.
LIGHT_OF: Final = MappingProxyType(
    {
        **dict.fromkeys(Phase, Light.GREEN),
        Phase.CLOSED: Light.AMBER,
        Phase.OPENING: Light.AMBER,
        Phase.PARTIAL: Light.AMBER,
        Phase.SHOE_OVER: Light.AMBER,
        Phase.SUSPENDED: Light.RED,
    }
)


def signals_of(rules: RuleBook, state: CoreState) -> Signals:
    """What the table's outputs show in this state; the shoe's own lock follows the same rule."""
    book = effective_book(rules, state.table)
    return signals(state.table.phase, blocked=wants_lock(book, state.table))


def signals(phase: Phase, *, blocked: bool) -> Signals:
    """`blocked`: no card may be drawn, whatever the phase."""
    return Signals(Light.RED if blocked else LIGHT_OF[phase], blocked)
