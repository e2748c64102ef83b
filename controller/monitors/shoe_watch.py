"""Watches the cards of a shoe: settles every bet on each, and says what is over its threshold."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.monitors.budget import Alarm, strength_millibits
from controller.monitors.coup_bets import (
    AFTER,
    DEPTH,
    LOST,
    START,
    VALUE_OF,
    CoupBets,
    bet_on_coup,
    coups_evidence,
    forget_row,
    open_bets,
)
from controller.monitors.faces import DECKS_MAX, FACES, GAP
from controller.monitors.follow import (
    Dealt,
    StringFollower,
    follow,
    follow_alarms,
    shared_evidence,
)
from controller.monitors.past import PastShoe, PastShoes
from controller.monitors.succession import (
    HITS,
    OPENING_CAPITAL,
    bet_on_order,
    deposit_for,
    evidence_since,
    order_alarms,
    pair_of,
    rule_evidence,
)
from controller.monitors.words import words_of
from controller.rules.advisory import (
    Advisory,
    AdvisoryKind,
    CoupsEvidence,
    Evidence,
    RuleEvidence,
    SharedEvidence,
)
from foundation.recorded_text import Identifier

_MEANT_BY_ORDER: Final = (AdvisoryKind.RUN, AdvisoryKind.REPEAT)
# What is raised again at the shoe's end has doubled at least once since.
_AGAIN_MILLIBITS: Final = 1_000
_NS_PER_MS: Final = 1_000_000
# A longer time from coup to coup is a pause, and no pace.
_GAP_MS_MAX: Final = 3_600_000
_GAPS_MAX: Final = 128
# Twice the largest shoe: what is reported beyond is not looked at, so the state stays small.
CARDS_MAX: Final = 2 * DECKS_MAX * FACES


class Raised(Struct, frozen=True):
    """What was said of this shoe, and the same with the most evidence that came since."""

    said: Advisory
    strongest: Advisory


class ShoeSoFar(Struct, frozen=True):
    """The shoe in play.

    `cards` are the faces that left it, `GAP` for each unseen one; `seen` counts the others;
    `capital` is that of each rule of order, `deposit` what enters it with each card; `followers`
    are the places of earlier cards that it follows; `coup_ends` how many cards were out at the end
    of each coup; `raised` are the advisories on it; `place` is how far its coup has
    come, and `bets` are those on its coups. `shuffler` is the device that shuffled it, empty where
    people did; `turned` says of each card how it lay, empty while that was reported of none;
    `gaps_ms` are the times from coup to coup, the newest of which began at `coup_ns`.
    """

    number: int
    decks: int
    batch: Identifier
    deposit: int
    cards: bytes = b""
    seen: int = 0
    capital: tuple[int, ...] = OPENING_CAPITAL
    followers: tuple[StringFollower, ...] = ()
    coup_ends: tuple[int, ...] = ()
    raised: tuple[Raised, ...] = ()
    place: int = START
    bets: CoupBets = CoupBets(())
    shuffler: Identifier = ""
    turned: bytes = b""
    gaps_ms: tuple[int, ...] = ()
    coup_ns: int = 0


def open_shoe(number: int, decks: int, batch: Identifier, *, burns: bool = False) -> ShoeSoFar:
    """A shoe of which no card is out; `burns`: its first cards are burned."""
    decks = min(max(decks, 1), DECKS_MAX)
    place, bets = LOST if burns else START, open_bets(decks)
    return ShoeSoFar(number, decks, batch, deposit_for(decks * FACES), place=place, bets=bets)


def pass_cards(shoe: ShoeSoFar, unseen: int) -> ShoeSoFar:
    """The shoe after cards that nobody saw."""
    unseen = min(unseen, CARDS_MAX - len(shoe.cards))
    cards = shoe.cards + bytes((GAP,)) * unseen
    return replace(shoe, cards=cards, place=LOST, bets=forget_row(shoe.bets))


def end_block(shoe: ShoeSoFar) -> ShoeSoFar:
    """The shoe at the end of its burn or of a coup."""
    ends, out = shoe.coup_ends, len(shoe.cards)
    if ends[-1:] == (out,):
        return shoe
    if shoe.place == START:
        return replace(shoe, coup_ends=(*ends, out))
    return replace(shoe, coup_ends=(*ends, out), place=START, bets=forget_row(shoe.bets))


def name_batch(shoe: ShoeSoFar, batch: Identifier, shuffler: Identifier) -> ShoeSoFar:
    """The shoe once it is known which batch is in it, and what shuffled that."""
    return replace(shoe, batch=batch, shuffler=shuffler)


def note_turned(shoe: ShoeSoFar, turned: bool) -> ShoeSoFar:
    """The shoe once it is known how its newest card lay."""
    earlier = len(shoe.cards) - 1
    known = (shoe.turned + bytes((GAP,)) * earlier)[: max(earlier, 0)]
    return replace(shoe, turned=known + bytes((turned,)))


def begin_coup(shoe: ShoeSoFar, at_ns: int) -> ShoeSoFar:
    """The shoe once a coup begins, at a monotonic time; 0 before its first."""
    gap_ms, gaps = (at_ns - shoe.coup_ns) // _NS_PER_MS, shoe.gaps_ms
    if shoe.coup_ns and 0 < gap_ms <= _GAP_MS_MAX and len(gaps) < _GAPS_MAX:
        gaps = (*gaps, gap_ms)
    return replace(shoe, gaps_ms=gaps, coup_ns=at_ns)


def past_shoe(shoe: ShoeSoFar) -> PastShoe:
    """The shoe as it is kept."""
    return PastShoe(shoe.number, shoe.batch, shoe.cards, shoe.coup_ends)


def watch_card(
    shoe: ShoeSoFar, past: PastShoes, face: int
) -> tuple[ShoeSoFar, tuple[Advisory, ...]]:
    """The shoe after a card of this face, and what is said of it."""
    if len(shoe.cards) >= CARDS_MAX:
        return shoe, ()
    before, cards, capital = shoe.cards[-1:], shoe.cards + bytes((face,)), shoe.capital
    # One more than the decks hold is custody's finding; here it is as likely as a last one.
    left = max(shoe.decks * FACES - shoe.seen, 1)
    of_face = max(shoe.decks - shoe.cards.count(face), 1)
    alarms: tuple[Alarm, ...] = ()
    if before and before[0] != GAP:
        pair = pair_of(before[0], face)
        capital = bet_on_order(capital, shoe.deposit, pair, left, of_face)
        if HITS[pair]:
            alarms = order_alarms(capital)
    dealt = Dealt(cards, shoe.seen + 1, shoe.decks)
    followers = follow(shoe.followers, past, dealt, left, of_face)
    bets, place, at = shoe.bets, shoe.place, AFTER[shoe.place][VALUE_OF[face]]
    of_coup = DEPTH[place] + 1
    if at < 0 or (3 <= of_coup <= 4 and at != LOST):
        bets, of_coups = bet_on_coup(bets, cards, of_coup, at, shoe.decks * FACES)
        alarms += of_coups
    shoe = ShoeSoFar(
        shoe.number,
        shoe.decks,
        shoe.batch,
        shoe.deposit,
        cards,
        shoe.seen + 1,
        capital,
        followers,
        shoe.coup_ends,
        shoe.raised,
        at if at > 0 else START,
        bets,
        shoe.shuffler,
        shoe.turned,
        shoe.gaps_ms,
        shoe.coup_ns,
    )
    if followers:
        alarms += follow_alarms(followers)
    if not alarms:
        return shoe, ()
    return _speak(shoe, past, alarms)


def _speak(
    shoe: ShoeSoFar, past: PastShoes, alarms: tuple[Alarm, ...]
) -> tuple[ShoeSoFar, tuple[Advisory, ...]]:
    """Say what was not said in this shoe; of the rest keep the strongest for its end."""
    raised, new = list(shoe.raised), []
    for alarm in alarms:
        places = [at for at, one in enumerate(raised) if one.said.kind is alarm.kind]
        if (
            not places
            and alarm.kind in _MEANT_BY_ORDER
            and any(one.said.kind is AdvisoryKind.ORDER for one in raised)
        ):
            continue  # no news of cards in order
        if not places:
            new.append(_advisory(shoe, past, alarm))
            raised.append(Raised(new[-1], new[-1]))
            continue
        one, millibits = raised[places[0]], strength_millibits(alarm.held, alarm.limit)
        if millibits >= one.strongest.strength_millibits + _AGAIN_MILLIBITS:
            again = replace(_advisory(shoe, past, alarm), again=True)
            raised[places[0]] = Raised(one.said, again)
    return replace(shoe, raised=tuple(raised)), tuple(new)


def _advisory(shoe: ShoeSoFar, past: PastShoes, alarm: Alarm) -> Advisory:
    evidence: RuleEvidence | SharedEvidence | CoupsEvidence
    if alarm.kind in (AdvisoryKind.ORDER, AdvisoryKind.RUN):
        evidence = rule_evidence(alarm.kind, shoe.capital, shoe.cards)
    elif alarm.kind in (AdvisoryKind.NATURALS, AdvisoryKind.OUTCOMES):
        evidence = coups_evidence(alarm.kind, shoe.bets)
    else:
        out = len(shoe.cards)
        evidence = shared_evidence(alarm.kind, shoe.followers, past, shoe.number, out)
    return advisory_of(shoe, alarm, evidence)


def advisory_of(shoe: ShoeSoFar, alarm: Alarm, evidence: Evidence) -> Advisory:
    """The advisory of an alarm on the cards of a shoe until now."""
    return Advisory(
        alarm.kind,
        shoe.number,
        len(shoe.cards),
        strength_millibits(alarm.held, alarm.limit),
        evidence,
        words_of(evidence),
        shoe.batch,
    )


def said_again(shoe: ShoeSoFar) -> tuple[Advisory, ...]:
    """What became surer since it was said, at the end of its shoe."""
    return tuple(_at_end(one, shoe.cards) for one in shoe.raised if one.strongest.again)


def _at_end(raised: Raised, cards: bytes) -> Advisory:
    """Order and runs are counted over all cards since the first; strings are as they stood."""
    first = raised.said.evidence
    if not isinstance(first, RuleEvidence):
        return raised.strongest
    evidence = evidence_since(first, cards)
    return replace(raised.strongest, card=len(cards), evidence=evidence, words=words_of(evidence))
