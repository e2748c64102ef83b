"""The cost of a tagged card: bytes of the stored state and functions that run."""

import sys
from dataclasses import dataclass

import pytest

from controller.core.build import build_core
from controller.core.state import encode_state
from controller.core.tape.entries import DeviceEventRecorded, Entry
from controller.core.tape.inputs import Input
from controller.core.tape.records import (
    entry_record,
    input_record,
    inputs_in,
    read_entry,
    read_input,
)
from controller.rules.profiles.load import load_clauses
from drivers.events import CardPassed
from hil.dealing.dealer import DealerSettings

COUPS = 20
STATE_BYTES_MAX = 16 * 1024
CALLS_MAX = 2500
# Extra calls allowed for a late card: the burn and the coup are longer tuples.
GROWTH_MAX = 200


@dataclass(frozen=True, slots=True)
class ReplayFigures:
    """A replayed tape: its entries, the size of each state, the function calls of each card."""

    entries: tuple[Entry, ...]
    sizes: tuple[int, ...]
    calls: tuple[int, ...]


def replay_figures(inputs: list[Input]) -> ReplayFigures:
    core = build_core(inputs[0], load_clauses())
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
        sizes.append(len(encode_state(state)))
        calls += [count] * any(map(is_card, output.entries))
    return ReplayFigures(tuple(entries), tuple(sizes), tuple(calls))


def is_card(entry: Entry) -> bool:
    return isinstance(entry, DeviceEventRecorded) and isinstance(entry.event, CardPassed)


@pytest.fixture(scope="module")
def played(simulation):
    return simulation.play("rfid", DealerSettings(seed=3), coups_max=COUPS)


@pytest.fixture(scope="module")
def replayed(played) -> ReplayFigures:
    return replay_figures(played.table.inputs)


def test_a_replayed_tape_gives_the_same_entries(played, replayed) -> None:
    assert list(replayed.entries) == played.table.entries


def test_a_tape_is_stored_whole(played) -> None:
    table = played.table
    read = [one for item in table.inputs for one in inputs_in(read_input(input_record(item)))]
    assert read == table.inputs
    assert [read_entry(entry_record(entry)) for entry in table.entries] == table.entries


def test_the_state_stays_small(replayed) -> None:
    assert max(replayed.sizes) < STATE_BYTES_MAX


def test_a_card_needs_few_function_calls(replayed) -> None:
    assert len(replayed.calls) > 4 * COUPS
    # The first one opens the shoe.
    assert max(replayed.calls[1:]) < CALLS_MAX


def test_a_late_card_needs_no_more_calls_than_an_early_one(replayed) -> None:
    early, late = replayed.calls[1:41], replayed.calls[-40:]
    assert max(late) < max(early) + GROWTH_MAX
