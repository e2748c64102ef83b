"""The network between tables and a server: bytes both ways, slowly, cuts, refusals."""

import socket
from collections.abc import Iterator

import pytest

from hil.rig.servers.network import Network


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def connected(network: Network, server: socket.socket) -> tuple[socket.socket, socket.socket]:
    client = socket.create_connection(("127.0.0.1", network.port))
    there, _ = server.accept()
    return client, there


def test_bytes_pass_both_ways_also_slowly(server: socket.socket) -> None:
    with Network(server.getsockname()[1]) as network:
        client, there = connected(network, server)
        with client, there:
            for network.slow_s in (0.0, 0.001):
                client.sendall(b"to")
                assert there.recv(2) == b"to"
                there.sendall(b"back")
                assert client.recv(4) == b"back"


def test_a_cut_breaks_each_connection_and_others_may_come(server: socket.socket) -> None:
    with Network(server.getsockname()[1]) as network:
        client, there = connected(network, server)
        with client, there:
            network.cut()
            assert client.recv(1) == b""
            assert there.recv(1) == b""
        again, there = connected(network, server)
        with again, there:
            again.sendall(b"x")
            assert there.recv(1) == b"x"


def test_while_it_is_down_nobody_gets_through(server: socket.socket) -> None:
    with Network(server.getsockname()[1]) as network:
        network.down = True
        with socket.create_connection(("127.0.0.1", network.port)) as client:
            assert client.recv(1) == b""
