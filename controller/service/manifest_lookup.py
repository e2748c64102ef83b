"""Looks up the manifests of named batches in a thread, so that the table never waits for a disk.

Source: controller/custody/README.md, "Batches at the table"; NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.commissioning.batch_folder import BatchFile, load_batch
from controller.core.manifest_binding import MANIFESTS, is_batch_name
from controller.journal.values import JournalError
from controller.messages.catalogue import to_words
from controller.procedure.effects import Refusal
from controller.system.keys import KeyFileError, load_public
from controller.table.loop import StoredTransaction
from controller.tape.entries import BatchBound, Entry, ManifestRequested
from controller.tape.inputs import ManifestGiven
from firmware_bridge.message import message
from firmware_bridge.timestamp import Timestamp

BY_CONFIGURATION: Final = message("the_configuration")
_QUEUE_MAX: Final = 64
_ANSWERS_MAX: Final = 4


class NamedBatch(Struct, frozen=True):
    """A batch named in this run, and the result, in words; `refused` is empty if it was bound.

    `number` counts the answers, so that a client can distinguish its answer from an older one.
    """

    number: int
    batch: str
    named_by: str
    refused: str


class ManifestLookup:
    """Looks up the batches that stored entries request, on a thread of its own.

    `id_of` gives the id of the person who enrolled a batch, and may raise JournalError.
    """

    def __init__(
        self,
        folder: Path,
        keys: Sequence[Path],
        clock: Callable[[], Timestamp],
        id_of: Callable[[str], str],
    ) -> None:
        self._id_of = id_of
        self._folder = folder
        self._keys = tuple(keys)
        self._clock = clock
        self._put: Callable[[ManifestGiven], object] = _discard
        self._answers: tuple[NamedBatch, ...] = ()
        self._queue: queue.Queue[ManifestRequested | None] = queue.Queue(_QUEUE_MAX)
        self._thread = threading.Thread(target=self._serve, name="batches", daemon=True)

    @property
    def answered(self) -> tuple[NamedBatch, ...]:
        """The batches named last that the table has answered, the newest last. Any thread.

        A batch bound by a person or a scanner removes the refusals before it.
        """
        return self._answers

    def start(self, put: Callable[[ManifestGiven], object], bound: Sequence[str]) -> None:
        """Start the thread; `put` takes the manifests.

        The batches in the configuration are put before this returns: a port is started next, and
        its first card needs them.
        """
        self._put = put
        for name in bound:
            self._look_up(ManifestRequested(name, BY_CONFIGURATION))
        self._thread.start()

    def on_stored(self, stored: StoredTransaction) -> None:
        """Queue the look-ups that a transaction requests; never blocks.

        Requests are dropped while the queue is full: a bar code can be scanned again.
        """
        for conclusion in stored.conclusions:
            if isinstance(conclusion.item, ManifestGiven):
                self._record_answers(conclusion.item, conclusion.entries)
            for entry in conclusion.entries:
                if isinstance(entry, ManifestRequested):
                    with contextlib.suppress(queue.Full):
                        self._queue.put_nowait(entry)

    def _record_answers(self, item: ManifestGiven, entries: tuple[Entry, ...]) -> None:
        answers = self._answers
        number = answers[-1].number + 1 if answers else 1
        for entry in entries:
            match entry:
                case BatchBound():
                    refused = ""
                    answers = answers if item.named_by == BY_CONFIGURATION else ()
                case Refusal(why=why):
                    refused = to_words(why)
                case _:
                    continue
            answers = (*answers, NamedBatch(number, item.batch, to_words(item.named_by), refused))
        self._answers = answers[-_ANSWERS_MAX:]

    def stop(self) -> None:
        """End the thread once the queue is empty."""
        self._queue.put(None)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread to end; whether it has."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        while (wanted := self._queue.get()) is not None:
            self._look_up(wanted)

    def _look_up(self, wanted: ManifestRequested) -> None:
        found = look_up(self._folder, self._keys, wanted.batch)
        given = manifest_given(found, wanted, self._clock())
        try:
            operator = self._id_of(given.operator) if given.operator else ""
        except JournalError as error:
            problem = message("in_its_own_words", foreign=str(error))
            given = replace(given, operator="", content=b"", problem=problem)
        else:
            given = replace(given, operator=operator)
        self._put(given)


def _discard(item: ManifestGiven) -> None:
    """Before start() no batch is looked up."""


def look_up(folder: Path, keys: Sequence[Path], name: str) -> BatchFile:
    """Load a batch from its folder; the keys are read again, as one may have been added."""
    if not is_batch_name(name):
        return BatchFile(name, None, None, message("not_a_batch_name"))
    trusted, missing = [], ""
    for path in keys:
        try:
            trusted.append(load_public(path))
        except KeyFileError as error:
            missing = str(error)
    found = load_batch(folder, name, trusted)
    if found.problem is None or not missing:
        return found
    problem = message("problem_without_key", problem=found.problem, foreign=missing)
    return replace(found, problem=problem)


def manifest_given(found: BatchFile, wanted: ManifestRequested, at: Timestamp) -> ManifestGiven:
    """The input for the table with a batch's manifest, or with its problem."""
    if found.manifest is None or found.problem is not None:
        return ManifestGiven(at, wanted.batch, wanted.named_by, b"", problem=found.problem)
    statement = found.receipt.statement if found.receipt is not None else None
    return ManifestGiven(
        at=at,
        batch=wanted.batch,
        named_by=wanted.named_by,
        content=MANIFESTS.encode(found.manifest),
        maker=statement.maker if statement is not None else "",
        operator=statement.operator if statement is not None else "",
        signed_by=statement.key_fingerprint if statement is not None else b"",
    )
