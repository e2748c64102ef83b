"""Tracks cards in the core: from a tag at the shoe's exit to a domain event and to custody.

Source: NY (a)(4)(iv); S42 (a)(4); D-16 to D-22; controller/custody/README.md, "Batches at the
table".
"""

from typing import TypeAlias

from controller.core import custody_of_batches, custody_of_play
from controller.custody import exit_reads, face_count, table_reads
from controller.custody import shoe as shoe_custody
from controller.custody.findings import Finding
from controller.custody.state import CustodyState
from controller.procedure.events import (
    ActReported,
    CardDrawn,
    CardRepeated,
    CutCardDrawn,
    DomainEvent,
    ReportsMissing,
)
from controller.procedure.places import PLAYER_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.rules.coup import Place
from drivers.events import CardPassed, Spot, TagSeen

CustodyChange: TypeAlias = tuple[CustodyState, tuple[Finding, ...]]


def drawn_event(custody: CustodyState, event: CardPassed) -> CardDrawn | CutCardDrawn:
    """The domain event of a card at the exit; its place follows from the order of drawing."""
    lookup = custody_of_play.look_up_tag(custody, event.tag, sure=event.sure)
    if lookup.cut_card:
        return CutCardDrawn()
    return CardDrawn(lookup.card, Place.UNCLAIMED, lookup.back, lookup.again)


def track_exit_read(
    custody: CustodyState, event: CardPassed, before: TableState, after: TableState
) -> CustodyChange:
    """Move a card that left the shoe to where the procedure put it."""
    position = custody_of_play.describe_position(before)
    if custody.shoe is None and custody_of_play.is_between_shoes(after):
        stray = exit_reads.apply_stray_read(custody, event.tag, event.sure, position)
        return stray.state, stray.findings
    left = exit_reads.apply_exit_read(custody, event.tag, event.sure, position)
    if left.cut_card:
        return left.state, left.findings
    return exit_reads.place_last_card(
        left.state, custody_of_play.place_of_last_card(before, after)
    ), left.findings


def track_table_read(custody: CustodyState, event: TagSeen, table: TableState) -> CustodyChange:
    """Apply a read by a reader on the table. A late read of a hand proves nothing now."""
    if event.late and event.spot is not Spot.DISCARD_RACK:
        return custody, ()
    place = custody_of_play.SPOT_PLACES[event.spot]
    read = table_reads.apply_table_read(
        custody, place, event.tag, custody_of_play.describe_position(table)
    )
    return read.state, read.findings


def cards_read_later(
    custody: CustodyState, event: TagSeen, table: TableState
) -> tuple[CardRepeated, ...]:
    """The card that a table reader read in place of the shoe's exit, at most one (D-41).

    Only where it can be no other: the one unread card of that hand, or the one card that left the
    shoe unread and lies in the rack now.
    """
    shoe, ledger = table.shoe, custody.shoe
    in_rack = event.spot is Spot.DISCARD_RACK
    if shoe is None or ledger is None or (event.late and not in_rack):
        return ()
    place = custody_of_play.SPOT_PLACES[event.spot]
    read = table_reads.apply_table_read(custody, place, event.tag, "")
    if not read.resolved or read.card is None:
        return ()
    unread = _unread_places(shoe) if in_rack else _unread_in_hand(shoe, event.spot)
    if len(unread) != 1 or (in_rack and ledger.unread + ledger.unsure != 1):
        return ()
    return (CardRepeated(read.card, unread[0]),)


def _unread_in_hand(shoe: ShoeState, spot: Spot) -> list[Place]:
    dealt = shoe.coup.cards if shoe.coup is not None else ()
    player = spot is Spot.PLAYER
    return [
        one.claimed for one in dealt if one.card is None and (one.place in PLAYER_PLACES) is player
    ]


def _unread_places(shoe: ShoeState) -> list[Place]:
    """The places of the unread cards of hands, and of the first burn card if that is one."""
    dealt = [one for coup in _coups(shoe) for one in (*coup.cards, *coup.aside)]
    first = [Place.BURN_FIRST] if shoe.burn_cards[:1] == (None,) else []
    return [*first, *(one.claimed for one in dealt if one.card is None)]


def track_event(
    book: RuleBook,
    custody: CustodyState,
    event: DomainEvent,
    before: TableState,
    after: TableState,
    *,
    rack_read: bool,
) -> CustodyChange:
    """Update custody after a domain event: cards cleared, a shoe opened or ended, a batch moved."""
    custody, findings = custody_of_play.apply_table_change(
        book, custody, before, after, rack_read=rack_read
    )
    custody, of_batches = custody_of_batches.apply_lineage_change(
        custody, event, before.lineage, after.lineage
    )
    findings = (*findings, *of_batches)
    match event:
        case CardDrawn(card=card) if _by_face(event):
            custody, too_many = face_count.count_face(
                custody, card, book.decks, lambda: custody_of_play.describe_position(before)
            )
            return custody, (*findings, *too_many)
        case CardRepeated(card=card) if _unread_count(after) < _unread_count(before):
            custody, too_many = face_count.count_face(
                custody, card, book.decks, lambda: custody_of_play.describe_position(before)
            )
            return custody, (*findings, *too_many)
        case ReportsMissing():
            return shoe_custody.mark_reports_missing(custody), findings
        case ActReported():
            custody = custody_of_play.move_batch_by_act(custody, event, before, after)
            custody, off = custody_of_play.check_count(custody, event)
            custody, missing = custody_of_play.find_missing_cards(custody, before, after)
            return custody, (*findings, *off, *missing)
        case _:
            return custody, findings


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
