"""Go's packages of transparency logs agree with ours on every small tree and on a signed note."""

import base64
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.evidence_log.checkpoint import TreeHead
from controller.evidence_log.note import KeyType, NoteKey, SignedNote, sign_line
from controller.evidence_log.tree import (
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    roots_of,
)
from controller.system.keys import PublicKey

pytestmark = pytest.mark.debian("golang-go")

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
    subprocess.run(built, check=True, env=environment, timeout=100)

    def ask(questions: list[Question]) -> list[str]:
        lines = "".join(f"{json.dumps(one, default=encoded)}\n" for one in questions)
        answer = subprocess.run(
            [str(program)], input=lines, capture_output=True, text=True, check=True, timeout=60
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
