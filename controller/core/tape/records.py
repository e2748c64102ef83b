"""Converts inputs and entries to journal records and back; joins runs of chunks in one record."""

from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct

from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.inputs import Input
from controller.journal.encoding import Codec, RecordKind, tag_of, unwrap, wrap
from controller.procedure.effects import CoupClosed, ShoeEnded
from controller.procedure.events import CardDrawn
from firmware_bridge.transport.port import Chunk
from foundation.recorded_text import Identifier
from foundation.timestamp import Timestamp


class ChunkRun(Struct, frozen=True, tag="chunk-run"):
    """Chunks of one port in one record; only the last may have led to entries.

    A slow line gives some thirty chunks a card; in single records, their envelopes would be most of
    the journal. `chunks` holds for each its delay after `at` on the monotonic clock and in UTC,
    both in nanoseconds, and its bytes.
    """

    port: Identifier
    at: Timestamp
    chunks: tuple[tuple[int, int, bytes], ...]

    @staticmethod
    def of(chunks: Sequence[Chunk]) -> "ChunkRun":
        """A run of chunks of one port, in order; at least one."""
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

    def split(self) -> tuple[Chunk, ...]:
        """The chunks as they were read."""
        first = self.at
        return tuple(
            Chunk(self.port, Timestamp(first.monotonic_ns + later, first.utc_ns + later_utc), data)
            for later, later_utc, data in self.chunks
        )


RecordedInput: TypeAlias = Input | ChunkRun
TypeT = TypeVar("TypeT", bound=Struct)

INPUTS: Final[Codec[RecordedInput]] = Codec(RecordedInput)
ENTRIES: Final[Codec[Entry]] = Codec(Entry)


def input_record(item: RecordedInput) -> bytes:
    return wrap(RecordKind.INPUT, INPUTS.encode(item))


def chunks_record(chunks: Sequence[Chunk]) -> bytes:
    """One record for chunks of one port; only the last may have led to entries."""
    return input_record(chunks[0] if len(chunks) == 1 else ChunkRun.of(chunks))


def entry_record(entry: Entry) -> bytes:
    return wrap(RecordKind.ENTRY, ENTRIES.encode(entry))


def read_input(record: bytes) -> RecordedInput | None:
    """The input in a record; None if it holds an entry. Raises EncodingError."""
    kind, value = unwrap(record)
    return INPUTS.decode(value) if kind is RecordKind.INPUT else None


def inputs_in(item: RecordedInput) -> tuple[Input, ...]:
    """The inputs of the core in a recorded input: itself, or each chunk of a run."""
    return item.split() if isinstance(item, ChunkRun) else (item,)


def received_ns(item: RecordedInput) -> int:
    """The UTC time of an input in nanoseconds; of a run of chunks, that of the last."""
    return inputs_in(item)[-1].at.utc_ns


def read_entry(record: bytes) -> Entry | None:
    """The entry in a record; None if it holds an input. Raises EncodingError."""
    kind, value = unwrap(record)
    return ENTRIES.decode(value) if kind is RecordKind.ENTRY else None


def read_as(record: bytes, kind: type[TypeT]) -> TypeT | None:
    """The input or entry in a record if it is of that class. Others are not decoded.

    Raises EncodingError.
    """
    if not holds(record, kind):
        return None
    item = read_input(record) or read_entry(record)
    return item if isinstance(item, kind) else None


def holds(record: bytes, kind: type[Struct]) -> bool:
    """Whether a record holds an input or entry of that class, as its first bytes say.

    Raises EncodingError if it is not a record.
    """
    return tag_of(unwrap(record)[1]) == kind.__struct_config__.tag


def ends_shoe(record: bytes) -> bool:
    """Whether a record says that a shoe ended. Raises EncodingError if it is not a record."""
    return holds(record, ShoeEnded)


def ends_coup(record: bytes) -> bool:
    """Whether a record says that a coup ended. Raises EncodingError if it is not a record."""
    return holds(record, CoupClosed)


def draws_card(record: bytes) -> bool | None:
    """Whether a record is the judgement of a card that left the shoe; None: it judges nothing.

    Raises EncodingError.
    """
    judged = read_as(record, EventVerdicts)
    return None if judged is None else isinstance(judged.event, CardDrawn)
