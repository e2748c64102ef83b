"""The receipt of a shuffle, long after it came: opened with a key alone.

Responsible for: what the owner of a key states of a shuffle, from the sealed bytes.
Not responsible for: receipts as they come from a shuffler (tablelink_events) and for whether one
counts for a batch (controller).
Source: package README, "Shufflers"; firmware_bridge README, "TableLink/1", "Events".
"""

from drivers.shuffler_events import ShuffleProof
from drivers.shufflers.tablelink_events import proof_of
from firmware_bridge.tablelink.event_bodies import opened_receipt


def opened(sealed: bytes, key: bytes) -> ShuffleProof | None:
    """The receipt; None where it is not sealed with that key, or is none."""
    done = opened_receipt(sealed, key)
    return None if done is None else proof_of(done)
