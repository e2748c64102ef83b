"""Readers at the discard rack and under the layout: which tag was seen where."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalogue import ReaderSettings, build_reader
from drivers.events import DeviceEvent, LossReason, OtherTransponder, ReportsLost, Spot, TagSeen
from drivers.faults import DeviceFault
from drivers.readers.placed_reader import PlacedReader, PlacedReaderState
from firmware_bridge.feig.continuity import Continuity, TimerHeard
from firmware_bridge.feig.items import BufferOverflowed, BufferRecord, FeigItem
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp

ACE, TWO = bytes.fromhex("E004015012345601"), bytes.fromhex("E0040150123456F2")
ACE_TAG, TWO_TAG = "E004015012345601", "E0040150123456F2"

AT = Timestamp(3_600_000_000_000, 1_795_255_200_000_000_000)


@dataclass
class Placed:
    driver: PlacedReader
    state: PlacedReaderState = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.driver.initial()

    def hears(self, item: FeigItem) -> tuple[DeviceEvent, ...]:
        self.state, events = self.driver.hear(self.state, (item,), AT)
        return events

    def reads(
        self, tag: bytes, antenna: int | None = None, kind: int = 3
    ) -> tuple[DeviceEvent, ...]:
        return self.hears(BufferRecord(tag, tr_type=kind, antenna=antenna))


def rack() -> Placed:
    return Placed(build_reader(ReaderSettings("discard_rack")))


def layout() -> Placed:
    return Placed(build_reader(ReaderSettings("layout", player_antenna=3, banker_antenna=4)))


def test_a_tag_in_the_discard_rack_is_seen_there_by_any_antenna() -> None:
    placed = rack()

    assert placed.reads(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)
    assert placed.reads(TWO, antenna=2) == (TagSeen(Spot.DISCARD_RACK, TWO_TAG),)


def test_each_hand_has_its_antenna() -> None:
    placed = layout()

    assert placed.reads(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)
    assert placed.reads(TWO, antenna=4) == (TagSeen(Spot.BANKER, TWO_TAG),)


def with_timer(placed: Placed, timer_ms: int) -> Placed:
    """The reader has just said what its timer is."""
    known = Continuity(last=TimerHeard(timer_ms, AT, AT))
    reader = placed.state.reader
    reader = replace(reader, link=replace(reader.link, continuity=known))
    placed.state = replace(placed.state, reader=reader)
    return placed


@pytest.mark.parametrize(
    ("time_ms", "late"),
    [(500_000, False), (495_000, False), (494_700, True), (0, True), (500_200, False)],
)
def test_a_tag_that_was_read_long_ago_is_late(time_ms: int, late: bool) -> None:
    placed = with_timer(layout(), 500_000)
    record = BufferRecord(ACE, tr_type=3, antenna=3, time_ms=time_ms)

    assert placed.hears(record) == (TagSeen(Spot.PLAYER, ACE_TAG, late=late),)


def test_a_reader_whose_records_hold_no_time_is_never_late() -> None:
    placed = with_timer(layout(), 500_000)

    assert placed.reads(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)


def test_a_tag_that_was_late_is_not_told_again_where_it_stays() -> None:
    placed = with_timer(layout(), 500_000)
    placed.hears(BufferRecord(ACE, tr_type=3, antenna=3, time_ms=0))

    assert placed.hears(BufferRecord(ACE, tr_type=3, antenna=3, time_ms=499_999)) == ()


def test_a_tag_that_stays_is_seen_once() -> None:
    placed = layout()
    placed.reads(ACE, antenna=3)
    placed.reads(TWO, antenna=4)

    assert placed.reads(ACE, antenna=3) == ()
    assert placed.reads(TWO, antenna=4) == ()


def test_a_tag_that_moves_to_the_other_hand_is_seen_again() -> None:
    placed = layout()
    placed.reads(ACE, antenna=3)

    assert placed.reads(ACE, antenna=4) == (TagSeen(Spot.BANKER, ACE_TAG),)
    assert placed.reads(ACE, antenna=3) == (TagSeen(Spot.PLAYER, ACE_TAG),)


def test_a_tag_seen_again_after_another_is_told_again() -> None:
    placed = rack()
    placed.reads(ACE)
    placed.reads(TWO)

    assert placed.reads(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)


def test_an_antenna_of_no_hand_is_told_once() -> None:
    placed = layout()

    (fault,) = placed.reads(ACE, antenna=1)

    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.DEVICE_STATUS
    assert "antenna 1" in fault.detail
    assert "3 is player, 4 is banker" in fault.detail
    assert placed.reads(TWO, antenna=2) == ()


def test_a_layout_reader_that_names_no_antenna_sees_nothing_and_says_so() -> None:
    (fault,) = layout().reads(ACE)

    assert isinstance(fault, DeviceFault)
    assert "does not name" in fault.detail


def test_a_chip_card_on_the_layout_is_no_card() -> None:
    placed = layout()

    assert placed.reads(ACE, antenna=3, kind=4) == (OtherTransponder("ISO 14443 A (04)"),)


def test_a_change_of_an_input_is_no_sighting() -> None:
    assert rack().hears(BufferRecord(b"", inputs=1)) == ()


def test_sightings_lost_are_told() -> None:
    _fault, lost = rack().hears(BufferOverflowed())

    assert lost == ReportsLost(LossReason.GAP, 0)


def test_after_sightings_were_lost_a_tag_that_stays_is_told_again() -> None:
    placed = rack()
    placed.reads(ACE)
    placed.hears(BufferOverflowed())

    assert placed.reads(ACE) == (TagSeen(Spot.DISCARD_RACK, ACE_TAG),)


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
        placed.hears(record)

    assert len(placed.state.last) <= len(placed.driver.settings.watched)
