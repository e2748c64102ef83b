"""Applies facts about the two batches where a shuffler reports on them, and records the changes.

It also derives what people would otherwise have to record: which batch is in the shuffler, whether
it is shuffled, whether the rack is clear.
Source: NY-a-4-iv-a to NY-a-4-iv-e; S42-a-4-ii to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22.

Decisions. Where the shuffler and people disagree, the shuffler's report counts. A batch that leaves
the shuffler while the other one is in play is one irregularity at that moment.
"""

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import CheckedProof, LineageUpdate
from controller.custody.batch_life.facts import Fact, StageChange
from controller.custody.batch_life.lifecycle import apply_batch_fact, new_lineage
from controller.custody.batch_life.permissions import idle_in_shuffler
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import (
    BatchLife,
    BlockReason,
    Lineage,
    OpenWarning,
    WarningKind,
)
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import with_empty_rack
from controller.procedure.acts.recording import (
    cards_in_shoe,
    other_batch,
    shoe_in_play,
    with_opening,
)
from controller.procedure.effects import (
    BatchMoved,
    Prompt,
    PromptKind,
    ShuffleRecorded,
    WarningOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import CompletedAct, OpeningState
from controller.procedure.step_result import Step, raise_irregularity
from controller.profiles.rule_points import RulePoint

_IS_SHUFFLED: Final = (BatchStage.SHUFFLED, BatchStage.STORED, *READY)
_MOVED_BY: Final = MappingProxyType(
    {
        BatchStage.UNKNOWN: (RulePoint.OPENING_INSPECTED,),
        BatchStage.COLLECTED: (RulePoint.BATCH_IDLE_IN_SHUFFLER, RulePoint.DISCARD_ONE_BATCH),
        BatchStage.COUNTED: (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
        BatchStage.SHUFFLING: (RulePoint.SHUFFLED,),
        BatchStage.SHUFFLED: (RulePoint.SHUFFLED,),
        BatchStage.STORED: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        BatchStage.RELEASED: (RulePoint.BATCH_ALTERNATES, RulePoint.SHUFFLER_RELEASE),
        BatchStage.CUT: (RulePoint.CUT_DEPTH,),
        BatchStage.IN_SHOE: (RulePoint.SHOE_LOADED, RulePoint.BATCH_ALTERNATES),
        BatchStage.IN_PLAY: (RulePoint.BATCH_ALTERNATES, RulePoint.BATCH_IDLE_IN_SHUFFLER),
        BatchStage.SPENT: (RulePoint.DISCARD_ONE_BATCH, RulePoint.RESHUFFLE),
        BatchStage.HELD: (RulePoint.SHUFFLED, RulePoint.BATCH_EQUAL),
    }
)
_PROVEN_BY: Final = (RulePoint.SHUFFLED, RulePoint.BATCH_EQUAL, RulePoint.BATCH_ONE_BACK)
_SHUFFLING: Final = (RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_COUNTING: Final = (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
_GUARDING: Final = (RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_WARNED_BY: Final = MappingProxyType(
    {
        WarningKind.LAMP: _GUARDING,
        WarningKind.JAM: _SHUFFLING,
        WarningKind.DOOR: _GUARDING,
        WarningKind.RESIDUAL: _COUNTING,
        WarningKind.MODE: _GUARDING,
        WarningKind.BROKEN_OFF: _SHUFFLING,
        WarningKind.COUNT: _COUNTING,
        WarningKind.POWER: _SHUFFLING,
        WarningKind.SELF_TEST: _SHUFFLING,
        WarningKind.TAMPER: _GUARDING,
        WarningKind.IDENTITY: _GUARDING,
        WarningKind.EVENTS_LOST: _GUARDING,
        WarningKind.SILENT: _GUARDING,
    }
)


def lineage_of(book: RuleBook, state: TableState) -> Lineage:
    """The lineage of the table's two batches; a new one where none was reported yet."""
    lineage = state.lineage
    if not book.tracks_batches:
        # While the shuffler does not report on batches, nothing is known of them.
        return replace(lineage, lives=(), into_shuffler="", in_play="")
    if tuple(life.back for life in lineage.lives) == book.backs:
        return lineage
    playing = lineage.in_play if lineage.in_play in book.backs else ""
    return replace(lineage, lives=new_lineage(book.backs).lives, into_shuffler="", in_play=playing)


def next_lineage(book: RuleBook, state: TableState, fact: Fact, at_ns: int = 0) -> LineageUpdate:
    """The lineage after this fact, with its changes; `at_ns` is UTC, 0 if no device reported it."""
    lineage = lineage_of(book, state)
    cards, at_ns = cards_in_shoe(book), at_ns or state.shuffler_event_ns
    return apply_batch_fact(
        book.batch_table, lineage, fact, cards=cards, decks=book.decks, at_ns=at_ns
    )


def apply_fact(book: RuleBook, step: Step, fact: Fact) -> Step:
    """Apply a fact from people or play, where the table has a shuffler."""
    return apply_change(book, step, next_lineage(book, step.state, fact)) if book.shuffler else step


def apply_change(book: RuleBook, step: Step, update: LineageUpdate) -> Step:
    """Apply a change of the lineage to the state, and record its effects."""
    before = lineage_of(book, step.state)
    step = step.with_state(replace(step.state, lineage=update.lineage))
    for move in update.moves:
        step = step.with_effect(_batch_moved(book, move))
    for judged in update.proofs:
        step = step.with_effect(_shuffle_recorded(book, judged))
    for warning in update.opened:
        step = _open_warning(book, step, warning)
    if not book.tracks_batches:
        return step
    step = with_opening(step, _opening_from_lineage(book, step.state))
    return _check_idle_batch_left(book, step, before)


def _batch_moved(book: RuleBook, move: StageChange) -> BatchMoved:
    clauses = book.clauses(*_MOVED_BY[BatchStage(move.after)])
    before, after = BatchStage(move.before), BatchStage(move.after)
    return BatchMoved(move.back, before.value, after.value, move.why, clauses)


def _shuffle_recorded(book: RuleBook, judged: CheckedProof) -> ShuffleRecorded:
    clauses = book.clauses(*_PROVEN_BY)
    return ShuffleRecorded(judged.back, judged.proof, judged.refused, clauses)


def is_in_shuffler(life: BatchLife) -> bool:
    """Whether a batch lies in the shuffler and was not released."""
    return life.compartment > 0 and life.stage not in READY


# --- warnings -------------------------------------------------------------------------------------


def warning_points(book: RuleBook, warning: OpenWarning) -> tuple[RulePoint, ...]:
    """The points that require attention to a warning."""
    return (RulePoint.CONTINUOUS_SHUFFLER,) if book.continuous else _WARNED_BY[warning.kind]


def describe_warning(warning: OpenWarning) -> str:
    return f"warning {warning.number} of the shuffler ({warning.text})"


def _open_warning(book: RuleBook, step: Step, warning: OpenWarning) -> Step:
    clauses = book.clauses(*warning_points(book, warning))
    opened = WarningOpened(
        number=warning.number,
        kind=warning.kind.value,
        code=warning.code,
        text=warning.text,
        clauses=clauses,
        since_ns=warning.since_ns,
    )
    text = (
        f"{describe_warning(warning)}: draw no card; a floorperson looks at the shuffler and clears"
        " the warning with a reason"
    )
    prompted = Prompt(PromptKind.WARNING, text, clauses, observed=True)
    return step.with_effect(opened).with_effect(prompted)


# --- what people need not record ------------------------------------------------------------------


def _opening_from_lineage(book: RuleBook, state: TableState) -> OpeningState:
    """The opening state with what the shuffler reports."""
    opening = state.opening
    for life in state.lineage.lives:
        if is_in_shuffler(life) and opening.rack_batch == life.back and not shoe_in_play(state):
            opening = replace(opening, rack_batch="", rack_extra=with_empty_rack(state).rack_extra)
        opening = _with_shuffle_act(opening, life, state.today)
    stored = [life.back for life in state.lineage.lives if is_in_shuffler(life)]
    # With both in it, the batch of the next shoe counts as the stored one.
    first = [back for back in stored if back != opening.last_batch]
    in_shuffler = next(iter((*first, *stored)), "")
    last = opening.last_batch
    coming = state.lineage.life(other_batch(book, last) if last else in_shuffler)
    opened = coming is not None and BlockReason.TOUCHED in coming.block_reasons
    return replace(opening, in_shuffler=in_shuffler, shuffler_opened=opened)


def _with_shuffle_act(opening: OpeningState, life: BatchLife, today: str) -> OpeningState:
    """A batch counts as shuffled while its proof or the record of a shuffle by hand is valid."""
    proven = life.stage in _IS_SHUFFLED and (life.proof is not None or life.by_hand)
    if not proven:
        return opening.without(ActKind.SHUFFLED, batch=life.back)
    if opening.has(ActKind.SHUFFLED, life.back):
        return opening
    by = life.proof.device if life.proof is not None else ""
    return opening.with_act(CompletedAct(ActKind.SHUFFLED, life.back, today, by, life.cards or 0))


def _check_idle_batch_left(book: RuleBook, step: Step, before: Lineage) -> Step:
    """Raise that a batch left the shuffler while the other one is in play."""
    playing = step.state.lineage.in_play
    if not playing or not shoe_in_play(step.state):
        return step
    if not idle_in_shuffler(before, playing) or idle_in_shuffler(step.state.lineage, playing):
        return step
    detail = f"{other_batch(book, playing)} left the shuffler while {playing} is in play"
    return raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
