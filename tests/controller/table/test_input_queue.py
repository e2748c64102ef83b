"""The queue: bounded in inputs and in each port's bytes, in order, closed within its time."""

import threading

import pytest

from controller.core.tape.inputs import NotJudged, Tick
from controller.table.loop import AwaitedInput, InputQueue, TableInput, UnstoredInputs
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp

PORT = "/dev/ttyUSB0"


def at(second: int) -> Timestamp:
    return Timestamp(second * 1_000_000_000, second * 1_000_000_000)


def retried(culprit: TableInput, *others: TableInput) -> list[TableInput]:
    """What is retried after an error at the first of these inputs, at an open port."""
    inputs = UnstoredInputs()
    inputs.add([PortOpened(PORT, at(1), bytes(32))])
    inputs.mark_stored()
    inputs.add([culprit, *others])

    def judge() -> None:
        for item, _awaited in inputs.each([culprit, *others]):
            assert item is not culprit

    with pytest.raises(AssertionError):
        judge()
    inputs.retry_others()
    return inputs.take_retries()


def test_bytes_that_were_not_judged_are_noted_in_their_place() -> None:
    failed, after = Chunk(PORT, at(2), b"bytes"), Chunk(PORT, at(3), b"more")

    assert retried(failed, after) == [NotJudged(at(2), PORT, b"bytes"), after]


def test_in_the_place_of_dropped_bytes_their_port_is_opened_again() -> None:
    """A whole cycle of reports may be in them: the next number alone would not show it."""
    failed, after = NotJudged(at(2), PORT, b"bytes"), Chunk(PORT, at(3), b"more")

    assert retried(failed, after) == [PortOpened(PORT, at(2), bytes(32)), after]


START = Timestamp(1, 1)
SHOE, SCANNER = "socket://shoe:4001", "/dev/hidraw0"
# Who waits so long waits for ever: a test that must not wait fails by its time limit.
FOR_EVER_S = 3600.0
AT_ONCE_S = 0.0


class TestClock:
    """A clock that a test sets."""

    __test__ = False

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> Timestamp:
        return self.at

    def later(self, ns: int) -> None:
        self.at = Timestamp(self.at.monotonic_ns + ns, self.at.utc_ns + ns)


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def waiting(clock: TestClock) -> InputQueue:
    return InputQueue(clock)


def chunk(size: int, port: str = SHOE) -> Chunk:
    return Chunk(port, START, bytes(size))


def fill(queue: InputQueue, port: str = SHOE) -> None:
    while queue.put(chunk(4096, port), AT_ONCE_S):
        pass


def in_thread(what) -> threading.Thread:
    thread = threading.Thread(target=what)
    thread.start()
    return thread


def test_inputs_are_taken_in_the_order_of_putting(waiting: InputQueue) -> None:
    items = [Tick(START), chunk(3), chunk(5, SCANNER), Tick(START)]
    for item in items:
        waiting.put(item)

    assert waiting.take(AT_ONCE_S) == items
    assert waiting.take(AT_ONCE_S) == []


def test_a_flooding_port_waits_at_its_bytes(waiting: InputQueue) -> None:
    fill(waiting)

    assert waiting.bytes_of(SHOE) == InputQueue.PORT_BYTES_MAX
    assert not waiting.put(chunk(1), AT_ONCE_S)


def test_a_flooding_port_keeps_no_other_input_out(waiting: InputQueue) -> None:
    fill(waiting)

    assert waiting.put(chunk(9, SCANNER), AT_ONCE_S)
    assert waiting.put(AwaitedInput(Tick(START)), AT_ONCE_S)


def test_a_chunk_larger_than_the_bound_is_accepted_alone(waiting: InputQueue) -> None:
    assert waiting.put(chunk(InputQueue.PORT_BYTES_MAX + 1), AT_ONCE_S)
    assert not waiting.put(chunk(1), AT_ONCE_S)


def test_a_port_that_waits_is_read_on_once_its_bytes_are_taken(waiting: InputQueue) -> None:
    fill(waiting)
    putting = in_thread(lambda: waiting.put(chunk(4096)))
    waiting.take(AT_ONCE_S)
    putting.join()

    assert waiting.bytes_of(SHOE) == InputQueue.PORT_BYTES_MAX


def test_a_batch_is_bounded_in_bytes(waiting: InputQueue) -> None:
    fill(waiting)

    batch = waiting.take(AT_ONCE_S)

    assert sum(len(one.data) for one in batch) == InputQueue.BATCH_BYTES_MAX


def test_a_batch_is_bounded_in_inputs(waiting: InputQueue) -> None:
    for _ in range(InputQueue.BATCH_INPUTS_MAX + 1):
        waiting.put(Tick(START))

    assert len(waiting.take(AT_ONCE_S)) == InputQueue.BATCH_INPUTS_MAX
    assert len(waiting) == 1


def test_a_probe_waits_behind_no_input(waiting: InputQueue) -> None:
    fill(waiting)
    answers: list[bool] = []
    probing = in_thread(lambda: answers.append(waiting.probe(FOR_EVER_S)))
    while probing.is_alive():
        waiting.take(AT_ONCE_S)
        fill(waiting)

    assert answers == [True]


def test_a_probe_wakes_a_loop_that_waits(waiting: InputQueue) -> None:
    taken: list[object] = []
    loop = in_thread(lambda: taken.append(waiting.take(FOR_EVER_S)))

    assert waiting.probe(FOR_EVER_S)
    loop.join()
    assert taken == [[]]


def test_a_probe_that_nobody_answers_fails(waiting: InputQueue) -> None:
    assert not waiting.probe(AT_ONCE_S)


def test_a_closed_queue_accepts_nothing(waiting: InputQueue) -> None:
    waiting.close()

    assert not waiting.put(Tick(START))
    assert not waiting.probe(FOR_EVER_S)


def test_closing_wakes_a_port_that_waits(waiting: InputQueue) -> None:
    fill(waiting)
    answers: list[bool] = []
    putting = in_thread(lambda: answers.append(waiting.put(chunk(1))))
    waiting.close()
    putting.join()

    assert answers == [False]


def test_closing_wakes_a_loop_that_waits(waiting: InputQueue) -> None:
    loop = in_thread(lambda: waiting.take(FOR_EVER_S))
    waiting.close()
    loop.join()

    assert waiting.is_finished


def test_what_waits_at_the_close_can_still_be_taken(waiting: InputQueue) -> None:
    waiting.put(Tick(START))
    waiting.close()

    assert not waiting.is_finished
    assert waiting.take(FOR_EVER_S) == [Tick(START)]
    assert waiting.is_finished


def test_a_flood_delays_the_end_by_half_a_second_at_most(
    waiting: InputQueue, clock: TestClock
) -> None:
    fill(waiting)
    waiting.close()
    clock.later(InputQueue.DRAIN_NS - 1)
    assert not waiting.is_finished

    clock.later(1)
    waiting.close()

    assert waiting.is_finished
    assert waiting.drop_all() == InputQueue.PORT_BYTES_MAX
    assert (len(waiting), waiting.bytes_of(SHOE)) == (0, 0)


def test_dropping_wakes_a_person_who_waits(waiting: InputQueue) -> None:
    awaited = AwaitedInput(Tick(START))
    waiting.put(awaited)

    assert waiting.drop_all() == 0
    assert (awaited.done.is_set(), awaited.stored) == (True, False)


def test_dropping_answers_a_probe(waiting: InputQueue) -> None:
    answers: list[bool] = []
    probing = in_thread(lambda: answers.append(waiting.probe(FOR_EVER_S)))
    while not waiting._probes:
        pass
    waiting.drop_all()
    probing.join()

    assert answers == [True]


def test_a_chunk_longer_than_a_batch_is_taken_in_pieces(clock: TestClock) -> None:
    queue = InputQueue(clock, batch_bytes=64)
    whole = Chunk(SHOE, START, bytes(range(150)), waited_ns=7)
    queue.put(whole)
    queue.put(Tick(START))

    taken = [queue.take(AT_ONCE_S) for _ in range(3)]

    first, second, last = (batch[0] for batch in taken)
    assert [one.data for one in (first, second, last)] == [
        *(whole.data[:64], whole.data[64:128], whole.data[128:])
    ]
    assert {(one.port, one.at, one.waited_ns) for one in (first, second, last)} == {
        (SHOE, START, 7)
    }
    assert taken[2][1:] == [Tick(START)]
    assert queue.bytes_of(SHOE) == 0


def test_what_waits_of_a_piece_still_fills_its_port(clock: TestClock) -> None:
    queue = InputQueue(clock, batch_bytes=64)
    fill(queue)
    queue.take(AT_ONCE_S)

    assert queue.bytes_of(SHOE) == InputQueue.PORT_BYTES_MAX - 64
    assert not queue.put(chunk(4096), AT_ONCE_S)
    assert queue.drop_all() == InputQueue.PORT_BYTES_MAX - 64


def test_a_rest_ends_with_a_close(waiting: InputQueue) -> None:
    resting = in_thread(lambda: waiting.rest(FOR_EVER_S))
    waiting.close()
    resting.join()
