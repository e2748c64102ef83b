"""The table's orders as requests of a TableLink shuffler, and its answers in words."""

import pytest

from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.shufflers.tablelink_orders import answer_of, named, request_of
from firmware_bridge.tablelink.items import Answered, Order, Request, RequestStatus

OF_A_COMPARTMENT = {
    ShufflerOrder.LOAD: Order.LOAD,
    ShufflerOrder.COUNT: Order.COUNT,
    ShufflerOrder.SHUFFLE: Order.SHUFFLE,
    ShufflerOrder.STORE: Order.STORE,
    ShufflerOrder.RELEASE: Order.RELEASE,
}
OF_THE_WHOLE = {
    ShufflerOrder.STATUS: Request(Order.STATUS, 0),
    ShufflerOrder.SELF_TEST: Request(Order.SELF_TEST, 0),
    ShufflerOrder.PLAY: Request(Order.MODE, 0),
    ShufflerOrder.SERVICE: Request(Order.MODE, 1),
    ShufflerOrder.SORT: Request(Order.MODE, 2),
}


def test_every_order_is_one_of_these() -> None:
    assert {*OF_A_COMPARTMENT, *OF_THE_WHOLE, ShufflerOrder.ABORT} == set(ShufflerOrder)


@pytest.mark.parametrize("order", OF_A_COMPARTMENT)
@pytest.mark.parametrize("compartment", [1, 2])
def test_an_order_for_a_compartment(order: ShufflerOrder, compartment: int) -> None:
    request = Request(OF_A_COMPARTMENT[order], compartment)

    assert request_of(OrderShuffler(order, compartment)) == request
    assert named(request) == f"{order.value}, compartment {compartment}"


@pytest.mark.parametrize("order", OF_A_COMPARTMENT)
@pytest.mark.parametrize("compartment", [-1, 0, 3, 2**32])
def test_an_order_for_a_compartment_that_is_none(order: ShufflerOrder, compartment: int) -> None:
    refusal = f"there is no compartment {compartment}: name 1 or 2"

    assert request_of(OrderShuffler(order, compartment)) == refusal


@pytest.mark.parametrize("order", OF_THE_WHOLE)
def test_an_order_for_the_whole_shuffler(order: ShufflerOrder) -> None:
    assert request_of(OrderShuffler(order)) == OF_THE_WHOLE[order]
    assert named(OF_THE_WHOLE[order]) == order.value


@pytest.mark.parametrize("order", OF_THE_WHOLE)
def test_an_order_for_the_whole_shuffler_names_no_compartment(order: ShufflerOrder) -> None:
    refusal = f"{order.value} concerns the whole shuffler: name no compartment"

    assert request_of(OrderShuffler(order, 1)) == refusal


@pytest.mark.parametrize(
    ("compartment", "words"),
    [(0, "all compartments"), (1, "compartment 1"), (2, "compartment 2")],
)
def test_one_shuffle_or_all_can_be_broken_off(compartment: int, words: str) -> None:
    request = Request(Order.ABORT, compartment)

    assert request_of(OrderShuffler(ShufflerOrder.ABORT, compartment)) == request
    assert named(request) == f"abort, {words}"


def test_nothing_is_broken_off_in_a_compartment_that_is_none() -> None:
    assert request_of(OrderShuffler(ShufflerOrder.ABORT, 3)) == (
        "there is no compartment 3: name 1 or 2, or 0 to break off all that is under way"
    )


@pytest.mark.parametrize(
    ("status", "outcome", "words"),
    [
        (RequestStatus.DONE, CommandOutcome.DONE, "done, or begun where it takes time"),
        (RequestStatus.REFUSED, CommandOutcome.REFUSED, "refused: door open"),
        (
            RequestStatus.UNKNOWN,
            CommandOutcome.REFUSED,
            "the shuffler does not know this order",
        ),
        (RequestStatus.FAILED, CommandOutcome.REFUSED, "failed: motor 2?"),
        (None, CommandOutcome.NO_ANSWER, "no answer came"),
    ],
)
def test_what_became_of_an_order(
    status: RequestStatus | None, outcome: CommandOutcome, words: str
) -> None:
    said = {RequestStatus.REFUSED: "door open", RequestStatus.FAILED: "motor 2\x07"}
    detail = "" if status is None else said.get(status, "")

    answer = answer_of(Answered(Request(Order.SHUFFLE, 1), status, detail, None))

    assert answer == CommandAnswered("OrderShuffler", outcome, f"shuffle, compartment 1: {words}")
