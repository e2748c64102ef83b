"""TableLink over real pyusb and libusb on emulated devices: events and requests once.

Run by test_tablelink_usb.py in a process of its own, in which libusb, libudev and /sys show the
devices of a test bed instead of the machine's own; pytest does not collect this file by itself.
No assertion depends on time; waits have generous deadlines.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from random import Random

import pytest

from firmware_bridge.tablelink.bodies import BatchDone, CardOut, ConfigChanged, SelfTest
from firmware_bridge.tablelink.items import (
    DeviceNotAdmitted,
    EventsMissing,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from firmware_bridge.transport.usb_port import UsbPort
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.emulator.lines.line import LineServer, LineServerSettings
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe
from hil.emulator.tablelink.shuffler import Shuffler
from hil.tablelink.port_link import CutWrites, PortLink
from hil.tablelink.simulated_link import trust_in
from hil.tablelink.stored_link import Crash
from hil.usb.bed import UsbTestBed

PLUG = {"vendor_id": 0x1209, "product_id": 0x0001, "product": "shuffler"}
SERIAL = "TL-1"
URL = f"usb://1209:0001/{SERIAL}"
WHOLE = (64,)
STEPS = 10
BAD_LINE = FaultPlan(
    seed=7,
    envelope=Envelope.TABLELINK,
    fragment_bytes_max=40,
    drop_repeat=0.1,
    extra_repeat=0.2,
    bad_bcc=0.1,
    noise=0.1,
    noise_answers=True,
)

Served = Callable[..., LineServer[TableLinkDevice]]
Program = Callable[..., PortLink]


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbTestBed]:
    with UsbTestBed() as served:
        os.environ["UMOCKDEV_DIR"] = served.environment["UMOCKDEV_DIR"]
        yield served
    del os.environ["UMOCKDEV_DIR"]


@pytest.fixture
def stack(bed: UsbTestBed) -> Iterator[ExitStack]:
    """What was begun ends in the order that is the other way round; then no plug is left in."""
    with ExitStack() as held:
        yield held
    for name in tuple(bed.plugged):
        bed.unplug(name)


@pytest.fixture
def served(bed: UsbTestBed, stack: ExitStack) -> Served:
    """Plugs a device in: it lives here and has its USB plug there."""

    def plug(
        device: TableLinkDevice,
        cut: Sequence[int] = WHOLE,
        faults: FaultPlan | None = None,
        *,
        name: str = "device",
    ) -> LineServer[TableLinkDevice]:
        server = stack.enter_context(TcpServer(device, LineServerSettings(faults=faults)))
        relay = {"kind": "bulk", "device": "hil.emulator.usb.relay:RelayedDevice"}
        function = {**relay, "settings": {"port": server.port}, "cut": list(cut)}
        bed.plug(name, {**PLUG, "serial_number": SERIAL}, [function])
        return server

    return plug


@pytest.fixture
def program(stack: ExitStack) -> Program:
    """The program's end, which trusts that device and no other."""

    def run(device: TableLinkDevice, cut: Sequence[int] = WHOLE) -> PortLink:
        port = lambda: CutWrites(UsbPort(URL), cut)  # noqa: E731
        return stack.enter_context(PortLink(port, device.role, trust_in(device)))

    return run


def write(server: LineServer[TableLinkDevice], *texts: str) -> None:
    """Events come about at the device."""
    for text in texts:
        server.perform(lambda device, text=text: device.reconfigure(text))  # type: ignore[misc]


def all_came(server: LineServer[TableLinkDevice], run: PortLink) -> bool:
    """Wait until the device has no unsent events."""
    return run.until(lambda: server.wait_for(lambda device: device.all_delivered, 0))


def all_delivered(server: LineServer[TableLinkDevice], run: PortLink) -> None:
    """Check that every event of the device was delivered once, in order and unchanged."""
    truth = [decode_map(report.frame) for report in server.take_reports()]
    delivered = [(one.number, one.boot_id, one.device_us) for one in run.events]
    assert delivered == [(one[2], one[1], one[3]) for one in truth]
    assert not [item for item in run.journal if isinstance(item, EventsMissing)]


def noted(run: PortLink) -> list[str]:
    return [one.body.what for one in run.events if isinstance(one.body, ConfigChanged)]


# --- frames in packets and transfers --------------------------------------------------------------


@pytest.mark.parametrize(
    ("packets", "transfers"),
    [(WHOLE, WHOLE), ((63, 2), (20, 1)), ((0, 64, 1), (0, 25)), ((40, 0, 0), (200,))],
)
def test_frames_pass_in_any_packets_and_transfers(
    served: Served, program: Program, packets: Sequence[int], transfers: Sequence[int]
) -> None:
    device = Shuffler(ShufflerSettings(chained=True))
    server = served(device, packets)
    run = program(device, transfers)
    # So many lengths that frames end at every place of a packet, its very end among them.
    texts = [str(length).ljust(length, "x") for length in range(2, 64)]
    write(server, *texts)
    run.ask(TableLinkRequest(RequestType.SELF_TEST))
    assert run.until(lambda: bool(run.answers))
    assert all_came(server, run)

    assert noted(run) == texts
    all_delivered(server, run)


def test_a_receipt_of_many_packets_is_received_whole(served: Served, program: Program) -> None:
    device = Shuffler(ShufflerSettings(reading=True))
    server = served(device)
    run = program(device)
    server.perform(lambda one: one.put_in_back("red"))
    for button in ("load", "count", "shuffle"):
        server.perform(lambda one, button=button: one.press(button))  # type: ignore[misc]
        assert server.wait_for(lambda one: not one.busy)
    assert all_came(server, run)

    (receipt,) = (one.body for one in run.events if isinstance(one.body, BatchDone))
    assert len(receipt.sealed) > 200
    all_delivered(server, run)


# --- exactly once despite faults ------------------------------------------------------------------


class Storm:
    """Seeded faults: crashes of the program, unplugging, power cuts, noise."""

    def __init__(
        self, seed: int, bed: UsbTestBed, server: LineServer[TableLinkDevice], run: PortLink
    ) -> None:
        self.random = Random(seed)
        self.bed, self.server, self.run = bed, server, run
        self.written: list[str] = []
        self.requests_sent = 0

    def play(self) -> None:
        steps = (self.write, self.write, self.ask, self.ask, self.crash, self.pull, self.fail)
        for step in (*self.random.sample(steps, len(steps)), *self.random.choices(steps, k=STEPS)):
            step()
            # A moment in which anything or nothing may arrive.
            self.run.run_for(self.random.choice((0.0, 0.0, 0.02, 0.1)))
        self.run.crash = None
        self.write()

    def write(self) -> None:
        texts = [str(len(self.written) + at) for at in range(self.random.choice((1, 3, 20)))]
        write(self.server, *texts)
        self.written += texts

    def ask(self) -> None:
        self.requests_sent += 1
        self.run.ask(TableLinkRequest(RequestType.SELF_TEST))

    def crash(self) -> None:
        self.run.crash = self.random.choice(tuple(Crash))

    def pull(self) -> None:
        self.bed.unplug("device")
        self.run.run_for(self.random.choice((0.0, 0.05)))
        if self.random.random() < 0.5:
            self.run.restart()
        self.bed.order("plug", "device", place=self.random.choice(("1-1", "1-4.2")))
        self.bed.plugged.add("device")

    def fail(self) -> None:
        self.server.perform(lambda device: (*device.power_off(), *device.power_on()))


@pytest.mark.parametrize("seed", range(3))
def test_every_event_comes_once_and_no_request_is_executed_twice(
    bed: UsbTestBed, served: Served, program: Program, seed: int
) -> None:
    device = Shuffler(ShufflerSettings(chained=seed % 2 == 0))
    cut = ((64,), (1, 0, 64), (17,))[seed]
    server = served(device, cut, BAD_LINE if seed % 2 else None)
    run = program(device, cut[::-1])
    storm = Storm(seed, bed, server, run)
    storm.play()
    assert all_came(server, run)

    all_delivered(server, run)
    known = [text for text in noted(run) if text.isdecimal()]
    assert known == storm.written
    tested = [one for one in run.events if isinstance(one.body, SelfTest)]
    done = [one for one in run.answers if one.status is RequestStatus.DONE]
    assert len(done) <= len(tested) <= storm.requests_sent


def test_a_request_whose_answer_was_lost_with_the_plug_is_executed_once(
    bed: UsbTestBed, served: Served, program: Program
) -> None:
    device = Shuffler()
    server = served(device)
    run = program(device)
    assert all_came(server, run)
    run.ask(TableLinkRequest(RequestType.SELF_TEST))
    # The program stands still meanwhile: the answer is not processed.
    assert server.wait_for(lambda one: one.memory.highest_request > 0)
    bed.unplug("device")
    run.restart()
    bed.plug("device")
    assert run.until(lambda: bool(run.answers))
    assert all_came(server, run)

    assert [one.status for one in run.answers] == [RequestStatus.DONE]
    assert [one.body for one in run.events if isinstance(one.body, SelfTest)] == [
        SelfTest(passed=True, detail="ok")
    ]


def test_a_shoe_whose_plug_is_pulled_between_cards_reports_each_once(
    bed: UsbTestBed, served: Served, program: Program
) -> None:
    device = TableLinkShoe()
    server = served(device)
    run = program(device)
    assert all_came(server, run)
    cards = [Card(rank, Suit.SPADE) for rank in range(1, 14)]
    for at, card in enumerate(cards):
        piece = PhysicalCard(card, "red", "")
        server.perform(lambda shoe, piece=piece: shoe.draw_piece(piece))  # type: ignore[misc]
        if at % 5 == 2:
            bed.unplug("device")
            run.run_for(0.05)
            bed.plug("device")
    assert all_came(server, run)

    out = [one.body for one in run.events if isinstance(one.body, CardOut)]
    assert [one.rank for one in out] == list(range(1, 14))
    all_delivered(server, run)


# --- untrusted devices ----------------------------------------------------------------------------


def test_a_device_with_the_same_ids_and_another_key_is_ignored(
    bed: UsbTestBed, served: Served, program: Program
) -> None:
    device = Shuffler()
    rogue = Shuffler(ShufflerSettings(seed=b"another key"))
    server = served(device)
    run = program(device)
    write(server, "mine")
    assert all_came(server, run)
    bed.unplug("device")
    false = served(rogue, name="rogue")
    write(false, "of nobody")
    run.ask(TableLinkRequest(RequestType.SELF_TEST))
    assert run.until(lambda: any(isinstance(item, DeviceNotAdmitted) for item in run.journal))
    bed.unplug("rogue")
    bed.plug("device")
    write(server, "mine again")
    assert run.until(lambda: bool(run.answers))
    assert all_came(server, run)

    assert noted(run) == ["mine", "mine again"]
    assert not false.wait_for(lambda one: one.all_delivered, 0)
    assert false.wait_for(lambda one: one.memory.highest_request == 0, 0)
    all_delivered(server, run)
