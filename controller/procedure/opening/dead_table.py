"""A dead table (open, without patrons): its cards are spread, and play begins again.

Source: S42 (e)(8); D-7.
"""

from msgspec.structs import replace

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import with_empty_rack
from controller.procedure.acts.duties import ACTS_PER_SHOE
from controller.procedure.acts.recording import (
    begin_act,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_opening,
    without_stack,
)
from controller.procedure.effects import PromptKind
from controller.procedure.events import ActReported
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import OpeningState
from controller.procedure.step_result import Step, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode

_BY_HAND = (
    "if it is a dead table: spread the cards of shoe and rack, show them face up to the first"
    " patron; then wash, stack, shuffle and cut again"
)
_BY_SHUFFLER = (
    "if it is a dead table: spread the cards of shoe and rack, show them face up to the first"
    " patron; then stack them into the shuffler and load the batch that is in it. That one is"
    " spread and shuffled again if a patron asks, if the shuffler was opened, or if it was not"
    " released by procedure"
)


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


def spread_cards(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the cards of shoe and discard rack were spread."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler keeps its cards"
        return refuse_act(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        return refuse_act(book, state, event, "close the shoe first", RulePoint.DEAD_TABLE)
    batch = state.opening.last_batch
    opening = with_empty_rack(state)
    if uses_two_batches(book):
        acts = (*ACTS_PER_SHOE, ActKind.STACKED, ActKind.RELEASED, ActKind.RESPREAD)
        opening = opening.without(*acts, batch=batch)
    else:
        opening = without_stack(opening).without(ActKind.WASHED)
    opening = replace(opening, dead=True, respread_requested=False)
    return record_act(book, with_opening(begin_act(state), opening), event, batch)


def record_cards_viewed(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a patron came and viewed the cards."""
    if not state.opening.dead:
        why = "no cards are spread: record dead-table-spread first"
        return refuse_act(book, state, event, why, RulePoint.DEAD_TABLE_VIEWED)
    return record_act(book, begin_act(state), event)


def request_respread(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a patron asked for the shuffler's batch to be spread and shuffled again."""
    if not (state.opening.dead and uses_two_batches(book)):
        why = "a patron can ask for this only after a dead table, for the batch from the shuffler"
        return refuse_act(book, state, event, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    opening = replace(state.opening, respread_requested=True)
    return record_act(book, with_opening(begin_act(state), opening), event)


def record_respread(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the shuffler's batch was spread; it has to be shuffled again."""
    if not (state.opening.dead and uses_two_batches(book)) or event.batch not in book.backs:
        why = f"only after a dead table, for one batch: {' or '.join(book.backs)}"
        return refuse_act(book, state, event, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    step = complete_act(begin_act(state), event, event.batch)
    opening = step.state.opening.without(ActKind.SHUFFLED, batch=event.batch)
    return record_act(book, with_opening(step, opening), event, event.batch)


def refusal_to_swap(
    book: RuleBook, opening: OpeningState, batch: str
) -> tuple[str, tuple[RulePoint, ...]]:
    """Why the shuffler's batch may not be loaded as it is, and the points; empty where it may."""
    again = opening.has(ActKind.RESPREAD, batch) and opening.has(ActKind.SHUFFLED, batch)
    if again or not opening.dead:
        return "", ()
    reasons: list[str] = []
    points = [RulePoint.DEAD_TABLE_NO_RESPREAD]
    if opening.respread_requested:
        reasons.append("a patron asked for it to be spread")
    if not book.values.shuffler_secure_store or opening.shuffler_opened:
        reasons.append("the shuffler did not keep it secure")
        points.append(RulePoint.SHUFFLER_SECURE)
    if not opening.has(ActKind.RELEASED, batch):
        reasons.append("its release is not recorded")
        points.append(RulePoint.SHUFFLER_RELEASE)
    return " and ".join(reasons), tuple(points)
