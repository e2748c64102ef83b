"""Asks witnesses on other machines to cosign heads of the evidence log, beside everything else.

A witness that is absent, slow or wrong costs nothing; what it said last is kept as words.
Source: C2SP tlog-witness, tlog-cosignature.
"""

import base64
import binascii
import io
import logging
import re
import threading
from collections.abc import Callable, Iterable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from controller.journal.evidence_log.log import read_head, tree_of
from controller.journal.evidence_log.note import (
    KeyType,
    NoteError,
    NoteKey,
    SignatureLine,
    SignedNote,
    parse_note,
    valid_signatures,
)
from controller.journal.evidence_log.tree import consistency_proof
from controller.journal.log_database import LogDatabase
from controller.journal.values import JournalError
from controller.system.keys import PublicKey
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LOG: Final = logging.getLogger("smartshoe.evidence")
ANSWER_S: Final = 10.0
END_S: Final = 2.0
RETRY_S: Final = 60.0
ANSWER_BYTES_MAX: Final = 64 * 1024
_ATTEMPTS: Final = 3
_OK: Final = 200
_CONFLICT: Final = 409
_SIZE: Final = re.compile(rb"(0|[1-9]\d{0,18})\n?")
_VERIFIER_KEY: Final = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)")


class WitnessSettings(Struct, frozen=True):
    """A witness: where it answers, and the key whose cosignatures it makes."""

    url: str
    key: NoteKey


class WitnessRefused(Exception):
    """A witness did not cosign; the message says why."""


def parse_witness_key(text: str) -> NoteKey:
    """The key of a witness as it publishes it: name, hash and key, each after a plus.

    Raises NoteError.
    """
    found = _VERIFIER_KEY.fullmatch(text)
    try:
        data = base64.b64decode(found[3], validate=True) if found is not None else b""
    except binascii.Error:
        data = b""
    if found is None or len(data) != 33 or data[0] != KeyType.COSIGNATURE:
        raise NoteError(
            f"{text!r} is not the key of a witness. Allowed: name+hash+key as the witness"
            " publishes it, for cosignatures of Ed25519"
        )
    key = NoteKey(found[1], KeyType.COSIGNATURE, PublicKey(data[1:]))
    if key.id.hex() != found[2]:
        raise NoteError(f"{text!r}: its hash is not that of its name and key")
    return key


# Called with a size and a witness's line under its head, or None where it gave none.
Answered = Callable[[int, SignatureLine | None], None]


class Witnesses:
    """Offers heads to every witness, each from a thread of its own.

    `answered` is called from these threads.
    """

    def __init__(
        self, folder: Path, witnesses: Iterable[WitnessSettings], answered: Answered
    ) -> None:
        self._offered = 0
        self._each = tuple(_OneWitness(folder, one, answered) for one in witnesses)

    @property
    def absent(self) -> tuple[str, ...]:
        """The witnesses that have not cosigned the newest head offered, with what they said."""
        return tuple(
            f"{one.name}: {one.failed or 'no answer yet'}"
            for one in self._each
            if one.seen < self._offered
        )

    def offer(self, size: int) -> None:
        """Ask for cosignatures of the head of that size; returns at once."""
        self._offered = size
        for one in self._each:
            one.offer(size)

    def end(self, within_s: float | None = None) -> None:
        """Wait a while for the answers to the newest head, and end."""
        for one in self._each:
            one.end()
        until_ns = _after(END_S if within_s is None else min(END_S, within_s))
        for one in self._each:
            one.join(max(0.0, _left_s(until_ns)))


class _OneWitness:
    """Offers heads to one witness: one that is slow or absent keeps no other from being asked.

    `seen`: the newest head that it cosigned; `failed`: why it did not cosign the newest one that it
    was asked for, empty where it did. Any thread may read both.
    """

    def __init__(self, folder: Path, witness: WitnessSettings, answered: Answered) -> None:
        self.name = witness.key.name
        self.seen = 0
        self.failed = ""
        self._folder = folder
        self._witness = witness
        self._answered = answered
        self._offered = 0
        self._is_offered = False
        self._ended = False
        self._changed = threading.Condition()
        # A daemon: a witness that does not answer holds up no end of the program.
        name = f"witness-{self.name}"
        self._thread = ContextThread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def offer(self, size: int) -> None:
        with self._changed:
            self._offered, self._is_offered = size, True
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _is_due(self) -> bool:
        return self._is_offered or self._ended

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_due, RETRY_S if self.failed else None)
                if self._ended and not self._is_offered:
                    return
                size, self._is_offered = self._offered, False
            if self.seen < size:
                self._ask(size)

    def _ask(self, size: int) -> None:
        try:
            line = self._cosignature(size)
        except (WitnessRefused, JournalError, OSError, HTTPException, ValueError) as error:
            words = str(error) or type(error).__name__
            if self.failed != words:
                LOG.warning("witness %s did not cosign head %d: %s", self.name, size, words)
            self.failed = words
            self._answered(size, None)
            return
        self.failed, self.seen = "", size
        self._answered(size, line)

    def _cosignature(self, size: int) -> SignatureLine:
        """The witness's line under the head of that size. Raises WitnessRefused and others."""
        witness = self._witness
        with LogDatabase.open_read_only(self._folder) as log:
            head, note = read_head(log, size)
            tree = tree_of(log, head)
            old = self.seen
            for _ in range(_ATTEMPTS):
                proof = consistency_proof(tree.root, old, size) if 0 < old < size else ()
                status, body = _post(witness.url, _request(old, proof, note))
                if status == _OK:
                    return _valid_line(witness.key, note, body)
                older = _SIZE.fullmatch(body)
                if status != _CONFLICT or older is None:
                    words = body.decode("utf-8", "replace").strip()[:200]
                    raise WitnessRefused(f"it answered {status}: {words}")
                old = int(older[1])
                if old > size:
                    raise WitnessRefused(
                        f"it has seen a head of size {old}, and this log has {size} leaves: this is"
                        " an older log, or another machine goes on with it"
                    )
        raise WitnessRefused("it names another size at each answer")


def _request(old: int, proof: Iterable[bytes], note: SignedNote) -> bytes:
    lines = [f"old {old}", *(base64.b64encode(one).decode() for one in proof)]
    return "".join(f"{line}\n" for line in lines).encode() + b"\n" + note.to_bytes()


def _valid_line(key: NoteKey, note: SignedNote, body: bytes) -> SignatureLine:
    """The line of that key in the answer, checked. Raises WitnessRefused."""
    try:
        signed = parse_note(note.text.encode() + b"\n" + body)
        (valid,) = valid_signatures(signed, [key])
    except NoteError as error:
        raise WitnessRefused(f"its cosignature does not hold: {error}") from error
    assert valid.key == key
    return next(one for one in signed.signatures if one.key_id == key.id)


def _after(seconds: float) -> int:
    """That time from now on, by the monotonic clock."""
    return now().monotonic_ns + int(seconds * 1e9)


def _left_s(until_ns: int) -> float:
    return (until_ns - now().monotonic_ns) / 1e9


class _WithinDeadline(io.RawIOBase):
    """What a connection brings, up to a time of the monotonic clock."""

    def __init__(self, connection: HTTPConnection, until_ns: int) -> None:
        super().__init__()
        self._connection = connection
        self._until_ns = until_ns

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        if (left_s := _left_s(self._until_ns)) <= 0:
            raise TimeoutError
        self._connection.sock.settimeout(left_s)
        return self._connection.sock.recv_into(buffer)


def _post(url: str, body: bytes) -> tuple[int, bytes]:
    """Status and body of the answer, both bounded: the whole of it arrives within ANSWER_S.

    A timeout of the connection alone begins again at each byte. Raises WitnessRefused, OSError,
    HTTPException.
    """
    parts, until_ns = urlsplit(url), _after(ANSWER_S)
    connection = _connection(parts)
    try:
        path = f"{parts.path.rstrip('/')}/add-checkpoint"
        connection.request("POST", path, body, {"Content-Type": "text/plain; charset=utf-8"})
        answer = HTTPResponse(connection.sock, method="POST")
        answer.fp.close()
        answer.fp = io.BufferedReader(_WithinDeadline(connection, until_ns))
        answer.begin()
        return answer.status, answer.read(ANSWER_BYTES_MAX)
    except TimeoutError:
        raise WitnessRefused(f"it gave no whole answer within {ANSWER_S:g} s") from None
    finally:
        connection.close()


def _connection(parts: SplitResult) -> HTTPConnection:
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    assert parts.hostname, "the configuration has checked it"
    return kind(parts.hostname, parts.port, timeout=ANSWER_S)
