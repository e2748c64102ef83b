"""Driver of the enrolment reader: lists the tags of a pile and reads each tag's memory.

One listing runs at a time: an inventory, then the memory of each tag in turn.
"""

from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand, ListTags
from drivers.events import (
    CommandAnswered,
    DeviceEvent,
    ListingDone,
    OtherTransponder,
    Stage,
    TagListed,
)
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import FeigReader, FeigReaderState, events_of
from drivers.readers.transponders import CARD_KINDS, kind_name
from drivers.shell import StageStep, is_closed, refused, unanswered
from firmware_bridge.feig.items import (
    BlocksRead,
    FeigItem,
    FeigRequest,
    Inventory,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
    TagInventoried,
)
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent
from foundation.message import message
from foundation.timestamp import Timestamp

# More than the eight decks of a batch; no antenna reads so many at once.
TAGS_MAX = 512

_FIRST_BLOCK = 0
_BLOCK_COUNT = 2


class InventoryReaderSettings(Struct, frozen=True):
    """`card_kinds` are the transponder types in the cards."""

    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    card_kinds: tuple[int, ...] = CARD_KINDS


class Listing(Struct, frozen=True):
    """The tags found so far; `read` counts those whose memory was read, None during inventory."""

    tags: tuple[bytes, ...] = ()
    read: int | None = None


class InventoryReaderState(FeigReaderState, frozen=True):
    listing: Listing | None = None


ListingStep: TypeAlias = tuple[
    InventoryReaderState, tuple[DeviceEvent, ...], tuple[FeigRequest, ...]
]


class InventoryReader(FeigReader[InventoryReaderState], frozen=True):
    settings: InventoryReaderSettings = field(default_factory=InventoryReaderSettings)

    @property
    def link_settings(self) -> FeigLinkSettings:
        return self.settings.link

    def initial(self) -> InventoryReaderState:
        """The state before the port was first opened."""
        return InventoryReaderState(Stage.CLOSED, self.link.initial())

    def receive(
        self, state: InventoryReaderState, event: PortEvent
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Process one event of the port; a listing ends with it unless bytes came."""
        if state.listing is None or isinstance(event, Chunk):
            return super().receive(state, event)
        state, output = super().receive(replace(state, listing=None), event)
        answer = unanswered(ListTags(), message("port_lost_before_pile_listed"))
        return state, replace(output, events=(*output.events, answer))

    def command(
        self, state: InventoryReaderState, command: DeviceCommand, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """List the pile on the reader; all other commands are refused."""
        request = self.request(state, command)
        if isinstance(request, Inventory):
            return self.send(replace(state, listing=Listing()), request, at)
        return super().command(state, command, at)

    def request(
        self, state: InventoryReaderState, command: DeviceCommand
    ) -> FeigRequest | CommandAnswered:
        """One listing runs at a time."""
        if not isinstance(command, ListTags):
            return super().request(state, command)
        if state.listing is not None:
            return refused(command, message("pile_is_being_listed"))
        if is_closed(state):
            return unanswered(command, message("reader_port_not_open"))
        return Inventory()

    def apply(
        self,
        state: InventoryReaderState,
        link: FeigLinkState,
        items: tuple[FeigItem | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> ListingStep:
        """Map the reader's items to events and to the next requests of the listing."""
        state, events = self.advance(state, link, items, at, steps)
        requests: list[FeigRequest] = []
        for one in items:
            match one:
                case TagInventoried() | InventoryDone() | BlocksRead() | RequestFailed():
                    state, found, more = self._step(state, one)
                    requests.extend(more)
                case _:
                    found = events_of(one)
            events = (*events, *found)
        return state, events, tuple(requests)

    def _step(
        self,
        state: InventoryReaderState,
        one: TagInventoried | InventoryDone | BlocksRead | RequestFailed,
    ) -> ListingStep:
        faults = events_of(one)
        listing = state.listing
        if listing is None:
            return state, faults, ()
        match one:
            case TagInventoried(tr_type, identity):
                listing, events = self._add_tag(listing, tr_type, identity)
                return replace(state, listing=listing), events, ()
            case InventoryDone():
                if listing.read is not None:
                    return state, (), ()
                return _read_next(state, replace(listing, read=0))
            case BlocksRead(identity, data):
                return _process_memory(state, listing, identity, data)
            case RequestFailed():
                if listing.read is None:
                    answer = unanswered(ListTags(), message("reader_did_not_list_pile"))
                    return replace(state, listing=None), (*faults, answer), ()
                state, events, requests = _process_memory(
                    state, listing, listing.tags[listing.read], b""
                )
                return state, (*faults, *events), requests
            case _:
                assert_never(one)

    def _add_tag(
        self, listing: Listing, tr_type: int, identity: bytes
    ) -> tuple[Listing, tuple[DeviceEvent, ...]]:
        if listing.read is not None or identity in listing.tags:
            return listing, ()
        if tr_type not in self.settings.card_kinds:
            return listing, (OtherTransponder(kind_name(tr_type)),)
        if len(listing.tags) == TAGS_MAX:
            detail = message("too_many_tags_on_reader", most=TAGS_MAX)
            return listing, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
        return replace(listing, tags=(*listing.tags, identity)), ()


def _process_memory(
    state: InventoryReaderState, listing: Listing, identity: bytes, data: bytes
) -> ListingStep:
    """Process a tag's memory; that of another tag than the current one is a late answer."""
    if listing.read is None or identity != listing.tags[listing.read]:
        return state, (), ()
    listed = TagListed(identity.hex().upper(), data)
    state, events, requests = _read_next(state, replace(listing, read=listing.read + 1))
    return state, (listed, *events), requests


def _read_next(state: InventoryReaderState, listing: Listing) -> ListingStep:
    """Read the next tag of the pile, or end the listing."""
    if listing.read is None or listing.read == len(listing.tags):
        return replace(state, listing=None), (ListingDone(len(listing.tags)),), ()
    request = ReadBlocks(listing.tags[listing.read], _FIRST_BLOCK, _BLOCK_COUNT)
    return replace(state, listing=listing), (), (request,)
