"""Hands that lie face down: who turns them, and what is announced of them.

Source: NY (f)(3), (g); S42 (g)(3)(ii)-(iii), (h)(1)-(3), (k)(5); WA overview 3, procedure
2 and 3; D-37.
"""

from controller.procedure.calls import announcement_text as call_words
from controller.procedure.calls.announcements import (
    COUNT_CALLED,
    HAND_OF,
    NAMES,
    DueCall,
    count_call,
    requires,
)
from controller.procedure.calls.reveal_seats import (
    highest_bettor,
    players_reveal,
    wagers_observed,
    wagers_on_layout,
)
from controller.procedure.calls.visibility import HANDS, is_seen, unseen_third_card
from controller.procedure.effects import PromptKind
from controller.procedure.events import LayoutPart
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.rules.setting_values import RequiredCall as Announcement

_REVEAL = {
    LayoutPart.PLAYER_HAND: RulePoint.REVEAL_PLAYER,
    LayoutPart.BANKER_HAND: RulePoint.REVEAL_BANKER,
    LayoutPart.PLAYER_THIRD: RulePoint.PLAYER_THIRD_HANDED,
    LayoutPart.BANKER_THIRD: RulePoint.BANKER_THIRD_HANDED,
}
_TIE_BREAK = {
    HandName.PLAYER: RulePoint.REVEAL_PLAYER_TIE_BREAK,
    HandName.BANKER: RulePoint.REVEAL_BANKER_TIE_BREAK,
}


def face_down_calls(book: RuleBook, state: TableState, coup: CoupState) -> tuple[DueCall, ...]:
    if not (book.observes(ObservableFact.TURNED) or coup.reveal.turned):
        return _general_calls(book, state, coup)
    unseen = [hand for hand in HANDS if not is_seen(book, coup, hand)]
    due = turn_call(book, state, coup, unseen[0])
    seen = [hand for hand in HANDS if hand not in unseen]
    if not seen or not requires(book, Announcement.COUNTS, Announcement.DRAWS):
        return (due,)
    count = count_call(book, coup, (HAND_OF[seen[0]],), both=False)
    if due.kind is PromptKind.HAND_OVER:
        return (count, due)
    text, points = f"{count.text}; then {due.text}", (*count.points, *due.points)
    return (DueCall(PromptKind.COUNTS, text, points),)


def _general_calls(book: RuleBook, state: TableState, coup: CoupState) -> tuple[DueCall, ...]:
    """All calls of a face-down coup, in words that disclose no card."""
    due: list[DueCall] = []
    if players_reveal(book, coup):
        player, banker = (turn_call(book, state, coup, hand) for hand in HANDS)
        text = f"{player.text}; then {banker.text}"
        due.append(DueCall(PromptKind.HAND_OVER, text, (*player.points, *banker.points)))
    parts, points = _general_announcements(book)
    if parts:
        first = () if due else (RulePoint.TURN_PLAYER_FIRST,)
        text = "as the cards are turned, announce " + ", then ".join(parts)
        due.append(DueCall(PromptKind.COUNTS, text, (*points, *first)))
    third = unseen_third_card(book, coup)
    if third is not None:
        due.append(turn_call(book, state, coup, third))
    return tuple(due)


def _general_announcements(book: RuleBook) -> tuple[list[str], list[RulePoint]]:
    parts: list[str] = []
    points: list[RulePoint] = []
    if requires(book, Announcement.COUNTS):
        parts.append("the point count of the Player's Hand, then the Banker's")
        points += [RulePoint.COUNTS_CALLED, *COUNT_CALLED.values()]
    if requires(book, Announcement.DRAWS):
        parts.append("who draws")
        points += [RulePoint.PLAYER_DRAW_CALLED, RulePoint.BANKER_DRAW_CALLED]
    if requires(book, Announcement.FINAL_AND_WINNER):
        parts.append("the final point counts and the winner")
        points += [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if requires(book, Announcement.TIE_HAND):
        parts.append('"tie hand" if they are equal')
        points.append(RulePoint.TIE_CALLED)
    if book.values.total_card_wagers:
        parts.append("the total number of cards")
        points.append(RulePoint.TOTAL_CARDS_CALLED)
    if book.values.ez:
        parts.append('"dragon 7" or "panda 8" if it is one')
        points.append(RulePoint.EZ_CALLED)
    return parts, points


def turn_call(book: RuleBook, state: TableState, coup: CoupState, part: LayoutPart) -> DueCall:
    """The prompt to turn that part, or to hand it to a patron."""
    name = NAMES[part]
    if not players_reveal(book, coup):
        return DueCall(PromptKind.TURN, f"turn {name}", (RulePoint.TURN_PLAYER_FIRST,))
    hand = HAND_OF[part]
    wager = f"{call_words.NAMES[hand]} wager"
    if not wagers_observed(book):
        whom = f"the patron with the highest {wager}"
        if part not in HANDS:
            whom = "the patron who had that hand"
        text = f"hand {name} face down to {whom}; if there is none, the dealer turns it"
        open_to = (_REVEAL[part], _TIE_BREAK[hand], RulePoint.REVEAL_DEALER)
        return DueCall(PromptKind.HAND_OVER, text, open_to)
    seat = coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat
    if seat == 0:
        text = f"turn {name}: no patron does"
        return DueCall(PromptKind.HAND_OVER, text, (_REVEAL[part], RulePoint.REVEAL_DEALER))
    tied = highest_bettor(
        wagers_on_layout(state, coup.number), hand, book.values.seat_direction
    ).tied
    points = (_REVEAL[part], _TIE_BREAK[hand]) if tied else (_REVEAL[part],)
    return DueCall(PromptKind.HAND_OVER, f"hand {name} face down to seat {seat}", points)
