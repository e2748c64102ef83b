"""What the machine says of this program and of a journal's disk, read at each scrape.

Source: controller/metrics/README.md, "Metrics"; proc(5); Prometheus documentation, "Writing client
libraries" (standard metrics of a process).
"""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from controller.journal.database import FILE_NAME
from controller.metrics.samples import NO_LABELS, Samples

HostSamples: TypeAlias = Callable[[], Samples]
_STAT: Final = Path("/proc/self/stat")
_FILES: Final = Path("/proc/self/fd")
_BOOT: Final = Path("/proc/stat")
_BOOT_FIELD: Final = "btime "
# Fields of /proc/self/stat behind the name, which may hold anything: state is number 0.
_STARTED, _PAGES = 19, 21


def host_samples(journal: Path | None) -> HostSamples:
    """Reads the figures of this process, and of the journal's disk if there is a journal.

    What cannot be read is left out.
    """
    try:
        booted_s = _booted_s()
    except (OSError, ValueError):
        booted_s = None

    def read() -> Samples:
        found: Samples = {}
        try:
            found |= _process(booted_s)
            if journal is not None:
                found |= _disk(journal)
        except (OSError, ValueError):
            pass  # proc is not mounted, or the disk does not answer: absent rather than wrong
        return found

    return read


def _process(booted_s: int | None) -> Samples:
    used = resource.getrusage(resource.RUSAGE_SELF)
    fields = _STAT.read_text().rpartition(")")[2].split()
    page = resource.getpagesize()
    found = {
        "process_cpu_seconds_total": round(used.ru_utime + used.ru_stime, 6),
        "process_resident_memory_bytes": int(fields[_PAGES]) * page,
        "process_open_fds": sum(1 for _ in _FILES.iterdir()),
    }
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit != resource.RLIM_INFINITY:
        found["process_max_fds"] = limit
    if booted_s is not None:
        started_s = int(fields[_STARTED]) / os.sysconf("SC_CLK_TCK")
        found["process_start_time_seconds"] = round(booted_s + started_s, 2)
    return {name: {NO_LABELS: value} for name, value in found.items()}


def _disk(journal: Path) -> Samples:
    usage = os.statvfs(journal)
    size = (journal / FILE_NAME).stat().st_size
    log = journal / f"{FILE_NAME}-wal"
    if log.exists():
        size += log.stat().st_size
    return {
        "disk_free_bytes": {NO_LABELS: usage.f_bavail * usage.f_frsize},
        "journal_bytes": {NO_LABELS: size},
    }


def _booted_s() -> int:
    """UTC of the machine's start, in seconds. Raises OSError, ValueError."""
    lines = _BOOT.read_text().splitlines()
    return next(int(one.removeprefix(_BOOT_FIELD)) for one in lines if one.startswith(_BOOT_FIELD))
