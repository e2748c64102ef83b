"""Opens a stored shuffle receipt with the device's key alone.

Source: firmware_bridge README, "TableLink/1", "Events".
"""

from drivers.shuffler_events import ShuffleProof
from drivers.shufflers.tablelink_events import proof_of
from firmware_bridge.tablelink.event_bodies import verify_receipt


def read_receipt(sealed: bytes, key: bytes) -> ShuffleProof | None:
    """The receipt; None where it is not a receipt signed with that key."""
    done = verify_receipt(sealed, key)
    return None if done is None else proof_of(done)
