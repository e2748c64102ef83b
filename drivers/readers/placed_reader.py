"""Driver of a reader at the discard rack or under the layout: which tag was read at which spot."""

from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.events import DeviceEvent, OtherTransponder, Spot, Stage, TagSeen
from drivers.faults import DeviceFault
from drivers.readers.feig_reader import (
    CARD_KINDS,
    FeigReader,
    FeigReaderState,
    events_of,
    kind_name,
)
from firmware_bridge.feig.continuity import age_ms
from firmware_bridge.feig.items import BufferOverflow, BufferRecord, FeigItem
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

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


class PlacedReaderState(FeigReaderState, frozen=True, tag="placed-reader-state"):
    """`last`: the last tag read at each spot. `stray_reported`: a stray antenna was reported."""

    last: tuple[TagSeen, ...] = ()
    stray_reported: bool = False


class PlacedReader(FeigReader[PlacedReaderState], frozen=True):
    settings: PlacedReaderSettings

    @property
    def link_settings(self) -> FeigLinkSettings:
        return self.settings.link

    def initial(self) -> PlacedReaderState:
        """The state before the port was first opened."""
        return PlacedReaderState(Stage.CLOSED, self.link.initial())

    def item(
        self, state: PlacedReaderState, item: FeigItem | LinkFault, at: Timestamp
    ) -> tuple[PlacedReaderState, tuple[DeviceEvent, ...]]:
        """Map an item of the reader to tags seen at spots."""
        if isinstance(item, BufferRecord):
            return self._apply_record(state, item, at)
        if isinstance(item, BufferOverflow | ContinuityUnproven):
            state = replace(state, last=())
        return state, events_of(item)

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
        age = age_ms(state.link.continuity, record.time_ms, at)
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
