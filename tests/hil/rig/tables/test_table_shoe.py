"""The shoe of one of several tables: dealt from on a thread, killed and back, its cards' times."""

import socket
import time

import pytest

from hil.rig.shoe_runner import Pace
from hil.rig.tables.table_shoe import TableShoe

FAST = Pace.uniform(1_000_000)


def client_of(shoe: TableShoe) -> socket.socket:
    return socket.create_connection(("127.0.0.1", shoe.server.port))


def test_cards_are_numbered_with_the_time_at_which_they_were_sent() -> None:
    before_ns = time.perf_counter_ns()
    with TableShoe(1, FAST) as shoe, client_of(shoe):
        shoe.begin()
        shoe.finish()
        drawn = sum(report.code == "D" for report in shoe.truth.reports)
    assert list(shoe.sent_ns) == [(1, card) for card in range(1, drawn + 1)]
    times = list(shoe.sent_ns.values())
    assert before_ns < times[0]
    assert times == sorted(times)


def test_a_held_dealer_deals_no_coup_until_he_goes_on() -> None:
    with TableShoe(1, FAST) as shoe, client_of(shoe):
        shoe.begin()
        shoe.hold_after_coup()
        dealt = len(shoe.truth.coups)
        shoe.go_on()
        shoe.wait_for_coups(2)
        shoe.finish()
        assert len(shoe.truth.coups) >= dealt + 2


def test_a_killed_shoe_refuses_clients_until_it_comes_back_on_its_port() -> None:
    with TableShoe(1, FAST) as shoe:
        url = shoe.url
        with client_of(shoe) as client:
            assert shoe.server.wait_connected(1)
            shoe.server.die()
            with pytest.raises(ConnectionResetError):
                client.recv(1)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
        shoe.server.come_back()
        assert shoe.url == url
        with client_of(shoe):
            assert shoe.server.wait_connected(2)
