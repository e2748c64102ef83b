"""What the journal of one table says of what happened around it: starts, losses, irregularities."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import DiskLevel, DiskSpace, Input, Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.effects import CoupClosed
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import CoupFate
from drivers.events import DeviceEvent, ReportsLost
from drivers.faults import DeviceFault
from firmware_bridge.transport.port import Chunk, PortLost
from hil.dealing.truth import CoupTruth

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class StoredTable:
    """All inputs and entries of a journal, in their order."""

    inputs: tuple[Input, ...]
    entries: tuple[Entry, ...]

    @property
    def starts(self) -> int:
        return sum(isinstance(one, Started) for one in self.inputs)

    @property
    def coups(self) -> tuple[CoupClosed, ...]:
        return tuple(one for one in self.entries if isinstance(one, CoupClosed))

    @property
    def counted(self) -> int:
        """The closed coups that count."""
        return sum(one.record.fate is CoupFate.COUNTED for one in self.coups)

    @property
    def irregularities(self) -> tuple[str, ...]:
        """The codes, in their order."""
        events = (one for one in self.entries if isinstance(one, EventVerdicts))
        verdicts = (verdict for event in events for verdict in event.verdicts)
        return tuple(one.code.value for one in verdicts if isinstance(one, Irregularity))

    @property
    def port_losses(self) -> int:
        return sum(isinstance(one, PortLost) for one in self.inputs)

    @property
    def unread_ms(self) -> tuple[int, ...]:
        """How long bytes may have waited because nobody read the port, each time."""
        chunks = (one for one in self.inputs if isinstance(one, Chunk))
        return tuple(one.waited_ns // NS_PER_MS for one in chunks if one.waited_ns)

    @property
    def disk_troubles(self) -> int:
        levels = (one.level for one in self.inputs if isinstance(one, DiskSpace))
        return sum(level in (DiskLevel.LOW, DiskLevel.STOP) for level in levels)

    def device_events(self, kind: type[DeviceEvent]) -> int:
        noted = (one.event for one in self.entries if isinstance(one, DeviceEventRecorded))
        return sum(isinstance(event, kind) for event in noted)


def stored_table(journal: Path) -> StoredTable:
    """Read the journal in that folder, sealed shoes too. Raises JournalError."""
    inputs: list[Input] = []
    entries: list[Entry] = []
    with open_read_only(journal) as opened:
        for stored in opened.records():
            item = read_input(stored.record)
            if item is not None:
                inputs.extend(inputs_in(item))
            entry = read_entry(stored.record)
            if entry is not None:
                entries.append(entry)
    return StoredTable(tuple(inputs), tuple(entries))


def traces_in(journal: Path, dealt: Sequence[CoupTruth], starts: int = 1) -> tuple[str, ...]:
    """What a journal has beside so many starts and the coups dealt without a mistake.

    Empty: nothing. For a table that has ended. That bytes waited is no trace: a busy machine does
    that (`StoredTable.unread_ms`).
    """
    stored = stored_table(journal)
    counts = {
        "starts too many": stored.starts - starts,
        "losses of the port": stored.port_losses,
        "low levels of the disk": stored.disk_troubles,
        "faults of the device": stored.device_events(DeviceFault),
        "losses of reports": stored.device_events(ReportsLost),
        "irregularities": len(stored.irregularities),
        "coups dealt and not counted": len(dealt) - stored.counted,
        "closed coups that do not count": len(stored.coups) - stored.counted,
    }
    found = [f"{count} {what}" for what, count in counts.items() if count]
    if not verify(journal).intact:
        found.append("it is not intact")
    finding = replay(journal).finding
    if finding is not ReplayFinding.SAME:
        found.append(f"its replay: {finding.value}")
    return tuple(found)
