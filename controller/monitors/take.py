"""Takes one happening of the table: the monitors' new state, and what they have to say.

Source: controller/monitors/README.md.
"""

from typing import assert_never

from msgspec.structs import replace

from controller.monitors.advisory import Advisory, AdvisoryKind, RuleEvidence, SharedEvidence
from controller.monitors.budget import Alarm, strength_millibits
from controller.monitors.faces import DECKS_MAX, FACES, GAP, face_of
from controller.monitors.follow import Dealt, follow, follow_alarms, shared_evidence
from controller.monitors.items import (
    CardSeen,
    CardsUnseen,
    CoupEnds,
    MonitorItem,
    ShoeEnds,
    ShoeOpens,
)
from controller.monitors.order_bets import (
    bet_on_order,
    deposit_for,
    evidence_since,
    order_alarms,
    pair_of,
    rule_evidence,
)
from controller.monitors.past import PastShoe, PastShoes, add_shoe
from controller.monitors.state import MonitorState, Raised, ShoeSoFar
from controller.monitors.succession import HITS
from controller.monitors.words import words_of

_MEANT_BY_ORDER = (AdvisoryKind.RUN, AdvisoryKind.REPEAT)
# What is raised again at the shoe's end has doubled at least once since.
_AGAIN_MILLIBITS = 1_000


def take(state: MonitorState, item: MonitorItem) -> tuple[MonitorState, tuple[Advisory, ...]]:
    """The state after a happening, and the advisories it raised.

    Cards outside a shoe are passed over: they belong to none.
    """
    shoe = state.shoe
    match item:
        case CardSeen():
            return (state, ()) if shoe is None else _take_card(state, shoe, face_of(item.card))
        case ShoeOpens():
            ended, said = take(state, ShoeEnds())
            return replace(ended, shoe=_new_shoe(item)), said
        case CardsUnseen() | CoupEnds() | ShoeEnds():
            return (state, ()) if shoe is None else _take_break(state, shoe, item)
        case _:
            assert_never(item)


def _new_shoe(item: ShoeOpens) -> ShoeSoFar:
    decks = min(max(item.decks, 1), DECKS_MAX)
    return ShoeSoFar(item.shoe, decks, item.batch, deposit_for(decks * FACES))


def _take_break(
    state: MonitorState, shoe: ShoeSoFar, item: CardsUnseen | CoupEnds | ShoeEnds
) -> tuple[MonitorState, tuple[Advisory, ...]]:
    match item:
        case CardsUnseen():
            cards = shoe.cards + bytes((GAP,)) * item.unseen
            return replace(state, shoe=replace(shoe, cards=cards)), ()
        case CoupEnds():
            ends = (*shoe.coup_ends, len(shoe.cards))
            return replace(state, shoe=replace(shoe, coup_ends=ends)), ()
        case ShoeEnds():
            ended = PastShoe(shoe.number, shoe.batch, shoe.cards, shoe.coup_ends)
            past = add_shoe(state.past, ended)
            return replace(state, shoe=None, past=past), _said_again(shoe)
        case _:
            assert_never(item)


def _take_card(
    state: MonitorState, shoe: ShoeSoFar, face: int
) -> tuple[MonitorState, tuple[Advisory, ...]]:
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
    followers = follow(shoe.followers, state.past, dealt, left, of_face)
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
    )
    if followers:
        alarms += follow_alarms(followers)
    if not alarms:
        return MonitorState(shoe, state.past), ()
    shoe, said = _speak(shoe, state.past, alarms)
    return MonitorState(shoe, state.past), said


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
    evidence: RuleEvidence | SharedEvidence
    if alarm.kind in (AdvisoryKind.ORDER, AdvisoryKind.RUN):
        evidence = rule_evidence(alarm.kind, shoe.capital, shoe.cards)
    else:
        out = len(shoe.cards)
        evidence = shared_evidence(alarm.kind, shoe.followers, past, shoe.number, out)
    return Advisory(
        alarm.kind,
        shoe.number,
        len(shoe.cards),
        strength_millibits(alarm.held, alarm.limit),
        evidence,
        words_of(evidence),
        shoe.batch,
    )


def _said_again(shoe: ShoeSoFar) -> tuple[Advisory, ...]:
    return tuple(_at_end(one, shoe.cards) for one in shoe.raised if one.strongest.again)


def _at_end(raised: Raised, cards: bytes) -> Advisory:
    """Order and runs are counted over all cards since the first; strings are as they stood."""
    first = raised.said.evidence
    if not isinstance(first, RuleEvidence):
        return raised.strongest
    evidence = evidence_since(first, cards)
    return replace(raised.strongest, card=len(cards), evidence=evidence, words=words_of(evidence))
