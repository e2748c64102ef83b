"""Driver of the enrolment reader: lists the tags of a pile and reads each tag's memory.

One listing runs at a time: an inventory, then the memory of each tag in turn.

Source: drivers/README.md, "Readers".
"""

from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand, ListTags
from drivers.events import (
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    ListingDone,
    OtherTransponder,
    Stage,
    TagListed,
)
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.readers.feig_reader import (
    FeigReader,
    FeigReaderState,
    ReaderOutput,
    ReaderReport,
    events_of,
    refusal,
)
from drivers.readers.transponders import CARD_KINDS, kind_name
from firmware_bridge.feig.items import (
    BlocksRead,
    FeigRequest,
    Inventory,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
    TagInventoried,
)
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.message import Message, message
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent

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


class InventoryReaderState(Struct, frozen=True):
    reader: FeigReaderState
    listing: Listing | None = None

    @property
    def stage(self) -> Stage:
        return self.reader.stage


ListingStep: TypeAlias = tuple[
    InventoryReaderState, tuple[DeviceEvent, ...], tuple[FeigRequest, ...]
]


class InventoryReader(Struct, frozen=True):
    """Implements drivers.interface.Driver."""

    settings: InventoryReaderSettings = field(default_factory=InventoryReaderSettings)

    def initial(self) -> InventoryReaderState:
        """The state before the port was first opened."""
        return InventoryReaderState(self._reader.initial())

    def receive(
        self, state: InventoryReaderState, event: PortEvent
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Process one event of the port."""
        interrupted = state.listing is not None and not isinstance(event, Chunk)
        listing = state.listing if isinstance(event, Chunk) else None
        reader, output = self._reader.receive(state.reader, event)
        state, up = self._apply(replace(state, reader=reader, listing=listing), output, event.at)
        if interrupted:
            answer = _listing_failed(message("port_lost_before_pile_listed"))
            up = replace(up, events=(*up.events, answer))
        return state, up

    def command(
        self, state: InventoryReaderState, command: DeviceCommand, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """List the pile on the reader; all other commands are refused."""
        if not isinstance(command, ListTags):
            reader, output = self._reader.command(state.reader, command, at)
            return self._apply(replace(state, reader=reader), output, at)
        if state.listing is not None:
            answer = refusal(command, message("pile_is_being_listed"))
            return state, DriverOutput(events=(answer,))
        if state.stage in (Stage.CLOSED, Stage.LOST):
            answer = _listing_failed(message("reader_port_not_open"))
            return state, DriverOutput(events=(answer,))
        reader, output = self._reader.send_request(state.reader, Inventory(), at)
        return self._apply(replace(state, reader=reader, listing=Listing()), output, at)

    def tick(
        self, state: InventoryReaderState, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Process deadlines that have passed."""
        reader, output = self._reader.tick(state.reader, at)
        return self._apply(replace(state, reader=reader), output, at)

    def next_deadline_ns(self, state: InventoryReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._reader.next_deadline_ns(state.reader)

    def apply_reports(
        self, state: InventoryReaderState, reports: tuple[ReaderReport, ...]
    ) -> ListingStep:
        """Map the reader's reports to events and to the next requests of the listing."""
        events: list[DeviceEvent] = []
        requests: list[FeigRequest] = []
        for one in reports:
            match one:
                case TagInventoried() | InventoryDone() | BlocksRead() | RequestFailed():
                    state, found, more = self._step(state, one)
                    events.extend(found)
                    requests.extend(more)
                case _:
                    events.extend(events_of(one))
        return state, tuple(events), tuple(requests)

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
                    answer = _listing_failed(message("reader_did_not_list_pile"))
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

    def _apply(
        self, state: InventoryReaderState, output: ReaderOutput, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Map the reader's output and send the requests that follow from it."""
        events: list[DeviceEvent] = []
        to_write, at_once = list(output.to_write), list(output.at_once)
        state, found, requests = self.apply_reports(state, output.reports)
        events.extend(found)
        while requests:
            request, *later = requests
            reader, output = self._reader.send_request(state.reader, request, at)
            to_write.extend(output.to_write)
            at_once.extend(output.at_once)
            state, found, more = self.apply_reports(replace(state, reader=reader), output.reports)
            events.extend(found)
            requests = (*later, *more)
        return state, DriverOutput(tuple(events), tuple(to_write), tuple(at_once))

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)


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


def _listing_failed(detail: Message) -> CommandAnswered:
    return CommandAnswered(ListTags.__name__, CommandOutcome.NO_ANSWER, detail)
