"""Driver of an RFID dealing shoe: a FEIG reader at the card exit, with or without a gate sensor.

It also decides when the host's clock may expire what still waits at the exit.

Source: drivers/README.md, "RFID dealing shoe".
"""

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import (
    FeigReader,
    FeigReaderState,
    ReaderReport,
    ReaderStep,
    events_of,
)
from drivers.shoes import rfid_exit
from drivers.shoes.rfid_exit import ExitSettings, ExitState
from firmware_bridge.feig import frames
from firmware_bridge.feig.items import BufferOverflow, BufferRecord
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import ContinuityUnproven
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent

_NS_PER_MS = 1_000_000


class RfidShoeSettings(Struct, frozen=True):
    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    exit: ExitSettings = field(default_factory=ExitSettings)


class RfidShoeState(Struct, frozen=True, tag="rfid-shoe-state"):
    """`record_ns` is the host's monotonic time of the last record, or of the reader's return."""

    reader: FeigReaderState
    exit: ExitState = field(default_factory=ExitState)
    record_ns: int = 0

    @property
    def stage(self) -> Stage:
        return self.reader.stage

    @property
    def locked(self) -> None:
        """This shoe has no lock."""
        return None


class RfidShoe(Struct, frozen=True):
    """Implements drivers.interface.ShoeDriver."""

    settings: RfidShoeSettings = field(default_factory=RfidShoeSettings)

    def initial(self) -> RfidShoeState:
        """The state before the port was first opened."""
        return RfidShoeState(self._reader.initial())

    def receive(self, state: RfidShoeState, event: PortEvent) -> tuple[RfidShoeState, DriverOutput]:
        """Process one event of the port."""
        return self._apply(state, self._reader.receive(state.reader, event), event.at)

    def split(self, state: RfidShoeState, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each frame of the reader, which may hold several records."""
        return frames.split(state.reader.link.unframed, data)

    def command(
        self, state: RfidShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[RfidShoeState, DriverOutput]:
        """Process a command; the shoe accepts SetPolling and refuses all others."""
        return self._apply(state, self._reader.command(state.reader, command, at), at)

    def tick(self, state: RfidShoeState, at: Timestamp) -> tuple[RfidShoeState, DriverOutput]:
        """Process deadlines that have passed, of the link and of the exit."""
        state, output = self._apply(state, self._reader.tick(state.reader, at), at)
        if not _answers(state):
            return state, output
        waited_ns = at.monotonic_ns - state.record_ns - self.delivery_ns_max
        until_ms = state.exit.clock_ms + max(0, waited_ns) // _NS_PER_MS
        exit_state, expired = rfid_exit.expire_until(self.settings.exit, state.exit, until_ms)
        return replace(state, exit=exit_state), replace(output, events=(*output.events, *expired))

    def next_deadline_ns(self, state: RfidShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        deadlines = [self._reader.next_deadline_ns(state.reader), self._exit_deadline_ns(state)]
        return min((ns for ns in deadlines if ns is not None), default=None)

    @property
    def delivery_ns_max(self) -> int:
        """How long a record may take to arrive; the host's clock expires waits that much later."""
        link = self.settings.link
        poll_ns = link.poll_idly_ns if link.delivery is Delivery.POLL else 0
        # A damaged record is requested again after a silence.
        return poll_ns + link.gap_ns_max + link.answer_ns_max

    def apply_reports(
        self, state: RfidShoeState, reports: tuple[ReaderReport, ...], at: Timestamp
    ) -> tuple[RfidShoeState, tuple[DeviceEvent, ...]]:
        """Map the reader's reports to events of a shoe."""
        events: list[DeviceEvent] = []
        for report in reports:
            if isinstance(report, BufferRecord):
                host_ms = (at.monotonic_ns - state.record_ns) // _NS_PER_MS
                exit_state, found = rfid_exit.apply_record(
                    self.settings.exit, state.exit, report, host_ms
                )
                state = replace(state, exit=exit_state, record_ns=at.monotonic_ns)
                events.extend(found)
                continue
            if isinstance(report, BufferOverflow):
                state = replace(state, exit=rfid_exit.mark_records_lost(state.exit))
            elif isinstance(report, ContinuityUnproven):
                exit_state, found = rfid_exit.reset(state.exit)
                state = replace(state, exit=exit_state)
                events.extend(found)
            events.extend(events_of(report))
        return state, tuple(events)

    def _apply(
        self, state: RfidShoeState, step: ReaderStep, at: Timestamp
    ) -> tuple[RfidShoeState, DriverOutput]:
        reader, output = step
        answered = _answers(state)
        state = replace(state, reader=reader)
        if _answers(state) and not answered:
            # The records made meanwhile are still to come.
            state = replace(state, record_ns=at.monotonic_ns)
        state, events = self.apply_reports(state, output.reports, at)
        return state, DriverOutput(events, output.to_write, output.at_once)

    def _exit_deadline_ns(self, state: RfidShoeState) -> int | None:
        due_ms = rfid_exit.next_due_ms(self.settings.exit, state.exit)
        if due_ms is None or not _answers(state):
            return None
        wait_ms = max(0, due_ms - state.exit.clock_ms)
        return state.record_ns + wait_ms * _NS_PER_MS + self.delivery_ns_max

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)


def _answers(state: RfidShoeState) -> bool:
    """Whether the reader answers; if not, silence says nothing about cards."""
    return (
        state.stage in (Stage.IDENTIFIED, Stage.ONLINE) and not state.reader.link.silence_reported
    )
