"""A finished shoe from records of the core: its end, heading, rows, when it is clean."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.finished_shoe import (
    LEDGERS,
    FinishedShoe,
    NoFinishedShoe,
    finished_shoe,
    shoe_records,
    shoes_ended,
)
from controller.archive.replay.upgrade import UpgradeLedger
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record, read_entry, read_input
from controller.journal.card_row_format import CardRow, RowEnd, RowFlag, RowRole, read_row
from controller.journal.encoding import GENESIS, EncodingError, link
from controller.journal.shoe_file import ROW_BYTES, ShoeFile, read_shoe, shoe_bytes
from controller.journal.store import Journal, StoredRecord, open_read_only
from controller.journal.values import Base, SavedState
from controller.procedure.effects import ShoeEnded
from controller.procedure.events import CardDrawn
from controller.rules.actions.actions import ChangeSetting, CloseShoe, CorrectCoup
from controller.rules.outcome import Outcome
from firmware_bridge.transport.port import Chunk

PORT = "/dev/ttyUSB0"
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
# The cut card comes in the second coup; the third one is the last.
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)


@pytest.fixture
def records(record) -> Callable[..., tuple[StoredRecord, ...]]:
    """All records of a script's journal."""

    def read(script) -> tuple[StoredRecord, ...]:
        with open_read_only(record(script)) as journal:
            return tuple(journal.records())

    return read


def sealed(records: tuple[StoredRecord, ...], base: Base | None = None) -> FinishedShoe:
    base = base or Base()
    mine = shoe_records(one for one in records if one.seq > base.seq)
    return finished_shoe("M7", base, mine)


def as_read(shoe: FinishedShoe) -> ShoeFile:
    return read_shoe(shoe_bytes(shoe.heading, shoe.rows, shoe.parts))


def rows_of(shoe: FinishedShoe) -> list[CardRow]:
    return [read_row(shoe.rows, at) for at in range(0, len(shoe.rows), ROW_BYTES)]


def shoes_in(records: tuple[StoredRecord, ...]) -> Iterator[FinishedShoe]:
    """The finished shoes, one after the other."""
    base = Base()
    while mine := shoe_records(one for one in records if one.seq > base.seq):
        shoe = finished_shoe("M7", base, mine)
        base = shoe.base(as_read(shoe).digest, None)
        yield shoe


# --- the cut --------------------------------------------------------------------------------------


def test_a_shoe_ends_with_the_last_conclusion_of_the_input_that_ended_it(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE, *OPENING))
    mine = shoe_records(stored)
    kinds = [type(read_entry(one.record)).__name__ for one in mine[-3:]]
    assert kinds == ["ShoeEnded", "Prompt", "StateDigest"]
    assert read_entry(stored[len(mine)].record) is None


def test_a_shoe_that_ends_the_journal_is_whole(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE))
    assert shoe_records(stored) == stored


def test_an_open_shoe_is_not_finished(script, records) -> None:
    stored = records(script().begun().reported(*OPENING, *COUP))
    assert shoe_records(stored) == ()
    with pytest.raises(NoFinishedShoe):
        finished_shoe("M7", Base(), stored)


def test_the_ends_of_unsealed_shoes_are_found(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE, *WHOLE_SHOE))
    assert [(one.gaming_day, one.shoe) for one in shoes_ended(stored)] == [
        ("2025-11-21", 1),
        ("2025-11-21", 2),
    ]


# --- rows -----------------------------------------------------------------------------------------


def test_a_shoe_in_order_is_clean_and_every_card_has_its_place(script, records) -> None:
    shoe = sealed(records(script().begun().reported(*WHOLE_SHOE)))
    coup = ["PLAYER_1", "BANKER_1", "PLAYER_2", "BANKER_2"]
    places = [(row.role.name, row.coup) for row in rows_of(shoe)]
    assert shoe.heading.clean
    assert places == [
        ("BURN_FIRST", 0),
        ("BURN", 0),
        *((role, 1) for role in coup),
        *((role, 2) for role in coup[:2]),
        ("CUT_CARD", 2),
        *((role, 2) for role in coup[2:]),
        *((role, 3) for role in coup),
    ]


def test_a_row_has_card_time_and_chain_value(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE))
    first = rows_of(sealed(stored))[2]
    (record,) = [one for one in stored if one.seq == first.seq]
    entry = read_entry(record.record)
    assert isinstance(entry, EventVerdicts)
    assert isinstance(entry.event, CardDrawn)
    assert (
        first
        == CardRow(
            seq=record.seq,
            # 09:00 UTC and five reports, 300 ms each.
            utc_ns=1_763_715_601_500_000_000,
            coup=1,
            role=RowRole.PLAYER_1,
            card=3 * 13 + 9,  # the nine of hearts
            claimed=RowRole.PLAYER_1,
            flags=RowFlag.NONE,
            ends=RowEnd.NOT_LAST,
            declared=RowEnd.NOT_LAST,
            tag=bytes(16),
            chain=record.chain[:16],
        )
    )


def test_the_last_card_of_a_coup_has_its_result(script, records) -> None:
    rows = rows_of(sealed(records(script().begun().reported(*WHOLE_SHOE))))
    last = [(row.coup, row.ends.name, row.declared.name) for row in rows if row.ends]
    assert last == [(number, "PLAYER", "PLAYER") for number in (1, 2, 3)]


@pytest.mark.parametrize("last_card", ["44 92 B5", "44 92 C9"])
def test_without_a_result_button_the_next_card_ends_a_coup(script, records, last_card) -> None:
    """Including a next card with the same face as the last one."""
    coup = (*COUP[:3], last_card)
    dealt = (*OPENING, *coup, *coup, *coup[:2], "43", *coup[2:], *coup, "53")
    shoe = sealed(records(script(observed=()).begun().reported(*dealt)))
    cards = [row.role for row in rows_of(shoe) if row.coup and row.role is not RowRole.CUT_CARD]
    assert shoe.heading.clean
    assert cards == [RowRole(role) for role in (3, 4, 5, 6)] * 4


def test_one_input_may_end_a_shoe_and_open_the_next(script, records) -> None:
    """At a table that reports no results, the start of the next shoe ends this one."""
    coup = COUP[:4]
    dealt = (*OPENING, *coup, *coup[:2], "43", *coup[2:], *coup)
    stored = records(script(observed=()).begun().reported(*dealt, *dealt, "53"))
    one = sealed(stored)
    two = sealed(stored, one.base(as_read(one).digest, None))
    assert (one.heading.clean, one.heading.opened_seq, two.heading.opened_seq) == (True, 1, 1)
    assert (two.heading.shoe, two.heading.decks, two.heading.coups) == (2, 8, 3)
    assert [row.coup for row in rows_of(two)] == [row.coup for row in rows_of(one)]


def next_shoe_in_one_read(script):
    """A table that reads a shoe's last result and the beginning of the next shoe at once."""
    table = script().begun().reported(*WHOLE_SHOE[:-1])
    number = table.reports
    table.reported(WHOLE_SHOE[-1], *OPENING)
    pieces = [item.data for item in table.inputs[-5:]]
    at_once = script().begun().reported(*WHOLE_SHOE[:-1])
    assert at_once.reports == number
    at_once.give(Chunk(PORT, at_once.at, b"".join(pieces)))
    at_once.reports = table.reports
    return at_once.reported(*COUP, *COUP[:2], "43", *COUP[2:], *COUP)


def test_the_beginning_of_the_next_shoe_from_one_read_is_no_part_of_this_one(
    script, records
) -> None:
    one, two = shoes_in(records(next_shoe_in_one_read(script)))
    assert one.heading.clean
    assert (one.heading.coups, two.heading.coups) == (3, 3)
    assert rows_of(one)[-1].role is RowRole.BANKER_2
    assert rows_of(two)[0].role is RowRole.BURN_FIRST


def test_cards_of_the_next_shoe_from_the_input_that_ended_this_one(script) -> None:
    """One frame of a reader may contain the last card and cards of the next shoe."""
    played = next_shoe_in_one_read(script)
    chain, stored = GENESIS, []
    for item, output in zip(played.inputs, played.outputs, strict=True):
        for record in (input_record(item), *map(entry_record, output.entries)):
            chain = link(chain, record)
            stored.append(StoredRecord(len(stored) + 1, record, chain))
    one, two = shoes_in(tuple(stored))
    assert (one.heading.clean, two.heading.clean) == (False, False)
    last = [(row.role, row.coup) for row in rows_of(one)][-3:]
    assert last == [(RowRole.BANKER_2, 3), (RowRole.OTHER, 0), (RowRole.OTHER, 0)]
    assert [row.coup for row in rows_of(two)][:3] == [1, 1, 1]


def test_a_troubled_shoe_is_not_clean_and_has_a_row_for_every_card(troubled_shoe, records) -> None:
    stored = records(troubled_shoe)
    shoe = sealed(stored)
    entries = [read_entry(one.record) for one in shoe_records(stored)]
    drawn = [one.event for one in entries if isinstance(one, EventVerdicts)]
    rows = rows_of(shoe)
    assert not shoe.heading.clean
    assert len([row for row in rows if row.role is not RowRole.CUT_CARD]) == len(
        [one for one in drawn if isinstance(one, CardDrawn)]
    )
    assert any(row.flags & RowFlag.IRREGULAR for row in rows)
    assert any(row.flags & RowFlag.SUSPENDED for row in rows)


def test_a_card_set_aside_is_flagged_as_carried(script, records) -> None:
    table = script().begun().reported(*OPENING, *OVERDRAW)
    table.resolved()
    shoe = sealed(records(table.reported(*COUP[4:], *COUP, "43", *COUP, *COUP)))
    (beside,) = [row for row in rows_of(shoe) if row.flags & RowFlag.IRREGULAR]
    assert (beside.role, shoe.heading.clean) == (RowRole.OTHER, False)


def test_a_shoe_that_a_person_closed_is_not_clean(script, records) -> None:
    table = script().begun().reported(*OPENING, *COUP)
    table.acted(CloseShoe())
    shoe = sealed(records(table))
    assert (shoe.heading.clean, shoe.heading.coups) == (False, 1)


def test_a_shoe_joined_in_play_is_not_clean(script, records) -> None:
    table = script().begun().reported(COUP[0])
    table.resolved()
    shoe = sealed(records(table.reported(*COUP[1:], *COUP[:2], "43", *COUP[2:], *COUP)))
    assert not shoe.heading.clean


def test_a_run_that_begins_amid_a_shoe_leaves_it_unclean(script, records) -> None:
    table = script().begun().reported(*OPENING, *COUP)
    table.begun(boot_id="boot-2")
    while table.state.table.suspension is not None:
        table.resolved()
    shoe = sealed(records(table.reported(*COUP, "43", *COUP, *COUP)))
    assert not shoe.heading.clean


def test_a_changed_setting_leaves_later_shoes_unclean_too(script, record) -> None:
    table = script().begun()
    table.acted(ChangeSetting("burn_cards_disclosed", "first"))
    table.reported(*WHOLE_SHOE, *WHOLE_SHOE)
    with Journal.open(record(table)) as journal:
        stored = tuple(journal.records())
    assert [shoe.heading.clean for shoe in shoes_in(stored)] == [False, False]


def test_a_correction_leaves_its_shoe_unclean(script, records) -> None:
    table = script().begun().reported(*OPENING, *COUP)
    table.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))
    shoe = sealed(records(table.reported(*COUP, "43", *COUP, *COUP)))
    assert shoe.heading.irregularities == 0
    assert not shoe.heading.clean


# --- the heading ----------------------------------------------------------------------------------


def test_the_heading_of_the_first_shoe(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE))
    heading = sealed(stored).heading
    assert (heading.table, heading.gaming_day, heading.shoe) == ("M7", "2025-11-21", 1)
    assert (heading.first_seq, heading.last_seq) == (1, len(stored))
    assert (heading.chain_before, heading.chain_after) == (GENESIS, stored[-1].chain)
    assert (heading.started_seq, heading.opened_seq, heading.state_software) == (0, 1, "")
    assert (heading.decks, heading.coups, heading.irregularities) == (8, 3, 0)
    assert (heading.from_ns, heading.until_ns) == (
        1_763_715_600_000_000_000,
        1_763_715_606_000_000_000,
    )


def test_the_second_shoe_names_the_first_and_can_be_replayed_alone(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE, *WHOLE_SHOE))
    one, two = shoes_in(stored)
    assert two.heading.chain_before == one.heading.chain_after
    assert (two.heading.started_seq, two.heading.opened_seq, two.heading.shoe) == (1, 1, 2)
    assert two.parts.started == stored[0].record
    assert two.heading.clean is False  # with no state nobody knows that no setting was changed


def test_a_run_that_begins_within_the_shoe_is_not_the_run_it_begins_with(script, records) -> None:
    """Only a file whose first record begins a run needs no run from before."""
    table = script().begun().reported(*WHOLE_SHOE, *OPENING, *COUP)
    table.begun(boot_id="boot-2")
    while table.state.table.suspension is not None:
        table.resolved()
    stored = records(table.reported(*COUP, "43", *COUP, *COUP))
    runs = [one for one in stored if isinstance(read_input(one.record), Started)]
    shoes = list(shoes_in(stored))

    assert [shoe.heading.started_seq for shoe in shoes] == [0, 1]
    assert [shoe.parts.started for shoe in shoes] == [b"", runs[0].record]
    assert [shoe.started for shoe in shoes] == [(one.seq, one.record) for one in runs]


def test_a_file_begins_with_the_run_of_its_first_record_whatever_runs_follow(
    script, records
) -> None:
    table = script().begun().reported(*WHOLE_SHOE)
    table.begun(boot_id="boot-2").begun(boot_id="boot-3").reported(*WHOLE_SHOE)
    _one, two = shoes_in(records(table))

    assert (two.heading.started_seq, two.parts.started) == (0, b"")


def test_the_state_at_the_end_of_a_shoe_begins_the_next_file(script, records) -> None:
    table = script().begun().reported(*WHOLE_SHOE)
    state = next(output.saved_state for output in table.outputs if output_ends(output))
    stored = records(table.reported(*WHOLE_SHOE))
    one = sealed(stored)
    last = one.heading.last_seq
    base = one.base(as_read(one).digest, SavedState.of(last, 1, "0.5.0", state))
    two = sealed(stored, base)
    assert (two.parts.state, two.heading.state_software) == (state, "0.5.0")
    assert base.digest == sha256(state).digest()
    assert two.heading.clean


def output_ends(output) -> bool:
    return any(isinstance(entry, ShoeEnded) for entry in output.entries)


def test_a_later_state_does_not_begin_the_next_file(script, records) -> None:
    one = sealed(records(script().begun().reported(*WHOLE_SHOE, *OPENING, *COUP)))
    later = SavedState.of(one.heading.last_seq + 1, 1, "0.5.0", b"state")
    base = one.base(bytes(32), later)
    assert (base.state, base.software, base.digest) == (b"", "", b"")


def test_another_version_takes_over_the_numbers(script, records) -> None:
    one = sealed(records(script().begun().reported(*WHOLE_SHOE)))
    ledger = LEDGERS.decode(one.base(bytes(32), None).ledger)
    assert ledger == replace(
        UpgradeLedger(),
        day="2025-11-21",
        shoe=1,
        coups=3,
        profile="s42-mini",
        decks=8,
        observed=("result_button",),
    )


def test_a_record_of_an_unknown_kind_is_refused(script, records) -> None:
    stored = records(script().begun().reported(*WHOLE_SHOE))
    strange = replace(stored[-1], record=b"\x92\xa3out\x81\xa4type\xa7strange")
    with pytest.raises(EncodingError, match="strange"):
        finished_shoe("M7", Base(), (*stored[:-1], strange))


def test_records_are_read_across_files(script, record) -> None:
    folder: Path = record(script().begun().reported(*WHOLE_SHOE))
    with open_read_only(folder) as journal:
        shoe = sealed(tuple(journal.records()))
    assert len(as_read(shoe).parts().records) == shoe.heading.last_seq
