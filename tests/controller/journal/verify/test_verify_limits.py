"""The verifier is bounded: no file makes it run on, take memory, wait, or follow a link.

Most files here kept the verifier of version 0.7 busy for minutes, took gigabytes, or misled it.
"""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal import verify as verifier
from controller.journal.store import Journal

SECONDS_MAX, BYTES_MAX = 10, 256 << 20
DAY = "2026-11-21"


@dataclass(frozen=True)
class Ended:
    """How a run of the verifier ended."""

    code: int
    printed: str
    seconds: float
    bytes_most: int


# Runs the verifier as a program does, and writes on stderr the most memory that it had.
MEASURED = """
import runpy, sys
try:
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    with open("/proc/self/status") as status:
        most = [line.split()[1] for line in status if line.startswith("VmHWM")]
    print(*most, file=sys.stderr)
"""


def run(*words: object) -> Ended:
    """Run the verifier as a program; it is killed after twice the time that it may take."""
    program = subprocess.Popen(
        [sys.executable, "-I", "-c", MEASURED, verifier.__file__, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    resource.prlimit(program.pid, resource.RLIMIT_CPU, (2 * SECONDS_MAX,) * 2)
    assert program.stdout is not None
    assert program.stderr is not None
    with program.stdout, program.stderr:
        printed, most = program.stdout.read().decode(), program.stderr.read().decode()
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    assert most.strip().isdigit(), most or "killed after too long"
    seconds = used.ru_utime + used.ru_stime
    return Ended(program.returncode, printed, seconds, int(most) * 1024)


def refused(*words: object, code: int = 1) -> str:
    """What the verifier prints of files that it refuses within its bounds."""
    ended = run(*words)
    assert ended.code == code, ended.printed
    assert ended.seconds < SECONDS_MAX
    assert ended.bytes_most < BYTES_MAX
    return ended.printed


# --- sealed shoes ---------------------------------------------------------------------------------


def with_packed(made, packed: bytes, size: int) -> bytes:
    """The shoe with another packed part, and a digest that fits."""
    head = bytearray(made.data[:36])
    heading = int.from_bytes(head[12:16], "big")
    head[20:36] = len(packed).to_bytes(8, "big") + size.to_bytes(8, "big")
    body = bytes(head) + made.data[36 : 36 + heading] + made.rows + packed
    return body + sha256(body).digest() + bytes(65)


@pytest.mark.parametrize(
    ("parts", "of_each"), [(16_700_000, b""), (13_000_000, b"x")], ids=["empty", "one byte"]
)
def test_millions_of_small_parts_in_a_small_file(
    one_shoe, fast_dir: Path, parts: int, of_each: bytes
) -> None:
    plain = (len(of_each).to_bytes(4, "big") + of_each) * parts
    packed = zlib.compress(plain, 9)
    assert len(packed) < 400_000
    (fast_dir / "0001.shoe").write_bytes(with_packed(one_shoe, packed, len(plain)))

    run_ended = run(fast_dir / "0001.shoe")
    assert run_ended.code in (1, 2)
    assert run_ended.seconds < SECONDS_MAX
    assert run_ended.bytes_most < BYTES_MAX


def test_a_packed_part_that_unpacks_to_a_gigabyte(one_shoe, fast_dir: Path) -> None:
    packing, size = zlib.compressobj(9), 1 << 30
    packed = b"".join(packing.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packing.flush()
    (fast_dir / "0001.shoe").write_bytes(with_packed(one_shoe, packed, size))

    assert "larger than any shoe" in refused(fast_dir / "0001.shoe")


def test_many_bombs_together_take_no_longer_than_one(one_shoe, fast_dir: Path) -> None:
    plain = bytes(60_000_000)
    data = with_packed(one_shoe, zlib.compress(plain, 9), len(plain))
    for number in range(1, 300):
        (fast_dir / "shoes" / DAY).mkdir(parents=True, exist_ok=True)
        (fast_dir / "shoes" / DAY / f"{number:04}.shoe").write_bytes(data)

    assert "more work than evidence of its size can need" in refused(fast_dir, code=2)


def test_a_sparse_shoe_is_not_read(one_shoe, fast_dir: Path) -> None:
    with (fast_dir / "0001.shoe").open("wb") as file:
        file.write(one_shoe.data)
        file.truncate(900 << 20)

    assert "it has 943718400 bytes" in refused(fast_dir / "0001.shoe", code=2)


# --- live parts -----------------------------------------------------------------------------------


@pytest.fixture
def live(fast_dir: Path, log_maker) -> Path:
    """A closed journal of three records."""
    with Journal.open(fast_dir / "journal") as journal:
        journal.append([b"\x92\xa2in\x01", b"\x92\xa3out\x02", b"\x92\xa3out\x03"])
    log_maker.add("commissioned")
    log_maker.write(fast_dir / "journal")
    return fast_dir / "journal"


def changed(folder: Path, *statements: str, file: str = "live.db") -> None:
    with closing(sqlite3.connect(folder / file, isolation_level=None)) as ask:
        for one in statements:
            ask.execute(one)


ENDLESS = (
    "WITH RECURSIVE more(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM more)"
    " SELECT seq, zeroblob(9) AS record, zeroblob(32) AS chain FROM more"
)


@pytest.mark.parametrize("table", ["records", "base", "checkpoint"])
def test_an_endless_view_in_place_of_a_table(live: Path, table: str) -> None:
    changed(live, f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS}")

    assert "is no table of it" in refused(live)


@pytest.mark.parametrize(
    "column", ["record BLOB AS (zeroblob(900000000))", "record BLOB DEFAULT (randomblob(9))"]
)
def test_a_computed_column_is_refused(live: Path, column: str) -> None:
    changed(
        live,
        "DROP TABLE records",
        f"CREATE TABLE records(seq INTEGER PRIMARY KEY, {column}, chain BLOB NOT NULL)",
        "INSERT INTO records(seq, chain) VALUES (1, zeroblob(32))",
    )

    assert "is no table of it" in refused(live)


@pytest.mark.parametrize(
    "more",
    [
        "CREATE INDEX other ON records(seq, record, chain)",
        "CREATE VIRTUAL TABLE other USING rtree(a, b, c)",
        "CREATE TABLE other(seq INTEGER PRIMARY KEY) WITHOUT ROWID",
    ],
)
def test_what_is_no_plain_table_is_refused(live: Path, more: str) -> None:
    changed(live, more)

    assert "is no table of it" in refused(live)


def test_a_schema_of_many_tables(live: Path) -> None:
    with closing(sqlite3.connect(live / "live.db", isolation_level=None)) as ask:
        ask.execute("BEGIN")
        for number in range(8_000):
            ask.execute(f"CREATE TABLE t{number}(a INTEGER PRIMARY KEY, b BLOB)")
        ask.execute("COMMIT")

    assert refused(live, code=2).startswith("cannot read: ")


def test_a_record_larger_than_any_is_not_read(live: Path) -> None:
    changed(live, "UPDATE records SET record = zeroblob(300000000) WHERE seq = 2")

    assert "live.db: it is damaged, and no further row of it was read" in refused(live)


def test_records_that_share_their_pages_are_refused(live: Path) -> None:
    """A page that is its own neighbour holds the same records for ever."""
    with Journal.open(live) as journal:
        journal.append([b"\x92\xa2in" + bytes(500)] * 2_000)
    file = live / "live.db"
    data = bytearray(file.read_bytes())
    leaves = [at for at in range(0, len(data), 1024) if data[at] == 0x0D]
    page = data[leaves[-3] : leaves[-3] + 1024]
    for at in leaves[len(leaves) // 2 :]:
        data[at : at + 1024] = page
    file.write_bytes(data)

    assert "its rows repeat or overlap" in refused(live, code=2)


def test_a_sparse_live_part(live: Path) -> None:
    os.truncate(live / "live.db", 900 << 20)

    assert run(live).seconds < SECONDS_MAX


@pytest.mark.parametrize("table", ["leaves", "heads"])
def test_an_endless_view_in_place_of_the_log(live: Path, table: str) -> None:
    endless = ENDLESS.replace("seq,", "seq AS number, seq AS size, x'' AS entry, x'' AS note,", 1)
    changed(live, f"DROP TABLE {table}", f"CREATE VIEW {table} AS {endless}", file="log.db")

    assert "log.db: it cannot be read: log.db: " in refused(live)


def test_a_leaf_or_note_of_huge_size(live: Path) -> None:
    for column, table in (("entry", "leaves"), ("note", "heads")):
        changed(live, f"UPDATE {table} SET {column} = zeroblob(15000000)", file="log.db")

    assert "log.db: " in refused(live)


def test_a_log_of_many_huge_leaves(live: Path) -> None:
    statement = "INSERT INTO leaves SELECT value, zeroblob(300000) FROM generate_series(1, 300)"
    rows = " UNION ALL ".join(f"SELECT {number} AS value" for number in range(1, 301))
    changed(live, statement.replace("generate_series(1, 300)", f"({rows})"), file="log.db")

    assert "log.db: leaf 1, or the head after it: " in refused(live)


def test_a_note_of_as_many_signatures_as_fit(live: Path, log_maker) -> None:
    """Each line could be of a known key: no key is checked twice."""
    line = log_maker.notes[0].rpartition(b"\n\n")[2]
    with closing(sqlite3.connect(live / "log.db", isolation_level=None)) as ask:
        ask.execute("UPDATE heads SET note = note || ?", (line * 140_000,))

    assert "log.db: leaf 0, or the head after it: " in refused(live)


@pytest.mark.parametrize("name", ["log.db", "live.db", "live.db-wal", "live.db-shm"])
def test_a_fifo_in_place_of_a_file_is_not_waited_for(live: Path, name: str) -> None:
    (live / name).unlink(missing_ok=True)
    os.mkfifo(live / name)

    printed = refused(live, code=1 if name == "log.db" else 2)
    assert f"{name}: it is not a regular file" in printed


# --- folders, links -------------------------------------------------------------------------------


def test_a_fifo_among_the_shoes_is_named(sealed_shoes, fast_dir: Path) -> None:
    sealed_shoes.write(fast_dir)
    os.mkfifo(fast_dir / "shoes" / DAY / "0004.shoe")

    assert f"shoes/{DAY}/0004.shoe: extra: it is a link, or no regular file" in refused(fast_dir)
    assert "it is not a regular file" in refused(fast_dir / "shoes" / DAY / "0004.shoe", code=2)


def test_a_link_is_not_followed(sealed_shoes, fast_dir: Path) -> None:
    sealed_shoes.write(fast_dir)
    shoe = fast_dir / "shoes" / DAY / "0002.shoe"
    shoe.rename(fast_dir / "elsewhere.shoe")
    shoe.symlink_to(fast_dir / "elsewhere.shoe")

    assert f"shoes/{DAY}/0002.shoe: extra: it is a link, or no regular file" in refused(fast_dir)
    assert "a link, which is not followed" in refused(shoe, code=2)


def test_a_link_to_a_folder_is_not_followed(sealed_shoes, fast_dir: Path) -> None:
    sealed_shoes.write(fast_dir / "archive")
    (fast_dir / "archive" / "shoes" / "2026-11-23").symlink_to(fast_dir)

    printed = refused(fast_dir / "archive")
    assert "shoes/2026-11-23: extra: it is a link, or no regular file" in printed


def test_shoes_that_are_a_link_are_refused(sealed_shoes, fast_dir: Path) -> None:
    sealed_shoes.write(fast_dir / "archive")
    (fast_dir / "archive" / "shoes").rename(fast_dir / "elsewhere")
    (fast_dir / "archive" / "shoes").symlink_to(fast_dir / "elsewhere")

    printed = refused(fast_dir / "archive", code=2)
    assert "shoes/ is a link" in printed


def test_a_live_part_that_is_a_link_is_refused(live: Path, fast_dir: Path) -> None:
    (live / "live.db").rename(fast_dir / "other.db")
    (live / "live.db").symlink_to(fast_dir / "other.db")

    assert "live.db: a link, which is not followed" in refused(live, code=2)


def test_a_name_cannot_command_the_terminal(sealed_shoes, fast_dir: Path) -> None:
    sealed_shoes.write(fast_dir)
    (fast_dir / "shoes" / DAY / "\x1b[2J\udcff.shoe").write_bytes(b"")

    printed = refused(fast_dir)
    assert "\x1b" not in printed
    assert "\\x1b[2J\\udcff.shoe: extra" in printed


# --- bundles --------------------------------------------------------------------------------------


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)
    return path


def listing(files: dict[str, bytes]) -> bytes:
    named = {name: sha256(data).hexdigest() for name, data in files.items()}
    return json.dumps({"form": "smartshoe-bundle-2", "files": named}).encode()


def test_a_packed_bundle_of_many_names(fast_dir: Path) -> None:
    files = {f"n{number}": b"" for number in range(40_000)}
    path = packed(fast_dir / "bundle.zip", files | {"manifest.json": listing(files)})

    assert "has too many, or one twice, as no bundle does" in refused(path, code=2)


def test_a_folder_of_sixty_thousand_names(fast_dir: Path) -> None:
    for number in range(60_000):
        (fast_dir / f"n{number}").touch()
    (fast_dir / "manifest.json").write_bytes(listing({}))

    assert "  and 59950 more problems" in refused(fast_dir)


@pytest.mark.parametrize("claimed", [1, 4_000_000_000])
def test_a_member_that_lies_about_its_size(fast_dir: Path, claimed: int) -> None:
    files = {"page.html": bytes(5_000_000)}
    path = packed(fast_dir / "bundle.zip", files | {"manifest.json": listing(files)})
    data = path.read_bytes()
    size = (5_000_000).to_bytes(4, "little")
    assert data.count(size) == 4
    path.write_bytes(data.replace(size, claimed.to_bytes(4, "little")))

    assert refused(path, code=2).startswith("cannot read: ")


def test_a_sparse_zip_is_not_read(fast_dir: Path) -> None:
    path = packed(fast_dir / "bundle.zip", {"manifest.json": listing({})})
    os.truncate(path, 900 << 20)

    assert "a packed bundle has at most 8388608 bytes" in refused(path, code=2)


def test_members_that_share_their_bytes(fast_dir: Path) -> None:
    """A thousand names of one member that unpacks to 15 MB."""
    files = {f"n{number:04}": b"" for number in range(1_000)}
    path = packed(fast_dir / "bundle.zip", {"n": bytes(15_000_000), "manifest.json": b"{}"})
    with zipfile.ZipFile(path, "a") as bundle:
        shared = bundle.getinfo("n")
        for name in files:
            again = zipfile.ZipInfo(name)
            for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(again, field, getattr(shared, field))
            bundle.filelist.append(again)
            bundle.NameToInfo[name] = again
        bundle._didModify = True

    assert run(path).seconds < SECONDS_MAX


@pytest.mark.parametrize(
    "manifest",
    [b"[" * 1_000_000, b'{"form": ' + b"9" * 1_000_000 + b"}", b"{" + b'"a": {},' * 120_000 + b"}"],
    ids=["deep", "giant integer", "many keys"],
)
def test_a_hostile_manifest(fast_dir: Path, manifest: bytes) -> None:
    path = packed(fast_dir / "bundle.zip", {"manifest.json": manifest})

    assert "manifest.json: it cannot be read: " in refused(path)


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("witness", ["", "AAAAA", "nothing.json", "AAAAA-BBBBB-CCCCC-DDDD1"])
def test_a_malformed_witness_is_wrong_usage(sealed_shoes, fast_dir: Path, witness: str) -> None:
    sealed_shoes.write(fast_dir)

    assert "neither a short code nor" in refused(fast_dir, "--witness", witness, code=2)
