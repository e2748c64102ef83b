"""The verifier on the evidence log: leaves, tree, signatures of heads, what was kept elsewhere."""

import base64
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.verify import CannotRead, add_leaf, proven_root, report_lines, verify

DAY = "2026-11-21"
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
OTHER_NAMED = b"\x01" + OTHER_KEY.public_key().public_bytes_raw()


@pytest.fixture
def log(sealed_shoes):
    """The log of five shoes: begun, then a leaf for each."""
    return sealed_shoes.log()


@pytest.fixture
def archive(sealed_shoes, log, fast_dir: Path) -> Callable[[], Path]:
    """Writes the five shoes with the log as it is then."""

    def written() -> Path:
        sealed_shoes.write(fast_dir / "archive", log)
        return fast_dir / "archive"

    return written


def problems_of(folder: Path) -> list[str]:
    return [str(problem) for problem in verify(folder).problems]


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "log.db", isolation_level=None)) as ask:
        ask.execute(statement, values)


def test_an_intact_log_vouches_for_the_shoes(archive, public_key: Path) -> None:
    report = verify(archive(), keys=(public_key,))

    assert report.problems == []
    assert report.notes == []
    signed = "head 6 of 6 signed by key 56475aa7 5463474c 0285df5d bf2bcab7 3da65135 8839e9b7"
    assert report_lines(report)[0].startswith(f"intact: {archive()}: {signed}")
    without_key = report_lines(verify(archive()))[0]
    assert without_key.endswith(", a key that is not checked (give --key)")


def test_no_log_beside_sealed_shoes_is_a_problem(archive) -> None:
    (archive() / "log.db").unlink()
    folder = archive()
    (folder / "log.db").unlink()

    assert problems_of(folder) == ["log.db: missing: nothing shows what was changed"]


# --- leaves and heads -----------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["entry", "note"])
@pytest.mark.parametrize("number", range(6))
def test_every_changed_byte_of_leaves_and_heads_is_found(archive, number: int, column: str) -> None:
    folder = archive()
    table, key = ("leaves", "number") if column == "entry" else ("heads", "size")
    at_row = number + (column == "note")
    with closing(sqlite3.connect(folder / "log.db", isolation_level=None)) as ask:
        (whole,) = ask.execute(
            f"SELECT {column} FROM {table} WHERE {key} = ?", (at_row,)
        ).fetchone()
    for at in range(0, len(whole), 7):
        changed = whole[:at] + bytes((whole[at] ^ 1 << at % 8,)) + whole[at + 1 :]
        change(folder, f"UPDATE {table} SET {column} = ? WHERE {key} = ?", changed, at_row)
        report = verify(folder)
        said = report.problems or report.notes
        assert said or signatures(changed) == signatures(whole), f"byte {at}"


def signatures(note: bytes) -> list[bytes]:
    """The bytes of a note that are signed or signatures: some bits of base64 mean nothing."""
    text, _, lines = note.rpartition(b"\n\n")
    found = [line.rpartition(b" ")[::2] for line in lines.splitlines()]
    return [text, *(part for name, one in found for part in (name, base64.b64decode(one)))]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM leaves WHERE number = 3",
        "DELETE FROM leaves WHERE number = 0",
        "DELETE FROM leaves WHERE number = 5",
        "DELETE FROM heads WHERE size = 3",
        "DELETE FROM heads WHERE size = 6",
        "DELETE FROM leaves",
        "DELETE FROM heads",
        "INSERT INTO leaves VALUES (-1, x'00')",
        "INSERT INTO leaves VALUES (6, x'00')",
        "INSERT INTO leaves VALUES (7, x'00')",
        "INSERT INTO heads VALUES (7, x'00')",
        "INSERT INTO heads VALUES (0, x'00')",
        "UPDATE leaves SET entry = (SELECT entry FROM leaves WHERE number = 2) WHERE number = 3",
    ],
)
def test_missing_extra_and_exchanged_leaves_and_heads_are_found(archive, statement: str) -> None:
    folder = archive()
    change(folder, statement)

    assert problems_of(folder)[0].startswith("log.db: ")


def test_the_newest_leaves_can_be_removed_only_with_what_was_kept_elsewhere(
    archive, log, fast_dir: Path
) -> None:
    (fast_dir / "kept").write_bytes(log.note())
    folder = archive()
    change(folder, "DELETE FROM leaves WHERE number = 5")
    change(folder, "DELETE FROM heads WHERE size = 6")

    report = verify(folder)
    assert report.intact
    assert "nothing in the log speaks of records 51 to 62 yet" in report.notes
    (problem,) = verify(folder, witnesses=(str(fast_dir / "kept"),)).problems
    assert problem.what == "witness: no head that is here is the one of head 6, which was kept"


# --- leaves out of order --------------------------------------------------------------------------


def chain_at(sealed_shoes, seq: int) -> bytes:
    """The chain value of the last record of the shoe that ends with it."""
    return next(
        one.heading.chain_after for one in sealed_shoes.shoes if one.heading.last_seq == seq
    )


def test_leaves_out_of_order_that_agree_with_their_records_are_said_so(
    archive, log, sealed_shoes
) -> None:
    """Versions before 0.11 could add the leaf of a sealed shoe before those of coups before it."""
    earlier = sealed_shoes.shoes[1].heading.last_seq
    log.add("coup", earlier, chain_at(sealed_shoes, earlier))
    log.add("coup", earlier, chain_at(sealed_shoes, earlier))

    assert problems_of(archive()) == [
        f"log.db: leaves 5 and {late} out of order, each agrees with its record, written by a"
        " version before this one"
        for late in (6, 7)
    ]


def test_leaves_out_of_order_of_other_records_are_not_excused(archive, log, sealed_shoes) -> None:
    earlier = sealed_shoes.shoes[1].heading.last_seq
    log.add("coup", earlier, bytes([1]) * 32)

    name = sealed_shoes.shoes[1].name
    assert problems_of(archive()) == [
        f"{name}: record {earlier}, or one before it, is not the one of which leaf 6 speaks",
        "log.db: leaves 5 and 6 out of order, not each agrees with its record",
    ]


def test_leaves_out_of_order_whose_record_is_not_here_are_said_so(
    archive, log, sealed_shoes
) -> None:
    earlier = sealed_shoes.shoes[1].heading.last_seq
    log.add("coup", earlier, chain_at(sealed_shoes, earlier))
    folder = archive()
    for one in sealed_shoes.shoes[:2]:
        (folder / one.name).unlink()

    assert problems_of(folder) == [
        "log.db: leaves 5 and 6 out of order, the record of leaf 6 is not here"
    ]


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {"kind": "other"}),
        (1, {"kind": "commissioned"}),
        (1, {"kind": "begun-anew"}),
        (0, {"kind": "start"}),
        (3, {"seq": 3}),
        (3, {"seq": -1}),
        (3, {"seq": 1 << 63}),
        (3, {"chain": bytes(31)}),
        (0, {"chain": bytes(range(32))}),
        (2, {"next_key": b""}),
        (2, {"seal": bytes(31)}),
        (2, {"kind": "coup"}),
        (2, {"person": 3}),
        (2, {"more": ""}),
    ],
)
def test_a_leaf_that_says_what_no_leaf_may_is_a_problem(
    archive, log, number: int, changes: dict[str, object]
) -> None:
    """All is signed as it should be: only what the leaf says is wrong."""
    leaves, log.entries, log.notes, log.leaves = log.leaves, [], [], []
    for n, leaf in enumerate(leaves):
        said = leaf | (changes if n == number else {})
        plain = {key: value for key, value in said.items() if key != "next_key" or key in changes}
        log.add(**plain)

    assert any(one.startswith(f"log.db: leaf {number}") for one in problems_of(archive()))


def test_the_seal_of_two_leaves_is_a_problem(archive, log) -> None:
    last = log.leaves[-1]
    log.add(**{key: last[key] for key in ("kind", "seq", "chain", "seal", "gaming_day", "shoe")})

    assert any("leaf 6" in one and "another leaf names" in one for one in problems_of(archive()))


# --- who signed -----------------------------------------------------------------------------------


def resigned(log, size: int, *keys: Ed25519PrivateKey) -> None:
    """Sign the head of that size with these keys alone."""
    log.notes[size - 1] = log.note(*keys, size=size)


def one_time(number: int) -> Ed25519PrivateKey:
    """The key that leaf `number` names."""
    return Ed25519PrivateKey.from_private_bytes(sha256(b"key %d" % number).digest())


@pytest.mark.parametrize("size", [2, 4, 6])
def test_a_head_without_its_one_time_key_is_a_problem(archive, log, size: int) -> None:
    """Who has all keys of the machine can sign all again, but not with the keys that are erased."""
    resigned(log, size, log.key)

    assert problems_of(archive()) == [
        f"log.db: head {size}: the key that the leaf before names for it did not sign it"
    ]


def test_what_a_kept_head_proves_needs_no_one_time_key(archive, log, fast_dir: Path) -> None:
    """The walk over the heads begins at the head that was kept elsewhere."""
    resigned(log, 3, log.key)
    for size, intact in ((2, False), (3, False), (4, True), (6, True)):
        (fast_dir / "kept").write_bytes(log.note(size=size))
        assert verify(archive(), witnesses=(str(fast_dir / "kept"),)).intact == intact


def test_a_log_made_again_with_all_keys_of_the_machine_is_found(archive, log) -> None:
    """The attack: leaf 2 is forged, and everything after it is made anew and signed."""
    key, before = log.key, log.notes[:3]
    leaves, log.entries, log.notes, log.leaves = log.leaves, [], [], []
    for n, leaf in enumerate(leaves):
        said = {name: value for name, value in leaf.items() if name != "next_key"}
        log.add(**said | ({"at_ns": 5} if n == 2 else {}))
    log.notes[:2] = before[:2]
    stolen = one_time(77)
    resigned(log, 3, key, stolen)

    assert problems_of(archive()) == [
        "log.db: head 3: the key that the leaf before names for it did not sign it"
    ]


def test_a_signature_that_does_not_hold_is_a_problem(archive, log) -> None:
    text, one = log.head(4), one_time(2)
    wrong = log.line(one, text).encode().replace(b"A", b"B")
    log.notes[3] = text.encode() + b"\n" + wrong + log.line(log.key, text).encode()

    assert "log.db: head 4: a signature of Table-7 does not hold" in problems_of(archive())


def test_the_first_head_needs_the_tables_key(archive, log) -> None:
    resigned(log, 1)

    (problem,) = problems_of(archive())
    assert problem == "log.db: head 1: the table's key, which its leaf names, did not sign it"


def test_other_heads_that_the_tables_key_did_not_sign_are_counted(archive, log) -> None:
    for size in (3, 4):
        resigned(log, size, one_time(size - 2))

    report = verify(archive())
    assert report.intact
    (note,) = report.notes
    assert note.startswith(
        "log.db: 2 heads after a start, stop or shoe are not signed by the table"
    )


def test_a_head_after_a_coup_needs_no_key_of_the_table(archive, log) -> None:
    last = log.leaves[-1]
    log.add("coup", last["seq"], last["chain"], gaming_day=DAY, shoe=2)

    assert verify(archive()).notes == []


def test_a_signature_twice_or_too_many_are_a_problem(archive, log) -> None:
    text = log.head(4)
    lines = log.notes[3] + log.line(log.key, text).encode()
    log.notes[3] = lines
    assert "leaf 3, or the head after it: a line of its signatures" in problems_of(archive())[0]

    others = (Ed25519PrivateKey.generate() for _ in range(70))
    log.notes[3] = text.encode() + b"\n" + "".join(log.line(one, text) for one in others).encode()
    assert "leaf 3, or the head after it: it is no signed note" in problems_of(archive())[0]


# --- keys -----------------------------------------------------------------------------------------


def with_new_key(log, *, by_old: bool) -> None:
    last, old = log.leaves[-1], log.key
    log.key = OTHER_KEY
    log.add("key", last["seq"], last["chain"], key=OTHER_NAMED, person="person-1")
    keys = [one_time(len(log.entries) - 2), OTHER_KEY, *([old] if by_old else [])]
    resigned(log, len(log.entries), *keys)


def test_a_rotated_key_is_trusted_by_the_key_before(archive, log, public_key: Path) -> None:
    with_new_key(log, by_old=True)

    report = verify(archive(), keys=(public_key,))
    assert report.problems == []
    assert report.notes[0].startswith(
        "leaf 6, 2026-11-21 09:00:00 UTC, record 62: key by person-1 (not proved); "
    )
    assert report.notes[1] == "head 7, with another key: the key before signed it"


def test_a_key_that_the_one_before_did_not_sign_is_said_and_not_trusted(
    archive, log, public_key: Path, other_key: Path
) -> None:
    with_new_key(log, by_old=False)

    assert verify(archive()).notes[1] == "head 7, with another key: the key before did NOT sign it"
    (problem,) = verify(archive(), keys=(public_key,)).problems
    assert problem.what.endswith("which is not trusted, was the table's")
    assert verify(archive(), keys=(public_key, other_key)).intact


def test_a_new_key_must_sign_its_own_head(archive, log) -> None:
    with_new_key(log, by_old=True)
    resigned(log, 7, one_time(5))

    assert problems_of(archive()) == [
        "log.db: head 7: the table's key, which its leaf names, did not sign it"
    ]


def test_a_restored_table_is_said_for_ever(archive, log) -> None:
    last = log.leaves[-1]
    log.add("restored", last["seq"], last["chain"], person="person-7", key=log.named_key)
    log.add("start", last["seq"], last["chain"])

    (note,) = verify(archive()).notes
    assert note.startswith(
        "leaf 6, 2026-11-21 09:00:00 UTC, record 62: restored by person-7 (not proved)"
    )


def test_a_retired_table_is_said_and_nothing_follows(archive, log) -> None:
    last = log.leaves[-1]
    log.add("retired", last["seq"], last["chain"], person="person-7")
    (note,) = verify(archive()).notes
    assert note.startswith(
        "leaf 6, 2026-11-21 09:00:00 UTC, record 62: retired by person-7 (not proved)"
    )

    log.add("start", last["seq"], last["chain"])
    assert any("the table was retired by the leaf before" in one for one in problems_of(archive()))


def test_a_revoked_key_is_said_and_never_the_tables_again(
    archive, log, public_key: Path, other_key: Path
) -> None:
    last, old = log.leaves[-1], log.named_key
    with_new_key(log, by_old=True)
    log.add("revoked", last["seq"], last["chain"], person="person-7", key=old)

    report = verify(archive(), keys=(public_key, other_key))
    assert report.intact
    assert any("revoked by person-7 (not proved); key 56475aa7" in one for one in report.notes)
    assert "a key that is trusted here was revoked: see the leaf that says so" in report.notes

    log.add("key", last["seq"], last["chain"], person="person-7", key=old)
    assert any("its key is revoked" in one for one in problems_of(archive()))


def test_the_key_in_force_and_a_key_of_nobody_cannot_be_revoked(archive, log) -> None:
    last = log.leaves[-1]
    log.add("revoked", last["seq"], last["chain"], person="person-7", key=log.named_key)
    assert any("none that the table had before" in one for one in problems_of(archive()))


def test_a_log_begun_anew_says_so(archive, log) -> None:
    leaves, log.entries, log.notes, log.leaves = log.leaves, [], [], []
    log.add("begun-anew", leaves[0]["seq"], leaves[0]["chain"], key=log.named_key)
    for leaf in leaves[1:]:
        log.add(**{name: value for name, value in leaf.items() if name != "next_key"})

    (note,) = verify(archive()).notes
    assert "begun-anew by nobody who is named; key 56475aa7 " in note


def test_a_key_that_is_not_the_tables_is_a_problem(archive, other_key: Path) -> None:
    found = problems_of(archive())
    assert found == []

    report = verify(archive(), keys=(other_key,))
    assert any("log.db: key 56475aa7" in str(one) for one in report.problems)


# --- records --------------------------------------------------------------------------------------


def test_a_leaf_of_another_chain_value_is_found_at_its_record(archive, log) -> None:
    log.add("coup", 62, bytes(range(32)))

    (problem,) = verify(archive()).problems
    assert problem.file == "shoes/2026-11-22/0002.shoe"
    assert problem.what == "record 62, or one before it, is not the one of which leaf 6 speaks"


def test_a_leaf_of_another_shoe_number_is_found(archive, log) -> None:
    leaves, log.entries, log.notes, log.leaves = log.leaves, [], [], []
    for n, leaf in enumerate(leaves):
        said = {name: value for name, value in leaf.items() if name != "next_key"}
        log.add(**said | ({"shoe": 9} if n == 2 else {}))

    assert problems_of(archive()) == [
        "shoes/2026-11-21/0002.shoe: its leaf says shoe 9 of 2026-11-21"
    ]


# --- what was kept elsewhere ----------------------------------------------------------------------


def test_a_short_code_is_accepted_as_people_write_it(archive) -> None:
    code = verify(archive()).codes[DAY]
    for written in (code, code.lower(), code.replace("-", " "), code.replace("-", "")):
        report = verify(archive(), witnesses=(written,))
        assert report.intact
        assert report.notes == [f"witness: {code} is the short code of head 4"]


def test_every_head_can_be_the_one_that_was_kept(archive, log, fast_dir: Path) -> None:
    folder = archive()
    for size in range(1, 7):
        (fast_dir / "kept").write_bytes(log.note(size=size))
        report = verify(folder, witnesses=(str(fast_dir / "kept"),))
        assert report.intact
        assert f"witness: head {size} was compared with the one kept" in report.notes


def test_a_log_written_again_differs_from_what_was_kept(archive, log, fast_dir: Path) -> None:
    """All is consistent and signed by the right keys; only what was kept elsewhere differs."""
    code = verify(archive()).codes[DAY]
    (fast_dir / "kept").write_bytes(log.note(size=4))
    leaves, log.entries, log.notes, log.leaves = log.leaves, [], [], []
    for leaf in leaves:
        log.add(**{key: value for key, value in leaf.items() if key != "next_key"} | {"at_ns": 9})

    assert verify(archive()).intact
    (problem,) = verify(archive(), witnesses=(code,)).problems
    assert problem.what == f"witness: no head that is here is the one of {code}, which was kept"
    (problem,) = verify(archive(), witnesses=(str(fast_dir / "kept"),)).problems
    assert problem.what == "witness: head 4 is another than the one kept"


def test_a_single_shoe_has_no_head_to_compare(sealed_shoes, fast_dir: Path) -> None:
    (fast_dir / "0001.shoe").write_bytes(sealed_shoes.shoes[0].data)

    (problem,) = verify(fast_dir / "0001.shoe", witnesses=("AAAAA-BBBBB-CCCCC-DDDDD",)).problems
    assert problem.what.startswith("witness: no head that is here is the one of AAAAA-")


@pytest.mark.parametrize("content", [b"", b"{}", b"Table-7\nmany\nroot\n\n", b"\xff\n\n"])
def test_a_file_without_a_checkpoint_is_no_witness(archive, fast_dir: Path, content: bytes) -> None:
    (fast_dir / "kept").write_bytes(content)

    with pytest.raises(CannotRead, match="neither a short code nor a file with a checkpoint"):
        verify(archive(), witnesses=(str(fast_dir / "kept"),))


# --- the tree -------------------------------------------------------------------------------------

# The entries of Certificate Transparency's own tests, and the beginnings of the roots over them.
CT_ENTRIES = (
    *map(bytes.fromhex, ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")),
    bytes(range(0x60, 0x70)),
)
CT_ROOTS = ["6e340b9c", "fac54203", "aeb6bcfe", "d37ee418", "4e3bbb1f", "76e67dad", "ddb89be4"]
CT_ROOTS += ["5dc9da79"]


def test_the_roots_are_those_of_certificate_transparency() -> None:
    roots: list[tuple[int, bytes]] = []
    assert [add_leaf(roots, entry).hex()[:8] for entry in CT_ENTRIES] == CT_ROOTS


def test_a_proof_leads_to_the_root_for_its_leaf_alone(log) -> None:
    for index in range(6):
        _, _, head = log.proof(index).partition(b"\n\n")
        proof = log.proof(index).split(b"\n\n")[0].decode().split("\n")[2:]
        hashes = [base64.b64decode(one) for one in proof]
        root = base64.b64decode(head.split(b"\n")[2])
        for other in range(6):
            found = proven_root(other, 6, log.entries[index], hashes)
            assert (found == root) == (other == index)
        assert proven_root(index, 6, log.entries[index], hashes[:-1]) != root
        assert proven_root(index, 6, log.entries[index], [*hashes, bytes(32)]) != root


def test_a_leaf_is_read_by_another_encoder_too(log) -> None:
    assert msgpack.unpackb(log.entries[1])["kind"] == "shoe"
