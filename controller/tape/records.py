"""Records of the journal as values: a tape of inputs and entries in one order.

Responsible for: turning inputs and entries into the bytes of a record and back, and keeping a run
of chunks that concluded nothing in one record.
Not responsible for: the encoding itself (journal.canonical) and for storing (journal.store).
Source: package README, "Evidence".
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, TypeAlias

from controller.journal.encoding.codec import CanonicalError, Codec, OlderCodec
from controller.journal.record import RecordKind, unwrap, wrap
from controller.tape.entries import Entry
from controller.tape.inputs import Input
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class ChunkRun:
    """Chunks of one port, of which only the last may have concluded anything.

    A slow line gives some thirty chunks a card; kept apart, their envelopes would be most of the
    journal. `chunks` holds, for each, how much later than `at` it was read on the monotonic
    clock and in UTC, both in nanoseconds, and its bytes.
    """

    port: str
    at: Timestamp
    chunks: tuple[tuple[int, int, bytes], ...]

    @staticmethod
    def of(chunks: Sequence[Chunk]) -> "ChunkRun":
        """Chunks of one port, in order; at least one."""
        first = chunks[0].at
        return ChunkRun(
            chunks[0].port,
            first,
            tuple(
                (
                    chunk.at.monotonic_ns - first.monotonic_ns,
                    chunk.at.utc_ns - first.utc_ns,
                    chunk.data,
                )
                for chunk in chunks
            ),
        )

    def apart(self) -> tuple[Chunk, ...]:
        """The chunks as they were read."""
        first = self.at
        return tuple(
            Chunk(self.port, Timestamp(first.monotonic_ns + later, first.utc_ns + later_utc), data)
            for later, later_utc, data in self.chunks
        )


RecordedInput: TypeAlias = Input | ChunkRun

INPUTS: Final[Codec[RecordedInput]] = Codec(RecordedInput)
ENTRIES: Final[Codec[Entry]] = Codec(Entry)


def input_record(item: RecordedInput) -> bytes:
    return wrap(RecordKind.INPUT, INPUTS.encode(item))


def chunks_record(chunks: Sequence[Chunk]) -> bytes:
    """One record for chunks of one port, of which only the last may have concluded anything."""
    return input_record(chunks[0] if len(chunks) == 1 else ChunkRun.of(chunks))


def entry_record(entry: Entry) -> bytes:
    return wrap(RecordKind.ENTRY, ENTRIES.encode(entry))


def read_input(record: bytes) -> RecordedInput | None:
    """The input that a record holds; None where it holds an entry. Raises CanonicalError."""
    kind, value = unwrap(record)
    return INPUTS.decode(value) if kind is RecordKind.INPUT else None


def inputs_in(item: RecordedInput) -> tuple[Input, ...]:
    """What a recorded input is to the core: one input, or each chunk of a run."""
    return item.apart() if isinstance(item, ChunkRun) else (item,)


def read_entry(record: bytes) -> Entry | None:
    """The entry that a record holds; None where it holds an input. Raises CanonicalError."""
    kind, value = unwrap(record)
    return ENTRIES.decode(value) if kind is RecordKind.ENTRY else None


def read_older_input(record: bytes) -> RecordedInput | None:
    """As `read_input`, of a record that another version wrote. Raises CanonicalError."""
    kind, value = unwrap(record)
    return _older_inputs().decode(value) if kind is RecordKind.INPUT else None


def read_older_entry(record: bytes) -> Entry | None:
    """The entry that another version's record holds.

    None where it holds an input, or an entry that this version has no word for.
    """
    kind, value = unwrap(record)
    if kind is not RecordKind.ENTRY:
        return None
    try:
        return _older_entries().decode(value)
    except CanonicalError:
        return None


@cache
def _older_inputs() -> OlderCodec[RecordedInput]:
    return OlderCodec(RecordedInput)


@cache
def _older_entries() -> OlderCodec[Entry]:
    return OlderCodec(Entry)
