"""A dead table (open, without patrons): its cards are spread, and play begins again.

Source: S42 (e)(8); D-7.
"""

from msgspec.structs import replace

from controller.procedure.acts.batch_record import is_shuffled, was_shuffler_opened
from controller.procedure.acts.discard_rack import empty_rack
from controller.procedure.acts.duties import ACTS_PER_SHOE
from controller.procedure.acts.recording import (
    begin_act,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_lineage,
    with_opening,
    without_stack,
)
from controller.procedure.effects import PromptKind
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, prompt
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from foundation.message import Message, message

_BY_HAND = message("if_dead_table_spread_cards_shoe")
_BY_SHUFFLER = message("if_dead_table_spread_cards_shoe_and_rack")


def prompt_at_closing(book: RuleBook, step: Step) -> Step:
    """Prompt what is due with the cards of a shoe that a person closed."""
    always = (RulePoint.DEAD_TABLE, RulePoint.DEAD_TABLE_VIEWED)
    match book.values.shuffle_mode:
        case ShuffleMode.HAND:
            points = (*always, RulePoint.DEAD_TABLE_BY_HAND)
            return prompt(book, step, PromptKind.DEAD_TABLE, _BY_HAND, *points)
        case ShuffleMode.DUAL_BATCH:
            shuffler = (
                RulePoint.DEAD_TABLE_SHUFFLER,
                RulePoint.DEAD_TABLE_NO_RESPREAD,
                RulePoint.SHUFFLER_SECURE,
                RulePoint.SHUFFLER_RELEASE,
            )
            return prompt(book, step, PromptKind.DEAD_TABLE, _BY_SHUFFLER, *always, *shuffler)
        case _:
            # A continuous shuffler keeps its cards: (e)(8) is among what it displaces.
            return step


def spread_cards(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that the cards of shoe and discard rack were spread."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = message("continuous_shuffler_keeps_cards")
        return refuse_act(book, state, act, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        return refuse_act(book, state, act, message("close_shoe_first"), RulePoint.DEAD_TABLE)
    batch, opening = state.lineage.last_dealt, state.opening
    if uses_two_batches(book):
        acts = (*ACTS_PER_SHOE, ActKind.STACKED, ActKind.RELEASED, ActKind.RESPREAD)
        opening = opening.without(*acts, batch=batch)
    else:
        opening = without_stack(opening).without(ActKind.WASHED)
    opening = replace(opening, dead=True, respread_requested=False)
    step = with_lineage(with_opening(begin_act(state), opening), empty_rack(state))
    return record_act(book, step, act, batch)


def record_cards_viewed(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a patron came and viewed the cards."""
    if not state.opening.dead:
        why = message("record_dead_table_spread_first")
        return refuse_act(book, state, act, why, RulePoint.DEAD_TABLE_VIEWED)
    return record_act(book, begin_act(state), act)


def request_respread(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a patron asked for the shuffler's batch to be spread and shuffled again."""
    if not (state.opening.dead and uses_two_batches(book)):
        why = message("patron_can_ask_for_this_only")
        return refuse_act(book, state, act, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    opening = replace(state.opening, respread_requested=True)
    return record_act(book, with_opening(begin_act(state), opening), act)


def record_respread(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that the shuffler's batch was spread; it has to be shuffled again."""
    if not (state.opening.dead and uses_two_batches(book)) or act.action.batch not in book.backs:
        why = message("only_after_dead_table", backs=book.backs)
        return refuse_act(book, state, act, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    step = complete_act(begin_act(state), act, act.action.batch)
    opening = step.state.opening.without(ActKind.SHUFFLED, batch=act.action.batch)
    return record_act(book, with_opening(step, opening), act, act.action.batch)


def refusal_to_swap(
    book: RuleBook, state: TableState, batch: str
) -> tuple[Message | None, tuple[RulePoint, ...]]:
    """Why the shuffler's batch may not be loaded as it is, and the points; None where it may."""
    opening = state.opening
    again = opening.has(ActKind.RESPREAD, batch) and is_shuffled(book, state, batch)
    if again or not opening.dead:
        return None, ()
    reasons: list[Message] = []
    points = [RulePoint.DEAD_TABLE_NO_RESPREAD]
    if opening.respread_requested:
        reasons.append(message("patron_asked_for_to_be_spread"))
    if not book.values.shuffler_secure_store or was_shuffler_opened(book, state):
        reasons.append(message("shuffler_did_not_keep_secure"))
        points.append(RulePoint.SHUFFLER_SECURE)
    if not opening.has(ActKind.RELEASED, batch):
        reasons.append(message("release_not_recorded"))
        points.append(RulePoint.SHUFFLER_RELEASE)
    if not reasons:
        return None, ()
    return message("reasons_joined", reasons=tuple(reasons)), tuple(points)
