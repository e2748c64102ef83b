"""Whether a batch may be dealt from, as the shuffler's reports show.

Source: NY-a-4-iv-a to NY-a-4-iv-e; S42-a-4-ii to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22;
field practice (Taj Mahal, Showboat: unshuffled cards; two packs: the same batch again).

Decisions. The shuffler is the observer: readiness is judged whether or not loading is recorded. The
batch is the one of the card's own back, else the one recorded, else the one the shuffler released,
else the only one outside the shuffler.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.facts import FirstCardOut
from controller.custody.batch_life.permissions import (
    Obstacle,
    batch_due_next,
    idle_in_shuffler,
    obstacles_to_dealing,
)
from controller.custody.batch_life.state import BlockReason
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.recording import other_batch
from controller.procedure.effects import PromptKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import apply_fact, next_lineage
from controller.procedure.state import OpeningDefect, TableState
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.rules.actions.choices import ActKind
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message

_NOT_WHOLE: Final = (IrregularityCode.BATCH_BLOCKED, (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL))
_UNSHUFFLED: Final = (
    IrregularityCode.BATCH_UNSHUFFLED,
    (RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER),
)
_NOT_READY: Final = IrregularityCode.BATCH_NOT_READY
_GUARDED: Final = (RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_IRREGULARITY_OF: Final = MappingProxyType(
    {
        BlockReason.SHORT: _NOT_WHOLE,
        BlockReason.LONG: _NOT_WHOLE,
        BlockReason.FOREIGN: (
            IrregularityCode.BATCH_BLOCKED,
            (RulePoint.BATCH_ONE_BACK, RulePoint.BATCH_BACKS_DIFFER),
        ),
        BlockReason.UNSHUFFLED: _UNSHUFFLED,
        BlockReason.UNPROVEN: _UNSHUFFLED,
        BlockReason.BROKEN_OFF: _UNSHUFFLED,
        BlockReason.JAMMED: (_NOT_READY, (RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER)),
        BlockReason.TOUCHED: (_NOT_READY, _GUARDED),
        BlockReason.REPEATED: (IrregularityCode.BATCH_REPEATED, (RulePoint.BATCH_ALTERNATES,)),
        BlockReason.NOT_RELEASED: (_NOT_READY, (RulePoint.SHUFFLER_RELEASE,)),
        BlockReason.DEVICE: (_NOT_READY, _GUARDED),
    }
)
# Codes that depend only on the lineage, so that a later report can withdraw them.
_OF_LIVES: Final = (
    IrregularityCode.BATCH_BLOCKED,
    IrregularityCode.BATCH_UNSHUFFLED,
    IrregularityCode.BATCH_NOT_READY,
)


# --- loading --------------------------------------------------------------------------------------


def batch_obstacles(book: RuleBook, state: TableState, batch: str) -> tuple[Obstacle, ...]:
    """The obstacles to dealing from this batch."""
    return obstacles_to_dealing(lineage_of(book, state), batch) if book.tracks_batches else ()


def obstacle_code(found: Obstacle) -> IrregularityCode:
    """The irregularity of dealing in spite of the obstacle."""
    return _IRREGULARITY_OF[found.reason][0]


def obstacle_points(found: tuple[Obstacle, ...]) -> tuple[RulePoint, ...]:
    """The points that forbid dealing from the batch."""
    return tuple(dict.fromkeys(point for one in found for point in _IRREGULARITY_OF[one.reason][1]))


def is_defect_gone(book: RuleBook, state: TableState, defect: OpeningDefect) -> bool:
    """Whether the obstacle for which a loading was refused is gone."""
    if not book.tracks_batches or defect.act is not ActKind.LOADED or defect.code not in _OF_LIVES:
        return False
    return defect.code not in [
        obstacle_code(one) for one in batch_obstacles(book, state, defect.batch)
    ]


def prompt_obstacles(book: RuleBook, step: Step) -> Step:
    """Prompt the obstacles to the batch that the opened shoe would be dealt from."""
    if not book.tracks_batches:
        return step
    batch = dealt_batch(book, step.state, "")
    if not batch:
        text = message("no_batch_released_by_shuffler_one_released")
        return prompt(book, step, PromptKind.BATCH, text, *_UNSHUFFLED[1])
    found = batch_obstacles(book, step.state, batch)
    if not found:
        return step
    text = describe_obstacles(found)
    return prompt(book, step, PromptKind.BATCH, text, *obstacle_points(found))


def describe_obstacles(found: tuple[Obstacle, ...]) -> Message:
    """Each obstacle with its remedy."""
    return message("one_after_another", texts=tuple(one.with_remedy() for one in found))


# --- the first card -------------------------------------------------------------------------------


def dealt_batch(book: RuleBook, state: TableState, back: str) -> str:
    """The batch of a first card; empty where it is unknown."""
    if not book.tracks_batches:
        return ""
    refused = next((one.batch for one in state.opening.defects if one.batch), "")
    own = back if back in book.backs else ""
    named = own or state.lineage.loaded or refused
    return named or next_lineage(book, state, FirstCardOut("")).lineage.in_play


def check_dealt_batch(
    book: RuleBook, step: Step, batch: str, raised: tuple[IrregularityCode, ...] = ()
) -> Step:
    """Check the batch of a first card; `raised` are codes that were already raised."""
    if not book.tracks_batches:
        return step
    lineage = lineage_of(book, step.state)
    loaded = lineage.loaded
    expected = loaded or batch_due_next(lineage)
    if not batch:
        detail = message("no_batch_released_by_shuffler")
        step = raise_irregularity(book, step, IrregularityCode.BATCH_UNSHUFFLED, detail)
    elif expected and batch != expected:
        detail = (
            message("belongs_to_batch_expected_loaded", batch=batch, expected=expected)
            if loaded
            else message("belongs_to_batch_expected_released", batch=batch, expected=expected)
        )
        step = raise_irregularity(book, step, IrregularityCode.WRONG_BATCH, detail)
    found = obstacles_to_dealing(lineage, batch) if batch else ()
    for code in dict.fromkeys(obstacle_code(one) for one in found):
        matching = tuple(one for one in found if obstacle_code(one) is code)
        if code not in raised:
            detail = describe_obstacles(matching)
            step = raise_irregularity(book, step, code, detail, *obstacle_points(matching))
    rack_batch = lineage.in_rack
    mixed = IrregularityCode.DISCARD_RACK_MIXED
    if batch and rack_batch == other_batch(book, batch) and mixed not in raised:
        step = raise_irregularity(
            book,
            step,
            mixed,
            message("rack_holds_would_be_added", rack_batch=rack_batch, batch=batch),
        )
    return apply_fact(book, step, FirstCardOut(batch))


def check_idle_batch(book: RuleBook, step: Step, batch: str, *, seen: bool, excused: str) -> Step:
    """Check that the other batch is in the shuffler while this one is in play.

    `seen`: the card's own back identified its batch. Where it did not, and both batches are outside
    the shuffler, either may be in the shoe: play waits for a person to check. `excused` is the
    batch that a floorperson let be dealt twice in a row.
    """
    if not batch:
        return step
    idle = other_batch(book, batch)
    if excused == batch:
        what = message("alternation_suspended_in_play_wherever", batch=batch, idle=idle)
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    if idle_in_shuffler(step.state.lineage, batch):
        what = message("loaded_in_play_idle_in_shuffler", loaded=batch, idle=idle)
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    detail = message("not_in_shuffler_while_in_play", idle=idle, batch=batch)
    step = raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
    if seen:
        return step
    detail = message("outside_shuffler_too_check_backs_cards", idle=idle)
    return raise_irregularity(book, step, IrregularityCode.BATCH_NOT_READY, detail)
