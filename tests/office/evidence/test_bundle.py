"""The evidence bundle of a coup: its files, writing it completely, and its verifier run alone."""

import base64
import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal.evidence_log.checkpoint import parse_checkpoint
from controller.journal.evidence_log.note import parse_note
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.evidence_log.tree import includes, leaf_hash
from controller.journal.log_database import LogDatabase
from controller.journal.people import PEOPLE_NAME, PeopleFile
from controller.journal.shoe_file import ShoeFileError
from controller.journal.verify import verify
from controller.rules.profiles.load import load_clauses
from controller.system.atomic_file import SmallFileError
from office.evidence import bundle as evidence_bundle
from office.evidence.bundle import Bundle, build_bundle, store_bundle
from office.evidence.lookup import CoupReference, find_shoe

Unpack = Callable[[Bundle], Path]

MADE_NS = 1_763_720_000_000_000_001
NAMES = [
    "README.txt",
    "clauses.json",
    "coup.json",
    "index.html",
    "log/2025-11-20-0001.leaf",
    "log/2025-11-20-0001.tlog-proof",
    "manifest.json",
    "people.json",
    "roads.json",
    "shoes/2025-11-20/0001.shoe",
    "verify.py",
    "words.po",
]


def build(journal: Path, coup: int = 2) -> Bundle:
    found = find_shoe(journal, CoupReference("", 1, coup))
    return build_bundle(found, coup, load_clauses(), MADE_NS)


@pytest.fixture(scope="session")
def bundle(disputed: Path) -> Bundle:
    return build(disputed)


def json_of(bundle: Bundle, name: str) -> dict:
    return json.loads(dict(bundle.files)[name])


# --- what stands in it ----------------------------------------------------------------------------


def test_the_files_are_sorted_and_the_manifest_names_every_other_one(bundle: Bundle) -> None:
    manifest = json_of(bundle, "manifest.json")

    assert [name for name, _ in bundle.files] == NAMES
    assert list(manifest["files"]) == [name for name in NAMES if name != "manifest.json"]
    for name, digest in manifest["files"].items():
        assert sha256(dict(bundle.files)[name]).hexdigest() == digest


def test_the_manifest_names_coup_and_table(bundle: Bundle) -> None:
    manifest = json_of(bundle, "manifest.json")
    del manifest["files"]

    assert manifest == {
        "form": "smartshoe-bundle-2",
        "coup": "2025-11-20/1/2",
        "table": "M7",
        "made": "2025-11-21T10:13:20.000000001Z",
        "provisional": False,
    }


def test_the_shoe_file_is_an_exact_copy(bundle: Bundle, disputed: Path) -> None:
    name = "shoes/2025-11-20/0001.shoe"
    assert dict(bundle.files)[name] == (disputed / name).read_bytes()


def test_the_log_includes_the_shoe(bundle: Bundle, disputed: Path) -> None:
    entry = dict(bundle.files)["log/2025-11-20-0001.leaf"]
    proof = dict(bundle.files)["log/2025-11-20-0001.tlog-proof"]
    with LogDatabase.open_read_only(disputed) as log:
        (leaf,) = shoe_leaves(log)
        note = log.note(leaf.number + 1)
    said, _, signed = proof.partition(b"\n\n")
    form, index, *hashes = said.decode().splitlines()
    head = parse_checkpoint(parse_note(signed).text)

    assert entry == leaf.entry
    assert (form, index, signed) == ("c2sp.org/tlog-proof@v1", f"index {leaf.number}", note)
    path = [base64.b64decode(one) for one in hashes]
    assert includes(head.root, head.size, leaf.number, leaf_hash(entry), path)
    seal = dict(bundle.files)["shoes/2025-11-20/0001.shoe"][-97:-65]
    assert leaf.leaf.seal == seal


def test_coup_json_contains_the_records_of_the_coup(bundle: Bundle) -> None:
    coup = json_of(bundle, "coup.json")

    assert coup["closed"]["says"]["type"] == "coup-closed"
    assert coup["closed"]["says"]["record"]["outcome"] == "banker"
    kinds = [one["says"]["type"] for one in coup["happenings"]]
    assert kinds.count("coup-payment") == 1
    assert [one["says"]["event"]["type"] for one in coup["happenings"] if one["says"].get("event")][
        :6
    ] == ["card-drawn"] * 6


def test_clauses_json_has_the_text_of_every_cited_clause(bundle: Bundle) -> None:
    clauses = {one["id"]: one for one in json.loads(dict(bundle.files)["clauses.json"])}

    assert clauses["S42-j-4"]["text"] == load_clauses()["S42-j-4"].text
    assert clauses["S42-j-4"]["borrowed"] is None
    assert "S42-h-4" in clauses  # cited by another coup of this shoe


def test_the_catalogue_that_the_page_was_written_with_is_in_the_bundle(bundle: Bundle) -> None:
    words = dict(bundle.files)["words.po"].decode()
    assert 'msgid "player_third_card"\nmsgstr "Player\'s third card"' in words


def test_a_name_that_was_erased_is_in_no_later_bundle(disputed: Path, tmp_path: Path) -> None:
    journal = shutil.copytree(disputed, tmp_path / "journal")
    second = PeopleFile(journal).id_of("C. Lee")
    before = build(journal, 4)

    assert PeopleFile(journal).erase("C. Lee") == second
    after = build(journal, 4)

    assert json_of(before, "people.json") == {second: "C. Lee"}
    assert b"and C. Lee (not proved) decided" in dict(before.files)["index.html"]
    assert json_of(after, "people.json") == {}
    assert f"and {second} (not proved) decided" in dict(after.files)["index.html"].decode()
    assert all(b"C. Lee" not in data for _, data in after.files)
    assert verify(journal).intact


def test_a_name_cannot_write_into_the_page(disputed: Path, tmp_path: Path) -> None:
    journal = shutil.copytree(disputed, tmp_path / "journal")
    with closing(sqlite3.connect(journal / PEOPLE_NAME)) as people, people:
        people.execute("UPDATE people SET name = '<b onclick=x>'")

    page = dict(build(journal, 4).files)["index.html"]
    assert b"<b onclick" not in page
    assert b"and &lt;b onclick=x&gt; (not proved) decided" in page


def test_roads_json_has_the_roads_as_numbers(bundle: Bundle) -> None:
    roads = json_of(bundle, "roads.json")

    assert [cell["played"]["outcome"] for cell in roads["bead_plate"]] == [
        "player",
        "banker",
        "tie",
        "player",
        "player",
    ]


def test_equal_evidence_gives_equal_bytes(bundle: Bundle, disputed: Path) -> None:
    assert build(disputed).to_zip() == bundle.to_zip()


def test_every_zip_entry_is_uncompressed_with_the_same_time(bundle: Bundle, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(bundle.to_zip())

    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert entry.external_attr >> 16 == 0o640


def test_a_shoe_with_a_wrong_signature_gives_no_bundle(disputed: Path) -> None:
    found = find_shoe(disputed, CoupReference("", 1, 2))
    forged = replace(found, file=replace(found.file, signature=bytes(64)))

    with pytest.raises(
        ShoeFileError, match="its signature was not made with the key that it names"
    ):
        build_bundle(forged, 2, load_clauses(), MADE_NS)


# --- writing it -----------------------------------------------------------------------------------


def test_the_file_mode_is_for_account_and_group_only(tmp_path: Path) -> None:
    path = tmp_path / "coup.zip"
    before = os.umask(0)
    try:
        store_bundle(path, b"bundle")
    finally:
        os.umask(before)

    assert path.read_bytes() == b"bundle"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "coup.zip"
    path.write_bytes(b"another")

    with pytest.raises(SmallFileError, match="it is not overwritten"):
        store_bundle(path, b"bundle")
    assert path.read_bytes() == b"another"


def test_a_file_that_appears_during_the_write_is_not_overwritten(
    tmp_path: Path, monkeypatch
) -> None:
    path = tmp_path / "coup.zip"
    really = evidence_bundle.write_synced

    def write_and_be_slow(part: Path, data: bytes, mode: int) -> None:
        really(part, data, mode)
        path.write_bytes(b"another")

    monkeypatch.setattr(evidence_bundle, "write_synced", write_and_be_slow)
    with pytest.raises(SmallFileError, match="it is not overwritten"):
        store_bundle(path, b"bundle")
    assert path.read_bytes() == b"another"
    assert list(tmp_path.iterdir()) == [path]


def test_without_hard_links_the_file_is_renamed(tmp_path: Path, monkeypatch) -> None:
    def no_links(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    store_bundle(tmp_path / "coup.zip", b"bundle")

    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"bundle"]


@pytest.mark.parametrize("ended", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
def test_an_interrupted_write_leaves_no_file(tmp_path: Path, monkeypatch, ended) -> None:
    def cut_short(descriptor: int) -> None:
        raise ended

    monkeypatch.setattr(os, "fsync", cut_short)
    with pytest.raises((KeyboardInterrupt, SmallFileError)):
        store_bundle(tmp_path / "coup.zip", b"bundle")
    assert list(tmp_path.iterdir()) == []


# --- on another machine ---------------------------------------------------------------------------


@pytest.fixture
def unpack(tmp_path: Path) -> Unpack:
    """Unpacks a bundle into a folder of its own."""

    def unpacked(bundle: Bundle) -> Path:
        packed = tmp_path / "coup.zip"
        packed.write_bytes(bundle.to_zip())
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(tmp_path / "away")
        return tmp_path / "away"

    return unpacked


def flip(file: Path, at: int) -> None:
    """One bit of a file the other way."""
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)


def run_verifier(folder: Path, verifier: Path) -> subprocess.CompletedProcess[str]:
    """That verifier over a folder, with bare Python and an empty environment."""
    return subprocess.run(
        [sys.executable, "-S", "-I", "-B", verifier, "."],
        cwd=folder,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("coup", [2, 4])
def test_the_bundle_verifies_with_its_own_verifier_alone(
    disputed: Path, unpack: Unpack, coup: int
) -> None:
    folder = unpack(build(disputed, coup))
    done = run_verifier(folder, Path("verify.py"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "shoes/2025-11-20/0001.shoe: intact" in done.stdout


def test_the_short_code_on_the_page_is_the_one_that_the_verifier_prints(
    bundle: Bundle, unpack: Unpack
) -> None:
    printed = run_verifier(unpack(bundle), Path("verify.py")).stdout
    code = printed.partition("short code of 2025-11-20: ")[2].split()[0]

    assert f">{code}<" in dict(bundle.files)["index.html"].decode()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "manifest.json"])
def test_one_flipped_bit_in_any_file_is_named(
    bundle: Bundle, unpack: Unpack, tmp_path: Path, name: str
) -> None:
    folder = unpack(bundle)
    # The house's own, as nobody can ask a changed verifier whether it was changed.
    own = tmp_path / "verify.py"
    own.write_bytes(dict(bundle.files)["verify.py"])
    flip(folder / name, (folder / name).stat().st_size // 2)

    done = run_verifier(folder, own)

    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{name}: changed since it was listed" in done.stdout


def test_a_flipped_bit_in_the_manifest_names_the_file_it_is_about(
    bundle: Bundle, unpack: Unpack
) -> None:
    folder = unpack(bundle)
    listed = dict(bundle.files)["manifest.json"].index(b'"coup.json": "') + 20
    flip(folder / "manifest.json", listed)

    done = run_verifier(folder, Path("verify.py"))

    assert done.returncode == 1, done.stdout + done.stderr
    assert "coup.json: changed since it was listed" in done.stdout


def test_an_added_or_removed_file_is_named(bundle: Bundle, unpack: Unpack) -> None:
    folder = unpack(bundle)
    (folder / "note.txt").write_text("nothing")
    (folder / "clauses.json").unlink()

    done = run_verifier(folder, Path("verify.py"))

    assert done.returncode == 1, done.stdout + done.stderr
    assert "note.txt: extra" in done.stdout
    assert "clauses.json: missing" in done.stdout
