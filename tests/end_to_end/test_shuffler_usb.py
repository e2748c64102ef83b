"""A shuffler and a dealing shoe on USB plugs at the real program: real pyusb, real libusb.

Responsible for: pairing over USB, one whole exchange whose plug is pulled in mid-shuffle and whose
power fails in mid-shuffle, each event stored once and in its order, each order carried out once,
and a device with the same ids and another key, which feeds nothing.
Not responsible for: USB ports by themselves (tests/firmware_bridge/transport), what may be ordered
when (test_shuffler_table).
Source: firmware_bridge/README.md, "USB devices", "TableLink/1"; NY (a)(4)(iv); D-22.
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

from controller.cli.main import main
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.effects import BatchMoved
from controller.procedure.events import CardDrawn, ShufflerTold
from controller.replay.report import Finding, replay
from controller.tape.entries import Entry, Judged
from controller.tape.records import read_entry
from controller.views.snapshot_reader import Shown
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    IdentityRefused,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShufflerEvent,
)
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.tags import batch
from hil.emulator.lines.reports import Report
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import payload_map
from hil.emulator.tablelink.compartment import Holding
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import Ask, Kind
from hil.rig.program import PROGRAM, Program
from hil.rig.rfid_programs import until
from hil.usb.bed import UsbBed

pytestmark = pytest.mark.debian("umockdev", program="umockdev-run")

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
END_S_MAX = 60
# Red's orders, blue's with a second beginning, and red's release.
RED = (Ask.LOAD, Ask.COUNT, Ask.SHUFFLE, Ask.STORE)
ORDERED = (*RED, *RED[:3], *RED[1:], Ask.RELEASE)
# What of the device's events is an event of a shuffler to the table, too.
TOLD = {
    Kind.COMPARTMENT: CompartmentChanged,
    Kind.BATCH_STARTED: ShuffleBegan,
    Kind.BATCH_DONE: ShuffleDone,
    Kind.BATCH_ABORTED: ShuffleAborted,
}


def url(name: str) -> str:
    return f"usb://1209:0001/{name}"


def pieces(back: str) -> tuple[PhysicalCard, ...]:
    cards = batch(f"{back.upper()}-0001", back).cards
    return tuple(piece for piece in cards if piece.card is not None)


def finish_shuffle(device: Shuffler) -> tuple[Report, ...]:
    """What is under way in its compartments has taken as long as it takes."""
    for bay in device.bays.values():
        if bay.operation is not None:
            bay.operation = replace(bay.operation, ends_ns=0)
    return ()


def plug(
    bed: UsbBed, server: TcpServer[TableLinkDevice], name: str, place: str, serial_number: str
) -> None:
    """A plug for a device that lives here; packets are cut as no maker would."""
    relay = {"kind": "bulk", "device": "hil.emulator.usb.relay:RelayedDevice"}
    function = {**relay, "settings": {"port": server.port}, "cut": [64, 0, 40]}
    identity = {**IDS, "serial_number": serial_number, "product": name}
    bed.plug(name, identity, [function], place)


@contextmanager
def plugged(bed: UsbBed) -> Iterator[tuple[TcpServer[Shuffler], TcpServer[TableLinkShoe]]]:
    """Both devices as they come from the factory, on their plugs."""
    with TcpServer(Shuffler(SHUFFLER)) as shuffler, TcpServer(TableLinkShoe(SHOE)) as shoe:
        plug(bed, shuffler, "shuffler", "1-1", "SHUF-1")
        plug(bed, shoe, "shoe", "1-2", "SHOE-1")
        yield shuffler, shoe


def pair(bed: UsbBed, serial_number: str, made: Path) -> None:
    """By the program's own command, where it sees the plugs."""
    words = ("identity", "pair", url(serial_number), "--out", str(made), "--person", "T. Tech")
    done = subprocess.run(
        [*PROGRAM, *words],
        env={**os.environ, **bed.environment},
        capture_output=True,
        text=True,
        timeout=END_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a table, as its people make them."""
    folder = tmp_path_factory.mktemp("paired")
    key, image = str(folder / "table.key"), folder / "firmware.bin"
    image.write_bytes(FIRMWARE)
    approved = ("--list", str(folder / "approved.json"), "--key", key)
    told = ("--version", "1.0.0", "--counter", "1", "--image", str(image))
    for words in (("keys", "make", key), ("firmware", "approve", *approved, *told)):
        assert main(words) == 0, words
    with UsbBed() as bed, plugged(bed):
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

    def orders(self, order: str, *, back: str = "", compartment: int = 0) -> None:
        """A floorperson's order, which is to be carried out."""
        where = {"batch": back} if back else {"compartment": compartment}
        asked = {"action": "order-shuffler", "by": "A. Floor", "role": "floorperson"}
        answer = self.program.ask({"request": "act", **asked, "order": order, **where})
        assert answer["ok"], answer

    def shuffling(self, back: str, compartment: int) -> None:
        """A batch goes in and is being shuffled."""
        self.shuffler.perform(lambda device: device.put_in(pieces(back)))
        self.orders("load", compartment=compartment)
        assert self.shuffler.wait_for(lambda device: not device.tray)
        self.orders("count", compartment=compartment)
        until(lambda: self.stage(back) == "counted")
        self.orders("shuffle", compartment=compartment)
        assert self.shuffler.wait_for(
            lambda device: device.standing(compartment).holding is Holding.SHUFFLING
        )

    def stored(self, back: str) -> None:
        self.orders("store", back=back)
        until(lambda: self.stage(back) == "stored")

    # What the program shows, and what it stored.

    def part(self, name: str) -> Shown:
        part = Shown(self.program.snapshot()).part(name)
        assert part is not None
        return part

    def stage(self, back: str) -> str:
        batches = self.part("shuffler").parts("batches")
        return next((one.text("stage") for one in batches if one.text("back") == back), "")

    @property
    def trusted(self) -> bool:
        return self.part("shuffler").yes("trusted")

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def said(self) -> list[ShufflerEvent]:
        """What the table took of the shuffler."""
        judged = [one.event for one in self.entries() if isinstance(one, Judged)]
        return [one.event for one in judged if isinstance(one, ShufflerTold)]

    def told(self) -> list[ShufflerEvent]:
        """What of that is of the batches."""
        return [one for one in self.said() if isinstance(one, tuple(TOLD.values()))]


@pytest.fixture
def bench(fast_dir: Path, usb_bed: UsbBed, paired: Path) -> Iterator[Bench]:
    shutil.copytree(paired, fast_dir, dirs_exist_ok=True)
    under = ("env", *(f"{name}={value}" for name, value in usb_bed.environment.items()))
    with (
        plugged(usb_bed) as (shuffler, shoe),
        Program(fast_dir / "table.toml", fast_dir / "program.log", under) as program,
    ):
        bench = Bench(program, shuffler, shoe)
        program.start()
        until(lambda: bench.trusted)
        yield bench


def test_an_exchange_with_the_plug_pulled_and_the_power_lost_in_mid_shuffle(
    bench: Bench, usb_bed: UsbBed
) -> None:
    # Red: the plug is out while the shuffle ends, and comes in again at another place.
    bench.shuffling("red", 1)
    usb_bed.unplug("shuffler")
    bench.shuffler.perform(finish_shuffle)
    assert bench.shuffler.wait_for(lambda device: device.standing(1).holding is Holding.SHUFFLED)
    until(lambda: not bench.trusted)
    usb_bed.order("plug", "shuffler", place="1-4.2")
    until(lambda: bench.stage("red") == "shuffled")
    bench.stored("red")

    # Blue: its power fails, and the plug stays where it is.
    bench.shuffling("blue", 2)
    bench.shuffler.perform(lambda device: (*device.power_off(), *device.power_on()))
    until(lambda: bench.stage("blue") == "held")
    bench.orders("count", compartment=2)
    until(lambda: bench.stage("blue") == "counted")
    bench.orders("shuffle", compartment=2)
    until(lambda: bench.stage("blue") == "shuffling")
    bench.shuffler.perform(finish_shuffle)
    until(lambda: bench.stage("blue") == "shuffled")
    bench.stored("blue")

    bench.orders("release", back="red")
    until(lambda: bench.stage("red") == "released")
    bench.shuffler.perform(lambda device: (device.take(), ())[1])
    assert bench.shuffler.wait_for(lambda device: device.all_taken)
    for card in BURN:
        piece = PhysicalCard(card, "red", "")
        bench.shoe.perform(lambda shoe, piece=piece: shoe.draw_piece(piece))  # type: ignore[misc]
    assert bench.shoe.wait_for(lambda device: device.all_taken)
    bench.program.stop()

    truth = bench.shuffler.take_reports()
    assert [payload_map(one.frame)[2] for one in truth] == list(range(1, len(truth) + 1))
    kinds = [Kind[one.code] for one in truth]
    told = bench.told()
    assert [type(one) for one in told] == [TOLD[kind] for kind in kinds if kind in TOLD]
    assert [one.cycle for one in told if isinstance(one, ShuffleBegan)] == [1, 2, 3]
    asked = [Ask(type_) for _, type_, _ in bench.shuffler.emulator.memory.answers]
    ordered = [ask for ask in asked if ask is not Ask.STATUS]
    assert ordered == list(ORDERED)[-len(ordered) :]
    aborted = [one for one in told if isinstance(one, ShuffleAborted)]
    assert aborted == [ShuffleAborted(2, 2, AbortReason.POWER)]
    moved = [one for one in bench.entries() if isinstance(one, BatchMoved)]
    assert [one.batch for one in moved if one.after == "stored"] == ["red", "blue"]
    drawn = [one.event for one in bench.entries() if isinstance(one, Judged)]
    assert len([one for one in drawn if isinstance(one, CardDrawn)]) == len(BURN)
    assert verify(bench.journal).intact
    assert replay(bench.journal).finding is Finding.SAME


def test_a_device_with_the_same_ids_and_another_key_feeds_nothing(
    bench: Bench, usb_bed: UsbBed
) -> None:
    before = bench.told()
    usb_bed.unplug("shuffler")
    with TcpServer(Shuffler(replace(SHUFFLER, seed=b"another key"))) as rogue:
        rogue.perform(lambda device: device.put_in_back("red"))
        for button in ("load", "count"):
            rogue.perform(lambda device, button=button: device.press(button))  # type: ignore[misc]
        plug(usb_bed, rogue, "rogue", "1-1", "SHUF-1")
        until(lambda: any(isinstance(one, IdentityRefused) for one in bench.said()))
        assert not bench.trusted
        assert bench.told() == before
        assert rogue.wait_for(lambda device: device.memory.first_number == 1, 0)
        usb_bed.unplug("rogue")
    usb_bed.plug("shuffler")
    until(lambda: bench.trusted)
    bench.program.stop()

    assert bench.told() == before
    assert verify(bench.journal).intact
