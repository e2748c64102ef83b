"""Tags in the field: inventory and block reads, and each way in which they fail.

Source: firmware_bridge README, "FEIG OBID", tags in the field.
"""

from dataclasses import dataclass, field

import pytest

from controller.system.messages.catalogue import to_words
from firmware_bridge.feig.items import (
    BlocksRead,
    FeigRequest,
    Inventory,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
    TagInventoried,
)
from firmware_bridge.feig.link import FeigLink, FeigLinkState, FeigOutput
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from foundation.timestamp import Timestamp

MS = 1_000_000
VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")
TIMER = bytes.fromhex("02 00 0C 00 86 00 01 02 0B BC BF D0")
EMPTY = bytes.fromhex("02 00 08 00 22 92 E6 42")
INVENTORY = bytes.fromhex("02 00 09 FF B0 01 00 18 43")
MORE = bytes.fromhex("02 00 09 FF B0 01 80 10 C7")
ONE_TAG = bytes.fromhex("11 00 B0 00 01 03 00 E0 04 01 50 A0 5F 02 B7 D7 BE")
TWO_AND_MORE = bytes.fromhex(
    "02 00 1D 00 B0 94 02 03 00 E0 04 01 50 A0 5F 02 B7 03 00 E0 04 01 08 66 C2 1D 76 83 1C"
)
NO_TAG = bytes.fromhex("02 00 08 00 B0 01 19 CE")
ISO_ERROR = bytes.fromhex("02 00 09 00 B0 95 10 76 E8")
READ_TWO = bytes.fromhex("02 00 13 FF B0 23 01 E0 04 01 50 A0 5F 02 B7 00 02 95 84")
TWO_BLOCKS = bytes.fromhex("02 00 14 00 B0 00 02 04 00 41 53 2D 31 00 53 50 44 00 01 CF")
TAG = bytes.fromhex("E0 04 01 50 A0 5F 02 B7")
OTHER = bytes.fromhex("E0 04 01 08 66 C2 1D 76")


@dataclass
class LinkSession:
    link: FeigLink = field(default_factory=FeigLink)
    state: FeigLinkState = field(default_factory=FeigLinkState)
    now_ms: int = 10_000

    def at(self) -> Timestamp:
        return Timestamp(self.now_ms * MS, 10**18 + self.now_ms * MS)

    def open(self) -> FeigOutput:
        self.state, output = self.link.opened(self.state, self.at())
        return output

    def close(self) -> FeigOutput:
        self.state, output = self.link.closed(self.state, self.at())
        return output

    def receive(self, data: bytes) -> FeigOutput:
        self.state, output = self.link.receive(self.state, data, self.at())
        return output

    def tick(self, after_ms: int) -> FeigOutput:
        self.now_ms += after_ms
        self.state, output = self.link.tick(self.state, self.at())
        return output

    def send(self, request: FeigRequest) -> FeigOutput:
        self.state, output = self.link.send(self.state, request, self.at())
        return output


def ready() -> LinkSession:
    session = LinkSession()
    session.open()
    for answer in (VERSION, TIMER, EMPTY):
        session.receive(answer)
    return session


def kinds(output: FeigOutput) -> list[LinkFaultKind]:
    return [one.kind for one in output.items if isinstance(one, LinkFault)]


def failures(output: FeigOutput) -> list[tuple[str, int | None]]:
    failed = [one for one in output.items if isinstance(one, RequestFailed)]
    return [(to_words(one.request), one.status) for one in failed]


def test_an_inventory_continues_until_there_are_no_more_tags() -> None:
    session = ready()
    assert session.send(Inventory()).at_once == (INVENTORY,)
    first = session.receive(TWO_AND_MORE)
    assert first.items == (TagInventoried(3, TAG), TagInventoried(3, OTHER))
    assert first.at_once == (MORE,)

    assert session.receive(ONE_TAG).items == (TagInventoried(3, TAG), InventoryDone(3))


def test_no_tag_in_the_field() -> None:
    session = ready()
    session.send(Inventory())

    assert session.receive(NO_TAG).items == (InventoryDone(0),)


def test_an_endless_inventory_fails() -> None:
    session = ready()
    session.send(Inventory())
    last = [session.receive(TWO_AND_MORE) for _ in range(64)][-1]

    assert failures(last) == [("inventory", 0x94)]
    assert last.at_once == ()


def test_blocks_of_a_tag_are_read() -> None:
    session = ready()
    assert session.send(ReadBlocks(TAG, 0, 2)).at_once == (READ_TWO,)

    assert session.receive(TWO_BLOCKS).items == (BlocksRead(TAG, b"AS-1SPD\x00"),)


def test_requests_wait_for_each_other() -> None:
    session = ready()
    session.send(Inventory())
    assert session.send(ReadBlocks(TAG, 0, 2)) == LinkOutput()

    assert session.receive(NO_TAG).at_once == (READ_TWO,)


def test_a_refused_request_fails() -> None:
    session = ready()
    session.send(ReadBlocks(TAG, 0, 2))

    assert failures(session.receive(ISO_ERROR)) == [("read blocks", 0x95)]


@pytest.mark.parametrize("request_", [Inventory(), ReadBlocks(TAG, 0, 1)])
def test_a_malformed_answer_is_reported_and_the_request_fails(request_: FeigRequest) -> None:
    session = ready()
    session.send(request_)
    # A count of eight without tags.
    output = session.receive(bytes.fromhex("02 00 09 00 B0 00 08 5A 13"))

    assert kinds(output) == [LinkFaultKind.MALFORMED]
    assert len(failures(output)) == 1


def test_an_unanswered_request_fails() -> None:
    session = ready()
    session.send(Inventory())
    assert session.tick(2_999).items == ()

    assert failures(session.tick(1)) == [("inventory", None)]


def test_a_late_answer_is_not_mistaken_for_that_to_the_next_request() -> None:
    session = ready()
    session.send(ReadBlocks(OTHER, 0, 2))
    session.send(ReadBlocks(TAG, 0, 2))
    session.tick(3_000)
    late = session.receive(TWO_BLOCKS)
    assert kinds(late) == [LinkFaultKind.UNEXPECTED_ANSWER]

    assert session.tick(3_000).at_once == (READ_TWO,)


def test_a_lost_port_fails_all_of_them() -> None:
    session = ready()
    session.send(Inventory())
    session.send(ReadBlocks(TAG, 0, 2))

    assert failures(session.close()) == [("inventory", None), ("read blocks", None)]


def test_a_silent_reader_fails_waiting_requests() -> None:
    session = LinkSession()
    session.open()
    session.send(Inventory())

    assert failures(session.tick(500)) == [("inventory", None)]


def test_a_closed_port_fails_a_request() -> None:
    assert failures(LinkSession().send(Inventory())) == [("inventory", None)]


def test_too_many_requests_are_refused() -> None:
    session = ready()
    outputs = [session.send(Inventory()) for _ in range(66)]

    assert [len(failures(output)) for output in outputs] == [0] * 65 + [1]


@pytest.mark.parametrize(
    "request_",
    [
        ReadBlocks(TAG[:7], 0, 1),
        ReadBlocks(TAG, 0, 0),
        ReadBlocks(TAG, -1, 1),
        ReadBlocks(TAG, 200, 57),
        ReadBlocks(TAG, 0, 256),
    ],
)
def test_an_invalid_request_fails_at_once(request_: ReadBlocks) -> None:
    output = ready().send(request_)

    assert failures(output) == [("read blocks", None)]
    assert output.at_once == ()
