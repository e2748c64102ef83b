"""Applies facts from people and play: batch loaded, cut, dealt from, spent.

Source: NY-a-4-iv-c to NY-a-4-iv-e; S42-a-4-iv to S42-a-4-vi, S42-e-1, S42-e-6-load,
S42-e-8-ii-load, S42-k-4-restart; D-5, D-20, D-21.

Where the shuffler shows only contacts, people enter the number of cards with the batch that they
put in, and its release: what they enter stands for the reports that other shufflers make.

A batch that is dealt from although it may not be is held: `in_play` names it, its stage does not
become IN_PLAY. A shoe that ends before any coup leaves its batch to be shuffled again, and it may
be next again: cards of it were burned and shown. Alternation starts over once both batches were
replaced. A hand shuffle counts for a batch that is outside the shuffler and lacks no card.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import (
    NOT_WHOLE,
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
from controller.custody.batch_life.compartments import on_compartment_changed
from controller.custody.batch_life.facts import (
    FirstCardOut,
    ShoeOver,
    Touched,
)
from controller.custody.batch_life.permissions import batch_due_next, batch_obstacles
from controller.custody.batch_life.stages import READY, SPOILT_BY_TOUCH, BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage, WarningKind
from controller.custody.batch_life.warnings import open_warning
from controller.rules.actions.actions import RecordAct
from drivers.shuffler_events import CompartmentChanged, CompartmentState
from foundation.message import message

# A shuffler that shows only contacts is one place.
ONLY_COMPARTMENT: Final = 1
# Its count or shuffle is void: of such a batch contacts do not show whether it was taken out.
_IN_THE_HAND: Final = (BatchStage.COLLECTED, BatchStage.HELD)


def on_loaded_into_shuffler(
    update: LineageUpdate, context: BatchContext, fact: RecordAct
) -> LineageUpdate:
    """A person recorded which batch goes into the shuffler next."""
    back = fact.batch
    life = update.lineage.life(back)
    if life is None:
        return _unknown_back(update, back)
    if back == update.lineage.in_play:
        detail = message("in_play_end_shoe_before_in", batch=back)
        return add_remark(update, BlockReason.FOREIGN, back, detail)
    if context.by_contacts and fact.amount:
        return _on_counted_by_people(update, context, life, fact)
    if life.compartment and life.stage is not BatchStage.RELEASED:
        detail = message("already_in_compartment", batch=back, compartment=life.compartment)
        return add_remark(update, BlockReason.FOREIGN, back, detail)
    update = replace(update, lineage=replace(update.lineage, into_shuffler=back))
    gathered = message("gathered_for_shuffler", batch=back)
    return restart(update, context, replace(life, compartment=0), gathered)


def _on_counted_by_people(
    update: LineageUpdate, context: BatchContext, life: BatchLife, fact: RecordAct
) -> LineageUpdate:
    """This batch lies in the shuffler, of so many cards by people's count, with the lid shut."""
    inside = update.lineage.in_compartment(ONLY_COMPARTMENT)
    if update.lineage.doors:
        detail = message("close_lid_before_record", batch=life.back)
        return add_remark(update, BlockReason.TOUCHED, life.back, detail)
    if inside is not None and inside.stage not in (*_IN_THE_HAND, *READY):
        detail = message("shuffler_holds_take_batch_out_first", inside=inside.back)
        if inside.back == life.back:
            where = inside.compartment
            detail = message("already_in_compartment", batch=life.back, compartment=where)
        return add_remark(update, BlockReason.FOREIGN, life.back, detail)
    if inside is not None and (inside.back != life.back or inside.stage in READY):
        # It was taken out, or the other would not be there.
        update = with_life(update, replace(inside, compartment=0))
    count = CompartmentChanged(
        ONLY_COMPARTMENT, CompartmentState.COUNTED, fact.amount, life.back, b""
    )
    update = on_compartment_changed(update, context, count, message("count_of_people"))
    return replace(update, lineage=replace(update.lineage, into_shuffler=""))


def on_released(update: LineageUpdate, context: BatchContext, fact: RecordAct) -> LineageUpdate:
    """People release the batch of a shuffler that shows only contacts, and take it out."""
    released = CompartmentChanged(
        ONLY_COMPARTMENT, CompartmentState.RELEASED, None, fact.batch, b""
    )
    return on_compartment_changed(update, context, released)


def on_hand_shuffled(
    update: LineageUpdate, context: BatchContext, fact: RecordAct
) -> LineageUpdate:
    """A complete hand shuffle of that batch is on record: it is cut next."""
    back = fact.batch
    life = update.lineage.life(back)
    if life is None:
        return _unknown_back(update, back)
    shortfall = next((reason for reason in life.block_reasons if reason in NOT_WHOLE), None)
    if shortfall is not None:
        return add_remark(update, shortfall, back, message("count_before_shuffle", batch=back))
    # A silent shuffler cannot report that its cards were taken out, nor can one by contacts.
    inside = life.compartment and life.stage is not BatchStage.RELEASED and update.lineage.trusted
    in_the_hand = context.by_contacts and life.stage in _IN_THE_HAND
    if (
        (inside and not in_the_hand)
        or back == update.lineage.in_play
        or not can_advance(life, BatchTrigger.SHUFFLED_BY_HAND)
    ):
        detail = message("not_shuffled_by_hand_now", batch=back, stage=life.stage.value)
        if life.compartment and not update.lineage.trusted:
            detail = message("record_first_shuffler_opened", what=detail)
        return add_remark(update, BlockReason.UNPROVEN, back, detail)
    by_hand = replace(without_shuffle(life), compartment=0, by_hand=True, block_reasons=())
    why = message("shuffled_by_hand", batch=back)
    update = advance(update, context, by_hand, BatchTrigger.SHUFFLED_BY_HAND, why)
    done = replace(by_hand, stage=BatchStage.SHUFFLED)
    to_cut = message("lies_to_be_cut", batch=back)
    return advance(update, context, done, BatchTrigger.RELEASED, to_cut)


def on_cut(update: LineageUpdate, context: BatchContext, fact: RecordAct) -> LineageUpdate:
    """The released batch was cut."""
    released = [one for one in update.lineage.lives if one.stage is BatchStage.RELEASED]
    if len(released) != 1:
        detail = message("cut_but_both_out") if released else message("cut_but_none_out")
        return add_remark(update, BlockReason.NOT_RELEASED, "", detail)
    (life,) = released
    away = replace(life, compartment=0)
    return advance(
        update, context, away, BatchTrigger.CUT, message("batch_is_cut", batch=life.back)
    )


def on_put_into_shoe(
    update: LineageUpdate, context: BatchContext, event: RecordAct
) -> LineageUpdate:
    """A person recorded this batch in the dealing shoe; it moves only where that is permitted."""
    life = update.lineage.life(event.batch or batch_due_next(update.lineage))
    if life is None:
        return _unknown_back(update, event.batch)
    obstacles = batch_obstacles(update.lineage, life)
    for obstacle in obstacles:
        update = add_remark(update, obstacle.reason, life.back, obstacle.detail)
    if obstacles:
        return update
    away = replace(life, compartment=0)
    why = message("put_into_dealing_shoe", batch=life.back)
    return advance(update, context, away, BatchTrigger.LOADED, why)


def on_first_card_out(
    update: LineageUpdate, context: BatchContext, event: FirstCardOut
) -> LineageUpdate:
    """The first card of a shoe was drawn: that batch is in play."""
    lineage = update.lineage
    if lineage.in_play and event.back in ("", lineage.in_play):
        return update
    if event.back and lineage.life(event.back) is None:
        return _unknown_back(update, event.back)
    life = _dealt_from(lineage, event.back)
    if life is None:
        return add_remark(update, BlockReason.UNPROVEN, "", message("dealt_batch_unknown"))
    if lineage.in_play:
        update = on_shoe_over(update, context, ShoeOver(played=True))
    obstacles = batch_obstacles(update.lineage, life)
    recorded = "" if lineage.into_shuffler == life.back else lineage.into_shuffler
    begun = replace(
        update.lineage, last_dealt=life.back, dealing=True, into_shuffler=recorded, may_repeat=""
    )
    update = replace(update, lineage=begun)
    if not obstacles:
        away = replace(life, compartment=0)
        drawn = message("first_card_drawn", batch=life.back)
        return advance(update, context, away, BatchTrigger.FIRST_CARD, drawn)
    for obstacle in obstacles:
        update = add_remark(update, obstacle.reason, life.back, obstacle.detail)
    if life.compartment and life.stage is not BatchStage.RELEASED:
        text = message("dealt_from_shuffler_holds_it", batch=life.back)
        update = open_warning(
            update, context, WarningKind.COUNT, text, active=False, compartment=life.compartment
        )
    why = message("dealt_from_may_not_be", batch=life.back, why=obstacles[0].detail)
    return hold_batch(update, context, life, obstacles[0].reason, why)


def on_shoe_over(update: LineageUpdate, context: BatchContext, event: ShoeOver) -> LineageUpdate:
    """The shoe is over; if a coup was dealt from it, the other batch is due next."""
    life = update.lineage.life(update.lineage.in_play)
    update = replace(update, lineage=replace(update.lineage, dealing=False))
    if not event.played:
        if life is None:
            return update
        fresh = replace(without_shuffle(life), cards=None)
        why = message("shoe_ended_before_any_coup", batch=life.back)
        return advance(update, context, fresh, BatchTrigger.SHOE_UNPLAYED, why)
    played = life.back if life is not None else ""
    update = replace(update, lineage=replace(update.lineage, last_played=played, renewed=()))
    if life is None:
        return update
    spent = replace(without_shuffle(life), cards=None)
    why = message("shoe_of_batch_over", batch=life.back)
    return advance(update, context, spent, BatchTrigger.SHOE_OVER, why)


def on_touched(update: LineageUpdate, context: BatchContext, fact: Touched) -> LineageUpdate:
    """People touched this batch out of turn."""
    back = fact.back
    life = update.lineage.life(back)
    if life is None:
        return _unknown_back(update, back)
    if life.stage not in (*SPOILT_BY_TOUCH, BatchStage.HELD):
        return update
    why = message("touched_out_of_turn", batch=back)
    return hold_batch(update, context, life, BlockReason.TOUCHED, why)


def on_new_cards(update: LineageUpdate, context: BatchContext, fact: RecordAct) -> LineageUpdate:
    """This batch was replaced by new cards."""
    back = fact.batch
    if update.lineage.life(back) is None:
        return _unknown_back(update, back)
    if back == update.lineage.in_play:
        detail = message("in_play_end_shoe_before_new", batch=back)
        return add_remark(update, BlockReason.FOREIGN, back, detail)
    before = update.lineage.life(back) or BatchLife(back)
    why = message("batch_has_new_cards", batch=back)
    fresh = BatchLife(back, before.stage)
    update = advance(update, context, fresh, BatchTrigger.NEW_CARDS, why)
    update = with_life(update, BatchLife(back))
    renewed = (*(each for each in update.lineage.renewed if each != back), back)
    both = all(one.back in renewed for one in update.lineage.lives)
    last = "" if both else update.lineage.last_played
    return replace(update, lineage=replace(update.lineage, renewed=renewed, last_played=last))


def on_alternation_suspended(
    update: LineageUpdate, context: BatchContext, fact: RecordAct
) -> LineageUpdate:
    """A floorperson permits this batch twice in a row for one shoe."""
    if update.lineage.life(fact.batch) is None:
        return _unknown_back(update, fact.batch)
    return replace(update, lineage=replace(update.lineage, may_repeat=fact.batch))


def _dealt_from(lineage: Lineage, back: str) -> BatchLife | None:
    """The batch that a shoe is dealt from: by its back, else the only possible one."""
    if back:
        return lineage.life(back)
    loaded = [one for one in lineage.lives if one.stage is BatchStage.IN_SHOE]
    ready = [one for one in lineage.lives if one.stage in READY]
    outside = [one for one in lineage.lives if not one.compartment]
    return next((some[0] for some in (loaded, ready, outside) if len(some) == 1), None)


def _unknown_back(update: LineageUpdate, back: str) -> LineageUpdate:
    backs = tuple(one.back for one in update.lineage.lives)
    detail = (
        message("strange_backs_reported", foreign=back, backs=backs)
        if back
        else message("no_backs_reported", backs=backs)
    )
    return add_remark(update, BlockReason.FOREIGN, "", detail)
