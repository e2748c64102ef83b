"""A TableLink device at its port: what is asked of it, and what its status is told as."""

import dataclasses
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.events import LossReason, ReportsLost, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.shuffler_events import IdentityProven
from drivers.tablelink.device import (
    DeviceOutput,
    Said,
    TableLinkDevice,
    TableLinkDeviceState,
    hear,
)
from drivers.tablelink.life import Life
from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import Mode, ShoeEmpty, Status
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    Happened,
    Order,
    Request,
    RequestStatus,
    TableLinkItem,
)
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import Known
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

DEVICE = TableLinkDevice(TableLinkSettings(DeviceRole.SHUFFLER, Trust(bare=True)))
STATUS = Status(Mode.PLAY, False, (), 0, (), False)
ASKED = Request(Order.STATUS)
SHUFFLE = Request(Order.SHUFFLE, 1)
SECOND = 1_000_000_000


def at(seconds: int) -> Timestamp:
    return Timestamp(seconds * SECOND, seconds * SECOND)


def online(*asked: bool) -> TableLinkDeviceState:
    state = DEVICE.initial()
    return dataclasses.replace(state, life=Life(Stage.ONLINE), asked=asked)


def said_by(
    state: TableLinkDeviceState, items: tuple[TableLinkItem | LinkFault, ...], last: int = 0
) -> tuple[TableLinkDeviceState, tuple[Said, ...]]:
    """What is told of these items; `last` is the last event the link has taken by then."""
    known = Known(bytes(8), "p", last, boot_count=1, security_counter=0)
    return hear(state, dataclasses.replace(state.link, known=known), items)


def answered(status: RequestStatus | None = RequestStatus.DONE, detail: str = "") -> Answered:
    return Answered(ASKED, status, detail, STATUS if status is RequestStatus.DONE else None)


def test_before_its_port_is_open_a_device_is_closed_and_due_for_nothing() -> None:
    state = DEVICE.initial()

    assert state.stage is Stage.CLOSED
    assert DEVICE.next_deadline_ns(state) is None


def test_an_open_port_is_greeted_at_once() -> None:
    state, output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))

    assert output.said == (StageChanged(Stage.OPENED, "port open"),)
    assert output.at_once
    assert DEVICE.next_deadline_ns(state) is not None


def test_a_lost_port_is_told_and_due_for_nothing() -> None:
    state, _output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))

    state, output = DEVICE.receive(state, PortLost("p", at(2), "unplugged"))

    assert output.said == (StageChanged(Stage.LOST, "unplugged"),)
    assert DEVICE.next_deadline_ns(state) is None


def test_a_status_the_driver_asked_for_is_told_without_an_answer() -> None:
    state, said = said_by(online(False), (answered(),))

    assert said == (STATUS,)
    assert state.asked == ()


def test_a_status_a_person_asked_for_is_answered_too() -> None:
    state, said = said_by(online(True), (answered(),))

    assert said == (answered(), STATUS)
    assert state.asked == ()


def test_who_asked_first_is_answered_first() -> None:
    state, said = said_by(online(False, True), (answered(),))
    assert (state.asked, said) == ((True,), (STATUS,))

    state, said = said_by(state, (answered(),))
    assert (state.asked, said) == ((), (answered(), STATUS))


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (answered(None), "no answer"),
        (answered(RequestStatus.FAILED, "sensor bus\x00"), "sensor bus?"),
    ],
)
def test_a_device_that_does_not_say_what_it_holds_is_a_fault(item: Answered, words: str) -> None:
    _state, said = said_by(online(False), (item,))

    detail = f"the device did not say what it holds: {words}"
    assert said == (DeviceFault(LinkFaultKind.NO_ANSWER, detail),)


def test_a_person_is_answered_even_where_no_answer_came() -> None:
    _state, said = said_by(online(True), (answered(None),))

    assert said == (answered(None),)


def test_a_status_that_was_never_asked_for_is_told_all_the_same() -> None:
    assert said_by(online(), (answered(),))[1] == (STATUS,)


def test_once_the_device_is_gone_its_silence_is_no_fault() -> None:
    state = dataclasses.replace(online(False), life=Life(Stage.LOST))

    assert said_by(state, (answered(None),))[1] == ()


@pytest.mark.parametrize(
    "item",
    [
        Happened(1, 7, 5, ShoeEmpty(), None, None),
        Answered(SHUFFLE, RequestStatus.DONE, "", None),
    ],
)
def test_what_concerns_cards_and_batches_is_handed_on(item: TableLinkItem) -> None:
    assert said_by(online(), (item,))[1] == (item,)


def test_a_question_from_before_the_device_was_let_in_again_tells_nothing() -> None:
    state, said = said_by(online(False, False), (answered(),))
    assert (state.asked, said) == ((False,), ())

    state, said = said_by(state, (answered(),))
    assert (state.asked, said) == ((), (STATUS,))


def heard_up_to(last: int) -> TableLinkDeviceState:
    known = Known(bytes(8), "p", last, boot_count=1, security_counter=0)
    state = online()
    return dataclasses.replace(state, link=dataclasses.replace(state.link, known=known))


def test_an_event_that_makes_no_sense_is_a_loss_where_it_stood() -> None:
    fault = LinkFault(LinkFaultKind.MALFORMED, "event 42 of kind 99 makes no sense")
    after = Happened(43, 7, 5, ShoeEmpty(), None, None)

    _state, said = said_by(heard_up_to(41), (fault, after), last=43)

    assert said == (
        DeviceFault(LinkFaultKind.MALFORMED, "event 42 of kind 99 makes no sense"),
        ReportsLost(LossReason.UNREADABLE, 1),
        after,
    )


def test_two_last_events_that_make_no_sense_are_a_loss_at_once() -> None:
    fault = LinkFault(LinkFaultKind.MALFORMED, "why")

    _state, said = said_by(heard_up_to(41), (fault, fault), last=43)

    assert said[-1] == ReportsLost(LossReason.UNREADABLE, 2)


def test_where_counting_goes_on_from_is_no_loss() -> None:
    _state, said = said_by(heard_up_to(41), (Admitted(bytes(8), None),), last=60)

    assert not any(isinstance(one, ReportsLost) for one in said)


def happened(number: int) -> Happened:
    return Happened(number, 1, 1, ShoeEmpty(), None, None)


def test_a_status_that_overtook_events_waits_for_the_last_one_before_it() -> None:
    early = dataclasses.replace(STATUS, recorded=5)
    answer = Answered(ASKED, RequestStatus.DONE, "", early)

    state, said = said_by(dataclasses.replace(heard_up_to(3), asked=(False,)), (answer,), last=3)
    assert said == ()
    state, said = said_by(state, (happened(4),), last=4)
    assert said == (happened(4),)
    _state, said = said_by(state, (happened(5), happened(6)), last=6)

    assert said == (happened(5), early, happened(6))


def test_a_status_that_still_waits_when_the_device_is_let_in_again_tells_nothing() -> None:
    early = dataclasses.replace(STATUS, recorded=5)
    waiting = dataclasses.replace(heard_up_to(3), early=early)

    state, said = said_by(waiting, (Admitted(bytes(8), None), happened(4), happened(5)), last=5)

    assert state.early is None
    assert early not in said


def test_an_admitted_device_shows_before_what_it_tells() -> None:
    state = dataclasses.replace(online(), life=Life(Stage.IDENTIFIED))

    _state, said = said_by(
        state, (Admitted(bytes(8), None), Happened(1, 7, 5, ShoeEmpty(), None, None))
    )

    assert [type(one) for one in said] == [StageChanged, IdentityProven, Happened]


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_no_bytes_raise_and_the_state_stays_bounded(chunks: list[bytes]) -> None:
    state, _output = DEVICE.receive(DEVICE.initial(), PortOpened("p", at(1), bytes(32)))
    for second, data in enumerate(chunks, start=2):
        state, output = DEVICE.receive(state, Chunk("p", at(second), data))
        assert isinstance(output, DeviceOutput)

    assert size(state) < 4_096


def size(value: object) -> int:
    """Everything in a state that can grow: bytes, texts, tuples."""
    if isinstance(value, bytes | str) and not isinstance(value, Enum):
        return len(value)
    if isinstance(value, tuple):
        return len(value) + sum(map(size, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        assert value.__dataclass_params__.frozen
        return sum(size(getattr(value, one.name)) for one in dataclasses.fields(value))
    return 0
