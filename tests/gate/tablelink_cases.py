"""A TableLink shuffler on a real kernel's USB stack, as a bulk device and as a serial port.

Run by `python -m hil.gate` inside a kernel of its own; pytest does not collect this file by itself.
The shuffler runs in this process, plugged into the kernel's virtual host controller. No assertion
depends on time; waits have generous deadlines.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from firmware_bridge.tablelink.bodies import (
    BatchDone,
    BatchStarted,
    CompartmentPhase,
    CompartmentReport,
    ConfigChanged,
    SelfTest,
)
from firmware_bridge.tablelink.items import (
    DeviceNotAdmitted,
    EventsMissing,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from firmware_bridge.transport.usb_sysfs import attached_devices
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.progress import poll_until
from hil.tablelink.port_link import PortLink
from hil.tablelink.simulated_link import trust_in
from hil.tablelink.stored_link import Crash
from hil.usb.bed import UsbTestBed

IDS = {"vendor_id": 0x1209, "product_id": 0x0001, "product": "shuffler"}
SERIAL = "TL-1"
# The kind of plug, and how the program names it.
KINDS = {"bulk": f"usb://1209:0001/{SERIAL}", "serial": f"usbserial://1209:0001/{SERIAL}"}
LINE = LineSettings(115200)
CUT = [64, 0, 40]
DECK = 52
NS_PER_S = 1_000_000_000


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbTestBed]:
    with UsbTestBed(on_kernel=True) as served:
        yield served


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for the kernel, which takes its time over plugging in and out."""
    poll_until(condition, what)


class Bench:
    """The shuffler, its plug, and the program's end."""

    def __init__(self, bed: UsbTestBed, kind: str, stack: ExitStack) -> None:
        self._bed, self._kind, self._stack = bed, kind, stack
        self.device = Shuffler(ShufflerSettings(chained=True))
        self.server = stack.enter_context(TcpServer(self.device))
        self.plug("shuffler", self.server)
        url = KINDS[kind]
        run = PortLink(lambda: open_port(url, LINE), self.device.role, trust_in(self.device))
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
        """Wait until the shuffler has no unsent events."""
        return self.run.until(lambda: self.server.wait_for(lambda device: device.all_delivered, 0))

    def whole(self) -> None:
        """Check that every event was delivered once, in order and unchanged."""
        truth = [decode_map(report.frame) for report in self.server.take_reports()]
        delivered = [(one.number, one.boot_id, one.device_us) for one in self.run.events]
        assert delivered == [(one[2], one[1], one[3]) for one in truth]
        assert not [item for item in self.run.journal if isinstance(item, EventsMissing)]

    def bodies(self, kind: type) -> list:
        return [one.body for one in self.run.events if isinstance(one.body, kind)]


@pytest.fixture(params=KINDS)
def bench(bed: UsbTestBed, request: pytest.FixtureRequest) -> Iterator[Bench]:
    with ExitStack() as stack:
        yield Bench(bed, request.param, stack)
    for name in tuple(bed.plugged):
        bed.unplug(name)
    until(lambda: not attached_devices(), "a device stays")


def test_events_of_a_batch_come_once_despite_unplugging_restarts_and_power_cuts(
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
    assert bench.bodies(CompartmentReport)[-1].phase is CompartmentPhase.EMPTY


def test_a_request_whose_answer_was_lost_with_the_plug_is_executed_once(bench: Bench) -> None:
    assert bench.all_came()
    bench.run.ask(TableLinkRequest(RequestType.SELF_TEST))
    # The program stands still meanwhile: the answer is not processed.
    assert bench.server.wait_for(lambda device: device.memory.highest_request > 0)
    bench.pull()
    bench.run.restart()
    bench.put_back()
    assert bench.run.until(lambda: bool(bench.run.answers))
    assert bench.all_came()

    assert [one.status for one in bench.run.answers] == [RequestStatus.DONE]
    assert bench.bodies(SelfTest) == [SelfTest(passed=True, detail="ok")]


def test_a_device_with_the_same_ids_and_another_key_is_ignored(bench: Bench) -> None:
    assert bench.all_came()
    bench.pull()
    stranger = bench.stranger(Shuffler(ShufflerSettings(seed=b"another key")))
    stranger.perform(lambda device: device.reconfigure("of nobody"))
    refused = DeviceNotAdmitted
    assert bench.run.until(lambda: any(isinstance(one, refused) for one in bench.run.journal))
    bench.pull("stranger")
    bench.put_back()
    assert bench.run.until(lambda: bench.run.admissions == 2)
    assert bench.all_came()

    bench.whole()
    assert stranger.wait_for(lambda device: device.memory.first_number == 1, 0)


def test_events_during_a_hang_come_once_when_it_resumes(bed: UsbTestBed, bench: Bench) -> None:
    assert bench.all_came()
    losses = bench.run.losses
    bed.order("hang", "shuffler")
    bench.server.perform(lambda device: device.reconfigure("while it hung"))
    # The hang is detected: the port accepts no data, or the link receives nothing.
    assert bench.run.until(lambda: bench.run.losses > losses or bench.run.silent)
    bed.order("resume", "shuffler")
    assert bench.all_came()

    bench.whole()
    assert bench.bodies(ConfigChanged) == [ConfigChanged("while it hung")]
