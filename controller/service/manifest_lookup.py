"""The desk where batches are looked up: names in, manifests to the table out.

Responsible for: one thread that reads the manifest of a batch somebody named (a bar code, a person)
from the folder of batches and gives it to the table, or what is wrong with it; those that the
configuration names come first.
Not responsible for: files and receipts (batches), for binding (core), and for reading in the
table's own thread, which must not wait for a disk.
Source: package README, "Batches at the table"; NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from controller.commissioning.batch_folder import BatchFile, load_batch
from controller.core.manifest_binding import MANIFESTS, is_batch_name
from controller.procedure.effects import Refused
from controller.system.keys import KeyFileError, fingerprint_text, load_public
from controller.table.loop import Stored
from controller.tape.entries import BatchBound, Entry, ManifestWanted
from controller.tape.inputs import ManifestGiven
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

BY_CONFIGURATION: Final = "the configuration"
_WAITING_MAX: Final = 64
_NAMED_KEPT_MAX: Final = 4


@dataclass(frozen=True, slots=True)
class Named:
    """A batch named in this run, and what came of it; `refused` is empty where it is bound.

    `number` counts what was named, so that who asked can tell the answer from an older one.
    """

    number: int
    batch: str
    named_by: str
    refused: str


class BatchDesk:
    """Asked by the table's thread, through what it stored; answers on a thread of its own."""

    def __init__(self, folder: Path, keys: Sequence[Path], clock: Callable[[], Timestamp]) -> None:
        self._folder = folder
        self._keys = tuple(keys)
        self._clock = clock
        self._put: Callable[[ManifestGiven], None] = _nowhere
        self._named: tuple[Named, ...] = ()
        self._asked: queue.Queue[ManifestWanted | None] = queue.Queue(_WAITING_MAX)
        self._thread = threading.Thread(target=self._serve, name="batches", daemon=True)

    @property
    def named(self) -> tuple[Named, ...]:
        """The batches named last, once the table has answered, the newest last. Any thread.

        A batch that a person or a scanner had bound ends what was refused before.
        """
        return self._named

    def start(self, put: Callable[[ManifestGiven], None], bound: Sequence[str]) -> None:
        """Begin; `put` takes what was found.

        The batches that the configuration names are given before this returns: the next to be
        started is a port, and its first card must find them known.
        """
        self._put = put
        for name in bound:
            self._give(ManifestWanted(name, BY_CONFIGURATION))
        self._thread.start()

    def stored(self, stored: Stored) -> None:
        """Look up what was asked for in a transaction; never blocks.

        A flood of bar codes is not answered whole: each can be scanned again.
        """
        for conclusion in stored.conclusions:
            if isinstance(conclusion.item, ManifestGiven):
                self._answered(conclusion.item, conclusion.entries)
            for entry in conclusion.entries:
                if isinstance(entry, ManifestWanted):
                    with contextlib.suppress(queue.Full):
                        self._asked.put_nowait(entry)

    def _answered(self, item: ManifestGiven, entries: tuple[Entry, ...]) -> None:
        kept = self._named
        number = kept[-1].number + 1 if kept else 1
        for entry in entries:
            match entry:
                case BatchBound():
                    refused = ""
                    kept = kept if item.named_by == BY_CONFIGURATION else ()
                case Refused(why=why):
                    refused = why
                case _:
                    continue
            kept = (*kept, Named(number, item.batch, item.named_by, refused))
        self._named = kept[-_NAMED_KEPT_MAX:]

    def stop(self) -> None:
        """End when what waits is done."""
        self._asked.put(None)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread; whether it has ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        while (wanted := self._asked.get()) is not None:
            self._give(wanted)

    def _give(self, wanted: ManifestWanted) -> None:
        found = look_up(self._folder, self._keys, wanted.batch)
        self._put(manifest_given(found, wanted, self._clock()))


def _nowhere(item: ManifestGiven) -> None:
    """Before the start nothing is looked up."""


def look_up(folder: Path, keys: Sequence[Path], name: str) -> BatchFile:
    """The batch, with the keys as they are now: one may have been put there since."""
    if not is_batch_name(name):
        problem = "this is no name of a batch; scan the batch's own bar code, or name it"
        return BatchFile(name, None, None, problem)
    trusted, missing = [], ""
    for path in keys:
        try:
            trusted.append(load_public(path))
        except KeyFileError as error:
            missing = f" ({error})"
    found = load_batch(folder, name, trusted)
    return replace(found, problem=found.problem + missing) if found.problem else found


def manifest_given(found: BatchFile, wanted: ManifestWanted, at: Timestamp) -> ManifestGiven:
    """What the table is told of a batch."""
    if found.manifest is None or found.problem:
        return ManifestGiven(at, wanted.batch, wanted.named_by, b"", problem=found.problem)
    said = found.receipt.statement if found.receipt is not None else None
    return ManifestGiven(
        at=at,
        batch=wanted.batch,
        named_by=wanted.named_by,
        content=MANIFESTS.encode(found.manifest),
        maker=said.maker if said is not None else "",
        operator=said.operator if said is not None else "",
        signed_by=fingerprint_text(said.key_fingerprint) if said is not None else "",
    )
