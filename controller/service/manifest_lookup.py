"""Looks up the manifests of named batches as a subscriber: the table never waits for their disk.

Source: NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace

from controller.core.manifest_binding import MANIFESTS, is_batch_name
from controller.core.state import Stored
from controller.core.tape.entries import BatchBound, Entry, ManifestRequested
from controller.core.tape.inputs import ManifestGiven
from controller.journal.values import JournalError
from controller.procedure.effects import Refusal
from controller.record.snapshot_devices import NamedBatch
from controller.system.keys import KeyFileError, load_public
from controller.system.messages.catalogue import to_words
from foundation.message import message
from foundation.timestamp import Timestamp

if TYPE_CHECKING:
    from controller.service.commissioning.batch_folder import BatchFile

BY_CONFIGURATION: Final = message("the_configuration")
_ANSWERS_MAX: Final = 4


class ManifestLookup:
    """Looks up the batches that stored entries request. A bar code that is left out is read again.

    `id_of` gives the id of the person who enrolled a batch, and may raise JournalError. `put` takes
    the manifests; `announce` is called when there is a new answer to show.
    """

    name: ClassVar[str] = "batches"

    def __init__(
        self,
        folder: Path,
        keys: Sequence[Path],
        clock: Callable[[], Timestamp],
        id_of: Callable[[str], str],
        put: Callable[[ManifestGiven], object],
        announce: Callable[[], object],
    ) -> None:
        self._id_of = id_of
        self._folder = folder
        self._keys = tuple(keys)
        self._clock = clock
        self._put = put
        self._announce = announce
        self._answers: tuple[NamedBatch, ...] = ()

    @property
    def answered(self) -> tuple[NamedBatch, ...]:
        """The batches named last that the table has answered, the newest last. Any thread.

        A batch bound by a person or a scanner removes the refusals before it.
        """
        return self._answers

    def bind(self, names: Sequence[str]) -> None:
        """Put the manifests of the batches that the configuration names, before a port opens."""
        for name in names:
            self._look_up(ManifestRequested(name, BY_CONFIGURATION))

    def stored(self, stored: Stored) -> None:
        """Look up what a transaction requests, and keep the answers in it."""
        for conclusion in stored.conclusions:
            if isinstance(conclusion.item, ManifestGiven):
                self._record_answers(conclusion.item, conclusion.entries)
                self._announce()
            for entry in conclusion.entries:
                if isinstance(entry, ManifestRequested):
                    self._look_up(entry)

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


def look_up(folder: Path, keys: Sequence[Path], name: str) -> "BatchFile":
    """Load a batch from its folder; the keys are read again, as one may have been added."""
    # With receipts and their forms: a table is often not asked for one.
    from controller.service.commissioning.batch_folder import BatchFile, load_batch  # noqa: PLC0415

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


def manifest_given(found: "BatchFile", wanted: ManifestRequested, at: Timestamp) -> ManifestGiven:
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
