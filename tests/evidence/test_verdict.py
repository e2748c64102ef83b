"""The crash matrix detects lost, doubled and unreported records, and counts calls by thread."""

from controller.journal.encoding import link
from controller.journal.values import StoredRecord
from hil.crash.calls import SystemCall, calls_in
from hil.crash.kinds import PointKindName, PointResult
from hil.crash.report import ResultRow, failures, spread, table
from hil.crash.verdict import (
    NOTHING_ACKNOWLEDGED,
    Acknowledgement,
    CrashFinding,
    Defect,
    arrived_writes,
    compare_records,
    last_acknowledgement,
)


def chained(*records: bytes) -> tuple[StoredRecord, ...]:
    chain, stored = bytes(32), []
    for seq, record in enumerate(records, 1):
        chain = link(chain, record)
        stored.append(StoredRecord(seq, record, chain))
    return tuple(stored)


WHOLE = chained(b"a", b"b", b"c")
SECOND = Acknowledgement(2, WHOLE[1].chain.hex())


def test_the_newest_whole_line_is_what_was_acknowledged() -> None:
    assert last_acknowledgement(b"1 aa\n2 bb\n3 c") == Acknowledgement(2, "bb")
    assert last_acknowledgement(b"1 a") == NOTHING_ACKNOWLEDGED


def test_what_devices_received_is_no_acknowledgement_of_a_store() -> None:
    output = b"1 aa\n> /dev/shoe 0a0b\n2 bb\n> /dev/shuffler 0c\n> /dev/shoe 0"

    assert last_acknowledgement(output) == Acknowledgement(2, "bb")
    assert arrived_writes(output) == (("/dev/shoe", b"\x0a\x0b"), ("/dev/shuffler", b"\x0c"))
    assert last_acknowledgement(b"> /dev/shoe 0a\n") == NOTHING_ACKNOWLEDGED


def test_a_missing_acknowledged_record_is_lost() -> None:
    assert compare_records(WHOLE, SECOND, WHOLE) == ()
    assert compare_records(WHOLE[:2], SECOND, WHOLE) == ()
    assert compare_records(WHOLE[:1], SECOND, WHOLE) == (
        CrashFinding(Defect.LOST, "2 acknowledged, 1 found"),
    )
    other = chained(b"a", b"x", b"c")
    assert [one.defect for one in compare_records(other, SECOND, WHOLE)] == [Defect.LOST]


def test_records_beyond_an_undisturbed_run_count_as_doubled() -> None:
    twice = chained(b"a", b"b", b"b")
    assert [one.defect for one in compare_records(twice, SECOND, WHOLE)] == [Defect.DOUBLED]
    longer = chained(b"a", b"b", b"c", b"c")
    assert [one.defect for one in compare_records(longer, SECOND, WHOLE)] == [Defect.DOUBLED]


# --- calls ----------------------------------------------------------------------------------------

LOG = """\
70 pwrite64(3<`/w/t/live.db`>, "`a`", 8, 0) = 8
70 write(1<`pipe:[1]`>, "`a`", 8) = 8
71 openat(AT_FDCWD<`/w`>, "`/w/t/live.db-wal`", O_RDWR) = 3<`/w/t/live.db-wal`>
71 pwrite64(3<`/w/t/live.db-wal`>, "`a`", 8, 0) = 8
71 pwrite64(3<`/w/t/live.db-wal`>, "`a`", 8, 8) = 8
71 rename("`/w/t/shoes/sealing.part`", "`/w/t/shoes/1.shoe`") = 0
71 fsync(4<`/w/t`>) = 0
71 +++ exited with 0 +++
"""


def hexed(text: str) -> str:
    """Encode the text between two of these marks as strace writes it."""
    parts = text.split("`")
    parts[1::2] = ("".join(f"\\x{byte:02x}" for byte in part.encode()) for part in parts[1::2])
    return "".join(parts)


def test_calls_are_counted_by_thread_and_only_those_that_can_be_met_are_points() -> None:
    assert calls_in(hexed(LOG).splitlines(), "/w/t") == (
        SystemCall("pwrite64", 1, 1, "live.db"),
        # The second thread's first call is not a point: the first thread has that number first.
        SystemCall("pwrite64", 2, 2, "live.db-wal"),
        SystemCall("rename", 2, 1, "shoes/1.shoe"),
        SystemCall("fsync", 2, 1, "."),
    )


# --- the table ------------------------------------------------------------------------------------


def test_a_row_counts_each_try_once_in_each_way() -> None:
    row = ResultRow(PointKindName.KILL.value, "kills", control=False)
    lost = CrashFinding(Defect.LOST, "a record is gone")
    row.add("write.1.7", PointResult(3, (("x", lost), ("x", lost), ("y", lost))))

    assert not row.holds
    assert "| kills | 3 | 2 | 0 | 0 |" in table([row])
    assert failures([row], seed=5) == (
        "x: lost: a record is gone\n"
        "    python -m hil.crash --only kill --seed 5 --point 'write.1.7'"
    )


def test_a_control_that_loses_nothing_is_a_failure() -> None:
    control = ResultRow("powercut", "weak", control=True)
    control.add("1", PointResult(4, ()))
    assert not control.holds
    assert "the control lost nothing" in failures([control], seed=1)


def test_a_control_must_lose() -> None:
    control = ResultRow("powercut", "weak", control=True)
    control.add("1", PointResult(4, ()))
    control.add("2", PointResult(4, (("2", CrashFinding(Defect.LOST, "")),)))
    assert control.holds
    assert failures([control], seed=1) == ""
    assert "weak: acknowledged records lost in 1 of 8 points; a control must lose." in table(
        [control]
    )


def test_no_tries_are_not_a_success() -> None:
    row = ResultRow("kill", "kills", control=False)
    assert not row.holds
    assert failures([row], seed=1) == "kills: nothing was tried"


def test_a_short_run_is_spread_evenly_and_its_seed_moves_it() -> None:
    points = [str(number) for number in range(10)]
    assert spread(points, 3, 0) == ("0", "3", "6")
    assert spread(points, 3, 1) == ("1", "4", "7")
    assert spread(points, 99, 1) == tuple(points)
