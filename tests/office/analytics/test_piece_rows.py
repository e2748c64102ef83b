"""What the rows of a shoe carry over from one record to the next, without a file of tables."""

from controller.core.tape.records import entry_record
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.values import StoredRecord
from controller.record.audiences import Audience
from controller.record.reader import RunRules, SeenReader
from controller.rules.profiles.load import load_clauses
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.message import Message, message
from office.analytics.piece_rows import PieceRows, ShoeFacts

REFUSED = message("reports_different_count")


def rows() -> PieceRows:
    made = PieceRows(SeenReader(Audience.ANALYST, RunRules(load_clauses())))
    made.begin_shoe(ShoeFacts(back="red", batch="RED-0001", decks=8))
    return made


def shuffled(cycle: int, refused: Message | None) -> StoredRecord:
    proof = ShuffleProof(
        device="5eed0000c0ffee01",
        boot_id=1,
        boot_count=1,
        cycle=cycle,
        compartment=1,
        count=416 if refused is None else 415,
        result=ShuffleResult.GOOD if refused is None else ShuffleResult.COUNT_DIFFERS,
        back="red",
        faces=b"",
        began_us=0,
        ended_us=20_000_000,
        image=bytes(32),
        version="1.0.0",
        sealed=b"",
        signed=True,
        genuine=True,
    )
    record = entry_record(ShuffleRecorded("red", proof, refused, ()))
    return StoredRecord(cycle, record, bytes(32))


def test_a_refused_shuffle_is_credited_to_no_shoe() -> None:
    made = rows()
    found = [row for one in (shuffled(1, None), shuffled(2, REFUSED)) for row in made.rows_of(one)]

    assert [(row["cycle"], row["refused"]) for _, row in found] == [(1, None), (2, REFUSED.id)]
    assert made._of_batch()["shuffle_cycle"] == 1


def test_the_next_shoe_begins_without_the_end_of_a_coup_before_it() -> None:
    made = rows()
    made.coup_ended_ns = 1_795_000_000_000_000_000
    made.shown.add(1)

    made.begin_shoe(ShoeFacts(back="blue"))

    assert (made.coup_ended_ns, made.shown) == (0, set())
