"""Stored records are read back as the inputs and entries that they were written from."""

from controller.archive.replay.stored_conclusions import stored_conclusions
from controller.core.state import Conclusion
from controller.journal.store import open_read_only
from firmware_bridge.transport.port import Chunk


def test_every_input_that_led_to_entries_comes_with_them(script, record, opening_and_coups) -> None:
    table = script().begun().reported(*opening_and_coups(2))
    with open_read_only(record(table)) as reader:
        found = list(stored_conclusions(reader.records(0)))
    outputs = (output.entries for output in table.outputs)
    made = [Conclusion(*one) for one in zip(table.inputs, outputs, strict=True)]
    assert found == [one for one in made if one.entries]


def test_entries_before_the_first_input_are_left_out(script, record, opening_and_coups) -> None:
    table = script().begun().reported(*opening_and_coups(1))
    with open_read_only(record(table)) as reader:
        whole = list(stored_conclusions(reader.records(0)))
        from_entry = list(stored_conclusions(reader.records(1)))
    assert from_entry == whole[1:]


def test_an_input_that_led_to_nothing_is_left_out(script, record) -> None:
    table = script().begun()
    table.later()
    assert table.give(Chunk("/dev/ttyUSB0", table.at, b"\x05")).entries == ()
    with open_read_only(record(table)) as reader:
        found = list(stored_conclusions(reader.records(0)))
    assert [one.item for one in found] == table.inputs[:-1]


def test_of_chunks_in_one_record_the_last_led_to_the_entries(read_in_pieces) -> None:
    with open_read_only(read_in_pieces) as reader:
        found = list(stored_conclusions(reader.records(0)))
    chunks = [one.item.data for one in found if isinstance(one.item, Chunk)]
    # A report of one-byte chunks is understood with its last one, not with its ENQ.
    assert chunks
    assert b"\x05" not in chunks
