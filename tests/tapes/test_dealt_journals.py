"""Eight journals dealt by 0.9.0 are concluded to the last byte, whichever build wrote them."""

import pytest
from dealt_journals import DEALT, NAMES, tape_name
from msgspec.structs import replace
from replay_any_build import differences, main, tape_records

from controller.core.tape.entries import EventVerdicts, RunBegan
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record, read_entry, read_input
from controller.procedure.verdicts import Irregularity

# Together they raise so many kinds of irregularity.
CODES_MIN = 30


@pytest.mark.parametrize("name", NAMES)
def test_a_dealt_journal_gives_the_same_entries(name: str) -> None:
    records = tape_records(tape_name(name))
    assert len(records) > 500
    assert differences(records) == []


def test_each_has_its_tape() -> None:
    assert sorted(DEALT.iterdir()) == sorted(map(tape_name, NAMES))


def test_together_they_raise_most_that_dealers_and_devices_do_wrong() -> None:
    entries = [read_entry(record) for name in NAMES for record in tape_records(tape_name(name))]
    judged = [one for one in entries if isinstance(one, EventVerdicts)]
    raised = {v.code for one in judged for v in one.verdicts if isinstance(v, Irregularity)}
    assert len(raised) >= CODES_MIN, sorted(raised)


def with_build(record: bytes, software: str) -> bytes:
    """The record of a start, or of the run that began, as another build writes it."""
    one = read_input(record) or read_entry(record)
    match one:
        case Started():
            return input_record(replace(one, software=software))
        case RunBegan():
            return entry_record(replace(one, software=software))
        case _:
            return record


def test_the_build_is_left_aside() -> None:
    stored = tape_records(tape_name("forced-restarts"))
    other = [with_build(one, "0.0.1+another") for one in stored]
    assert sum(one != was for one, was in zip(other, stored, strict=True)) > 4
    assert differences(other) == []


def test_another_entry_is_named_with_its_place() -> None:
    records = tape_records(tape_name("two-batches"))
    place = next(n for n, one in enumerate(records) if isinstance(read_entry(one), EventVerdicts))
    records[place] = records[1]
    (found,) = differences(records)
    assert found.startswith(f"record {place + 1}: stored RunBegan, concluded ")


def test_the_command_compares_a_tape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tape_name("two-batches"))]) == 0
    assert capsys.readouterr().out.endswith("records, 0 differ\n")
