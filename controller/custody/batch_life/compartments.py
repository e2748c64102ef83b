"""Applies compartment reports of the shuffler: whose batch is loaded, counted, stored, released.

Source: NY-a-4-iv-b-same, NY-a-4-iv-c, NY-a-4-iv-e; S42-a-4-iii-same, S42-a-4-iv, S42-a-4-vi,
S42-e-8-ii-load, S42-e-8-ii-swap; D-19.

A count decides here, but none while cards are left in that compartment. A report of "shuffled"
never does: it is a claim, and only a complete shuffle with its receipt counts (shuffles).
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.change import (
    BatchContext,
    LineageUpdate,
    add_remark,
    advance,
    can_advance,
    hold_batch,
    restart,
    with_life,
    without_shuffle,
)
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage, WarningKind
from controller.custody.batch_life.warnings import open_warning, take_out_what_is_left
from controller.custody.moves import BatchCounted
from controller.rules.cards import FACES, Card
from drivers.shuffler_events import CompartmentChanged, CompartmentState
from foundation.message import Message, message

# Stages in which a batch may go into the shuffler without a record.
_ON_ITS_WAY: Final = (
    BatchStage.UNKNOWN,
    BatchStage.COLLECTED,
    BatchStage.SPENT,
    BatchStage.HELD,
)


class CompartmentMatch(Struct, frozen=True):
    """The batch in a compartment; `life` None where it is unknown.

    Where there is a `contradiction`, `life`, if any, is the batch in doubt.
    """

    life: BatchLife | None
    contradiction: Message | None = None


def match_compartment(lineage: Lineage, compartment: int, sensed: str) -> CompartmentMatch:
    """The batch of the cards in a compartment; `sensed` is the back that a sensor saw, or empty."""
    here = lineage.in_compartment(compartment)
    if not sensed:
        return _expected(lineage, compartment) if here is None else _unless_in_play(lineage, here)
    life = lineage.life(sensed)
    if life is None:
        backs = tuple(one.back for one in lineage.lives)
        return CompartmentMatch(
            here or _expected(lineage, compartment).life,
            message("strange_back_seen", foreign=sensed, compartment=compartment, backs=backs),
        )
    if here is not None and here != life:
        seen_there = message(
            "other_back_seen", compartment=compartment, batch=here.back, seen=sensed
        )
        return CompartmentMatch(here, seen_there)
    if life.compartment not in (0, compartment):
        elsewhere = message(
            "seen_in_other_compartment",
            batch=sensed,
            compartment=compartment,
            known=life.compartment,
        )
        return CompartmentMatch(life, elsewhere)
    return _unless_in_play(lineage, life)


def _unless_in_play(lineage: Lineage, life: BatchLife) -> CompartmentMatch:
    if life.back != lineage.in_play:
        return CompartmentMatch(life)
    return CompartmentMatch(life, message("in_play_but_reported_inside", batch=life.back))


def _expected(lineage: Lineage, compartment: int) -> CompartmentMatch:
    """The batch that goes into the shuffler next: as recorded, else the only one that can."""
    recorded = lineage.life(lineage.into_shuffler)
    if recorded is not None and not recorded.compartment:
        return _unless_in_play(lineage, recorded)
    outside = [one for one in lineage.lives if not one.compartment and one.stage in _ON_ITS_WAY]
    away = [one for one in outside if one.back != lineage.in_play]
    if not away:
        return CompartmentMatch(None, message("no_batch_can_be_there", compartment=compartment))
    return CompartmentMatch(away[0] if len(away) == 1 else None)


COMPARTMENTS: Final = (1, 2)
_COUNTED_BY: Final = message("count_of_the_shuffler")
_SHUFFLED: Final = (BatchStage.SHUFFLED, BatchStage.STORED)


def on_compartment_changed(
    update: LineageUpdate,
    context: BatchContext,
    event: CompartmentChanged,
    counted_by: Message = _COUNTED_BY,
) -> LineageUpdate:
    """Apply a new state of a compartment; `counted_by` says who counted."""
    if event.compartment not in COMPARTMENTS or not update.lineage.lives:
        return update
    before = update.lineage
    update = _ON_STATE.get(event.state, _holds)(update, context, event)
    life = update.lineage.in_compartment(event.compartment)
    if life is None or event.cards is None or life == before.life(life.back):
        return update
    # A count that blocks the batch is known already.
    blocked = BlockReason.SHORT in life.block_reasons or BlockReason.LONG in life.block_reasons
    counted = BatchCounted(life.back, event.cards, counted_by, blocked)
    return replace(update, placed=(*update.placed, counted))


def place_in_compartment(
    update: LineageUpdate, context: BatchContext, compartment: int, sensed: str
) -> tuple[LineageUpdate, BatchLife | None]:
    """Record which batch is in a compartment; None where it is unknown or contradicts."""
    found = match_compartment(update.lineage, compartment, sensed)
    if found.contradiction is not None:
        return hold_mismatch(update, context, compartment, found.life, found.contradiction), None
    if found.life is None:
        detail = message("batch_in_compartment_not_known", compartment=compartment)
        return add_remark(update, BlockReason.UNPROVEN, "", detail), None
    update = _put_in(update, context, found.life, compartment)
    return update, update.lineage.life(found.life.back)


def hold_mismatch(
    update: LineageUpdate,
    context: BatchContext,
    compartment: int,
    life: BatchLife | None,
    why: Message,
) -> LineageUpdate:
    """Hold the batch in doubt, if any: the compartment contradicts the known state."""
    if life is not None:
        if not life.compartment and life.back != update.lineage.in_play:
            update = _put_in(update, context, life, compartment)
            life = update.lineage.life(life.back) or life
        update = hold_batch(update, context, life, BlockReason.FOREIGN, why)
    return open_warning(
        update, context, WarningKind.COUNT, why, active=False, compartment=compartment
    )


def hold_on_other_back(
    update: LineageUpdate, context: BatchContext, compartment: int, sensed: str
) -> LineageUpdate:
    """Hold the batch of a compartment where another back is seen."""
    found = match_compartment(update.lineage, compartment, sensed)
    assert found.contradiction is not None, "another back than the known one contradicts"
    return hold_mismatch(update, context, compartment, found.life, found.contradiction)


def because_in_compartment(life: BatchLife, why: Message) -> Message:
    """What is wrong with this batch, with the compartment that it lies in."""
    return message(
        "batch_in_compartment_because", batch=life.back, compartment=life.compartment, why=why
    )


def hold_on_wrong_count(
    update: LineageUpdate, context: BatchContext, life: BatchLife, cards: int | None, faces: bytes
) -> LineageUpdate | None:
    """Hold the batch where count or faces are not those of a complete batch; None if right."""
    wrong = check_count(cards, faces, context.cards, context.decks)
    if wrong is None:
        return None
    why = because_in_compartment(life, wrong.detail)
    update = hold_batch(update, context, replace(life, cards=cards), wrong.reason, why)
    return open_warning(
        update, context, WarningKind.COUNT, why, active=False, compartment=life.compartment
    )


def hold_broken_shuffle(
    update: LineageUpdate, context: BatchContext, life: BatchLife, why: Message
) -> LineageUpdate:
    """Hold the batch: its shuffle did not complete."""
    update = hold_batch(update, context, life, BlockReason.BROKEN_OFF, why)
    return open_warning(
        update, context, WarningKind.BROKEN_OFF, why, active=False, compartment=life.compartment
    )


def _emptied(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    return empty_compartment(update, context, event.compartment)


def empty_compartment(
    update: LineageUpdate, context: BatchContext, compartment: int
) -> LineageUpdate:
    """Record that a compartment is empty."""
    life = update.lineage.in_compartment(compartment)
    if life is None:
        return update
    away = replace(life, compartment=0)
    match life.stage:
        case BatchStage.COUNTED:
            return restart(update, context, away, message("taken_out_after_count", batch=life.back))
        case BatchStage.SHUFFLING:
            why = message("gone_from_compartment", batch=life.back, compartment=compartment)
            update = hold_broken_shuffle(update, context, life, why)
            held = update.lineage.life(life.back) or away
            return with_life(update, replace(held, compartment=0))
        case BatchStage.SHUFFLED | BatchStage.STORED:
            why = message("left_without_release", batch=life.back, compartment=compartment)
            update = hold_batch(update, context, away, BlockReason.TOUCHED, why)
            return open_warning(
                update, context, WarningKind.COUNT, why, active=False, compartment=compartment
            )
        case _:
            return with_life(update, away)


def _put_in(
    update: LineageUpdate, context: BatchContext, life: BatchLife, compartment: int
) -> LineageUpdate:
    """Put the batch in a compartment; a batch that was not there before starts over."""
    if life.compartment == compartment:
        return update
    there = replace(life, compartment=compartment)
    why = message("goes_into_compartment", batch=life.back, compartment=compartment)
    update = restart(update, context, there, why)
    recorded = "" if update.lineage.into_shuffler == life.back else update.lineage.into_shuffler
    return replace(update, lineage=replace(update.lineage, into_shuffler=recorded))


def _holds(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    """Apply a report of cards in a compartment."""
    update, life = place_in_compartment(update, context, event.compartment, event.back)
    if life is None:
        return update
    if update.lineage.jammed(event.compartment) and event.state is not CompartmentState.HELD:
        detail = message("compartment_is_jammed", compartment=event.compartment)
        return add_remark(update, BlockReason.JAMMED, life.back, detail)
    if event.state is CompartmentState.LOADING:
        return _loaded(update, context, life)
    if event.state is CompartmentState.SHUFFLING:
        return update  # a claim; the shuffle has an event of its own, with its number
    if event.state is CompartmentState.COUNTED:
        return _counted(update, context, life, event)
    held = hold_on_wrong_count(update, context, life, event.cards, event.faces)
    if held is not None:
        return held
    if event.state is CompartmentState.HELD:
        why = message("shuffler_holds_back", batch=life.back)
        return (
            update
            if life.stage is BatchStage.HELD
            else hold_batch(update, context, life, BlockReason.UNPROVEN, why)
        )
    return _reported_shuffled(update, context, life, event.state)


def _loaded(update: LineageUpdate, context: BatchContext, life: BatchLife) -> LineageUpdate:
    if life.stage is BatchStage.SHUFFLING:
        why = message("loaded_onto_while_shuffled", batch=life.back)
        update = hold_broken_shuffle(update, context, life, why)
        life = update.lineage.life(life.back) or life
    why = message("loaded_into_compartment", batch=life.back, compartment=life.compartment)
    return restart(update, context, life, why)


def _counted(
    update: LineageUpdate, context: BatchContext, life: BatchLife, event: CompartmentChanged
) -> LineageUpdate:
    held = hold_on_wrong_count(update, context, life, event.cards, event.faces)
    if held is not None:
        return held
    if event.cards is None:
        detail = message("counted_without_number", batch=life.back)
        return add_remark(update, BlockReason.UNPROVEN, life.back, detail)
    if update.lineage.residuals and (left := update.lineage.residual_in(life.compartment)):
        why = message("short_by_cards_left", batch=life.back, what=take_out_what_is_left(left))
        return hold_batch(update, context, life, BlockReason.SHORT, why)
    if life.stage is BatchStage.SHUFFLING:
        why = message("counted_no_longer_shuffled", batch=life.back)
        update = hold_broken_shuffle(update, context, life, why)
        life = update.lineage.life(life.back) or life
    if life.stage is BatchStage.RELEASED:
        why = message("released_and_counted_again", batch=life.back)
        update = restart(update, context, life, why)
        life = update.lineage.life(life.back) or life
    fresh = without_shuffle(replace(life, cards=event.cards, block_reasons=()))
    why = message("counted_as_expected", cards=event.cards)
    return advance(update, context, fresh, BatchTrigger.COUNTED, why)


def _reported_shuffled(
    update: LineageUpdate, context: BatchContext, life: BatchLife, state: CompartmentState
) -> LineageUpdate:
    """Apply a report of a shuffled or stored batch: it moves only if it has its proof."""
    if life.stage in _SHUFFLED:
        if state is CompartmentState.STORED and can_advance(life, BatchTrigger.STORED):
            stored = message("stored_in_shuffler", batch=life.back)
            return advance(update, context, life, BatchTrigger.STORED, stored)
        return update
    if life.stage is BatchStage.RELEASED:
        why = message("released_but_reported_stored", batch=life.back)
        return hold_batch(update, context, life, BlockReason.TOUCHED, why)
    if life.stage is BatchStage.SHUFFLING:
        return update  # its receipt is an event of its own
    detail = message("reported_shuffled_not_known", batch=life.back)
    return add_remark(update, BlockReason.UNPROVEN, life.back, detail)


def _released(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    life = update.lineage.in_compartment(event.compartment)
    if life is None:
        known = update.lineage.life(event.back)
        gone = known is not None and not known.compartment
        detail = message("unknown_batch_released", compartment=event.compartment)
        return update if gone else add_remark(update, BlockReason.UNPROVEN, "", detail)
    if event.back and event.back != life.back:
        return hold_on_other_back(update, context, event.compartment, event.back)
    if life.stage is BatchStage.RELEASED:
        return update
    if life.stage in _SHUFFLED and update.lineage.residual:
        left = message("cards_left_in_shuffler", count=update.lineage.residual)
        why = message("released_while", batch=life.back, what=left)
        return hold_batch(update, context, life, BlockReason.DEVICE, why)
    if life.stage in _SHUFFLED:
        why = message("released_to_be_cut", batch=life.back)
        return advance(update, context, life, BatchTrigger.RELEASED, why)
    if life.stage is BatchStage.SHUFFLING:
        why = message("released_before_shuffle_complete", batch=life.back)
        update = hold_broken_shuffle(update, context, life, why)
    detail = message("released_and_not_shuffled", batch=life.back)
    return add_remark(update, BlockReason.UNSHUFFLED, life.back, detail)


_ON_STATE: Final = MappingProxyType(
    {CompartmentState.EMPTY: _emptied, CompartmentState.RELEASED: _released}
)


class CountMismatch(Struct, frozen=True):
    """Why a batch is not complete."""

    reason: BlockReason
    detail: Message


def check_count(counted: int | None, faces: bytes, cards: int, decks: int) -> CountMismatch | None:
    """The mismatch of a count (None: not counted) or its faces (empty: not read); None if right."""
    faces_wrong = _faces_differ(faces, decks) if faces else None
    if counted is not None and counted != cards:
        surplus = counted - cards
        detail = (
            message("counted_of_cards_too_many", counted=counted, cards=cards, count=surplus)
            if surplus > 0
            else message("counted_of_cards_missing", counted=counted, cards=cards, count=-surplus)
        )
        if faces_wrong is not None:
            detail = message("count_and_faces", what=detail, faces=faces_wrong)
        return CountMismatch(BlockReason.LONG if surplus > 0 else BlockReason.SHORT, detail)
    if faces_wrong is not None:
        detail = message("faces_not_of_decks", decks=decks, faces=faces_wrong)
        return CountMismatch(BlockReason.FOREIGN, detail)
    return None


def _faces_differ(faces: bytes, decks: int) -> Message | None:
    """The faces that are not present once for each deck; None where all are."""
    if len(faces) != len(FACES):
        return message("faces_reported_of", reported=len(faces), total=len(FACES))
    missing = _named([(card, decks - count) for card, count in zip(FACES, faces, strict=True)])
    extra = _named([(card, count - decks) for card, count in zip(FACES, faces, strict=True)])
    parts = [message("missing_faces", faces=missing)] if missing else []
    parts += [message("too_many_of_faces", faces=extra)] if extra else []
    return message("one_after_another", texts=tuple(parts)) if parts else None


def _named(off: list[tuple[Card, int]]) -> tuple[Message, ...]:
    return tuple(
        message("number_of_a_face", number=many, card=str(card)) for card, many in off if many > 0
    )
