"""A dealing shoe that reads the tags in its cards: a FEIG reader at the exit, perhaps a gate.

Responsible for: bringing the reader's records to its exit (rfid_exit), the life cycle, and when the
host's clock may close what still waits there.
Not responsible for: which tag left with which card (rfid_exit), bytes (firmware_bridge.feig), and
which card a tag is (controller).
Source: package README, "RFID dealing shoe".
"""

from dataclasses import field

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import FeigReader, FeigReaderState, Read, Said, events_of
from drivers.shoes import rfid_exit
from drivers.shoes.rfid_exit import ExitSettings, ExitState
from firmware_bridge.feig.items import BufferOverflowed, BufferRecord, ContinuityUnproven
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.values import dataclass, replace

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class RfidShoeSettings:
    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    exit: ExitSettings = field(default_factory=ExitSettings)


@dataclass(frozen=True, slots=True)
class RfidShoeState:
    """`heard_ns` is the host's monotonic time of the last record, or since then of the reader
    answering again.
    """

    reader: FeigReaderState
    exit: ExitState = field(default_factory=ExitState)
    heard_ns: int = 0

    @property
    def stage(self) -> Stage:
        return self.reader.stage

    @property
    def locked(self) -> None:
        """This shoe has no lock."""
        return None


@dataclass(frozen=True, slots=True)
class RfidShoe:
    """Follows drivers.interface.Driver."""

    settings: RfidShoeSettings = field(default_factory=RfidShoeSettings)

    def initial(self) -> RfidShoeState:
        """The state before the port was ever opened."""
        return RfidShoeState(self._reader.initial())

    def receive(self, state: RfidShoeState, event: PortEvent) -> tuple[RfidShoeState, DriverOutput]:
        """Take what the port tells."""
        return self._up(state, self._reader.receive(state.reader, event), event.at)

    def command(
        self, state: RfidShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[RfidShoeState, DriverOutput]:
        """Ask the shoe for something; it can be watched closely or idly, and nothing else."""
        return self._up(state, self._reader.command(state.reader, command, at), at)

    def tick(self, state: RfidShoeState, at: Timestamp) -> tuple[RfidShoeState, DriverOutput]:
        """A deadline may have passed, of the link or of what waits at the exit."""
        state, up = self._up(state, self._reader.tick(state.reader, at), at)
        if not _speaks(state):
            return state, up
        waited_ns = at.monotonic_ns - state.heard_ns - self.under_way_ns
        until_ms = state.exit.clock_ms + max(0, waited_ns) // _NS_PER_MS
        passed, closed = rfid_exit.close_until(self.settings.exit, state.exit, until_ms)
        return replace(state, exit=passed), replace(up, events=(*up.events, *closed))

    def next_deadline_ns(self, state: RfidShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        deadlines = [self._reader.next_deadline_ns(state.reader), self._exit_deadline_ns(state)]
        return min((ns for ns in deadlines if ns is not None), default=None)

    @property
    def under_way_ns(self) -> int:
        """How long a record may be on its way to us: so much later the host's clock decides."""
        link = self.settings.link
        asked_ns = link.poll_idly_ns if link.delivery is Delivery.POLL else 0
        # A damaged one is asked for again after a silence.
        return asked_ns + link.gap_ns_max + link.answer_ns_max

    def hear(
        self, state: RfidShoeState, said: tuple[Said, ...], at: Timestamp
    ) -> tuple[RfidShoeState, tuple[DeviceEvent, ...]]:
        """What the reader said, as events of a shoe."""
        events: list[DeviceEvent] = []
        for one in said:
            if isinstance(one, BufferRecord):
                host_ms = (at.monotonic_ns - state.heard_ns) // _NS_PER_MS
                passed, found = rfid_exit.take(self.settings.exit, state.exit, one, host_ms)
                state = replace(state, exit=passed, heard_ns=at.monotonic_ns)
                events.extend(found)
                continue
            if isinstance(one, BufferOverflowed):
                state = replace(state, exit=rfid_exit.torn(state.exit))
            elif isinstance(one, ContinuityUnproven):
                passed, found = rfid_exit.forget(state.exit)
                state = replace(state, exit=passed)
                events.extend(found)
            events.extend(events_of(one))
        return state, tuple(events)

    def _up(
        self, state: RfidShoeState, read: Read, at: Timestamp
    ) -> tuple[RfidShoeState, DriverOutput]:
        reader, output = read
        spoke = _speaks(state)
        state = replace(state, reader=reader)
        if _speaks(state) and not spoke:
            # What was read meanwhile is still to come.
            state = replace(state, heard_ns=at.monotonic_ns)
        state, events = self.hear(state, output.said, at)
        return state, DriverOutput(events, output.to_write, output.at_once)

    def _exit_deadline_ns(self, state: RfidShoeState) -> int | None:
        due_ms = rfid_exit.next_due_ms(self.settings.exit, state.exit)
        if due_ms is None or not _speaks(state):
            return None
        wait_ms = max(0, due_ms - state.exit.clock_ms)
        return state.heard_ns + wait_ms * _NS_PER_MS + self.under_way_ns

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)


def _speaks(state: RfidShoeState) -> bool:
    """Without a reader that answers, silence says nothing of cards."""
    return state.stage in (Stage.IDENTIFIED, Stage.ONLINE) and not state.reader.link.silent
