"""Clock steps found from timestamps alone, and disk levels: recorded once, replayed the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.archive.replay.recovery import recover
from controller.archive.replay.report import ReplayFinding, replay
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.core.state import (
    STEP_NS_MIN,
    UNKNOWN_HOST,
    after_clock_reading,
    after_start,
    encode_state,
)
from controller.core.tape.entries import ClockStepped, DiskLevelRecorded
from controller.core.tape.inputs import ClockEvidence, DiskLevel, DiskSpace, Tick
from controller.core.tape.records import ENTRIES, INPUTS, read_entry
from controller.journal.store import open_read_only
from controller.record.build import build_snapshot
from controller.record.host import (
    SHOWN_NS,
    describe_clock_step,
    describe_disk,
    format_size,
    host_view,
)
from controller.record.snapshot_devices import ClockView, HostView
from controller.rules.actions.actions import CallNoMoreBets, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses
from foundation.timestamp import Timestamp

S = 1_000_000_000
NOON = 1_795_003_200 * S  # 2026-11-18, 12:00 UTC
HOUR = 3600 * S
DAY = 24 * HOUR
GIB = 1 << 30
SAME, OTHER = ClockEvidence.SAME_BOOT, ClockEvidence.OTHER_BOOT
HERE = after_clock_reading(UNKNOWN_HOST, Timestamp(100 * S, NOON))


def after(monotonic_s: int, utc_ns: int):
    return after_clock_reading(HERE, Timestamp(monotonic_s * S, utc_ns))


# --- within one boot ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_ns", "found"),
    [
        (0, False),
        (2 * S, False),
        (-2 * S, False),
        (2 * S + 1, True),
        (-2 * S - 1, True),
        (HOUR, True),
        (-365 * DAY, True),
    ],
)
def test_a_difference_of_more_than_two_seconds_is_a_clock_step(by_ns, found) -> None:
    state = after(160, NOON + 60 * S + by_ns)
    step = ClockStepped(by_ns, NOON + 60 * S + by_ns, SAME)
    assert (state.steps, state.last_step) == ((1, step) if found else (0, None))


def test_the_newest_time_is_never_a_second_or_more_too_early() -> None:
    early = after_clock_reading(HERE, Timestamp(101 * S - 1, NOON + S - 1))
    assert early is HERE

    assert after(101, NOON + S).last_utc_ns == NOON + S


def test_a_clock_step_is_recorded_once() -> None:
    stepped = after(160, NOON - HOUR)
    later = after_clock_reading(stepped, Timestamp(161 * S, NOON - HOUR + S))
    assert later.steps == 1
    assert after_clock_reading(later, Timestamp(162 * S, NOON + 2 * S)).steps == 2


def test_small_differences_that_add_up_are_a_step() -> None:
    state = after_clock_reading(HERE, Timestamp(101 * S, NOON + S + 3 * S // 2))
    assert state.steps == 0
    assert after_clock_reading(state, Timestamp(102 * S, NOON + 2 * S + 3 * S)).steps == 1


def test_an_input_within_the_same_second_keeps_the_state() -> None:
    assert after(100, NOON + S // 2) is HERE


@given(
    moves=st.lists(
        st.tuples(st.integers(0, 20 * S), st.integers(-5 * S, 5 * S)), min_size=1, max_size=30
    )
)
def test_recorded_steps_add_up_to_the_movement_of_the_clock(moves) -> None:
    state, monotonic, utc, recorded = HERE, 100 * S, NOON, 0
    for later, by in moves:
        monotonic, utc = monotonic + later, utc + later + by
        before, state = state.steps, after_clock_reading(state, Timestamp(monotonic, utc))
        if state.steps != before:
            recorded += state.last_step.by_ns
    assert abs((utc - NOON) - (monotonic - 100 * S) - recorded) <= STEP_NS_MIN


# --- between two boots ----------------------------------------------------------------------------


@pytest.mark.parametrize("later", [0, S, 30 * DAY])
def test_a_machine_that_was_off_may_come_back_at_any_later_time(later) -> None:
    state = after_start(HERE, Timestamp(5 * S, NOON + later), same_boot=False)
    assert state.steps == 0
    # The monotonic clock restarted with the machine.
    assert after_clock_reading(state, Timestamp(6 * S, NOON + later + S)).steps == 0


def test_a_clock_set_back_while_the_machine_was_off_is_found_at_the_start_and_once() -> None:
    state = after_start(HERE, Timestamp(5 * S, NOON - HOUR), same_boot=False)
    assert state.last_step == ClockStepped(-HOUR, NOON - HOUR, OTHER)
    again = after_start(state, Timestamp(5 * S, NOON - HOUR + 60 * S), same_boot=False)
    assert again.steps == 1


def test_a_clock_set_while_only_the_program_was_off_is_found_either_way() -> None:
    back = after_start(HERE, Timestamp(400 * S, NOON), same_boot=True)
    assert back.last_step == ClockStepped(-300 * S, NOON, SAME)
    forward = after_start(HERE, Timestamp(101 * S, NOON + HOUR), same_boot=True)
    assert forward.last_step == ClockStepped(HOUR - S, NOON + HOUR, SAME)


def test_the_first_run_has_nothing_to_compare_with() -> None:
    assert after_start(UNKNOWN_HOST, Timestamp(5 * S, 0), same_boot=False).steps == 0


# --- at the table ---------------------------------------------------------------------------------


@pytest.fixture
def running(script):
    """A table between shoes, with its state and entries."""
    table = script()
    core = table.core
    state, _ = core.handle(core.initial(), table.started)
    at = table.started.at
    state, _ = core.handle(state, DiskSpace(at, DiskLevel.LOW, GIB, 2 * GIB, GIB // 16))
    return core, state, at


def moved(at: Timestamp, later_ns: int, by_ns: int) -> Timestamp:
    return Timestamp(at.monotonic_ns + later_ns, at.utc_ns + later_ns + by_ns)


def test_a_clock_set_back_is_recorded_and_the_gaming_day_stays(running) -> None:
    core, state, at = running
    when = moved(at, S, -3 * DAY)
    state, output = core.handle(state, Tick(when))
    assert output.entries == (ClockStepped(-3 * DAY, when.utc_ns, SAME),)
    state, output = core.handle(state, Tick(moved(at, 2 * S, -3 * DAY)))
    assert output.entries == ()


def test_no_earlier_day_comes_again_after_the_clock_was_set_back(running) -> None:
    core, state, at = running
    days = []
    for by_ns in (0, -2 * HOUR, 22 * HOUR):
        call = OperatorAction(
            moved(at, S, by_ns), "D", Role.DEALER, "test", CallNoMoreBets(), "asked"
        )
        state, _ = core.handle(state, call)
        days.append(state.table.today)
    assert days == ["2025-11-21", "2025-11-21", "2025-11-22"]


def test_every_kind_of_input_reveals_a_clock_step(running) -> None:
    core, state, at = running
    item = DiskSpace(moved(at, S, HOUR), DiskLevel.ENOUGH, 9 * GIB, 2 * GIB, GIB // 16)
    _, output = core.handle(state, item)
    assert output.entries == (
        DiskLevelRecorded(DiskLevel.ENOUGH, 9 * GIB, 2 * GIB),
        ClockStepped(HOUR, item.at.utc_ns, SAME),
    )


def test_a_new_run_resets_the_disk_level(running, script) -> None:
    core, state, at = running
    assert state.host.disk == DiskLevelRecorded(DiskLevel.LOW, GIB, 2 * GIB)
    state, _ = core.handle(state, replace(script().started, at=moved(at, S, 0)))
    assert state.host.disk is None


def test_host_state_survives_encoding(running) -> None:
    core, state, at = running
    item = DiskSpace(moved(at, S, HOUR), DiskLevel.STOP, 5, 2 * GIB, GIB // 16)
    after_it, output = core.handle(state, item)
    assert core.devices.read_state(encode_state(after_it)) == after_it
    assert INPUTS.decode(INPUTS.encode(item)) == item
    assert [ENTRIES.decode(ENTRIES.encode(one)) for one in output.entries] == list(output.entries)
    assert INPUTS.encode(item) == (
        b"\x86\xa4type\xaadisk-space\xa2at\x82\xacmonotonic_ns"
        + (b"\xce" + item.at.monotonic_ns.to_bytes(4, "big"))
        + b"\xa6utc_ns"
        + (b"\xcf" + item.at.utc_ns.to_bytes(8, "big"))
        + b"\xa5level\xa4stop\xaafree_bytes\x05\xaawarn_bytes\xce\x80\x00\x00\x00"
        + b"\xaastop_bytes\xce\x04\x00\x00\x00"
    )


# --- text for people -----------------------------------------------------------------------------


def test_status_warns_of_a_low_disk_and_clock_steps(running) -> None:
    core, state, at = running
    state, _ = core.handle(state, Tick(moved(at, S, -HOUR)))
    shown = build_snapshot(core, state)
    text = status_block(shown, CommandHints(), width=400)
    assert (
        "DISK       only 1.0 GiB are free on the journal's disk (limit 2.0 GiB). Remedy:"
        " make room: copy finished shoes elsewhere with `smartshoe journal archive`" in text
    )
    assert "CLOCK      the machine's clock was set back by 1 h, to 2025-11-21 08:" in text
    assert "the gaming day does not change back" in text


def test_status_without_host_problems_has_no_host_lines(script) -> None:
    table = script()
    state, _ = table.core.handle(table.core.initial(), table.started)
    shown = build_snapshot(table.core, state)
    assert shown.host == HostView(None, None, "unknown")
    text = status_block(shown, CommandHints())
    assert "DISK" not in text
    assert "CLOCK" not in text


def test_a_step_of_the_clock_is_shown_for_a_day() -> None:
    state = after(160, NOON - HOUR)
    assert host_view(state).clock == ClockView(
        steps=1,
        by_ms=-(3600 + 60) * 1000,
        at_ns=NOON - HOUR,
        evidence="same_boot",
        text=(
            "the machine's clock was set back by 1 h 1 min, to 2026-11-18 11:00:00 UTC: its"
            " monotonic clock ran on evenly, or the machine slept; the gaming day does not change"
            " back"
        ),
    )
    assert host_view(replace(state, last_utc_ns=NOON - HOUR + SHOWN_NS)).clock is None


@pytest.mark.parametrize(
    ("by_ns", "evidence", "words"),
    [
        (2_500_000_000, SAME, "forward by 2.5 s, to"),
        (-(2 * DAY + 3 * HOUR + 60 * S), SAME, "back by 2 d 3 h, to"),
        (-59_999_999_999, OTHER, "back by at least 59.9 s, to"),
        (3660 * S, SAME, "forward by 1 h 1 min, to"),
    ],
)
def test_a_clock_step_is_described_by_size_and_direction(by_ns, evidence, words) -> None:
    assert words in describe_clock_step(ClockStepped(by_ns, NOON, evidence))


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (64 << 20, "64.0 MiB"),
        ((64 << 20) - 1, "63.9 MiB"),
        (3 * GIB // 2, "1.5 GiB"),
    ],
)
def test_sizes_are_rounded_down(count, words) -> None:
    assert format_size(count) == words


def test_the_text_of_a_full_disk_names_space_limit_and_remedy() -> None:
    words = describe_disk(DiskLevelRecorded(DiskLevel.STOP, 5 << 20, 64 << 20))
    assert words.startswith("5.0 MiB are free on the journal's disk, and below 64.0 MiB no")
    assert words.endswith("then start the table again")
    assert "`smartshoe journal archive`" in words
    enough = describe_disk(DiskLevelRecorded(DiskLevel.ENOUGH, 3 * GIB, 2 * GIB))
    assert enough == "3.0 GiB are free on the journal's disk: enough"
    unknown = describe_disk(DiskLevelRecorded(DiskLevel.UNKNOWN, 0, 2 * GIB))
    assert unknown.startswith("the free space on the journal's disk cannot be read, and no limit")
    assert "Remedy: check the disk" in unknown


# --- on record ------------------------------------------------------------------------------------


def test_a_journal_with_clock_steps_is_replayed_the_same(
    sealed_journal,
) -> None:
    def in_play(script) -> None:
        script.at = moved(script.at, 0, -HOUR)

    def at_a_start(script) -> None:
        script.at = Timestamp(5 * S, script.at.utc_ns - DAY)
        script.begun(boot_id="boot-2")

    journal = sealed_journal(1, trouble=in_play, end=at_a_start)
    with open_read_only(journal) as opened:
        entries = [read_entry(one.record) for one in opened.records()]
    steps = [one for one in entries if isinstance(one, ClockStepped)]
    assert [one.evidence for one in steps] == [SAME, OTHER]
    assert steps[0].by_ns == -HOUR
    assert replay(journal).finding is ReplayFinding.SAME
    with open_read_only(journal) as opened:
        recovered = recover(opened, load_clauses())
    assert recovered.state is not None
    assert recovered.state.host.last_step == steps[1]
