"""A start continues exactly where the journal ends, or says why it cannot and what to do.

Source: D-22, D-27.
"""

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.recovery import (
    RecoveredState,
    RecoveryError,
    recover,
    refusal_to_start,
)
from controller.core.state import encode_state
from controller.core.tape.entries import EventVerdicts, RunBegan
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record, read_entry, read_input
from controller.journal.encoding import GENESIS, link
from controller.journal.store import Journal
from controller.procedure.effects import CoupClosed, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import load_clauses, profile_text
from controller.table.loop import Loop
from controller.version import software_identifier
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp

THIS = software_identifier()
CLAUSES = load_clauses()
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
OTHER = "0.0.9"


def recovered(folder: Path) -> RecoveredState:
    with Journal.open(folder) as journal:
        return recover(journal, CLAUSES)


def edit(folder: Path, *statements: tuple[str, tuple]) -> None:
    connection = sqlite3.connect(folder / "live.db")
    for statement, values in statements:
        connection.execute(statement, values)
    connection.commit()
    connection.close()


def rechained(folder: Path, change) -> None:
    """Change records and recompute the chain over them."""
    with Journal.open(folder) as journal:
        records = [stored.record for stored in journal.records()]
    chain = GENESIS
    rows = []
    for seq, record in enumerate(change(records), start=1):
        chain = link(chain, record)
        rows.append((seq, record, chain))
    edit(
        folder,
        ("DELETE FROM checkpoint", ()),
        ("DELETE FROM records", ()),
        *(("INSERT INTO records(seq, record, chain) VALUES (?, ?, ?)", row) for row in rows),
    )


# --- the same version -----------------------------------------------------------------------------


def states_by_transaction(folder: Path, script, of_journal) -> list[tuple[bytes, bytes]]:
    """After each transaction, the running state and the one that `of_journal` restores."""
    pairs = []
    with Journal.open(folder) as journal:
        loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
        for item in script.inputs:
            if isinstance(item, Started):
                loop.begin(item)
            else:
                loop.take(item)
                loop.store_if_due(force=True)
            found = of_journal(journal)
            pairs.append((encode_state(loop.state), encode_state(found.state)))
    return pairs


def test_the_state_after_every_transaction_from_the_saved_state(troubled_shoe, fast_dir) -> None:
    pairs = states_by_transaction(
        fast_dir / "journal", troubled_shoe, lambda journal: recover(journal, CLAUSES)
    )
    assert [lives == found for lives, found in pairs] == [True] * len(troubled_shoe.inputs)


class WithoutSavedState:
    """A journal without a saved state."""

    saved_state_damage = None

    def __init__(self, journal: Journal) -> None:
        self.head, self.file, self.records = journal.head, journal.file, journal.records
        self.base, self.bases = journal.base, journal.bases

    def saved_state(self) -> None:
        return None


def test_the_state_after_every_transaction_from_the_first_input(troubled_shoe, fast_dir) -> None:
    pairs = states_by_transaction(
        fast_dir / "journal",
        troubled_shoe,
        lambda journal: recover(WithoutSavedState(journal), CLAUSES),
    )
    assert [lives == found for lives, found in pairs] == [True] * len(troubled_shoe.inputs)


def test_the_state_after_every_transaction_of_a_slow_line(troubled_shoe, fast_dir) -> None:
    """Reports arrive in pieces; inputs without a conclusion are stored with the next one."""
    script, pairs = troubled_shoe, []
    with Journal.open(fast_dir / "journal") as journal:
        loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
        for item in script.inputs:
            if isinstance(item, Started):
                loop.store_if_due(force=True)
                loop.begin(item)
                continue
            for piece in pieces_of(item):
                loop.take(piece)
                if loop.store_if_due(force=not isinstance(item, Chunk)) is not None:
                    found = recover(journal, CLAUSES)
                    pairs.append((encode_state(loop.state), encode_state(found.state)))
    assert len(pairs) > 60
    assert [lives == found for lives, found in pairs] == [True] * len(pairs)


def pieces_of(item):
    """An input, or a report in chunks of two bytes as on a slow line, twice."""
    if not isinstance(item, Chunk):
        return [item]
    twice = item.data * 2
    return [replace(item, data=twice[at : at + 2]) for at in range(0, len(twice), 2)]


def test_only_inputs_after_the_saved_state_are_replayed(script, record) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP, *COUP[:3])
    assert recovered(record(played)).inputs == 3


def test_an_empty_journal_gives_no_state(fast_dir, script) -> None:
    nothing = recovered(fast_dir / "journal")
    assert (nothing.run, nothing.state, nothing.shoe_open) == (None, None, False)
    assert nothing.initial_state(script().core) == script().core.initial()


def test_a_damaged_saved_state_is_not_used(troubled_shoe, record) -> None:
    folder = record(troubled_shoe)
    edit(folder, ("UPDATE checkpoint SET state = zeroblob(1024)", ()))
    again = recovered(folder)
    assert again.inputs == len(troubled_shoe.inputs)
    assert again.state == troubled_shoe.state


def test_a_provisional_coup_is_still_provisional(script, record) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP[:4], "47 C0", *COUP[:2])
    state = recovered(record(played)).state.table
    assert state.suspension.dealt
    assert state.shoe.coup.suspended_cards
    assert len(state.suspension.held) == 1


# --- damage ---------------------------------------------------------------------------------------


def without_verdicts(records: list[bytes]) -> list[bytes]:
    """The records without verdicts on cards."""
    changed = []
    for record in records:
        entry = read_entry(record)
        if isinstance(entry, EventVerdicts) and isinstance(entry.event, CardDrawn):
            record = entry_record(replace(entry, verdicts=()))
        changed.append(record)
    return changed


def test_a_changed_entry_is_found_though_the_chain_holds(script, record) -> None:
    folder = record(script().begun().reported(*NEW_SHOE, *COUP))
    rechained(folder, without_verdicts)
    with pytest.raises(RecoveryError) as refused:
        recovered(folder)
    refusal = str(refused.value)
    assert (
        "holds CardDrawn judged , but this program concludes CardDrawn judged accepted" in refusal
    )
    assert "`smartshoe verify` and `smartshoe replay`" in refusal


def test_an_entry_removed_from_the_end_is_found(script, record) -> None:
    folder = record(script().begun().reported(*NEW_SHOE, *COUP))
    rechained(folder, lambda records: records[:-1])
    with pytest.raises(RecoveryError, match="holds nothing, but this program concludes StateDig"):
        recovered(folder)


def test_an_entry_removed_from_the_middle_is_found(script, record) -> None:
    folder = record(script().begun().reported(*NEW_SHOE, *COUP))
    rechained(folder, lambda records: [*records[:-6], *records[-5:]])
    with pytest.raises(RecoveryError, match="Remedy: keep the file as evidence"):
        recovered(folder)


def test_an_invented_entry_refuses_the_start(script, record) -> None:
    folder = record(script().begun().reported(*NEW_SHOE, *COUP))
    rechained(folder, lambda records: [*records, records[-1]])
    with pytest.raises(RecoveryError, match="holds StateDigest, but this program concludes noth"):
        recovered(folder)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda records: [*records, b"\x92\xa2in\xa0"],
        lambda records: [*records, b"\x92\xa3out\xc1"],
        lambda records: [*records, b"nothing of ours"],
        lambda records: records[1:],
        lambda records: [b"nothing of ours"],
    ],
)
def test_an_unreadable_record_refuses_with_the_remedy(script, record, spoil) -> None:
    folder = record(script().begun().reported(*NEW_SHOE, *COUP))
    rechained(folder, spoil)
    with pytest.raises(RecoveryError, match="a record cannot be read") as refused:
        recovered(folder)
    assert "start with another journal folder, and the gap will be declared" in str(refused.value)


def test_an_unknown_first_record_refuses(script, record) -> None:
    folder = record(script().begun().reported(*NEW_SHOE))

    def no_profile(records: list[bytes]) -> list[bytes]:
        started = read_input(records[0])
        return [input_record(replace(started, profile=b"name = 7")), *records[1:]]

    rechained(folder, no_profile)
    with pytest.raises(RecoveryError, match="Remedy: keep the file as evidence"):
        recovered(folder)


# --- settings that changed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"decks": 6}, "rules.decks"),
        ({"profile": profile_text("ny-mini")}, "rules.profile"),
        ({"observed": ()}, "rules.observed"),
        (
            {"decks": 6, "observed": (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)},
            "rules.decks, rules.observed",
        ),
    ],
)
def test_settings_of_an_open_shoe_may_not_change(script, record, settings, named) -> None:
    left = recovered(record(script().begun().reported(*NEW_SHOE)))
    refusal = refusal_to_start(left, script(**settings).core, replace_allowed=False)
    assert refusal.startswith(f"a shoe is open, and {named} changed since it began")
    assert "put the old value back, finish or close the shoe" in refusal


@pytest.mark.parametrize("settings", [{}, {"allow_commands": True}, {"zone": "Asia/Macau"}])
def test_other_settings_may_change_during_a_shoe(script, record, settings) -> None:
    left = recovered(record(script().begun().reported(*NEW_SHOE)))
    assert refusal_to_start(left, script(**settings).core, replace_allowed=False) == ""


def whole_shoe(table):
    """A shoe of two coups, to its end."""
    return table.reported(*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP)


@pytest.mark.parametrize("settings", [{"decks": 6}, {"profile": profile_text("ny-mini")}])
def test_settings_may_change_between_shoes(script, record, settings) -> None:
    left = recovered(record(whole_shoe(script().begun())))
    assert not left.shoe_open
    assert refusal_to_start(left, script(**settings).core, replace_allowed=False) == ""


def test_a_first_start_changes_nothing(script, fast_dir) -> None:
    nothing = recovered(fast_dir / "journal")
    assert refusal_to_start(nothing, script().core, replace_allowed=False) == ""


# --- another version ------------------------------------------------------------------------------


def continue_run(folder: Path, script, *, replaced: str = "") -> RecoveredState:
    """Begin a run of this version on another version's journal, as a table does."""
    with Journal.open(folder) as journal:
        left = recover(journal, CLAUSES)
        state = left.initial_state(script.core)
        loop = Loop(journal, script.core, state, lambda: script.at)
        loop.begin(replace(script.started, replaced=replaced))
        script.state = loop.state
    return left


def test_a_shoe_of_another_version_refuses_with_the_remedy(script, record) -> None:
    left = recovered(record(script(software=OTHER).begun().reported(*NEW_SHOE, *COUP, *COUP[:2])))
    refusal = refusal_to_start(left, script().core, replace_allowed=False)
    assert f"a shoe is open that version {OTHER} began, but this is version {THIS}" in refusal
    assert "--close-coup-as-partial" in refusal


def test_with_close_coup_as_partial_it_may_start(script, record) -> None:
    left = recovered(record(script(software=OTHER).begun().reported(*NEW_SHOE, *COUP, *COUP[:2])))
    assert refusal_to_start(left, script().core, replace_allowed=True) == ""


def test_with_close_coup_as_partial_the_shoes_rules_still_apply(script, record) -> None:
    left = recovered(record(script(software=OTHER).begun().reported(*NEW_SHOE, *COUP)))
    refusal = refusal_to_start(left, script(decks=6).core, replace_allowed=True)
    assert "rules.decks changed since it began" in refusal


def test_the_coup_on_the_table_is_held_for_a_floorperson(script, record) -> None:
    folder = record(script(software=OTHER).begun().reported(*NEW_SHOE, *COUP, *COUP[:2]))
    table = script()
    continue_run(folder, table, replaced=OTHER)
    state = table.state.table
    assert (state.phase, state.shoe.coup.number, state.shoe.coup.partial) == (
        Phase.SUSPENDED,
        2,
        True,
    )
    table.at = Timestamp(2_000_000_000_000, table.at.utc_ns)
    table.resolved()
    closed = table.of(CoupClosed)[-1].record
    assert (closed.coup, closed.fate) == (2, CoupFate.VOID)


def test_numbers_continue_in_a_shoe_taken_over(script, record) -> None:
    folder = record(script(software=OTHER).begun().reported(*NEW_SHOE, *COUP, *COUP))
    table = script()
    continue_run(folder, table, replaced=OTHER)
    table.resolved()
    table.opened()
    table.reported(*COUP)
    closed = table.of(CoupClosed)[-1].record
    assert (closed.gaming_day, closed.shoe, closed.coup) == ("2025-11-21", 1, 3)


@pytest.mark.parametrize(("later_ns", "number"), [(0, 3), (24 * 3600 * 10**9, 1)])
def test_numbers_continue_between_shoes(script, record, later_ns, number) -> None:
    old = script(software=OTHER).begun()
    folder = record(whole_shoe(whole_shoe(old)))
    table = script()
    table.at = old.at
    table.later(later_ns)
    left = continue_run(folder, table)
    assert refusal_to_start(left, table.core, replace_allowed=False) == ""
    table.opened()
    table.reported("53")
    assert [one.shoe for one in table.of(ShoeOpened)] == [number]


def test_numbers_of_irregularities_continue(script, record) -> None:
    old = script(software=OTHER).begun().reported(*NEW_SHOE, *OVERDRAW)
    old.resolved()
    table = script()
    continue_run(record(old), table, replaced=OTHER)
    assert [one.number for one in table.state.table.open_irregularities] == [2]


def test_the_gaming_day_does_not_go_back_with_another_version(script, record) -> None:
    day_ns = 24 * 3600 * 10**9
    old = script(software=OTHER, utc_ns=1_763_715_600 * 10**9 + day_ns).begun()
    folder = record(whole_shoe(old))
    table = script()
    continue_run(folder, table)
    table.opened()
    table.reported("53")
    opened = table.of(ShoeOpened)[0]
    assert (opened.gaming_day, opened.shoe) == ("2025-11-22", 2)


def test_a_start_after_another_versions_start_continues_from_it(script, record) -> None:
    folder = record(whole_shoe(script(software=OTHER).begun()))
    table = script()
    continue_run(folder, table)
    again = recovered(folder)
    assert encode_state(again.state) == encode_state(table.state)


def test_what_another_version_concluded_does_not_stop_this_one(script, record) -> None:
    folder = record(whole_shoe(script(software=OTHER).begun()))
    rechained(folder, without_verdicts)
    table = script()
    continue_run(folder, table)
    assert encode_state(recovered(folder).state) == encode_state(table.state)


def test_a_version_between_two_runs_of_this_one(script, record) -> None:
    first = script().begun()
    folder = record(whole_shoe(first))
    with Journal.open(folder) as journal:
        between = script(software=OTHER)
        state = recover(journal, CLAUSES).state
        loop = Loop(journal, between.core, state, lambda: between.at)
        loop.begin(between.started)
    table = script()
    continue_run(folder, table)
    assert table.state.table.shoe_number == 1
    assert encode_state(recovered(folder).state) == encode_state(table.state)


def test_every_run_is_recorded(script, record) -> None:
    folder = record(whole_shoe(script(software=OTHER).begun()))
    continue_run(folder, script())
    with Journal.open(folder) as journal:
        entries = [read_entry(stored.record) for stored in journal.records()]
    assert [e.software for e in entries if isinstance(e, RunBegan)] == [OTHER, THIS]
