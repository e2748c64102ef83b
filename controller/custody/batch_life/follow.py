"""The life of two batches, fact by fact.

Responsible for: a beginning in which nothing is known, and what each fact makes of it. Total: any
fact in any state has an answer, and nothing is raised.
Not responsible for: what may be done now (judging), clauses, verdicts and times to answer (the
procedure).
Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22, D-35; field practice (Deck Mate 2: what a
device that has not proven who it is says, moves nothing).
"""

from typing import TypeAlias, assert_never

from controller.custody.batch_life import compartments, device, shuffles
from controller.custody.batch_life import operator_facts as people
from controller.custody.batch_life import status_check as status
from controller.custody.batch_life import warnings as interlock
from controller.custody.batch_life.change import Followed, Measure, remark
from controller.custody.batch_life.facts import (
    AlternationSuspended,
    CutMade,
    EventsLost,
    Fact,
    FirstCardOut,
    GoesIn,
    Handled,
    HandShuffled,
    NewCards,
    PortGone,
    PutIntoShoe,
    ShoeOver,
    WarningAnswered,
)
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import Bar, BatchLife, Lineage
from controller.state_table import StateTable
from drivers.shuffler_events import (
    CompartmentChanged,
    DeviceHeardAgain,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShufflerEvent,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
)

BatchEvent: TypeAlias = (
    CompartmentChanged | ShuffleBegan | ShuffleDone | ShuffleAborted | ShufflerStarted
)
TrustedEvent: TypeAlias = (
    BatchEvent
    | DoorMoved
    | JamReported
    | ResidualCards
    | ModeChanged
    | ShufflerWarning
    | SelfTested
    | DeviceTampered
    | ShufflerStatus
)


def begun(backs: tuple[str, str]) -> Lineage:
    """Nobody has told anything of these two batches yet; either may come first."""
    return Lineage(tuple(BatchLife(back) for back in backs))


def follow(
    lives: StateTable[BatchStage, BatchTrigger],
    lineage: Lineage,
    fact: Fact,
    *,
    cards: int,
    decks: int,
    at_ns: int,
) -> Followed:
    """What this fact makes of it. A whole batch has `cards`, and each face `decks` times."""
    m = Measure(lives, cards, decks, at_ns)
    f = Followed(lineage)
    match fact:
        case GoesIn(back):
            return people.goes_in(f, m, back)
        case HandShuffled(back):
            return people.shuffled_by_hand(f, m, back)
        case CutMade():
            return people.cut_made(f, m)
        case PutIntoShoe():
            return people.put_into_shoe(f, m, fact)
        case FirstCardOut():
            return people.first_card_out(f, m, fact)
        case ShoeOver():
            return people.shoe_over(f, m, fact)
        case Handled(back):
            return people.handled(f, m, back)
        case NewCards(back):
            return people.new_cards(f, m, back)
        case AlternationSuspended(back):
            return people.alternation_suspended(f, back)
        case WarningAnswered(number):
            return interlock.answer(f, number)
        case EventsLost() | PortGone():
            return _unheard(f, m, fact)
        case _:
            return _told(f, m, fact)


def _unheard(f: Followed, m: Measure, fact: EventsLost | PortGone) -> Followed:
    if isinstance(fact, EventsLost):
        return device.events_lost(f, m, fact.missing)
    return device.silent(f, m)


def _told(f: Followed, m: Measure, event: ShufflerEvent) -> Followed:
    """What the shuffler says of itself; the rest only counts once it has proven who it is."""
    match event:
        case IdentityProven():
            return device.identity_proven(f, m, event)
        case IdentityRefused():
            return device.identity_refused(f, m, event)
        case DeviceSilent():
            return device.silent(f, m) if event.lost else f
        case DeviceHeardAgain():
            return device.heard(f)
        case _ if f.lineage.trusted:
            return _trusted(f, m, event)
        case _:
            detail = "the shuffler has not proven who it is: what it says moves nothing"
            return remark(f, Bar.DEVICE, "", detail)


def _trusted(f: Followed, m: Measure, event: TrustedEvent) -> Followed:
    match event:
        case DoorMoved():
            return device.door_moved(f, m, event)
        case JamReported():
            return device.jam_reported(f, m, event)
        case ResidualCards():
            return device.residual_cards(f, m, event)
        case ModeChanged(mode):
            return device.mode_changed(f, m, mode)
        case ShufflerWarning():
            return device.lamp(f, m, event)
        case SelfTested():
            return device.self_tested(f, m, event)
        case DeviceTampered():
            return device.tampered(f, m, event)
        case ShufflerStatus():
            return status.status_told(f, m, event)
        case _:
            return _of_batches(f, m, event)


def _of_batches(f: Followed, m: Measure, event: BatchEvent) -> Followed:
    match event:
        case CompartmentChanged():
            return compartments.compartment_changed(f, m, event)
        case ShuffleBegan():
            return shuffles.shuffle_began(f, m, event)
        case ShuffleDone():
            return shuffles.shuffle_done(f, m, event)
        case ShuffleAborted():
            return shuffles.shuffle_aborted(f, m, event)
        case ShufflerStarted():
            return shuffles.shuffler_started(f, m, event)
        case _:
            assert_never(event)
