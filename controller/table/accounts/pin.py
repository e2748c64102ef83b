"""Hashes and checks PINs: Argon2id, one at a time, and its memory is given back at once.

Source: RFC 9106; OWASP Password Storage Cheat Sheet (19 MiB, two passes).
"""

import os
import re
import threading
from itertools import pairwise
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from controller.system.process import map_large_blocks

PIN_LENGTH_MIN: Final = 6
PIN_LENGTH_MAX: Final = 64
_MEMORY_KIB: Final = 19 * 1024
_PASSES: Final = 2
_LANES: Final = 1
_SALT_BYTES: Final = 16
_HASH_BYTES: Final = 32
# What a hash that was made elsewhere may cost: 64 MiB, a second or two.
_MEMORY_KIB_MAX: Final = 64 * 1024
_PASSES_MAX: Final = 10
_LANES_MAX: Final = 4
# RFC 9106, 3.1: eight blocks of 1 KiB a lane.
_MEMORY_KIB_A_LANE: Final = 8
_PHC: Final = re.compile(
    r"\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})"
    r"\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}",
    re.ASCII,
)
COSTS_ALLOWED: Final = (
    f"m from {_MEMORY_KIB_A_LANE} times p to {_MEMORY_KIB_MAX}, t from 1 to {_PASSES_MAX},"
    f" p from 1 to {_LANES_MAX}"
)
NOT_A_HASH: Final = "it is no name with a hash of Argon2id in PHC form"
# What the PIN of a person without an account is compared with: no PIN has this hash.
NO_HASH: Final = f"$argon2id$v=19$m={_MEMORY_KIB},t={_PASSES},p={_LANES}${'A' * 22}${'A' * 43}"


class PinHasher:
    """Hashes and checks PINs, one at a time; some 40 ms each, off the global lock."""

    def __init__(self) -> None:
        # Otherwise the C library keeps the 19 MiB of each thread that hashed.
        map_large_blocks()
        self._one = threading.Lock()

    def hash(self, pin: str) -> str:
        """The hash of a PIN with its salt and costs, as a text in PHC form."""
        with self._one:
            return Argon2id(
                salt=os.urandom(_SALT_BYTES),
                length=_HASH_BYTES,
                iterations=_PASSES,
                lanes=_LANES,
                memory_cost=_MEMORY_KIB,
            ).derive_phc_encoded(pin.encode())

    def matches(self, pin: str, pin_hash: str) -> bool:
        """Whether the PIN has this hash; one that costs too much is nobody's, and is not tried."""
        if hash_problem(pin_hash):
            return False
        with self._one:
            try:
                Argon2id.verify_phc_encoded(pin.encode(), pin_hash)
            except InvalidKey:
                return False
        return True


def hash_problem(password_hash: str) -> str:
    """Why a hash is not taken: no Argon2id in PHC form, or its costs; empty where it is."""
    found = _PHC.fullmatch(password_hash)
    if found is None:
        return NOT_A_HASH
    memory, passes, lanes = map(int, found.groups())
    bounded = memory <= _MEMORY_KIB_MAX and 1 <= passes <= _PASSES_MAX and 1 <= lanes <= _LANES_MAX
    if bounded and memory >= _MEMORY_KIB_A_LANE * lanes:
        return ""
    return f"its costs m={memory}, t={passes}, p={lanes} are not taken"


def pin_problem(pin: str) -> str:
    """Why this may be nobody's PIN; empty where it may be. It never holds the PIN."""
    allowed = f"Allowed: {PIN_LENGTH_MIN} to {PIN_LENGTH_MAX} printable characters"
    if not (PIN_LENGTH_MIN <= len(pin) <= PIN_LENGTH_MAX and pin.isprintable()):
        return (
            f"pin: it is too short, too long, or not printable. {allowed}. Remedy: choose another"
        )
    steps = {ord(after) - ord(before) for before, after in pairwise(pin)}
    if len(steps) == 1 and steps <= {-1, 0, 1}:
        return f"pin: it is a row such as 123456. {allowed}, no row. Remedy: choose another"
    return ""
