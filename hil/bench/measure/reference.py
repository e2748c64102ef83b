"""The reference: about the least work that a program of this kind can do for a frame.

A blocking read, a checksum in C, one trigger of a plain `Machine` with a guard, a SHA-256 chain and
a write; the program is measured against it in the same run. It knows nothing of baccarat.
"""

import os
from binascii import crc_hqx
from hashlib import sha256

from transitions import Machine

PLACES = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")


def with_crc(data: bytes) -> bytes:
    """A frame for the reference: the data and its checksum."""
    return data + crc_hqx(data, 0).to_bytes(2, "big")


class Reference:
    """Reads frames of at most 64 bytes from one descriptor and answers on another."""

    state: str

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._chain = bytes(32)
        pairs = zip(PLACES, (*PLACES[1:], PLACES[0]), strict=True)
        self._machine = Machine(
            model=self,
            states=list(PLACES),
            initial=PLACES[0],
            transitions=[["card", a, b, "is_card"] for a, b in pairs],
            auto_transitions=False,
        )

    def is_card(self, frame: bytes) -> bool:
        return frame[2] > 0

    def run_once(self) -> None:
        """Process one frame, from the read to the verdict."""
        frame = os.read(self._source, 64)
        good = crc_hqx(frame[:-2], 0).to_bytes(2, "big") == frame[-2:]
        moved = good and self._machine.events["card"].trigger(self, frame)
        self._chain = sha256(self._chain + frame).digest()
        os.write(self._sink, b"+" if moved else b"-")
