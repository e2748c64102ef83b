"""The states that a power cut may leave, derived from a log of strace and the syncs in it.

Source: fsync(2), rename(2).
"""

import pytest

from hil.crash.power import Disk, moments, states
from hil.crash.verdict import NOTHING_ACKNOWLEDGED, Acknowledgement
from hil.crash.write_log import (
    FOLDER,
    NOTHING,
    FileWrite,
    IncompleteLog,
    LogReader,
    NameChange,
    Op,
    SyncFile,
    SyncFolder,
    Truncation,
)

CHAIN = "ab" * 32


def hexed(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def log(*lines: str) -> tuple[Op, ...]:
    """The operations in these lines; `text` is converted to its hexadecimal form."""
    traced = []
    for line in lines:
        parts = line.split("`")
        parts[1::2] = map(hexed, parts[1::2])
        traced.append("7 " + "".join(parts) + "\n")
    return tuple(LogReader("/b").ops(iter(traced)))


MADE = (
    'mkdir("`/b/t`", 0750) = 0',
    'openat(AT_FDCWD</r>, "`/b/t/part`", O_WRONLY|O_CREAT|O_TRUNC, 0640) = 5<`/b/t/part`>',
    'write(5<`/b/t/part`>, "`abc`", 3) = 3',
    'write(5<`/b/t/part`>, "`def`", 3) = 3',
)


def test_a_log_is_read_as_names_writes_and_syncs() -> None:
    assert log(
        *MADE,
        "fsync(5<`/b/t/part`>) = 0",
        'rename("`/b/t/part`", "`/b/t/whole`") = 0',
        "fsync(5<`/b/t`>) = 0",
        'pwrite64(6<`/b/t/whole`>, "`X`", 1, 4) = 1',
        "ftruncate(6<`/b/t/whole`>, 5) = 0",
        f'write(1<`pipe:[3]`>, "`484 {CHAIN}\n`", 69) = 69',
        'unlink("`/b/t/whole`") = 0',
    ) == (
        NameChange((("t", FOLDER),)),
        NameChange((("t/part", 1),)),
        FileWrite(1, 0, b"abc"),
        FileWrite(1, 3, b"def"),
        SyncFile(1),
        NameChange((("t/part", NOTHING), ("t/whole", 1))),
        SyncFolder("t"),
        FileWrite(1, 4, b"X"),
        Truncation(1, 5),
        Acknowledgement(484, CHAIN),
        NameChange((("t/whole", NOTHING),)),
    )


def test_calls_that_failed_and_files_elsewhere_are_no_operations() -> None:
    operations = log(
        'unlink("`/b/t/none`") = -1 ENOENT (No such file or directory)',
        'write(2<`/dev/null`>, "`words`", 5) = 5',
        'pwrite64(6<`/elsewhere/f`>, "`X`", 1, 4) = 1',
    )
    assert operations == ()


@pytest.mark.parametrize(
    "line",
    [
        "pwritev(5<`/b/t/part`>, [], 1, 0) = 3",
        "pwrite64(5<`/b/t/part`>, <unfinished ...>",
        'rename("`/b/t/part`", "`/elsewhere`") = 0',
    ],
)
def test_an_unknown_log_line_is_refused(line: str) -> None:
    with pytest.raises(IncompleteLog):
        log(*MADE, line)


# --- what is certain ------------------------------------------------------------------------------


def certain(*ops: Op) -> tuple[dict[str, int], dict[int, bytes]]:
    *_, last = moments(ops)
    return last.disk.names, {file: bytes(data) for file, data in last.disk.files.items()}


def test_a_files_sync_promises_its_bytes_and_not_its_name() -> None:
    named, put = NameChange((("f", 1),)), FileWrite(1, 0, b"abc")
    assert certain(named, put, SyncFile(1)) == ({}, {1: b"abc"})
    assert certain(named, put, SyncFolder("")) == ({"f": 1}, {})
    assert certain(named, put, SyncFile(2)) == ({}, {})


def test_a_rename_is_certain_with_the_folder_it_leads_to() -> None:
    moved = NameChange((("a/f", NOTHING), ("b/g", 1)))
    assert certain(moved, SyncFolder("a")) == ({}, {})
    assert certain(moved, SyncFolder("b")) == ({"a/f": NOTHING, "b/g": 1}, {})


def test_earlier_changes_of_a_name_are_certain_with_it() -> None:
    made, moved = NameChange((("a/f", 1),)), NameChange((("a/f", NOTHING), ("b/g", 1)))
    gone = {"a/f": NOTHING, "b/g": 1}
    assert certain(made, moved, SyncFolder("b"), SyncFolder("a")) == (gone, {})


def test_an_acknowledgement_counts_from_its_moment_on() -> None:
    ack = Acknowledgement(3, CHAIN)
    acks = [moment.ack for moment in moments((FileWrite(1, 0, b"x"), ack, SyncFile(1)))]
    assert acks == [NOTHING_ACKNOWLEDGED, ack, ack]


def test_states_are_nothing_each_prefix_and_random_choices() -> None:
    *_, moment = moments((FileWrite(1, 0, b"a" * 1024), FileWrite(1, 1024, b"b"), Truncation(1, 2)))
    left = [(name, bytes(disk.files.get(1, b""))) for name, disk in states(moment, seed=1)]

    assert left[:4] == [
        ("nothing", b""),
        ("first 1 of 3", b"a" * 1024),
        ("first 2 of 3", b"a" * 1024 + b"b"),
        ("first 3 of 3", b"aa"),
    ]
    assert [name for name, _ in left[4:]] == ["random 0", "random 1", "random 2", "random 3"]
    again = [(name, bytes(disk.files.get(1, b""))) for name, disk in states(moment, seed=1)]
    assert left == again


def test_a_torn_write_leaves_whole_sectors_and_zeros() -> None:
    disk = Disk()
    disk.apply(FileWrite(1, 0, b"a" * 1100), [False, True, False])
    assert disk.files[1] == bytes(512) + b"a" * 512 + bytes(76)


def test_a_write_within_a_file_does_not_make_it_longer() -> None:
    disk = Disk()
    disk.apply(FileWrite(1, 0, b"a" * 10))
    disk.apply(FileWrite(1, 4, b"bb"))
    assert disk.files[1] == b"aaaabbaaaa"
    disk.apply(FileWrite(1, 8, b"ccc"))
    assert disk.files[1] == b"aaaabbaaccc"
