"""A shoe that has no lock: none is wanted of it, whatever the table may command.

Responsible for: a suspended table, a port that comes back and a person who asks, with commands
allowed.
Not responsible for: a shoe with a lock (tests/controller/core/test_core.py).
Source: drivers/README.md, "RFID dealing shoe"; controller/README.md, "The core".
"""

from dataclasses import replace

import pytest

from controller.procedure.effects import Refused
from controller.procedure.phases import Phase
from controller.tape.actions import LockShoe, Role, UnlockShoe
from controller.tape.entries import CommandGiven, DeviceNoted
from drivers.events import CommandAnswered
from hil.dealing.tags import usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault

RED, _ = usual_batches()
EXIT = "exit"


@pytest.fixture
def suspended(simulation):
    """An RFID table that may command, after a first card that could not be read."""
    played = simulation.table("rfid", allow_commands=True)
    played.shoe.order(ExitFault.NO_TAG)
    played.shoe.draw_piece(RED.cards[0])
    played.settle()
    played.table.later(1_000_000_000)
    assert played.table.state.table.phase is Phase.SUSPENDED
    return played.table


def commands(table) -> list[object]:
    return [
        one
        for one in table.entries
        if isinstance(one, CommandGiven)
        or (isinstance(one, DeviceNoted) and isinstance(one.event, CommandAnswered))
    ]


def test_a_suspended_table_asks_nothing_of_it(suspended) -> None:
    assert commands(suspended) == []
    assert suspended.state.lock_wanted is None


def test_nothing_is_asked_when_its_port_or_the_program_is_back(suspended) -> None:
    suspended.unplug(EXIT)
    suspended.plug(EXIT)
    suspended.take(replace(suspended.inputs[0], at=suspended.at))
    assert commands(suspended) == []
    assert suspended.state.lock_wanted is None


def test_nothing_is_asked_when_a_decision_lets_play_go_on(suspended) -> None:
    suspended.resolve_anyhow()
    assert commands(suspended) == []


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe()])
def test_a_person_is_told_what_to_do_instead(simulation, action) -> None:
    table = simulation.table("rfid", allow_commands=True).table
    (refused,) = table.act(action, Role.FLOORPERSON)
    assert isinstance(refused, Refused)
    assert refused.why == "this shoe has no lock: tell the dealer to stop, or to go on"
    assert commands(table) == []
