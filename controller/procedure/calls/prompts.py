"""The calls and acts that are due now, and the prompts for them, each once.

It uses only what people have seen.
Source: NY (f)(2)-(3), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2)-(3), (h)(1)-(3), (h)(5), (j)(1);
WA overview 3, before 1 and 2, procedure 1 to 7, announcements; HG game play; D-8, D-37.

Decisions. While a floorperson decides, and at the card that makes it necessary, nothing is called:
the calls that are due then wait until play goes on. Where no report says that cards were turned,
every call of a face-down coup is prompted at its fourth card, in general words: a later call would
disclose what the cards call for. No call is due for a partial coup.
"""

from collections.abc import Callable

from msgspec.structs import replace

from controller.procedure.calls.announcements import (
    DueCall,
    banker_draw_call,
    due_count_calls,
    due_result_calls,
    phrase_text,
    requires,
)
from controller.procedure.calls.face_down import (
    DEAL_POINTS,
    banker_goes_under_shoe,
    face_down_calls,
    turn_call,
)
from controller.procedure.calls.reveal_seats import assign_reveal_rights
from controller.procedure.calls.visibility import all_seen, hands_seen, is_seen, unseen_third_card
from controller.procedure.effects import PromptKind
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.procedure.step_result import Step, let_calls_wait, prompt
from controller.rules.actions.choices import LayoutPart
from controller.rules.coup import DrawDecision, Place, is_complete
from controller.rules.profiles.call_phrases import CallPhrase
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import DealOption
from controller.rules.setting_values import RequiredCall as Announcement
from foundation.message import Message, message

_DEAL_TEXT = {
    DealOption.FACE_UP: message("deal_face_up"),
    DealOption.FACE_DOWN_DEALER: message("deal_face_down"),
    DealOption.MIXED: message("deal_player_face_up_banker_face_down"),
    DealOption.PLAYERS_REVEAL: message("deal_face_down"),
}


def due_calls(book: RuleBook, state: TableState) -> tuple[DueCall, ...]:
    """What is due now, in order."""
    if state.suspension is not None or state.shoe is None:
        return ()
    coup = state.shoe.coup
    if coup is None:
        if not state.betting_open:
            return ()
        before = calls_before_coup(book, ghost=state.ghost_hand_requested, bets=True)
        return (*_last_hand_call(book, state.shoe), *before)
    if coup.partial or len(coup.cards) < 4:
        return ()
    if not hands_seen(book, coup):
        return face_down_calls(book, state, coup)
    third = unseen_third_card(book, coup)
    if third is not None:
        return (turn_call(book, state, coup, third),)
    return _calls_after_reveal(book, coup)


def _calls_after_reveal(book: RuleBook, coup: CoupState) -> tuple[DueCall, ...]:
    """The calls that are due once every card on the layout was seen."""
    if is_complete(coup.faces()):
        return (*due_count_calls(book, coup), *due_result_calls(book, coup))
    if len(coup.cards) == 4:
        return due_count_calls(book, coup)
    return (banker_draw_call(book, coup),) if requires(book, Announcement.DRAWS) else ()


def calls_before_coup(book: RuleBook, *, ghost: bool, bets: bool) -> tuple[DueCall, ...]:
    """The prompt before a coup's first card; `bets`: it includes "no more bets"."""
    if ghost:
        text = message("deal_ghost_hand")
        ghostly = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER)
        return (DueCall(PromptKind.BEFORE_DEAL, text, ghostly),)
    texts: list[Message] = []
    points: list[RulePoint] = []
    if book.clauses(RulePoint.LAYOUT_CHECKED):
        texts.append(message("check_wagers_in_own_area"))
        points.append(RulePoint.LAYOUT_CHECKED)
    if requires(book, Announcement.BEFORE):
        texts.append(message("announce_phrase", configured=phrase_text(book, CallPhrase.BEFORE)))
        points += [RulePoint.PRE_DEAL_CALLS, RulePoint.CALLS_DOCUMENTED]
    call = PromptKind.BEFORE_DEAL
    if bets and requires(book, Announcement.NO_MORE_BETS):
        phrase = phrase_text(book, CallPhrase.NO_MORE_BETS)
        texts.append(message("call_before_first_card", configured=phrase))
        points.append(RulePoint.NO_MORE_BETS)
        call = PromptKind.NO_MORE_BETS
    if not texts:
        return ()
    option = book.values.deal_option
    points += [DEAL_POINTS[option], RulePoint.TWO_HANDS, RulePoint.HAND_AREAS]
    points.append(RulePoint.DEALER_DRAWS)
    texts.append(message("deal_cards", how=_DEAL_TEXT[option], where=_where_cards_go(book)))
    text = message("one_after_another", texts=tuple(texts))
    return (DueCall(call, text, tuple(points)),)


def _where_cards_go(book: RuleBook) -> Message:
    """Where the first four cards are placed, by `banker_placement`."""
    if not banker_goes_under_shoe(book):
        return message("each_card_to_area")
    if book.values.deal_option is DealOption.PLAYERS_REVEAL:
        return message("each_card_to_area_then_banker_under_shoe")
    return message("player_to_area_banker_under_shoe")


def _last_hand_call(book: RuleBook, shoe: ShoeState) -> tuple[DueCall, ...]:
    return (last_hand_call(book),) if shoe.cut.last_coup == shoe.coups_begun + 1 else ()


def last_hand_call(book: RuleBook) -> DueCall:
    """The announcement of the last hand."""
    text = message("announce_phrase", configured=phrase_text(book, CallPhrase.LAST_HAND))
    return DueCall(PromptKind.LAST_HAND, text, (RulePoint.LAST_HAND_CALLED,))


_THIRD = {Place.PLAYER_3: LayoutPart.PLAYER_THIRD, Place.BANKER_3: LayoutPart.BANKER_THIRD}


def prompt_before_first_card(book: RuleBook, step: Step, *, called: bool = False) -> Step:
    """Prompt what comes before a coup's first card; "no more bets" only where it is not observed.

    `called`: "no more bets" was called, the first card is still to come.
    """
    coup = step.shoe.coup
    ghost = step.state.ghost_hand_requested if coup is None else coup.ghost
    bets = not called and not book.observes(ObservableFact.NO_MORE_BETS)
    return prompt_each(book, step, calls_before_coup(book, ghost=ghost, bets=bets))


def prompt_after_card(book: RuleBook, step: Step, ruling: DrawDecision) -> Step:
    """Prompt what is due after a card of a hand; `ruling` is what the rules say then."""
    if ruling is DrawDecision.FIRST_FOUR:
        return step
    if len(step.coup.cards) == 4:
        step = assign_reveal_rights(book, step)
    return _prompt_calls(book, step, _calls_after_last_card)


def prompt_after_turning(book: RuleBook, step: Step) -> Step:
    """Prompt what is due after cards were turned up."""
    return _prompt_calls(book, step, due_calls)


def _prompt_calls(
    book: RuleBook, step: Step, calls: Callable[[RuleBook, TableState], tuple[DueCall, ...]]
) -> Step:
    if step.provisional:
        return let_calls_wait(step)
    before = len(step.effects)
    step = prompt_each(book, step, calls(book, step.state))
    return replace(step, calls=(*step.calls, *step.effects[before:]))


def prompt_what_waited(book: RuleBook, step: Step) -> Step:
    """Prompt what waited for the decision, where it lets the coup on the table go on."""
    coup = step.coup
    for one in coup.remedies:
        step = step.with_effect(one)
    step = step.with_coup(replace(coup, remedies=(), calls_wait=False))
    if not coup.calls_wait:
        return step
    return prompt_each(book, step, _calls_after_last_card(book, step.state))


def _calls_after_last_card(book: RuleBook, state: TableState) -> tuple[DueCall, ...]:
    coup = state.shoe.coup if state.shoe is not None else None
    assert coup is not None
    if len(coup.cards) <= 4 or all_seen(book, coup):
        return due_calls(book, state)
    part = _THIRD[coup.cards[-1].place]
    return () if is_seen(book, coup, part) else (turn_call(book, state, coup, part),)


def prompt_last_hand(book: RuleBook, step: Step) -> Step:
    """Prompt the announcement of the last hand."""
    return prompt_each(book, step, (last_hand_call(book),))


def prompt_each(book: RuleBook, step: Step, due: tuple[DueCall, ...]) -> Step:
    """Prompt each of these calls."""
    for one in due:
        step = prompt(book, step, one.kind, one.text, *one.points)
    return step
