"""Applies facts about the two batches where a shuffler reports on them, and records the changes.

It also derives what people would otherwise have to record: whether the rack is clear.
Source: NY-a-4-iv-a to NY-a-4-iv-e; S42-a-4-ii to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22.

Decisions. Where the shuffler and people disagree, the shuffler's report counts. A batch that leaves
the shuffler while the other one is in play is one irregularity at that moment.
"""

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import LineageUpdate
from controller.custody.batch_life.facts import Fact, ShuffleRecorded, StageChange
from controller.custody.batch_life.lifecycle import apply_batch_fact
from controller.custody.batch_life.permissions import idle_in_shuffler
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import (
    OpenWarning,
    WarningKind,
)
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.discard_rack import empty_rack
from controller.procedure.acts.recording import (
    cards_in_shoe,
    other_batch,
    shoe_in_play,
    with_lineage,
)
from controller.procedure.effects import (
    Prompt,
    PromptKind,
    WarningOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message

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


def next_lineage(book: RuleBook, state: TableState, fact: Fact, at_ns: int = 0) -> LineageUpdate:
    """The lineage after this fact, with its changes; `at_ns` is UTC, 0 if no device reported it."""
    lineage = lineage_of(book, state)
    cards, at_ns = cards_in_shoe(book), at_ns or state.shuffler_event_ns
    return apply_batch_fact(
        lineage,
        fact,
        cards=cards,
        decks=book.decks,
        at_ns=at_ns,
        by_contacts=book.by_contacts,
    )


def apply_fact(book: RuleBook, step: Step, fact: Fact) -> Step:
    """Apply a fact from people or play, where the table has a shuffler."""
    return apply_change(book, step, next_lineage(book, step.state, fact)) if book.shuffler else step


def apply_change(book: RuleBook, step: Step, update: LineageUpdate) -> Step:
    """Apply a change of the lineage to the state, and record its effects."""
    before, effects = step.state, list(step.effects)
    for move in update.moves:
        cited = book.clauses(*_MOVED_BY[move.after])
        effects.append(StageChange(move.batch, move.before, move.after, move.why, cited))
    for judged in update.proofs:
        cited = book.clauses(*_PROVEN_BY)
        effects.append(ShuffleRecorded(judged.batch, judged.proof, judged.refused, cited))
    for warning in update.opened:
        effects += _opened_warning(book, warning)
    step = replace(
        step,
        state=replace(before, lineage=update.lineage),
        effects=tuple(effects),
        moves=(*step.moves, *update.placed),
    )
    if not update.lineage.lives:
        return step
    return _check_idle_batch_left(book, _clear_rack(step), before)


# --- warnings -------------------------------------------------------------------------------------


def warning_points(book: RuleBook, warning: OpenWarning) -> tuple[RulePoint, ...]:
    """The points that require attention to a warning."""
    return (RulePoint.CONTINUOUS_SHUFFLER,) if book.continuous else _WARNED_BY[warning.kind]


def describe_warning(warning: OpenWarning) -> Message:
    return message("warning_of_shuffler", number=warning.number, text=warning.text)


def _opened_warning(book: RuleBook, warning: OpenWarning) -> tuple[WarningOpened, Prompt]:
    clauses = book.clauses(*warning_points(book, warning))
    opened = WarningOpened(
        number=warning.number,
        kind=warning.kind,
        code=warning.code,
        text=warning.text,
        clauses=clauses,
        since_ns=warning.since_ns,
    )
    text = message("draw_no_card_under_warning", warning=describe_warning(warning))
    return opened, Prompt(PromptKind.WARNING, text, clauses, observed=True)


# --- what people need not record ------------------------------------------------------------------


def _clear_rack(step: Step) -> Step:
    """A batch that lies in the shuffler is no longer in the rack: people need not record that."""
    lineage = step.state.lineage
    life = lineage.life(lineage.in_rack)
    if life is None or not life.stored or shoe_in_play(step.state):
        return step
    return with_lineage(step, empty_rack(step.state))


def _check_idle_batch_left(book: RuleBook, step: Step, before: TableState) -> Step:
    """Raise that a batch left the shuffler while the other one is in play."""
    playing = step.state.lineage.in_play
    if not playing or not shoe_in_play(step.state):
        return step
    was_inside = idle_in_shuffler(lineage_of(book, before), playing)
    if not was_inside or idle_in_shuffler(step.state.lineage, playing):
        return step
    detail = message(
        "left_shuffler_while_in_play", other_batch=other_batch(book, playing), playing=playing
    )
    return raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
