"""Tests the common part of the TableLink drivers: status requests, losses, order of reports."""

from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_words import in_words
from msgspec import Struct, structs

from drivers.events import LossReason, ReportsLost, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.shell import OPENED
from drivers.shuffler_events import IdentityProven
from drivers.shufflers.tablelink_shuffler import TableLinkShuffler, TableLinkShufflerSettings
from drivers.tablelink.device import (
    TableLinkDeviceState,
    TableLinkLifecycle,
    TableLinkReport,
    apply_items,
)
from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import DeviceMode, DeviceStatus, ShoeEmpty
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkItem,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import KnownDevice
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")
OWN_WORDS = message("in_its_own_words", foreign="sensor bus?")

DEVICE = TableLinkShuffler(
    TableLinkShufflerSettings(TableLinkSettings(DeviceRole.SHUFFLER, Trust(bare=True)))
)
STATUS = DeviceStatus(DeviceMode.PLAY, False, (), 0, (), False)
ASKED = TableLinkRequest(RequestType.STATUS)
SHUFFLE = TableLinkRequest(RequestType.SHUFFLE, 1)
SECOND = 1_000_000_000


def at(seconds: int) -> Timestamp:
    return Timestamp(seconds * SECOND, seconds * SECOND)


def online(*by_person: bool) -> TableLinkDeviceState:
    state = DEVICE.initial()
    return structs.replace(state, life=TableLinkLifecycle(Stage.ONLINE), pending_status=by_person)


def reports_of(
    state: TableLinkDeviceState, items: tuple[TableLinkItem | LinkFault, ...], last: int = 0
) -> tuple[TableLinkDeviceState, tuple[TableLinkReport, ...]]:
    """The reports of these items; `last` is the last event the link received before."""
    known = KnownDevice(bytes(8), "p", last, boot_count=1, security_counter=0)
    return apply_items(state, structs.replace(state.link, known=known), items)


def status_answer(
    status: RequestStatus | None = RequestStatus.DONE, detail: Message | None = None
) -> RequestAnswer:
    return RequestAnswer(ASKED, status, detail, STATUS if status is RequestStatus.DONE else None)


def test_before_the_port_is_open_the_device_is_closed_without_deadlines() -> None:
    state = DEVICE.initial()

    assert state.stage is Stage.CLOSED
    assert DEVICE.next_deadline_ns(state) is None


def test_hello_is_sent_when_the_port_opens() -> None:
    state, output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))

    assert output.events == (StageChanged(*OPENED),)
    assert output.at_once
    assert DEVICE.next_deadline_ns(state) is not None


def test_a_lost_port_is_reported_and_leaves_no_deadline() -> None:
    state, _output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))

    state, output = DEVICE.receive(state, PortLost("p", at(2), UNPLUGGED))

    assert output.events == (StageChanged(Stage.LOST, UNPLUGGED),)
    assert DEVICE.next_deadline_ns(state) is None


def test_a_status_the_driver_requested_is_reported_without_an_answer() -> None:
    state, reports = reports_of(online(False), (status_answer(),))

    assert reports == (STATUS,)
    assert state.pending_status == ()


def test_a_status_a_person_requested_is_also_answered() -> None:
    state, reports = reports_of(online(True), (status_answer(),))

    assert reports == (status_answer(), STATUS)
    assert state.pending_status == ()


def test_status_answers_come_in_the_order_of_the_requests() -> None:
    state, reports = reports_of(online(False, True), (status_answer(),))
    assert (state.pending_status, reports) == ((True,), (STATUS,))

    state, reports = reports_of(state, (status_answer(),))
    assert (state.pending_status, reports) == ((), (status_answer(), STATUS))


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (status_answer(None), "no answer"),
        (status_answer(RequestStatus.FAILED, OWN_WORDS), "sensor bus?"),
    ],
)
def test_a_device_that_gives_no_status_gives_a_fault(item: RequestAnswer, words: str) -> None:
    _state, reports = reports_of(online(False), (item,))

    detail = f"the device did not report its status: {words}"
    assert in_words(reports) == (DeviceFault(LinkFaultKind.NO_ANSWER, detail),)


def test_a_person_gets_an_answer_even_without_one_from_the_device() -> None:
    _state, reports = reports_of(online(True), (status_answer(None),))

    assert reports == (status_answer(None),)


def test_an_unrequested_status_is_reported() -> None:
    assert reports_of(online(), (status_answer(),))[1] == (STATUS,)


def test_a_lost_device_without_a_status_gives_no_fault() -> None:
    state = structs.replace(online(False), life=TableLinkLifecycle(Stage.LOST))

    assert reports_of(state, (status_answer(None),))[1] == ()


@pytest.mark.parametrize(
    "item",
    [
        TableLinkEvent(1, 7, 5, ShoeEmpty(), None, None),
        RequestAnswer(SHUFFLE, RequestStatus.DONE, None, None),
    ],
)
def test_items_about_cards_and_batches_are_passed_on(item: TableLinkItem) -> None:
    assert reports_of(online(), (item,))[1] == (item,)


def test_a_status_requested_before_readmission_is_ignored() -> None:
    state, reports = reports_of(online(False, False), (status_answer(),))
    assert (state.pending_status, reports) == ((False,), ())

    state, reports = reports_of(state, (status_answer(),))
    assert (state.pending_status, reports) == ((), (STATUS,))


def with_last_event(last: int) -> TableLinkDeviceState:
    known = KnownDevice(bytes(8), "p", last, boot_count=1, security_counter=0)
    state = online()
    return structs.replace(state, link=structs.replace(state.link, known=known))


def test_an_invalid_event_is_a_loss_in_its_place() -> None:
    fault = LinkFault(LinkFaultKind.MALFORMED, message("event_kind_unknown", kind=99))
    after = TableLinkEvent(43, 7, 5, ShoeEmpty(), None, None)

    _state, reports = reports_of(with_last_event(41), (fault, after), last=43)

    assert reports == (
        DeviceFault(LinkFaultKind.MALFORMED, message("event_kind_unknown", kind=99)),
        ReportsLost(LossReason.UNREADABLE, 1),
        after,
    )


def test_two_last_invalid_events_are_a_loss_at_once() -> None:
    fault = LinkFault(LinkFaultKind.MALFORMED, message("event_kind_unknown", kind=99))

    _state, reports = reports_of(with_last_event(41), (fault, fault), last=43)

    assert reports[-1] == ReportsLost(LossReason.UNREADABLE, 2)


def test_the_number_at_admission_is_not_a_loss() -> None:
    _state, reports = reports_of(with_last_event(41), (DeviceAdmitted(bytes(8), None),), last=60)

    assert not any(isinstance(one, ReportsLost) for one in reports)


def event_item(number: int) -> TableLinkEvent:
    return TableLinkEvent(number, 1, 1, ShoeEmpty(), None, None)


def test_an_early_status_waits_for_the_events_it_includes() -> None:
    early = structs.replace(STATUS, recorded=5)
    answer = RequestAnswer(ASKED, RequestStatus.DONE, "", early)

    state, reports = reports_of(
        structs.replace(with_last_event(3), pending_status=(False,)), (answer,), last=3
    )
    assert reports == ()
    state, reports = reports_of(state, (event_item(4),), last=4)
    assert reports == (event_item(4),)
    _state, reports = reports_of(state, (event_item(5), event_item(6)), last=6)

    assert reports == (event_item(5), early, event_item(6))


def test_an_early_status_is_dropped_on_readmission() -> None:
    early = structs.replace(STATUS, recorded=5)
    waiting = structs.replace(with_last_event(3), early_status=early)

    state, reports = reports_of(
        waiting, (DeviceAdmitted(bytes(8), None), event_item(4), event_item(5)), last=5
    )

    assert state.early_status is None
    assert early not in reports


def test_admission_is_reported_before_the_devices_events() -> None:
    state = structs.replace(online(), life=TableLinkLifecycle(Stage.IDENTIFIED))

    _state, reports = reports_of(
        state, (DeviceAdmitted(bytes(8), None), TableLinkEvent(1, 7, 5, ShoeEmpty(), None, None))
    )

    assert [type(one) for one in reports] == [StageChanged, IdentityProven, TableLinkEvent]


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_no_bytes_raise_and_the_state_stays_bounded(chunks: list[bytes]) -> None:
    state, _output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))
    for second, data in enumerate(chunks, start=2):
        state, output = DEVICE.receive(state, Chunk("p", at(second), data))
        assert isinstance(output, DriverOutput)

    assert size(state) < 4_096


def size(value: object) -> int:
    """Everything in a state that can grow: bytes, texts, tuples."""
    if isinstance(value, bytes | str) and not isinstance(value, Enum):
        return len(value)
    if isinstance(value, tuple):
        return len(value) + sum(map(size, value))
    if isinstance(value, Struct):
        assert value.__struct_config__.frozen
        return sum(size(getattr(value, one)) for one in value.__struct_fields__)
    return 0
