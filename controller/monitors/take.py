"""Takes one happening of the table: the monitors' new state, and what they have to say.

Source: controller/monitors/README.md.
"""

from typing import assert_never

from msgspec.structs import replace

from controller.monitors.advisory import Advisory, AdvisoryKind
from controller.monitors.budget import Alarm, strength_millibits
from controller.monitors.faces import DECKS_MAX, FACES, GAP, face_of
from controller.monitors.items import CardSeen, CardsUnseen, MonitorItem, ShoeEnds, ShoeOpens
from controller.monitors.order_bets import (
    bet_on_order,
    deposit_for,
    evidence_since,
    order_alarms,
    pair_of,
    rule_evidence,
)
from controller.monitors.state import MonitorState, Raised, ShoeSoFar
from controller.monitors.words import words_of

_ORDER, _RUN = AdvisoryKind.ORDER, AdvisoryKind.RUN
# What is raised again at the shoe's end has doubled at least once since.
_AGAIN_MILLIBITS = 1_000


def take(state: MonitorState, item: MonitorItem) -> tuple[MonitorState, tuple[Advisory, ...]]:
    """The state after a happening, and the advisories it raised.

    Cards outside a shoe are passed over: they belong to none.
    """
    shoe = state.shoe
    match item:
        case CardSeen():
            return (state, ()) if shoe is None else _take_card(shoe, face_of(item.card))
        case CardsUnseen():
            if shoe is None:
                return state, ()
            cards = shoe.cards + bytes((GAP,)) * item.unseen
            return MonitorState(replace(shoe, cards=cards)), ()
        case ShoeOpens():
            decks = min(max(item.decks, 1), DECKS_MAX)
            deposit = deposit_for(decks * FACES)
            return MonitorState(ShoeSoFar(item.shoe, decks, item.batch, deposit)), ()
        case ShoeEnds():
            return (state, ()) if shoe is None else _end_shoe(shoe)
        case _:
            assert_never(item)


def _take_card(shoe: ShoeSoFar, face: int) -> tuple[MonitorState, tuple[Advisory, ...]]:
    before = shoe.cards[-1:]
    cards = shoe.cards + bytes((face,))
    capital = shoe.capital
    if before and before[0] != GAP:
        # One more than the decks hold is custody's finding; here it is as likely as a last one.
        left = max(shoe.decks * FACES - shoe.seen, 1)
        of_face = max(shoe.decks - shoe.cards.count(face), 1)
        capital = bet_on_order(capital, shoe.deposit, pair_of(before[0], face), left, of_face)
    shoe = ShoeSoFar(
        shoe.number,
        shoe.decks,
        shoe.batch,
        shoe.deposit,
        cards,
        shoe.seen + 1,
        capital,
        shoe.raised,
    )
    return _speak(shoe, order_alarms(capital))


def _speak(shoe: ShoeSoFar, alarms: tuple[Alarm, ...]) -> tuple[MonitorState, tuple[Advisory, ...]]:
    """Say what was not said in this shoe; of the rest keep the strongest for its end."""
    if not alarms:
        return MonitorState(shoe), ()
    raised, new = list(shoe.raised), []
    for alarm in alarms:
        places = [at for at, one in enumerate(raised) if one.said.kind is alarm.kind]
        if not places and alarm.kind is _RUN and any(one.said.kind is _ORDER for one in raised):
            continue  # of cards in order it is no news that ranks or suits run on
        if not places:
            new.append(_advisory(shoe, alarm))
            raised.append(Raised(new[-1], new[-1]))
            continue
        one, millibits = raised[places[0]], strength_millibits(alarm.held, alarm.limit)
        if millibits >= one.strongest.strength_millibits + _AGAIN_MILLIBITS:
            raised[places[0]] = Raised(one.said, replace(_advisory(shoe, alarm), again=True))
    return MonitorState(replace(shoe, raised=tuple(raised))), tuple(new)


def _advisory(shoe: ShoeSoFar, alarm: Alarm) -> Advisory:
    evidence = rule_evidence(alarm.kind, shoe.capital, shoe.cards)
    return Advisory(
        alarm.kind,
        shoe.number,
        len(shoe.cards),
        strength_millibits(alarm.held, alarm.limit),
        evidence,
        words_of(evidence),
        shoe.batch,
    )


def _end_shoe(shoe: ShoeSoFar) -> tuple[MonitorState, tuple[Advisory, ...]]:
    again = tuple(_at_end(one, shoe.cards) for one in shoe.raised if one.strongest.again)
    return MonitorState(None), again


def _at_end(raised: Raised, cards: bytes) -> Advisory:
    evidence = evidence_since(raised.said.evidence, cards)
    return replace(raised.strongest, card=len(cards), evidence=evidence, words=words_of(evidence))
