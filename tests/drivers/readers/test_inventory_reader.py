"""Tests the enrolment reader: listing a pile tag by tag with the memory of each chip."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from drivers.commands import ListTags, LockExit
from drivers.events import (
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    ListingDone,
    OtherTransponder,
    TagListed,
)
from drivers.faults import DeviceFault
from drivers.readers.inventory_reader import TAGS_MAX, InventoryReader, InventoryReaderState
from firmware_bridge.feig.items import (
    BlocksRead,
    FeigItem,
    FeigRequest,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
    TagInventoried,
)
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

ACE, TWO = bytes.fromhex("E004015012345601"), bytes.fromhex("E0040150123456F2")
ACE_TAG, TWO_TAG = "E004015012345601", "E0040150123456F2"
MEMORY = bytes.fromhex("0102030405060708")
AT = Timestamp(1_000, 1_000)
OPENED = PortOpened("reader", AT, bytes(32))


@dataclass
class Enrolment:
    """A reader with a pile on it, during a listing."""

    driver: InventoryReader = field(default_factory=InventoryReader)
    state: InventoryReaderState = field(init=False)
    requests: list[FeigRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = self.driver.initial()
        self.state, _output = self.driver.receive(self.state, OPENED)
        self.state, _output = self.driver.command(self.state, ListTags(), AT)

    def receive(self, *items: FeigItem) -> tuple[DeviceEvent, ...]:
        self.state, events, requests = self.driver.apply(self.state, self.state.link, items, AT, ())
        self.requests.extend(requests)
        return events


def found(identity: bytes, kind: int = 3) -> TagInventoried:
    return TagInventoried(kind, identity)


def test_a_pile_is_inventoried_then_read_tag_by_tag() -> None:
    pile = Enrolment()

    assert pile.receive(found(ACE), found(TWO), InventoryDone(2)) == ()
    assert pile.requests == [ReadBlocks(ACE, 0, 2)]
    assert pile.receive(BlocksRead(ACE, MEMORY)) == (TagListed(ACE_TAG, MEMORY),)
    assert pile.requests == [ReadBlocks(ACE, 0, 2), ReadBlocks(TWO, 0, 2)]
    assert pile.receive(BlocksRead(TWO, MEMORY)) == (TagListed(TWO_TAG, MEMORY), ListingDone(2))
    assert pile.state.listing is None


def test_an_empty_reader_lists_nothing() -> None:
    assert Enrolment().receive(InventoryDone(0)) == (ListingDone(0),)


def test_an_unreadable_chip_is_listed_without_memory() -> None:
    pile = Enrolment()
    pile.receive(found(ACE), found(TWO), InventoryDone(2))

    fault, listed = pile.receive(RequestFailed("ReadBlocks", 0x01, "no transponder"))

    assert isinstance(fault, DeviceFault)
    assert listed == TagListed(ACE_TAG, b"")
    assert pile.requests[-1] == ReadBlocks(TWO, 0, 2)


def test_an_incomplete_listing_gives_no_listing_done() -> None:
    pile = Enrolment()
    pile.receive(found(ACE))

    fault, answer = pile.receive(RequestFailed("Inventory", None, "no answer"))

    assert isinstance(fault, DeviceFault)
    assert isinstance(answer, CommandAnswered)
    assert (answer.command, answer.outcome) == ("ListTags", CommandOutcome.NO_ANSWER)
    assert pile.receive(InventoryDone(1)) == ()


def test_a_tag_that_answers_twice_is_one_tag() -> None:
    pile = Enrolment()
    pile.receive(found(ACE), found(ACE), InventoryDone(2))

    assert pile.receive(BlocksRead(ACE, MEMORY)) == (TagListed(ACE_TAG, MEMORY), ListingDone(1))


def test_a_foreign_transponder_is_reported_and_not_listed() -> None:
    pile = Enrolment()

    assert pile.receive(found(ACE, kind=4)) == (OtherTransponder("ISO 14443 A (04)"),)
    assert pile.receive(InventoryDone(1)) == (ListingDone(0),)


def test_a_pile_too_large_is_a_fault() -> None:
    pile = Enrolment()
    for number in range(TAGS_MAX):
        pile.receive(found(number.to_bytes(8, "big")))

    (fault,) = pile.receive(found(ACE))

    assert isinstance(fault, DeviceFault)
    assert "smaller pile" in to_words(fault.detail)


def test_memory_of_another_tag_is_ignored() -> None:
    pile = Enrolment()
    pile.receive(found(ACE), InventoryDone(1))

    assert pile.receive(BlocksRead(TWO, MEMORY)) == ()


def test_a_second_listing_is_refused_during_the_first() -> None:
    pile = Enrolment()

    _state, output = pile.driver.command(pile.state, ListTags(), AT)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED


def test_a_listing_without_a_port_gives_no_answer() -> None:
    driver = InventoryReader()

    state, output = driver.command(driver.initial(), ListTags(), AT)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.outcome is CommandOutcome.NO_ANSWER
    assert state.listing is None


def test_a_lost_port_ends_the_listing() -> None:
    pile = Enrolment()
    pile.receive(found(ACE), found(TWO), InventoryDone(2))

    state, output = pile.driver.receive(pile.state, PortLost("reader", AT, UNPLUGGED))

    assert isinstance(output.events[-1], CommandAnswered)
    assert state.listing is None


def test_an_enrolment_reader_has_no_lock() -> None:
    pile = Enrolment()

    _state, output = pile.driver.command(pile.state, LockExit(), AT)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED


# --- over the wire -------------------------------------------------------------------------------

VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")
TIMER = bytes.fromhex("02 00 0C 00 86 00 00 00 13 88 4A 55")
EMPTY = bytes.fromhex("02 00 08 00 22 92 E6 42")
TWO_TAGS = bytes.fromhex(
    "02 00 1D 00 B0 00 02 03 00 E0 04 01 50 12 34 56 01 03 00 E0 04 01 50 12 34 56 F2 9C 04"
)
BLOCKS = bytes.fromhex("02 00 14 00 B0 00 02 04 00 01 02 03 04 00 05 06 07 08 51 8B")
NO_TAG = bytes.fromhex("02 00 08 00 B0 01 19 CE")
ASK_INVENTORY = bytes.fromhex("02 00 09 FF B0 01 00 18 43")


def test_a_pile_is_listed_over_the_wire() -> None:
    driver = InventoryReader()
    state = driver.initial()
    state, _output = driver.receive(state, OPENED)
    for answer in (VERSION, TIMER, EMPTY):
        state, _output = driver.receive(state, Chunk("reader", AT, answer))
    state, output = driver.command(state, ListTags(), AT)
    assert output.at_once == (ASK_INVENTORY,)

    events: list[DeviceEvent] = []
    requests: list[bytes] = []
    for answer in (TWO_TAGS, BLOCKS, NO_TAG):
        state, output = driver.receive(state, Chunk("reader", AT, answer))
        events.extend(output.events)
        requests.extend(output.at_once)

    assert [one[7:15] for one in requests] == [ACE, TWO]
    listed = [event for event in events if not isinstance(event, DeviceFault)]
    assert listed == [TagListed(ACE_TAG, MEMORY), TagListed(TWO_TAG, b""), ListingDone(2)]


IDENTITIES = st.sampled_from((ACE, TWO, b"\xe0", b""))
ITEMS = st.one_of(
    st.builds(TagInventoried, st.sampled_from((3, 4, 9)), IDENTITIES),
    st.builds(InventoryDone, st.integers(0, 5)),
    st.builds(BlocksRead, IDENTITIES, st.binary(max_size=8)),
    st.builds(RequestFailed, st.just("request"), st.one_of(st.none(), st.just(1)), st.just("no")),
)


@given(st.lists(ITEMS, max_size=30))
def test_any_answers_in_any_order_list_each_tag_at_most_once(items: list[FeigItem]) -> None:
    pile = Enrolment()
    listed = [event.tag for event in pile.receive(*items) if isinstance(event, TagListed)]

    assert len(listed) == len(tuple(dict.fromkeys(listed)))
