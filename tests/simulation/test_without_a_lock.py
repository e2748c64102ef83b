"""A shoe without a lock is never asked to lock, whatever the table may command."""

import pytest
from msgspec.structs import replace

from controller.core.tape.entries import CommandGiven, DeviceEventRecorded
from controller.procedure.effects import Refusal
from controller.procedure.phases import Phase
from controller.rules.actions.actions import LockShoe, UnlockShoe
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
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
    played.table.advance(1_000_000_000)
    assert played.table.state.table.phase is Phase.SUSPENDED
    return played.table


def commands(table) -> list[object]:
    return [
        one
        for one in table.entries
        if isinstance(one, CommandGiven)
        or (isinstance(one, DeviceEventRecorded) and isinstance(one.event, CommandAnswered))
    ]


def test_a_suspended_table_sends_it_no_command(suspended) -> None:
    assert commands(suspended) == []
    assert suspended.state.lock_wanted is None


def test_no_command_after_replug_or_restart(suspended) -> None:
    suspended.unplug(EXIT)
    suspended.plug(EXIT)
    suspended.take(replace(suspended.inputs[0], at=suspended.at))
    assert commands(suspended) == []
    assert suspended.state.lock_wanted is None


def test_no_command_after_a_decision_to_continue(suspended) -> None:
    suspended.resolve_if_permitted()
    assert commands(suspended) == []


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe()])
def test_a_persons_lock_command_is_refused_with_advice(simulation, action) -> None:
    table = simulation.table("rfid", allow_commands=True).table
    (refused,) = table.act(action, Role.FLOORPERSON)
    assert isinstance(refused, Refusal)
    assert to_words(refused.why) == "this shoe has no lock: tell the dealer to stop, or to go on"
    assert commands(table) == []
