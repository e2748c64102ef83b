"""Heads are offered to witnesses over HTTP; what an absent, wrong or lying one changes.

Source: C2SP tlog-witness.
"""

import contextlib
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.archive import witness as witness_module
from controller.archive.log_writer import LogWriter
from controller.archive.signer import KeySigner, SigningSettings, open_signer
from controller.archive.witness import WitnessSettings, parse_witness_key
from controller.journal.encoding import GENESIS
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import stored_note
from controller.journal.evidence_log.note import NoteError, valid_signatures
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.system.keys import make_key
from firmware_bridge.transport.clock import now
from hil.emulator.witness import Head, Witness, WitnessServer, appends

STOP = Leaf(LeafKind.STOP, 0, GENESIS, 3)


@pytest.fixture
def key(fast_dir: Path) -> KeySigner:
    (fast_dir / "journal").mkdir()
    make_key(fast_dir / "journal" / "table.key")
    signer = open_signer(SigningSettings(fast_dir / "journal" / "table.key"))
    assert isinstance(signer, KeySigner)
    return signer


@pytest.fixture
def witness(key: KeySigner) -> Iterator[WitnessServer]:
    with WitnessServer(Witness("w.example", {"BAC-12": key.public.raw})) as server:
        yield server


def settings(server: WitnessServer) -> WitnessSettings:
    return WitnessSettings(server.url, parse_witness_key(server.witness.published_key))


@pytest.fixture
def run(fast_dir: Path, key: KeySigner) -> Callable[..., LogWriter]:
    """One run of the log that adds these leaves; the writer after its end."""

    def ran(*leaves: Leaf, witnesses: tuple[WitnessSettings, ...]) -> LogWriter:
        writer = LogWriter("BAC-12", lambda: key, now, witnesses)
        with Journal.open(fast_dir / "journal") as journal:
            writer.begin(journal)
            for leaf in leaves:
                writer.add(leaf)
            writer.end()
        return writer

    return ran


def test_a_witness_cosigns_the_heads_that_the_tables_key_signs(run, witness, fast_dir) -> None:
    coup = Leaf(LeafKind.COUP, 0, GENESIS, 2, "2026-11-21", 7)
    run(coup, STOP, witnesses=(settings(witness),))
    run(*[coup] * 4, STOP, witnesses=(settings(witness),))

    known = [parse_witness_key(witness.witness.published_key)]
    with LogDatabase.open_read_only(fast_dir / "journal") as log:
        newest = stored_note(log, log.size)
        (valid,) = valid_signatures(newest, known)
        assert valid.time_s is not None
        with pytest.raises(NoteError, match="no known key has signed it"):
            valid_signatures(stored_note(log, 2), known)
    assert witness.witness.seen["BAC-12"].size == 8


def test_an_absent_witness_is_named_and_costs_no_head(run, witness, fast_dir) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    gone = WitnessSettings(nobody, parse_witness_key(witness.witness.published_key))

    writer = run(STOP, witnesses=(gone,))

    assert writer.status.size == 2
    (words,) = writer.status.absent
    assert words.startswith("w.example: ")
    assert "refused" in words


class Dripping:
    """A witness that answers a byte now and then, and never ends."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def _serve(self) -> None:
        asked, _ = self._server.accept()
        with asked, contextlib.suppress(OSError):
            asked.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not self.ended.wait(0.02):
                asked.sendall(b"x")

    def end(self) -> None:
        self.ended.set()
        self._server.close()
        self._thread.join()


@pytest.fixture
def dripping() -> Iterator[Dripping]:
    slow = Dripping()
    yield slow
    slow.end()


def test_a_witness_that_drips_its_answer_keeps_no_other_from_being_asked(
    run, witness, dripping, fast_dir, monkeypatch, caplog
) -> None:
    monkeypatch.setattr(witness_module, "ANSWER_S", 0.3)
    known = parse_witness_key(witness.witness.published_key)
    slow = WitnessSettings(dripping.url, parse_witness_key(Witness("s.example", {}).published_key))

    writer = run(STOP, witnesses=(slow, WitnessSettings(witness.url, known)))

    with LogDatabase.open_read_only(fast_dir / "journal") as log:
        assert valid_signatures(stored_note(log, log.size), [known])
    assert writer.status.absent == ("s.example: it gave no whole answer within 0.3 s",)
    assert "witness s.example did not cosign head 2: it gave no whole answer" in caplog.text


def test_a_witness_that_has_seen_more_says_that_this_log_is_older(
    run, witness, fast_dir, tmp_path
) -> None:
    """An older image of the disk is put back: the witness has seen the heads that it lacks."""
    run(STOP, witnesses=())
    shutil.copytree(fast_dir / "journal", tmp_path / "image")
    run(STOP, STOP, STOP, witnesses=(settings(witness),))
    shutil.rmtree(fast_dir / "journal")
    shutil.copytree(tmp_path / "image", fast_dir / "journal")

    writer = run(STOP, witnesses=(settings(witness),))

    (words,) = writer.status.absent
    assert "it has seen a head of size 5, and this log has 3 leaves" in words


def test_two_machines_that_go_on_from_one_head_are_noticed(
    run, witness, fast_dir, tmp_path
) -> None:
    run(STOP, witnesses=(settings(witness),))
    shutil.copytree(fast_dir / "journal", tmp_path / "image")
    run(STOP, STOP, witnesses=(settings(witness),))
    shutil.rmtree(fast_dir / "journal")
    shutil.copytree(tmp_path / "image", fast_dir / "journal")

    writer = run(STOP, STOP, STOP, witnesses=(settings(witness),))

    (words,) = writer.status.absent
    assert "it answered 422: the proof does not show that the log only appends" in words


def test_a_witness_cosigns_no_log_of_another_key(run, witness, tmp_path) -> None:
    witness.witness.logs["BAC-12"] = make_key(tmp_path / "other").public.raw
    (words,) = run(STOP, witnesses=(settings(witness),)).status.absent
    assert "it answered 403" in words


def test_a_cosignature_of_another_key_is_not_taken(run, witness, fast_dir) -> None:
    other = Witness("w.example", {})
    wrong = WitnessSettings(witness.url, parse_witness_key(other.published_key))
    (words,) = run(STOP, witnesses=(wrong,)).status.absent
    assert "its cosignature does not hold: no known key has signed it" in words
    with LogDatabase.open_read_only(fast_dir / "journal") as log:
        assert len(stored_note(log, log.size).signatures) == 2


def test_a_witness_that_lies_cosigns_a_fork_and_the_honest_one_does_not(
    run, witness, key, fast_dir, tmp_path
) -> None:
    """What a lying witness signs proves nothing: hence several, and their keys are named."""
    liar = Witness("liar.example", {"BAC-12": key.public.raw}, honest=False)
    with WitnessServer(liar) as lying:
        both = (settings(witness), settings(lying))
        run(STOP, witnesses=both)
        shutil.copytree(fast_dir / "journal", tmp_path / "image")
        run(STOP, STOP, witnesses=both)
        shutil.rmtree(fast_dir / "journal")
        shutil.copytree(tmp_path / "image", fast_dir / "journal")

        writer = run(STOP, STOP, STOP, witnesses=both)

        (words,) = writer.status.absent
        assert words.startswith("w.example: ")
        with LogDatabase.open_read_only(fast_dir / "journal") as log:
            newest = stored_note(log, log.size)
        assert valid_signatures(newest, [parse_witness_key(liar.published_key)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "w.example",
        "w.example+00000000+BAAA",
        "w.example+zz+BAAA",
        "w example+00000000+BAAA",
    ],
)
def test_what_is_no_witness_key_is_refused(text: str) -> None:
    with pytest.raises(NoteError, match="is not the key of a witness"):
        parse_witness_key(text)


def test_a_key_whose_hash_is_anothers_is_refused() -> None:
    one, two = Witness("a.example", {}), Witness("b.example", {})
    mixed = one.published_key.split("+")[0] + "+" + "+".join(two.published_key.split("+")[1:])
    with pytest.raises(NoteError, match="its hash is not that of its name and key"):
        parse_witness_key(mixed)


def test_the_emulated_witness_refuses_what_is_not_appended() -> None:
    """Its own reading of the proofs, by the roots of the tests of RFC 6962's first trees."""
    assert appends(Head(3, b"a"), Head(3, b"a"), [])
    assert not appends(Head(3, b"a"), Head(4, b"b"), [b"x"])
