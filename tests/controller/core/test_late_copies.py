"""Copies of a report that come late: the host was stopped, or the line was held.

Source: firmware_bridge/angel_eye/README.md, sequence.
"""

import pytest

from controller.core.tape.entries import EventVerdicts
from controller.procedure.effects import CoupClosed
from controller.procedure.verdicts import Irregularity
from firmware_bridge.transport.port import Chunk

PORT = "/dev/ttyUSB0"
NS_PER_S = 1_000_000_000
# The first burn card is an ace, so one more is burned.
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
# Player 5h 10d and 4h, Banker 5c Kd and 9s: nine against four.
COUP = ("44 81 C5", "44 91 A5", "44 82 9A", "44 92 9D", "44 83 C4", "44 93 B9", "47 90")
STALLS_S = (0.5, 1, 2, 3, 3.9, 4.1, 5, 10, 20, 30)
# A copy that came within sixteen times the shortest time between reports is one.
PROVEN_S_MAX = 4.0


def codes(table) -> list[str]:
    judged = [one for one in table.of(EventVerdicts) if isinstance(one, EventVerdicts)]
    return [v.code.value for one in judged for v in one.verdicts if isinstance(v, Irregularity)]


def dealt(script, at_report: int, stall_s: float, *, host_stopped: bool):
    """A coup with a stall between the first copy of a report and the others, and another coup."""
    table = script().begun().reported(*OPENING)
    for number, report in enumerate(COUP):
        table.reported(report)
        if number == at_report:
            copies = 2 * table.inputs[-1].data
            stall_ns = int(stall_s * NS_PER_S)
            table.later(stall_ns)
            table.give(Chunk(PORT, table.at, copies, stall_ns if host_stopped else 0))
    return table


@pytest.mark.parametrize("at_report", range(len(COUP)))
def test_a_stopped_host_changes_no_verdict(script, at_report: int) -> None:
    for stall_s in STALLS_S:
        table = dealt(script, at_report, stall_s, host_stopped=True).reported(*COUP)

        assert codes(table) == []
        assert [one.record.fate.value for one in table.of(CoupClosed)] == ["counted"] * 2


@pytest.mark.parametrize("at_report", range(len(COUP)))
def test_a_line_held_up_to_sixteen_report_intervals_changes_no_verdict(
    script, at_report: int
) -> None:
    for stall_s in [one for one in STALLS_S if one <= PROVEN_S_MAX]:
        table = dealt(script, at_report, stall_s, host_stopped=False).reported(*COUP)

        assert codes(table) == []
        assert [one.record.fate.value for one in table.of(CoupClosed)] == ["counted"] * 2


@pytest.mark.parametrize("at_report", range(len(COUP)))
def test_a_line_held_longer_leaves_continuity_unproven_and_adds_no_card(
    script, at_report: int
) -> None:
    for stall_s in [one for one in STALLS_S if one > PROVEN_S_MAX]:
        table = dealt(script, at_report, stall_s, host_stopped=False)

        assert codes(table)[:1] == ["CONTINUITY_UNPROVEN"]
        assert set(codes(table)) <= {"CONTINUITY_UNPROVEN", "DEALT_WHILE_SUSPENDED"}
        shoe = table.state.table.shoe
        assert shoe.cards_drawn == 2 + 6
        assert shoe.coups_begun == 1
