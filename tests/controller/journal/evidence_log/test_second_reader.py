"""Go's packages of transparency logs agree with ours on small trees and on a table's whole log."""

import base64
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.evidence_log.checkpoint import TreeHead
from controller.journal.evidence_log.leaf import LEAVES as LEAVES_OF_TABLE
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import EvidenceLog, read_head
from controller.journal.evidence_log.note import KeyType, NoteKey, SignedNote, sign_line
from controller.journal.evidence_log.tile_files import write_tiles
from controller.journal.evidence_log.tiles import StoredTree
from controller.journal.evidence_log.tree import (
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    roots_of,
)
from controller.journal.log_database import LogDatabase
from controller.system.keys import PublicKey

pytestmark = pytest.mark.needs("golang-go")

SOURCE = Path(__file__).parent / "second_reader" / "main.go"
# Where Debian puts the sources of Go's packages.
GOPATH = "/usr/share/gocode"
SIZE_MAX = 20
LEAVES = tuple(leaf_hash(bytes([number])) for number in range(SIZE_MAX))
ROOT_OF = roots_of(LEAVES)
Question = dict[str, object]
Reader = Callable[[list[Question]], list[str]]


@pytest.fixture(scope="module")
def answers_of(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("go")
    program = folder / "second-reader"
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": GOPATH,
        "GOCACHE": str(folder / "cache"),
    }
    built = ["go", "build", "-o", str(program), str(SOURCE)]
    subprocess.run(built, check=True, env=environment)

    def ask(questions: list[Question]) -> list[str]:
        lines = "".join(f"{json.dumps(one, default=encoded)}\n" for one in questions)
        answer = subprocess.run(
            [str(program)], input=lines, capture_output=True, text=True, check=True
        )
        return answer.stdout.splitlines()

    return ask


def encoded(value: object) -> str:
    assert isinstance(value, bytes)
    return base64.b64encode(value).decode()


def inclusions() -> list[Question]:
    return [
        {
            "Kind": "included",
            "Size": size,
            "Root": ROOT_OF(0, size),
            "Index": index,
            "Leaf": LEAVES[index],
            "Proof": inclusion_proof(ROOT_OF, index, size),
        }
        for size in range(1, SIZE_MAX + 1)
        for index in range(size)
    ]


def consistencies() -> list[Question]:
    return [
        {
            "Kind": "consistent",
            "Size": size,
            "Root": ROOT_OF(0, size),
            "Older": older,
            "Before": ROOT_OF(0, older),
            "Proof": consistency_proof(ROOT_OF, older, size),
        }
        for size in range(1, SIZE_MAX + 1)
        for older in range(1, size + 1)
    ]


def signed_head(name: str) -> tuple[SignedNote, str]:
    """A head signed by the table, and its key as Go writes one."""
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key = NoteKey(name, KeyType.ED25519, PublicKey(private.public_key().public_bytes_raw()))
    text = TreeHead(name, SIZE_MAX, ROOT_OF(0, SIZE_MAX)).text()
    public = encoded(bytes([key.type]) + key.public.raw)
    return SignedNote(
        text, (sign_line(key, text, private.sign),)
    ), f"{name}+{key.id.hex()}+{public}"


def test_it_agrees_on_every_proof_of_small_trees(answers_of: Reader) -> None:
    questions = [*inclusions(), *consistencies()]
    assert set(answers_of(questions)) == {"ok"}
    assert len(questions) == SIZE_MAX * (SIZE_MAX + 1)


def test_it_refuses_what_we_do_not_prove(answers_of: Reader) -> None:
    other = leaf_hash(b"another")
    wrong = [{**one, "Leaf": other} for one in inclusions()]
    wrong += [{**one, "Before": other} for one in consistencies()]
    assert "ok" not in answers_of(wrong)


def test_it_opens_a_head_that_the_table_signed_and_no_changed_one(answers_of: Reader) -> None:
    note, key = signed_head("casino.example/pit-3/bac-12")
    whole = note.to_bytes().decode()
    changed = whole.replace(f"\n{SIZE_MAX}\n", f"\n{SIZE_MAX + 1}\n")

    opened, refused = answers_of(
        [
            {"Kind": "note", "Note": whole, "Key": key},
            {"Kind": "note", "Note": changed, "Key": key},
        ]
    )
    assert opened == "ok"
    assert "invalid signature" in refused


# --- a table's own log ----------------------------------------------------------------------------

TABLE_LEAVES = 300  # a full tile and a part of one


@pytest.fixture(scope="module")
def table_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a log as a table writes it, with its tiles."""
    folder = tmp_path_factory.mktemp("table")
    log = EvidenceLog.begin(folder, "BAC-12", Leaf(LeafKind.COMMISSIONED, 0, bytes(32), 1))
    for number in range(1, TABLE_LEAVES):
        log.add(Leaf(LeafKind.COUP, number, bytes(32), number, "2026-11-21", 7))
    write_tiles(folder / "log", log.database, log.tree, log.size)
    log.close()
    return folder


def test_it_reads_the_tiles_of_a_table_and_proves_leaves_by_them(
    answers_of: Reader, table_log: Path
) -> None:
    with LogDatabase.open_read_only(table_log) as log:
        head, _ = read_head(log, TABLE_LEAVES)
        leaves = [leaf_hash(entry) for entry in log.entries()]
    asked = {"Kind": "tiles", "Folder": str(table_log / "log")}
    tree = {**asked, "Size": head.size, "Root": head.root}
    places = (0, 255, 256, TABLE_LEAVES - 1)

    assert set(
        answers_of([{**tree, "Index": index, "Leaf": leaves[index]} for index in places])
    ) == {"ok"}
    (refused,) = answers_of([{**tree, "Index": 256, "Leaf": leaves[255]}])
    assert refused != "ok"


def test_it_opens_every_head_of_a_table_by_its_one_time_key(
    answers_of: Reader, table_log: Path
) -> None:
    with LogDatabase.open_read_only(table_log) as log:
        heads = [log.note(size) or b"" for size in range(2, TABLE_LEAVES + 1)]
        named = [LEAVES_OF_TABLE.decode(one).next_key for one in log.entries()][:-1]
    keys = [NoteKey("BAC-12", KeyType.ED25519, PublicKey(one)) for one in named]
    questions: list[Question] = [
        {
            "Kind": "note",
            "Note": note.decode(),
            "Key": f"BAC-12+{key.id.hex()}+{encoded(bytes([key.type]) + key.public.raw)}",
        }
        for key, note in zip(keys, heads, strict=True)
    ]
    assert set(answers_of(questions)) == {"ok"}


def test_it_agrees_that_every_head_of_a_table_continues_the_one_before(
    answers_of: Reader, table_log: Path
) -> None:
    with LogDatabase.open_read_only(table_log) as log:
        root_of = StoredTree(log.entries).root
        roots = [read_head(log, size)[0].root for size in range(1, TABLE_LEAVES + 1)]
        questions: list[Question] = [
            {
                "Kind": "consistent",
                "Size": size,
                "Root": roots[size - 1],
                "Older": size - 1,
                "Before": roots[size - 2],
                "Proof": consistency_proof(root_of, size - 1, size),
            }
            for size in range(2, TABLE_LEAVES + 1)
        ]
    assert set(answers_of(questions)) == {"ok"}
