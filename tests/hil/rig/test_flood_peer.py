"""The peer that is no sound device: floods without end, half a frame and a closed connection."""

import socket

import pytest

from hil.rig.flood_peer import Flood, FloodPeer, flood_block


def client_of(peer: FloodPeer) -> socket.socket:
    host, port = peer.url.removeprefix("socket://").split(":")
    return socket.create_connection((host, int(port)))


def received(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := client.recv(count - len(data))):
        data += more
    return data


def received_for_ever(client: socket.socket) -> None:
    while client.recv(65_536):
        continue


@pytest.mark.parametrize("flood", Flood)
def test_a_flood_repeats_its_block_without_end(flood: Flood) -> None:
    block = flood_block(flood)
    with FloodPeer(block) as peer, client_of(peer) as client:
        peer.begin()
        # A block is counted before the next one is sent.
        assert received(client, 2 * len(block) + 1) == 2 * block + block[:1]
        assert peer.sent >= 2 * len(block)


def test_nothing_is_sent_before_the_beginning() -> None:
    with FloodPeer(b"x") as peer, client_of(peer) as client:
        client.settimeout(0.01)
        with pytest.raises(TimeoutError):
            client.recv(1)


def test_half_a_frame_is_sent_once_to_each_client() -> None:
    with FloodPeer(b"\x054D", hangs_up=True) as peer:
        peer.begin()
        for number in (1, 2):
            with client_of(peer) as client:
                assert received(client, 9) == b"\x054D"
            assert (peer.connections, peer.sent) == (number, 3 * number)


def test_cards_follow_each_other_and_one_report_does_not() -> None:
    cards, one = flood_block(Flood.CARDS), flood_block(Flood.ONE_REPORT)

    assert [chr(report[0]) for report in cards.split(b"\x05")[1:18]] == list("0123456789ABCDEF0")
    assert len(set(one.split(b"\x05")[1:])) == 1


def test_a_pause_ends_the_flood_until_it_begins_again() -> None:
    with FloodPeer(b"x") as peer, client_of(peer) as client:
        peer.begin()
        assert received(client, 1) == b"x"
        peer.pause()
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):
            received_for_ever(client)
        peer.begin()
        client.settimeout(None)
        assert received(client, 1) == b"x"
