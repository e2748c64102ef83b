"""Reads what the last hour stored of each port, so that a restart gives no new noise allowance."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from controller.core.tape.records import inputs_in, read_input
from controller.journal.encoding import EncodingError
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from firmware_bridge.transport.port import Chunk

_NOT_COUNTED: Final = "the start goes on, without the noise stored before record %d: %s"


def stored_chunks(
    journal: Path, since_utc_ns: int, warn: Callable[..., object]
) -> Mapping[str, Sequence[Chunk]]:
    """The stored chunks from that time on, by port and in order.

    It is no reason not to start: what cannot be read is left out, and `warn`, a logger's, says so.
    """
    found: dict[str, list[Chunk]] = {}
    seq = 0
    try:
        with open_read_only(journal) as reader:
            recent = reader.recent_shoes(since_utc_ns)
            seq = reader.head.seq
            if recent.damage:
                warn(_NOT_COUNTED, recent.before + 1, recent.damage)
            for stored in reader.records(recent.before):
                recorded = read_input(stored.record)
                for item in inputs_in(recorded) if recorded is not None else ():
                    if isinstance(item, Chunk) and item.at.utc_ns >= since_utc_ns:
                        found.setdefault(item.port, []).append(item)
    except EncodingError:
        # Not the error's own message: it may name a card.
        warn(_NOT_COUNTED, seq, f"{journal}: a record cannot be read: `smartshoe verify`")
    except (JournalError, OSError) as error:
        warn(_NOT_COUNTED, seq, error)
    return found
