"""The reference shuffler as a native program under sanitizers: compartments, shuffles."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import cbor2
import pytest

from hil.reference_firmware.build import FirmwareRole
from hil.reference_firmware.native import NativeDevice

pytestmark = pytest.mark.needs("gcc")

LINK, EVENT = 0, 1
LOAD, COUNT, SHUFFLE, STORE, RELEASE, STATUS, SELF_TEST, ABORT, MODE = range(1, 10)
DONE, REFUSED = 0, 1
JAM, STARTED, FINISHED, ABORTED, SELF_TESTED, POWER_UP = 9, 10, 11, 12, 13, 14
COMPARTMENT, MODE_TOLD, WARNING, RESIDUAL, LID = 20, 21, 22, 23, 8
RING = 40
SHUFFLING, SHUFFLED, STORED, HELD = 3, 4, 5, 7


class Table:
    """A shuffler with a host that uses the next request id and receives every event once."""

    def __init__(self, device: NativeDevice, host: Callable[[socket.socket], Any]) -> None:
        self.device = device
        self._make = host
        self._host = host(device.line)
        self._host.hello(1)
        self._id = 0
        self._stored = 0
        self.new_events()

    def ask(self, request: int, argument: int = 0) -> Any:
        self._id += 1
        return self._host.ask(request, argument, id=self._id)

    def execute(self, *requests: int) -> None:
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
        self.execute(SHUFFLE)
        self.device.tick(200)
        self.execute(STORE)
        self.new_events()

    def counted(self) -> None:
        self.execute(LOAD)
        self.put()
        self.execute(COUNT)

    def shuffling(self) -> None:
        """A shuffle is under way that will take an hour."""
        self.counted()
        self.device.stimulus("pace 3600000")
        self.execute(SHUFFLE)
        self.new_events()

    def new_events(self) -> list[tuple[int, Any]]:
        """Kind and body of every event since the last time."""
        self._host.hello(self._host.unused_session(), self._stored)
        reported_events = []
        while True:
            self.device.tick(0)
            received = [frame for frame in self._host.waiting() if frame.channel == EVENT]
            if not received:
                return reported_events
            for frame in received:
                if frame.seq == self._stored + 1:
                    self._stored += 1
                    reported_events.append((frame.body[4], frame.body[5]))
            self._host.send_frame(LINK, 3, ack=self._stored)

    def power_cycle(self) -> None:
        self.device.power_cycle()
        self._host = self._make(self.device.line)


@pytest.fixture
def table(host: Callable[[socket.socket], Any]) -> Iterator[Table]:
    with NativeDevice(FirmwareRole.SHUFFLER, ring_places=RING) as device:
        yield Table(device, host)


def state(number: int, **known: Any) -> tuple[int, Any]:
    body: dict[int, Any] = {1: 1, 2: number}
    return COMPARTMENT, body | ({3: 416, 4: "red"} if known.get("counted", True) else {})


def test_a_batch_goes_through_all_its_stages(table: Table) -> None:
    table.counted()
    table.device.stimulus("pace 100")
    table.execute(SHUFFLE)
    table.device.tick(200)
    table.execute(STORE, RELEASE)
    assert table.device.stimulus("take 1") == "ok"

    reported_events = table.new_events()

    (done,) = [body for kind, body in reported_events if kind == FINISHED]
    assert [each for each in reported_events if each[0] != FINISHED] == [
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

    ((_, done), _) = table.new_events()
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


def test_an_uncounted_card_holds_the_batch(table: Table) -> None:
    table.shuffling()
    table.device.stimulus("slip 1 1")
    table.device.stimulus("pace 100")
    table.device.tick(200)

    (_, done), (_, reported_events) = table.new_events()

    receipt = cbor2.loads(done[1])
    assert (receipt[5], receipt[6]) == (415, 2)
    assert reported_events == {1: 1, 2: HELD, 3: 415, 4: "red"}


@pytest.mark.parametrize(
    ("stimulus", "reason"), [("jam 1", 1), ("door open", 3), ("door open 1", 3)]
)
def test_a_fault_aborts_a_shuffle(table: Table, stimulus: str, reason: int) -> None:
    table.shuffling()

    table.device.stimulus(stimulus)

    assert table.new_events()[1:] == [(ABORTED, {1: 1, 2: 1, 3: reason}), state(HELD)]


def test_the_door_of_the_other_compartment_aborts_nothing(table: Table) -> None:
    table.shuffling()

    table.device.stimulus("door open 2")

    assert table.new_events() == [(LID, {1: True, 2: 2})]


@pytest.mark.parametrize("compartment", [0, 1])
def test_a_person_may_abort_a_shuffle(table: Table, compartment: int) -> None:
    table.shuffling()

    assert table.ask(ABORT, compartment) == {1: DONE}

    assert table.new_events() == [(ABORTED, {1: 1, 2: 1, 3: 4}), state(HELD)]
    assert table.refuses(ABORT, compartment) == "no shuffle is under way"


def test_a_power_cut_during_a_shuffle_is_reported(table: Table) -> None:
    table.shuffling()

    table.power_cycle()

    assert table.new_events() == [
        (POWER_UP, {1: 2, 2: 0b01}),
        (ABORTED, {1: 1, 2: 1, 3: 2}),
        state(HELD),
    ]


def test_a_stored_batch_survives_a_power_cut(table: Table) -> None:
    table.stored()

    table.power_cycle()

    assert table.new_events() == [(POWER_UP, {1: 2, 2: 0})]
    table.execute(RELEASE)


def test_a_held_batch_starts_again_with_a_count(table: Table) -> None:
    table.shuffling()
    table.device.stimulus("jam 1")
    assert table.refuses(COUNT) == "the compartment is jammed"
    table.device.stimulus("unjam 1")
    assert table.refuses(SHUFFLE) == "only a counted batch is shuffled"

    table.execute(COUNT, SHUFFLE)

    assert (STARTED, {1: 1, 2: 2}) in table.new_events()  # cycles are never reused


@pytest.mark.parametrize("stimulus", ["door open", "door open 1"])
def test_a_stored_batch_that_was_touched_is_held(table: Table, stimulus: str) -> None:
    table.stored()

    table.device.stimulus(stimulus)

    assert table.new_events()[-1] == state(HELD)


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_shuffles_outside_mode_play_are_held(table: Table, mode: int) -> None:
    table.stored()

    assert table.ask(MODE, mode) == {1: DONE}

    assert table.new_events() == [(MODE_TOLD, {1: mode}), state(HELD)]
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
def test_no_operation_starts_during_a_fault(table: Table, stimulus: str, why: str) -> None:
    table.counted()
    assert table.device.stimulus(stimulus) == "ok"

    assert table.refuses(SHUFFLE) == why


@pytest.mark.parametrize(
    ("stimulus", "reported_events"),
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
def test_sensor_readings_are_reported(
    table: Table, stimulus: str, reported_events: tuple[int, Any]
) -> None:
    assert table.device.stimulus(stimulus) == "ok"

    assert table.new_events() == [reported_events]


@pytest.mark.parametrize(
    ("request_type", "why"),
    [
        (COUNT, "only what was loaded or is held is counted"),
        (SHUFFLE, "only a counted batch is shuffled"),
        (STORE, "only a shuffled batch is stored"),
        (RELEASE, "only a stored batch is released"),
    ],
)
def test_no_stage_can_be_skipped(table: Table, request_type: int, why: str) -> None:
    assert table.refuses(request_type) == why


@pytest.mark.parametrize("compartment", [0, 3, 2**63])
def test_there_are_two_compartments(table: Table, compartment: int) -> None:
    assert table.refuses(LOAD, compartment) == "compartments are 1 and 2"


def test_cards_cannot_be_taken_from_a_stored_batch(table: Table) -> None:
    table.stored()

    assert table.device.stimulus("take 1") == "refused: the compartment is locked"


def test_a_silent_host_pauses_a_shuffle_until_it_returns(table: Table) -> None:
    table.counted()
    table.device.stimulus("pace 5000")
    table.execute(SHUFFLE)
    table.new_events()

    table.device.tick(60_000)
    assert table.device.stimulus("outputs") == "ok outputs 0"
    assert table.new_events() == []
    table.device.tick(1_500)

    assert [kind for kind, _ in table.new_events()] == [FINISHED, COMPARTMENT]


def test_a_self_test_reads_its_memory(table: Table) -> None:
    assert table.ask(SELF_TEST) == {1: DONE}

    assert table.new_events() == [(SELF_TESTED, {1: True, 2: "memory is whole"})]


def test_panel_buttons_have_the_same_effect(table: Table) -> None:
    assert table.device.stimulus("press load 1") == "ok"
    table.put()
    assert table.device.stimulus("press count 1") == "ok"
    assert table.device.stimulus("press store 1") == "refused: only a shuffled batch is stored"

    assert table.new_events() == [state(1, counted=False), state(2)]
