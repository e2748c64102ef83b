"""The rules by which one card may follow another (makers' orders, sorted decks, runs), and bets.

A rule names for each face the faces that may come next. Orders of new decks, from the face of the
deck: the United States Playing Card Company (Bee, Bicycle, Aristocrat) today spades and diamonds
up, clubs and hearts down (ambitiouswithcards.com/new-deck-order), before that hearts and clubs up,
diamonds and spades down (ulearnmagic.com/order-of-cards-in-a-deck); Fournier spades and hearts up,
diamonds and clubs down (Games::Cards::ShuffleTrack on CPAN). Orders that no public page states are
by suits: SUITS_UP and SUITS_DOWN know them in any order of the suits, with the ace low or high.

A rule puts 15/16 of its capital evenly on the faces it allows and 1/16 on what chance expects, so a
stranger among ordered cards costs it four doublings and no more. Half of its unit is in play
from the first card; the rest enters in equal parts with each card, for order that begins later.
"""

from collections.abc import Iterable
from operator import mul
from typing import Final

from msgspec import Struct

from controller.monitors.budget import CAPITAL_MAX, UNIT, Alarm, log2_of, threshold
from controller.monitors.faces import FACES, GAP, RANKS, SUITS
from controller.rules.advisory import AdvisoryKind, RuleEvidence, RuleName
from foundation.message import Message, message

_ACE, _TWO, _QUEEN, _KING = 0, 1, 11, 12


class OrderRule(Struct, frozen=True):
    """A rule of one monitor; `followers` are for each face those that may come next."""

    name: RuleName
    kind: AdvisoryKind
    words: Message
    followers: tuple[tuple[int, ...], ...]


def new_deck(suits_up: str, suits_down: str) -> tuple[int, ...]:
    """A deck of suits from ace to king, then suits from king to ace."""
    return tuple(
        SUITS.index(suit) * RANKS + rank
        for suits, ranks in ((suits_up, range(RANKS)), (suits_down, range(RANKS - 1, -1, -1)))
        for suit in suits
        for rank in ranks
    )


USPC: Final = new_deck("SD", "CH")
USPC_OLD: Final = new_deck("HC", "DS")
FOURNIER: Final = new_deck("SH", "DC")


def _cycle(deck: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """After any cut, and deck after deck: the first card follows the last."""
    order = tuple(deck)
    after = dict(zip(order, order[1:] + order[:1], strict=True))
    return tuple((after[face],) for face in range(FACES))


def _by_rank_and_suit(ranks_after: int, *, same_suit: bool) -> tuple[tuple[int, ...], ...]:
    """The next rank, in the same suit or in any."""
    return tuple(
        tuple(
            other
            for other in range(FACES)
            if (other - face) % RANKS == ranks_after % RANKS
            and (not same_suit or other // RANKS == face // RANKS)
        )
        for face in range(FACES)
    )


def _suit_by_suit(step: int) -> tuple[tuple[int, ...], ...]:
    """Rank by rank in a suit; at its end, ace low or high, any end of any suit."""
    inside = _by_rank_and_suit(step, same_suit=True)
    followers = list(inside)
    for suit in range(len(SUITS)):
        ace, two, king = (suit * RANKS + rank for rank in (_ACE, _TWO, _KING))
        aces, twos, kings = (
            tuple(other * RANKS + rank for other in range(len(SUITS)) if other != suit)
            for rank in (_ACE, _TWO, _KING)
        )
        if step > 0:  # king, then an ace or the next suit; ace high, then a two of another suit
            followers[king] = (ace, *aces, *kings)
            followers[ace] = (two, *twos)
        else:  # ace low, then a king or the next suit; two, then its ace or an ace of another suit
            followers[ace] = (king, *kings, *aces)
            followers[two] = (ace, *aces)
    return tuple(followers)


def _same_rank_or(step: int) -> tuple[tuple[int, ...], ...]:
    """The same rank in another suit, or the next rank: a deck rank by rank."""
    same, after = (_by_rank_and_suit(ranks, same_suit=False) for ranks in (0, step))
    return tuple(tuple(sorted({*same[face], *after[face]} - {face})) for face in range(FACES))


def _rules() -> tuple[OrderRule, ...]:
    order, run = AdvisoryKind.ORDER, AdvisoryKind.RUN
    plus, minus = (_by_rank_and_suit(step, same_suit=False) for step in (1, -1))
    beside = tuple(tuple(sorted(both[0] + both[1])) for both in zip(plus, minus, strict=True))
    suits = tuple(
        tuple(other for other in range(FACES) if other // RANKS == face // RANKS)
        for face in range(FACES)
    )
    name = RuleName
    uspc, uspc_old = message("order_uspc"), message("order_uspc_old")
    fournier = message("order_fournier")
    up, down = message("order_suits_up"), message("order_suits_down")
    ranks_up, ranks_down = message("order_ranks_up"), message("order_ranks_down")
    sorted_words, beside_words = message("order_sorted"), message("run_rank_beside")
    same_rank, same_suit = message("run_same_rank"), message("run_same_suit")
    next_up, next_down = message("run_rank_plus"), message("run_rank_minus")
    return (
        OrderRule(name.USPC, order, uspc, _cycle(USPC)),
        OrderRule(name.USPC_BACKWARD, order, uspc, _cycle(reversed(USPC))),
        OrderRule(name.USPC_OLD, order, uspc_old, _cycle(USPC_OLD)),
        OrderRule(name.USPC_OLD_BACKWARD, order, uspc_old, _cycle(reversed(USPC_OLD))),
        OrderRule(name.FOURNIER, order, fournier, _cycle(FOURNIER)),
        OrderRule(name.FOURNIER_BACKWARD, order, fournier, _cycle(reversed(FOURNIER))),
        OrderRule(name.SUITS_UP, order, up, _suit_by_suit(1)),
        OrderRule(name.SUITS_DOWN, order, down, _suit_by_suit(-1)),
        OrderRule(name.RANKS_UP, order, ranks_up, _same_rank_or(1)),
        OrderRule(name.RANKS_DOWN, order, ranks_down, _same_rank_or(-1)),
        OrderRule(name.SORTED, order, sorted_words, _by_rank_and_suit(0, same_suit=True)),
        OrderRule(name.SAME_RANK, run, same_rank, _by_rank_and_suit(0, same_suit=False)),
        OrderRule(name.SAME_SUIT, run, same_suit, suits),
        OrderRule(name.RANK_PLUS, run, next_up, plus),
        OrderRule(name.RANK_MINUS, run, next_down, minus),
        OrderRule(name.RANK_BESIDE, run, beside_words, beside),
    )


RULES: Final = _rules()
ORDERS: Final = slice(0, sum(rule.kind is AdvisoryKind.ORDER for rule in RULES))
RUNS: Final = slice(ORDERS.stop, len(RULES))


def _hits() -> tuple[tuple[tuple[int, int], ...], ...]:
    return tuple(
        tuple(
            (place, len(rule.followers[before]))
            for place, rule in enumerate(RULES)
            if face in rule.followers[before]
        )
        for before in range(FACES)
        for face in range(FACES)
    )


# For each pair of faces (52 times the first plus the second): the rules that it follows, each with
# the number of faces that it allows after the first.
HITS: Final = _hits()


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
