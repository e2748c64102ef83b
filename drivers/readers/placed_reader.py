"""A reader at the discard rack or under the layout: which tag was seen where.

Responsible for: a reader's records as sightings at the spot that its antenna watches.
Not responsible for: which card a tag is and whether it may be there (controller).
Source: package README, "Readers".
"""

from dataclasses import field
from typing import Final

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, OtherTransponder, Spot, Stage, TagSeen
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import FeigReader, FeigReaderState, ReaderOutput, Said, events_of
from drivers.readers.transponders import CARD_KINDS, kind_name
from firmware_bridge.feig.continuity import age_ms
from firmware_bridge.feig.items import BufferOverflowed, BufferRecord, ContinuityUnproven
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.values import dataclass, replace

# Longer than any record is under way from a reader that is heard.
LATE_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Watched:
    """One antenna (0: any) and the spot it watches."""

    antenna: int
    spot: Spot


@dataclass(frozen=True, slots=True)
class PlacedReaderSettings:
    """`card_kinds` are the transponder types in the cards."""

    watched: tuple[Watched, ...]
    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    card_kinds: tuple[int, ...] = CARD_KINDS


@dataclass(frozen=True, slots=True)
class PlacedReaderState:
    """`last` are the tags seen last, at most one a spot; `stray_told`: said once."""

    reader: FeigReaderState
    last: tuple[TagSeen, ...] = ()
    stray_told: bool = False

    @property
    def stage(self) -> Stage:
        return self.reader.stage


@dataclass(frozen=True, slots=True)
class PlacedReader:
    """Follows drivers.interface.Driver."""

    settings: PlacedReaderSettings

    def initial(self) -> PlacedReaderState:
        """The state before the port was ever opened."""
        return PlacedReaderState(self._reader.initial())

    def receive(
        self, state: PlacedReaderState, event: PortEvent
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """Take what the port tells."""
        reader, output = self._reader.receive(state.reader, event)
        return self._up(replace(state, reader=reader), output, event.at)

    def command(
        self, state: PlacedReaderState, command: DeviceCommand, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """Ask the reader for something; it can be watched closely or idly, and nothing else."""
        reader, output = self._reader.command(state.reader, command, at)
        return self._up(replace(state, reader=reader), output, at)

    def tick(
        self, state: PlacedReaderState, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        """A deadline may have passed."""
        reader, output = self._reader.tick(state.reader, at)
        return self._up(replace(state, reader=reader), output, at)

    def next_deadline_ns(self, state: PlacedReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._reader.next_deadline_ns(state.reader)

    def hear(
        self, state: PlacedReaderState, said: tuple[Said, ...], at: Timestamp
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        """What the reader said, as sightings."""
        events: list[DeviceEvent] = []
        for one in said:
            if isinstance(one, BufferRecord):
                state, found = self._record(state, one, at)
                events.extend(found)
                continue
            if isinstance(one, BufferOverflowed | ContinuityUnproven):
                state = replace(state, last=())
            events.extend(events_of(one))
        return state, tuple(events)

    def _record(
        self, state: PlacedReaderState, record: BufferRecord, at: Timestamp
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        if not record.identity:
            return state, ()
        spot = next(
            (
                watched.spot
                for watched in self.settings.watched
                if watched.antenna in (0, record.antenna)
            ),
            None,
        )
        if spot is None:
            return self._stray(state, record.antenna)
        if record.tr_type is not None and record.tr_type not in self.settings.card_kinds:
            return state, (OtherTransponder(kind_name(record.tr_type)),)
        seen = TagSeen(spot, record.identity.hex().upper())
        if seen in state.last:
            return state, ()
        # What is seen here now is not at the other spot any more.
        others = tuple(one for one in state.last if spot is not one.spot and seen.tag != one.tag)
        age = age_ms(state.reader.link.continuity, record.time_ms, at)
        late = age is not None and age > LATE_MS
        return replace(state, last=(*others, seen)), (replace(seen, late=late),)

    def _stray(
        self, state: PlacedReaderState, antenna: int | None
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        """A tag of which it is not known where it is, told once."""
        if state.stray_told:
            return state, ()
        named = "an antenna that the reader does not name"
        seated = ", ".join(f"{one.antenna} is {one.spot}" for one in self.settings.watched)
        detail = (
            f"a tag was read by {named if antenna is None else f'antenna {antenna}'}, and by the"
            f" settings {seated}: what it reads is left out"
        )
        state = replace(state, stray_told=True)
        return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)

    def _up(
        self, state: PlacedReaderState, output: ReaderOutput, at: Timestamp
    ) -> tuple[PlacedReaderState, DriverOutput]:
        state, events = self.hear(state, output.said, at)
        return state, DriverOutput(events, output.to_write, output.at_once)

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)
