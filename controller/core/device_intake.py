"""Translates device events to domain events, and tracks cards from the shoe's exit to custody.

Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-16 to D-22.
"""

from collections import Counter
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from controller.core.tape.inputs import NoiseDropped, NotJudged, ReportsExceeded
from controller.custody import shoe as shoe_custody
from controller.custody import table_reads
from controller.custody.card_states import STATE_IN, CardPlace
from controller.custody.findings import Finding
from controller.custody.moves import PlayStep, follow_moves
from controller.custody.state import CustodyChange, CustodyState, find_card
from controller.custody.table_reads import TableRead
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    DomainEvent,
    Loss,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerEventsLost,
    ShufflerReported,
    StepInput,
)
from controller.procedure.phases import BURN_PHASES, Phase
from controller.procedure.places import DUE_PLACE, PLACE_NAMES, PLAYER_PLACES
from controller.procedure.state import CoupState, NextShoe, ShoeState, TableState
from controller.procedure.step_result import Step
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import FIRST_FOUR_PLACES, Place
from controller.rules.outcome import Outcome
from drivers import events as device
from drivers import shuffler_events as shuffler
from drivers.events import CardPassed, DeviceEvent, ReportsLost, Spot, TagSeen
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.link import LinkFaultKind
from foundation.message import Message, message
from foundation.timestamp import Timestamp

_RANKS: Final = {rank.value: rank for rank in Rank}
_SUITS: Final = {suit: Suit(suit.value) for suit in device.FaceSuit}
_HAND_PLACES: Final = {
    (device.ClaimedUse.PLAYER, 1): Place.PLAYER_1,
    (device.ClaimedUse.PLAYER, 2): Place.PLAYER_2,
    (device.ClaimedUse.PLAYER, 3): Place.PLAYER_3,
    (device.ClaimedUse.BANKER, 1): Place.BANKER_1,
    (device.ClaimedUse.BANKER, 2): Place.BANKER_2,
    (device.ClaimedUse.BANKER, 3): Place.BANKER_3,
}
_OTHER_PLACES: Final = {
    device.ClaimedUse.PLAYER: Place.PLAYER_MORE,
    device.ClaimedUse.BANKER: Place.BANKER_MORE,
    device.ClaimedUse.BURN_FIRST: Place.BURN_FIRST,
    device.ClaimedUse.BURN_COUNTED: Place.BURN,
    device.ClaimedUse.BURN_EXTRA: Place.BURN_EXTRA,
    device.ClaimedUse.UNCLAIMED: Place.UNCLAIMED,
}


def event_not_judged(
    item: NotJudged, shoe_port: str, shuffler_port: str | None
) -> ReportsMissing | ShufflerEventsLost | None:
    """What the table misses by an input that was not judged; None where it misses nothing."""
    if item.port == shoe_port:
        return ReportsMissing(Loss.NOT_JUDGED, 0)
    return ShufflerEventsLost(0, item.at.utc_ns) if item.port == shuffler_port else None


def event_from_device(event: device.DeviceEvent) -> DomainEvent | None:
    """The domain event of a device event, or None if it concerns the device alone."""
    match event:
        case device.CardRead():
            kind = CardRepeated if event.repeated else CardDrawn
            return kind(_card(event.face), _place(event.use, event.index))
        case device.CardOutsidePlay():
            return CardDrawn(_card(event.face), Place.OUTSIDE)
        case device.CutCardSeen():
            return CutCardDrawn()
        case device.StandByEntered():
            return ShoeStandsBy()
        case device.DeviceStarted():
            return ShoeDeviceStarted()
        case device.ResultButtonPressed():
            outcome = Outcome(event.winner.value)
            return ResultDeclared(outcome, event.player_pair, event.banker_pair)
        case device.ForcedExitUsed():
            return CoupForcedOut()
        case device.ReportsLost():
            return ReportsMissing(Loss(event.reason.value), event.missing_min, event.why)
        case (
            device.LockChanged()
            | device.DeviceErrorRaised()
            | device.DeviceErrorCleared()
            | device.DeviceSettingChanged()
            | device.StageChanged()
            | device.CommandAnswered()
            | device.TagReadAgain()
            | device.TagsTogether()
            | device.TagPulledBack()
            | device.SlowCard()
            | device.OtherTransponder()
            | device.TagListed()
            | device.ListingDone()
            | device.BarCodeRead()
            | shuffler.DeviceMemoryFilling()
            | DeviceFault()
        ):
            return None
        case (
            device.CardPassed()
            | device.TagSeen()
            | shuffler.CompartmentChanged()
            | shuffler.ShuffleStarted()
            | shuffler.ShuffleDone()
            | shuffler.ShuffleShown()
            | shuffler.ShuffleAborted()
            | shuffler.DoorMoved()
            | shuffler.JamReported()
            | shuffler.ResidualCards()
            | shuffler.ModeChanged()
            | shuffler.ShufflerWarning()
            | shuffler.SelfTested()
            | shuffler.ShufflerStarted()
            | shuffler.ShufflerStatus()
            | shuffler.DeviceTampered()
            | shuffler.IdentityProven()
            | shuffler.IdentityRefused()
            | shuffler.DeviceSilent()
            | shuffler.ContactRestored()
        ):
            # Translated in core: these need custody or the batches' stages.
            return None


def _place(use: device.ClaimedUse, index: int) -> Place:
    return _HAND_PLACES.get((use, index), _OTHER_PLACES[use])


def _card(face: device.Face | None) -> Card | None:
    if face is None:
        return None
    return Card(_RANKS[face.rank], _SUITS[face.suit])


def noise_fault(item: NoiseDropped) -> DeviceFault:
    """The fault of a port whose noise is counted and no longer stored."""
    detail = message("noise_counted", number=item.count, limit=item.limit)
    return DeviceFault(LinkFaultKind.NOISE, detail)


def reports_fault(item: ReportsExceeded) -> DeviceFault:
    """The fault of a port that is closed, because no hand deals so fast."""
    detail = message("reports_exceeded", number=item.count, seconds=item.seconds, limit=item.limit)
    return DeviceFault(LinkFaultKind.TOO_MANY_REPORTS, detail)


def event_from_shuffler(
    event: DeviceEvent, at: Timestamp
) -> ShufflerReported | ShufflerEventsLost | None:
    """The domain event of a shuffler event, or None if it concerns the device alone.

    Lost shuffler events differ from lost shoe reports: no card of a coup was among them.
    """
    if isinstance(event, ReportsLost):
        return ShufflerEventsLost(event.missing_min, at.utc_ns)
    if isinstance(event, ShufflerEvent):
        return ShufflerReported(event, at.utc_ns)
    return None


_THIRD_CARDS: Final = (Phase.PLAYER_3, Phase.BANKER_3)
_LEFT: Final = (
    *(CardPlace.PLAYER, CardPlace.BANKER, CardPlace.ASIDE),
    *(CardPlace.BURN, CardPlace.DISCARD_RACK),
)
SPOT_PLACES: Final = MappingProxyType(
    {
        Spot.DISCARD_RACK: CardPlace.DISCARD_RACK,
        Spot.PLAYER: CardPlace.PLAYER,
        Spot.BANKER: CardPlace.BANKER,
    }
)


def describe_position(table: TableState) -> Message:
    """Describe for people which card comes next: the coup, and which of its first four cards.

    It never says which hand draws a third card, which depends on cards people may not have seen.
    """
    shoe = table.shoe
    if shoe is None or shoe.ended:
        return message("before_first_card_of_shoe")
    phase, card = table.due_phase, shoe.cards_drawn + 1
    match phase:
        case _ if phase in BURN_PHASES:
            return message("card_in_burn", shoe=shoe.number, card=card)
        case Phase.BETWEEN_COUPS:
            coup = shoe.coups_begun + 1
            return message("card_before_coup", shoe=shoe.number, card=card, coup=coup)
        case _ if phase in DUE_PLACE and phase not in _THIRD_CARDS:
            coup = shoe.coup.number if shoe.coup is not None else shoe.coups_begun + 1
            place = PLACE_NAMES[DUE_PLACE[phase]]
            return message("card_at_place", shoe=shoe.number, card=card, coup=coup, place=place)
        case _:
            return message("card_of_coup", shoe=shoe.number, card=card, coup=shoe.coups_begun)


def drawn_event(custody: CustodyState, event: CardPassed) -> CardDrawn | CutCardDrawn:
    """The domain event of a card at the exit; its place follows from the order of drawing.

    Its face is known where its tag alone was read, and is of a bound batch.
    """
    found = find_card(custody, event.tag) if event.tag is not None and event.sure else None
    if found is None:
        return CardDrawn(None, Place.UNCLAIMED)
    if found.is_cut_card():
        return CutCardDrawn()
    manifest = found.ledger.manifest
    again = found.ledger.place_of(found.index) in _LEFT
    return CardDrawn(manifest.card(found.index), Place.UNCLAIMED, manifest.back, again)


def track_table_read(custody: CustodyState, event: TagSeen, table: TableState) -> TableRead:
    """Apply a read by a reader on the table. A late read of a hand proves nothing now."""
    if event.late and event.spot is not Spot.DISCARD_RACK:
        return TableRead(custody)
    place = SPOT_PLACES[event.spot]
    return table_reads.apply_table_read(custody, place, event.tag, describe_position(table))


def cards_read_later(
    read: TableRead, event: TagSeen, table: TableState
) -> tuple[CardRepeated, ...]:
    """The cards that a table reader read in place of the shoe's exit (D-41).

    Only where they can be no others: the unread cards of that hand once all of them are read, or
    the one card that left the shoe unread and lies in the rack now.
    """
    shoe, ledger = table.shoe, read.state.shoe
    if shoe is None or ledger is None or not read.resolved or read.card is None:
        return ()
    if event.spot is Spot.DISCARD_RACK:
        unread = _unread_places(shoe)
        only = len(unread) == 1 and ledger.unread + ledger.unsure == 0
        return (CardRepeated(read.card, unread[0]),) if only else ()
    if shoe.coup is None:
        return ()
    return _unread_cards_of_hand(read.state, shoe.coup, SPOT_PLACES[event.spot], read.card)


def _unread_cards_of_hand(
    custody: CustodyState, coup: CoupState, hand: CardPlace, newest: Card
) -> tuple[CardRepeated, ...]:
    """Every unread card of that hand, last place first: the coup is judged again once.

    None while one is still unread, or where it may lie in the other hand. Of a hand's first two
    cards the newest read is taken for the second: their order decides nothing. A third card's does.
    """
    if any(one.card is None for one in coup.aside):
        return ()
    player = hand is CardPlace.PLAYER
    dealt = [one for one in coup.cards if (one.place in PLAYER_PLACES) is player]
    places = [one.claimed for one in dealt if one.card is None]
    # A card of the other hand, or one set aside, may lie at this one.
    other = CardPlace.BANKER if player else CardPlace.PLAYER
    strayed = Counter(one.card for one in coup.cards if one not in dealt)
    strayed -= Counter(_faces_in(custody, other))
    known = strayed + Counter(one.card for one in (*dealt, *coup.aside))
    read = Counter(_faces_in(custody, hand)) - known - Counter((newest,))
    faces = (*read.elements(), newest)
    in_order = len(places) == 1 or set(places) <= {*FIRST_FOUR_PLACES}
    if len(faces) != len(places) or not in_order:
        return ()
    return tuple(map(CardRepeated, reversed(faces), reversed(places)))


def _faces_in(custody: CustodyState, hand: CardPlace) -> Iterator[Card | None]:
    """The faces of all cards that lie at a hand."""
    for ledger in custody.batches:
        index = ledger.places.find(STATE_IN[hand])
        while index >= 0:
            yield ledger.manifest.card(index)
            index = ledger.places.find(STATE_IN[hand], index + 1)


def _unread_places(shoe: ShoeState) -> list[Place]:
    """The places of the unread cards of hands, and of the first burn card if that is one."""
    dealt = [one for coup in _coups(shoe) for one in (*coup.cards, *coup.aside)]
    first = [Place.BURN_FIRST] if shoe.burn_cards[:1] == (None,) else []
    return [*first, *(one.claimed for one in dealt if one.card is None)]


def track_event(
    custody: CustodyState,
    event: StepInput,
    before: TableState,
    result: Step,
    *,
    decks: int,
    rack_read: bool,
    passed: CardPassed | None = None,
) -> CustodyChange:
    """Follow the effects of a domain event; `passed`: the card at the exit that it is about."""
    after = result.state

    def position() -> Message:
        return describe_position(before)

    findings: tuple[Finding, ...] = ()
    if result.moves or passed is not None:
        number = after.shoe.cards_drawn if after.shoe is not None else 0
        after_shoe = passed is not None and _is_between_shoes(after)
        play = PlayStep(position, number, rack_read, passed, after_shoe)
        custody, findings = follow_moves(custody, result.moves, play)
    match event:
        case CardDrawn(card=card) if _by_face(event):
            custody, too_many = shoe_custody.count_face(custody, card, decks, position)
        case CardRepeated(card=card) if _unread_count(after) < _unread_count(before):
            custody, too_many = shoe_custody.count_face(custody, card, decks, position)
        case ReportsMissing():
            return shoe_custody.mark_reports_missing(custody), findings
        case _:
            return custody, findings
    return custody, (*findings, *too_many)


def _is_between_shoes(table: TableState) -> bool:
    """Whether the shoe is over and no card of the next one was drawn."""
    suspension = table.suspension
    begun = suspension is not None and suspension.next_shoe is NextShoe.BEGUN
    return table.shoe is not None and table.shoe.ended and not begun


def _unread_count(table: TableState) -> int:
    """How many cards on the table, or burned, could not be read."""
    shoe = table.shoe
    if shoe is None:
        return 0
    dealt = [one for coup in _coups(shoe) for one in (*coup.cards, *coup.aside)]
    waiting = shoe.remedy.waiting
    faces = [*(one.card for one in dealt), *(one.card for one in waiting), *shoe.burn_cards]
    return faces.count(None)


def _coups(shoe: ShoeState) -> list[CoupState]:
    """The coups whose cards can still be read later."""
    return [coup for coup in (shoe.coup, shoe.unread_coup) if coup is not None]


def _by_face(event: CardDrawn) -> bool:
    """Whether the shoe itself read the face: a face looked up by a tag comes with its back."""
    unclaimed_face = event.card is not None and not event.back
    return event.claimed is not Place.UNCLAIMED or unclaimed_face
