"""Emulates the antenna field of a FEIG OBID reader: inventory and reading of memory blocks.

Source: wire document of FEIG OBID readers, command B0.
"""

from dataclasses import dataclass

from hil.emulator.feig.wire import AnswerStatus, TrType

BLOCK_BYTES = 4
BLOCKS = 28
INVENTORY_TAGS_MAX = 20
MORE = 0x80
ADDRESSED = 0x01
BLOCK_NOT_AVAILABLE = 0x10


@dataclass(frozen=True, slots=True)
class Transponder:
    """A chip: its identity, its kind and the content of its memory."""

    identity: bytes
    kind: int = TrType.ISO15693
    memory: bytes = b""


def _inventory_entry(tag: Transponder) -> bytes:
    """Encode a tag of an inventory, with the length of its identity where that may vary."""
    entry = bytes((tag.kind, 0))
    if tag.kind in (TrType.ISO18000_3M3, TrType.EPC_C1G2):
        entry += bytes((len(tag.identity),))
    return entry + tag.identity


class TagField:
    """The field. `tags` answer in this order, at most `tags_per_answer` in one answer."""

    def __init__(self, tags_per_answer: int = INVENTORY_TAGS_MAX) -> None:
        self.tags_per_answer = tags_per_answer
        self.tags: tuple[Transponder, ...] = ()
        self._listed = 0

    def answer(self, request: bytes) -> tuple[AnswerStatus, bytes]:
        """Answer the part of a request after command byte B0 with status and data."""
        match request[:1]:
            case b"\x01" if len(request) == 2:
                return self._inventory(more=bool(request[1] & MORE))
            case b"\x23" if len(request) == 12 and request[1] & 0x07 == ADDRESSED:
                return self._read_blocks(request[2:10], *request[10:12])
            case b"\x01" | b"\x23":
                return AnswerStatus.LENGTH, b""
            case _:
                return AnswerStatus.UNKNOWN_COMMAND, b""

    def _inventory(self, *, more: bool) -> tuple[AnswerStatus, bytes]:
        done = self._listed if more else 0
        found = self.tags[done : done + self.tags_per_answer]
        self._listed = done + len(found)
        if not found:
            return AnswerStatus.NO_TRANSPONDER, b""
        entries = b"".join(map(_inventory_entry, found))
        rest = self._listed < len(self.tags)
        return AnswerStatus.MORE_DATA if rest else AnswerStatus.OK, bytes((len(found),)) + entries

    def _read_blocks(self, identity: bytes, first: int, count: int) -> tuple[AnswerStatus, bytes]:
        tag = next((tag for tag in self.tags if tag.identity == identity), None)
        if tag is None:
            return AnswerStatus.NO_TRANSPONDER, b""
        if not count or first + count > BLOCKS:
            return AnswerStatus.ISO15693, bytes((BLOCK_NOT_AVAILABLE,))
        memory = tag.memory.ljust(BLOCKS * BLOCK_BYTES, b"\0")
        starts = range(first * BLOCK_BYTES, (first + count) * BLOCK_BYTES, BLOCK_BYTES)
        blocks = b"".join(b"\0" + memory[start : start + BLOCK_BYTES] for start in starts)
        return AnswerStatus.OK, bytes((count, BLOCK_BYTES)) + blocks
