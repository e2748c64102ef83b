"""The emulated RFID shoe on real terminals and sockets of this machine."""

import os
import socket
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.dealing.cards import card_named
from hil.dealing.shoe import Loading
from hil.dealing.tags import batch
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.simulation.cable import Cable, CableOutlet

CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")
CLEARED = bytes.fromhex("02 00 08 00 32 00 EC 60")
RED = batch("RED-0001", "red", 1)
ACE = card_named("AS")
# A tag, the gate up, the gate down: 20 and twice 12 bytes, after the header.
FIRST_BYTES = 6 + 4 + 20 + 2
NOTIFICATION_BYTES = FIRST_BYTES + 12 + 12


def loaded(resend_ns: int = 50_000_000) -> RfidShoe:
    shoe = RfidShoe(FeigSettings(resend_ns=resend_ns))
    shoe.load(RED, Loading((ACE,), 0).slots())
    return shoe


def draw(shoe: RfidShoe) -> tuple[()]:
    shoe.draw(ACE)
    return ()


@contextmanager
def host(path: str) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        tty.setraw(fd)
        yield fd
    finally:
        os.close(fd)


def read_all(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += os.read(fd, count - len(data))
    return data


def receive_all(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := client.recv(count - len(data))):
        data += more
    return data


def test_a_card_is_stored_until_the_host_clears_it() -> None:
    with PtyServer(loaded()) as server, host(server.path) as fd:
        server.perform(draw)
        assert server.wait_for(lambda shoe: shoe.reader.stored_records == 3)
        assert server.settle()
        first = os.read(fd, 4096)
        assert server.take_reports() == ()
        while not server.wait_for(lambda shoe: shoe.all_delivered, 0.05):
            os.write(fd, CLEAR)

        assert first[3:6] == b"\x00\x22\x00"
        assert [report.code for report in server.take_reports()] == ["T", "I", "I"]


def test_a_card_drawn_while_unplugged_arrives_after_replug(fast_dir: Path) -> None:
    with PtyServer(loaded(), link=fast_dir / "shoe") as server:
        server.unplug()
        server.perform(draw)
        assert server.settle()
        server.replug()
        with host(server.path) as fd:
            frame = read_all(fd, NOTIFICATION_BYTES)

            assert (frame[:3].hex(), frame[8:10].hex()) == ("020038", "0003")


def test_a_reconnected_client_gets_uncleared_records_at_once() -> None:
    an_hour_ns = 3600 * 10**9
    with TcpServer(loaded(an_hour_ns)) as server:
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                if server.connections < 2:
                    assert server.wait_connected(1)
                    server.perform(draw)
                assert receive_all(client, FIRST_BYTES)[3:6] == b"\x00\x22\x00"
            assert server.wait_disconnected()


@pytest.mark.parametrize(
    ("faults", "answer"),
    [
        (None, CLEARED),
        (FaultPlan(extra_repeat=1.0, envelope=Envelope.FEIG), CLEARED * 2),
        (FaultPlan(extra_repeat=1.0), CLEARED),  # a shoe's host does not repeat its requests
    ],
)
def test_faults_of_a_readers_line_meet_its_answers(faults: FaultPlan | None, answer: bytes) -> None:
    """The second request shows that nothing more came before its answer."""
    settings = LineServerSettings(faults=faults)
    with PtyServer(RfidShoe(), settings) as server, host(server.path) as fd:
        for _ in range(2):
            os.write(fd, CLEAR)
            assert read_all(fd, len(answer)) == answer


def test_bytes_of_nine_bits_are_paced_as_such() -> None:
    # 8E1: eleven bits a byte.
    settings = LineServerSettings(speed=1, baud=38400, bits_per_byte=11)
    with PtyServer(loaded(), settings) as server:
        assert server._byte_ns() == 11 * 10**9 // server.host_baud


def test_a_shoe_at_the_far_end_of_a_cable() -> None:
    cable = Cable(read_timeout_s=0.01)
    cable.host.open()
    times = iter(range(0, 1_000_000_000, 1_000_000))
    outlet = CableOutlet(loaded(), cable, lambda: next(times))
    outlet.perform(draw)
    received = b""
    while not outlet.emulator.all_delivered:
        outlet.settle()
        received += cable.host.read()
        cable.host.write(CLEAR)

    assert received[3:6] == b"\x00\x22\x00"
    assert CLEARED in received
    assert [report.delivered for report in outlet.take_reports()] == [True] * 3
