"""Driver of a reader at the discard rack or under the layout: which tag was read at which spot.

Source: drivers/README.md, "Readers".
"""

from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, OtherTransponder, Spot, Stage, TagSeen
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import (
    FeigReader,
    FeigReaderState,
    ReaderOutput,
    ReaderReport,
    events_of,
)
from drivers.readers.transponders import CARD_KINDS, kind_name
from firmware_bridge.feig.continuity import age_ms
from firmware_bridge.feig.items import BufferOverflow, BufferRecord
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.link import ContinuityUnproven, LinkFaultKind
from firmware_bridge.message import message
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent

# Longer than any record takes to arrive from a connected reader.
LATE_MS: Final = 5_000


class AntennaSpot(Struct, frozen=True):
    """One antenna (0: any) and the spot it covers."""

    antenna: int
    spot: Spot


class PlacedReaderSettings(Struct, frozen=True):
    """`card_kinds` are the transponder types in the cards."""

    spots: tuple[AntennaSpot, ...]
    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    card_kinds: tuple[int, ...] = CARD_KINDS


class PlacedReaderState(Struct, frozen=True, tag="placed-reader-state"):
    """`last`: the last tag read at each spot. `stray_reported`: a stray antenna was reported."""

    reader: FeigReaderState
    last: tuple[TagSeen, ...] = ()
    stray_reported: bool = False

    @property
    def stage(self) -> Stage:
        return self.reader.stage


class PlacedReader(Struct, frozen=True):
    """Implements drivers.interface.Driver."""

    settings: PlacedReaderSettings

    def initial(self) -> PlacedReaderState:
        """The state before the port was first opened."""
        return PlacedReaderState(self._reader.initial())

    def receive(
        self, state: PlacedReaderState, event: PortEvent
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """Process one event of the port."""
        reader, output = self._reader.receive(state.reader, event)
        return self._apply(replace(state, reader=reader), output, event.at)

    def command(
        self, state: PlacedReaderState, command: DeviceCommand, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """Process a command; the reader accepts SetPolling and refuses all others."""
        reader, output = self._reader.command(state.reader, command, at)
        return self._apply(replace(state, reader=reader), output, at)

    def tick(
        self, state: PlacedReaderState, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """Process deadlines that have passed."""
        reader, output = self._reader.tick(state.reader, at)
        return self._apply(replace(state, reader=reader), output, at)

    def next_deadline_ns(self, state: PlacedReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._reader.next_deadline_ns(state.reader)

    def apply_reports(
        self, state: PlacedReaderState, reports: tuple[ReaderReport, ...], at: Timestamp
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        """Map the reader's reports to tags seen at spots."""
        events: list[DeviceEvent] = []
        for one in reports:
            if isinstance(one, BufferRecord):
                state, found = self._apply_record(state, one, at)
                events.extend(found)
                continue
            if isinstance(one, BufferOverflow | ContinuityUnproven):
                state = replace(state, last=())
            events.extend(events_of(one))
        return state, tuple(events)

    def _apply_record(
        self, state: PlacedReaderState, record: BufferRecord, at: Timestamp
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        if not record.identity:
            return state, ()
        spot = next(
            (one.spot for one in self.settings.spots if one.antenna in (0, record.antenna)),
            None,
        )
        if spot is None:
            return self._report_stray(state, record.antenna)
        if record.tr_type is not None and record.tr_type not in self.settings.card_kinds:
            return state, (OtherTransponder(kind_name(record.tr_type)),)
        seen = TagSeen(spot, record.identity.hex().upper())
        if seen in state.last:
            return state, ()
        # A tag seen here is no longer at the other spot.
        others = tuple(one for one in state.last if spot is not one.spot and seen.tag != one.tag)
        age = age_ms(state.reader.link.continuity, record.time_ms, at)
        late = age is not None and age > LATE_MS
        return replace(state, last=(*others, seen)), (replace(seen, late=late),)

    def _report_stray(
        self, state: PlacedReaderState, antenna: int | None
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        """Report once a tag read by an antenna that no spot has."""
        if state.stray_reported:
            return state, ()
        spots = tuple(
            message("antenna_is_spot", antenna=one.antenna, spot=one.spot.value)
            for one in self.settings.spots
        )
        detail = message("tag_read_by_unreported_antenna", spots=spots)
        if antenna is not None:
            detail = message("tag_read_by_unassigned_antenna", antenna=antenna, spots=spots)
        state = replace(state, stray_reported=True)
        return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)

    def _apply(
        self, state: PlacedReaderState, output: ReaderOutput, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        state, events = self.apply_reports(state, output.reports, at)
        return state, DriverOutput(events, output.to_write, output.at_once)

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)
