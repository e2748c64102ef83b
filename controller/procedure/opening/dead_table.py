"""A table that is open without patrons: its cards are spread, and play begins anew.

Responsible for: the acts of a dead table, what it asks of the next shoe, and the conditions under
which the batch from the shuffler comes without spreading.
Not responsible for: closing the shoe (shoe) and loading (batches).
Source: S42 (e)(8); D-7.
"""

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import emptied
from controller.procedure.acts.duties import USED_UP
from controller.procedure.acts.recording import (
    begin,
    in_play,
    kept,
    recorded,
    refused,
    stack_apart,
    two_batches,
    with_opening,
)
from controller.procedure.effects import Call
from controller.procedure.events import ActRecorded
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import OpeningState
from controller.procedure.step_result import Step, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace

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


def told_at_closing(book: RuleBook, step: Step) -> Step:
    """What is due with the cards of a shoe that a person closed."""
    always = (RulePoint.DEAD_TABLE, RulePoint.DEAD_TABLE_VIEWED)
    match book.values.shuffle_mode:
        case ShuffleMode.HAND:
            points = (*always, RulePoint.DEAD_TABLE_BY_HAND)
            return prompt(book, step, Call.DEAD_TABLE, _BY_HAND, *points)
        case ShuffleMode.DUAL_BATCH:
            shuffler = (
                RulePoint.DEAD_TABLE_SHUFFLER,
                RulePoint.DEAD_TABLE_NO_RESPREAD,
                RulePoint.SHUFFLER_SECURE,
                RulePoint.SHUFFLER_RELEASE,
            )
            return prompt(book, step, Call.DEAD_TABLE, _BY_SHUFFLER, *always, *shuffler)
        case _:
            # A continuous shuffler keeps its cards: (e)(8) is among what it displaces.
            return step


def spread(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The cards of shoe and discard rack were taken out and spread."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler keeps its cards"
        return refused(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if in_play(state):
        return refused(book, state, event, "close the shoe first", RulePoint.DEAD_TABLE)
    batch = state.opening.last_batch
    opening = emptied(state)
    if two_batches(book):
        acts = (*USED_UP, ActKind.STACKED, ActKind.RELEASED, ActKind.RESPREAD)
        opening = opening.without(*acts, batch=batch)
    else:
        opening = stack_apart(opening).without(ActKind.WASHED)
    opening = replace(opening, dead=True, respread_asked=False)
    return recorded(book, with_opening(begin(state), opening), event, batch)


def viewed(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A patron came; the cards were turned up, viewed and turned down."""
    if not state.opening.dead:
        why = "no cards are spread: record dead-table-spread first"
        return refused(book, state, event, why, RulePoint.DEAD_TABLE_VIEWED)
    return recorded(book, begin(state), event)


def respread_asked(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A patron asks that the batch from the shuffler is spread and shuffled again."""
    if not (state.opening.dead and two_batches(book)):
        why = "a patron can ask for it after a dead table, of the batch from the shuffler"
        return refused(book, state, event, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    opening = replace(state.opening, respread_asked=True)
    return recorded(book, with_opening(begin(state), opening), event)


def respread(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The batch from the shuffler was spread after a dead table; it is shuffled again after it."""
    if not (state.opening.dead and two_batches(book)) or event.batch not in book.backs:
        why = f"after a dead table, of one batch: {' or '.join(book.backs)}"
        return refused(book, state, event, why, RulePoint.DEAD_TABLE_NO_RESPREAD)
    step = kept(begin(state), event, event.batch)
    opening = step.state.opening.without(ActKind.SHUFFLED, batch=event.batch)
    return recorded(book, with_opening(step, opening), event, event.batch)


def swap_refused(
    book: RuleBook, opening: OpeningState, batch: str
) -> tuple[str, tuple[RulePoint, ...]]:
    """Why the batch from the shuffler may not come as it is, and by what; empty where it may."""
    again = opening.has(ActKind.RESPREAD, batch) and opening.has(ActKind.SHUFFLED, batch)
    if again or not opening.dead:
        return "", ()
    reasons: list[str] = []
    points = [RulePoint.DEAD_TABLE_NO_RESPREAD]
    if opening.respread_asked:
        reasons.append("a patron asked that it is spread")
    if not book.values.shuffler_secure_store or opening.shuffler_opened:
        reasons.append("the shuffler did not keep it secure")
        points.append(RulePoint.SHUFFLER_SECURE)
    if not opening.has(ActKind.RELEASED, batch):
        reasons.append("its release is not recorded")
        points.append(RulePoint.SHUFFLER_RELEASE)
    return " and ".join(reasons), tuple(points)
