"""The core: total, deterministic, its state can be stored, and it locks a suspended table's shoe.

Source: wire document, commands.
"""

from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_words import in_words
from msgspec import UNSET
from msgspec.structs import replace

from controller.archive.replay.report import ReplayFinding, replay
from controller.archive.replay.upgrade import UpgradeLedger, carried_over_state
from controller.cli.main import main
from controller.core.core import begin_due_day
from controller.core.gaming_day import GamingCalendar
from controller.core.state import Transition, encode_state
from controller.core.tape.entries import (
    CommandGiven,
    DeviceEventRecorded,
    EventVerdicts,
    RunBegan,
    StateDigest,
)
from controller.core.tape.inputs import ClockSync, ClockSyncRead, NoiseDropped, Tick
from controller.core.tape.records import INPUTS, entry_record, input_record
from controller.custody.state import CustodyState, ShoeCustody
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.outlets.control.answer_schema import RecordedAnswer
from controller.outlets.control.answers import answered_entries
from controller.procedure.effects import ActRecord, CoupClosed, Prompt, Refusal, ShoeOpened
from controller.procedure.events import CustodyFindingRaised, GamingDayChanged, ProgramReplaced
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity
from controller.record.build import build_snapshot
from controller.rules.actions.actions import (
    CallNoMoreBets,
    ChangeSetting,
    ClearShoeError,
    CloseShoe,
    CollectVigorish,
    GiveNotice,
    GiveUpReveal,
    LockShoe,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    SetGamingDay,
    StateWagers,
    UnlockShoe,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import complete_text, load_profile
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words
from drivers.events import CommandAnswered, CommandOutcome, Stage, StageChanged
from drivers.faults import DeviceFault
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
# Literals of the wire document: STX, "OPLK", 02 or 01, ETX, BCC.
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
UNLOCK = bytes.fromhex("02 4F 50 4C 4B 30 31 03 31 38")
CLEAR_1 = bytes.fromhex("02 4F 50 45 43 30 31 03 31 39")
ACK = b"\x06"

CODES = st.sampled_from([*NEW_SHOE, *OVERDRAW, "47 90", "47 F0", "43", "64 90 95", "52 81 B1"])
WRONG_WAY = st.binary(max_size=40)
RESOLUTIONS = st.builds(
    Resolution,
    st.sampled_from(FloorDecision),
    st.none() | st.sampled_from(Provisional),
    st.none() | st.sampled_from(Outcome),
)
WAGERS = st.builds(Wager, st.integers(1, 9), st.sampled_from(WagerKind), st.integers(1, 10**6))
SETTINGS = st.sampled_from(["vig_rate", "dragon_bonus_table", "nothing"])
ACTIONS = st.one_of(
    RESOLUTIONS,
    st.just(CloseShoe()),
    st.just(CallNoMoreBets()),
    st.just(LockShoe()),
    st.just(UnlockShoe()),
    st.builds(ClearShoeError, st.integers(1, 99)),
    st.from_type(ReportTurned),
    st.just(ReportFaceUp()),
    st.from_type(GiveUpReveal),
    st.just(RequestGhostHand()),
    st.builds(RecordAct, st.sampled_from(ActKind), batch=st.sampled_from(["", "red", "blue"])),
    st.builds(StateWagers, st.lists(WAGERS, max_size=4).map(tuple)),
    st.builds(CollectVigorish, st.integers(1, 9)),
    st.builds(VacateSeat, st.integers(1, 9)),
    st.builds(GiveNotice, SETTINGS, st.sampled_from(["4", "5", "x"]), st.just("players")),
    st.builds(ChangeSetting, SETTINGS, st.sampled_from(["4", "5", "x"])),
)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
# One input each: (kind, value, how much later). Code: a good report; bytes: anything at all.
GIVEN = st.one_of(
    st.tuples(st.just("report"), CODES),
    st.tuples(st.just("bytes"), WRONG_WAY),
    st.tuples(st.just("missed"), st.integers(1, 20)),
    st.tuples(st.just("act"), ACTIONS),
    st.tuples(st.just("opened"), st.none()),
    st.tuples(st.just("lost"), WORDS),
    st.tuples(st.just("tick"), st.none()),
    st.tuples(st.just("started"), st.sampled_from(["boot-1", "boot-2"])),
)
STEPS = st.lists(st.tuples(GIVEN, st.sampled_from([0, 10**8, 3 * 10**8, 10**11, -(10**10)])))


def give(script, kind: str, value) -> None:
    at = script.at
    match kind:
        case "report":
            script.reported(value)
        case "bytes":
            script.give(Chunk(PORT, at, value))
        case "missed":
            script.reports_missed(value)
        case "act":
            script.acted(value)
        case "opened":
            script.opened()
        case "lost":
            script.give(PortLost(PORT, at, message("in_its_own_words", foreign=value)))
        case "tick":
            script.give(Tick(at))
        case "started":
            script.give(replace(script.started, at=at, boot_id=value))


def run_steps(script, steps, *, allow_commands: bool):
    table = script(allow_commands=allow_commands).begun()
    for (kind, value), later_ns in steps:
        moved = max(0, table.at.monotonic_ns + later_ns)
        table.at = Timestamp(moved, table.at.utc_ns + later_ns)
        give(table, kind, value)
    return table


@settings(max_examples=150)
@given(STEPS, st.booleans())
def test_no_input_raises_and_every_input_and_entry_can_be_stored(
    script, steps, allow_commands
) -> None:
    table = run_steps(script, steps, allow_commands=allow_commands)
    assert all(map(input_record, table.inputs))
    assert all(map(entry_record, table.entries))


@settings(max_examples=40)
@given(STEPS, st.booleans())
def test_same_inputs_give_same_entries_and_state(script, steps, allow_commands) -> None:
    table = run_steps(script, steps, allow_commands=allow_commands)
    again = script(allow_commands=allow_commands)
    for item in table.inputs:
        again.give(INPUTS.decode(INPUTS.encode(item)))
    assert again.outputs == table.outputs


@settings(max_examples=40)
@given(STEPS)
def test_state_can_be_stored_and_restored_after_any_input(script, steps) -> None:
    table = run_steps(script, steps, allow_commands=True)
    assert table.core.devices.read_state(encode_state(table.state)) == table.state


@settings(max_examples=40)
@given(STEPS)
def test_without_allow_commands_nothing_is_written(script, steps) -> None:
    assert run_steps(script, steps, allow_commands=False).writes == []


def test_a_run_begins_with_its_profile_and_settings(script) -> None:
    began = script().give(script().started).entries[0]
    assert began == RunBegan(
        table="M7",
        software=script().started.software,
        profile="s42-mini",
        decks=8,
        observed=("result_button",),
        assumed=load_profile("s42-mini").assumed,
        same_boot=False,
        house=(),
    )


def test_a_run_begins_with_its_house_rules(script, tmp_path) -> None:
    grand = tmp_path / "grand.toml"
    grand.write_text('name = "grand"\nbase = "s42-mini"\nvig_rate = 4\ndecks_per_shoe = 6\n')
    profile = load_profile(str(grand))

    table = script(profile=complete_text(profile))
    began = table.give(table.started).entries[0]

    assert isinstance(began, RunBegan)
    assert (began.profile, began.house) == ("grand", ("decks_per_shoe", "vig_rate"))
    assert "decks_per_shoe" not in began.assumed


def test_the_gaming_day_changes_before_the_first_event(script) -> None:
    entries = script().begun().reported("53").of(EventVerdicts)
    assert entries[0].event == GamingDayChanged("2025-11-21")


def test_a_verdict_precedes_its_effects(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    kinds = [type(entry) for entry in table.outputs[-1].entries]
    assert kinds == [EventVerdicts, CoupClosed, StateDigest]


def test_reports_in_one_chunk_are_processed_in_order(script) -> None:
    apart = script().begun().reported(*NEW_SHOE, *COUP[:4])
    joined = script().begun()
    chunks = [item.data for item in apart.inputs if isinstance(item, Chunk)]
    joined.give(Chunk(PORT, joined.at, b"".join(chunks)))
    assert joined.of(EventVerdicts) == apart.of(EventVerdicts)


def test_a_saved_state_matches_its_digest(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    output = table.outputs[-1]
    assert output.entries[-1] == StateDigest(sha256(output.saved_state).digest())
    assert table.core.devices.read_state(output.saved_state) == table.state


def test_every_coup_that_ends_in_one_input_has_its_digest(script) -> None:
    """A reader's frame may hold the cards of several coups; so may this chunk."""
    apart = script().begun().reported(*NEW_SHOE, *COUP, *COUP, COUP[0])
    joined = script().begun()
    chunks = [item.data for item in apart.inputs if isinstance(item, Chunk)]
    output = joined.give(Chunk(PORT, joined.at, b"".join(chunks)))
    kinds = [type(one) for one in output.entries if isinstance(one, CoupClosed | StateDigest)]
    assert kinds == [CoupClosed, StateDigest, CoupClosed, StateDigest, StateDigest]
    assert output.entries[-1] == StateDigest(sha256(output.saved_state).digest())
    assert joined.core.devices.read_state(output.saved_state) == joined.state


def test_the_state_is_saved_at_the_end_of_coups_and_shoes(troubled_shoe) -> None:
    script = troubled_shoe
    ended = [output for output in script.outputs if output.saved_state]
    assert len(ended) == len(script.of(StateDigest))
    assert 0 < len(ended) < len(script.outputs) // 4


def test_noise_that_is_not_stored_is_a_device_fault_with_its_count(script) -> None:
    table = script().begun()
    before = table.state
    table.give(NoiseDropped(PORT, table.at, 123_456, 400_000, b"\x05\x34"))
    (noted,) = table.outputs[-1].entries
    assert isinstance(noted, DeviceEventRecorded)
    assert in_words(noted.event) == DeviceFault(
        LinkFaultKind.NOISE,
        "123456 bytes that brought no new report were counted and not stored: at most 400000 of"
        " such bytes are stored in an hour. Check the port's line settings, its cable, and what is"
        " connected there",
    )
    assert table.state.table is before.table


# --- what a new run begins with -------------------------------------------------------------------


def test_a_run_begins_with_every_port_closed(script) -> None:
    table = script().begun().reported("53")
    output = table.give(table.started)
    lost = StageChanged(Stage.LOST, message("program_was_restarted"))
    assert DeviceEventRecorded(PORT, lost) in output.entries


def test_a_first_run_loses_no_port(script) -> None:
    table = script()
    assert [type(entry) for entry in table.give(table.started).entries] == [RunBegan]


def test_a_restart_in_the_same_boot_is_recognized(script) -> None:
    table = script().begun().begun("boot-1").begun("boot-2")
    assert [run.same_boot for run in table.of(RunBegan)] == [False, True, False]


def test_a_run_of_another_version_holds_the_coup(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:2])
    table.give(replace(table.started, software="9.9.9", replaced="0.0.9"))
    assert ProgramReplaced("9.9.9") in [one.event for one in table.of(EventVerdicts)]
    assert table.state.table.phase is Phase.SUSPENDED


# --- the lock ---------------------------------------------------------------------------------


@pytest.fixture
def suspended(script):
    """A table with allow_commands, suspended by an overdraw."""
    return script(allow_commands=True).begun().reported(*NEW_SHOE, *OVERDRAW)


def test_a_suspended_table_locks_its_shoe(suspended) -> None:
    assert suspended.outputs[-1].writes == ((PORT, LOCK),)
    assert (
        CommandGiven(
            PORT, message("device_command", command="LockExit"), message("table_is_suspended")
        )
        in suspended.entries
    )


def test_the_reason_for_a_lock_precedes_the_command(suspended) -> None:
    kinds = [type(entry) for entry in suspended.outputs[-1].entries]
    assert kinds.index(EventVerdicts) < kinds.index(CommandGiven)


def test_a_resolution_unlocks_the_shoe(suspended) -> None:
    suspended.give(Chunk(PORT, suspended.at, ACK))
    assert suspended.resolved().writes == ((PORT, UNLOCK),)


def test_a_second_irregularity_sends_no_second_lock(suspended) -> None:
    suspended.reported("44 83 A4")
    assert suspended.writes == [LOCK]


def test_a_lock_is_sent_again_after_the_port_reopens(suspended) -> None:
    suspended.lost()
    assert suspended.opened().writes == ((PORT, LOCK),)


def test_a_shoe_that_reports_unlocked_is_locked_again_while_no_card_may_be_drawn(
    suspended,
) -> None:
    suspended.give(Chunk(PORT, suspended.at, ACK))
    suspended.reported("4C 80")
    assert suspended.outputs[-1].writes == ((PORT, LOCK),)

    suspended.give(Chunk(PORT, suspended.at, ACK))
    suspended.resolved()
    suspended.give(Chunk(PORT, suspended.at, ACK))
    suspended.reported("4C 80")
    assert suspended.outputs[-1].writes == ()


def test_a_start_refuses_a_stored_state_whose_custody_contradicts_itself(script) -> None:
    """The start changes nothing of custody, so only the start itself can look at it."""
    script = script().begun()
    shoe = ShoeCustody(in_play="red-0009")
    script.state = replace(script.state, custody=CustodyState((), shoe))
    with pytest.raises(AssertionError, match="in play but not bound"):
        script.begun(boot_id="boot-2")


def test_a_lock_is_sent_again_after_a_restart(suspended) -> None:
    assert suspended.begun(boot_id="boot-2").outputs[-1].writes == ((PORT, LOCK),)


def test_nothing_is_written_before_the_port_is_open_again(suspended) -> None:
    restarted = suspended.give(suspended.started)
    assert restarted.writes == ()


def test_an_unlock_is_not_sent_again_after_the_port_reopens(suspended) -> None:
    suspended.resolved()
    suspended.lost()
    assert suspended.opened().writes == ()


@pytest.mark.parametrize("boot_id", ["boot-1", "boot-2"])
def test_an_unlock_is_not_sent_again_after_a_restart(suspended, boot_id) -> None:
    suspended.resolved()
    before = len(suspended.writes)
    suspended.begun(boot_id)
    suspended.later(10**12)
    suspended.give(Tick(suspended.at))
    assert suspended.writes[before:] == []


def test_a_missing_answer_is_recorded(suspended) -> None:
    suspended.begun(boot_id="boot-2")
    answers = [
        n.event for n in suspended.of(DeviceEventRecorded) if isinstance(n.event, CommandAnswered)
    ]
    assert [(a.command, a.outcome) for a in answers] == [("LockExit", CommandOutcome.NO_ANSWER)]


def test_a_run_begins_without_deadlines_of_the_last_run(suspended) -> None:
    assert suspended.core.next_deadline_ns(suspended.state) is not None
    suspended.give(suspended.started)
    assert suspended.core.next_deadline_ns(suspended.state) is None


def test_a_suspended_table_locks_once_commands_are_allowed(script) -> None:
    listening = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    allowed = script(allow_commands=True)
    allowed.state = listening.state
    assert allowed.begun().outputs[-1].writes == ((PORT, LOCK),)


def test_a_table_without_allow_commands_wants_no_lock(suspended, script) -> None:
    listening = script()
    listening.state = suspended.state
    listening.begun()
    assert listening.of(CommandGiven) == []


# --- commands by a person -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "written"),
    [(LockShoe(), LOCK), (UnlockShoe(), UNLOCK), (ClearShoeError(1), CLEAR_1)],
)
def test_a_person_commands_the_shoe(script, action, written) -> None:
    table = script(allow_commands=True).begun().reported("53")
    assert table.acted(action).writes == ((PORT, written),)


def test_person_and_reason_of_a_command_are_recorded(script) -> None:
    table = script(allow_commands=True).begun()
    given = table.acted(LockShoe(), Role.PIT_MANAGER).entries[0]
    assert (given.port, to_words(given.command)) == (PORT, "LockExit")
    assert to_words(given.why) == "pit_manager A. Floor: seen by me"


def test_a_lock_by_a_person_is_sent_again_after_a_restart(script) -> None:
    table = script(allow_commands=True).begun()
    table.acted(LockShoe())
    assert table.begun().outputs[-1].writes == ((PORT, LOCK),)


def test_a_lock_that_a_person_released_is_not_sent_again(script) -> None:
    table = script(allow_commands=True).begun()
    table.acted(LockShoe())
    table.acted(UnlockShoe())
    assert table.begun().outputs[-1].writes == ()


def test_a_person_cannot_unlock_a_suspended_table(suspended) -> None:
    output = suspended.acted(UnlockShoe())
    refused = Refusal("unlock-shoe", message("suspended_resolve_first"))
    assert (output.entries, output.writes) == ((refused,), ())


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe(), ClearShoeError(1)])
def test_without_allow_commands_an_action_is_refused_with_the_remedy(script, action) -> None:
    table = script().begun()
    output = table.acted(action)
    assert len(output.entries) == 1
    assert isinstance(output.entries[0], Refusal)
    assert "set allow_commands = true" in to_words(output.entries[0].why)


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe()])
def test_a_refused_lock_is_not_wanted(script, action) -> None:
    table = script().begun()
    table.acted(action)
    assert table.state.lock_wanted is None


def test_a_refused_decision_names_the_permitted_ones(suspended) -> None:
    resolution = Resolution(FloorDecision.STATE_OUTCOME, outcome=Outcome.TIE)
    output = suspended.acted(resolution)
    permitted = "carry-card, burn-card, close-shoe"
    why = f"state-outcome is not permitted here; permitted: {permitted}"
    assert in_words(output.entries[-1]) == Refusal("resolve", why)


def test_the_troubled_shoe_has_every_kind_of_input(troubled_shoe) -> None:
    kinds = {type(item) for item in troubled_shoe.inputs}
    assert {PortOpened, PortLost, Chunk, OperatorAction} < kinds


# --- settings changed at the table ---------------------------------------------------------------


def test_custody_counts_faces_by_the_current_number_of_decks(script) -> None:
    table = script(observed=()).begun()
    table.acted(ChangeSetting("decks_per_shoe", "6"))
    table.reported(*NEW_SHOE, *(COUP[0], COUP[1], COUP[2], COUP[3]) * 7)
    found = [
        one.event.finding
        for one in table.of(EventVerdicts)
        if isinstance(one.event, CustodyFindingRaised)
    ]
    assert {one.code for one in found} == {"TOO_MANY_OF_A_CARD"}
    assert "a shoe of 6 decks" in to_words(found[0].detail)


S = 1_000_000_000
DAY = 86_400 * S
TODAY, IN_2038 = "2025-11-21", "2038-01-19"
TO_2038 = 4442 * DAY  # from 2025-11-21
FIRST_CARDS = ("53", "50", "44 C0 91", "44 D1 C7")


@pytest.fixture
def table(script):
    """A table between two shoes: shoe 1 of its gaming day was closed."""
    table = script().begun().reported(*FIRST_CARDS)
    table.acted(CloseShoe())
    return table


def off_for(table, ns: int) -> None:
    """The machine is off, and comes back when its clock shows so much later."""
    table.at = Timestamp(5 * S, table.at.utc_ns + ns)
    table.begun(boot_id=f"boot-{table.at.utc_ns}")


def clock_set(table, by_ns: int) -> None:
    table.at = Timestamp(table.at.monotonic_ns + S, table.at.utc_ns + S + by_ns)
    table.give(ClockSyncRead(table.at, ClockSync.UNKNOWN))


def shoe_opened(table) -> tuple[str, int]:
    table.reported(*FIRST_CARDS)
    opened = table.of(ShoeOpened)[-1]
    return opened.gaming_day, opened.shoe


def stated(table, day: str) -> Refusal | ActRecord:
    return table.acted(SetGamingDay(day)).entries[1]


def due(table) -> bool:
    calls = build_snapshot(table.core, table.state).due_calls
    return any("set-gaming-day" in one for one in calls)


def irregularities(table) -> list[str]:
    judged = [one.verdicts for one in table.of(EventVerdicts)]
    return [one.code.value for found in judged for one in found if isinstance(one, Irregularity)]


# --- a jump waits for a person -------------------------------------------------------------------


@pytest.mark.parametrize("by_ns", [DAY + S, TO_2038, -2 * DAY, -50 * 365 * DAY])
def test_a_jump_of_more_than_a_day_changes_no_gaming_day_and_says_what_is_due(table, by_ns) -> None:
    off_for(table, by_ns)

    assert table.state.table.today == TODAY
    assert due(table)
    assert to_words(table.of(Prompt)[-1].text).startswith("the clock moved by more than a day")


def test_a_night_in_which_the_machine_was_off_is_no_jump(table) -> None:
    off_for(table, 23 * 3600 * S)

    assert not due(table)
    assert shoe_opened(table) == ("2025-11-22", 1)


def test_a_table_that_runs_for_days_without_a_shoe_asks_nobody(table) -> None:
    table.later(3 * DAY)

    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_clock_that_somebody_set_while_the_machine_ran_waits_too(table) -> None:
    clock_set(table, TO_2038)

    assert due(table)


def test_the_first_run_has_no_day_that_could_jump(script) -> None:
    table = script().begun()
    off_for(table, TO_2038)

    assert shoe_opened(table) == (IN_2038, 1)


def test_a_shoe_opened_before_the_word_is_of_the_old_day_and_suspends_the_table(table) -> None:
    off_for(table, TO_2038)
    table.reported(FIRST_CARDS[0])

    opened = table.of(ShoeOpened)[-1]
    assert (opened.gaming_day, opened.shoe) == (TODAY, 2)
    assert irregularities(table) == ["OPENING_INCOMPLETE"]
    assert table.state.table.phase is Phase.SUSPENDED


def test_a_jump_within_a_shoe_waits_for_the_next_shoe(table, opening_and_coups) -> None:
    table.reported(*opening_and_coups(1)[:-1])
    clock_set(table, TO_2038)
    table.reported("47 90")

    assert irregularities(table) == []
    assert table.state.table.today == TODAY


def test_a_clock_that_is_right_again_asks_nobody(table) -> None:
    off_for(table, TO_2038)
    clock_set(table, -TO_2038)

    assert not due(table)
    assert shoe_opened(table) == (TODAY, 2)
    assert irregularities(table) == []


# --- the word of a person ------------------------------------------------------------------------


def test_the_day_begins_that_a_person_states(table) -> None:
    off_for(table, 3 * DAY)
    act = stated(table, "2025-11-24")

    assert (act.what, act.person) == ("set-gaming-day", "A. Floor")
    assert (
        to_words(act.detail) == f"the gaming day is 2025-11-24, stated by a person; it was {TODAY}"
    )
    assert not due(table)
    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_day_that_the_clock_does_not_give_is_refused(table) -> None:
    off_for(table, TO_2038)
    refusal = stated(table, TODAY)

    assert to_words(refusal.why) == (
        f'day: "{TODAY}" is not the gaming day of the machine\'s clock. Allowed: {IN_2038}. Remedy:'
        " if that is wrong, set the machine's clock first"
    )
    assert due(table)


def test_a_day_that_is_already_so_is_refused(table) -> None:
    assert to_words(stated(table, TODAY).why) == (
        f"the gaming day is {TODAY} already, and nothing waits for it to be stated"
    )


def test_an_answer_at_the_socket_names_the_act(table) -> None:
    off_for(table, 3 * DAY)
    output = table.acted(SetGamingDay("2025-11-24"))

    first, *_ = answered_entries(output.entries, table.core.book, table.state.table)
    assert first == RecordedAnswer((), {}, what="set-gaming-day", person="A. Floor")


# --- a wrong day is put right --------------------------------------------------------------------


@pytest.fixture
def wrong_day(table):
    """A person took 2038 for right; a shoe was dealt; then the clock was set right."""
    off_for(table, TO_2038)
    stated(table, IN_2038)
    assert shoe_opened(table) == (IN_2038, 1)
    table.acted(CloseShoe())
    clock_set(table, -TO_2038)
    return table


def test_a_wrong_day_stays_until_a_person_puts_it_right(wrong_day) -> None:
    assert wrong_day.state.table.today == IN_2038
    stated(wrong_day, TODAY)

    assert wrong_day.state.table.today == TODAY
    assert not due(wrong_day)


def test_no_two_shoes_have_one_name_after_a_day_was_put_back(wrong_day) -> None:
    stated(wrong_day, TODAY)
    names = [shoe_opened(wrong_day)]
    wrong_day.acted(CloseShoe())
    names.append(shoe_opened(wrong_day))

    assert names == [(TODAY, 1001), (TODAY, 1002)]


def test_the_wrong_day_has_no_name_twice_when_it_comes(table) -> None:
    off_for(table, 2 * DAY)
    stated(table, "2025-11-23")
    first = shoe_opened(table)
    table.acted(CloseShoe())
    clock_set(table, -2 * DAY)
    stated(table, TODAY)
    table.later(2 * DAY)

    assert (first, shoe_opened(table)) == (("2025-11-23", 1), ("2025-11-23", 1001))
    table.acted(CloseShoe())
    table.later(DAY)
    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_day_without_a_shoe_is_put_back_without_a_trace_in_the_numbers(table) -> None:
    off_for(table, TO_2038)
    stated(table, IN_2038)
    clock_set(table, -TO_2038)
    stated(table, TODAY)

    assert shoe_opened(table) == (TODAY, 2)
    assert table.state.table.days_put_back is UNSET


@pytest.fixture
def put_right(wrong_day, stored_and_sealed, fast_dir: Path) -> Path:
    """The journal of it, with a shoe of 2038 between two of the right day, all sealed."""
    stated(wrong_day, TODAY)
    shoe_opened(wrong_day)
    wrong_day.acted(CloseShoe())
    folder = fast_dir / "journal"
    stored_and_sealed(folder, wrong_day, fast_dir / "table.key")
    return folder


def test_sealed_shoes_are_read_in_the_order_of_their_records(put_right: Path) -> None:
    names = ["/".join(path.parts[-2:]) for path in sealed_files(put_right)]

    assert names == [f"{TODAY}/0001.shoe", f"{IN_2038}/0001.shoe", f"{TODAY}/1001.shoe"]
    with open_read_only(put_right) as journal:
        assert [one.seq for one in journal.records()] == list(range(1, journal.head.seq + 1))


def test_a_journal_with_a_day_put_back_verifies_and_replays_the_same(put_right: Path) -> None:
    report = verify(put_right)
    assert (report.intact, report.problems) == (True, [])
    assert replay(put_right).finding is ReplayFinding.SAME


def test_an_audit_finds_nothing_wrong_in_it(put_right: Path, capsys) -> None:
    assert main(("audit", str(put_right), "--jobs", "1")) == 0, capsys.readouterr().out


# --- no earlier day ------------------------------------------------------------------------------


def test_a_clock_behind_the_last_shoe_of_another_program_begins_no_earlier_day(script) -> None:
    """It was set back, and the program updated: the numbers of that day's shoes are used."""
    table = script()
    ledger = UpgradeLedger(day="2025-11-23", shoe=4, profile="s42-mini", decks=8)
    table.state = carried_over_state(table.core, ledger)

    table.begun()

    assert shoe_opened(table) == ("2025-11-23", 5)
    table.acted(CloseShoe())
    table.later(DAY)
    assert shoe_opened(table) == ("2025-11-23", 6), "the clock shows the 22nd"


def test_a_day_that_begins_later_from_now_on_brings_no_earlier_day_back(table) -> None:
    """The house moves the beginning of its day by a day and more: zone and hour in table.toml."""
    tomorrow = table.core.calendar.day_of(table.at.utc_ns + DAY)
    state = replace(
        table.state, day=tomorrow, table=replace(table.state.table, today=tomorrow.name)
    )
    later = GamingCalendar(ZoneInfo("Etc/GMT+12"), 23 * 3600)
    at = Timestamp(table.at.monotonic_ns + 2 * DAY, tomorrow.until_ns)
    assert later.day_of(at.utc_ns).name < tomorrow.name

    turned = begin_due_day(table.core.book, later, Transition(state), at)

    assert turned.state.table.today == tomorrow.name
