"""The judge of the matrix sees what is lost, doubled and untold, and counts calls by thread.

Responsible for: comparing records with what was acknowledged, the table, and the list of calls.
Source: hil/README.md, "The crash and damage matrix".
"""

from controller.journal.record import link
from controller.journal.values import StoredRecord
from hil.crash.calls import Call, calls_in
from hil.crash.kinds import KindName, Tried
from hil.crash.report import Row, failures, spread, table
from hil.crash.verdict import NO_ACK, Ack, Finding, Wrong, against, last_ack


def chained(*records: bytes) -> tuple[StoredRecord, ...]:
    chain, stored = bytes(32), []
    for seq, record in enumerate(records, 1):
        chain = link(chain, record)
        stored.append(StoredRecord(seq, record, chain))
    return tuple(stored)


WHOLE = chained(b"a", b"b", b"c")
SECOND = Ack(2, WHOLE[1].chain.hex())


def test_the_newest_whole_line_is_what_was_acknowledged() -> None:
    assert last_ack(b"1 aa\n2 bb\n3 c") == Ack(2, "bb")
    assert last_ack(b"1 a") == NO_ACK


def test_what_was_acknowledged_is_there_or_lost() -> None:
    assert against(WHOLE, SECOND, WHOLE) == ()
    assert against(WHOLE[:2], SECOND, WHOLE) == ()
    assert against(WHOLE[:1], SECOND, WHOLE) == (Finding(Wrong.LOST, "2 acknowledged, 1 found"),)
    other = chained(b"a", b"x", b"c")
    assert [one.wrong for one in against(other, SECOND, WHOLE)] == [Wrong.LOST]


def test_what_no_undisturbed_run_stores_counts_as_doubled() -> None:
    twice = chained(b"a", b"b", b"b")
    assert [one.wrong for one in against(twice, SECOND, WHOLE)] == [Wrong.DOUBLED]
    longer = chained(b"a", b"b", b"c", b"c")
    assert [one.wrong for one in against(longer, SECOND, WHOLE)] == [Wrong.DOUBLED]


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
    """What stands between two of these signs, as strace writes it."""
    parts = text.split("`")
    parts[1::2] = ("".join(f"\\x{byte:02x}" for byte in part.encode()) for part in parts[1::2])
    return "".join(parts)


def test_calls_are_counted_by_thread_and_only_those_that_can_be_met_are_points() -> None:
    assert calls_in(hexed(LOG).splitlines(), "/w/t") == (
        Call("pwrite64", 1, 1, "live.db"),
        # The first of the second thread cannot be met: the first thread comes to that number first.
        Call("pwrite64", 2, 2, "live.db-wal"),
        Call("rename", 2, 1, "shoes/1.shoe"),
        Call("fsync", 2, 1, "."),
    )


# --- the table ------------------------------------------------------------------------------------


def test_a_row_counts_each_try_once_in_each_way() -> None:
    row = Row(KindName.KILL.value, "kills", control=False)
    lost = Finding(Wrong.LOST, "a record is gone")
    row.add("write.1.7", Tried(3, (("x", lost), ("x", lost), ("y", lost))))

    assert not row.holds
    assert "| kills | 3 | 2 | 0 | 0 |" in table([row])
    assert failures([row], seed=5) == (
        "x: lost: a record is gone\n"
        "    python -m hil.crash --only kill --seed 5 --point 'write.1.7'"
    )


def test_a_control_that_loses_nothing_is_a_failure() -> None:
    control = Row("powercut", "weak", control=True)
    control.add("1", Tried(4, ()))
    assert not control.holds
    assert "the control loses nothing" in failures([control], seed=1)


def test_a_control_must_lose() -> None:
    control = Row("powercut", "weak", control=True)
    control.add("1", Tried(4, ()))
    control.add("2", Tried(4, (("2", Finding(Wrong.LOST, "")),)))
    assert control.holds
    assert failures([control], seed=1) == ""
    assert "weak: loses what was acknowledged in 1 of 8, and must lose." in table([control])


def test_nothing_tried_is_no_success() -> None:
    row = Row("kill", "kills", control=False)
    assert not row.holds
    assert failures([row], seed=1) == "kills: nothing was tried"


def test_a_short_run_is_spread_evenly_and_its_seed_moves_it() -> None:
    points = [str(number) for number in range(10)]
    assert spread(points, 3, 0) == ("0", "3", "6")
    assert spread(points, 3, 1) == ("1", "4", "7")
    assert spread(points, 99, 1) == tuple(points)
