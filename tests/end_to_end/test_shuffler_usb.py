"""A shuffler and a dealing shoe on USB through the real program, pyusb and libusb.

Source: firmware_bridge/transport/README.md, "USB devices"; firmware_bridge/tablelink/README.md; NY
(a)(4)(iv); D-22.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.cli.main import main
from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.records import read_entry
from controller.custody.batch_life.facts import StageChange
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.events import CardDrawn, ShufflerReported
from controller.record.snapshot_devices import ShufflerView
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    IdentityRefused,
    ShuffleAborted,
    ShuffleDone,
    ShufflerEvent,
    ShuffleStarted,
)
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.tags import batch
from hil.emulator.lines.reports import Report
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.compartment import CompartmentPhase
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import EventKind, RequestType
from hil.rig.program import PROGRAM, Program
from hil.rig.rfid_programs import wait_until
from hil.usb.bed import UsbTestBed

pytestmark = pytest.mark.needs("umockdev")

CONFIG = """\
[table]
name = "BENCH-1"

[rules]
profile = "s42-mini"
decks = 8

[shoe]
port = {shoe}
model = "tablelink"
identity = "shoe.identity.json"
approved = "approved.json"
approved_keys = ["table.key.pub"]

[metrics]
enabled = false

[shuffler]
port = {shuffler}
allow_commands = true
identity = "shuffler.identity.json"
approved = "approved.json"
approved_keys = ["table.key.pub"]
"""
# The image of the emulated firmware: what is approved is its SHA-256.
FIRMWARE = b"emulated firmware 1.0.0"
IDS = {"vendor_id": 0x1209, "product_id": 0x0001}
SHOE = TableLinkShoeSettings(device=b"SHOE0001", seed=b"of the shoe")
# It takes an hour, or as long as the bench wants.
SHUFFLER = ShufflerSettings(chained=True, shuffle_ns=3600 * 10**9)
# An ace and one card more are burned.
BURN = (Card(1, Suit.SPADE), Card(7, Suit.CLUB))
# Red's orders, blue's with a second beginning, and red's release.
RED = (RequestType.LOAD, RequestType.COUNT, RequestType.SHUFFLE, RequestType.STORE)
ORDERED = (*RED, *RED[:3], *RED[1:], RequestType.RELEASE)
# What of the device's events is an event of a shuffler to the table, too.
REPORTED = {
    EventKind.COMPARTMENT: CompartmentChanged,
    EventKind.BATCH_STARTED: ShuffleStarted,
    EventKind.BATCH_DONE: ShuffleDone,
    EventKind.BATCH_ABORTED: ShuffleAborted,
}


def url(name: str) -> str:
    return f"usb://1209:0001/{name}"


def pieces(back: str) -> tuple[PhysicalCard, ...]:
    cards = batch(f"{back.upper()}-0001", back).cards
    return tuple(piece for piece in cards if piece.card is not None)


def finish_shuffle(device: Shuffler) -> tuple[Report, ...]:
    """Let the running operations of its compartments finish."""
    for bay in device.bays.values():
        if bay.operation is not None:
            bay.operation = replace(bay.operation, ends_ns=0)
    return ()


def plug(
    bed: UsbTestBed, server: TcpServer[TableLinkDevice], name: str, place: str, serial_number: str
) -> None:
    """A plug for a device of this process, with unusual packet boundaries."""
    relay = {"kind": "bulk", "device": "hil.emulator.usb.relay:RelayedDevice"}
    function = {**relay, "settings": {"port": server.port}, "cut": [64, 0, 40]}
    identity = {**IDS, "serial_number": serial_number, "product": name}
    bed.plug(name, identity, [function], place)


@contextmanager
def plugged(bed: UsbTestBed) -> Iterator[tuple[TcpServer[Shuffler], TcpServer[TableLinkShoe]]]:
    """Both devices in factory state, on their plugs."""
    with TcpServer(Shuffler(SHUFFLER)) as shuffler, TcpServer(TableLinkShoe(SHOE)) as shoe:
        plug(bed, shuffler, "shuffler", "1-1", "SHUF-1")
        plug(bed, shoe, "shoe", "1-2", "SHOE-1")
        yield shuffler, shoe


def pair(bed: UsbTestBed, serial_number: str, made: Path) -> None:
    """Pair by the program's command, in the bed that has the plugs."""
    words = ("identity", "pair", url(serial_number), "--out", str(made), "--person", "T. Tech")
    done = subprocess.run(
        [*PROGRAM, *words],
        env={**os.environ, **bed.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a table, made with the commands."""
    folder = tmp_path_factory.mktemp("paired")
    key, image = str(folder / "table.key"), folder / "firmware.bin"
    image.write_bytes(FIRMWARE)
    approved = ("--list", str(folder / "approved.json"), "--key", key)
    firmware = ("--version", "1.0.0", "--counter", "1", "--image", str(image))
    for words in (("keys", "make", key), ("firmware", "approve", *approved, *firmware)):
        assert main(words) == 0, words
    with UsbTestBed() as bed, plugged(bed):
        pair(bed, "SHUF-1", folder / "shuffler.identity.json")
        pair(bed, "SHOE-1", folder / "shoe.identity.json")
    ports = {"shoe": json.dumps(url("SHOE-1")), "shuffler": json.dumps(url("SHUF-1"))}
    (folder / "table.toml").write_text(CONFIG.format(**ports))
    return folder


class Bench:
    """Devices on their plugs, the program, and the people at the table."""

    def __init__(
        self,
        program: Program,
        shuffler: TcpServer[Shuffler],
        shoe: TcpServer[TableLinkShoe],
    ) -> None:
        self.program, self.shuffler, self.shoe = program, shuffler, shoe
        self.journal = program.config.parent / "journal"

    # People.

    def order_shuffler(self, order: str, *, back: str = "", compartment: int = 0) -> None:
        """Give an order as a floorperson and wait until it is executed."""
        where = {"batch": back} if back else {"compartment": compartment}
        asked = {"action": "order-shuffler", "by": "A. Floor", "role": "floorperson"}
        answer = self.program.ask({"request": "act", **asked, "order": order, **where})
        assert answer.ok, answer.error

    def shuffling(self, back: str, compartment: int) -> None:
        """Load a batch and start its shuffle."""
        self.shuffler.perform(lambda device: device.put_in(pieces(back)))
        self.order_shuffler("load", compartment=compartment)
        assert self.shuffler.wait_for(lambda device: not device.tray)
        self.order_shuffler("count", compartment=compartment)
        wait_until(lambda: self.stage(back) == "counted")
        self.order_shuffler("shuffle", compartment=compartment)
        assert self.shuffler.wait_for(
            lambda device: (
                device.compartment_record(compartment).phase is CompartmentPhase.SHUFFLING
            )
        )

    def stored(self, back: str) -> None:
        self.order_shuffler("store", back=back)
        wait_until(lambda: self.stage(back) == "stored")

    # What the program shows, and what it stored.

    @property
    def shown(self) -> ShufflerView:
        shown = self.program.snapshot().shuffler
        assert shown is not None
        return shown

    def stage(self, back: str) -> str:
        return next((one.stage for one in self.shown.batches if one.back == back), "")

    @property
    def trusted(self) -> bool:
        return self.shown.trusted

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def events(self) -> list[ShufflerEvent]:
        """The shuffler's events that the table stored."""
        events = [one.event for one in self.entries() if isinstance(one, EventVerdicts)]
        return [one.event for one in events if isinstance(one, ShufflerReported)]

    def checked_events(self) -> list[ShufflerEvent]:
        """Those of them about batches."""
        return [one for one in self.events() if isinstance(one, tuple(REPORTED.values()))]


@pytest.fixture
def bench(fast_dir: Path, usb_bed: UsbTestBed, paired: Path) -> Iterator[Bench]:
    shutil.copytree(paired, fast_dir, dirs_exist_ok=True)
    under = ("env", *(f"{name}={value}" for name, value in usb_bed.environment.items()))
    with (
        plugged(usb_bed) as (shuffler, shoe),
        Program(fast_dir / "table.toml", fast_dir / "program.log", under) as program,
    ):
        bench = Bench(program, shuffler, shoe)
        program.start()
        wait_until(lambda: bench.trusted)
        yield bench


def test_an_exchange_with_unplug_and_power_loss_during_a_shuffle(
    bench: Bench, usb_bed: UsbTestBed
) -> None:
    # Red: the plug is out while the shuffle ends, and comes in again at another place.
    bench.shuffling("red", 1)
    usb_bed.unplug("shuffler")
    bench.shuffler.perform(finish_shuffle)
    assert bench.shuffler.wait_for(
        lambda device: device.compartment_record(1).phase is CompartmentPhase.SHUFFLED
    )
    wait_until(lambda: not bench.trusted)
    usb_bed.order("plug", "shuffler", place="1-4.2")
    wait_until(lambda: bench.stage("red") == "shuffled")
    bench.stored("red")

    # Blue: its power fails, and the plug stays where it is.
    bench.shuffling("blue", 2)
    bench.shuffler.perform(lambda device: (*device.power_off(), *device.power_on()))
    wait_until(lambda: bench.stage("blue") == "held")
    bench.order_shuffler("count", compartment=2)
    wait_until(lambda: bench.stage("blue") == "counted")
    bench.order_shuffler("shuffle", compartment=2)
    wait_until(lambda: bench.stage("blue") == "shuffling")
    bench.shuffler.perform(finish_shuffle)
    wait_until(lambda: bench.stage("blue") == "shuffled")
    bench.stored("blue")

    bench.order_shuffler("release", back="red")
    wait_until(lambda: bench.stage("red") == "released")
    bench.shuffler.perform(lambda device: (device.take(), ())[1])
    assert bench.shuffler.wait_for(lambda device: device.all_delivered)
    for card in BURN:
        piece = PhysicalCard(card, "red", "")
        bench.shoe.perform(lambda shoe, piece=piece: shoe.draw_piece(piece))  # type: ignore[misc]
    assert bench.shoe.wait_for(lambda device: device.all_delivered)
    bench.program.stop()

    truth = bench.shuffler.take_reports()
    assert [decode_map(one.frame)[2] for one in truth] == list(range(1, len(truth) + 1))
    kinds = [EventKind[one.code] for one in truth]
    events = bench.checked_events()
    assert [type(one) for one in events] == [REPORTED[kind] for kind in kinds if kind in REPORTED]
    assert [one.cycle for one in events if isinstance(one, ShuffleStarted)] == [1, 2, 3]
    asked = [RequestType(type_) for _, type_, _ in bench.shuffler.emulator.memory.answers]
    ordered = [ask for ask in asked if ask is not RequestType.STATUS]
    assert ordered == list(ORDERED)[-len(ordered) :]
    aborted = [one for one in events if isinstance(one, ShuffleAborted)]
    assert aborted == [ShuffleAborted(2, 2, AbortReason.POWER)]
    moved = [one for one in bench.entries() if isinstance(one, StageChange)]
    assert [one.batch for one in moved if one.after == "stored"] == ["red", "blue"]
    drawn = [one.event for one in bench.entries() if isinstance(one, EventVerdicts)]
    assert len([one for one in drawn if isinstance(one, CardDrawn)]) == len(BURN)
    assert verify(bench.journal).intact
    assert replay(bench.journal).finding is ReplayFinding.SAME


def test_a_device_with_the_same_ids_and_another_key_is_refused(
    bench: Bench, usb_bed: UsbTestBed
) -> None:
    before = bench.checked_events()
    usb_bed.unplug("shuffler")
    with TcpServer(Shuffler(replace(SHUFFLER, seed=b"another key"))) as rogue:
        rogue.perform(lambda device: device.put_in_back("red"))
        for button in ("load", "count"):
            rogue.perform(lambda device, button=button: device.press(button))  # type: ignore[misc]
        plug(usb_bed, rogue, "rogue", "1-1", "SHUF-1")
        wait_until(lambda: any(isinstance(one, IdentityRefused) for one in bench.events()))
        assert not bench.trusted
        assert bench.checked_events() == before
        assert rogue.wait_for(lambda device: device.memory.first_number == 1, 0)
        usb_bed.unplug("rogue")
    usb_bed.plug("shuffler")
    wait_until(lambda: bench.trusted)
    bench.program.stop()

    assert bench.checked_events() == before
    assert verify(bench.journal).intact
