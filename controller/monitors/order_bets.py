"""Bets on order and runs: each rule's capital after one more card; who followed a rule.

A rule puts 15/16 of its capital evenly on the faces it allows and 1/16 on what chance expects, so a
stranger among ordered cards costs it four doublings and no more. Half of its unit is in play
from the first card; the rest enters in equal parts with each card, for order that begins later.
"""

from operator import mul
from typing import Final

from controller.monitors.budget import CAPITAL_MAX, UNIT, Alarm, log2_of, threshold
from controller.monitors.faces import FACES, GAP
from controller.monitors.succession import HITS, ORDERS, RULES, RUNS
from controller.rules.advisory import AdvisoryKind, RuleEvidence, RuleName

OPENING_CAPITAL: Final = (UNIT // 2,) * len(RULES)
# Rules that allow many faces earn little with a card, and have the larger part of their monitor.
_WEIGHTS: Final = {RuleName.SAME_SUIT: 45, RuleName.RANK_BESIDE: 19}
_OTHER_RUN, _ORDER = 12, 1
WEIGHTS: Final = tuple(
    _ORDER if rule.kind is AdvisoryKind.ORDER else _WEIGHTS.get(rule.name, _OTHER_RUN)
    for rule in RULES
)
_LIMITS: Final = tuple(
    (kind, places, WEIGHTS[places], max(WEIGHTS[places]), threshold(kind, sum(WEIGHTS[places])))
    for kind, places in ((AdvisoryKind.ORDER, ORDERS), (AdvisoryKind.RUN, RUNS))
)


def deposit_for(cards: int) -> int:
    """What enters with each card of a shoe of so many cards."""
    return UNIT // 2 // cards


def bet_on_order(
    capital: tuple[int, ...], deposit: int, pair: int, left: int, of_face: int
) -> tuple[int, ...]:
    """The capital of each rule after a card.

    `pair` is 52 times the face before plus the new face; `left` cards had not been seen before it,
    `of_face` of them with its face.
    """
    moved = [(one + deposit) // 16 for one in capital]
    for rule, allowed in HITS[pair]:
        share = allowed * of_face
        grown = (capital[rule] + deposit) * (share + 15 * left) // (16 * share)
        moved[rule] = grown if grown < CAPITAL_MAX else CAPITAL_MAX
    return tuple(moved)


def order_alarms(capital: tuple[int, ...]) -> tuple[Alarm, ...]:
    """Which of the two monitors are over their threshold."""
    alarms: tuple[Alarm, ...] = ()
    for kind, places, weights, weight_max, limit in _LIMITS:
        if sum(capital[places]) * weight_max >= limit:
            held = sum(map(mul, capital[places], weights))
            if held >= limit:
                alarms += (Alarm(kind, held, limit),)
    return alarms


def rule_evidence(kind: AdvisoryKind, capital: tuple[int, ...], cards: bytes) -> RuleEvidence:
    """Since where, and how often, the leading rule was followed.

    `cards` are all that left the shoe, `GAP` for each unseen one. Counted back from the newest card
    until two in a row do not follow.
    """
    places = ORDERS if kind is AdvisoryKind.ORDER else RUNS
    leading = max(reversed(range(places.start, places.stop)), key=lambda place: capital[place])
    rule = RULES[leading]
    first, matched, strangers = len(cards) - 1, 0, 0
    best = (first, 0)
    while first > 0 and strangers < 2:
        before, face = cards[first - 1], cards[first]
        if GAP in (before, face):
            break
        follows = face in rule.followers[before]
        strangers = 0 if follows else strangers + 1
        matched += follows
        first -= 1
        if follows:
            best = (first, matched)
    first, matched = best
    return RuleEvidence(rule.name, first + 1, matched, len(cards) - 1 - first)


def evidence_since(said: RuleEvidence, cards: bytes) -> RuleEvidence:
    """The same at the end of a shoe: which rule of the monitor most cards since then followed.

    A card that follows counts the more, the fewer faces its rule allows.
    """
    places = next(places for places in (ORDERS, RUNS) if said.rule in _names(places))
    followed = [[0, 0] for _ in RULES]
    pairs = [
        pair
        for pair in zip(cards[said.first - 1 :], cards[said.first :], strict=False)
        if GAP not in pair
    ]
    for before, face in pairs:
        for rule, allowed in HITS[pair_of(before, face)]:
            followed[rule][0] += log2_of(FACES // allowed)
            followed[rule][1] += 1
    leading = max(range(places.start, places.stop), key=lambda place: followed[place])
    return RuleEvidence(RULES[leading].name, said.first, followed[leading][1], len(pairs))


def _names(places: slice) -> tuple[RuleName, ...]:
    return tuple(rule.name for rule in RULES[places])


def pair_of(before: int, face: int) -> int:
    """The place of two faces in a table of pairs."""
    return before * FACES + face
