"""The sentence of an advisory, by message id; no face and no person is in it."""

from types import MappingProxyType
from typing import Final, assert_never

from controller.monitors.succession import RULES
from controller.rules.advisory import (
    CoupPattern,
    CoupsEvidence,
    Evidence,
    MissingEvidence,
    OrderTest,
    PaceEvidence,
    PersonEvidence,
    RuleEvidence,
    SharedEvidence,
    ShufflerEvidence,
    StallEvidence,
    TurnedEvidence,
)
from foundation.message import Message, message

_NS_PER_MINUTE: Final = 60 * 1_000_000_000

_PATTERN_WORDS: Final = MappingProxyType(
    {
        CoupPattern.NATURAL: message("pattern_natural"),
        CoupPattern.PLAYER_NATURAL: message("pattern_player_natural"),
        CoupPattern.BANKER_NATURAL: message("pattern_banker_natural"),
        CoupPattern.SAME_WINNER: message("pattern_same_winner"),
    }
)

_TEST_WORDS: Final = MappingProxyType(
    {
        OrderTest.ADJACENCY: message("order_left_adjacency"),
        OrderTest.COUPS: message("order_left_coups"),
        OrderTest.RISING: message("order_left_rising"),
        OrderTest.FALLING: message("order_left_falling"),
        OrderTest.GUESSING: message("order_left_guessing"),
        OrderTest.POSITIONS: message("order_left_positions"),
    }
)


def words_of(evidence: Evidence) -> Message:
    """What is said of this evidence."""
    match evidence:
        case RuleEvidence():
            return _rule_words(evidence)
        case SharedEvidence():
            return _shared_words(evidence)
        case CoupsEvidence():
            return message(
                "coups_have_pattern",
                matched=evidence.matched,
                of=evidence.of,
                pattern=_PATTERN_WORDS[evidence.pattern],
            )
        case StallEvidence():
            return message(
                "coup_awaited_too_long",
                minutes=evidence.lasted_ns // _NS_PER_MINUTE,
                allowed=evidence.allowed_ns // _NS_PER_MINUTE,
            )
        case ShufflerEvidence() | MissingEvidence() | TurnedEvidence() | PaceEvidence():
            return _words_of_shoes(evidence)
        case PersonEvidence():
            return message(
                "one_person_acts_often",
                acts=evidence.acts,
                coups=evidence.coups,
                other_acts=evidence.other_acts,
                other_coups=evidence.other_coups,
            )
        case _:
            assert_never(evidence)


def _words_of_shoes(
    evidence: ShufflerEvidence | MissingEvidence | TurnedEvidence | PaceEvidence,
) -> Message:
    """What shows only over many shoes."""
    match evidence:
        case ShufflerEvidence():
            device = evidence.shuffler
            return message(
                "shuffles_leave_order",
                shoes=evidence.shoes,
                by=message("shuffled_by", device=device)
                if device
                else message("shuffled_by_people"),
                test=_TEST_WORDS[evidence.test],
                found=evidence.found,
                chance=evidence.chance,
            )
        case MissingEvidence():
            return message(
                "a_face_comes_too_seldom",
                shoes=evidence.shoes,
                batch=evidence.batch,
                most=evidence.most,
                decks=evidence.decks,
            )
        case TurnedEvidence():
            return message(
                "cards_turned_by_rank",
                shoes=evidence.shoes,
                batch=evidence.batch,
                turned=evidence.turned,
                cards=evidence.cards,
                rank_turned=evidence.rank_turned,
                rank_cards=evidence.rank_cards,
            )
        case PaceEvidence():
            return message(
                "pace_differs",
                pace_s=evidence.pace_ms // 1_000,
                usual_s=evidence.usual_ms // 1_000,
                shoes=evidence.shoes,
            )
        case _:
            assert_never(evidence)


def _shared_words(evidence: SharedEvidence) -> Message:
    backward = message("string_backward") if evidence.backward else message("string_forward")
    by_coups = message("string_by_coups") if evidence.by_coups else message("string_by_cards")
    return message(
        "cards_repeat_string",
        first=evidence.first,
        of=evidence.of,
        matched=evidence.matched,
        earlier_shoe=evidence.earlier_shoe,
        earlier_card=evidence.earlier_card,
        direction=backward,
        how=by_coups,
    )


def _rule_words(evidence: RuleEvidence) -> Message:
    rule = next(rule for rule in RULES if rule.name is evidence.rule)
    return message(
        "cards_follow_rule",
        first=evidence.first,
        of=evidence.of,
        matched=evidence.matched,
        rule=rule.words,
    )
