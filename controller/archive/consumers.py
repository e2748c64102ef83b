"""The consumers of a table's floor feed: how each is reached, and how far each has the journal."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from controller.journal.values import JournalError
from controller.system.atomic_file import SmallFileError, read_text, store_text
from foundation.typed_reading import json_decoder

CURSORS_NAME: Final = "feed"
_SUFFIX: Final = ".json"
_FILE_MODE: Final = 0o600
_FORM: Final = "smartshoe-feed-1"


class FeedContent(StrEnum):
    """What may leave the table."""

    METERS_AND_EVENTS = "meters_and_events"  # never a face
    FINISHED_COUPS = "finished_coups"  # the faces of finished coups, too, as people saw them


class FeedBegin(StrEnum):
    """Where a consumer without a cursor begins."""

    OLDEST = "oldest"  # with the oldest shoe that is here
    SHOE_IN_PLAY = "shoe_in_play"


class FeedSettings(Struct, frozen=True):
    """One consumer: a broker of MQTT 5, and what it gets.

    `tls` False is for this machine alone. `ca` None: the authorities that the machine trusts.
    `certificate` and `key` are the table's; `user` empty: none. `broker_saves_s`: what the broker
    acknowledged less than that before a connection ended is sent again. `backfill`: sealed shoes
    are sent again on request.
    """

    name: str
    host: str
    port: int
    topic: str
    tls: bool = True
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    user: str = ""
    password_file: Path | None = None
    content: FeedContent = FeedContent.METERS_AND_EVENTS
    begin: FeedBegin = FeedBegin.OLDEST
    backfill: bool = False
    broker_saves_s: int = 1800


class FeedCursor(Struct, frozen=True):
    """How far one consumer has the journal: every event up to record `record`.

    `mark` is the beginning of that record's chain value: of another journal it is no cursor.
    `base` is the record before the shoe that this record is of, `before` the sequence of the last
    event up to there, empty if not known. `checkpoint` is the newest head that was sent.
    """

    record: int
    mark: str
    base: int
    before: str
    form: Literal["smartshoe-feed-1"] = _FORM


def cursor_path(journal: Path, consumer: str) -> Path:
    """The file of a consumer's cursor in a journal's folder."""
    return journal / CURSORS_NAME / f"{consumer}{_SUFFIX}"


def load_cursor(journal: Path, consumer: str) -> FeedCursor | None:
    """A consumer's cursor; None where it has none. Raises JournalError."""
    path = cursor_path(journal, consumer)
    if not path.exists():
        return None
    try:
        return json_decoder(FeedCursor).decode(read_text(path))
    except (SmallFileError, msgspec.MsgspecError) as error:
        raise JournalError(
            f"{path}: it is not the cursor of a feed: {error}. Remedy: remove it; the consumer then"
            " gets again what it has, and drops it as repeats"
        ) from error


def store_cursor(journal: Path, consumer: str, cursor: FeedCursor) -> None:
    """Replace a consumer's cursor, durably. Raises SmallFileError."""
    store_text(
        cursor_path(journal, consumer), msgspec.json.encode(cursor).decode() + "\n", _FILE_MODE
    )


def cursors(journal: Path) -> Iterator[tuple[str, FeedCursor]]:
    """Every consumer that has a cursor, and it. Raises JournalError."""
    for path in sorted((journal / CURSORS_NAME).glob(f"*{_SUFFIX}")):
        cursor = load_cursor(journal, path.stem)
        if cursor is not None:
            yield path.stem, cursor
