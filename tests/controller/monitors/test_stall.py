"""Pauses after the cut card was put in, and after it came out."""

import pytest
from simulated_shoes import SEEN, advisories

from controller.monitors.items import (
    CoupBegins,
    CutCardCameOut,
    CutCardPutIn,
    MonitorItem,
    ShoeEnds,
    ShoeOpens,
    TimePasses,
)
from controller.monitors.stall import StallLimits
from controller.monitors.state import MonitorState
from controller.rules.advisory import AdvisoryKind, StallEvidence

MINUTE = 60 * 10**9
LONG = 15 * MINUTE


def test_half_an_hour_between_cut_and_first_coup_is_said() -> None:
    items = [CutCardPutIn(MINUTE), ShoeOpens(4, 8, "red"), SEEN[3], CoupBegins(31 * MINUTE)]
    state, (said,) = advisories(items)

    assert (said.kind, said.shoe, said.card) == (AdvisoryKind.STALL_CUT, 4, 1)
    assert said.evidence == StallEvidence(30 * MINUTE, LONG)
    assert said.strength_millibits == 1_000
    assert state.pause is None


def test_a_stall_is_said_while_it_lasts_and_once() -> None:
    late = [TimePasses(at * MINUTE) for at in range(40)]
    _, said = advisories([ShoeOpens(4, 8), CutCardPutIn(0), *late, CoupBegins(41 * MINUTE)])

    assert [one.evidence for one in said] == [StallEvidence(LONG, LONG)]


def test_a_stall_before_the_shoe_is_open_is_of_no_shoe() -> None:
    _, (said,) = advisories([CutCardPutIn(0), TimePasses(LONG), ShoeOpens(4, 8)])

    assert (said.shoe, said.card, said.batch) == (0, 0, "")


def test_a_pause_after_the_cut_card_came_out_is_another_kind() -> None:
    items: list[MonitorItem] = [ShoeOpens(4, 8), CutCardPutIn(0), CoupBegins(LONG)]
    _, said = advisories([*items, CutCardCameOut(2 * LONG), CoupBegins(3 * LONG)])

    assert [one.kind for one in said] == [AdvisoryKind.STALL_CUT, AdvisoryKind.STALL_LAST]


@pytest.mark.parametrize(
    "items",
    [
        [CutCardPutIn(0), CoupBegins(LONG - 1)],
        [CutCardPutIn(0), CoupBegins(1), CoupBegins(9 * LONG)],
        [CoupBegins(9 * LONG), TimePasses(20 * LONG)],
        [CutCardCameOut(0), ShoeEnds(), TimePasses(20 * LONG)],
        # The clock began anew with another start of the machine.
        [CutCardPutIn(9 * LONG), TimePasses(10), CoupBegins(11)],
    ],
)
def test_other_pauses_are_not_said(items: list[MonitorItem]) -> None:
    assert advisories([ShoeOpens(4, 8), *items])[1] == []


def test_after_a_new_start_of_the_machine_a_pause_is_counted_anew() -> None:
    items = [CutCardPutIn(9 * LONG), TimePasses(10), CoupBegins(10 + LONG)]
    _, (said,) = advisories([ShoeOpens(4, 8), *items])

    assert said.evidence == StallEvidence(LONG, LONG)


def test_the_house_sets_how_long_a_pause_may_be() -> None:
    state = MonitorState(limits=StallLimits(put_in_ns_max=MINUTE))
    _, (said,) = advisories([ShoeOpens(4, 8), CutCardPutIn(0), CoupBegins(MINUTE)], state)

    assert said.evidence == StallEvidence(MINUTE, MINUTE)
