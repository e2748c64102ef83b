"""What people see of the cards' way to the next shoe: duties, batches, shuffler, rack.

Responsible for: plain values for the snapshot, none of which follows from a card's face.
Not responsible for: what is due (procedure.duties) and how any view words it.
Source: package README, "Opening to closing".
"""

from controller.procedure.duties import done, due, in_words
from controller.procedure.opening_state import NOBODY
from controller.procedure.recording import in_play, next_batch, two_batches
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState


def opening_view(book: RuleBook, table: TableState) -> dict[str, object]:
    """The next shoe's duties and where the cards are; keys are stable, "" where nothing is known.

    `batch` is the one loaded or due. While a shoe is in play the duties are those of the shoe
    after it. `observed` false: nobody tells the program, so `done` says only what is recorded.
    """
    opening = table.opening
    batch = next_batch(book, opening)
    return {
        "shuffle_mode": book.values.shuffle_mode.value,
        "duties": [
            {
                "act": duty.acts[0].value,
                "text": in_words(book, duty),
                "group": duty.group.value,
                "done": done(duty, opening, batch, table.today),
                "observed": book.observes(duty.fact),
                "clauses": list(book.clauses(*duty.points)),
            }
            for duty in due(book, opening)
        ],
        "refused": [
            {"act": fault.act.value, "code": fault.code.value, "detail": fault.detail}
            for fault in opening.faults
        ],
        "batches": list(book.backs) if two_batches(book) else [],
        "batch": batch,
        "loaded": opening.loaded,
        "in_play": opening.last_batch if in_play(table) else "",
        "last_batch": opening.last_batch,
        "in_shuffler": opening.in_shuffler,
        "in_rack": opening.rack_batch,
        "cut_offered_to": list(opening.offered),
        "cut_by": opening.cutter if opening.cutter != NOBODY else None,
        "recut_by": list(opening.recut_by),
        "dead_table": opening.dead,
        "shoe_held_by": opening.holder or None,
    }
