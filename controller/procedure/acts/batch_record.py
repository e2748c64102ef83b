"""Reads the one record of the two batches, as the table has it: where they are, whether shuffled.

Not: changing it (shuffler.batch_life for what a shuffler reports, opening.batches for people).
Source: NY (a)(4)(iv); S42 (a)(4), (e).
"""

from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.lifecycle import new_lineage
from controller.custody.batch_life.stages import SHUFFLED_STAGES
from controller.custody.batch_life.state import BlockReason, Lineage
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.rules.actions.choices import ActKind

_BACK_OF: Final = attrgetter("back")


def lineage_of(book: RuleBook, state: TableState) -> Lineage:
    """The record of the table's two batches; a new one where none was reported yet."""
    lineage = state.lineage
    if not book.tracks_batches:
        # Where no shuffler reports, people's record says where the batches are.
        return replace(lineage, lives=(), into_shuffler="", dealing=False)
    if tuple(map(_BACK_OF, lineage.lives)) == book.backs:
        return lineage
    dealing = lineage.in_play in book.backs
    return replace(lineage, lives=new_lineage(book.backs).lives, into_shuffler="", dealing=dealing)


def was_shuffler_opened(book: RuleBook, state: TableState) -> bool:
    """Whether the batch of the next shoe was not secure in the shuffler."""
    if not book.tracks_batches:
        return state.lineage.opened
    lineage = lineage_of(book, state)
    last = lineage.last_dealt
    coming = lineage.other(last) if last else lineage.life(lineage.stored_batch)
    return coming is not None and BlockReason.TOUCHED in coming.block_reasons


def is_shuffled(book: RuleBook, state: TableState, batch: str) -> bool:
    """Whether the batch is shuffled: by proof, lamps or hand, else by the act alone."""
    if not book.tracks_batches:
        return state.opening.has(ActKind.SHUFFLED, batch)
    life = lineage_of(book, state).life(batch)
    if life is None or life.stage not in SHUFFLED_STAGES:
        return False
    return life.proof is not None or life.shown is not None or life.by_hand
