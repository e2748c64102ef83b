"""The sentence of an advisory, by message id; no face and no person is in it.

Source: controller/monitors/README.md, "Advisories".
"""

from types import MappingProxyType
from typing import Final, assert_never

from controller.monitors.advisory import (
    CoupPattern,
    CoupsEvidence,
    Evidence,
    PersonEvidence,
    RuleEvidence,
    SharedEvidence,
    StallEvidence,
)
from controller.monitors.succession import RULES
from firmware_bridge.message import Message, message

_NS_PER_MINUTE: Final = 60 * 1_000_000_000

_PATTERN_WORDS: Final = MappingProxyType(
    {
        CoupPattern.NATURAL: message("pattern_natural"),
        CoupPattern.PLAYER_NATURAL: message("pattern_player_natural"),
        CoupPattern.BANKER_NATURAL: message("pattern_banker_natural"),
        CoupPattern.SAME_WINNER: message("pattern_same_winner"),
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
