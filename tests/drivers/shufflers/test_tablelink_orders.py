"""Tests the mapping of shuffler orders to TableLink requests, and of their answers."""

import pytest
from in_words import in_words

from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.shufflers.tablelink_orders import answer_of, order_name, request_of
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from foundation.message import message

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
