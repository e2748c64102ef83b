"""The field of a FEIG OBID reader: transponders that lie in it, listed and read on request.

Responsible for: inventory and reading of memory blocks.
Not responsible for: tags that pass by (feig, buffered read mode) and frames (feig_wire).
Source: wire document of FEIG OBID readers, command B0.
"""

from dataclasses import dataclass

from hil.emulator.feig.wire import Status, TrType

BLOCK_BYTES = 4
BLOCKS = 28
INVENTORY_TAGS_MAX = 20
MORE = 0x80
ADDRESSED = 0x01
BLOCK_NOT_AVAILABLE = 0x10


@dataclass(frozen=True, slots=True)
class Transponder:
    """A chip: its identity, its kind and what is written in it."""

    identity: bytes
    kind: int = TrType.ISO15693
    memory: bytes = b""


def _entry(tag: Transponder) -> bytes:
    """A tag in an inventory; the length of its identity stands there where that may vary."""
    told = bytes((tag.kind, 0))
    if tag.kind in (TrType.ISO18000_3M3, TrType.EPC_C1G2):
        told += bytes((len(tag.identity),))
    return told + tag.identity


class TagField:
    """`tags` lie in the field, in the order in which they answer; so many in one answer."""

    def __init__(self, tags_per_answer: int = INVENTORY_TAGS_MAX) -> None:
        self.tags_per_answer = tags_per_answer
        self.tags: tuple[Transponder, ...] = ()
        self._listed = 0

    def answer(self, asked: bytes) -> tuple[Status, bytes]:
        """Status and data for what follows the command byte B0."""
        match asked[:1]:
            case b"\x01" if len(asked) == 2:
                return self._inventory(more=bool(asked[1] & MORE))
            case b"\x23" if len(asked) == 12 and asked[1] & 0x07 == ADDRESSED:
                return self._read_blocks(asked[2:10], *asked[10:12])
            case b"\x01" | b"\x23":
                return Status.LENGTH, b""
            case _:
                return Status.UNKNOWN_COMMAND, b""

    def _inventory(self, *, more: bool) -> tuple[Status, bytes]:
        done = self._listed if more else 0
        found = self.tags[done : done + self.tags_per_answer]
        self._listed = done + len(found)
        if not found:
            return Status.NO_TRANSPONDER, b""
        told = b"".join(map(_entry, found))
        rest = self._listed < len(self.tags)
        return Status.MORE_DATA if rest else Status.OK, bytes((len(found),)) + told

    def _read_blocks(self, identity: bytes, first: int, count: int) -> tuple[Status, bytes]:
        tag = next((tag for tag in self.tags if tag.identity == identity), None)
        if tag is None:
            return Status.NO_TRANSPONDER, b""
        if not count or first + count > BLOCKS:
            return Status.ISO15693, bytes((BLOCK_NOT_AVAILABLE,))
        memory = tag.memory.ljust(BLOCKS * BLOCK_BYTES, b"\0")
        starts = range(first * BLOCK_BYTES, (first + count) * BLOCK_BYTES, BLOCK_BYTES)
        blocks = b"".join(b"\0" + memory[start : start + BLOCK_BYTES] for start in starts)
        return Status.OK, bytes((count, BLOCK_BYTES)) + blocks
