"""Stack light and exit lock in every phase; they say nothing of cards that nobody has seen.

Source: D-8 (a scan is not disclosure).
"""

from itertools import product

import pytest

from controller.procedure.phases import COUP_PHASES, Phase
from controller.record.signals import Light, Signals, signals, signals_of

WAITS_FOR_A_PERSON = {Phase.CLOSED, Phase.OPENING, Phase.PARTIAL, Phase.SHOE_OVER}


def test_every_phase_has_one_lamp() -> None:
    shown = {(phase, no): signals(phase, blocked=no) for phase, no in product(Phase, (False, True))}

    assert shown == {
        (phase, no): Signals(
            Light.RED
            if no or phase is Phase.SUSPENDED
            else Light.AMBER
            if phase in WAITS_FOR_A_PERSON
            else Light.GREEN,
            exit_locked=no,
        )
        for phase, no in shown
    }


def test_no_card_of_a_coup_changes_the_lamp() -> None:
    lamps = {signals(one, blocked=False).light for one in COUP_PHASES if one is not Phase.PARTIAL}

    assert lamps == {Light.GREEN}


@pytest.mark.parametrize(
    ("reports", "shown"),
    [
        ((), Signals(Light.AMBER, exit_locked=False)),
        (("53",), Signals(Light.GREEN, exit_locked=False)),
        (("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9"), Signals(Light.GREEN, exit_locked=False)),
    ],
)
def test_a_table_shows_what_it_does(script, reports, shown) -> None:
    table = script().begun()
    table.reported(*reports)

    assert signals_of(table.core.book, table.state) == shown


def test_a_wrong_result_is_red_and_locks_the_exit_until_it_is_resolved(script) -> None:
    table = script().begun()
    table.reported("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9", "44 91 92", "44 82 AD")
    table.reported("44 92 B5", "47 00")
    assert signals_of(table.core.book, table.state) == Signals(Light.RED, exit_locked=True)

    table.resolved()
    assert not signals_of(table.core.book, table.state).exit_locked
