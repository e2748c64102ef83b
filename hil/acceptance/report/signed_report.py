"""The signed report of an acceptance: its document, its signature, and what verifying checks.

The signature is over the form's name and the document without it, as canonical JSON.

Source: RFC 8032 (Ed25519).
"""

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from controller.system.atomic_file import SmallFileError, store_text
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from hil.acceptance.report.results import WalkOutcome, WalkStep

FORM: Final = "smartshoe-acceptance-1"
_REPORT_BYTES_MAX: Final = 64_000_000
# Room for the report on a disk that the tape fills.
_RESERVE_BYTES: Final = 1 << 20
_NAMED_MAX: Final = 6


class ReportFiles(Struct, frozen=True):
    """Where an acceptance is kept: the signed report, the same for people, and the tape."""

    report: Path

    @property
    def text(self) -> Path:
        return self.report.with_suffix(".txt")

    @property
    def tape(self) -> Path:
        return self.report.with_suffix(".pcapng")

    @property
    def reserve(self) -> Path:
        return self.report.with_name(f".{self.report.name}.reserve")


class BadReport(Exception):
    """The file is no report, or it does not hold; the message says why."""


def verdict_of(steps: Sequence[WalkStep], incomplete: str) -> str:
    """The first line of a report."""
    counts = Counter(one.outcome for one in steps)
    if not incomplete and counts[WalkOutcome.PASS] == len(steps):
        return f"ACCEPTED: all {len(steps)} steps passed"
    parts = [
        f"{counts[outcome]} {one if counts[outcome] == 1 else more} ({_names(steps, outcome)})"
        for outcome, one, more in _WORDS
        if counts[outcome]
    ]
    parts.append(f"{counts[WalkOutcome.PASS]} passed")
    head = f"INCOMPLETE, {incomplete}" if incomplete else "NOT ACCEPTED"
    return f"{head}: {', '.join(parts)}"


_WORDS: Final = (
    (WalkOutcome.FAIL, "failed", "failed"),
    (WalkOutcome.DIFFERS, "differs from the wire document", "differ from the wire document"),
    (WalkOutcome.NOT_DONE, "not done", "not done"),
)


def _names(steps: Sequence[WalkStep], outcome: WalkOutcome) -> str:
    names = [one.name for one in steps if one.outcome is outcome]
    more = len(names) - _NAMED_MAX
    return ", ".join(names[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def is_accepted(document: dict[str, Any]) -> bool:
    """Whether every step passed."""
    steps = document["steps"]
    return not document["incomplete"] and all(one["outcome"] == WalkOutcome.PASS for one in steps)


def signed(document: dict[str, Any], key: TableKey) -> dict[str, Any]:
    """The document with its key and signature."""
    public = {
        "public_key": key.public.raw.hex(),
        "fingerprint": fingerprint_text(key.public.fingerprint),
    }
    whole = json.loads(json.dumps(to_builtins({**document, "form": FORM, "key": public})))
    return {**whole, "signature": key.sign(_signed_bytes(whole)).hex()}


def _signed_bytes(document: dict[str, Any]) -> bytes:
    bare = {name: value for name, value in document.items() if name != "signature"}
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"{FORM}\n{text}".encode("ascii")


def report_text(document: dict[str, Any]) -> str:
    """The report's file: JSON, in the order it was made."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def load_report(path: Path) -> dict[str, Any]:
    """Read a report; nothing is verified yet. Raises BadReport."""
    try:
        with path.open("rb") as file:
            data = file.read(_REPORT_BYTES_MAX + 1)
    except OSError as error:
        raise BadReport(f"it cannot be read: {error.strerror}") from error
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadReport("it is not JSON") from error
    if not isinstance(document, dict) or document.get("form") != FORM:
        raise BadReport(f"it is no report of the form {FORM}")
    return document


def require_signature(document: dict[str, Any], trusted: PublicKey | None) -> PublicKey:
    """The key that signed the report; `trusted` None: the one that it names. Raises BadReport."""
    try:
        named = PublicKey(bytes.fromhex(document["key"]["public_key"]))
        signature = bytes.fromhex(document["signature"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadReport("it has no key or no signature") from error
    if trusted is not None and trusted != named:
        raise BadReport(f"it is signed with another key, {fingerprint_text(named.fingerprint)}")
    if not named.verifies(signature, _signed_bytes(document)):
        raise BadReport("its signature does not hold: it was changed after it was signed")
    return named


def require_tape(document: dict[str, Any], tape: Path) -> bytes:
    """The bytes of the tape that the report names. Raises BadReport."""
    try:
        size, digest = int(document["tape"]["bytes"]), str(document["tape"]["sha256"])
        whole = bool(document["tape"]["whole"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadReport("it names no tape") from error
    try:
        data = tape.read_bytes()
    except OSError as error:
        raise BadReport(f"its tape {tape} cannot be read: {error.strerror}") from error
    if len(data) < size or (whole and len(data) > size):
        raise BadReport(f"its tape {tape} has {len(data)} bytes, and not {size}")
    if hashlib.sha256(data[:size]).hexdigest() != digest:
        raise BadReport(f"its tape {tape} was changed: its SHA-256 differs")
    return data[:size]


def steps_of(document: dict[str, Any]) -> tuple[WalkStep, ...]:
    """The steps of a report. Raises BadReport."""
    try:
        steps = [{**one, "figures": tuple(one["figures"].items())} for one in document["steps"]]
        return convert(steps, tuple[WalkStep, ...])
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise BadReport(f"its steps cannot be read: {error}") from error


def step_fields(step: WalkStep) -> dict[str, Any]:
    """A step as the report has it: its figures by name."""
    return {**to_builtins(step), "figures": to_builtins(dict(step.figures))}


class ReportKeeper:
    """Writes the report after each step, so that however a run ends its report is there.

    Use as a context manager: it keeps room on the disk for the last report.
    """

    def __init__(self, files: ReportFiles, key: TableKey) -> None:
        self.files = files
        self._key = key

    def __enter__(self) -> "ReportKeeper":
        with contextlib.suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(self.files.reserve, flags, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, _RESERVE_BYTES)
            finally:
                os.close(descriptor)
        return self

    def __exit__(self, *_: object) -> None:
        self._give_room()

    def sign(self, document: dict[str, Any]) -> dict[str, Any]:
        """The document with its key and signature."""
        return signed(document, self._key)

    def save(self, document: dict[str, Any]) -> None:
        """Write a signed report over the one before. Raises SmallFileError: it cannot be."""
        text = report_text(document)
        try:
            store_text(self.files.report, text)
        except SmallFileError:
            self._give_room()
            store_text(self.files.report, text)

    def _give_room(self) -> None:
        with contextlib.suppress(OSError):
            self.files.reserve.unlink(missing_ok=True)
