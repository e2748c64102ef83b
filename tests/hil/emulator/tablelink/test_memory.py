"""What an emulated TableLink device keeps over loss of power: ring, answers, facts, chain."""

import itertools

import pytest

from hil.emulator.tablelink.cbor import payload_map
from hil.emulator.tablelink.memory import Moment, PowerFailed, TableLinkMemory
from hil.emulator.tablelink.wire import Kind

AT = Moment(1, 0)


def filled(events: int, capacity: int = 10) -> TableLinkMemory:
    memory = TableLinkMemory(capacity)
    for _ in range(events):
        memory.record(Kind.READ_FAIL, {}, AT)
    return memory


def kinds(memory: TableLinkMemory) -> list[int]:
    return [event.kind for event in memory.ring]


def test_numbers_start_at_one_and_go_on_after_everything_was_freed() -> None:
    memory = filled(3)
    memory.free(3)
    memory.record(Kind.CUT_CARD, {}, AT)

    assert [event.number for event in memory.ring] == [4]


@pytest.mark.parametrize("number", range(6))
def test_an_acknowledgement_frees_up_to_its_number(number: int) -> None:
    memory = filled(5)
    memory.free(number)

    assert [event.number for event in memory.ring] == list(range(number + 1, 6))


def test_a_number_that_was_never_given_frees_what_there_is() -> None:
    memory = filled(2)

    assert len(memory.free(99)) == 2


@pytest.mark.parametrize(("kept", "closed"), [(8, False), (9, True)])
def test_the_gate_closes_at_nine_tenths(kept: int, closed: bool) -> None:
    assert filled(kept).gate_closed is closed


def test_the_gate_opens_when_events_are_freed() -> None:
    memory = filled(9)
    memory.free(1)

    assert not memory.gate_closed


def test_the_last_place_says_that_there_was_no_room() -> None:
    assert kinds(filled(10)) == [Kind.READ_FAIL] * 9 + [Kind.OVERFLOW]


def test_nothing_is_written_over() -> None:
    memory = filled(30)

    assert (memory.first_number, memory.next_number, len(memory.lost)) == (1, 11, 21)


def test_after_room_was_made_numbers_go_on_behind_the_overflow() -> None:
    memory = filled(12)
    memory.free(2)
    memory.record(Kind.CUT_CARD, {}, AT)

    assert [event.number for event in memory.ring][-2:] == [10, 11]


def test_only_the_last_sixteen_answers_are_kept() -> None:
    memory = TableLinkMemory()
    for request in range(1, 19):
        memory.answered(request, 6, b"")

    assert [request for request in range(1, 19) if memory.answer_to(request)] == list(range(3, 19))


def test_a_copy_is_not_changed_by_what_comes_later() -> None:
    memory = filled(2)
    copy = memory.copy()
    memory.record(Kind.CUT_CARD, {}, AT)

    assert copy.next_number == 3


@pytest.mark.parametrize("events", [63, 64, 65, 130])
def test_a_chain_is_signed_every_64_events(events: int) -> None:
    memory = TableLinkMemory(chained=True, sign=lambda _number, _chain: bytes(64))
    while memory.next_number <= events:
        memory.record(Kind.READ_FAIL, {}, AT)
    signed = [payload_map(one.payload)[5] for one in memory.ring if one.kind == Kind.CHECKPOINT]

    assert [one[1] for one in signed if isinstance(one, dict)] == list(range(64, events + 1, 64))


def test_the_end_of_a_shoe_is_signed() -> None:
    memory = TableLinkMemory(chained=True, sign=lambda _number, _chain: bytes(64))
    memory.record(Kind.SHOE_EMPTY, {}, AT)

    assert kinds(memory) == [Kind.SHOE_EMPTY, Kind.CHECKPOINT]


WRITINGS = {
    "event": lambda memory: memory.record(Kind.CUT_CARD, {}, AT, ("lid", True)),
    "freeing": lambda memory: memory.free(1),
    "answer": lambda memory: memory.answered(7, 6, b""),
    "fact": lambda memory: memory.put("lid", True),
    "boot": lambda memory: memory.booted(),
    "cycle": lambda memory: memory.next_cycle(),
}


def known(memory: TableLinkMemory) -> tuple[object, ...]:
    numbers = (memory.first_number, memory.next_number, memory.boot_count, memory.cycle)
    return (*numbers, memory.answer_to(7), memory.highest_request, memory.facts.get("lid"))


@pytest.mark.parametrize(("name", "moment"), list(itertools.product(WRITINGS, (0, 1))))
def test_power_fails_before_or_after_a_writing_and_never_within(name: str, moment: int) -> None:
    whole, cut = filled(3), filled(3)
    before = known(cut)
    WRITINGS[name](whole)
    cut.cut_in = moment
    with pytest.raises(PowerFailed):
        WRITINGS[name](cut)

    assert known(cut) == (before, known(whole))[moment]
