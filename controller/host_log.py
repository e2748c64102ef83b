"""The machine of a running table in the log: its clock was set, its disk fills.

Responsible for: one line when it happens, once it is stored.
Not responsible for: the words (host_words) and for recording (core). No line tells of a card.
Source: package README, "The clock", "Disk space".
"""

import logging
from typing import Final

from controller.entries import ClockStepped, DiskNoted
from controller.host_words import clock_words, disk_words
from controller.inputs import DiskLevel
from controller.loop import Stored

LOG: Final = logging.getLogger("smartshoe.host")


def tell_host(stored: Stored) -> None:
    """Log what was stored of clock and disk; the end of a table says itself why it ended."""
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            if type(entry) is ClockStepped:
                LOG.warning("%s", clock_words(entry))
            elif type(entry) is DiskNoted and entry.level is not DiskLevel.STOP:
                level = logging.INFO if entry.level is DiskLevel.ENOUGH else logging.WARNING
                LOG.log(level, "%s", disk_words(entry))
