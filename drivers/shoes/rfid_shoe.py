"""Driver of an RFID dealing shoe: a FEIG reader at the card exit, with or without a gate sensor.

It also decides when the host's clock may expire what still waits at the exit.
"""

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.events import DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import FeigReader, FeigReaderState, events_of
from drivers.shell import StageStep
from drivers.shoes import rfid_exit
from drivers.shoes.rfid_exit import ExitSettings, ExitState
from firmware_bridge.feig.items import BufferOverflow, BufferRecord, FeigItem
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState
from firmware_bridge.link import ContinuityUnproven, LinkFault
from foundation.timestamp import Timestamp

_NS_PER_MS = 1_000_000


class RfidShoeSettings(Struct, frozen=True):
    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    exit: ExitSettings = field(default_factory=ExitSettings)


class RfidShoeState(FeigReaderState, frozen=True, tag="rfid-shoe-state"):
    """`record_ns` is the host's monotonic time of the last record, or of the reader's return."""

    exit: ExitState = field(default_factory=ExitState)
    record_ns: int = 0


class RfidShoe(FeigReader[RfidShoeState], frozen=True):
    settings: RfidShoeSettings = field(default_factory=RfidShoeSettings)

    @property
    def link_settings(self) -> FeigLinkSettings:
        return self.settings.link

    def initial(self) -> RfidShoeState:
        """The state before the port was first opened."""
        return RfidShoeState(Stage.CLOSED, self.link.initial())

    def tick(self, state: RfidShoeState, at: Timestamp) -> tuple[RfidShoeState, DriverOutput]:
        """Process deadlines that have passed, of the link and of the exit."""
        state, output = super().tick(state, at)
        if not _answers(state):
            return state, output
        waited_ns = at.monotonic_ns - state.record_ns - self.delivery_ns_max
        until_ms = state.exit.clock_ms + max(0, waited_ns) // _NS_PER_MS
        exit_state, expired = rfid_exit.expire_until(self.settings.exit, state.exit, until_ms)
        return replace(state, exit=exit_state), replace(output, events=(*output.events, *expired))

    def next_deadline_ns(self, state: RfidShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        deadlines = [super().next_deadline_ns(state), self._exit_deadline_ns(state)]
        return min((ns for ns in deadlines if ns is not None), default=None)

    @property
    def delivery_ns_max(self) -> int:
        """How long a record may take to arrive; the host's clock expires waits that much later."""
        link = self.settings.link
        poll_ns = link.poll_idly_ns if link.delivery is Delivery.POLL else 0
        # A damaged record is requested again after a silence.
        return poll_ns + link.gap_ns_max + link.answer_ns_max

    def advance(
        self,
        state: RfidShoeState,
        link: FeigLinkState,
        items: tuple[FeigItem | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[RfidShoeState, tuple[DeviceEvent, ...]]:
        """Take over the link's new state; of a reader that is back the records are to come."""
        answered = _answers(state)
        state, changed = super().advance(state, link, items, at, steps)
        if _answers(state) and not answered:
            state = replace(state, record_ns=at.monotonic_ns)
        return state, changed

    def item(
        self, state: RfidShoeState, item: FeigItem | LinkFault, at: Timestamp
    ) -> tuple[RfidShoeState, tuple[DeviceEvent, ...]]:
        """Map an item of the reader to events of a shoe."""
        if isinstance(item, BufferRecord):
            host_ms = (at.monotonic_ns - state.record_ns) // _NS_PER_MS
            exit_state, found = rfid_exit.apply_record(
                self.settings.exit, state.exit, item, host_ms
            )
            return replace(state, exit=exit_state, record_ns=at.monotonic_ns), found
        if isinstance(item, BufferOverflow):
            state = replace(state, exit=rfid_exit.mark_records_lost(state.exit))
        elif isinstance(item, ContinuityUnproven):
            exit_state, found = rfid_exit.reset(state.exit)
            return replace(state, exit=exit_state), (*found, *events_of(item))
        return state, events_of(item)

    def _exit_deadline_ns(self, state: RfidShoeState) -> int | None:
        due_ms = rfid_exit.next_due_ms(self.settings.exit, state.exit)
        if due_ms is None or not _answers(state):
            return None
        wait_ms = max(0, due_ms - state.exit.clock_ms)
        return state.record_ns + wait_ms * _NS_PER_MS + self.delivery_ns_max


def _answers(state: RfidShoeState) -> bool:
    """Whether the reader answers; if not, silence says nothing about cards."""
    return state.stage in (Stage.IDENTIFIED, Stage.ONLINE) and not state.link.silence_reported
