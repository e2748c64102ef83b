"""Reads what the last hour stored of each port, so that a restart gives no new noise allowance.

Source: controller/table/README.md, "Noise".
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from controller.journal.folder import read_heading_of_file, sealed_files
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from controller.tape.records import inputs_in, read_input
from firmware_bridge.transport.port import Chunk


def stored_chunks(journal: Path, since_utc_ns: int) -> Mapping[str, Sequence[Chunk]]:
    """The stored chunks from that time on, by port and in order. Raises JournalError."""
    found: dict[str, list[Chunk]] = {}
    with open_read_only(journal) as reader:
        after = _sealed_before(journal, reader.base.seq, since_utc_ns)
        for stored in reader.records(after):
            recorded = read_input(stored.record)
            for item in inputs_in(recorded) if recorded is not None else ():
                if isinstance(item, Chunk) and item.at.utc_ns >= since_utc_ns:
                    found.setdefault(item.port, []).append(item)
    return found


def _sealed_before(journal: Path, base_seq: int, since_utc_ns: int) -> int:
    """The last record of the newest sealed file that ended before that time, or before a gap.

    A file that cannot be read is a gap: it is no reason not to start.
    """
    before = base_seq
    for path in reversed(sealed_files(journal)):
        try:
            heading = read_heading_of_file(path)
        except JournalError:
            break
        if heading.last_seq != before or heading.until_ns < since_utc_ns:
            break
        before = heading.first_seq - 1
    return before
