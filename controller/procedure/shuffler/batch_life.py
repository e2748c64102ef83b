"""Applies facts and recorded acts to the two batches, and refuses acts that contradict a stage.

It also derives what people would otherwise have to record: whether the rack is clear.
Source: NY (a)(4)(iv), (d); NY-a-4-iv-a to NY-a-4-iv-e; S42 (a)(4), (d), (e); S42-a-4-ii to
S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22.

Decisions. Where the shuffler and people disagree, the shuffler's report counts. A batch that leaves
the shuffler while the other one is in play is one irregularity at that moment. A shuffler reports
its own shuffles: a shuffle that people record replaces it and is done by hand; a floorperson
records it, with the reason, for a whole batch outside the shuffler. Acts that contradict the
batch's stage are refused, for example cutting when no batch is ready, or putting a batch into the
shuffler twice. Of a shuffler that shows only contacts people record what went in with the number of
cards, and the release, which is permitted as its order would be. Cards of a dead table that were
spread, and a batch that was spread again, start over.
"""

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import LineageUpdate
from controller.custody.batch_life.facts import (
    Fact,
    ShuffleRecorded,
    StageChange,
    Touched,
)
from controller.custody.batch_life.lifecycle import apply_batch_fact
from controller.custody.batch_life.permissions import idle_in_shuffler, order_refusal
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
    refuse_act,
    shoe_in_play,
    with_lineage,
)
from controller.procedure.effects import (
    Prompt,
    PromptKind,
    Refusal,
    WarningOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from drivers.commands import ShufflerOrder
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


# Acts that are refused where they contradict the batch's stage, and the points.
_MUST_FIT: Final = MappingProxyType(
    {
        ActKind.INTO_SHUFFLER: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        ActKind.RELEASED: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.SHUFFLED: (RulePoint.SHUFFLED,),
        ActKind.CUT: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.CUT_BY_DEALER: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
    }
)


# Its count or shuffle is void, so people may have taken it out.
_IN_THE_HAND: Final = (BatchStage.COLLECTED, BatchStage.HELD)


def apply_act(
    book: RuleBook, state: TableState, step: Step, act: OperatorAction[RecordAct]
) -> Step:
    """Apply the facts of an act that was accepted; `state` is the one before it."""
    if not book.tracks_batches or any(isinstance(one, Refusal) for one in step.effects):
        return step
    for fact in _facts(book, state, act):
        step = apply_fact(book, step, fact)
    return step


def _facts(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> tuple[Fact, ...]:
    batch = act.action.batch if act.action.batch in book.backs else ""
    last = state.lineage.last_dealt
    recorded = (replace(act.action, batch=batch),)
    match act.action.kind:
        case ActKind.INTO_SHUFFLER:
            return recorded if batch else ()
        case ActKind.RELEASED:
            inside = lineage_of(book, state).stored_batch
            return (replace(recorded[0], batch=batch or inside),) if book.by_contacts else ()
        case (
            ActKind.SHUFFLED
            | ActKind.CUT
            | ActKind.CUT_BY_DEALER
            | ActKind.LOADED
            | ActKind.ALTERNATION_SUSPENDED
            | ActKind.RECEIVED
        ):
            return recorded
        case ActKind.SHUFFLER_OPENED:
            lives = lineage_of(book, state).lives
            return tuple(Touched(life.back) for life in lives if life.stored)
        case ActKind.RESPREAD:
            return (Touched(batch),)
        case ActKind.DEAD_TABLE_SPREAD:
            return (Touched(last),) if last else ()
        case ActKind.CARDS_TOUCHED:
            playing = shoe_in_play(state) and batch == last
            return (Touched(batch),) if batch and not playing else ()
        case _:
            return ()


def contradiction(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step | None:
    """Refuse an act that contradicts the batch's stage; None where it does not."""
    if not book.tracks_batches or act.action.kind not in _MUST_FIT:
        return None
    why = _refusal_of_hand_shuffle(book, state, act) or _refusal_of_step(book, state, act)
    if why is None:
        facts = _facts(book, state, act)
        remarks = [one for fact in facts for one in next_lineage(book, state, fact).remarks]
        if not remarks:
            return None
        why = message("one_after_another", texts=tuple(one.detail for one in remarks))
    return refuse_act(book, state, act, why, *_MUST_FIT[act.action.kind])


def _refusal_of_hand_shuffle(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Message | None:
    if act.action.kind is not ActKind.SHUFFLED:
        return None
    if act.role not in SUPERVISORS or not act.reason.strip():
        return message("hand_shuffle_is_recorded_by_floorperson")
    lineage = lineage_of(book, state)
    life = lineage.life(act.action.batch)
    # A silent shuffler cannot report that its cards were taken out, nor can one by contacts.
    in_the_hand = book.by_contacts and life is not None and life.stage in _IN_THE_HAND
    if life is not None and life.stored and lineage.trusted and not in_the_hand:
        return message(
            "lies_in_compartment_take_out_first",
            batch=act.action.batch,
            compartment=life.compartment,
        )
    return None


def _refusal_of_step(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Message | None:
    """Why people may not enter this step of a shuffler that shows only contacts; None if they may.

    A release is permitted as the order to another shuffler would be.
    """
    if not book.by_contacts:
        return None
    lineage, batch = lineage_of(book, state), act.action.batch
    match act.action.kind:
        case ActKind.INTO_SHUFFLER if batch in book.backs and not act.action.amount:
            return message("count_cards_and_record_number", batch=batch)
        case ActKind.RELEASED:
            life = lineage.life(batch or lineage.stored_batch)
            if life is None or not life.compartment:
                return message("no_batch_known_to_be_in_shuffler")
            where, shoe_open = life.compartment, shoe_in_play(state)
            return order_refusal(lineage, ShufflerOrder.RELEASE, where, shoe_open=shoe_open)
        case _:
            return None
