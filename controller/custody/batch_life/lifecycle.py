"""Applies one fact to the two batches. Total: every fact is valid in every state.

Not: what is permitted now (permissions); clauses, verdicts and deadlines (procedure).
Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22, D-35; field practice (Deck Mate 2: events of a
device without a proven identity change nothing).
"""

from typing import TypeAlias, assert_never

from controller.custody.batch_life import (
    compartments,
    device,
    operator_facts,
    shuffles,
    status_check,
)
from controller.custody.batch_life.change import BatchContext, LineageUpdate, add_remark
from controller.custody.batch_life.facts import (
    AlternationSuspended,
    CutMade,
    EventsLost,
    Fact,
    FirstCardOut,
    HandShuffled,
    LoadedIntoShuffler,
    NewCards,
    PutIntoShoe,
    ShoeOver,
    ShufflerPortLost,
    Touched,
    WarningAnswered,
)
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.custody.batch_life.warnings import clear_warning
from controller.state_table import StateTable
from drivers.shuffler_events import (
    CompartmentChanged,
    ContactRestored,
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
    ShuffleDone,
    ShufflerEvent,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleStarted,
)

BatchEvent: TypeAlias = (
    CompartmentChanged | ShuffleStarted | ShuffleDone | ShuffleAborted | ShufflerStarted
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


def new_lineage(backs: tuple[str, str]) -> Lineage:
    """The lineage of two batches of which nothing is known yet; either may be dealt first."""
    return Lineage(tuple(BatchLife(back) for back in backs))


def apply_batch_fact(
    stage_table: StateTable[BatchStage, BatchTrigger],
    lineage: Lineage,
    fact: Fact,
    *,
    cards: int,
    decks: int,
    at_ns: int,
) -> LineageUpdate:
    """Apply one fact. A complete batch has `cards` cards, each face `decks` times."""
    context = BatchContext(stage_table, cards, decks, at_ns)
    update = LineageUpdate(lineage)
    match fact:
        case LoadedIntoShuffler(back):
            return operator_facts.on_loaded_into_shuffler(update, context, back)
        case HandShuffled(back):
            return operator_facts.on_hand_shuffled(update, context, back)
        case CutMade():
            return operator_facts.on_cut(update, context)
        case PutIntoShoe():
            return operator_facts.on_put_into_shoe(update, context, fact)
        case FirstCardOut():
            return operator_facts.on_first_card_out(update, context, fact)
        case ShoeOver():
            return operator_facts.on_shoe_over(update, context, fact)
        case Touched(back):
            return operator_facts.on_touched(update, context, back)
        case NewCards(back):
            return operator_facts.on_new_cards(update, context, back)
        case AlternationSuspended(back):
            return operator_facts.on_alternation_suspended(update, back)
        case WarningAnswered(number):
            return clear_warning(update, number)
        case EventsLost() | ShufflerPortLost():
            return _apply_gap(update, context, fact)
        case _:
            return _apply_shuffler_event(update, context, fact)


def _apply_gap(
    update: LineageUpdate, context: BatchContext, fact: EventsLost | ShufflerPortLost
) -> LineageUpdate:
    if isinstance(fact, EventsLost):
        return device.on_events_lost(update, context, fact.missing)
    return device.on_silent(update, context)


def _apply_shuffler_event(
    update: LineageUpdate, context: BatchContext, event: ShufflerEvent
) -> LineageUpdate:
    """Apply an event of the shuffler; most count only once it has proven its identity."""
    match event:
        case IdentityProven():
            return device.on_identity_proven(update, context, event)
        case IdentityRefused():
            return device.on_identity_refused(update, context, event)
        case DeviceSilent():
            return device.on_silent(update, context) if event.lost else update
        case ContactRestored():
            return device.end_silence(update)
        case _ if update.lineage.trusted:
            return _apply_trusted_event(update, context, event)
        case _:
            detail = "the shuffler has not proven its identity: its reports change nothing"
            return add_remark(update, BlockReason.DEVICE, "", detail)


def _apply_trusted_event(
    update: LineageUpdate, context: BatchContext, event: TrustedEvent
) -> LineageUpdate:
    match event:
        case DoorMoved():
            return device.on_door_moved(update, context, event)
        case JamReported():
            return device.on_jam(update, context, event)
        case ResidualCards():
            return device.on_residual_cards(update, context, event)
        case ModeChanged(mode):
            return device.set_mode(update, context, mode)
        case ShufflerWarning():
            return device.on_warning_light(update, context, event)
        case SelfTested():
            return device.on_self_test(update, context, event)
        case DeviceTampered():
            return device.on_tampered(update, context, event)
        case ShufflerStatus():
            return status_check.on_status(update, context, event)
        case _:
            return _apply_batch_event(update, context, event)


def _apply_batch_event(
    update: LineageUpdate, context: BatchContext, event: BatchEvent
) -> LineageUpdate:
    match event:
        case CompartmentChanged():
            return compartments.on_compartment_changed(update, context, event)
        case ShuffleStarted():
            return shuffles.on_shuffle_started(update, context, event)
        case ShuffleDone():
            return shuffles.on_shuffle_done(update, context, event)
        case ShuffleAborted():
            return shuffles.on_shuffle_aborted(update, context, event)
        case ShufflerStarted():
            return shuffles.on_shuffler_started(update, context, event)
        case _:
            assert_never(event)
