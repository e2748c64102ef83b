"""Tests the TableLink shuffler driver: orders, refusals, reports."""

import pytest
from in_words import in_words
from msgspec import structs

from controller.system.messages.catalogue import to_words
from drivers import shuffler_events as events
from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    ShufflerOrder,
    UnlockExit,
)
from drivers.events import CommandAnswered, CommandOutcome, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput
from drivers.shell import OPENED
from drivers.shuffler_events import CompartmentState, ShufflerMode
from drivers.shufflers.tablelink_shuffler import (
    TableLinkShuffler,
    TableLinkShufflerSettings,
    TableLinkShufflerState,
    answer_of,
    map_report,
    order_name,
    request_of,
)
from drivers.tablelink.device import TableLinkLifecycle
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink.bodies import (
    BatchDone,
    BatchStarted,
    CompartmentPhase,
    CompartmentStatus,
    DeviceMode,
    DeviceStatus,
    ShuffleCheckResult,
    ShuffleReceipt,
)
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.transport.port import PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

OF_A_COMPARTMENT = {
    ShufflerOrder.LOAD: RequestType.LOAD,
    ShufflerOrder.COUNT: RequestType.COUNT,
    ShufflerOrder.SHUFFLE: RequestType.SHUFFLE,
    ShufflerOrder.STORE: RequestType.STORE,
    ShufflerOrder.RELEASE: RequestType.RELEASE,
}
OF_THE_WHOLE = {
    ShufflerOrder.STATUS: TableLinkRequest(RequestType.STATUS, 0),
    ShufflerOrder.SELF_TEST: TableLinkRequest(RequestType.SELF_TEST, 0),
    ShufflerOrder.PLAY: TableLinkRequest(RequestType.MODE, 0),
    ShufflerOrder.SERVICE: TableLinkRequest(RequestType.MODE, 1),
    ShufflerOrder.SORT: TableLinkRequest(RequestType.MODE, 2),
}


def test_every_order_is_tested_here() -> None:
    assert {*OF_A_COMPARTMENT, *OF_THE_WHOLE, ShufflerOrder.ABORT} == set(ShufflerOrder)


@pytest.mark.parametrize("order", OF_A_COMPARTMENT)
@pytest.mark.parametrize("compartment", [1, 2])
def test_an_order_for_a_compartment(order: ShufflerOrder, compartment: int) -> None:
    request = TableLinkRequest(OF_A_COMPARTMENT[order], compartment)

    assert request_of(OrderShuffler(order, compartment)) == request
    assert in_words((order_name(request),)) == (f"{order.value}, compartment {compartment}",)


@pytest.mark.parametrize("order", OF_A_COMPARTMENT)
@pytest.mark.parametrize("compartment", [-1, 0, 3, 2**32])
def test_an_order_for_an_unknown_compartment_is_refused(
    order: ShufflerOrder, compartment: int
) -> None:
    refusal = message("no_such_compartment", compartment=compartment)

    assert request_of(OrderShuffler(order, compartment)) == refusal


@pytest.mark.parametrize("order", OF_THE_WHOLE)
def test_an_order_for_the_whole_shuffler(order: ShufflerOrder) -> None:
    assert request_of(OrderShuffler(order)) == OF_THE_WHOLE[order]
    assert order_name(OF_THE_WHOLE[order]) == order.value


@pytest.mark.parametrize("order", OF_THE_WHOLE)
def test_an_order_for_the_whole_shuffler_takes_no_compartment(order: ShufflerOrder) -> None:
    refusal = message("order_concerns_whole_shuffler", order=order.value)

    assert request_of(OrderShuffler(order, 1)) == refusal


@pytest.mark.parametrize(
    ("compartment", "words"),
    [(0, "all compartments"), (1, "compartment 1"), (2, "compartment 2")],
)
def test_one_shuffle_or_all_can_be_aborted(compartment: int, words: str) -> None:
    request = TableLinkRequest(RequestType.ABORT, compartment)

    assert request_of(OrderShuffler(ShufflerOrder.ABORT, compartment)) == request
    assert in_words((order_name(request),)) == (f"abort, {words}",)


def test_aborting_an_unknown_compartment_is_refused() -> None:
    refusal = message("no_such_compartment_to_abort", compartment=3)

    assert request_of(OrderShuffler(ShufflerOrder.ABORT, 3)) == refusal


@pytest.mark.parametrize(
    ("status", "outcome", "words"),
    [
        (RequestStatus.DONE, CommandOutcome.DONE, "done, or started"),
        (RequestStatus.REFUSED, CommandOutcome.REFUSED, "refused: door open"),
        (
            RequestStatus.UNKNOWN,
            CommandOutcome.REFUSED,
            "the shuffler does not know this order",
        ),
        (RequestStatus.FAILED, CommandOutcome.REFUSED, "failed: motor 2?"),
        (None, CommandOutcome.NO_ANSWER, "no answer"),
    ],
)
def test_the_result_of_an_order_is_reported(
    status: RequestStatus | None, outcome: CommandOutcome, words: str
) -> None:
    details = {RequestStatus.REFUSED: "door open", RequestStatus.FAILED: "motor 2?"}
    said = None if status is None else details.get(status)
    detail = None if said is None else message("in_its_own_words", foreign=said)

    answer = answer_of(
        RequestAnswer(TableLinkRequest(RequestType.SHUFFLE, 1), status, detail, None)
    )

    assert in_words(answer) == CommandAnswered(
        "OrderShuffler", outcome, f"shuffle, compartment 1: {words}"
    )


UNPLUGGED = message("usb_unplugged")

AT = Timestamp(1, 1)
LATER = Timestamp(2, 2)

# One possible order of every kind, with the compartment it needs.
ORDERS = tuple(
    OrderShuffler(
        order, 1 if order.value in ("load", "count", "shuffle", "store", "release") else 0
    )
    for order in ShufflerOrder
)


class Table:
    """A shuffler driver with its state."""

    def __init__(self, *, allow_commands: bool = True) -> None:
        settings = TableLinkShufflerSettings(allow_commands=allow_commands)
        self.driver: Driver[TableLinkShufflerState] = TableLinkShuffler(settings)
        self.state = self.driver.initial()

    def opened(self) -> DriverOutput:
        self.state, output = self.driver.receive(self.state, PortOpened("p", AT, bytes(32)))
        return output

    def lost(self) -> DriverOutput:
        self.state, output = self.driver.receive(self.state, PortLost("p", LATER, UNPLUGGED))
        return output

    def online(self) -> None:
        self.opened()
        self.state = structs.replace(self.state, life=TableLinkLifecycle(Stage.ONLINE))

    def send_command(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, LATER)
        return output


def refused(output: DriverOutput) -> str:
    (event,) = output.events
    assert isinstance(event, CommandAnswered)
    assert event.outcome is CommandOutcome.REFUSED
    assert (output.to_write, output.at_once) == ((), ())
    return to_words(event.detail)


def test_the_stage_follows_the_port() -> None:
    table = Table()
    assert table.state.stage is Stage.CLOSED

    assert table.opened().events == (StageChanged(*OPENED),)
    assert table.state.stage is Stage.OPENED

    assert table.lost().events == (StageChanged(Stage.LOST, UNPLUGGED),)
    assert table.state.stage is Stage.LOST


def test_read_only_is_the_default() -> None:
    assert not TableLinkShufflerSettings().allow_commands


@pytest.mark.parametrize("command", ORDERS)
def test_without_allow_commands_only_status_is_sent(command: OrderShuffler) -> None:
    table = Table(allow_commands=False)
    table.online()

    output = table.send_command(command)

    if command.order is ShufflerOrder.STATUS:
        assert output.events == ()
        return
    assert refused(output) == (
        f"{command.order.value}: orders are not allowed:"
        " set allow_commands = true in the shuffler's settings"
    )


@pytest.mark.parametrize("command", ORDERS)
@pytest.mark.parametrize("ever_opened", [True, False])
def test_an_order_without_an_open_port_gives_no_answer(
    command: OrderShuffler, ever_opened: bool
) -> None:
    table = Table()
    if ever_opened:
        table.opened()
        table.lost()

    assert in_words(table.send_command(command)) == DriverOutput(
        events=(
            CommandAnswered(
                "OrderShuffler",
                CommandOutcome.NO_ANSWER,
                f"{command.order.value}: the shuffler's port is not open:"
                " check its cable and its power",
            ),
        )
    )


@pytest.mark.parametrize("command", ORDERS)
@pytest.mark.parametrize("stage", [Stage.OPENED, Stage.IDENTIFIED])
def test_an_unproven_shuffler_gets_no_order(command: OrderShuffler, stage: Stage) -> None:
    table = Table()
    table.opened()
    table.state = structs.replace(table.state, life=TableLinkLifecycle(stage))

    assert in_words(table.send_command(command)) == DriverOutput(
        events=(
            CommandAnswered(
                "OrderShuffler",
                CommandOutcome.NO_ANSWER,
                f"{command.order.value}: the shuffler has not proved its identity yet:"
                " repeat the order when it has",
            ),
        )
    )


def test_an_unknown_compartment_is_refused() -> None:
    table = Table()
    table.online()

    detail = refused(table.send_command(OrderShuffler(ShufflerOrder.SHUFFLE, 3)))

    assert detail == "shuffle: there is no compartment 3: name 1 or 2"


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        (LockExit(), "this is a shuffler: lock or unlock the dealing shoe at its own port"),
        (UnlockExit(), "this is a shuffler: lock or unlock the dealing shoe at its own port"),
        (ClearError(3), "a shuffler clears its own errors once the cause has been removed"),
        (ListTags(), "a shuffler lists no tags: use an enrolment reader"),
    ],
)
def test_unsupported_commands_are_refused_with_advice(command: DeviceCommand, detail: str) -> None:
    table = Table()
    table.online()

    assert refused(table.send_command(command)) == detail


def test_set_polling_is_ignored() -> None:
    assert Table().send_command(SetPolling(closely=True)) == DriverOutput()


def test_an_event_is_mapped() -> None:
    happened = TableLinkEvent(4, 7, 1_000, BatchStarted(2, 41), None, None)

    assert map_report(happened) == (events.ShuffleStarted(2, 41),)


@pytest.mark.parametrize("known", [(1_795_255_200_000_000_000, 1_200_000), (None, None)])
def test_a_shuffle_has_its_end_time_and_uncertainty(
    known: tuple[int | None, int | None],
) -> None:
    receipt = ShuffleReceipt(
        device=b"SHUF0001",
        boot_id=7,
        boot_count=1,
        cycle=41,
        compartment=2,
        count=416,
        result=ShuffleCheckResult.GOOD,
        back="red",
        faces=b"",
        began_us=1_000,
        ended_us=2_000,
        image=bytes(32),
        version="1.0.0",
    )
    done = BatchDone(receipt, b"\xd2\x84", signed=True, genuine=True)

    (event,) = map_report(TableLinkEvent(4, 7, 2_000, done, *known))

    assert isinstance(event, events.ShuffleDone)
    assert (event.proof.ended_utc_ns, event.proof.uncertainty_ns) == known


def test_a_status_is_mapped() -> None:
    compartments = (CompartmentStatus(1, CompartmentPhase.STORED, 416, "red", 40),)
    status = DeviceStatus(DeviceMode.PLAY, False, compartments, 0, (), False)

    assert map_report(status) == (
        events.ShufflerStatus(
            ShufflerMode.PLAY, False, ((1, CompartmentState.STORED, 416, "red", 40),), 0, ()
        ),
    )


def test_an_answer_names_its_order() -> None:
    answered = RequestAnswer(
        TableLinkRequest(RequestType.RELEASE, 2),
        RequestStatus.REFUSED,
        message("in_its_own_words", foreign="not shuffled"),
        None,
    )

    assert in_words(map_report(answered)) == (
        CommandAnswered(
            "OrderShuffler",
            CommandOutcome.REFUSED,
            "release, compartment 2: refused: not shuffled",
        ),
    )


def test_device_events_are_passed_on() -> None:
    fault = DeviceFault(LinkFaultKind.NOISE, message("bytes_not_a_frame"))

    assert map_report(fault) == (fault,)


def test_its_state_can_be_stored() -> None:
    table = Table()
    table.online()

    with pytest.raises(AttributeError):
        table.state.life = table.driver.initial().life  # type: ignore[misc]
    assert {table.state: 1}[table.state] == 1
