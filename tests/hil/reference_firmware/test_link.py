"""The reference firmware on an emulated board and the program's own link, over real pyserial."""

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    EventsMissing,
    Happened,
    NotAdmitted,
    Order,
    Request,
    RequestStatus,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump
from hil.reference_firmware.build import Role
from hil.reference_firmware.qemu import EmulatedBoard

pytestmark = [
    pytest.mark.debian("qemu-system-arm", program="qemu-system-arm"),
    pytest.mark.debian("gcc-arm-none-eabi", program="arm-none-eabi-gcc"),
]

WAIT_S = 30.0
END_S_MAX = 10.0
NS_PER_S = 1_000_000_000
# Power may fail in the middle of a frame.
OF_THE_LINE = (LinkFaultKind.BAD_CHECKSUM, LinkFaultKind.MALFORMED, LinkFaultKind.LENGTH)

Kind = TypeVar("Kind")


@dataclass
class Program:
    """The link at a port, with a journal that is a list: what outlives the program."""

    link: TableLink
    state: TableLinkState
    items: list[Any]
    pump: PortPump
    waiting: "queue.Queue[PortEvent]"
    entropy: bytes = b""
    seen: int = field(init=False)

    def __post_init__(self) -> None:
        self.seen = len(self.items)

    def ask(self, order: Order, argument: int = 0) -> Answered:
        self._adopt(self.link.send(self.state, Request(order, argument), now()))
        return self.until(Answered)

    def until(self, kind: type[Kind], fits: Callable[[Any], bool] = lambda _: True) -> Kind:
        """The next item of that kind which was not seen yet; all before it count as seen."""
        deadline_ns = now().monotonic_ns + int(WAIT_S * NS_PER_S)
        while True:
            while self.seen < len(self.items):
                item = self.items[self.seen]
                self.seen += 1
                if isinstance(item, kind) and fits(item):
                    return item
            assert now().monotonic_ns < deadline_ns, f"no {kind.__name__} in {self.items}"
            self.step()

    def until_told(self, kind: type[Kind]) -> Kind:
        """The body of the next event of that kind."""
        body = self.until(Happened, lambda item: isinstance(item.body, kind)).body
        assert isinstance(body, kind)
        return body

    def step(self) -> None:
        """Take what came, or let a deadline pass."""
        due_ns = self.link.next_deadline_ns(self.state)
        left_ns = NS_PER_S if due_ns is None else due_ns - now().monotonic_ns
        try:
            event = self.waiting.get(timeout=max(0.001, min(left_ns, NS_PER_S) / NS_PER_S))
        except queue.Empty:
            self._adopt(self.link.tick(self.state, now()))
            return
        match event:
            case PortOpened():
                self.entropy = event.entropy
                self._adopt(self.link.opened(self.state, event.at, event.entropy))
            case Chunk():
                self._adopt(self.link.receive(self.state, event.data, event.at))
            case PortLost():
                self._adopt(self.link.closed(self.state, event.at))

    def _adopt(self, linked: Any) -> None:
        self.state, output = linked
        for data in output.at_once:
            self.pump.write(data, self.entropy)
        self.items += output.items
        for data in output.to_write:
            self.pump.write(data, self.entropy)


@contextmanager
def program(
    board: EmulatedBoard,
    before: Program | None = None,
    *,
    bare: bool = True,
    role: DeviceRole = DeviceRole.SHUFFLER,
) -> Iterator[Program]:
    """A program that starts, with what the one before it had stored."""
    link = TableLink(TableLinkSettings(role, Trust(bare=bare)))
    waiting: queue.Queue[PortEvent] = queue.Queue()
    pump = PortPump("shuffler", open_port(board.url, LineSettings(1_000_000)), waiting.put)
    state = link.initial() if before is None else before.state
    if before is not None:
        state, _ = link.closed(state, now())
    pump.start()
    try:
        yield Program(link, state, [] if before is None else before.items, pump, waiting)
    finally:
        pump.stop()
        assert pump.join(END_S_MAX)


@pytest.fixture
def board() -> Iterator[EmulatedBoard]:
    with EmulatedBoard(Role.SHUFFLER) as board:
        yield board


def happened(program: Program) -> list[Happened]:
    """All events; they came once each and in order, and none is missing."""
    found = [item for item in program.items if isinstance(item, Happened)]
    assert [item.number for item in found] == list(range(1, len(found) + 1))
    assert not [item for item in program.items if isinstance(item, EventsMissing | NotAdmitted)]
    faults = [item for item in program.items if isinstance(item, LinkFault)]
    assert not [fault for fault in faults if fault.kind not in OF_THE_LINE]
    return found


def count_of(program: Program, kind: type[Any]) -> int:
    return sum(isinstance(item.body, kind) for item in happened(program))


def shuffle_begins(board: EmulatedBoard, running: Program, pace_ms: int = 3_600_000) -> None:
    running.until(Admitted)
    board.stimulus(f"pace {pace_ms}")
    assert running.ask(Order.LOAD, 1).status is RequestStatus.DONE
    assert board.stimulus("put 1 416 red") == "ok"
    assert running.ask(Order.COUNT, 1).status is RequestStatus.DONE
    assert running.ask(Order.SHUFFLE, 1).status is RequestStatus.DONE


def test_a_batch_is_shuffled_stored_and_released(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running, pace_ms=50)
        proof = running.until_told(bodies.BatchDone)
        assert running.ask(Order.STORE, 1).status is RequestStatus.DONE
        assert running.ask(Order.RELEASE, 1).status is RequestStatus.DONE
        board.stimulus("take 1")
        running.until(
            Happened,
            lambda item: (
                isinstance(item.body, bodies.CompartmentTold)
                and item.body.holding is bodies.Holding.EMPTY
            ),
        )

        assert (proof.signed, proof.genuine) == (False, False)
        receipt = proof.receipt
        assert (receipt.device, receipt.compartment, receipt.cycle) == (b"SHUFFLER-BENCH", 1, 1)
        assert (receipt.count, receipt.back, receipt.result) == (416, "red", bodies.Verified.GOOD)
        assert len(receipt.image) == 32
        assert any(receipt.image)
        assert count_of(running, bodies.PowerUp) == 1


def test_a_status_is_understood(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running)

        told = running.ask(Order.STATUS).told

        assert told is not None
        first, second = told.compartments
        assert (first.holding, first.cards, first.back) == (bodies.Holding.SHUFFLING, 416, "red")
        assert (second.holding, second.cards) == (bodies.Holding.EMPTY, None)
        assert not told.gate_closed


def test_power_fails_in_mid_shuffle_and_the_abort_is_told_once(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running)
        running.until_told(bodies.BatchStarted)

        board.power_cycle()

        assert running.until_told(bodies.PowerUp).broken_off == (1,)
        assert running.until_told(bodies.BatchAborted).reason is bodies.Abort.POWER
        assert count_of(running, bodies.BatchStarted) == 1


def test_a_request_asked_of_a_board_that_hangs_is_done_once_when_it_goes_on(
    board: EmulatedBoard,
) -> None:
    with program(board) as running:
        running.until(Admitted)
        running.until_told(bodies.PowerUp)
        board.hang()
        running._adopt(running.link.send(running.state, Request(Order.LOAD, 1), now()))
        repeated_ns = now().monotonic_ns + NS_PER_S // 2  # it was sent again by then
        while now().monotonic_ns < repeated_ns:
            running.step()

        board.resume()

        assert running.until(Answered).status is RequestStatus.DONE
        running.until_told(bodies.CompartmentTold)
        assert count_of(running, bodies.CompartmentTold) == 1


def test_a_program_that_restarts_goes_on_where_it_had_stored(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
        first.until_told(bodies.BatchStarted)
    board.stimulus("jam 1")

    with program(board, first) as second:
        second.until(Admitted)
        assert second.until_told(bodies.BatchAborted).reason is bodies.Abort.JAM

        assert count_of(second, bodies.BatchStarted) == 1


def test_both_lose_power_at_once(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
    board.power_cycle()

    with program(board, first) as second:
        second.until_told(bodies.BatchAborted)

        assert count_of(second, bodies.BatchStarted) == 1
        assert count_of(second, bodies.PowerUp) == 2


def test_a_memory_that_was_lost_is_not_admitted(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
        first.until_told(bodies.BatchStarted)

    with EmulatedBoard(Role.SHUFFLER) as new, program(new, first) as second:
        assert second.until(NotAdmitted).rolled_back


def test_a_bare_device_is_let_in_only_where_that_is_allowed(board: EmulatedBoard) -> None:
    with program(board, bare=False) as running:
        assert "no device is paired" in running.until(NotAdmitted).why


def test_a_shoe_tells_its_cards_and_is_locked_and_unlocked() -> None:
    with EmulatedBoard(Role.SHOE) as shoe, program(shoe, role=DeviceRole.SHOE) as running:
        running.until(Admitted)
        running.until_told(bodies.PowerUp)
        assert shoe.stimulus("card e0040150a05f02b7 2305") == "ok"
        tag = bytes.fromhex("e0040150a05f02b7")
        assert running.until_told(bodies.CardOut) == bodies.CardOut(tag, rank=9, suit=1)

        assert running.ask(Order.LOCK).status is RequestStatus.DONE
        assert shoe.stimulus("card - 257") == "refused: the shoe is locked"
        assert running.ask(Order.UNLOCK).status is RequestStatus.DONE
        assert shoe.stimulus("cut") == "ok"

        running.until_told(bodies.CutCard)
        assert count_of(running, bodies.CardOut) == 1


def test_a_shoe_is_not_let_in_where_a_shuffler_belongs() -> None:
    with EmulatedBoard(Role.SHOE) as shoe, program(shoe) as running:
        assert "a shuffler belongs at this port" in running.until(NotAdmitted).why
