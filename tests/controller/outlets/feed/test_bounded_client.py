"""A broker that keeps no bound: the connection ends after the fixed header of what is too much."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.archive.consumers import FeedSettings
from controller.outlets.feed.bounded_client import (
    PACKET_BYTES_MAX,
    RECEIVE_MAX,
    WINDOW_MAX,
    BoundedClient,
)
from controller.outlets.feed.mqtt import BrokerLink
from hil.rig.device_programs import wait_until
from hil.rig.servers.hostile_broker import Attack, HostileBroker

TOPIC = "smartshoe/bench/SIM-1/backfill"
# Fixed header, length and text of the topic, no properties, payload.
LARGE_BYTES = 5 + 2 + len(TOPIC) + 1 + 100_000_000
UNANSWERED = "it sent more than 8 messages before they were answered"
# What a connection of this machine holds between the two, however little its reader takes.
BUFFERED_MAX = 16_000_000
ENOUGH_BYTES = 1_000_000
REQUESTS_MAX = 8


@contextmanager
def subscribed(broker: HostileBroker) -> Iterator[BrokerLink]:
    settings = FeedSettings("office", "127.0.0.1", broker.port, topic="smartshoe", tls=False)
    link = BrokerLink(settings, "smartshoe-SIM-1-office", lambda: None)
    link.open(TOPIC)
    try:
        yield link
    finally:
        link.close()


def test_connect_says_what_is_taken() -> None:
    with HostileBroker(Attack.DEAF) as broker, subscribed(broker):
        assert broker.packet_maximum == PACKET_BYTES_MAX == 16 * 1024
        assert broker.receive_maximum == RECEIVE_MAX == 8


@pytest.mark.parametrize(
    ("attack", "why"),
    [
        (Attack.LARGE, f"it sent a packet of {LARGE_BYTES} bytes; at most 16384 are taken"),
        (Attack.QOS_2, UNANSWERED),
        pytest.param(Attack.QOS_1_DEAF, UNANSWERED, marks=pytest.mark.full),
        pytest.param(
            Attack.RELEASES_DEAF,
            "it sends and does not read what is sent to it",
            marks=pytest.mark.full,
        ),
    ],
)
def test_what_exceeds_a_bound_ends_the_connection(attack: Attack, why: str) -> None:
    with HostileBroker(attack) as broker, subscribed(broker) as link:
        wait_until(lambda: link.lost)
        assert link.lost == why
        assert attack.is_deaf or broker.sent < BUFFERED_MAX
        assert len(link.requests) <= REQUESTS_MAX


def test_a_flood_that_is_answered_goes_on_and_leaves_eight_requests() -> None:
    with HostileBroker(Attack.QOS_1) as broker, subscribed(broker) as link:
        wait_until(lambda: broker.sent > ENOUGH_BYTES)
        assert not link.lost
        assert len(link.requests) == REQUESTS_MAX


@pytest.mark.parametrize("size", [PACKET_BYTES_MAX, PACKET_BYTES_MAX + 1])
def test_the_bound_is_of_the_whole_packet(size: int) -> None:
    # Fixed header of three bytes, length of the topic, no properties.
    payload = size - 3 - 2 - len(TOPIC) - 1
    with HostileBroker(Attack.LARGE, payload) as broker, subscribed(broker) as link:
        wait_until(lambda: link.lost or broker.sent == size)
        link.publish("smartshoe/bench/SIM-1/x", b"{}")
        if size > PACKET_BYTES_MAX:
            wait_until(lambda: link.lost)
        assert bool(link.lost) is (size > PACKET_BYTES_MAX)


def test_the_ninth_message_is_too_many_while_the_answers_to_eight_are_not_written() -> None:
    client = BoundedClient(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    message, publish_at_qos_1 = 100, paho.PUBLISH | 2
    for number in range(RECEIVE_MAX):
        assert client._excess(publish_at_qos_1, message) == ""
        client._packet_queue(paho.PUBACK, bytes((0x40, 2, 0, number)), number, 1)

    assert client._excess(publish_at_qos_1, message) == UNANSWERED
    # What asks for no answer is taken.
    assert client._excess(paho.PUBLISH, message) == client._excess(paho.PINGRESP, 2) == ""


def test_a_broker_that_reads_nothing_is_left_once_more_waits_than_a_table_can_send() -> None:
    client = BoundedClient(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    for number in range(WINDOW_MAX + RECEIVE_MAX + 9):
        assert client._excess(paho.PUBREL | 2, 4) == ""
        client._packet_queue(paho.PUBREL, bytes((0x62, 2, 0, number)), number, 1)

    assert client._excess(paho.PUBREL | 2, 4) == "it sends and does not read what is sent to it"


def test_the_library_has_the_private_names_that_the_bounds_are_read_from() -> None:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)

    assert {"command", "have_remaining", "remaining_count", "remaining_length", "packet"} <= set(
        client._in_packet
    )
    assert isinstance(client._in_packet["packet"], bytearray)
    assert client._in_packet["have_remaining"] == 0
    assert len(client._in_messages) == len(client._out_packet) == 0
    client._packet_queue(paho.PUBACK, b"\x40\x02\x00\x01", 1, 1)
    assert [one["command"] for one in client._out_packet.copy()] == [paho.PUBACK]
    with pytest.raises(ConnectionError):
        client._sock_recv(1)
