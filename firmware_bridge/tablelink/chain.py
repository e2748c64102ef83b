"""The chain a device keeps over its events, and its signed checkpoints.

Responsible for: whether an event follows the one before it in the device's own chain, and whether
a checkpoint is the pinned device's and fits the chain.
Not responsible for: numbers (delivery) and for the chain of this table's journal (controller).
Source: package README, "TableLink/1", events.
"""

import hashlib
from typing import Final

from firmware_bridge import attestation
from firmware_bridge.tablelink.bodies import Checkpoint
from firmware_bridge.tablelink.messages import EventTold

CHAIN_BYTES: Final = 16
_BEGINNING: Final = bytes(CHAIN_BYTES)
_CHECKPOINT: Final = b"TableLink/1 checkpoint"
_NUMBER_BYTES: Final = 8


def why_broken(before: bytes, event: EventTold) -> str:
    """Why the event does not follow one whose chain was `before` (empty: not known); or empty."""
    before = _BEGINNING if event.number == 1 else before
    if not before:
        return ""
    if not event.chain:
        # A device that keeps no chain says so from its first event on.
        return "" if event.number == 1 else "it carries no chain, and those before it did"
    if hashlib.sha256(before + event.unchained).digest()[:CHAIN_BYTES] != event.chain:
        return "its chain does not follow from the event before it"
    return ""


def why_not_genuine(before: bytes, event: EventTold, told: Checkpoint, key: bytes) -> str:
    """Why a checkpoint proves nothing; empty where it does, or where no key is pinned."""
    if told.number >= event.number:
        return "it is of events that had not happened"
    if before and told.number == event.number - 1 and told.chain != before:
        return "its chain is not the one of the events that came"
    number = told.number.to_bytes(_NUMBER_BYTES, "little")
    if key and not attestation.verifies(key, told.signature, _CHECKPOINT + number + told.chain):
        return "its signature is not of the key that is pinned"
    return ""
