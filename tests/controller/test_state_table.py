"""The state table has exactly the given edges, for any number of concurrent callers."""

from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from itertools import product

import pytest

from controller.procedure.phases import EDGES, Phase, Trigger
from controller.state_table import NoEdge, StateTable


class Lamp(StrEnum):
    OFF = "off"
    ON = "on"
    BROKEN = "broken"


class Hand(StrEnum):
    PRESS = "press"
    DROP = "drop"
    HOLD = "hold"


LAMP = (
    (Lamp.OFF, Hand.PRESS, Lamp.ON),
    (Lamp.ON, Hand.PRESS, Lamp.OFF),
    (Lamp.ON, Hand.DROP, Lamp.BROKEN),
    (Lamp.OFF, Hand.DROP, Lamp.BROKEN),
)


def test_every_phase_and_trigger_leads_where_the_edges_say_and_nowhere_else() -> None:
    table = StateTable(EDGES)
    expected = {(source, trigger): to for source, trigger, to in EDGES}
    for phase, trigger in product(Phase, Trigger):
        after = table.next(phase, trigger)
        if (phase, trigger) in expected:
            assert after is expected[phase, trigger]
            assert table.has_edge(phase, trigger)
        else:
            assert not table.has_edge(phase, trigger)
            legal = tuple(t for t in Trigger if (phase, t) in expected)
            assert after == NoEdge(phase, trigger, legal)


def test_a_missing_edge_names_what_may_come_instead() -> None:
    assert StateTable(LAMP).next(Lamp.BROKEN, Hand.PRESS) == NoEdge(Lamp.BROKEN, Hand.PRESS, ())


def test_a_trigger_no_edge_uses_is_a_missing_edge() -> None:
    after = StateTable(LAMP).next(Lamp.ON, Hand.HOLD)
    assert after == NoEdge(Lamp.ON, Hand.HOLD, (Hand.PRESS, Hand.DROP))


def test_a_call_leaves_nothing_behind() -> None:
    table = StateTable(LAMP)
    assert table.next(Lamp.OFF, Hand.DROP) is Lamp.BROKEN
    assert table.next(Lamp.OFF, Hand.PRESS) is Lamp.ON


def test_legal_triggers_come_in_the_order_of_their_enum() -> None:
    table = StateTable(tuple(reversed(LAMP)))
    assert table.legal(Lamp.OFF) == (Hand.PRESS, Hand.DROP)
    assert table.legal(Lamp.BROKEN) == ()


def test_an_edge_that_could_lead_two_ways_is_refused() -> None:
    with pytest.raises(AssertionError, match="one phase only"):
        StateTable((*LAMP, (Lamp.ON, Hand.PRESS, Lamp.BROKEN)))


def test_a_table_without_edges_is_refused() -> None:
    with pytest.raises(AssertionError, match="at least one edge"):
        StateTable[Lamp, Hand](())


def test_the_diagram_has_one_line_for_each_pair_of_phases() -> None:
    assert StateTable(LAMP).mermaid() == (
        "stateDiagram-v2\n"
        "    [*] --> off\n"
        "    off --> on: press\n"
        "    off --> broken: drop\n"
        "    on --> off: press\n"
        "    on --> broken: drop\n"
    )


def test_the_diagram_joins_triggers_that_lead_to_the_same_phase() -> None:
    table = StateTable((*LAMP, (Lamp.ON, Hand.HOLD, Lamp.BROKEN)))
    assert "    on --> broken: drop, hold\n" in table.mermaid()


def test_the_diagram_of_the_procedure_is_the_same_every_time() -> None:
    assert StateTable(EDGES).mermaid() == StateTable(EDGES).mermaid()


def test_threads_share_one_table_without_disturbing_each_other() -> None:
    table = StateTable(EDGES)
    expected = {(source, trigger): to for source, trigger, to in EDGES}

    def pass_through(start: int) -> bool:
        pairs = list(product(Phase, Trigger))
        turned = pairs[start:] + pairs[:start]
        for phase, trigger in turned * 3:
            after = table.next(phase, trigger)
            if (None if isinstance(after, NoEdge) else after) != expected.get((phase, trigger)):
                return False
        return True

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert all(pool.map(pass_through, (0, 100, 200, 300)))
