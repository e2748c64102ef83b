"""The reference firmware on an emulated board and the program's link over real pyserial."""

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from controller.system.messages.catalogue import to_words
from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceNotAdmitted,
    EventsMissing,
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump
from hil.progress import Patience
from hil.reference_firmware.build import FirmwareRole
from hil.reference_firmware.qemu import EmulatedBoard

pytestmark = [
    pytest.mark.needs("qemu-system-arm"),
    pytest.mark.needs("gcc-arm-none-eabi"),
]

NS_PER_S = 1_000_000_000
# Power may fail in the middle of a frame.
OF_THE_LINE = (LinkFaultKind.BAD_CHECKSUM, LinkFaultKind.MALFORMED, LinkFaultKind.LENGTH)

Kind = TypeVar("Kind")


@dataclass
class Program:
    """The link at a port, with a list as journal, which survives a restart."""

    link: TableLink
    state: TableLinkState
    items: list[Any]
    pump: PortPump
    waiting: "queue.Queue[PortEvent]"
    entropy: bytes = b""
    read_count: int = field(init=False)

    def __post_init__(self) -> None:
        self.read_count = len(self.items)

    def ask(self, order: RequestType, argument: int = 0) -> RequestAnswer:
        self._adopt(self.link.send(self.state, TableLinkRequest(order, argument), now()))
        return self.until(RequestAnswer)

    def until(self, kind: type[Kind], fits: Callable[[Any], bool] = lambda _: True) -> Kind:
        """The next new item of that type; all items before it are skipped."""
        patience = Patience(progress=lambda: len(self.items))
        while True:
            while self.read_count < len(self.items):
                item = self.items[self.read_count]
                self.read_count += 1
                if isinstance(item, kind) and fits(item):
                    return item
            patience.check(f"no {kind.__name__} in {self.items}")
            self.step()

    def until_event(self, kind: type[Kind]) -> Kind:
        """The body of the next event of that kind."""
        body = self.until(TableLinkEvent, lambda item: isinstance(item.body, kind)).body
        assert isinstance(body, kind)
        return body

    def step(self) -> None:
        """Process received bytes, or a deadline."""
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
    """Start a program, with the stored state of the previous one."""
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
        assert pump.join()


@pytest.fixture
def board() -> Iterator[EmulatedBoard]:
    with EmulatedBoard(FirmwareRole.SHUFFLER) as board:
        yield board


def event_numbers(program: Program) -> list[TableLinkEvent]:
    """All events, after checking that they came once each and in order."""
    found = [item for item in program.items if isinstance(item, TableLinkEvent)]
    assert [item.number for item in found] == list(range(1, len(found) + 1))
    assert not [
        item for item in program.items if isinstance(item, EventsMissing | DeviceNotAdmitted)
    ]
    faults = [item for item in program.items if isinstance(item, LinkFault)]
    assert not [fault for fault in faults if fault.kind not in OF_THE_LINE]
    return found


def count_of(program: Program, kind: type[Any]) -> int:
    return sum(isinstance(item.body, kind) for item in event_numbers(program))


def shuffle_begins(board: EmulatedBoard, running: Program, pace_ms: int = 3_600_000) -> None:
    running.until(DeviceAdmitted)
    board.stimulus(f"pace {pace_ms}")
    assert running.ask(RequestType.LOAD, 1).status is RequestStatus.DONE
    assert board.stimulus("put 1 416 red") == "ok"
    assert running.ask(RequestType.COUNT, 1).status is RequestStatus.DONE
    assert running.ask(RequestType.SHUFFLE, 1).status is RequestStatus.DONE


def test_a_batch_is_shuffled_stored_and_released(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running, pace_ms=50)
        proof = running.until_event(bodies.BatchDone)
        assert running.ask(RequestType.STORE, 1).status is RequestStatus.DONE
        assert running.ask(RequestType.RELEASE, 1).status is RequestStatus.DONE
        board.stimulus("take 1")
        running.until(
            TableLinkEvent,
            lambda item: (
                isinstance(item.body, bodies.CompartmentReport)
                and item.body.phase is bodies.CompartmentPhase.EMPTY
            ),
        )

        assert (proof.signed, proof.genuine) == (False, False)
        receipt = proof.receipt
        assert (receipt.device, receipt.compartment, receipt.cycle) == (b"SHUFFLER-BENCH", 1, 1)
        assert (receipt.count, receipt.back, receipt.result) == (
            416,
            "red",
            bodies.ShuffleCheckResult.GOOD,
        )
        assert len(receipt.image) == 32
        assert any(receipt.image)
        assert count_of(running, bodies.PowerUp) == 1


def test_a_status_is_parsed(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running)

        status = running.ask(RequestType.STATUS).device_status

        assert status is not None
        first, second = status.compartments
        assert (first.phase, first.cards, first.back) == (
            bodies.CompartmentPhase.SHUFFLING,
            416,
            "red",
        )
        assert (second.phase, second.cards) == (bodies.CompartmentPhase.EMPTY, None)
        assert not status.gate_closed


def test_power_fails_during_a_shuffle_and_the_abort_is_reported_once(board: EmulatedBoard) -> None:
    with program(board) as running:
        shuffle_begins(board, running)
        running.until_event(bodies.BatchStarted)

        board.power_cycle()

        assert running.until_event(bodies.PowerUp).interrupted == (1,)
        assert running.until_event(bodies.BatchAborted).reason is bodies.AbortCode.POWER
        assert count_of(running, bodies.BatchStarted) == 1


def test_a_request_to_a_stopped_board_is_executed_once_when_it_resumes(
    board: EmulatedBoard,
) -> None:
    with program(board) as running:
        running.until(DeviceAdmitted)
        running.until_event(bodies.PowerUp)
        board.hang()
        running._adopt(
            running.link.send(running.state, TableLinkRequest(RequestType.LOAD, 1), now())
        )
        repeated_ns = now().monotonic_ns + NS_PER_S // 2  # it was sent again by then
        while now().monotonic_ns < repeated_ns:
            running.step()

        board.resume()

        assert running.until(RequestAnswer).status is RequestStatus.DONE
        running.until_event(bodies.CompartmentReport)
        assert count_of(running, bodies.CompartmentReport) == 1


def test_a_restarted_program_continues_from_its_store(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
        first.until_event(bodies.BatchStarted)
    board.stimulus("jam 1")

    with program(board, first) as second:
        second.until(DeviceAdmitted)
        assert second.until_event(bodies.BatchAborted).reason is bodies.AbortCode.JAM

        assert count_of(second, bodies.BatchStarted) == 1


def test_both_lose_power_at_once(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
    board.power_cycle()

    with program(board, first) as second:
        second.until_event(bodies.BatchAborted)

        assert count_of(second, bodies.BatchStarted) == 1
        assert count_of(second, bodies.PowerUp) == 2


def test_a_device_that_lost_its_memory_is_not_admitted(board: EmulatedBoard) -> None:
    with program(board) as first:
        shuffle_begins(board, first)
        first.until_event(bodies.BatchStarted)

    with EmulatedBoard(FirmwareRole.SHUFFLER) as new, program(new, first) as second:
        assert second.until(DeviceNotAdmitted).rolled_back


def test_a_bare_device_is_admitted_only_if_allowed(board: EmulatedBoard) -> None:
    with program(board, bare=False) as running:
        assert "no device is paired" in to_words(running.until(DeviceNotAdmitted).reason)


def test_a_shoe_reports_its_cards_and_is_locked_and_unlocked() -> None:
    with EmulatedBoard(FirmwareRole.SHOE) as shoe, program(shoe, role=DeviceRole.SHOE) as running:
        running.until(DeviceAdmitted)
        running.until_event(bodies.PowerUp)
        assert shoe.stimulus("card e0040150a05f02b7 2305") == "ok"
        tag = bytes.fromhex("e0040150a05f02b7")
        assert running.until_event(bodies.CardOut) == bodies.CardOut(tag, rank=9, suit=1)

        assert running.ask(RequestType.LOCK).status is RequestStatus.DONE
        assert shoe.stimulus("card - 257") == "refused: the shoe is locked"
        assert running.ask(RequestType.UNLOCK).status is RequestStatus.DONE
        assert shoe.stimulus("cut") == "ok"

        running.until_event(bodies.CutCardOut)
        assert count_of(running, bodies.CardOut) == 1


def test_a_shoe_is_not_admitted_at_a_port_for_a_shuffler() -> None:
    with EmulatedBoard(FirmwareRole.SHOE) as shoe, program(shoe) as running:
        assert "this port is for a shuffler" in to_words(running.until(DeviceNotAdmitted).reason)
