"""A TableLink shuffler on a real kernel's USB stack, as a bulk device and as a serial port.

Run by `python -m hil.gate` inside a kernel of its own; pytest does not collect this file by itself.
The shuffler lives here, and its plug is in the kernel's virtual host controller. Nothing is told by
time: what is waited for has a deadline far away.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from firmware_bridge.tablelink.bodies import (
    BatchDone,
    BatchStarted,
    CompartmentTold,
    ConfigChanged,
    Holding,
    SelfTest,
)
from firmware_bridge.tablelink.items import (
    EventsMissing,
    NotAdmitted,
    Order,
    Request,
    RequestStatus,
)
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from firmware_bridge.transport.usb_sysfs import attached_devices
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import payload_map
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.tablelink.at_port import TableLinkAtPort
from hil.tablelink.run import trust_in
from hil.tablelink.store import Crash
from hil.usb.bed import UsbBed

IDS = {"vendor_id": 0x1209, "product_id": 0x0001, "product": "shuffler"}
SERIAL = "TL-1"
# The kind of plug, and how the program names it.
KINDS = {"bulk": f"usb://1209:0001/{SERIAL}", "serial": f"usbserial://1209:0001/{SERIAL}"}
LINE = LineSettings(115200)
CUT = [64, 0, 40]
DECK = 52
WAIT_S = 20.0
NS_PER_S = 1_000_000_000


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbBed]:
    with UsbBed(on_kernel=True) as served:
        yield served


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for the kernel, which takes its time over plugging in and out."""
    deadline_ns = now().monotonic_ns + int(WAIT_S * NS_PER_S)
    pause = threading.Event()
    while not condition():
        assert now().monotonic_ns < deadline_ns, what
        pause.wait(0.01)


class Bench:
    """The shuffler, its plug, and the program's end."""

    def __init__(self, bed: UsbBed, kind: str, stack: ExitStack) -> None:
        self._bed, self._kind, self._stack = bed, kind, stack
        self.device = Shuffler(ShufflerSettings(chained=True))
        self.server = stack.enter_context(TcpServer(self.device))
        self.plug("shuffler", self.server)
        url = KINDS[kind]
        run = TableLinkAtPort(lambda: open_port(url, LINE), self.device.role, trust_in(self.device))
        self.run = stack.enter_context(run)

    def stranger(self, device: Shuffler) -> TcpServer[Shuffler]:
        """Another device, plugged in with the same ids and the same serial number."""
        server = self._stack.enter_context(TcpServer(device))
        self.plug("stranger", server)
        return server

    def plug(self, name: str, server: TcpServer[Shuffler]) -> None:
        relay = {"device": "hil.emulator.usb.relay:RelayedDevice"}
        function = {"kind": self._kind, **relay, "settings": {"port": server.port}, "cut": CUT}
        self._bed.plug(name, {**IDS, "serial_number": SERIAL}, [function])

    def pull(self, name: str = "shuffler") -> None:
        """The plug is out, and the kernel has noticed."""
        self._bed.unplug(name)
        until(lambda: not attached_devices(), "the device stays")

    def put_back(self) -> None:
        self._bed.plug("shuffler")

    def press(self, button: str) -> None:
        self.server.perform(lambda device: device.press(button))
        assert self.server.wait_for(lambda device: not device.busy)

    def all_came(self) -> bool:
        """Wait until the shuffler keeps nothing back any more."""
        return self.run.until(lambda: self.server.wait_for(lambda device: device.all_taken, 0))

    def whole(self) -> None:
        """Every event once, in order and as it was recorded; nothing is missing."""
        truth = [payload_map(report.frame) for report in self.server.take_reports()]
        told = [(one.number, one.boot_id, one.device_us) for one in self.run.happened]
        assert told == [(one[2], one[1], one[3]) for one in truth]
        assert not [item for item in self.run.journal if isinstance(item, EventsMissing)]

    def bodies(self, kind: type) -> list:
        return [one.body for one in self.run.happened if isinstance(one.body, kind)]


@pytest.fixture(params=KINDS)
def bench(bed: UsbBed, request: pytest.FixtureRequest) -> Iterator[Bench]:
    with ExitStack() as stack:
        yield Bench(bed, request.param, stack)
    for name in tuple(bed.plugged):
        bed.unplug(name)
    until(lambda: not attached_devices(), "a device stays")


def test_a_round_of_a_batch_comes_once_whatever_becomes_of_plug_program_and_power(
    bench: Bench,
) -> None:
    assert bench.run.until(lambda: bench.run.admissions == 1)
    bench.server.perform(lambda device: device.put_in_back("red", DECK))
    bench.press("load")
    bench.pull()
    bench.press("count")
    bench.press("shuffle")
    bench.put_back()
    assert bench.run.until(lambda: bool(bench.bodies(BatchDone)))
    bench.run.crash = Crash.BEFORE_STORE
    bench.press("store")
    assert bench.run.until(lambda: bench.run.crash is None)
    bench.run.crash = Crash.AFTER_STORE
    bench.server.perform(lambda device: (*device.power_off(), *device.power_on()))
    assert bench.run.until(lambda: bench.run.crash is None)
    bench.press("release")
    bench.server.perform(lambda device: (device.take(), ())[1])
    assert bench.all_came()

    bench.whole()
    assert [one.cycle for one in bench.bodies(BatchStarted)] == [1]
    (done,) = bench.bodies(BatchDone)
    assert (done.genuine, done.receipt.count) == (True, DECK)
    assert bench.bodies(CompartmentTold)[-1].holding is Holding.EMPTY


def test_a_request_whose_answer_was_lost_with_the_plug_is_done_once(bench: Bench) -> None:
    assert bench.all_came()
    bench.run.ask(Request(Order.SELF_TEST))
    # The program stands still meanwhile: the device has answered, and nobody took it in.
    assert bench.server.wait_for(lambda device: device.memory.highest_request > 0)
    bench.pull()
    bench.run.restart()
    bench.put_back()
    assert bench.run.until(lambda: bool(bench.run.answered))
    assert bench.all_came()

    assert [one.status for one in bench.run.answered] == [RequestStatus.DONE]
    assert bench.bodies(SelfTest) == [SelfTest(passed=True, detail="ok")]


def test_a_device_with_the_same_ids_and_another_key_feeds_nothing(bench: Bench) -> None:
    assert bench.all_came()
    bench.pull()
    stranger = bench.stranger(Shuffler(ShufflerSettings(seed=b"another key")))
    stranger.perform(lambda device: device.reconfigure("of nobody"))
    refused = NotAdmitted
    assert bench.run.until(lambda: any(isinstance(one, refused) for one in bench.run.journal))
    bench.pull("stranger")
    bench.put_back()
    assert bench.run.until(lambda: bench.run.admissions == 2)
    assert bench.all_came()

    bench.whole()
    assert stranger.wait_for(lambda device: device.memory.first_number == 1, 0)


def test_what_happens_while_it_hangs_comes_once_when_it_goes_on(bed: UsbBed, bench: Bench) -> None:
    assert bench.all_came()
    losses = bench.run.losses
    bed.order("hang", "shuffler")
    bench.server.perform(lambda device: device.reconfigure("while it hung"))
    # It is missed: by a port that takes nothing any more, or by the link that hears nothing.
    assert bench.run.until(lambda: bench.run.losses > losses or bench.run.silent)
    bed.order("resume", "shuffler")
    assert bench.all_came()

    bench.whole()
    assert bench.bodies(ConfigChanged) == [ConfigChanged("while it hung")]
