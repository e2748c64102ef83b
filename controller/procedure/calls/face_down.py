"""Hands that lie face down: who turns them, and what is announced of them.

Source: NY (f)(3), (g); S42 (g)(3)(ii)-(iii), (h)(1)-(3), (k)(5); WA overview 3, procedure
2 and 3; D-37.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.calls.announcements import (
    COUNT_CALLED,
    HAND_OF,
    NAMES,
    DueCall,
    count_call,
    phrase_text,
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
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.rules.actions.choices import LayoutPart
from controller.rules.hands import HandName
from controller.rules.profiles.call_phrases import CallPhrase
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import BankerPlacement, DealOption
from controller.rules.setting_values import RequiredCall as Announcement
from foundation.message import Message, message

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
_HIGHEST_BETTOR = {
    HandName.PLAYER: message("patron_with_highest_player_wager"),
    HandName.BANKER: message("patron_with_highest_banker_wager"),
}

DEAL_POINTS: Final = MappingProxyType(
    {
        DealOption.FACE_UP: RulePoint.DEAL_FACE_UP,
        DealOption.FACE_DOWN_DEALER: RulePoint.DEAL_FACE_DOWN_DEALER,
        DealOption.MIXED: RulePoint.DEAL_FACE_DOWN_DEALER,
        DealOption.PLAYERS_REVEAL: RulePoint.DEAL_PLAYERS_REVEAL,
    }
)


def banker_goes_under_shoe(book: RuleBook) -> bool:
    """Whether the Banker's Hand waits under the shoe until the Player's Hand is called."""
    return book.values.banker_placement is BankerPlacement.UNDER_SHOE


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
    text = message("first_then", first=count.text, then=due.text)
    points = (*count.points, *due.points)
    return (DueCall(PromptKind.COUNTS, text, points),)


def _general_calls(book: RuleBook, state: TableState, coup: CoupState) -> tuple[DueCall, ...]:
    """All calls of a face-down coup, in words that disclose no card."""
    due: list[DueCall] = []
    if players_reveal(book, coup):
        player, banker = (turn_call(book, state, coup, hand) for hand in HANDS)
        text = message("first_then", first=player.text, then=banker.text)
        due.append(DueCall(PromptKind.HAND_OVER, text, (*player.points, *banker.points)))
    parts, points = _general_announcements(book)
    if parts:
        text = message("announce_as_cards_turned", parts=tuple(parts))
        first = DueCall(PromptKind.COUNTS, text, tuple(points))
        if not due:
            first = _after_placing(book, coup, first, RulePoint.TURN_PLAYER_FIRST)
        due.append(first)
    third = unseen_third_card(book, coup)
    if third is not None:
        due.append(turn_call(book, state, coup, third))
    return tuple(due)


def _general_announcements(book: RuleBook) -> tuple[list[Message], list[RulePoint]]:
    parts: list[Message] = []
    points: list[RulePoint] = []
    if requires(book, Announcement.COUNTS):
        parts.append(message("point_counts_of_both_hands"))
        points += [RulePoint.COUNTS_CALLED, *COUNT_CALLED.values()]
    if requires(book, Announcement.DRAWS):
        parts.append(message("who_draws"))
        points += [RulePoint.PLAYER_DRAW_CALLED, RulePoint.BANKER_DRAW_CALLED]
    if requires(book, Announcement.FINAL_AND_WINNER):
        parts.append(message("final_counts_and_winner"))
        points += [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if requires(book, Announcement.TIE_HAND):
        phrase = phrase_text(book, CallPhrase.TIE_HAND)
        parts.append(message("phrase_if_equal", configured=phrase))
        points.append(RulePoint.TIE_CALLED)
    if book.values.total_card_wagers:
        parts.append(message("total_number_of_cards"))
        points.append(RulePoint.TOTAL_CARDS_CALLED)
    if book.values.ez:
        dragon_7 = phrase_text(book, CallPhrase.DRAGON_7)
        panda_8 = phrase_text(book, CallPhrase.PANDA_8)
        parts.append(
            message("ez_phrases_if_one", configured_dragon_7=dragon_7, configured_panda_8=panda_8)
        )
        points.append(RulePoint.EZ_CALLED)
    return parts, points


def turn_call(book: RuleBook, state: TableState, coup: CoupState, part: LayoutPart) -> DueCall:
    """The prompt to turn that part, or to hand it to a patron."""
    due = _turn_call(book, state, coup, part)
    return due if part is not LayoutPart.PLAYER_HAND else _after_placing(book, coup, due)


def _after_placing(book: RuleBook, coup: CoupState, due: DueCall, *points: RulePoint) -> DueCall:
    """A call for the Player's Hand, after the one that keeps the Banker's Hand under the shoe."""
    points = (*due.points, *points)
    if not banker_goes_under_shoe(book) or coup.reveal.player_given_up:
        return DueCall(due.kind, due.text, points)
    text = (
        message("place_banker_under_shoe_then", then=due.text)
        if players_reveal(book, coup)
        else message("leave_banker_under_shoe_then", then=due.text)
    )
    return DueCall(due.kind, text, (*points, DEAL_POINTS[book.values.deal_option]))


def _turn_call(book: RuleBook, state: TableState, coup: CoupState, part: LayoutPart) -> DueCall:
    name = NAMES[part]
    if not players_reveal(book, coup):
        waits = part is LayoutPart.BANKER_HAND and banker_goes_under_shoe(book)
        text = (
            message("turn_part_onto_area", part=name) if waits else message("turn_part", part=name)
        )
        return DueCall(PromptKind.TURN, text, (RulePoint.TURN_PLAYER_FIRST,))
    hand = HAND_OF[part]
    if not wagers_observed(book):
        whom = message("patron_who_had_that_hand")
        if part in HANDS:
            whom = _HIGHEST_BETTOR[hand]
        text = message("hand_part_to_patron", part=name, whom=whom)
        open_to = (_REVEAL[part], _TIE_BREAK[hand], RulePoint.REVEAL_DEALER)
        return DueCall(PromptKind.HAND_OVER, text, open_to)
    seat = coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat
    if seat == 0:
        text = message("turn_part_as_no_patron_does", part=name)
        return DueCall(PromptKind.HAND_OVER, text, (_REVEAL[part], RulePoint.REVEAL_DEALER))
    tied = highest_bettor(
        wagers_on_layout(state, coup.number), hand, book.values.seat_direction
    ).tied
    points = (_REVEAL[part], _TIE_BREAK[hand]) if tied else (_REVEAL[part],)
    return DueCall(PromptKind.HAND_OVER, message("hand_part_to_seat", part=name, seat=seat), points)
