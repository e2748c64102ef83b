"""A witness of evidence logs over HTTP: checks that each head only appends, then cosigns it.

It shares no code with the program. A witness that lies, for tests of what that does, cosigns
without checking.
Source: C2SP tlog-witness, tlog-cosignature, signed-note; RFC 6962, section 2.1.2; RFC 8032.
"""

from __future__ import annotations

import base64
import threading
import time
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOTE_BYTES_MAX = 64 * 1024
PROOF_LINES_MAX = 63
SIZE_TYPE = "text/x.tlog.size"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status and its body."""

    status: int
    body: bytes
    kind: str = "text/plain; charset=utf-8"


class Refused(Exception):
    """A request is refused with this status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True, slots=True)
class Head:
    """The size and root of a log."""

    size: int
    root: bytes


@dataclass(slots=True)
class Witness:
    """What it has seen of each log. `logs` are the keys (32 bytes) that it trusts, by origin.

    `honest` False: it checks nothing. `clock` gives seconds since 1970.
    """

    name: str
    logs: dict[str, bytes]
    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    honest: bool = True
    clock: Callable[[], int] = lambda: int(time.time())
    seen: dict[str, Head] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def published_key(self) -> str:
        """The key as those who verify cosignatures write it down."""
        public = b"\x04" + self.key.public_key().public_bytes_raw()
        return f"{self.name}+{_key_id(self.name, public).hex()}+{base64.b64encode(public).decode()}"

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer a request of that name."""
        try:
            with self.lock:
                return self._cosign(body)
        except Refused as refused:
            return Answer(refused.status, f"{refused}\n".encode())
        except (ValueError, IndexError) as error:
            return Answer(400, f"not a request: {error}\n".encode())

    def _cosign(self, body: bytes) -> Answer:
        asked, _, note = body.partition(b"\n\n")
        first, *lines = asked.decode().splitlines()
        word, size = first.split(" ")
        if word != "old" or len(lines) > PROOF_LINES_MAX:
            raise Refused(400, "a request begins with old and a size, then at most 63 hashes")
        proof = [base64.b64decode(line, validate=True) for line in lines]
        text, _, signed = note.rpartition(b"\n\n")
        text += b"\n"
        origin, tree_size, root, *_ = text.decode().splitlines()
        head = Head(int(tree_size), base64.b64decode(root, validate=True))
        if self.honest:
            self._require_signed(origin, text, signed.decode().splitlines())
            if conflict := self._check(origin, int(size), head, proof):
                return conflict
        self.seen[origin] = head
        return Answer(200, self._cosignature(text))

    def _require_signed(self, origin: str, text: bytes, lines: Sequence[str]) -> None:
        key = self.logs.get(origin)
        if key is None:
            raise Refused(404, f"no log {origin} here")
        known = _key_id(origin, b"\x01" + key)
        for line in lines:
            _, name, encoded = line.split(" ")
            data = base64.b64decode(encoded, validate=True)
            if name == origin and data[:4] == known:
                try:
                    Ed25519PublicKey.from_public_bytes(key).verify(data[4:], text)
                except InvalidSignature:
                    raise Refused(403, "the log's signature does not hold") from None
                return
        raise Refused(403, "no signature of a key that is trusted for this log")

    def _check(self, origin: str, old: int, head: Head, proof: list[bytes]) -> Answer | None:
        """An answer 409 where the caller must begin at another size. Raises Refused."""
        before = self.seen.get(origin, Head(0, b""))
        if old > head.size:
            raise Refused(400, "the old size is larger than the new one")
        if old != before.size or (old == head.size and before.root != head.root and old):
            return Answer(409, f"{before.size}\n".encode(), SIZE_TYPE)
        if old and not appends(before, head, proof):
            raise Refused(422, "the proof does not show that the log only appends")
        return None

    def _cosignature(self, text: bytes) -> bytes:
        seconds = self.clock()
        signature = self.key.sign(b"cosignature/v1\ntime %d\n" % seconds + text)
        public = b"\x04" + self.key.public_key().public_bytes_raw()
        data = _key_id(self.name, public) + seconds.to_bytes(8, "big") + signature
        return f"\u2014 {self.name} {base64.b64encode(data).decode()}\n".encode()


def _key_id(name: str, typed_key: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + typed_key).digest()[:4]


def appends(old: Head, new: Head, proof: list[bytes]) -> bool:
    """Whether the proof shows it, computed from the leaves' numbers downwards (RFC 6962, 2.1.2)."""
    try:
        rest = list(proof)
        of_old, of_new = _roots(old, 0, new.size, rest, whole=True)
    except IndexError:
        return False
    return not rest and (of_old, of_new) == (old.root, new.root)


def _roots(
    old: Head, start: int, end: int, proof: list[bytes], *, whole: bool
) -> tuple[bytes, bytes]:
    """The roots of the leaves from `start` that the old tree has, and of all up to `end`.

    `whole`: the old tree is the whole part on its left side, so its root needs no proof.
    """
    size = end - start
    if old.size == size:
        root = old.root if whole else proof.pop(0)
        return root, root
    left = 1
    while left * 2 < size:
        left *= 2
    if old.size <= left:
        of_old, of_new = _roots(old, start, start + left, proof, whole=whole)
        right = proof.pop(0)
        return of_old, _node(of_new, right)
    rest = Head(old.size - left, old.root)
    of_old, of_new = _roots(rest, start + left, end, proof, whole=False)
    common = proof.pop(0)
    return _node(common, of_old), _node(common, of_new)


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class WitnessServer:
    """A witness on a port of this machine. Use as a context manager."""

    def __init__(self, witness: Witness) -> None:
        self.witness = witness

        class CosigningRequests(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = min(int(self.headers.get("Content-Length", 0)), NOTE_BYTES_MAX)
                body = self.rfile.read(length)
                path_known = self.path.endswith("/add-checkpoint")
                answer = witness.add_checkpoint(body) if path_known else Answer(404, b"")
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                """Nothing: tests look at what it has seen."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), CosigningRequests)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/witness"

    def __enter__(self) -> WitnessServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
