"""The reference shuffler as a native program under sanitizers: its compartments and shuffles."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import cbor2
import pytest

from hil.reference_firmware.build import Role
from hil.reference_firmware.native import NativeDevice

pytestmark = pytest.mark.debian("gcc", program="gcc")

LINK, EVENT = 0, 1
LOAD, COUNT, SHUFFLE, STORE, RELEASE, STATUS, SELF_TEST, ABORT, MODE = range(1, 10)
DONE, REFUSED = 0, 1
JAM, STARTED, FINISHED, ABORTED, SELF_TESTED, POWER_UP = 9, 10, 11, 12, 13, 14
COMPARTMENT, MODE_TOLD, WARNING, RESIDUAL, LID = 20, 21, 22, 23, 8
RING = 40
SHUFFLING, SHUFFLED, STORED, HELD = 3, 4, 5, 7


class Table:
    """A shuffler with its host, who asks with the next id and hears every event once."""

    def __init__(self, device: NativeDevice, host: Callable[[socket.socket], Any]) -> None:
        self.device = device
        self._make = host
        self._host = host(device.line)
        self._host.hello(1)
        self._id = 0
        self._stored = 0
        self.happened()

    def ask(self, request: int, argument: int = 0) -> Any:
        self._id += 1
        return self._host.ask(request, argument, id=self._id)

    def does(self, *requests: int) -> None:
        for request in requests:
            assert self.ask(request, 1) == {1: DONE}

    def refuses(self, request: int, argument: int = 1) -> str:
        answer = self.ask(request, argument)
        assert answer[1] == REFUSED
        return str(answer[2])

    def put(self) -> None:
        assert self.device.stimulus("put 1 416 red") == "ok"

    def stored(self) -> None:
        """A shuffled batch is stored in compartment 1."""
        self.counted()
        self.device.stimulus("pace 100")
        self.does(SHUFFLE)
        self.device.tick(200)
        self.does(STORE)
        self.happened()

    def counted(self) -> None:
        self.does(LOAD)
        self.put()
        self.does(COUNT)

    def shuffling(self) -> None:
        """A shuffle is under way that will take an hour."""
        self.counted()
        self.device.stimulus("pace 3600000")
        self.does(SHUFFLE)
        self.happened()

    def happened(self) -> list[tuple[int, Any]]:
        """Kind and body of every event since the last time."""
        self._host.hello(self._host.unused_session(), self._stored)
        told = []
        while True:
            self.device.tick(0)
            heard = [frame for frame in self._host.waiting() if frame.channel == EVENT]
            if not heard:
                return told
            for frame in heard:
                if frame.seq == self._stored + 1:
                    self._stored += 1
                    told.append((frame.body[4], frame.body[5]))
            self._host.say(LINK, 3, ack=self._stored)

    def power_cycle(self) -> None:
        self.device.power_cycle()
        self._host = self._make(self.device.line)


@pytest.fixture
def table(host: Callable[[socket.socket], Any]) -> Iterator[Table]:
    with NativeDevice(Role.SHUFFLER, ring_places=RING) as device:
        yield Table(device, host)


def state(number: int, **known: Any) -> tuple[int, Any]:
    body: dict[int, Any] = {1: 1, 2: number}
    return COMPARTMENT, body | ({3: 416, 4: "red"} if known.get("counted", True) else {})


def test_a_batch_goes_its_way_round(table: Table) -> None:
    table.counted()
    table.device.stimulus("pace 100")
    table.does(SHUFFLE)
    table.device.tick(200)
    table.does(STORE, RELEASE)
    assert table.device.stimulus("take 1") == "ok"

    told = table.happened()

    (done,) = [body for kind, body in told if kind == FINISHED]
    assert [each for each in told if each[0] != FINISHED] == [
        state(1, counted=False),
        state(2),
        (STARTED, {1: 1, 2: 1}),
        state(SHUFFLING),
        state(SHUFFLED),
        state(STORED),
        state(6),
        state(0, counted=False),
    ]
    assert done[2] is False


def test_a_receipt_states_the_shuffle(table: Table) -> None:
    table.shuffling()
    table.device.stimulus("pace 100")
    table.device.tick(200)

    ((_, done), _) = table.happened()
    receipt = cbor2.loads(done[1])

    began, ended = receipt.pop(9), receipt.pop(10)
    assert ended - began >= 100_000
    boot_id = receipt.pop(2)
    assert boot_id > 0
    assert {key: receipt.pop(key) for key in (1, 11, 12, 13)} == {
        1: b"SHUFFLER-BENCH",
        11: bytes(32),
        12: "1.0.0",
        13: 1,
    }
    assert receipt == {3: 1, 4: 1, 5: 416, 6: 1, 7: "red"}


def test_a_card_that_slips_past_the_counter_holds_the_batch(table: Table) -> None:
    table.shuffling()
    table.device.stimulus("slip 1 1")
    table.device.stimulus("pace 100")
    table.device.tick(200)

    (_, done), (_, told) = table.happened()

    receipt = cbor2.loads(done[1])
    assert (receipt[5], receipt[6]) == (415, 2)
    assert told == {1: 1, 2: HELD, 3: 415, 4: "red"}


@pytest.mark.parametrize(
    ("stimulus", "reason"), [("jam 1", 1), ("door open", 3), ("door open 1", 3)]
)
def test_what_goes_wrong_breaks_a_shuffle_off(table: Table, stimulus: str, reason: int) -> None:
    table.shuffling()

    table.device.stimulus(stimulus)

    assert table.happened()[1:] == [(ABORTED, {1: 1, 2: 1, 3: reason}), state(HELD)]


def test_the_other_compartments_door_breaks_nothing_off(table: Table) -> None:
    table.shuffling()

    table.device.stimulus("door open 2")

    assert table.happened() == [(LID, {1: True, 2: 2})]


@pytest.mark.parametrize("compartment", [0, 1])
def test_a_person_may_break_it_off(table: Table, compartment: int) -> None:
    table.shuffling()

    assert table.ask(ABORT, compartment) == {1: DONE}

    assert table.happened() == [(ABORTED, {1: 1, 2: 1, 3: 4}), state(HELD)]
    assert table.refuses(ABORT, compartment) == "no shuffle is under way"


def test_a_power_cut_in_mid_shuffle_is_told(table: Table) -> None:
    table.shuffling()

    table.power_cycle()

    assert table.happened() == [
        (POWER_UP, {1: 2, 2: 0b01}),
        (ABORTED, {1: 1, 2: 1, 3: 2}),
        state(HELD),
    ]


def test_a_stored_batch_outlives_a_power_cut(table: Table) -> None:
    table.stored()

    table.power_cycle()

    assert table.happened() == [(POWER_UP, {1: 2, 2: 0})]
    table.does(RELEASE)


def test_a_held_batch_begins_anew_by_being_counted(table: Table) -> None:
    table.shuffling()
    table.device.stimulus("jam 1")
    assert table.refuses(COUNT) == "the compartment is jammed"
    table.device.stimulus("unjam 1")
    assert table.refuses(SHUFFLE) == "only a counted batch is shuffled"

    table.does(COUNT, SHUFFLE)

    assert (STARTED, {1: 1, 2: 2}) in table.happened()  # cycles are never reused


@pytest.mark.parametrize("stimulus", ["door open", "door open 1"])
def test_a_stored_batch_that_was_touched_is_held(table: Table, stimulus: str) -> None:
    table.stored()

    table.device.stimulus(stimulus)

    assert table.happened()[-1] == state(HELD)


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_out_of_play_nothing_that_was_shuffled_counts(table: Table, mode: int) -> None:
    table.stored()

    assert table.ask(MODE, mode) == {1: DONE}

    assert table.happened() == [(MODE_TOLD, {1: mode}), state(HELD)]
    assert table.refuses(RELEASE) == "the device is not in play mode"


@pytest.mark.parametrize(
    ("stimulus", "why"),
    [
        ("warn 17 fan", "a warning is active"),
        ("door open", "the lid is open"),
        ("door open 1", "the compartment is open"),
        ("jam 1", "the compartment is jammed"),
        ("residual 2 3", "cards are left where none may be"),
    ],
)
def test_nothing_begins_while_something_is_wrong(table: Table, stimulus: str, why: str) -> None:
    table.counted()
    assert table.device.stimulus(stimulus) == "ok"

    assert table.refuses(SHUFFLE) == why


@pytest.mark.parametrize(
    ("stimulus", "told"),
    [
        ("warn 17 fan", (WARNING, {1: 17, 2: "fan", 3: True})),
        ("unwarn 17", (WARNING, {1: 17, 2: "", 3: False})),
        ("residual 2 3", (RESIDUAL, {1: 3, 2: 2})),
        ("jam 2", (JAM, {1: 2, 2: False})),
        ("unjam 2", (JAM, {1: 2, 2: True})),
        ("door close 1", (LID, {1: False, 2: 1})),
        ("tamper case", (15, {1: "case"})),
    ],
)
def test_what_sensors_see_is_told(table: Table, stimulus: str, told: tuple[int, Any]) -> None:
    assert table.device.stimulus(stimulus) == "ok"

    assert table.happened() == [told]


@pytest.mark.parametrize(
    ("request_type", "why"),
    [
        (COUNT, "only what was loaded or is held is counted"),
        (SHUFFLE, "only a counted batch is shuffled"),
        (STORE, "only a shuffled batch is stored"),
        (RELEASE, "only a stored batch is released"),
    ],
)
def test_no_step_is_left_out(table: Table, request_type: int, why: str) -> None:
    assert table.refuses(request_type) == why


@pytest.mark.parametrize("compartment", [0, 3, 2**63])
def test_there_are_two_compartments(table: Table, compartment: int) -> None:
    assert table.refuses(LOAD, compartment) == "compartments are 1 and 2"


def test_cards_cannot_be_taken_from_a_stored_batch(table: Table) -> None:
    table.stored()

    assert table.device.stimulus("take 1") == "refused: the compartment is locked"


def test_a_silent_host_stops_a_shuffle_until_it_is_heard_again(table: Table) -> None:
    table.counted()
    table.device.stimulus("pace 5000")
    table.does(SHUFFLE)
    table.happened()

    table.device.tick(60_000)
    assert table.device.stimulus("outputs") == "ok outputs 0"
    assert table.happened() == []
    table.device.tick(1_500)

    assert [kind for kind, _ in table.happened()] == [FINISHED, COMPARTMENT]


def test_a_self_test_reads_its_memory(table: Table) -> None:
    assert table.ask(SELF_TEST) == {1: DONE}

    assert table.happened() == [(SELF_TESTED, {1: True, 2: "memory is whole"})]


def test_keys_of_the_panel_do_the_same(table: Table) -> None:
    assert table.device.stimulus("press load 1") == "ok"
    table.put()
    assert table.device.stimulus("press count 1") == "ok"
    assert table.device.stimulus("press store 1") == "refused: only a shuffled batch is stored"

    assert table.happened() == [state(1, counted=False), state(2)]
