"""The enrolment reader: every tag of a pile on it, and what the chips hold of their cards.

Responsible for: one listing at a time: an inventory, then the memory of each tag, one by one.
Not responsible for: what the memory means and which batch the pile is (controller).
Source: package README, "Readers".
"""

from dataclasses import field
from typing import TypeAlias, assert_never

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
    Said,
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
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent
from firmware_bridge.values import dataclass, replace

# More than the eight decks of a batch at once; no antenna reads so many.
TAGS_MAX = 512

_FIRST_BLOCK = 0
_BLOCK_COUNT = 2


@dataclass(frozen=True, slots=True)
class InventoryReaderSettings:
    """`card_kinds` are the transponder types in the cards."""

    link: FeigLinkSettings = field(default_factory=FeigLinkSettings)
    card_kinds: tuple[int, ...] = CARD_KINDS


@dataclass(frozen=True, slots=True)
class Listing:
    """The pile as far as it is known; `read` is None while tags are still being found."""

    tags: tuple[bytes, ...] = ()
    read: int | None = None


@dataclass(frozen=True, slots=True)
class InventoryReaderState:
    reader: FeigReaderState
    listing: Listing | None = None

    @property
    def stage(self) -> Stage:
        return self.reader.stage


Heard: TypeAlias = tuple[InventoryReaderState, tuple[DeviceEvent, ...], tuple[FeigRequest, ...]]


@dataclass(frozen=True, slots=True)
class InventoryReader:
    """Follows drivers.interface.Driver."""

    settings: InventoryReaderSettings = field(default_factory=InventoryReaderSettings)

    def initial(self) -> InventoryReaderState:
        """The state before the port was ever opened."""
        return InventoryReaderState(self._reader.initial())

    def receive(
        self, state: InventoryReaderState, event: PortEvent
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Take what the port tells."""
        broken = state.listing is not None and not isinstance(event, Chunk)
        listing = state.listing if isinstance(event, Chunk) else None
        reader, output = self._reader.receive(state.reader, event)
        state, up = self._up(replace(state, reader=reader, listing=listing), output, event.at)
        if broken:
            answer = _unlisted("the port was lost before the pile was listed to its end")
            up = replace(up, events=(*up.events, answer))
        return state, up

    def command(
        self, state: InventoryReaderState, command: DeviceCommand, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """List the pile on the reader; nothing else is to be asked of it."""
        if not isinstance(command, ListTags):
            reader, output = self._reader.command(state.reader, command, at)
            return self._up(replace(state, reader=reader), output, at)
        if state.listing is not None:
            answer = refusal(command, "a pile is being listed: wait for its end")
            return state, DriverOutput(events=(answer,))
        if state.stage in (Stage.CLOSED, Stage.LOST):
            return state, DriverOutput(events=(_unlisted("the reader's port is not open"),))
        reader, output = self._reader.ask(state.reader, Inventory(), at)
        return self._up(replace(state, reader=reader, listing=Listing()), output, at)

    def tick(
        self, state: InventoryReaderState, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """A deadline may have passed."""
        reader, output = self._reader.tick(state.reader, at)
        return self._up(replace(state, reader=reader), output, at)

    def next_deadline_ns(self, state: InventoryReaderState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._reader.next_deadline_ns(state.reader)

    def hear(self, state: InventoryReaderState, said: tuple[Said, ...]) -> Heard:
        """What the reader said, as steps of a listing, and what it is to be asked next."""
        events: list[DeviceEvent] = []
        requests: list[FeigRequest] = []
        for one in said:
            match one:
                case TagInventoried() | InventoryDone() | BlocksRead() | RequestFailed():
                    state, found, asked = self._step(state, one)
                    events.extend(found)
                    requests.extend(asked)
                case _:
                    events.extend(events_of(one))
        return state, tuple(events), tuple(requests)

    def _step(
        self,
        state: InventoryReaderState,
        one: TagInventoried | InventoryDone | BlocksRead | RequestFailed,
    ) -> Heard:
        faults = events_of(one)
        listing = state.listing
        if listing is None:
            return state, faults, ()
        match one:
            case TagInventoried(tr_type, identity):
                listing, events = self._found(listing, tr_type, identity)
                return replace(state, listing=listing), events, ()
            case InventoryDone():
                if listing.read is not None:
                    return state, (), ()
                return _next(state, replace(listing, read=0))
            case BlocksRead(identity, data):
                return _memory(state, listing, identity, data)
            case RequestFailed():
                if listing.read is None:
                    answer = _unlisted("the reader did not list the pile to its end")
                    return replace(state, listing=None), (*faults, answer), ()
                state, events, requests = _memory(state, listing, listing.tags[listing.read], b"")
                return state, (*faults, *events), requests
            case _:
                assert_never(one)

    def _found(
        self, listing: Listing, tr_type: int, identity: bytes
    ) -> tuple[Listing, tuple[DeviceEvent, ...]]:
        if listing.read is not None or identity in listing.tags:
            return listing, ()
        if tr_type not in self.settings.card_kinds:
            return listing, (OtherTransponder(kind_name(tr_type)),)
        if len(listing.tags) == TAGS_MAX:
            detail = f"more than {TAGS_MAX} tags are on the reader: list a smaller pile"
            return listing, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)
        return replace(listing, tags=(*listing.tags, identity)), ()

    def _up(
        self, state: InventoryReaderState, output: ReaderOutput, at: Timestamp
    ) -> tuple[InventoryReaderState, DriverOutput]:
        """Up with what was said, and down again with what is to be asked next."""
        events: list[DeviceEvent] = []
        to_write, at_once = list(output.to_write), list(output.at_once)
        state, found, requests = self.hear(state, output.said)
        events.extend(found)
        while requests:
            request, *later = requests
            reader, output = self._reader.ask(state.reader, request, at)
            to_write.extend(output.to_write)
            at_once.extend(output.at_once)
            state, found, more = self.hear(replace(state, reader=reader), output.said)
            events.extend(found)
            requests = (*later, *more)
        return state, DriverOutput(tuple(events), tuple(to_write), tuple(at_once))

    @property
    def _reader(self) -> FeigReader:
        return FeigReader(self.settings.link)


def _memory(state: InventoryReaderState, listing: Listing, identity: bytes, data: bytes) -> Heard:
    """The memory of the tag whose turn it is; of another one it is an answer come too late."""
    if listing.read is None or identity != listing.tags[listing.read]:
        return state, (), ()
    listed = TagListed(identity.hex().upper(), data)
    state, events, requests = _next(state, replace(listing, read=listing.read + 1))
    return state, (listed, *events), requests


def _next(state: InventoryReaderState, listing: Listing) -> Heard:
    """The next tag of the pile to read, or the end of the listing."""
    if listing.read is None or listing.read == len(listing.tags):
        return replace(state, listing=None), (ListingDone(len(listing.tags)),), ()
    request = ReadBlocks(listing.tags[listing.read], _FIRST_BLOCK, _BLOCK_COUNT)
    return replace(state, listing=listing), (), (request,)


def _unlisted(detail: str) -> CommandAnswered:
    return CommandAnswered(ListTags.__name__, CommandOutcome.NO_ANSWER, detail)
