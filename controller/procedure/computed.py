"""What a coup's counts and outcome were computed by: the points its record cites.

Responsible for: choosing those points from the cards of a closed coup.
Not responsible for: computing (controller.rules) and for what a wager pays (settlement).
Source: NY (a)(4)(ii)-(iii), (b)(1)(iii), (i)(1), (i)(4); S42 (a)(2)-(3), (j)(1), (j)(4), (k)(4).
"""

from typing import Final

from controller.procedure.effects import CoupFate, CoupRecord
from controller.procedure.places import PLAYER_PLACES
from controller.rules.cards import Card, point_value
from controller.rules.hands import point_count
from controller.rules.outcome import Outcome
from controller.rules.rule_points import RulePoint

_ACE: Final = 1


def record_points(record: CoupRecord) -> tuple[RulePoint, ...]:
    """The points to cite with a record."""
    racked = (RulePoint.DISCARD_ORDER,)
    if record.fate is CoupFate.VOID:
        return (RulePoint.VOID_RETURNED, *racked)
    if record.result is None:
        return racked
    faces = [(dealt.place in PLAYER_PLACES, dealt.card) for dealt in record.cards]
    player = [card for of_player, card in faces if of_player and card is not None]
    banker = [card for of_player, card in faces if not of_player and card is not None]
    tie = record.result.outcome is Outcome.TIE
    wins = RulePoint.EQUAL_IS_TIE if tie else RulePoint.HIGHER_WINS
    return (*_values(player + banker), *_counts(player, banker), wins, *racked)


def _values(cards: list[Card]) -> tuple[RulePoint, ...]:
    values = [point_value(card) for card in cards]
    points = (
        (RulePoint.VALUE_PIPS, max(values) > _ACE),
        (RulePoint.VALUE_TENS, min(values) == 0),
        (RulePoint.VALUE_ACE, _ACE in values),
    )
    return tuple(point for point, present in points if present)


def _counts(player: list[Card], banker: list[Card]) -> tuple[RulePoint, ...]:
    """The count is the sum, and of a sum of ten or more the last digit."""
    digit = any(sum(map(point_value, hand)) != point_count(hand) for hand in (player, banker))
    return (RulePoint.POINT_COUNT, *((RulePoint.POINT_COUNT_DIGIT,) if digit else ()))
