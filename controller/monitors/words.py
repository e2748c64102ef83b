"""The sentence of an advisory, by message id; no face and no person is in it.

Source: controller/monitors/README.md, "Advisories".
"""

from controller.monitors.advisory import Evidence, RuleEvidence
from controller.monitors.succession import RULES
from firmware_bridge.message import Message, message


def words_of(evidence: Evidence) -> Message:
    """What is said of this evidence."""
    return _rule_words(evidence)


def _rule_words(evidence: RuleEvidence) -> Message:
    rule = next(rule for rule in RULES if rule.name is evidence.rule)
    return message(
        "cards_follow_rule",
        first=evidence.first,
        of=evidence.of,
        matched=evidence.matched,
        rule=rule.words,
    )
