"""A card of a shoe that reads tags costs little: in the stored state, and in functions that run.

Responsible for: the size of the state with two batches of eight decks, the work for a card through
the whole core early and late; a tape that is stored whole and gives the same entries once more.
Not responsible for: microseconds (hil.bench), custody by itself (tests/controller/custody), shoes
in which something goes wrong (test_custody_invariants).
Source: controller/README.md, "Store before you act", "Replay"; controller/custody/README.md.
"""

import sys
from dataclasses import dataclass

import pytest

from controller.core.build import core_of
from controller.core.state import STATES
from controller.profiles.load import load_clauses
from controller.tape.entries import DeviceNoted, Entry
from controller.tape.inputs import Input
from controller.tape.records import entry_record, input_record, inputs_in, read_entry, read_input
from drivers.events import CardPassed
from hil.dealing.dealer import DealerSettings

COUPS = 20
STATE_BYTES_MAX = 16 * 1024
CALLS_MAX = 2500
# How much more a late card may ask for than an early one: the burn and the coup are longer tuples.
GROWTH_MAX = 200


@dataclass(frozen=True, slots=True)
class Told:
    """A tape told once more: what was concluded, the size of each state, the work of each card."""

    entries: tuple[Entry, ...]
    sizes: tuple[int, ...]
    calls: tuple[int, ...]


def told(inputs: list[Input]) -> Told:
    core = core_of(inputs[0], load_clauses())
    state, entries, sizes, calls = core.initial(), [], [], []
    for item in inputs:
        count = 0

        def counting(frame: object, event: str, value: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(counting)
        try:
            state, output = core.handle(state, item)
        finally:
            sys.setprofile(before)
        entries.extend(output.entries)
        sizes.append(len(STATES.encode(state)))
        calls += [count] * any(map(is_card, output.entries))
    return Told(tuple(entries), tuple(sizes), tuple(calls))


def is_card(entry: Entry) -> bool:
    return isinstance(entry, DeviceNoted) and isinstance(entry.event, CardPassed)


@pytest.fixture(scope="module")
def played(simulation):
    return simulation.play("rfid", DealerSettings(seed=3), coups_max=COUPS)


@pytest.fixture(scope="module")
def again(played) -> Told:
    return told(played.table.inputs)


def test_a_tape_told_again_gives_the_same_entries(played, again) -> None:
    assert list(again.entries) == played.table.entries


def test_a_tape_is_stored_whole(played) -> None:
    table = played.table
    read = [one for item in table.inputs for one in inputs_in(read_input(input_record(item)))]
    assert read == table.inputs
    assert [read_entry(entry_record(entry)) for entry in table.entries] == table.entries


def test_the_state_stays_small(again) -> None:
    assert max(again.sizes) < STATE_BYTES_MAX


def test_a_card_asks_for_little_work(again) -> None:
    assert len(again.calls) > 4 * COUPS
    # The first one opens the shoe.
    assert max(again.calls[1:]) < CALLS_MAX


def test_a_late_card_asks_for_no_more_than_an_early_one(again) -> None:
    early, late = again.calls[1:41], again.calls[-40:]
    assert max(late) < max(early) + GROWTH_MAX
