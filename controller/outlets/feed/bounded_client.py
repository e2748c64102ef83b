"""The MQTT library's client with bounds for what comes in, which it lacks: size, messages, answers.

It reads private names of the library, which `test_bounded_client` pins: the buffer of the packet
that is being read, the messages that wait for their release, the packets that wait to be written.
Source: OASIS MQTT 5.0, 3.1.2.11.3 "Receive Maximum", 3.1.2.11.4 "Maximum Packet Size", 4.9.
"""

from typing import Final

from paho.mqtt import client as paho
from paho.mqtt.client import PUBACK, PUBCOMP, PUBLISH

# What a broker may send in one packet, from the first byte of its fixed header on.
PACKET_BYTES_MAX: Final = 16 * 1024
# How many messages it may send before they are answered.
RECEIVE_MAX: Final = 8
# How many of our own wait for its acknowledgement.
WINDOW_MAX: Final = 64
# Our messages, the answers to the broker's, and what begins, keeps and ends a connection.
_TO_WRITE_MAX: Final = WINDOW_MAX + RECEIVE_MAX + 8
_KIND: Final = 0xF0
_QOS: Final = 0x06


class _Exceeded(ConnectionError):
    """The broker exceeds a bound: the library ends the connection as for any error of a socket."""


class BoundedClient(paho.Client):
    """Ends the connection after the fixed header of a packet that exceeds what CONNECT allowed.

    `exceeded` says which bound it was; it is empty before.
    """

    exceeded = ""

    def _sock_recv(self, bufsize: int) -> bytes:
        packet = self._in_packet
        if packet["have_remaining"] and not packet["packet"]:
            self.exceeded = self._excess(packet["command"], self._size())
            if self.exceeded:
                raise _Exceeded(self.exceeded)
        return super()._sock_recv(bufsize)

    def _size(self) -> int:
        """The bytes of the packet whose fixed header is read, with that header."""
        packet = self._in_packet
        return 1 + len(packet["remaining_count"]) + packet["remaining_length"]

    def _excess(self, command: int, size: int) -> str:
        """What of it exceeds a bound; empty where nothing does."""
        if size > PACKET_BYTES_MAX:
            return f"it sent a packet of {size} bytes; at most {PACKET_BYTES_MAX} are taken"
        if command & _KIND == PUBLISH and command & _QOS and self._unanswered() >= RECEIVE_MAX:
            return f"it sent more than {RECEIVE_MAX} messages before they were answered"
        if len(self._out_packet) > _TO_WRITE_MAX:
            return "it sends and does not read what is sent to it"
        return ""

    def _unanswered(self) -> int:
        """Its messages that are not released, or whose answer is not written."""
        waiting = self._out_packet.copy()
        answers = sum(one["command"] & _KIND in (PUBACK, PUBCOMP) for one in waiting)
        return len(self._in_messages) + answers
