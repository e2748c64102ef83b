"""The newest signed head of the evidence log as an event: whoever keeps it is a witness.

Source: C2SP tlog-checkpoint.
"""

from pathlib import Path
from typing import Final

import msgspec

from controller.journal.log_database import LogDatabase
from controller.outlets.feed.events import CheckpointEvent, CloudEvent, type_of
from controller.outlets.feed.state import time_of
from foundation.timestamp import Timestamp

_LOG: Final = "log"


def checkpoint_event(journal: Path, source: str, size: int, now: Timestamp) -> bytes | None:
    """The head of that size; None where the log has none yet. Raises JournalError."""
    with LogDatabase.open_read_only(journal) as log:
        note = log.note(size)
    if note is None:
        return None
    sequence = f"{size:010}"
    event = CloudEvent[CheckpointEvent](
        id=sequence,
        source=f"{source}/{_LOG}",
        type=type_of(CheckpointEvent.kind),
        time=time_of(now.utc_ns),
        sequence=sequence,
        data=CheckpointEvent(size, note.decode()),
    )
    return msgspec.json.encode(event)
