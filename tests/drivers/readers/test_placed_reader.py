"""Tests readers at the discard rack and under the layout: which tag was read where."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.system.messages.catalogue import to_words
from drivers.events import DeviceEvent, LossReason, OtherTransponder, ReportsLost, Spot, TagSeen
from drivers.faults import DeviceFault
from drivers.model import Installation, ReaderSeat
from drivers.readers.feig_model import FEIG_READER, FeigReaderSettings
from drivers.readers.placed_reader import PlacedReader, PlacedReaderState
from firmware_bridge.feig.continuity import ContinuityState, TimerReading
from firmware_bridge.feig.items import BufferOverflow, BufferRecord, FeigItem
from firmware_bridge.link import LinkFaultKind
from foundation.timestamp import Timestamp

ACE, TWO = bytes.fromhex("E004015012345601"), bytes.fromhex("E0040150123456F2")
ACE_TAG, TWO_TAG = "E004015012345601", "E0040150123456F2"

AT = Timestamp(3_600_000_000_000, 1_795_255_200_000_000_000)


@dataclass
class Placed:
    driver: PlacedReader
    state: PlacedReaderState = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.driver.initial()

    def receive(self, item: FeigItem) -> tuple[DeviceEvent, ...]:
        self.state, events = self.driver.item(self.state, item, AT)
        return events

    def read_tag(
        self, tag: bytes, antenna: int | None = None, kind: int = 3
    ) -> tuple[DeviceEvent, ...]:
        return self.receive(BufferRecord(tag, tr_type=kind, antenna=antenna))


def rack() -> Placed:
    return Placed(FEIG_READER.build())


def layout() -> Placed:
    return Placed(
        FEIG_READER.build(
            FEIG_READER.to_store(FeigReaderSettings(player_antenna=3, banker_antenna=4)),
            Installation(seat=ReaderSeat.LAYOUT),
        )
    )


def test_any_antenna_covers_the_discard_rack() -> None:
    placed = rack()

    assert placed.read_tag(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)
    assert placed.read_tag(TWO, antenna=2) == (TagSeen(Spot.DISCARD_RACK, TWO_TAG),)


def test_each_antenna_covers_its_hand() -> None:
    placed = layout()

    assert placed.read_tag(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)
    assert placed.read_tag(TWO, antenna=4) == (TagSeen(Spot.BANKER, TWO_TAG),)


def with_timer(placed: Placed, timer_ms: int) -> Placed:
    """The reader has just reported its timer."""
    known = ContinuityState(last=TimerReading(timer_ms, AT, AT))
    placed.state = replace(placed.state, link=replace(placed.state.link, continuity=known))
    return placed


@pytest.mark.parametrize(
    ("time_ms", "late"),
    [(500_000, False), (495_000, False), (494_700, True), (0, True), (500_200, False)],
)
def test_a_record_from_the_buffer_is_late(time_ms: int, late: bool) -> None:
    placed = with_timer(layout(), 500_000)
    record = BufferRecord(ACE, tr_type=3, antenna=3, time_ms=time_ms)

    assert placed.receive(record) == (TagSeen(Spot.PLAYER, ACE_TAG, late=late),)


def test_records_without_time_are_never_late() -> None:
    placed = with_timer(layout(), 500_000)

    assert placed.read_tag(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)


def test_a_late_tag_that_stays_is_reported_once() -> None:
    placed = with_timer(layout(), 500_000)
    placed.receive(BufferRecord(ACE, tr_type=3, antenna=3, time_ms=0))

    assert placed.receive(BufferRecord(ACE, tr_type=3, antenna=3, time_ms=499_999)) == ()


def test_a_tag_that_stays_is_reported_once() -> None:
    placed = layout()
    placed.read_tag(ACE, antenna=3)
    placed.read_tag(TWO, antenna=4)

    assert placed.read_tag(ACE, antenna=3) == ()
    assert placed.read_tag(TWO, antenna=4) == ()


def test_a_tag_that_moves_to_the_other_hand_is_reported_again() -> None:
    placed = layout()
    placed.read_tag(ACE, antenna=3)

    assert placed.read_tag(ACE, antenna=4) == (TagSeen(Spot.BANKER, ACE_TAG),)
    assert placed.read_tag(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)


def test_a_tag_read_again_after_another_is_reported_again() -> None:
    placed = rack()
    placed.read_tag(ACE)
    placed.read_tag(TWO)

    assert placed.read_tag(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)


def test_an_antenna_without_a_hand_is_reported_once() -> None:
    placed = layout()

    (fault,) = placed.read_tag(ACE, antenna=1)

    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.DEVICE_STATUS
    assert "antenna 1" in to_words(fault.detail)
    assert "3 is player, 4 is banker" in to_words(fault.detail)
    assert placed.read_tag(TWO, antenna=2) == ()


def test_layout_records_without_antenna_give_a_fault_only() -> None:
    (fault,) = layout().read_tag(ACE)

    assert isinstance(fault, DeviceFault)
    assert "does not report" in to_words(fault.detail)


def test_a_chip_card_on_the_layout_is_another_transponder() -> None:
    placed = layout()

    assert placed.read_tag(ACE, antenna=3, kind=4) == (OtherTransponder("ISO 14443 A (04)"),)


def test_an_input_change_gives_no_event() -> None:
    assert rack().receive(BufferRecord(b"", inputs=1)) == ()


def test_lost_records_are_reported() -> None:
    _fault, lost = rack().receive(BufferOverflow())

    assert lost == ReportsLost(LossReason.GAP, 0)


def test_after_a_loss_a_tag_that_stays_is_reported_again() -> None:
    placed = rack()
    placed.read_tag(ACE)
    placed.receive(BufferOverflow())

    assert placed.read_tag(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)


@given(
    st.lists(
        st.builds(
            BufferRecord,
            identity=st.binary(max_size=9),
            tr_type=st.one_of(st.none(), st.integers(0, 255)),
            antenna=st.one_of(st.none(), st.integers(0, 5)),
        ),
        max_size=30,
    )
)
def test_any_records_stay_bounded(records: list[BufferRecord]) -> None:
    placed = layout()
    for record in records:
        placed.receive(record)

    assert len(placed.state.last) <= len(placed.driver.settings.spots)
