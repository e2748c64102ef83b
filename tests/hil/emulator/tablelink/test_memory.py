"""Tests an emulated TableLink device's non-volatile memory: ring, answers, facts, chain."""

import itertools

import pytest

from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.memory import DeviceTime, PowerFailed, TableLinkMemory
from hil.emulator.tablelink.wire import EventKind

AT = DeviceTime(1, 0)


def filled(events: int, capacity: int = 10) -> TableLinkMemory:
    memory = TableLinkMemory(capacity)
    for _ in range(events):
        memory.record(EventKind.READ_FAIL, {}, AT)
    return memory


def kinds(memory: TableLinkMemory) -> list[int]:
    return [event.kind for event in memory.ring]


def test_numbers_start_at_one_and_continue_after_all_are_freed() -> None:
    memory = filled(3)
    memory.free(3)
    memory.record(EventKind.CUT_CARD, {}, AT)

    assert [event.number for event in memory.ring] == [4]


@pytest.mark.parametrize("number", range(6))
def test_an_acknowledgement_frees_up_to_its_number(number: int) -> None:
    memory = filled(5)
    memory.free(number)

    assert [event.number for event in memory.ring] == list(range(number + 1, 6))


def test_an_unknown_number_frees_all_stored_events() -> None:
    memory = filled(2)

    assert len(memory.free(99)) == 2


@pytest.mark.parametrize(("stored", "closed"), [(8, False), (9, True)])
def test_the_gate_closes_at_nine_tenths(stored: int, closed: bool) -> None:
    assert filled(stored).gate_closed is closed


def test_the_gate_opens_when_events_are_freed() -> None:
    memory = filled(9)
    memory.free(1)

    assert not memory.gate_closed


def test_the_last_place_holds_the_overflow_event() -> None:
    assert kinds(filled(10)) == [EventKind.READ_FAIL] * 9 + [EventKind.OVERFLOW]


def test_nothing_is_overwritten() -> None:
    memory = filled(30)

    assert (memory.first_number, memory.next_number, len(memory.lost)) == (1, 11, 21)


def test_after_freeing_numbers_continue_after_the_overflow() -> None:
    memory = filled(12)
    memory.free(2)
    memory.record(EventKind.CUT_CARD, {}, AT)

    assert [event.number for event in memory.ring][-2:] == [10, 11]


def test_only_the_last_sixteen_answers_are_stored() -> None:
    memory = TableLinkMemory()
    for request in range(1, 19):
        memory.store_answer(request, 6, b"")

    assert [request for request in range(1, 19) if memory.answer_to(request)] == list(range(3, 19))


def test_a_copy_is_independent_of_later_changes() -> None:
    memory = filled(2)
    copy = memory.copy()
    memory.record(EventKind.CUT_CARD, {}, AT)

    assert copy.next_number == 3


@pytest.mark.parametrize("events", [63, 64, 65, 130])
def test_a_chain_is_signed_every_64_events(events: int) -> None:
    memory = TableLinkMemory(chained=True, sign=lambda _number, _chain: bytes(64))
    while memory.next_number <= events:
        memory.record(EventKind.READ_FAIL, {}, AT)
    signed = [decode_map(one.payload)[5] for one in memory.ring if one.kind == EventKind.CHECKPOINT]

    assert [one[1] for one in signed if isinstance(one, dict)] == list(range(64, events + 1, 64))


def test_the_end_of_a_shoe_is_signed() -> None:
    memory = TableLinkMemory(chained=True, sign=lambda _number, _chain: bytes(64))
    memory.record(EventKind.SHOE_EMPTY, {}, AT)

    assert kinds(memory) == [EventKind.SHOE_EMPTY, EventKind.CHECKPOINT]


WRITINGS = {
    "event": lambda memory: memory.record(EventKind.CUT_CARD, {}, AT, ("lid", True)),
    "freeing": lambda memory: memory.free(1),
    "answer": lambda memory: memory.store_answer(7, 6, b""),
    "fact": lambda memory: memory.put("lid", True),
    "boot": lambda memory: memory.count_boot(),
    "cycle": lambda memory: memory.next_cycle(),
}


def known(memory: TableLinkMemory) -> tuple[object, ...]:
    numbers = (memory.first_number, memory.next_number, memory.boot_count, memory.cycle)
    return (*numbers, memory.answer_to(7), memory.highest_request, memory.facts.get("lid"))


@pytest.mark.parametrize(("name", "moment"), list(itertools.product(WRITINGS, (0, 1))))
def test_power_fails_before_or_after_a_write_and_never_within(name: str, moment: int) -> None:
    whole, cut = filled(3), filled(3)
    before = known(cut)
    WRITINGS[name](whole)
    cut.cut_in = moment
    with pytest.raises(PowerFailed):
        WRITINGS[name](cut)

    assert known(cut) == (before, known(whole))[moment]
