"""The lives of the two batches, followed where a shuffler tells of them.

Responsible for: the lineage of the table, what one more fact makes of it in the record (batches
that moved, receipts, warnings), and keeping what people would otherwise be asked (which batch is in
the shuffler, whether it is shuffled, whether the rack is clear) as the shuffler tells it.
Not responsible for: following itself (controller.custody.lineage), which event is which fact
(shuffler, people_told, batch_ready) and the interlock's cards (interlock).
Source: NY-a-4-iv-a to NY-a-4-iv-e; S42-a-4-ii to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22.

Decisions. Where both know, the shuffler is believed and not the people. A batch that leaves the
shuffler while the other one is in play is one irregularity at that moment.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.change import Followed, JudgedProof
from controller.custody.batch_life.facts import Fact, Moved
from controller.custody.batch_life.follow import begun, follow
from controller.custody.batch_life.permissions import idle_in_shuffler
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import Bar, BatchLife, Lineage, OpenWarning, WarningKind
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import emptied
from controller.procedure.acts.recording import cards_in_shoe, in_play, other_batch, with_opening
from controller.procedure.effects import (
    BatchMoved,
    Call,
    Prompted,
    ShuffleRecorded,
    WarningOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import Act, OpeningState
from controller.procedure.step_result import Step, irregular
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace

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
    """The lives as they stand; they begin with nothing known where none were told of yet."""
    lineage = state.lineage
    if not book.tells_batches:
        # Cards that go another way meanwhile are not known to be as they were.
        return replace(lineage, lives=(), into_shuffler="", in_play="")
    if tuple(life.back for life in lineage.lives) == book.backs:
        return lineage
    playing = lineage.in_play if lineage.in_play in book.backs else ""
    return replace(lineage, lives=begun(book.backs).lives, into_shuffler="", in_play=playing)


def what_follows(book: RuleBook, state: TableState, fact: Fact, at_ns: int = 0) -> Followed:
    """What this fact makes of the lives; `at_ns` is UTC, 0 where no device told it."""
    lineage = lineage_of(book, state)
    cards, at_ns = cards_in_shoe(book), at_ns or state.told_ns
    return follow(book.lives, lineage, fact, cards=cards, decks=book.decks, at_ns=at_ns)


def lived(book: RuleBook, step: Step, fact: Fact) -> Step:
    """Follow one more fact that people or play tell, where a shuffler tells of the batches."""
    return lived_on(book, step, what_follows(book, step.state, fact)) if book.shuffler else step


def lived_on(book: RuleBook, step: Step, followed: Followed) -> Step:
    """State what a fact made of the lives."""
    before = lineage_of(book, step.state)
    step = step.on(replace(step.state, lineage=followed.lineage))
    for move in followed.moves:
        step = step.with_effect(_moved(book, move))
    for judged in followed.proofs:
        step = step.with_effect(_receipt(book, judged))
    for warning in followed.opened:
        step = _warned(book, step, warning)
    if not book.tells_batches:
        return step
    step = with_opening(step, _as_told(book, step.state))
    return _idle_watched(book, step, before)


def _moved(book: RuleBook, move: Moved) -> BatchMoved:
    clauses = book.clauses(*_MOVED_BY[BatchStage(move.after)])
    before, after = BatchStage(move.before), BatchStage(move.after)
    return BatchMoved(move.back, before.value, after.value, move.why, clauses)


def _receipt(book: RuleBook, judged: JudgedProof) -> ShuffleRecorded:
    clauses = book.clauses(*_PROVEN_BY)
    return ShuffleRecorded(judged.back, judged.proof, judged.refused, clauses)


def is_in_shuffler(life: BatchLife) -> bool:
    """Whether a batch lies in the shuffler and not in what it has put out."""
    return life.compartment > 0 and life.stage not in READY


# --- warnings -------------------------------------------------------------------------------------


def warning_points(book: RuleBook, warning: OpenWarning) -> tuple[RulePoint, ...]:
    """What asks for heeding a warning."""
    return (RulePoint.CONTINUOUS_SHUFFLER,) if book.continuous else _WARNED_BY[warning.kind]


def warning_in_words(warning: OpenWarning) -> str:
    return f"warning {warning.number} of the shuffler ({warning.text})"


def _warned(book: RuleBook, step: Step, warning: OpenWarning) -> Step:
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
        f"{warning_in_words(warning)}: draw no card; a floorperson looks at the shuffler and clears"
        " the warning with a reason"
    )
    prompted = Prompted(Call.WARNING, text, clauses, observed=True)
    return step.with_effect(opened).with_effect(prompted)


# --- what people need not be asked ----------------------------------------------------------------


def _as_told(book: RuleBook, state: TableState) -> OpeningState:
    """What is known before the next shoe, as the shuffler tells it."""
    opening = state.opening
    for life in state.lineage.lives:
        if is_in_shuffler(life) and opening.rack_batch == life.back and not in_play(state):
            opening = replace(opening, rack_batch="", rack_extra=emptied(state).rack_extra)
        opening = _shuffle_noted(opening, life, state.today)
    stored = [life.back for life in state.lineage.lives if is_in_shuffler(life)]
    # With both in it, the one that comes next is the one that is stored.
    first = [back for back in stored if back != opening.last_batch]
    in_shuffler = next(iter((*first, *stored)), "")
    last = opening.last_batch
    coming = state.lineage.life(other_batch(book, last) if last else in_shuffler)
    opened = coming is not None and Bar.TOUCHED in coming.bars
    return replace(opening, in_shuffler=in_shuffler, shuffler_opened=opened)


def _shuffle_noted(opening: OpeningState, life: BatchLife, today: str) -> OpeningState:
    """A batch counts as shuffled while its proof, or the record of a shuffle by hand, stands."""
    proven = life.stage in _IS_SHUFFLED and (life.proof is not None or life.by_hand)
    if not proven:
        return opening.without(ActKind.SHUFFLED, batch=life.back)
    if opening.has(ActKind.SHUFFLED, life.back):
        return opening
    by = life.proof.device if life.proof is not None else ""
    return opening.with_act(Act(ActKind.SHUFFLED, life.back, today, by, life.cards or 0))


def _idle_watched(book: RuleBook, step: Step, before: Lineage) -> Step:
    """A batch that leaves the shuffler while the other one is in play."""
    playing = step.state.lineage.in_play
    if not playing or not in_play(step.state):
        return step
    if not idle_in_shuffler(before, playing) or idle_in_shuffler(step.state.lineage, playing):
        return step
    detail = f"{other_batch(book, playing)} left the shuffler while {playing} is in play"
    return irregular(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
