"""Events of every model, of golden and damaged bytes, hold identifiers where records do."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_recorded_text import wrong_identifiers

from drivers.commands import ClearError, ListTags, LockExit, OrderShuffler, ShufflerOrder
from drivers.faults import DeviceFault
from drivers.model import Installation, ReaderSeat
from drivers.readers.feig_model import FEIG_READER
from drivers.scanners.hid_pos_model import HID_POS
from drivers.scanners.ssi_model import ZEBRA_SSI
from drivers.shoes import tablelink_events as shoe_events
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from drivers.shoes.rfid_model import FEIG_RFID
from drivers.shoes.tablelink_model import TABLELINK_SHOE
from drivers.shufflers import tablelink_events as shuffler_events
from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER
from firmware_bridge.link import LinkFault
from firmware_bridge.tablelink.event_bodies import parse_body
from firmware_bridge.tablelink.fields import FieldMismatch
from firmware_bridge.tablelink.frames import TableLinkUnframed, feed
from firmware_bridge.tablelink.messages import EventMessage, decode
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

VECTORS = Path(__file__).parents[1] / "vectors"
PORT = "/dev/ttyUSB0"
NS_PER_S = 1_000_000_000
BUSY = Installation(allow_commands=True)
ENROLMENT = Installation(seat=ReaderSeat.ENROLMENT)
COMMANDS = (
    LockExit(),
    ClearError(100),
    ListTags(),
    *(OrderShuffler(order, place) for order in ShufflerOrder for place in (0, 1, 3)),
)
DEVICES = [
    pytest.param(lambda: ANGEL_EYE_II_EX.build(installed=BUSY), "angel_eye", id="angel eye"),
    pytest.param(lambda: FEIG_RFID.build(installed=BUSY), "feig", id="rfid shoe"),
    pytest.param(lambda: FEIG_READER.build(installed=ENROLMENT), "feig", id="enrolment reader"),
    pytest.param(lambda: TABLELINK_SHOE.build(installed=BUSY), "tablelink", id="tablelink shoe"),
    pytest.param(lambda: TABLELINK_SHUFFLER.build(installed=BUSY), "tablelink", id="shuffler"),
    pytest.param(ZEBRA_SSI.build, "ssi", id="ssi"),
    pytest.param(HID_POS.build, "hid_pos", id="hid pos"),
]


def frames(protocol: str) -> Iterator[bytes]:
    """Every frame of the protocol's vectors, and each with a bit turned in every seventh byte."""
    vectors = tomllib.loads((VECTORS / f"{protocol}.toml").read_text("utf-8"))
    for kind in vectors.values():
        for one in kind if isinstance(kind, list) else ():
            frame = bytes.fromhex(one.get("wire", one.get("hex", "")))
            yield frame
            for place in range(0, len(frame), 7):
                yield bytes((*frame[:place], frame[place] ^ 0x20, *frame[place + 1 :]))


def events(driver, protocol: str) -> Iterator[object]:
    """What the driver says of the frames, of silence, of commands and of a lost port."""
    now_ns = 100 * NS_PER_S
    state, output = driver.receive(driver.initial(), PortOpened(PORT, at(now_ns), bytes(32)))
    yield from output.events
    for frame in frames(protocol):
        state, output = driver.receive(state, Chunk(PORT, at(now_ns), frame))
        yield from output.events
        now_ns += NS_PER_S // 2
        state, output = driver.tick(state, at(now_ns))
        yield from output.events
    for command in COMMANDS:
        state, output = driver.command(state, command, at(now_ns))
        yield from output.events
    unplugged = PortLost(PORT, at(now_ns), message("usb_unplugged"))
    state, output = driver.receive(state, unplugged)
    yield from output.events


def at(now_ns: int) -> Timestamp:
    return Timestamp(now_ns, now_ns)


@pytest.mark.parametrize(("build", "protocol"), DEVICES)
def test_what_a_driver_says_can_be_stored(build, protocol: str) -> None:
    found = list(events(build(), protocol))

    assert any(isinstance(one, DeviceFault) for one in found)
    assert [place for one in found for place in wrong_identifiers(one)] == []


@pytest.mark.parametrize("events_of", [shoe_events.events_of, shuffler_events.events_of])
def test_what_a_tablelink_device_reports_can_be_stored(events_of) -> None:
    _unframed, found = feed(TableLinkUnframed(), b"".join(frames("tablelink")))
    decoded = [decode(one) for one in found if not isinstance(one, LinkFault)]
    reported: list[object] = [one for one in decoded if isinstance(one, LinkFault)]
    for one in decoded:
        if isinstance(one, EventMessage):
            try:
                reported.extend(events_of(parse_body(one.kind, one.body, b"")))
            except FieldMismatch as mismatch:
                reported.append(mismatch.why)

    assert len(reported) > 20
    assert [place for one in reported for place in wrong_identifiers(one)] == []
