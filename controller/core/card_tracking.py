"""Cards with an identity in the core: from a tag at the exit to the table, and on to custody.

Responsible for: what is drawn when a tag leaves the shoe, and telling custody of each card that
left, each sight of another reader, and each event that was judged.
Not responsible for: judging (procedure), reading the places off the table's states (custodian), and
what custody makes of it (controller.custody).
Source: NY (a)(4)(iv); S42 (a)(4); D-16 to D-22; package README, "Cards with an identity".
"""

from typing import TypeAlias

from controller.core import custody_of_batches as custodian_batches
from controller.core import custody_of_play as custodian
from controller.custody import exit_reads as passing
from controller.custody import face_count as faces
from controller.custody import shoe as shoes
from controller.custody import table_reads as sights
from controller.custody.findings import Finding
from controller.custody.state import CustodyState
from controller.procedure.events import (
    ActRecorded,
    CardDrawn,
    CutCardDrawn,
    DomainEvent,
    ReportsMissing,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.rules.coup import Place
from drivers.events import CardPassed, Spot, TagSeen

Followed: TypeAlias = tuple[CustodyState, tuple[Finding, ...]]


def drawn(custody: CustodyState, event: CardPassed) -> CardDrawn | CutCardDrawn:
    """What left the shoe. Nothing claims a place for it: the order of drawing gives one."""
    look = custodian.looked(custody, event.tag, sure=event.sure)
    if look.cut_card:
        return CutCardDrawn()
    return CardDrawn(look.card, Place.UNCLAIMED, look.back, look.again)


def passed(
    custody: CustodyState, event: CardPassed, before: TableState, after: TableState
) -> Followed:
    """The card was judged: custody follows it to where the order of drawing put it."""
    words = custodian.step_in_words(before)
    if custody.shoe is None and custodian.is_over(after):
        stray = passing.stray_passed(custody, event.tag, event.sure, words)
        return stray.state, stray.findings
    left = passing.card_passed(custody, event.tag, event.sure, words)
    if left.cut_card:
        return left.state, left.findings
    return passing.placed(left.state, custodian.where_put(before, after)), left.findings


def seen(custody: CustodyState, event: TagSeen, table: TableState) -> Followed:
    """A reader beside the shoe saw a card. What lay at a hand a while ago proves nothing now."""
    if event.late and event.spot is not Spot.DISCARD_RACK:
        return custody, ()
    spot, words = custodian.SPOTS[event.spot], custodian.step_in_words(table)
    sight = sights.seen(custody, spot, event.tag, words)
    return sight.state, sight.findings


def followed(
    book: RuleBook,
    custody: CustodyState,
    event: DomainEvent,
    before: TableState,
    after: TableState,
    *,
    rack_read: bool,
) -> Followed:
    """An event was judged: cards may have been cleared, a shoe opened or ended, a batch moved."""
    custody, findings = custodian.followed(book, custody, before, after, rack_read=rack_read)
    custody, of_batches = custodian_batches.followed(custody, event, before.lineage, after.lineage)
    findings = (*findings, *of_batches)
    match event:
        case CardDrawn(card=card) if _by_face(event):
            words = custodian.step_in_words(before)
            custody, too_many = faces.face_drawn(custody, card, book.decks, words)
            return custody, (*findings, *too_many)
        case ReportsMissing():
            return shoes.reports_missing(custody), findings
        case ActRecorded():
            custody = custodian.acted(custody, event, before, after)
            custody, off = custodian.counted(custody, event)
            return custody, (*findings, *off)
        case _:
            return custody, findings


def _by_face(event: CardDrawn) -> bool:
    """Whether the shoe read the face itself. A face that was found by a tag comes with its back."""
    unclaimed_face = event.card is not None and not event.back
    return event.claimed is not Place.UNCLAIMED or unclaimed_face
