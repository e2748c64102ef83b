"""What the machine says of a journal's disk, read at each scrape."""

import os
from pathlib import Path

from controller.journal.database import FILE_NAME
from controller.outlets.metrics.samples import NO_LABELS, Samples


def disk_samples(journal: Path) -> Samples:
    """Free bytes of the disk, and what the journal takes of it; nothing if it does not answer."""
    try:
        usage = os.statvfs(journal)
        size = (journal / FILE_NAME).stat().st_size
        log = journal / f"{FILE_NAME}-wal"
        if log.exists():
            size += log.stat().st_size
    except OSError:
        return {}
    return {
        "disk_free_bytes": {NO_LABELS: usage.f_bavail * usage.f_frsize},
        "journal_bytes": {NO_LABELS: size},
    }
